"""The methods of Variables, functions and Types, attached to the core's classes on import."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src import later
from thunkvm._src.arrays import elementwise, exposed, indexing, shapes
from thunkvm._src.control import loops
from thunkvm._src.graph import copying
from thunkvm._src.teaching.keywords import teaching

#: What Variables have besides what the core gives them: the public functions that say so, and
#: what is defined below.
METHODS: dict[str, Any] = {}


def method(function: Any) -> Any:
    """Register a method of Variables, under its name without the first underscore."""
    name = function.__name__[1:]
    function.__qualname__ = f"Variable.{name}"
    METHODS[name] = teaching(function)
    return function


def special(function: Any) -> Any:
    """Register what Python's syntax calls, under ``__NAME__``."""
    METHODS[f"_{function.__name__}__"] = function
    return function


def _of_function(function: Any) -> Any:
    """Return a method that calls a function of the package with the Variable first."""
    function = teaching(function)

    def method(self: Variable, *args: Any, **kwargs: Any) -> Variable:
        out: Variable = function(self, *args, **kwargs)
        return out

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


def _about(name: str, last: Variable) -> Any:
    return loops.about(last, name)


METHODS |= {name: _of_function(getattr(exposed, name)) for name in exposed.METHODS}
METHODS |= {
    "T": property(shapes.transpose, doc="The Variable with its axes in reverse order."),
    "shape": property(shapes.shape, doc="The shape, an int64 vector."),
    "size": property(shapes.size, doc="The number of elements, 0-d."),
    "real": property(ops.real, doc="The real part."),
    "imag": property(ops.imag, doc="The imaginary part."),
    "steps": property(partial(_about, "steps"), doc="Of a loop's last value: how many steps ran."),
    "finished": property(
        partial(_about, "finished"), doc="Of a loop's last value: whether its condition ended it."
    ),
    "history": property(
        partial(_about, "history"), doc="Of a loop's last value: the values that it kept."
    ),
}


@method
def _reshape(self: Variable, *shape: Any) -> Variable:
    """Give the elements another shape, as `thunkvm.reshape`: ``x.reshape(2, 3)``."""
    return shapes.reshape(self, shape[0] if len(shape) == 1 else shape)


@method
def _transpose(self: Variable, *axes: Any) -> Variable:
    """Permute the axes, as `thunkvm.transpose`: ``x.transpose(1, 0)``."""
    if not axes or axes == (None,):
        return shapes.transpose(self)
    return shapes.transpose(self, axes if isinstance(axes[0], int) else axes[0])


def _matrix_transpose(self: Variable) -> Variable:
    return shapes.swapaxes(self, -1, -2)


METHODS["mT"] = property(_matrix_transpose, doc="The Variable with its last two axes exchanged.")


@method
def _copy(self: Variable) -> Variable:
    """Return the Variable itself: a graph is never changed, so it needs no copy."""
    return self


@method
def _flatten(self: Variable) -> Variable:
    """Return the elements in C order as a vector, as `thunkvm.ravel`."""
    return shapes.ravel(self)


@special
def _round(self: Variable, decimals: int = 0) -> Variable:
    return elementwise.round(self, decimals)


@special
def _divmod(self: Variable, other: Any) -> tuple[Variable, Variable]:
    return elementwise.divmod(self, other)


@special
def _rdivmod(self: Variable, other: Any) -> tuple[Variable, Variable]:
    return elementwise.divmod(other, self)


@method
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


@method
def _inc(self: Variable, value: Any) -> Variable:
    """Return the array that was indexed, with `value` added to this part of it; see `set`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], x[0].inc(10.0))([1.0, 2.0])
    array([11.,  2.])
    """
    return indexing.inc_subtensor(self, value)


@method
def _eval(self: Variable, inputs: Any = None, **named: Any) -> Any:
    """Compute the value of this Variable: make a function of it, and call that once.

    Parameters
    ----------
    inputs : dict, optional
        The values of what it depends on: by Variable, or by name.
    **named
        More of them, by name.

    Returns
    -------
    array, number or object

    Raises
    ------
    ValueError
        If it depends on no such Variable, on several of a name, or on one that has no value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> float((x * y).eval({x: 2.0}, y=3.0)), float(tv.exp(0.0).eval())
    (6.0, 1.0)
    """
    from thunkvm._src.calls.evaluation import evaluate

    return evaluate(self, {**(inputs or {}), **named})


@method
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


@method
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
    name = name_of(self)
    raise TypeError(
        f"{self} never changes, so that no item of it can be assigned; "
        f"`{name} = {name}[index].set(value)` is the array with that item replaced, and "
        f"{name}[index].inc(value) the one with `value` added to it."
    )


@special
def _iter(self: Variable) -> Iterator[Variable]:
    """Iterate over the first axis; the first step says so where its length is not known.

    `iter` itself refuses nothing: who asks whether a Variable can be iterated over (SciPy does, by
    numpy.iterable) makes an ndarray of what can, and is told then what to write instead.
    """
    if isinstance(self.type, TensorType) and self.ndim == 0:
        raise TypeError(f"cannot iterate over {self}: a scalar has no items; use it as it is.")
    length = self.type.shape[0] if isinstance(self.type, TensorType) and self.ndim else None
    if length is None:
        raise TypeError(
            f"cannot iterate over {self}: its length is not known before the "
            "function runs. Index it, use a reduction such as sum(), or give its type a known "
            "length, as in tv.tensor(shape=(3,))."
        )
    for i in range(length):
        yield self[i]


#: The core's own refusal, which shows the `ifelse` to write.
refuse_truth = Variable.__bool__


def name_of(variable: Variable) -> str:
    """Return what to call a Variable in a message."""
    return variable.name or "x"


#: The C of the core's Types; `thunkvm.c.types` has it.
OBJECT_C = (
    "c_declare", "c_init", "c_extract", "c_extract_out", "c_check_value", "c_sync", "c_cleanup",
    "c_code_cache_version",
)  # fmt: skip
ARRAY_C = (*OBJECT_C, "c_element_type", "c_is_simple", "dtype_specs")

#: What is imported when it is first asked for: a class, a module, and what the module calls what
#: the class has.
LATER: tuple[tuple[type, str, dict[str, str]], ...] = (
    (Variable, "thunkvm._src.views.expression", {"__repr__": "represent"}),
    (Variable, "thunkvm._src.views.tree", {"_repr_html_": "to_html"}),
    (
        Variable,
        "thunkvm._src.arrays.numpy_protocol",
        {"__array_ufunc__": "array_ufunc", "__array_function__": "array_function"},
    ),
    (
        Variable,
        "thunkvm._src.refusals",
        {
            "__array__": "refuse_array",
            "__array_namespace__": "refuse_array",
            "__bool__": "refuse_bool",
            "__complex__": "refuse_complex",
            "__contains__": "refuse_contains",
            "__float__": "refuse_float",
            "__format__": "format_text",
            "__getattr__": "refuse_attribute",
            "__index__": "refuse_index",
            "__int__": "refuse_int",
            "__len__": "refuse_len",
        },
    ),
    (
        _core.Function,
        "thunkvm._src.views.explanation",
        {
            "__repr__": "represent",
            "_repr_html_": "to_html",
            "counts": "counts",
            "dprint": "dprint",
            "explain": "explain",
            "node_runs": "node_runs",
        },
    ),
    (_core.Function, "thunkvm._src.views.graph_drawing", {"to_dot": "function_to_dot"}),
    (_core.Function, "thunkvm.profile.live", {"profile": "OF_FUNCTIONS"}),
    (_core.Function, "thunkvm.profile.record_block", {"record": "record"}),
    (_core.Function, "thunkvm.profile.replaying", {"replay": "replay"}),
    (_core.Function, "thunkvm._src.teaching.attributes", {"__setattr__": "set_attribute"}),
    (_core.Function, "thunkvm._src.calls.signature", {"__signature__": "OF_FUNCTIONS"}),
    (_core.OpFunction, "thunkvm._src.calls.signature", {"__signature__": "OF_OPS"}),
    (_core.Apply, "thunkvm._src.views.expression", {"__repr__": "node_expression"}),
    (
        _core.Type,
        "thunkvm._src.graph.type_values",
        {name: name for name in ("is_valid_value", "make_variable")},
    ),
    (
        TensorType,
        "thunkvm._src.graph.type_values",
        {
            name: name
            for name in ("broadcastable", "may_share_memory", "values_eq", "values_eq_approx")
        },
    ),
    (TensorType, "thunkvm.c.types", {name: f"ArrayC.{name}" for name in ARRAY_C}),
    (_core.GenericType, "thunkvm.c.types", {name: f"Generic.{name}" for name in OBJECT_C}),
)


def attach() -> None:
    """Give the core's classes the methods above."""
    _core.set_indexing(indexing.getitem, _setitem)
    for name, method in METHODS.items():
        setattr(Variable, name, method)
    for kind, module, paths in LATER:
        later.attach(kind, module, paths)
    copying.attach()
