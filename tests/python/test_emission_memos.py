"""Memo bodies in emitted C: parts of the function that alone needs them, else functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from emitted import C, both, outlined, runs

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


Step = Callable[[Any, Any], Any]


def in_an_inner_loop(step: Step, x: Any) -> Any:
    """The inner loop is a function, which each step of the outer one calls."""
    return tv.fori_loop(0, 3, lambda k, s: tv.fori_loop(0, 2, lambda _, a: step(k, a), s), x)


def in_a_large_step(step: Step, x: Any) -> Any:
    """A step is several functions, which the interpreter calls."""

    def add_often(k: Any, s: Any) -> Any:
        for _ in range(170):
            s = s + np.int64(1)
        return step(k, s)

    return tv.fori_loop(0, 3, add_often, x)


@pytest.mark.parametrize(("loop", "expected"), [(in_an_inner_loop, 38), (in_a_large_step, 530)])
@pytest.mark.parametrize("mode", ["py", "vm", C, tv.Mode("cvm", compile="now")])
def test_a_memo_body_of_all_steps_keeps_its_number_from_call_to_call_of_its_function(
    mode: Any, loop: Any, expected: int
) -> None:
    x = tv.lscalar("x")
    t = x * x + 1  # 5, which two bodies read, in step 1 and in step 2
    chosen = loop(lambda k, s: tv.switch_case(k, [s, s + (t - 2), s + t * 3]), x)
    assert tv.function([x], chosen, mode=mode)(2) == expected


@pytest.mark.parametrize("loop", [in_an_inner_loop, in_a_large_step])
def test_a_memo_body_of_all_steps_decides_the_same_in_each_call_of_its_function(loop: Any) -> None:
    x, y = tv.lscalar("x"), tv.lscalar("y")
    odd = y % 2
    never = tv.ifelse(odd, x, x * x * x)
    chosen = loop(lambda k, s: tv.switch_case(k, [s, s + odd * 4, s + tv.ifelse(odd, y, never)]), x)
    f, kernels = both([x, y], chosen)
    assert f(2, 3) == kernels(2, 3)
    assert runs(f) == runs(kernels)


def test_a_memo_body_of_all_steps_has_variables_where_one_call_runs_them() -> None:
    x = tv.lscalar("x")
    t = x * x + 1
    step = tv.fori_loop(
        0, 3, lambda k, s: tv.switch_case(k, [s, s + (t - 2), s + t * 3]), np.int64(0)
    )
    f = tv.function([x], step, mode=C)
    assert f(2) == 18
    reads_a_variable = r"R\[\d+\]\.value\.i64 = \(i64\)\(\(u64\)r\d+ \* "  # t * 3
    assert re.search(reads_a_variable, outlined(f.c_source(), "function_1"))
