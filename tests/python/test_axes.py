"""Axes and other whole numbers as users give them: NumPy's integers, and ones too large."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core, ops

MODES = ["py", "cvm"]
CUBE = np.arange(24.0).reshape(2, 3, 4)
SQUARE = np.arange(9.0).reshape(3, 3)


def run(mode: str, build: Callable[..., Any], *arrays: np.ndarray) -> Any:
    inputs = [tv.tensor(f"x{i}", shape=(None,) * a.ndim) for i, a in enumerate(arrays)]
    return tv.function(inputs, build(*inputs), mode=mode, on_unused_input="ignore")(*arrays)


# ---- integers that are not Python's ----

ALONG_AXES = {
    "sum": (tv.sum, np.sum), "prod": (tv.prod, np.prod), "max": (tv.max, np.max),
    "min": (tv.min, np.min), "mean": (tv.mean, np.mean), "var": (tv.var, np.var),
    "std": (tv.std, np.std), "any": (tv.any, np.any), "all": (tv.all, np.all),
    "argmax": (tv.argmax, np.argmax), "argmin": (tv.argmin, np.argmin),
    "cumsum": (tv.cumsum, np.cumsum), "cumprod": (tv.cumprod, np.cumprod),
    "norm": (tv.norm, np.linalg.norm),
    "logsumexp": (tv.logsumexp, lambda v, axis: np.logaddexp.reduce(v, axis=axis)),
    "expand_dims": (tv.expand_dims, np.expand_dims),
    "squeeze": (lambda v, axis: tv.squeeze(tv.expand_dims(v, axis), axis), lambda v, axis: v),
    "concatenate": (lambda v, axis: tv.concatenate([v, v], axis),
                    lambda v, axis: np.concatenate([v, v], axis)),
    "stack": (lambda v, axis: tv.stack([v, v], axis), lambda v, axis: np.stack([v, v], axis)),
    "take": (lambda v, axis: tv.take(v, [0, 1], axis=axis),
             lambda v, axis: np.take(v, [0, 1], axis)),
    "swapaxes": (lambda v, axis: tv.swapaxes(v, axis, 2), lambda v, axis: np.swapaxes(v, axis, 2)),
    "moveaxis": (lambda v, axis: tv.moveaxis(v, axis, -1),
                 lambda v, axis: np.moveaxis(v, axis, -1)),
    "tensordot": (lambda v, axis: tv.tensordot(v, v, (axis, axis)),
                  lambda v, axis: np.tensordot(v, v, (axis, axis))),
    "trace": (lambda v, axis: ops.trace(v, axis1=axis, axis2=2),
              lambda v, axis: np.trace(v, axis1=axis, axis2=2)),
}  # fmt: skip

AS_ONE = [np.int64(1), np.uint8(1), np.array(1), np.array(-2, "int32")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", AS_ONE, ids=repr)
@pytest.mark.parametrize("name", ALONG_AXES)
def test_an_axis_may_be_any_integer(name: str, axis: Any, mode: str) -> None:
    ours, numpys = ALONG_AXES[name]
    found, expected = run(mode, lambda v: ours(v, axis=axis), CUBE), numpys(CUBE, axis=int(axis))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("axes", [(np.int64(0), 2), [0, 2], np.array([0, 2]), range(0, 3, 2)],
                         ids=repr)  # fmt: skip
@pytest.mark.parametrize("name", ["sum", "max", "mean", "std", "any", "logsumexp", "norm"])
def test_axes_may_be_any_sequence_of_integers(name: str, axes: Any) -> None:
    ours = ALONG_AXES[name][0]
    both = tuple(int(axis) for axis in axes)
    np.testing.assert_array_equal(
        run("cvm", lambda v: ours(v, axis=axes), CUBE),
        run("cvm", lambda v: ours(v, axis=both), CUBE),
    )


@pytest.mark.parametrize("axis", [1.0, "0", [0.0], None], ids=repr)
def test_an_axis_that_is_no_integer_is_refused(axis: Any) -> None:
    x = tv.tensor3("x")
    if axis is not None:
        with pytest.raises(TypeError, match=r"\[sum\] attribute 'axis'"):
            tv.sum(x, axis)
        with pytest.raises(TypeError, match=r"\[norm\] axis is"):
            tv.norm(x, axis=axis)
    with pytest.raises(TypeError, match=r"\[moveaxis\] source is"):
        tv.moveaxis(x, axis, 0)
    with pytest.raises(TypeError, match=r"\[tensordot\] ax"):
        tv.tensordot(x, x, (axis, 0))


def test_other_numbers_may_be_any_integers() -> None:
    two = np.int64(2)
    assert run("cvm", lambda v: tv.round(v, two), np.array([0.125])).tolist() == [0.12]
    assert run("cvm", lambda v: tv.tril(v, two), SQUARE).tolist() == SQUARE.tolist()
    assert run("cvm", lambda v: tv.norm(v, two), np.array([3.0, 4.0])) == 5.0
    assert run("cvm", lambda v: tv.tensordot(v, v, two), SQUARE) == np.tensordot(SQUARE, SQUARE, 2)
    assert run("cvm", lambda v: tv.var(v, ddof=np.float32(0.5)), np.array([1.0, 3.0])) == 4 / 3


# ---- axes that are not there ----


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda v: tv.moveaxis(v, 5, 0), r"\[moveaxis\] source: axis 5 is out of bounds .* 3"),
        (lambda v: tv.moveaxis(v, 0, -4), r"\[moveaxis\] destination: axis -4 is out of bounds"),
        (lambda v: tv.moveaxis(v, (0, -3), (0, 1)), r"\[moveaxis\] source = .* axis -3 twice"),
        (lambda v: tv.moveaxis(v, (0, 1), (1, 1)), r"\[moveaxis\] destination = .* axis 1 twice"),
        (lambda v: tv.moveaxis(v, (0, 1), 1), r"\[moveaxis\] 2 axes cannot go to 1 positions"),
        (lambda v: tv.moveaxis(v, 10**30, 0), r"\[moveaxis\] source: axis 1000+ is out of bounds"),
        (lambda v: tv.swapaxes(v, 3, 0), r"\[swapaxes\] axis1: axis 3 is out of bounds"),
        (lambda v: tv.swapaxes(v, 0, 10**30), r"\[swapaxes\] axis2: axis 1000+ is out of bounds"),
        (lambda v: tv.norm(v, axis=3), r"\[norm\] axis: axis 3 is out of bounds"),
        (lambda v: tv.norm(v, axis=(0, 0)), r"\[norm\] axis = \(0, 0\) names axis 0 twice"),
        (lambda v: tv.norm(v, "fro"), r"\[norm\] ord='fro' is a norm of matrices"),
        (lambda v: tv.norm(v[0, 0], "fro"), r"\[norm\] ord='fro' is a norm of matrices"),
        (lambda v: tv.tensordot(v, v, 4), r"\[tensordot\] axes = 4, but a has 3 axes and b has 3"),
        (lambda v: tv.tensordot(v, v, -1), r"\[tensordot\] axes = -1, but"),
        (lambda v: tv.tensordot(v, v, 10**30), r"\[tensordot\] axes = 1000+, but"),
        (lambda v: tv.tensordot(v, v, (3, 0)), r"\[tensordot\] axes of a: axis 3 is out of"),
        (lambda v: tv.tensordot(v, v, (0, -4)), r"\[tensordot\] axes of b: axis -4 is out"),
        (lambda v: tv.tensordot(v, v, ([0, 0], [0, 1])), r"\[tensordot\] .* axis 0 twice"),
        (lambda v: tv.tensordot(v, v, ([0], [0, 1])), r"1 axes of a cannot meet 2 axes of b"),
    ],
)  # fmt: skip
def test_axes_that_do_not_fit_are_a_value_error(build: Callable[..., Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(tv.tensor3("x"))


@pytest.mark.parametrize("axes", [(0, 1, 2), 1.0, "ab", None, ((0,), (1,), (2,))], ids=repr)
def test_the_axes_of_tensordot_are_a_number_or_a_pair(axes: Any) -> None:
    x = tv.tensor3("x")
    with pytest.raises(TypeError, match=r"\[tensordot\] axes"):
        tv.tensordot(x, x, axes)


# ---- tensordot and moveaxis ----


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        (SQUARE, SQUARE, (1, 0)),
        (SQUARE, SQUARE, (-1, [-2])),
        (SQUARE, SQUARE, ([], [])),
        (SQUARE, SQUARE, 0),
        (CUBE, CUBE, ([0, 2], [0, 2])),
        (CUBE, np.swapaxes(CUBE, 0, 2), ([2, 0], [0, 2])),
        (CUBE, np.ones((3, 4)), 2),
        (np.ones((2, 0)), np.ones((0, 3)), 1),
        (np.ones((0, 2)), np.ones((2, 3)), 1),
        (np.array(2.0), SQUARE, 0),
    ],
    ids=str,
)
def test_tensordot_is_numpys(a: np.ndarray, b: np.ndarray, axes: Any, mode: str) -> None:
    expected = np.tensordot(a, b, axes)
    found = run(mode, lambda v, w: tv.tensordot(v, w, axes), a, b)
    assert np.shape(found) == expected.shape
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        (np.ones((2, 3)), np.ones((3, 2)), 2),  # as many elements, and still other lengths
        (np.ones((2, 3)), np.ones((1, 3)), ([0, 1], [0, 1])),  # no broadcasting
        (np.ones((1, 3)), np.ones((2, 3)), ([0], [0])),
        (np.ones((2, 0)), np.ones((3, 0)), ([0, 1], [0, 1])),
    ],
)
def test_lengths_that_do_not_meet_are_an_error_when_they_are_known(
    a: np.ndarray, b: np.ndarray, axes: Any, mode: str
) -> None:
    with pytest.raises(ValueError, match=r"shape-mismatch for sum: axis 0 of a has length"):
        tv.tensordot(tv.tensor(shape=a.shape), tv.tensor(shape=b.shape), axes)
    with pytest.raises(ValueError, match="shape-mismatch for sum: ax"):
        run(mode, lambda v, w: tv.tensordot(v, w, axes), a, b)


def test_the_shape_of_a_tensordot_is_known_where_the_lengths_are() -> None:
    a, b = tv.tensor(shape=(2, 3, 4)), tv.tensor(shape=(4, 3, None))
    assert tv.tensordot(a, b, ([1, 2], [1, 0])).type.shape == (2, None)


def test_the_jacobian_of_a_tensordot_checks_each_example() -> None:
    x, y = tv.matrix("x"), tv.matrix("y")
    rows = tv.jacobian(tv.tensordot(x, y, ([1], [0])), x)
    found = tv.function([x, y], rows)(np.ones((2, 3)), np.arange(6.0).reshape(3, 2))
    assert found.shape == (2, 2, 2, 3)
    assert found[1, 0, 1].tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("source", "destination"),
    [((0, 1), (1, 0)), ((0, 1), (2, 0)), ([-1, 0], [0, 1]), (0, 2), ((), ()),
     ((2, 1, 0), (0, 2, 1))],
)  # fmt: skip
def test_moveaxis_is_numpys(source: Any, destination: Any, mode: str) -> None:
    found = run(mode, lambda v: tv.moveaxis(v, source, destination), CUBE)
    np.testing.assert_array_equal(found, np.moveaxis(CUBE, source, destination))


# ---- numbers that are too large ----


def whole_numbers() -> list[tuple[str, str, int]]:
    """Each attribute of an Op that is a whole number, or a list of them."""
    return [
        (proto["name"], attr["name"], len(proto["inputs"]))
        for proto in _core.op_protos()
        for attr in proto["attrs"]
        if attr["type"] in ("int", "list of ints")
    ]


@pytest.mark.parametrize(("name", "attribute", "n_inputs"), whole_numbers())
def test_a_whole_number_beyond_64_bits_is_an_error_that_names_the_attribute(
    name: str, attribute: str, n_inputs: int
) -> None:
    inputs = [tv.matrix() for _ in range(n_inputs)]
    for number in (10**30, -(10**30), 2**63, -(2**63) - 1):
        with pytest.raises(OverflowError, match=rf"\[{name}\] .* '{attribute}' = .* {number}, "):
            getattr(ops, name)(*inputs, **{attribute: number})
    with pytest.raises(OverflowError, match=rf"\[{name}\] .*integer of 100001 bits"):
        getattr(ops, name)(*inputs, **{attribute: 1 << 100_000})


LOWEST, HIGHEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("k", [LOWEST, LOWEST + 1, -(2**40), 2**40, 2**62, HIGHEST])
def test_a_diagonal_far_beyond_the_corners_is_empty(k: int, mode: str) -> None:
    above = SQUARE if k > 0 else np.zeros((3, 3))
    assert run(mode, lambda v: tv.tril(v, k), SQUARE).tolist() == above.tolist()
    assert run(mode, lambda v: tv.triu(v, k), SQUARE).tolist() == (SQUARE - above).tolist()
    assert run(mode, lambda v: tv.eye(v.shape[0], k=k), SQUARE).tolist() == [[0.0] * 3] * 3
    assert run(mode, lambda v: tv.diag(v, k), SQUARE).shape == (0,)
    assert run(mode, lambda v: tv.trace(v, k), SQUARE) == 0.0
    known = tv.tensor(shape=(3, 3))
    assert ops.diagonal(known, offset=k).type.shape == (0,)


@pytest.mark.parametrize("k", [LOWEST, 2**40, HIGHEST])
def test_a_vector_on_a_diagonal_far_away_is_an_error(k: int) -> None:
    with pytest.raises(ValueError, match=rf"\[diag\] .* {k} off .* larger than the address space"):
        tv.diag(tv.vector("x"), k)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda x: tv.tril(x, 10**30), OverflowError, r"\[tril\] attribute 'k'"),
        (lambda x: tv.sum(x, axis=10**30), OverflowError, r"\[sum\] attribute 'axis'"),
        (lambda x: tv.sum(x, axis=2**40), ValueError, r"axis 1099511627776 is out of bounds"),
        (lambda x: tv.ones((10**30,)), ValueError, r"\[ones\] the shape has a length of 100 bits"),
        (lambda x: tv.zeros(2**63), ValueError, r"\[zeros\] the shape has a length of 64 bits"),
        (lambda x: x.reshape(1, 10**30), ValueError, r"\[reshape\] the shape has a length"),
        (lambda x: tv.arange(10**30), OverflowError, r"10+ does not fit int64"),
        (lambda x: tv.linspace(0, 1, 10**30), OverflowError, r"10+ does not fit int64"),
        (lambda x: tv.linspace(0, 1, -1), ValueError, r"\[linspace\] num = -1"),
        (lambda x: x + (1 << 100_000), OverflowError, "integer of 100001 bits does not fit"),
        (lambda x: tv.var(x, ddof=10**400), OverflowError, r"\[var\] .*'ddof' = .* of 1329 bits"),
        (lambda x: tv.round(x, 400), ValueError, r"\[round\] decimals = 400, but 10\*\*400 is"),
        (lambda x: tv.round(x, -309), ValueError, r"\[round\] .* at most 308"),
        (lambda x: tv.round(x, 10**30), ValueError, r"\[round\] decimals = 10+"),
        (lambda x: tv.round(x.astype("float16"), 5), ValueError, r"float16 holds; .* at most 4"),
        (lambda x: ops.take(x, [0], axis=0, leading=2**32), ValueError, "at most 32"),
        (lambda x: ops.conditional(x[0, 0], x, x, decoding="truth", n_arms=2**32 + 2, n_outputs=1),
         ValueError, "attribute 'n_arms' = 4294967298"),
        (lambda x: ops.conditional(x[0, 0], x, x, decoding="truth", n_arms=2**32, n_outputs=1),
         ValueError, "attribute 'n_arms' = 4294967296"),
    ],
)  # fmt: skip
def test_numbers_that_are_too_large(
    build: Callable[..., Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build(tv.matrix("x"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ddof", [0.5, 1.5, 10**30, -(10**30), LOWEST, HIGHEST])
@pytest.mark.parametrize("name", ["var", "std"])
def test_the_degrees_of_freedom_may_be_any_number(name: str, ddof: float, mode: str) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of what is infinite
        expected = getattr(np, name)(SQUARE, ddof=float(ddof))
    found = run(mode, lambda v: getattr(tv, name)(v, ddof=ddof), SQUARE)
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("decimals", [4, 20, 300, 308, -4, -308])
def test_as_many_decimals_as_fit_are_numpys(decimals: int, mode: str) -> None:
    x = np.array([1.5, -0.123456789, 1e-300, 1e300, np.nan, np.inf])
    with np.errstate(all="ignore"):
        expected = np.round(x, decimals)
    # NumPy multiplies up to the power of ten, and loses digits on the way.
    np.testing.assert_allclose(run(mode, lambda v: tv.round(v, decimals), x), expected, rtol=1e-13)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("none", [[], (), np.array([]), np.empty((0, 2))], ids=str)
def test_nothing_may_be_taken(none: Any, axis: int | None, mode: str) -> None:
    found = run(mode, lambda v: tv.take(v, none, axis=axis), CUBE)
    expected = np.take(CUBE, np.asarray(none, "int64"), axis)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("mode", ["py", "cvm"])
def test_running_products_of_infinite_complex_numbers_are_numpys(mode):
    x = tv.vector("x", dtype="complex128")
    values = np.array([complex(np.inf, 1), 1 + 1j, 2, 1j])
    with np.errstate(all="ignore"):
        got, want = tv.function([x], tv.cumprod(x), mode=mode)(values), np.cumprod(values)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c&py", "FAST_RUN"])
def test_lengths_that_do_not_meet_are_the_users_functions_error_in_every_mode(mode: str) -> None:
    a, b = tv.matrix("a"), tv.matrix("b")
    f = tv.function([a, b], tv.tensordot(a, b, 2), mode=mode)
    with pytest.raises(ValueError, match="shape-mismatch") as error:
        f(np.ones((2, 3)), np.ones((3, 2)))
    assert str(error.value) == (
        "[tensordot] shape-mismatch for sum: axis 0 of a has length 2, but axis 0 of b, which "
        "meets it, has length 3"
    )


def test_functions_that_are_made_of_others_name_themselves() -> None:
    with pytest.raises(ValueError, match=r"^\[logsumexp\] axis: axis 2 is out of bounds"):
        tv.logsumexp(tv.matrix("m"), axis=2)
    with pytest.raises(ValueError, match=r"^\[trace\] x has to have at least two axes"):
        tv.trace(tv.vector("v"))
    for name in ("hstack", "vstack"):
        with pytest.raises(
            ValueError, match=rf"^\[{name}\] .* array 0 is <m: .* and array 1 is <t:"
        ):
            getattr(tv, name)([tv.matrix("m"), tv.tensor3("t")])
        with pytest.raises(ValueError, match=rf"^\[{name}\] there are no arrays"):
            getattr(tv, name)([])


def test_a_trace_is_over_the_axes_that_are_named() -> None:
    t, value = tv.tensor3("t"), np.arange(24.0).reshape(2, 3, 4)
    f = tv.function([t], [tv.trace(t, 1, 1, 2), t.trace(axis1=2, axis2=0), np.trace(t, 0, -1, 0)])
    expected = [value.trace(1, 1, 2), value.trace(axis1=2, axis2=0), np.trace(value, 0, -1, 0)]
    for got, wanted in zip(f(value), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
