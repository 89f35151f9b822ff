"""Variables that have a value: constants, shared variables, and whatever stands where one may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm import _core
from thunkvm._core import TensorType, Type, Variable
from thunkvm._src.graph.types import dtype_name

if TYPE_CHECKING:
    import numpy.typing as npt


def constant(
    value: Any,
    name: str | None = None,
    dtype: npt.DTypeLike | None = None,
    *,
    type: Type | None = None,
) -> Variable:
    """Make a variable whose value is known.

    Parameters
    ----------
    value : number, array-like or object
        The value. Arrays are copied. A value that is no number, array or list is kept as a Python
        object, None and str too; it must not be changed later.
    name : str, optional
        What errors and listings call it.
    dtype : dtype, optional
        The element type; that which NumPy gives the value if left out.
    type : Type, optional
        What the constant is to be instead: with ``tv.GenericType()`` any value is kept as an
        object, lists and arrays too.

    Returns
    -------
    Variable
        The constant. Its static shape is the shape of the value.

    Raises
    ------
    TypeError
        If the value is a list that is no array of numbers, or does not fit `dtype` or `type`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.constant([1.0, 2.0]).type.shape
    (2,)
    >>> tv.constant(None), tv.constant([1, "a"], type=tv.GenericType()).value
    (<constant None: generic>, [1, 'a'])
    """
    made = _core.constant(value, None if dtype is None else dtype_name(dtype), type)
    if name is not None:
        made.name = name
    return made


def shared(
    value: Any,
    name: str | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    shape: Sequence[int | None] | None = None,
    borrow: bool = False,
) -> Variable:
    """Make a variable with a value that functions share, and that their updates change.

    Parameters
    ----------
    value : number, array-like or object
        The first value. Numbers, arrays, and lists of numbers become tensors; anything else is
        kept as a Python object.
    name : str, optional
        What errors and listings call it.
    dtype : dtype, optional
        The element type; that which NumPy gives the value if left out.
    shape : sequence of int or None, optional
        The lengths that every later value must have, None where any will do; left out: any
        lengths.
    borrow : bool
        Keep the given array itself instead of a copy; who gives it must not write to it later.

    Returns
    -------
    Variable
        The shared variable; `Variable.get_value` and `Variable.set_value` read and change it.

    Raises
    ------
    TypeError
        If `value` does not fit `dtype` or `shape`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> total = tv.shared(0.0, "total")
    >>> x = tv.scalar("x")
    >>> add = tv.function([x], None, updates={total: total + x})
    >>> add(2.0), add(3.0)
    (None, None)
    >>> float(total.get_value())
    5.0
    """
    if isinstance(value, Variable):
        raise TypeError(f"shared() takes a value, not the variable {value}; did you mean constant?")
    array = _as_tensor_value(value, dtype)
    if array is None:
        if dtype is not None or shape is not None:
            raise TypeError(
                f"a {type(value).__name__} is kept as an object; it has no dtype and no shape."
            )
        return _core.shared_variable(_core.GenericType(), value, name, borrow)
    lengths = (None,) * array.ndim if shape is None else tuple(shape)
    return _core.shared_variable(TensorType(array.dtype.name, lengths), array, name, borrow)


def _as_tensor_value(value: Any, dtype: npt.DTypeLike | None) -> np.ndarray | None:
    """Return the value as an array, or None if it is an object that NumPy has no number for."""
    if isinstance(value, (str, bytes, dict, set, np.random.Generator)) or value is None:
        return None
    try:
        # Items are kept while NumPy reads them, since asking one for its value may empty the list.
        kept = _core.with_kept_items(value)
        if hasattr(kept, "__dlpack__") and not hasattr(kept, "__array__"):
            kept = np.from_dlpack(kept)
        array = np.asanyarray(kept, dtype)  # a mask is refused where the value is taken in
    except ValueError:  # ragged lists
        return None
    return array if array.dtype.kind in "biufc" else None


def as_variables_alike(values: Sequence[Any]) -> list[Variable]:
    """Return values that have to be of one kind as variables.

    One of them may be a variable of objects (of `generic`, or of a Type of the user's). Then the
    others that are no variables become constants of its Type: None is one of them.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.graph.values import as_variables_alike
    >>> as_variables_alike([tv.generic("model"), None])[1]
    <constant None: generic>
    """
    of_objects = next(
        (v.type for v in values if isinstance(v, Variable) and not isinstance(v.type, TensorType)),
        None,
    )
    return [
        as_variable(value)
        if of_objects is None or isinstance(value, Variable)
        else _core.constant(value, None, of_objects)
        for value in values
    ]


def as_variable(value: Any, name: str | None = None) -> Variable:
    """Return `value` as a variable: itself if it is one, else a constant.

    Python numbers become weak constants, whose dtype yields to what they are combined with
    (NumPy 2's promotion, NEP 50). A list or tuple with variables in it is stacked.

    Parameters
    ----------
    value : Variable, number or array-like
        What to convert. Other objects are refused, since they are more often a mistake than
        meant; `constant` takes them.
    name : str, optional
        A name for the constant.

    Returns
    -------
    Variable

    Raises
    ------
    TypeError
        If it is none of these.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> tv.as_variable(x) is x
    True
    >>> tv.as_variable([x, 2.0]).ndim
    1
    """
    made = _core.as_variable(value)
    if name is not None and made is not value:
        made.name = name
    return made


__all__ = ["as_variable", "as_variables_alike", "constant", "shared"]
