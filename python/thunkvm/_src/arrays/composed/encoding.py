"""Classes as vectors of zeros with a one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import normal_axes
from thunkvm._src.arrays.composed.lengths import along, integers_below, whole_number
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable

if TYPE_CHECKING:
    import numpy.typing as npt


@public()
def one_hot(x: Any, num_classes: Any, dtype: npt.DTypeLike = "float64", axis: int = -1) -> Variable:
    """Return 1 at the place of each class and 0 at the others, as ``jax.nn.one_hot``.

    Parameters
    ----------
    x : Variable or array-like of int
        The classes. One outside of 0 to `num_classes` - 1 has zeros alone.
    num_classes : int or 0-d integer Variable
    dtype : dtype
    axis : int
        The axis of the classes in the result.

    Returns
    -------
    Variable
        It has one axis more than `x`.

    Raises
    ------
    TypeError
        If `x` is not of integers.
    ValueError
        If `num_classes` is negative.

    Examples
    --------
    >>> import thunkvm as tv
    >>> y = tv.lvector("y")
    >>> tv.function([y], tv.one_hot(y, 3))([2, 0])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    classes: Variable = as_variable(x)
    if np.dtype(classes.dtype).kind not in "iu":
        raise TypeError(f"[one_hot] x is {classes}, of {classes.dtype}; give integers.")
    ndim = classes.ndim + 1
    (at,) = normal_axes("one_hot", axis, ndim)
    places = along(integers_below(whole_number("one_hot", "num_classes", num_classes, 0)), at, ndim)
    return astype(ops.eq(ops.expand_dims(classes, axis=(at,)), places), dtype)


@public()
def to_one_hot(y: Any, nb_class: Any, dtype: npt.DTypeLike = "float64") -> Variable:
    """Return a vector of integers as rows with a 1 each: PyTensor's name of `one_hot`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> y = tv.lvector("y")
    >>> tv.function([y], tv.to_one_hot(y, 2))([1])
    array([[0., 1.]])
    """
    return one_hot(y, nb_class, dtype=dtype)


__all__ = ["one_hot", "to_one_hot"]
