"""Coordinates of the points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.arrays.axes import length
from thunkvm._src.arrays.composed.lengths import Number, along, integers_below, whole_number
from thunkvm._src.arrays.creation import arange, linspace
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import stack
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to, ravel
from thunkvm._src.graph.types import dtype_name
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public()
def meshgrid(
    *xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True
) -> tuple[Variable, ...]:
    """Return the coordinates of all points of a grid, as ``numpy.meshgrid``.

    Parameters
    ----------
    *xi : Variable or array-like
        The coordinates along each axis; vectors or numbers.
    indexing : {"xy", "ij"}
        Whether the first coordinate goes along the columns, or along the rows.
    sparse : bool
        Return arrays that broadcast to the grid.
    copy : bool
        Without meaning here: the results are views, which never change.

    Returns
    -------
    tuple of Variable

    Raises
    ------
    ValueError
        If `indexing` is something else, or one of `xi` has several axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], list(tv.meshgrid(x, y)))([1.0, 2.0], [3.0])
    [array([[1., 2.]]), array([[3., 3.]])]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"[meshgrid] indexing = {indexing!r}, but it has to be 'xy' or 'ij'.")
    vectors = [_vector("meshgrid", f"xi[{i}]", x) for i, x in enumerate(xi)]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = 1, 0
    return _grid(vectors, order, sparse)


def _vector(what: str, name: str, given: Any) -> Variable:
    x: Variable = as_variable(given)
    if x.ndim > 1:
        raise ValueError(f"[{what}] {name} is {x}, which has {x.ndim} axes; give vectors.")
    return ravel(x)


def _grid(vectors: list[Variable], order: list[int], sparse: bool) -> tuple[Variable, ...]:
    """Lay each vector along an axis of its own, the one that `order` names."""
    ndim = len(vectors)
    apart = [along(x, axis, ndim) for x, axis in zip(vectors, order, strict=True)]
    if sparse:
        return tuple(apart)
    sizes: list[Number] = [0] * ndim
    for x, axis in zip(vectors, order, strict=True):
        sizes[axis] = length(x, 0)
    return tuple(broadcast_to(x, sizes) for x in apart)


@public()
def indices(
    dimensions: Sequence[int | Variable], dtype: npt.DTypeLike = "int64", sparse: bool = False
) -> Any:
    """Return the index of each element along each axis of a grid, as ``numpy.indices``.

    Parameters
    ----------
    dimensions : sequence of int or 0-d integer Variable
        The lengths of the grid.
    dtype : dtype
    sparse : bool
        Return a tuple of arrays that broadcast to the grid, instead of one array.

    Returns
    -------
    Variable or tuple of Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.indices((n, 2)))(1)
    array([[[0, 0]],
    <BLANKLINE>
           [[0, 1]]])
    """
    sizes = [whole_number("indices", "dimensions", each, 0) for each in dimensions]
    vectors = [astype(integers_below(size), dtype) for size in sizes]
    apart = _grid(vectors, list(range(len(sizes))), sparse)
    if sparse:
        return apart
    return stack(apart) if apart else as_variable(np.zeros(0, dtype_name(dtype)))


@public()
def ix_(*args: Any) -> tuple[Variable, ...]:
    """Return vectors as the index of the grid that they span: ``x[tv.ix_(rows, columns)]``.

    Parameters
    ----------
    *args : Variable or array-like
        Vectors of integers.

    Returns
    -------
    tuple of Variable

    Raises
    ------
    TypeError
        If one is of bools: the number of its true elements is known only in a call.
    ValueError
        If one is no vector.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], x[tv.ix_([1, 0], [1])])([[1.0, 2.0], [3.0, 4.0]])
    array([[4.],
           [2.]])
    """
    vectors = []
    for i, given in enumerate(args):
        x: Variable = as_variable(given)
        if x.ndim != 1:
            raise ValueError(f"[ix_] argument {i} is {x}, which has {x.ndim} axes; give a vector.")
        if x.dtype == "bool":
            raise TypeError(f"[ix_] argument {i} is {x}, of bools; give the integers themselves.")
        vectors.append(astype(x, "int64") if x.type.shape == (0,) else x)
    return _grid(vectors, list(range(len(vectors))), sparse=True)


class _Grid:
    """What ``tv.mgrid[0:3, 0:2]`` and ``tv.ogrid[0:3, 0:2]`` index."""

    def __init__(self, name: str, sparse: bool, doc: str) -> None:
        self.__name__, self.__qualname__, self.__doc__ = name, name, doc
        self._sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        """Return the coordinates of a grid whose axes are slices."""
        if isinstance(key, slice):
            return self._axis(key)
        vectors = [self._axis(each) for each in key]
        if not vectors:
            return () if self._sparse else as_variable(np.zeros(0, "int64"))
        dtype = np.result_type(*(x.dtype for x in vectors)).name
        vectors = [astype(x, dtype) for x in vectors]
        made = _grid(vectors, list(range(len(vectors))), self._sparse)
        return made if self._sparse else stack(made)

    def _axis(self, each: Any) -> Variable:
        if not isinstance(each, slice) or each.stop is None:
            raise TypeError(
                f"[{self.__name__}] {each!r} is no axis of a grid; write a slice with an end: 0:3, "
                "0:3:0.5, or 0:3:5j for 5 values with both ends."
            )
        start = 0 if each.start is None else each.start
        if isinstance(each.step, complex):
            return linspace(start, each.stop, int(abs(each.step)))
        return arange(start, each.stop, 1 if each.step is None else each.step)

    def __repr__(self) -> str:
        return f"thunkvm.{self.__name__}"

    def __reduce__(self) -> str:
        return self.__name__


mgrid = public()(
    _Grid(
        "mgrid",
        False,
        """The coordinates of all points of a grid in one array: ``mgrid[0:3, 0:1:5j]``.

    Each axis is a slice with an end, which may be a Variable. An imaginary step is the number of
    values, both ends among them.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.mgrid[0:n, 0:2])(1)
    array([[[0, 0]],
    <BLANKLINE>
           [[0, 1]]])
    """,
    )
)

ogrid = public()(
    _Grid(
        "ogrid",
        True,
        """The coordinates of a grid as arrays that broadcast to it: ``ogrid[0:3, 0:1:5j]``.

    See `mgrid`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> [x.type.shape for x in tv.ogrid[0:n, 0:2]]
    [(None, 1), (1, 2)]
    """,
    )
)

__all__ = ["indices", "ix_", "meshgrid", "mgrid", "ogrid"]
