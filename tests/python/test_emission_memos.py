"""Memo bodies in emitted C: parts of the function that alone needs them, else functions."""

from __future__ import annotations

import pytest
from emitted import both, outlined, runs

import thunkvm as tv
from thunkvm import _core

CHOICES = [(0, 0, 2.0), (1, 0, 2.0), (0, 1, 2.0), (1, 1, 2.0)]


def test_a_memo_body_that_one_function_needs_is_a_part_of_it_and_runs_once() -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    y = (x * x) * x
    f, kernels = both([c, d, x], [tv.ifelse(c, y, x), tv.ifelse(d, y + x, x)])
    for arguments in CHOICES:
        assert f(*arguments) == kernels(*arguments)
    assert runs(f) == runs(kernels)
    assert "call->functions[" not in outlined(f.c_source())
    assert f.c_source().count("goto memo_0;") == 2


def test_a_memo_body_that_would_make_a_function_too_large_is_called() -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    y = x
    for _ in range(159):
        y = tv.cos(y)
    f, kernels = both([c, d, x], [tv.ifelse(c, y, x), tv.ifelse(d, y + x, x)])
    for arguments in CHOICES:
        assert f(*arguments) == kernels(*arguments)
    assert runs(f) == runs(kernels)
    assert "call->functions[" in outlined(f.c_source())


@pytest.mark.parametrize("arguments", [(1, 0, 2.0), (0, 1, 2.0), (0, 0, 2.0)])
def test_a_memo_body_within_another_fails_as_it_does_alone(
    arguments: tuple[float, float, float],
) -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.scalar("x")
    v = tv.vector("v")
    inner = v[tv.cast(x, "int64")] * x
    outer = inner + 1.0
    chosen = [tv.ifelse(c, outer, tv.ifelse(d, inner, x)), tv.ifelse(d, outer * 2.0, x)]
    f, kernels = both([c, d, x, v], chosen)
    failed = []
    for function in (f, kernels):
        try:
            failed.append(function(*arguments, [1.0, 2.0]))
        except IndexError as error:
            failed.append([str(error), *error.__notes__])
    assert failed[0] == failed[1]
    assert runs(f) == runs(kernels)
    assert _core._testing.registers_empty(f)
    assert f(*arguments, [1.0, 2.0, 3.0]) == kernels(*arguments, [1.0, 2.0, 3.0])
    assert "goto failed_" in f.c_source()


def test_memo_bodies_may_be_nested_deeper_than_emitted_code_calls_them() -> None:
    x = tv.scalar("x")
    selectors = [tv.scalar(f"c{i}") for i in range(24)]
    value, outputs = x, []
    for c in selectors:
        value = tv.ifelse(c, value * 1.5, value + 1.0)
        outputs.append(tv.ifelse(c - 1.0, value, x))
    outputs = [
        tv.ifelse(c, tv.ifelse(x, o, x), o + 1.0) for c, o in zip(selectors, outputs, strict=True)
    ]
    f, kernels = both([x, *selectors], outputs)
    for bits in (0, 1, 0x5555, 0xFFFFFF, 0x123456):
        arguments = [float(bits >> i & 1) for i in range(24)]
        assert f(3.0, *arguments) == kernels(3.0, *arguments)
    assert runs(f) == runs(kernels)
    assert _core._testing.registers_empty(f)
