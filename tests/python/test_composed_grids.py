"""`meshgrid`, `mgrid`, `ogrid`, `indices`, `ix_`, and triangles and diagonals, against NumPy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from held_to_numpy import ARRAYS, MATRICES, held, refused

import thunkvm as tv

AXES = [
    [np.arange(3.0)],
    [np.arange(3.0), np.arange(2)],
    [np.arange(3.0), np.arange(2), np.float32([1, 5, 2, 0])],
    [np.array(2.0), np.arange(2)],
    [np.zeros(0), np.arange(3)],
]
KEYS = [
    np.s_[0:3],
    np.s_[0:3, 0:2],
    np.s_[0:3, 0:1:3j],
    np.s_[0:3:0.5, 0:2],
    np.s_[0:1:5j],
    np.s_[0:1:5j, :3],
    np.s_[:3, 1:7:2],
    np.s_[-1:1:3j, 0:1:2j, 0:2],
    np.s_[3:0:-1],
    np.s_[0:0],
]


def filled(x: np.ndarray, value: Any, wrap: bool = False) -> np.ndarray:
    """Fill the diagonal of a copy."""
    x = x.copy()
    np.fill_diagonal(x, value, wrap)
    return x


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sparse", [False, True])
def test_meshgrid(indexing: Any, sparse: bool) -> None:
    options = {"indexing": indexing, "sparse": sparse}
    for axes in AXES:
        held(lambda *x: tv.meshgrid(*x, **options), lambda *x: np.meshgrid(*x, **options), *axes)
    refused(ValueError, r"\[meshgrid\] xi\[0\] is .*2 axes", tv.meshgrid, np.eye(2))
    refused(ValueError, "indexing = 'ab'", lambda x: tv.meshgrid(x, indexing="ab"), [1.0])


@pytest.mark.parametrize("key", KEYS)
def test_mgrid_and_ogrid(key: Any) -> None:
    held(lambda: tv.mgrid[key], lambda: np.mgrid[key])
    held(lambda: tv.ogrid[key], lambda: np.ogrid[key])


def test_mgrid_is_an_object_of_the_package() -> None:
    assert repr(tv.mgrid) == "thunkvm.mgrid"
    with pytest.raises(TypeError, match=r"\[mgrid\] 3 is no axis of a grid; write a slice"):
        tv.mgrid[3, 0:2]
    with pytest.raises(TypeError, match=r"\[ogrid\] slice\(1, None, None\) is no axis"):
        tv.ogrid[1:]


@pytest.mark.parametrize("dimensions", [(3,), (2, 3), (2, 0), (), (1, 2, 3)])
def test_indices(dimensions: tuple[int, ...]) -> None:
    for dtype in ("int64", "float32"):
        for sparse in (False, True):
            held(
                lambda d=dtype, s=sparse: tv.indices(dimensions, d, s),
                lambda d=dtype, s=sparse: np.indices(dimensions, d, s),
            )
    with pytest.raises(ValueError, match=r"\[indices\] dimensions = -1; give at least 0"):
        tv.indices((-1,))


def test_ix_() -> None:
    held(tv.ix_, np.ix_, [1, 0], [2, 3])
    held(lambda x: x[tv.ix_([1, 0], [1])], lambda x: x[np.ix_([1, 0], [1])], np.eye(3))
    refused(TypeError, r"\[ix_\] argument 0 is .*of bools", tv.ix_, [True])
    refused(ValueError, r"\[ix_\] argument 0 is .*2 axes", tv.ix_, np.eye(2))


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("k", [-4, -1, 0, 2, 5])
def test_triangles(n: int, k: int) -> None:
    for m in (None, 0, 2, 5):
        held(lambda m=m: tv.tri(n, m, k, "int64"), lambda m=m: np.tri(n, m, k, "int64"))
        held(lambda m=m: tv.tril_indices(n, k, m), lambda m=m: np.tril_indices(n, k, m))
        held(lambda m=m: tv.triu_indices(n, k, m), lambda m=m: np.triu_indices(n, k, m))
    held(lambda n, k: tv.tri(n, n, k), lambda n, k: np.tri(n, n, k), n, k)
    held(lambda n, k: tv.tril_indices(n, k), lambda n, k: np.tril_indices(n, k), n, k)
    for a in MATRICES:
        held(lambda x: tv.tril_indices_from(x, k), lambda x: np.tril_indices_from(x, k), a)
        held(lambda x: tv.triu_indices_from(x, k), lambda x: np.triu_indices_from(x, k), a)


def test_triangles_refuse_bad_input() -> None:
    refused(ValueError, r"\[tril_indices_from\] arr is .*1 axes", tv.tril_indices_from, [1.0])
    with pytest.raises(TypeError, match=r"\[tri\] N is 2.0, a float; give an integer"):
        tv.tri(2.0)


def test_diag_indices() -> None:
    held(lambda: tv.diag_indices(3, 3), lambda: np.diag_indices(3, 3))
    held(lambda n: tv.diag_indices(n), lambda n: np.diag_indices(n), 2)
    for shape in [(3, 3), (2, 2, 2), (0, 0)]:
        held(tv.diag_indices_from, np.diag_indices_from, np.zeros(shape))
    refused(ValueError, "all of one length|shape-mismatch", tv.diag_indices_from, np.zeros((2, 3)))
    for a in ARRAYS:
        held(lambda x: tv.diagflat(x, 1), lambda x: np.diagflat(x, 1), a)


@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (7, 2), (1, 1), (0, 3), (2, 2, 2)])
def test_fill_diagonal(shape: tuple[int, ...]) -> None:
    a = np.arange(float(np.prod(shape))).reshape(shape)
    held(lambda x: tv.fill_diagonal(x, 7), lambda x: filled(x, 7), a)
    held(lambda x: tv.fill_diagonal(x, 7, True), lambda x: filled(x, 7, True), a)


def test_fill_diagonal_takes_a_vector_and_changes_nothing_in_place() -> None:
    held(lambda x: tv.fill_diagonal(x, [1, 2, 3]), lambda x: filled(x, [1, 2, 3]), np.eye(3) * 4)
    refused(
        ValueError,
        "at least two axes",
        lambda x: tv.fill_diagonal(x, 0),
        [1.0],
    )
    with pytest.raises(TypeError, match=r"np\.fill_diagonal has no counterpart for Variables"):
        np.fill_diagonal(tv.matrix("x"), 0)


def test_grids_in_c() -> None:
    fast = ["FAST_RUN"]
    held(tv.meshgrid, np.meshgrid, [1.0, 2.0], [3.0], modes=fast)
    held(lambda n: tv.mgrid[0:n, 0:2], lambda n: np.mgrid[0:n, 0:2], 3, modes=fast)
    held(lambda n: tv.triu_indices(n, 1), lambda n: np.triu_indices(n, 1), 4, modes=fast)
    held(lambda x: tv.fill_diagonal(x, 7), lambda x: filled(x, 7), np.ones((3, 3)), modes=fast)


def test_gradients_of_grids() -> None:
    a = np.arange(9.0).reshape(3, 3)
    tv.verify_grad(lambda x, y: tv.meshgrid(x, y)[0] * tv.meshgrid(x, y)[1], [a[0], a[1, :2]])
    tv.verify_grad(lambda x: x[tv.tril_indices(3)] ** 2, [a])
    tv.verify_grad(lambda x, v: tv.fill_diagonal(x, v) ** 2, [a, a[1]])


def test_mgrid_pickles() -> None:
    assert pickle.loads(pickle.dumps(tv.ogrid)) is tv.ogrid
