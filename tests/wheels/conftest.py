from __future__ import annotations

import sys
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--wheel", type=Path, help="the wheel to install")
    parser.addoption("--interpreter", default=sys.executable, help="the Python that it is for")


@pytest.fixture(scope="session")
def wheel(request: pytest.FixtureRequest) -> Path:
    path = request.config.getoption("--wheel")
    if path is None:
        pytest.skip("no --wheel was given; ./dev wheel makes some and gives each")
    return path.resolve()
