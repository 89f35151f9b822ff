"""Indexing as NumPy has it, and new arrays with a part replaced or added to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc"]
CUBE = np.arange(24.0).reshape(2, 3, 4)

KEYS: list[Any] = [
    0, -1, (1, 2), (1, 2, 3), (-1, -1, -1), slice(None), slice(1, None), slice(None, -1),
    slice(None, None, -1), slice(None, None, 2), slice(5, 0, -2), slice(10, 20), slice(-100, 100),
    (slice(None), 1), (slice(None), slice(1, 3), slice(None, None, -2)), Ellipsis, (Ellipsis, 0),
    (0, Ellipsis, 1), None, (None, 0), (slice(None), None, 1), (Ellipsis, None),
    (1, None, Ellipsis, slice(0, 0)), np.int64(1), (np.int8(0), slice(None)), (),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_basic_indices(key: Any, mode: str) -> None:
    x = tv.tensor3("x")
    result = tv.function([x], x[key], mode=mode)(CUBE)
    np.testing.assert_array_equal(result, CUBE[key])
    assert x[key].ndim == CUBE[key].ndim


@pytest.mark.parametrize("mode", MODES)
def test_indices_that_are_variables(mode: str) -> None:
    x, i, j = tv.tensor3("x"), tv.lscalar("i"), tv.iscalar("j")
    f = tv.function([x, i, j], [x[i], x[i, j:], x[..., i:j], x[i, :, ::j], x[:, j]], mode=mode)
    for a, b in ((0, 1), (-1, 2), (1, -1)):
        expected = [CUBE[a], CUBE[a, b:], CUBE[..., a:b], CUBE[a, :, ::b], CUBE[:, b]]
        for result, value in zip(f(CUBE, a, b), expected, strict=True):
            np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "key",
    [
        [1, 0, 1], ([-1, 0],), np.array([[0, 1], [1, 1]]), (slice(None), [2, 0]),
        (Ellipsis, [3, 3, 0]), (0, [2, 1]), ([1, 0], 2), (slice(None), [0, 2], 1),
        ([0, 1], [2, 0]), ([0, 1, 1], [-1, -3, 2]), (slice(None), [0, -1], [3, 1]),
        ([[0], [1]], [0, 2]), (None, [1]),
        (slice(None, None, -1), slice(1, None), [0, 2]), [], ([0, 1], slice(None), [1, 2]),
        (slice(None), [0, 1, 2], Ellipsis, [1, 0, 3]), (0, slice(None), [1, 2]), ((0, 1),),
        (slice(1, None), [0, 0]), (1, [0, 0]), ([0, 1], [1, 2]), (None, [0, 1]),
    ],
    ids=repr,
)  # fmt: skip
def test_integer_arrays(key: Any, mode: str) -> None:
    x, v = tv.tensor3("x"), tv.scalar("v")
    part = x[key]
    read, replaced, increased = tv.function([x, v], [part, part.set(v), part.inc(v)], mode=mode)(
        CUBE, 10.0
    )
    np.testing.assert_array_equal(read, CUBE[key])
    expected = CUBE.copy()
    expected[key] = 10.0
    np.testing.assert_array_equal(replaced, expected)
    expected = CUBE.copy()
    np.add.at(expected, key, 10.0)
    np.testing.assert_array_equal(increased, expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_mask_picks_where_it_is_true(mode: str) -> None:
    x, rows = tv.matrix("x"), tv.tensor("rows", "bool", (None,))
    outputs = [x[x > 2], x[rows], x[rows, 0], x[:, [True, False, True]], x[x > 2].set(0.0)]
    f = tv.function([x, rows], outputs, mode=mode)
    given = np.arange(6.0).reshape(2, 3)
    got = f(given, np.array([False, True]))
    expected = [[3, 4, 5], [[3, 4, 5]], [3], [[0, 2], [3, 5]], [[0, 1, 2], [0, 0, 0]]]
    assert [result.tolist() for result in got] == expected
    assert [result.size for result in f(given * 0, np.array([False, False]))[:3]] == [0, 0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_a_truth_value_adds_an_axis(mode: str) -> None:
    x, c = tv.vector("x"), tv.tensor("c", "bool", ())
    f = tv.function([x, c], [x[c], x[True], x[False]], mode=mode)
    assert [result.shape for result in f([1.0, 2.0], True)] == [(1, 2), (1, 2), (0, 2)]
    assert f([1.0, 2.0], False)[0].shape == (0, 2)


@pytest.mark.parametrize("mode", MODES)
def test_of_two_values_for_one_place_the_later_stays_and_has_the_gradient(mode: str) -> None:
    x, v = tv.vector("x"), tv.vector("v")
    changed = x[[2, 0, 2]].set(v)
    f = tv.function([x, v], [changed, *tv.grad((changed**2).sum(), [x, v])], mode=mode)
    got = [result.tolist() for result in f([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])]
    assert got == [[20.0, 2.0, 30.0], [0.0, 4.0, 0.0], [0.0, 40.0, 60.0]]


@pytest.mark.parametrize("mode", MODES)
def test_take_along_an_axis(mode: str) -> None:
    x, i = tv.tensor3("x"), tv.lvector("i")
    f = tv.function([x, i], [x.take(i, axis=1), x.take(i)], mode=mode)
    along, flat = f(CUBE, np.array([2, -1, 0]))
    np.testing.assert_array_equal(along, CUBE.take([2, -1, 0], axis=1))
    np.testing.assert_array_equal(flat, CUBE.take([2, -1, 0]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key", [k for k in KEYS if CUBE[k].size], ids=repr)
def test_set_and_inc_give_new_arrays(key: Any, mode: str) -> None:
    x, v = tv.tensor3("x"), tv.scalar("v")
    given = CUBE.copy()
    f = tv.function([x, v], [x[key].set(v), x[key].inc(v), x], mode=mode)
    replaced, increased, unchanged = f(given, 100.0)
    expected = CUBE.copy()
    expected[key] = 100.0
    np.testing.assert_array_equal(replaced, expected)
    expected = CUBE.copy()
    expected[key] += 100.0
    np.testing.assert_array_equal(increased, expected)
    np.testing.assert_array_equal(unchanged, CUBE)
    np.testing.assert_array_equal(given, CUBE)


@pytest.mark.parametrize("mode", MODES)
def test_set_broadcasts_and_chains(mode: str) -> None:
    x, row, i = tv.matrix("x"), tv.vector("row"), tv.lscalar("i")
    changed = x[i].set(row)
    changed = changed[:, 0].inc(1.0)
    result = tv.function([x, row, i], changed, mode=mode)(np.zeros((2, 3)), [1.0, 2.0, 3.0], -1)
    assert result.tolist() == [[1.0, 0.0, 0.0], [2.0, 2.0, 3.0]]
    assert tv.set_subtensor(x[0], row).type == x[0].set(row).type


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((5,), "index 5 is out of bounds for axis 0 with size 2"),
        ((0, -4), "index -4 is out of bounds for axis 1 with size 3"),
    ],
)
def test_an_index_out_of_bounds_is_numpys_error(key: Any, message: str, mode: str) -> None:
    x = tv.tensor3("x")
    with pytest.raises(IndexError, match=message):
        tv.function([x], x[key], mode=mode)(CUBE)
    with pytest.raises(IndexError, match="out of bounds"):
        tv.function([x], x[[0, 7]], mode=mode)(CUBE)
    with pytest.raises(IndexError, match="out of bounds"):
        tv.function([x], x[[0, 1], [0, 3]], mode=mode)(CUBE)
    with pytest.raises(IndexError, match="out of bounds"):  # though the merged axis has it
        tv.function([x], x[[0, 0], [0, 3]], mode=mode)(CUBE)


@pytest.mark.parametrize("mode", MODES)
def test_inc_at_integer_arrays_counts_every_position(mode: str) -> None:
    x = tv.matrix("x")
    outputs = [x[[0, 0, 1]].inc(1.0), x[:, [2, 2]].inc(x[:, :2])]
    given = np.arange(6.0).reshape(2, 3)
    rows, columns = tv.function([x], outputs, mode=mode)(given)
    expected = given.copy()
    np.add.at(expected, [0, 0, 1], 1.0)
    np.testing.assert_array_equal(rows, expected)
    expected = given.copy()
    np.add.at(expected, (slice(None), [2, 2]), given[:, :2])
    np.testing.assert_array_equal(columns, expected)


def test_static_shapes_of_indexed_variables() -> None:
    x = tv.tensor(shape=(5, None, 3))
    assert x[0].type.shape == (None, 3)
    assert x[1:4].type.shape == (3, None, 3)
    assert x[::-2, :, 1].type.shape == (3, None)
    assert x[..., None].type.shape == (5, None, 3, 1)
    assert x[:, :, [0, 1]].type.shape == (5, None, 2)
    assert x[[[0, 1]], :, [2, 2]].type.shape == (1, 2, None)
    assert x[[0] * 4].type.shape == (4, None, 3)
    assert x[x > 0].type.shape == (None,)
    assert x[:, np.ones((2, 3), bool)].type.shape == (5, None)
    assert x[[0] * 4].set(1.0).type.shape == x[:, [0]].inc(1.0).type.shape == (5, None, 3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            (slice(None), tv.tensor("m", "bool", (None,))),
            "boolean index did not match indexed array along axis 1; size of axis is 3 but size of "
            "corresponding boolean axis is 2",
        ),
        (
            (tv.tensor("m", "int64", (None,)), [0, 1, 0]),
            r"indexing arrays could not be broadcast together with shapes \(2,\) \(3,\)",
        ),
        (
            (0, [[0], [1]], tv.tensor("m", "int64", (None,)) * 4),
            r"index 4 is out of bounds for axis 2",
        ),
    ],
)
def test_index_arrays_that_do_not_fit_are_numpys_errors(key: Any, message: str, mode: str) -> None:
    x = tv.tensor3("x")
    given = next(v for item in key if isinstance(item, tv.Variable) for v in tv._core.leaves([item])
                 if v.leaf == "input")  # fmt: skip
    for part in (x[key], x[key].set(0.0), x[key].inc(1.0)):
        f = tv.function([x, given], part, mode=mode)
        with pytest.raises(IndexError, match=message):
            f(CUBE, np.array([1, 1], given.dtype))


def test_a_mask_of_another_known_shape_is_refused_at_once() -> None:
    x = tv.tensor("x", shape=(2, None))
    with pytest.raises(IndexError, match="size of axis is 2 but size of corresponding boolean"):
        x[[True, False, True]]


@pytest.mark.parametrize(
    ("key", "kind", "message"),
    [
        ((0, 0, 0, 0), IndexError, "too many indices"),
        (1.5, TypeError, r"1\.5, a float, is no index"),
        ("a", TypeError, "'a', a str, is no index"),
        (
            (0, np.array([0.5])),
            TypeError,
            r"\[advanced_subtensor\] an index is made of integers and",
        ),
        ((0, 0, [True], [0]), IndexError, "too many indices for array: array is 3-dimensional"),
    ],
    ids=repr,
)
def test_what_cannot_be_an_index(key: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        tv.tensor3("x")[key]


def test_a_float_variable_is_no_index() -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    with pytest.raises(TypeError, match=r"y.*is no index; an index is an integer"):
        x[y]


def test_set_of_what_was_not_indexed_says_how_to_write_it() -> None:
    with pytest.raises(
        TypeError,
        match=r"only what indexing made can be changed, as in x\[1:\]\.set\(v\); .*x.* was",
    ):
        tv.vector("x").set(1.0)


def test_iterating_needs_a_known_length() -> None:
    first, second = tv.tensor("x", shape=(2,))
    assert first.ndim == second.ndim == 0
    with pytest.raises(TypeError, match=r"cannot iterate over .*x.*its length is not known"):
        next(iter(tv.vector("x")))
    with pytest.raises(TypeError, match="cannot iterate"):
        list(tv.scalar("x"))


FAR = (2**63 - 1, 2**63, 10**30, np.uint64(2**63))


@pytest.mark.parametrize("far", FAR)
def test_the_ends_of_a_slice_are_clipped_as_numpys_are(far: int) -> None:
    x, value = tv.vector("x"), np.arange(5.0)
    slices = [slice(None, far), slice(far, None), slice(-int(far), None), slice(None, -int(far))]
    slices += [slice(None, None, far), slice(None, None, -int(far)), slice(far, -int(far), -1)]
    results = tv.function([x], [x[part] for part in slices])(value)
    for part, result in zip(slices, results, strict=True):
        np.testing.assert_array_equal(result, value[part])


@pytest.mark.parametrize("index", [10**30, -(10**30), np.uint64(2**63), [0, 10**30]])
def test_an_integer_that_no_axis_reaches_is_out_of_bounds(index: Any) -> None:
    with pytest.raises(IndexError, match=r"index -?\d+ is out of bounds: an axis has at most"):
        tv.vector("x")[index]
    with pytest.raises(IndexError, match="is out of bounds"):
        tv.matrix("x")[:, index]


def test_a_range_is_an_index() -> None:
    x, value = tv.matrix("x"), np.arange(12.0).reshape(4, 3)
    f = tv.function([x], [x[range(2)], x[:, range(2, -1, -2)], x[range(0)], x[range(1, 3)].set(0)])
    set_rows = value.copy()
    set_rows[range(1, 3)] = 0
    expected = [value[range(2)], value[:, range(2, -1, -2)], value[range(0)], set_rows]
    for got, wanted in zip(f(value), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_a_misshapen_value_is_told_the_part_with_unknown_lengths_as_such() -> None:
    x = tv.tensor("x", "float64", (None, 2))
    with pytest.raises(ValueError, match=r"into a part of a .*, which is a matrix .* \(\?, 2\)"):
        x[1:].set(np.zeros(3))


def test_an_integer_that_fits_no_dtype_is_not_told_to_take_one() -> None:
    with pytest.raises(OverflowError, match="does not fit int64; make it a float"):
        tv.take(tv.vector("x"), 10**30)
    with pytest.raises(OverflowError, match='dtype="uint64"'):
        tv.take(tv.vector("x"), 2**63)
