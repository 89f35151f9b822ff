"""Mutants are broken only where `--mutants` asks for it: each takes a build."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave the folder out of what is collected, unless it is asked for."""
    return None if config.getoption("--mutants") else True
