"""Options of the whole suite."""

from __future__ import annotations

import os
import signal

import pytest

# Every program that the tests link is checked by the verifier.
os.environ.setdefault("THUNKVM_VERIFY", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Keep what the tests compile from run to run, but not among the user's modules."""
    # A shell's background job ignores it, and so would the processes that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cache = getattr(config, "cache", None)  # none with -p no:cacheprovider
    if cache is not None:
        os.environ.setdefault("THUNKVM_CACHE", str(cache.mkdir("thunkvm") / "modules"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the fuzz tests and of the mutants."""
    group = parser.getgroup("fuzz")
    group.addoption(
        "--fuzz", type=int, default=350, metavar="N", help="random graphs for each mode"
    )
    group.addoption(
        "--fuzz-seed", type=int, default=1, metavar="S", help="seed of the first random graph"
    )
    parser.getgroup("mutants").addoption(
        "--mutants",
        action="store_true",
        help="break the rules of loops, one at a time, and see tests fail: a build for each",
    )
