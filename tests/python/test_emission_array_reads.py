"""Lengths and single elements of arrays, which emitted code reads without a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from emitted import C, both, forms, runs

import thunkvm as tv

PICKED = [1.5, -2.0, 3.25]


def outlined(function: Any) -> str:
    """The C of the function, without what every module starts with."""
    source = function.c_source()
    return str(source[source.index("u32 function_0(") :])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "uint16", "bool"])
def test_an_element_is_read_from_its_array(dtype: str) -> None:
    x = tv.vector("x", dtype=dtype)
    emitted, kernels = both([x], [x[1], x[-1]])
    for function in (emitted, kernels):
        got = function(np.array(PICKED, "float64").astype(dtype))
        assert [value.dtype for value in got] == [dtype, dtype]
        assert got == list(np.array(PICKED).astype(dtype)[[1, -1]])
    assert "S->run(call, 0), TV_FAILED" in outlined(emitted)
    assert "if (S->run" not in outlined(emitted)
    assert {form for _, form, _ in forms(emitted)} == {"emitted"}


def test_a_dtype_without_a_type_in_c_is_picked_by_its_kernel() -> None:
    x = tv.vector("x", dtype="complex128")
    f = tv.function([x], x[1] * 2.0, mode=C)
    assert f([1j, 2j]) == 4j
    assert forms(f)[0] == ("subtensor", "kernel", "function 0")


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12.0).reshape(2, 6)[:, ::2],
        np.arange(6.0).reshape(2, 3)[::-1, ::-1],
    ],
    ids=["c", "fortran", "part", "reversed"],
)
def test_an_element_is_found_in_any_layout(value: np.ndarray) -> None:
    x, i = tv.matrix("x"), tv.scalar("i", dtype="int64")
    f = tv.function([x, i], x[-1, i + 1] * 2.0, mode=C)
    assert f(value, 0) == 2.0 * value[-1, 1]
    assert f(value, -2) == 2.0 * value[-1, -1]
    assert "if (S->run" not in outlined(f)


@pytest.mark.parametrize("index", [3, -4, 2**63 - 1, -(2**63)])
def test_where_there_is_no_such_element_the_kernel_says_so(index: int) -> None:
    x, i = tv.vector("x"), tv.scalar("i", dtype="int64")
    messages = []
    for function in both([x, i], tv.exp(x[i * 1]) + 1.0):
        with pytest.raises(IndexError) as raised:
            function(PICKED, index)
        messages.append([str(raised.value), *raised.value.__notes__])
        assert function(PICKED, 0) == np.exp(1.5) + 1.0
    assert f"index {index} is out of bounds for axis 0 with size 3" in messages[0][0]
    assert messages[0][0] == messages[1][0]
    assert f"int64 scalar {index}" in messages[0][1]


def test_what_comes_after_a_missing_element_is_not_counted_as_run() -> None:
    x, i = tv.vector("x"), tv.scalar("i", dtype="int64")
    counts = []
    for function in both([x, i], tv.exp(x[i]) + 1.0):
        with pytest.raises(IndexError):
            function(PICKED, 7)
        function(PICKED, 2)
        counts.append(runs(function))
    assert counts[0] == counts[1] == [("subtensor.0", 2), ("exp.1", 1), ("add.2", 1)]


def test_an_element_of_what_a_loop_computes_is_read_after_it() -> None:
    x = tv.vector("x")
    y = tv.exp(x) * 2.0
    f = tv.function([x], y / y[0], mode=C)
    np.testing.assert_array_equal(f([0.0, 1.0]), np.exp([0.0, 1.0]) * 2.0 / 2.0)
    assert ("subtensor", "emitted", "function 0") in forms(f)


def test_the_length_of_an_axis_is_read_from_its_array() -> None:
    x = tv.matrix("x")
    emitted, kernels = both([x], [tv.exp(x) / x.shape[0], x.shape[-1] * 2, (x + 1.0).shape[1] + 1])
    for function in (emitted, kernels):
        loop, doubled, more = function(np.zeros((4, 3)))
        np.testing.assert_array_equal(loop, np.full((4, 3), 0.25))
        assert (doubled, more) == (6, 4)
    assert "S->run" not in outlined(emitted)
    assert runs(emitted) == runs(kernels)


def test_the_number_of_elements_is_computed_from_the_lengths() -> None:
    x = tv.tensor3("x")
    f = tv.function([x], tv.size(x) * 2, mode=C)
    assert f(np.zeros((4, 3, 2))) == 48
    assert f(np.zeros((4, 0, 2))) == 0
    assert "S->run" not in outlined(f)


def test_lengths_that_others_read_too_are_a_vector() -> None:
    x = tv.matrix("x")
    lengths = tv.ops.shape(x)
    f = tv.function([x], [lengths, lengths[0] * 2], mode=C)
    got, doubled = f(np.zeros((4, 3)))
    np.testing.assert_array_equal(got, [4, 3])
    assert doubled == 8
    assert forms(f)[0] == ("shape", "kernel", "function 0")
    assert forms(f)[1] == ("length", "emitted", "function 0")


def test_lengths_that_an_arm_picks_from_are_there_in_it() -> None:
    x, c = tv.matrix("x"), tv.scalar("c")
    rows, columns = x.shape[0], x.shape[1]
    f = tv.function([x, c], tv.ifelse(c > 0, rows + columns, columns * 2) + columns, mode=C)
    assert f(np.zeros((4, 3)), 1.0) == 10
    assert f(np.zeros((4, 3)), -1.0) == 9


@pytest.mark.parametrize(
    "mode",
    [
        tv.Mode("c", gc=False),
        tv.Mode("c").excluding("fusion"),
        tv.Mode("c&py"),
        tv.Mode("c|py"),
    ],
    ids=["no gc", "no fusion", "c&py", "c|py"],
)
def test_lengths_and_elements_are_the_same_in_all_modes(mode: tv.Mode) -> None:
    x, i = tv.vector("x"), tv.scalar("i", dtype="int64")
    f = tv.function([x, i], [x[i] + x.shape[0], (x * x[0]).sum()], mode=mode)
    for _ in range(2):
        assert f(PICKED, 1) == [1.0, 1.5 * sum(PICKED)]
