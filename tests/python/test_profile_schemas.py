"""The schemas of saved files, and the functions made of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from profiles import PROFILE

from thunkvm.profile import Profile, schemas
from thunkvm.profile.decisions import SavedDecisions


@pytest.mark.parametrize("cls", [Profile, SavedDecisions])
def test_a_schema_is_one(cls: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    jsonschema.Draft7Validator.check_schema(schemas.schema(cls))


def test_a_profile_is_recorded_and_saved_without_the_validators_library(tmp_path: Path) -> None:
    PROFILE.save(tmp_path / "p.json")
    program = (
        "import sys; import thunkvm as tv; from thunkvm.profile import Profile, decisions\n"
        "Profile().save(sys.argv[2])\n"
        "assert 'fastjsonschema' not in sys.modules\n"
        "Profile.load(sys.argv[1])\n"
        "assert 'fastjsonschema' in sys.modules"
    )
    command = [sys.executable, "-c", program, tmp_path / "p.json", tmp_path / "q.json"]
    subprocess.run(command, check=True)
