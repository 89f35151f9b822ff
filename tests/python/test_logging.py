"""The C++ logger speaks through Python's logging."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

import thunkvm as tv


def test_linking_is_logged_for_those_who_ask(caplog: pytest.LogCaptureFixture) -> None:
    x = tv.scalar("x")
    with caplog.at_level(logging.DEBUG, logger="thunkvm"):
        tv.function([x], tv.ifelse(x > 0, x, -x), mode="cvm")
    (record,) = caplog.records
    assert record.levelno == logging.DEBUG
    assert record.getMessage().startswith("linked 3 nodes: ")
    assert "2 thunks, 1 branches" in record.getMessage()
    assert re.search(r"in [\d.]+ ms \(rewrites [\d.]+ ms\)", record.getMessage())


def test_every_program_of_the_tests_is_verified(caplog: pytest.LogCaptureFixture) -> None:
    x = tv.scalar("x")
    with caplog.at_level(logging.DEBUG, logger="thunkvm"):
        tv.function([x], x + 1, mode="vm")
    (record,) = caplog.records
    assert record.getMessage().endswith(" ms), verified")


def test_nothing_is_logged_by_default(caplog: pytest.LogCaptureFixture) -> None:
    x = tv.scalar("x")
    tv.function([x], x + 1)
    assert caplog.records == []


def test_the_compiling_of_several_modules_is_logged_for_those_who_ask(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    x = y = tv.scalar("x")
    for k in range(900):
        y = tv.cos(y) if k % 2 else y + 1.0
    with caplog.at_level(logging.INFO, logger="thunkvm"), tv.config.change(cache_dir=tmp_path):
        tv.function([x], y, mode="c|py")
    said = [re.sub(r"after .* s$", "after a while", r.getMessage()) for r in caplog.records]
    assert said == [f"{k} of 2 modules of C are compiled, after a while" for k in (1, 2)]
