"""The code that checks the types of saved files is that of their schemas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from thunkvm.profile import Profile, schemas
from thunkvm.profile.decisions import SavedDecisions

PACKAGE = Path(schemas.__file__).resolve().parent


@pytest.mark.parametrize("name", ["valid_profile.py", "valid_decisions.py"])
def test_a_validator_is_what_its_schema_gives(name: str) -> None:
    pytest.importorskip("fastjsonschema", reason="fastjsonschema is not installed")
    said = schemas.validators()[PACKAGE / name]
    assert (PACKAGE / name).read_text() == said, "run python -m thunkvm.profile.schemas"


@pytest.mark.parametrize("cls", [Profile, SavedDecisions])
def test_a_schema_is_one(cls: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    jsonschema.Draft7Validator.check_schema(schemas.schema(cls))


def test_loading_imports_no_fastjsonschema() -> None:
    program = (
        "import sys; sys.modules['fastjsonschema'] = None\n"
        "from thunkvm.profile import Profile, decisions, schemas, valid_decisions, valid_profile"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
