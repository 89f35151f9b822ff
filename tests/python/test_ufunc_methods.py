"""NumPy's ufuncs on Variables: ``reduce``, ``accumulate``, ``outer``, and what is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import held, refused

import thunkvm as tv

FLOATS = np.array([[1.5, 3.0, -2.0, 0.5], [4.0, 1.0, 0.25, 2.0], [2.0, 5.0, 7.0, -1.0]])
WHOLE = np.array([[3, 5, 1], [2, 7, 4]], "int8")
REDUCED = ["add", "multiply", "maximum", "minimum", "subtract", "true_divide", "hypot", "fmax"]
OF_WHOLE = ["add", "subtract", "bitwise_or", "bitwise_xor", "gcd", "logical_xor", "true_divide"]


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("name", [*REDUCED, "logaddexp"])
def test_ufuncs_along_an_axis(name: str, method: str) -> None:
    of = getattr(getattr(np, name), method)
    a = np.abs(FLOATS) if name == "logaddexp" else FLOATS
    held(of, of, a)
    held(of, of, a[0])
    held(of, of, a.astype("float32"))
    for axis in (1, -1):
        held(lambda x, i=axis: of(x, i), lambda x, i=axis: of(x, i), a)
        held(lambda x, i=axis: of(x, axis=i), lambda x, i=axis: of(x, axis=i), a[:, :1])


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("name", OF_WHOLE)
def test_ufuncs_of_whole_numbers(name: str, method: str) -> None:
    of = getattr(getattr(np, name), method)
    whole = WHOLE.astype("int64") if name != "gcd" else WHOLE
    held(of, of, whole)
    held(lambda x: of(x, 1), lambda x: of(x, 1), whole)


def test_sums_along_an_axis_are_in_the_dtype_that_is_asked_for() -> None:
    held(lambda x: np.add.reduce(x, 0, "float32"), lambda x: np.add.reduce(x, 0, "float32"), WHOLE)
    held(
        lambda x: np.add.accumulate(x, dtype="float64"),
        lambda x: np.add.accumulate(x, dtype="float64"),
        WHOLE,
    )
    held(np.add.reduce, np.add.reduce, WHOLE)
    held(np.add.accumulate, np.add.accumulate, WHOLE)


def test_reductions_begin_with_an_initial_value() -> None:
    for of in (np.subtract.reduce, np.add.reduce, np.hypot.reduce):
        held(lambda x, f=of: f(x, initial=3.5), lambda x, f=of: f(x, initial=3.5), FLOATS)
        held(lambda x, f=of: f(x, 1, keepdims=True), lambda x, f=of: f(x, 1, keepdims=True), FLOATS)


def test_ufuncs_of_nothing() -> None:
    empty = np.zeros((0, 2))
    for of in (np.hypot.reduce, np.logaddexp.reduce, np.maximum.accumulate, np.hypot.accumulate):
        held(of, of, empty)
    refused(IndexError, "out of bounds", np.subtract.reduce, empty)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "arctan2", "less"])
def test_outer_applies_a_ufunc_to_each_pair(name: str) -> None:
    of = getattr(np, name).outer
    held(of, of, FLOATS, FLOATS[0])
    held(of, of, FLOATS[0], np.array(2.0))
    held(of, of, np.array(2.0), FLOATS)
    held(of, of, WHOLE, np.zeros(0))
    x = tv.vector("x")
    assert tv.function([x], np.multiply.outer([1.0, 10.0], x))([2.0, 3.0]).tolist() == [
        [2.0, 3.0],
        [20.0, 30.0],
    ]


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "hypot", "fmin"])
def test_reduceat_reduces_slices(name: str) -> None:
    of = getattr(np, name).reduceat
    for indices in ([0, 2], [2, 0, 1], [1, 1, 2, 2], [0]):
        held(of, of, FLOATS, np.array(indices))
        held(lambda x, i=indices: of(x, i), lambda x, i=indices: of(x, i), FLOATS)
    for axis in (1, -1):
        held(lambda x, i=axis: of(x, [0, 3, 1], i), lambda x, i=axis: of(x, [0, 3, 1], i), FLOATS)
    nothing = np.zeros(0, "int64")
    held(of, of, FLOATS, nothing)
    held(of, of, np.zeros((0, 2)), nothing)


def test_reduceat_of_whole_numbers_has_the_dtypes_of_reduce() -> None:
    held(np.add.reduceat, np.add.reduceat, WHOLE, np.array([1, 0]))
    held(np.bitwise_or.reduceat, np.bitwise_or.reduceat, WHOLE, np.array([0, 1], "uint8"))
    held(
        lambda x: np.add.reduceat(x, [0, 1], dtype="float32"),
        lambda x: np.add.reduceat(x, [0, 1], dtype="float32"),
        WHOLE,
    )


def test_reduceat_refuses_an_index_out_of_bounds() -> None:
    for index in (-1, 3):
        refused(IndexError, r"np.add.reduceat\] an index is out of bounds", np.add.reduceat, FLOATS,
                np.array([0, index]))  # fmt: skip
    refused(IndexError, "out of bounds", np.add.reduceat, np.zeros((0, 2)), np.array([0]))


def test_reduceat_runs_no_slice_that_nobody_demands() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    f = tv.function([c, x], tv.ifelse(c > 0, np.multiply.reduceat(x, [0, 9])[0], 1.0))
    assert f(-1.0, [1.0]) == 1.0
    with pytest.raises(IndexError, match="out of bounds"):
        f(1.0, [1.0])


def test_each_result_of_a_ufunc_has_an_outer_product() -> None:
    held(np.divmod.outer, np.divmod.outer, FLOATS, FLOATS[1])


def test_gradients_of_ufunc_methods() -> None:
    tv.verify_grad(np.maximum.accumulate, [FLOATS])
    tv.verify_grad(lambda x: np.subtract.accumulate(x, 1), [FLOATS])
    tv.verify_grad(np.hypot.reduce, [FLOATS])
    tv.verify_grad(np.logaddexp.reduce, [FLOATS])
    tv.verify_grad(np.multiply.outer, [FLOATS, FLOATS[0]])
    tv.verify_grad(lambda x: np.add.reduceat(x, [0, 2, 1], 1), [FLOATS])
    tv.verify_grad(lambda x: np.hypot.reduceat(x, [1, 0]), [FLOATS])


def test_reduceat_has_forward_derivatives_and_batches() -> None:
    x = tv.vector("x")
    y = np.multiply.reduceat(x, [0, 2, 1])
    forward, backward = tv.jacobian(y, x, mode="forward"), tv.jacobian(y, x, mode="reverse")
    results = tv.function([x], [forward, backward])([1.0, 2.0, 3.0, 4.0])
    expected = [[2.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 12.0, 8.0, 6.0]]
    assert [r.tolist() for r in results] == [expected, expected]
    rows = tv.matrix("rows")
    batched = tv.function([rows], tv.vmap(lambda row: np.add.reduceat(row, [0, 2, 1]))(rows))
    held_rows = batched(FLOATS)
    np.testing.assert_array_equal(held_rows, np.add.reduceat(FLOATS, [0, 2, 1], 1))


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda x: np.add.at(x, 0, 1.0), r"np.add.at changes .*; write x\[i\].inc\(v\)"),
        (lambda x: np.subtract.at(x, 0, 1.0), r"write x\[i\].inc\(-v\)"),
        (lambda x: np.maximum.at(x, 0, 1.0), r"write x\[i\].set\(np.maximum\(x\[i\], v\)\)"),
        (lambda x: np.add.reduceat(x, [0.5]), r"indices is .*; give a vector of integers"),
        (lambda x: np.add.reduceat(x[0], [0]), r"it goes along an axis, as of x\[None\]"),
        (lambda x: np.less.reduceat(x, [0, 1]), "results of bool, which are no operands"),
        (lambda x: np.less.accumulate(x), "results of bool, which are no operands"),
        (lambda x: np.add.reduce(x, out=np.zeros(())), "takes no out=; leave it out"),
        (lambda x: np.hypot.reduce(x, where=[True]), "takes no where="),
        (lambda x: np.subtract.reduce(x[None], (0, 1)), "it goes along one axis, so name one"),
    ],
)
def test_mistakes_of_ufunc_methods(mistake: Any, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        mistake(tv.vector("x"))
