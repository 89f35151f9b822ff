"""`register_op`: declares an Op, or names a class of Ops, beside the built-in ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

from thunkvm._src.graph.declarations import OpBuilder
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.op_docs import page_of
from thunkvm._src.graph.prototypes import Prototype, prototypes
from thunkvm._src.graph.registered import (
    CLASSES,
    WAYS,
    RegisteredOp,
    is_registered,
    registered_op,
)
from thunkvm._src.graph.registered_classes import register_class
from thunkvm._src.graph.values import as_variable

OpClass = TypeVar("OpClass", bound=type[Op])


class _Registration:
    """The decorator that `register_op` returns."""

    def __init__(self, name: str) -> None:
        self.name = name

    @overload
    def __call__(self, declared: OpClass, /) -> OpClass: ...
    @overload
    def __call__(self, declared: Callable[[OpBuilder], None], /) -> Callable[..., Any]: ...
    def __call__(self, declared: Any, /) -> Any:
        name = self.name
        if name in prototypes() or is_registered(name):
            kind = "an Op of this program's" if is_registered(name) else "built in"
            raise ValueError(
                f"[register_op] the name {name!r} is taken: it is {kind}. Give another one, with "
                f"your program's in front: 'mine.{name.rpartition('.')[-1]}'."
            )
        if isinstance(declared, type) and issubclass(declared, Op):
            register_class(name, declared)
            return declared
        op = OpBuilder(name)
        declared(op)
        prototype = op.prototype(inspect.getdoc(declared) or f"The Op {name}.")
        bases = tuple(WAYS[way] for way in WAYS if way in op.functions) or (RegisteredOp,)
        # Listings and errors call an Op by its class.
        of = type(name.rpartition(".")[-1], bases, {"declared": op, "__doc__": prototype.comment})
        CLASSES[name] = of
        prototypes()[name] = prototype
        return _function(prototype, declared)


def register_op(name: str) -> _Registration:
    """Register an Op that a function declares, and make a function of it; or a class of Ops.

    The decorated function gets a builder, and declares the Op with it: inputs, outputs and
    attributes with their names, comments and rules, and the functions that do the work. Its
    docstring is the documentation. What takes its place makes nodes, by keywords.

    A class of Ops stays what it is, and gets a name for graph files: they hold its `__props__`,
    which its ``__init__`` has to take by keyword. It may be lazy.

    Parameters
    ----------
    name : str
        The Op's name for graph files, pickles and `thunkvm.ops.describe`. It may have dots, as
        ``"mine.cos"``: what a program is called in front keeps its names apart from others.

    Returns
    -------
    callable
        The decorator. It returns a class as it is. The function that it makes has the declared
        signature; inputs are Variables or values, a duplicable one a list. It returns the output,
        or a tuple of several.

    Raises
    ------
    ValueError
        If the name is taken, or the declaration is not whole.
    TypeError
        If `name` is no str, or a class has no `__props__` or cannot be made of them; when nodes
        are made, for an input or attribute that is unknown, missing or of another type.

    Notes
    -----
    The form is that of OpProtoMaker and REGISTER_OP in C++ (``ops/graph/registry.h``).

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> @tv.register_op("example.cos")
    ... def cos(op):
    ...     '''The cosine of each element, times a scale.'''
    ...     op.add_input("input", "a tensor of floats")
    ...     op.add_output("output", "the cosine of scale * input")
    ...     op.add_attribute("scale", "a factor", float).default(1.0).greater_than(0.0)
    ...     @op.perform
    ...     def perform(input, scale):
    ...         return np.cos(scale * input)
    ...     @op.grad
    ...     def grad(inputs, outputs, gradients, scale):
    ...         slope = -scale * tv.sin(scale * inputs["input"])
    ...         return {"input": gradients["output"] * slope}
    >>> x = tv.vector("x")
    >>> y = cos(input=x, scale=2.0)
    >>> tv.function([x], [y, tv.grad(y.sum(), x)])([0.0])
    [array([1.]), array([-0.])]
    >>> cos(input=x, scale=0.0)
    Traceback (most recent call last):
      ...
    ValueError: [example.cos] scale = 0.0, a float: it has to be greater than 0.
    """
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise TypeError(
            f"[register_op] the name is {name!r}; write @tv.register_op('mine.cos') above a "
            "function of the builder: words of letters, digits and _, with dots between them."
        )

    return _Registration(name)


def _function(prototype: Prototype, declare: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that makes nodes of a registered Op."""
    of: Any = inspect.Parameter
    name = prototype.name
    slots = [of(slot.name, of.POSITIONAL_OR_KEYWORD) for slot in prototype.inputs]
    keys = [
        of(each.name, of.KEYWORD_ONLY, default=of.empty if each.required else each.default)
        for each in prototype.attributes
    ]
    takes = inspect.Signature(slots)
    known = [slot.name for slot in prototype.inputs]

    def function(*inputs: Any, **keywords: Any) -> Any:
        attributes = {key: keywords.pop(key) for key in list(keywords) if key not in known}
        op = registered_op(name, attributes)
        try:
            given = takes.bind(*inputs, **keywords).arguments
        except TypeError as error:
            raise TypeError(f"[{name}] {error}; its inputs are: {', '.join(known)}.") from None
        values: list[Any] = []
        for slot in prototype.inputs:
            value = given[slot.name]
            if slot.duplicable and not isinstance(value, (list, tuple)):
                raise TypeError(f"[{name}] {slot.name} = {value}: it has to be a list of values.")
            try:
                values += [as_variable(x) for x in (value if slot.duplicable else [value])]
            except TypeError as error:
                raise TypeError(f"[{name}] {slot.name}: {error}") from None
        outputs = op.make_node(*values).outputs
        shown = [
            output
            for slot, output in zip(prototype.outputs, outputs, strict=True)
            if not slot.intermediate
        ]
        return shown[0] if len(shown) == 1 else tuple(shown)

    function.__name__ = getattr(declare, "__name__", name)
    function.__qualname__ = getattr(declare, "__qualname__", name)
    function.__module__ = declare.__module__
    function.__doc__ = page_of(prototype)
    function.__signature__ = inspect.Signature([*slots, *keys])  # type: ignore[attr-defined]
    return function


__all__ = ["register_op"]
