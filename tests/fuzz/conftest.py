"""Options of the fuzz tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def fuzz_graphs(request: pytest.FixtureRequest) -> int:
    """How many graphs each mode runs."""
    return int(request.config.getoption("--fuzz"))


@pytest.fixture
def fuzz_seed(request: pytest.FixtureRequest) -> int:
    """The seed of the first graph."""
    return int(request.config.getoption("--fuzz-seed"))
