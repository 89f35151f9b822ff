"""Ops that call a Python function: `as_op`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from thunkvm._core import Apply, Type, Variable
from thunkvm._src.graph.op import Op

Gradient = Callable[[list[Variable], list[Variable]], Sequence[Variable | None]]
ShapeRule = Callable[[Apply, list[Any]], Sequence[Sequence[Any] | None]]


class FunctionOp(Op):
    """Calls a Python function on the values of its inputs."""

    __props__ = ("fn", "itypes", "otypes", "gradient", "shape_rule")
    itypes: tuple[Type, ...]
    otypes: tuple[Type, ...]

    def __init__(
        self,
        fn: Callable[..., Any],
        itypes: tuple[Type, ...],
        otypes: tuple[Type, ...],
        gradient: Gradient | None,
        shape_rule: ShapeRule | None,
    ) -> None:
        self.fn = fn
        self.itypes = itypes
        self.otypes = otypes
        self.gradient = gradient
        # What a function returns may be any of its arguments, or a part of one.
        self.view_map = {j: list(range(len(itypes))) for j in range(len(otypes))}
        self.shape_rule = shape_rule
        # As functools.wraps; pickle finds what a decorator put instead of the function by these.
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(self, name, getattr(fn, name, None))

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call the function and check what it returns."""
        returned = self.fn(*inputs)
        if len(self.otypes) == 1:
            output_storage[0][0] = self._check_output(returned, 0)
            return
        if not isinstance(returned, (tuple, list)) or len(returned) != len(self.otypes):
            raise TypeError(
                f"{self} returned {_describe_value(returned)}; it has to return a tuple of "
                f"{len(self.otypes)}, as its otypes say."
            )
        for j, value in enumerate(returned):
            output_storage[j][0] = self._check_output(value, j)

    def _check_output(self, value: Any, j: int) -> Any:
        wanted = self.otypes[j]
        try:
            return wanted.filter(value)
        except TypeError as error:
            raise TypeError(
                f"{self} returned {_describe_value(value)} as output {j}, which has to be a value "
                f"of {wanted} without loss: convert it in the function, or change its otypes."
            ) from error

    def __eq__(self, other: object) -> bool:
        """Compare functions, Types, gradients and shape rules; each Op has a class of its own."""
        return isinstance(other, FunctionOp) and self._properties() == other._properties()

    def __hash__(self) -> int:
        """Hash what `__eq__` compares."""
        return hash(self._properties())

    def __str__(self) -> str:
        """Return the function's name."""
        return type(self).__name__

    def __repr__(self) -> str:
        """Return the function's name and Types."""
        return f"as_op({self}, {list(self.itypes)}, {list(self.otypes)})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name where the Op has replaced the function, else the function."""
        import sys

        found: Any = sys.modules.get(str(getattr(self.fn, "__module__", None)))
        qualname = str(getattr(self.fn, "__qualname__", None))
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if found is self:
            return qualname
        return _make_op, (self.fn, self.itypes, self.otypes, self.gradient, self.shape_rule)


class _DifferentiableOp(FunctionOp):
    def grad(
        self, inputs: list[Variable], output_gradients: list[Variable]
    ) -> list[Variable | None]:
        """Ask the function that was given for the gradient."""
        assert self.gradient is not None  # or it were a FunctionOp
        return list(self.gradient(inputs, output_gradients))


class _ShapedOp(FunctionOp):
    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> Sequence[Sequence[Any] | None]:
        """Ask the function that was given for the shapes."""
        assert self.shape_rule is not None
        return self.shape_rule(node, input_shapes)


def _make_op(
    fn: Callable[..., Any],
    itypes: tuple[Type, ...],
    otypes: tuple[Type, ...],
    gradient: Gradient | None,
    shape_rule: ShapeRule | None,
) -> FunctionOp:
    bases: tuple[type[FunctionOp], ...] = () if gradient is None else (_DifferentiableOp,)
    bases += () if shape_rule is None else (_ShapedOp,)
    # Listings and errors call an Op by its class.
    made = type(getattr(fn, "__name__", type(fn).__name__), bases or (FunctionOp,), {})
    op: FunctionOp = made(fn, itypes, otypes, gradient, shape_rule)
    return op


def _describe_value(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"an array of {value.dtype} with shape {value.shape}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of length {len(value)}"
    return f"{value!r}, a {type(value).__name__}"


def types_of(given: Any, what: str) -> tuple[Type, ...]:
    """Return Types that are given as such, or by what makes variables of them."""
    listed = given if isinstance(given, (list, tuple)) else [given]
    types = []
    for i, entry in enumerate(listed):
        type_ = entry
        if isinstance(entry, Variable):
            type_ = entry.type
        elif callable(entry) and not isinstance(entry, (Type, type)):
            made = entry()
            type_ = made.type if isinstance(made, Variable) else made
        if not isinstance(type_, Type):
            raise TypeError(
                f"{what}[{i}] is {entry!r}; it has to be a Type, such as "
                'tv.TensorType("float64", (None,)), or what makes a variable of it, such as '
                "tv.dvector."
            )
        types.append(type_)
    return tuple(types)


@overload
def as_op(
    fn: Callable[..., Any],
    itypes: Any,
    otypes: Any,
    grad: Gradient | None = ...,
    infer_shape: ShapeRule | None = ...,
) -> FunctionOp: ...
@overload
def as_op(
    fn: None = ...,
    itypes: Any = ...,
    otypes: Any = ...,
    grad: Gradient | None = ...,
    infer_shape: ShapeRule | None = ...,
) -> Callable[[Callable[..., Any]], FunctionOp]: ...
def as_op(
    fn: Callable[..., Any] | None = None,
    itypes: Any = None,
    otypes: Any = None,
    grad: Gradient | None = None,
    infer_shape: ShapeRule | None = None,
) -> FunctionOp | Callable[[Callable[..., Any]], FunctionOp]:
    """Make an Op of a Python function; without `fn`, return a decorator that does.

    Parameters
    ----------
    fn : callable, optional
        Takes the values of the inputs, NumPy arrays and scalars, which it must not write to. It
        returns the value of the output, or a tuple of the values of several. It must depend on
        nothing but its arguments.
    itypes, otypes : list
        The Types of the inputs and outputs: Types, or what makes variables of them, such as
        ``tv.dvector``. One alone needs no list.
    grad : callable, optional
        ``grad(inputs, output_gradients)``, as `Op.grad`: takes and returns Variables.
    infer_shape : callable, optional
        ``infer_shape(node, input_shapes)``, as `Op.infer_shape`: returns a tuple of lengths for
        each output, so that asking for a shape does not call `fn`.

    Returns
    -------
    Op or callable
        An Op with the function's name. Ops of one function with the same Types, gradient and
        `infer_shape` are equal; they pickle if the function can be imported.

    Raises
    ------
    TypeError
        If `fn` cannot be called, or an entry of `itypes` or `otypes` is no Type; when the Op runs,
        if what `fn` returned does not fit `otypes`.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> sort = tv.as_op(np.sort, itypes=[tv.dvector], otypes=[tv.dvector],
    ...                 infer_shape=lambda node, input_shapes: input_shapes)
    >>> x = tv.vector("x")
    >>> tv.function([x], sort(x))([3.0, 1.0, 2.0])
    array([1., 2., 3.])

    As a decorator, with a gradient:

    >>> @tv.as_op(itypes=[tv.dvector], otypes=[tv.dscalar],
    ...           grad=lambda inputs, output_gradients: [2 * inputs[0] * output_gradients[0]])
    ... def squares(x):
    ...     return float(x @ x)
    >>> tv.function([x], [squares(x), tv.grad(squares(x), x)])([1.0, 2.0])
    [np.float64(5.0), array([2., 4.])]
    """
    if isinstance(fn, (list, tuple)):  # as PyTensor's: as_op(itypes, otypes)
        raise TypeError(
            "[as_op] the first argument is the function; write @tv.as_op(itypes=[...], "
            "otypes=[...]) for a decorator."
        )
    if itypes is None or otypes is None:
        raise TypeError("[as_op] itypes and otypes have to be given: the Types of the inputs and "
                        "of the outputs.")  # fmt: skip
    ins, outs = types_of(itypes, "[as_op] itypes"), types_of(otypes, "[as_op] otypes")
    if grad is not None and not callable(grad):
        raise TypeError(f"[as_op] grad is {grad!r}; give a function of (inputs, output_gradients).")
    if infer_shape is not None and not callable(infer_shape):
        raise TypeError(
            f"[as_op] infer_shape is {infer_shape!r}; give a function of (node, input_shapes)."
        )

    def make_op(function: Callable[..., Any]) -> FunctionOp:
        if not callable(function):
            raise TypeError(f"[as_op] {function!r} is no function, so no Op can call it.")
        return _make_op(function, ins, outs, grad, infer_shape)

    return make_op if fn is None else make_op(fn)


__all__ = ["as_op"]
