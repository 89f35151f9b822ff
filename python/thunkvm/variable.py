"""The methods of Variables and functions, attached to the core's classes on import."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from thunkvm import (
    _core,
    copying,
    elementwise,
    explanation,
    indexing,
    numpy_protocol,
    ops,
    reductions,
    shapes,
    tree,
)
from thunkvm._core import TensorType, Variable
from thunkvm.callsite import call_site
from thunkvm.elsewhere import ATTRIBUTES, TRUTHS, counterpart, no_name
from thunkvm.expression import node_expression, represent
from thunkvm.keywords import teaching
from thunkvm.signature import OwnSignature, signature_of

if TYPE_CHECKING:
    import numpy.typing as npt


def _reshape(self: Variable, *shape: Any) -> Variable:
    """Give the elements another shape, as `thunkvm.reshape`: ``x.reshape(2, 3)``."""
    return shapes.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Variable, *axes: Any) -> Variable:
    """Permute the axes, as `thunkvm.transpose`: ``x.transpose(1, 0)``."""
    if not axes or axes == (None,):
        return shapes.transpose(self)
    return shapes.transpose(self, axes if isinstance(axes[0], int) else axes[0])


def _astype(self: Variable, dtype: npt.DTypeLike) -> Variable:
    """Convert to another dtype, as `thunkvm.astype`."""
    return elementwise.astype(self, dtype)


def _dot(self: Variable, other: Any) -> Variable:
    """Return the product with a vector or matrix, as ``numpy.dot``."""
    return ops.dot(self, other)


def _take(self: Variable, indices: Any, axis: int | None = None) -> Variable:
    """Return the elements at integer indices, as ``numpy.take``."""
    return ops.take(self, indices, axis=axis)


def _conj(self: Variable) -> Variable:
    """Return the complex conjugate."""
    return ops.conj(self)


def _copy(self: Variable) -> Variable:
    """Return the Variable itself: a graph is never changed, so it needs no copy."""
    return self


def _set(self: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with this part of it replaced by `value`.

    Parameters
    ----------
    value : Variable or array-like
        Broadcast to the shape of the part.

    Returns
    -------
    Variable
        A new array; the indexed one stays as it is.

    Raises
    ------
    TypeError
        If this Variable was not made by indexing.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], x[1:].set(0.0))([1.0, 2.0, 3.0])
    array([1., 0., 0.])
    """
    return indexing.set_subtensor(self, value)


def _inc(self: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with `value` added to this part of it.

    Parameters
    ----------
    value : Variable or array-like
        Broadcast to the shape of the part.

    Returns
    -------
    Variable
        A new array; the indexed one stays as it is.

    Raises
    ------
    TypeError
        If this Variable was not made by indexing.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], x[0].inc(10.0))([1.0, 2.0])
    array([11.,  2.])
    """
    return indexing.inc_subtensor(self, value)


def _get_value(self: Variable, borrow: bool = False) -> Any:
    """Return the value of a shared variable.

    Parameters
    ----------
    borrow : bool
        Return the array that the variable holds instead of a copy. It is read-only, unless it is
        an array that was lent with `borrow`.

    Returns
    -------
    array, number or object

    Raises
    ------
    TypeError
        If this is not a shared variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.shared([1.0, 2.0]).get_value()
    array([1., 2.])
    """
    _require_shared(self, "get_value")
    return _core.get_value(self, borrow)


def _set_value(self: Variable, value: Any, borrow: bool = False) -> None:
    """Change the value of a shared variable.

    Parameters
    ----------
    value : array-like, number or object
        The new value, of the variable's type.
    borrow : bool
        Keep the given array itself instead of a copy; it must not be written to later.

    Raises
    ------
    TypeError
        If this is not a shared variable, or the value does not fit its type.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.shared(1.0)
    >>> x.set_value(2.0)
    >>> float(x.get_value())
    2.0
    """
    _require_shared(self, "set_value")
    _core.set_value(self, value, borrow)


def _require_shared(variable: Variable, what: str) -> None:
    if variable.leaf != "shared":
        raise TypeError(
            f"{variable} is not a shared variable, so it has no {what}; only what tv.shared made "
            "has a value before a function runs."
        )


def _setitem(self: Variable, index: Any, value: Any) -> NoReturn:
    """Refuse: a Variable never changes."""
    name = _name(self)
    raise TypeError(
        f"{self} never changes, so that no item of it can be assigned; "
        f"`{name} = {name}[index].set(value)` is the array with that item replaced, and "
        f"{name}[index].inc(value) the one with `value` added to it."
    )


def _iter(self: Variable) -> Iterator[Variable]:
    """Iterate over the first axis, whose length must be known."""
    length = self.type.shape[0] if isinstance(self.type, TensorType) and self.ndim else None
    if length is None:
        raise TypeError(
            f"cannot iterate over {self}: its length is not known before the "
            "function runs. Index it, use a reduction such as sum(), or give its type a known "
            "length, as in tv.tensor(shape=(3,))."
        )
    return (self[i] for i in range(length))


def _len(self: Variable) -> NoReturn:
    """Refuse: a length is only known when the function runs."""
    raise TypeError(
        f"{self} has no len() before the function runs; use {_name(self)}.shape[0], which is a "
        "Variable."
    )


def _float(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise _no_value(self, "float()")


def _int(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise _no_value(self, "int()")


def _complex(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise _no_value(self, "complex()")


def _index(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise TypeError(
        f"{self} cannot be an index of a list or the end of a range(): it has no value before the "
        "function runs. Index a Variable or use tv.switch_case or tv.arange."
    )


def _contains(self: Variable, item: object) -> NoReturn:
    """Refuse: what an array contains is only known when the function runs."""
    raise TypeError(
        f"'in' has no answer before the function runs; use tv.any(tv.eq({_name(self)}, value)), "
        "which is a Variable."
    )


def _array(self: Variable, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse: a Variable cannot become an ndarray."""
    told = _instead(self) or (
        " To join Variables, write tv.stack([x, y]); for what has no counterpart here, an Op with "
        "a perform that calls it: see tv.Op."
    )
    raise TypeError(
        f"{self} cannot become an ndarray: it has no value before the function runs.{told}"
    )


def _no_value(variable: Variable, what: str) -> TypeError:
    told = _instead(variable) or (
        f" Make a function that computes it: tv.function(inputs, {_name(variable)}); of numbers' "
        "functions, such as math.sin, write ours: tv.sin."
    )
    return TypeError(f"{what} of {variable} has no answer before the function runs.{told}")


def _instead(variable: Variable) -> str:
    """Return what to write instead of what the user's code is doing, or ""."""
    site = call_site()
    if site.target:
        made = f"tv.as_variable({site.target})[{site.index}].set({_name(variable)})"
        return (
            f" An ndarray holds values: instead of `{site.text} = {_name(variable)}` write "
            f"`{site.target} = {made}`, which is a Variable."
        )
    told = counterpart(site.function)
    if not told:
        return ""
    return f" Instead of `{site.text or site.function}` {told}."


_refuse_truth = Variable.__bool__


def _bool(self: Variable) -> NoReturn:
    """Refuse: whether a Variable is true is only known when the function runs."""
    site = call_site()
    if site.function in TRUTHS:
        raise TypeError(
            f"{self} has no truth value before the function runs. Instead of `{site.text}` "
            f"{TRUTHS[site.function]}."
        )
    _refuse_truth(self)
    raise AssertionError("the core refuses it")


def _format(self: Variable, spec: str) -> str:
    """Format as the repr; what is meant for numbers is refused."""
    if not spec:
        return str(self)
    raise TypeError(
        f"{self} cannot be formatted as {spec!r}: it has no value before the function runs. Format "
        f"what a function returns, f(...), or write {{{_name(self)}}} for the expression."
    )


def _getattr(self: Variable, name: str) -> Any:
    """Say what stands for an attribute that arrays have elsewhere."""
    if hasattr(Variable, name):  # which refused; so it does again
        return object.__getattribute__(self, name)
    if name.startswith("__"):  # protocols that are asked for, not meant
        raise AttributeError(f"a Variable has no {name!r}")
    raise AttributeError(no_name(repr(self), name, _public(Variable), ATTRIBUTES))


def _public(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_")]


def _name(variable: Variable) -> str:
    return variable.name or "x"


def _method(function: Any) -> Any:
    """Return a method that calls a function of the package with the Variable first."""
    function = teaching(function)

    def method(self: Variable, *args: Any, **kwargs: Any) -> Variable:
        out: Variable = function(self, *args, **kwargs)
        return out

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


REDUCTIONS = (
    "sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "cumsum",
    "norm",
)  # fmt: skip

METHODS: dict[str, Any] = {
    **{name: _method(getattr(reductions, name)) for name in REDUCTIONS},
    **{name: _method(getattr(shapes, name)) for name in ("ravel", "squeeze", "swapaxes")},
    "flatten": _method(shapes.ravel),
    "clip": _method(elementwise.clip),
    "round": _method(elementwise.round),
    "reshape": _reshape,
    "transpose": _transpose,
    "astype": _astype,
    "dot": _dot,
    "take": _take,
    "conj": _conj,
    "copy": _copy,
    "set": _set,
    "inc": _inc,
    "get_value": _get_value,
    "set_value": _set_value,
    "T": property(shapes.transpose, doc="The Variable with its axes in reverse order."),
    "shape": property(shapes.shape, doc="The shape, an int64 vector."),
    "size": property(shapes.size, doc="The number of elements, 0-d."),
    "real": property(ops.real, doc="The real part."),
    "imag": property(ops.imag, doc="The imaginary part."),
    "__repr__": represent,
    "_repr_html_": tree.to_html,
    "__iter__": _iter,
    "__len__": _len,
    "__float__": _float,
    "__int__": _int,
    "__complex__": _complex,
    "__index__": _index,
    "__contains__": _contains,
    "__array__": _array,
    "__bool__": _bool,
    "__format__": _format,
    "__getattr__": _getattr,
    "__round__": _method(elementwise.round),
    "__divmod__": lambda self, other: elementwise.divmod(self, other),
    "__rdivmod__": lambda self, other: elementwise.divmod(other, self),
    "__array_ufunc__": numpy_protocol.array_ufunc,
    "__array_function__": numpy_protocol.array_function,
}


#: What the core's other classes have.
FUNCTION_METHODS: dict[str, Any] = {
    "__repr__": explanation.represent,
    "__signature__": OwnSignature(lambda function: signature_of(function._parameters)),
    "_repr_html_": explanation.to_html,
    "dprint": explanation.dprint,
    "explain": explanation.explain,
    "node_runs": explanation.node_runs,
}


def attach() -> None:
    """Give the core's classes the methods above."""
    _core.set_indexing(indexing.getitem, _setitem)
    for name, method in METHODS.items():
        setattr(Variable, name, method)
    for name, method in FUNCTION_METHODS.items():
        setattr(_core.Function, name, method)
    # (setattr: mypy knows the types of what is replaced.)
    setattr(_core.Apply, "__repr__", node_expression)  # noqa: B010
    setattr(_core.OpFunction, "__signature__", OwnSignature(lambda op: op._signature))  # noqa: B010
    copying.attach()
