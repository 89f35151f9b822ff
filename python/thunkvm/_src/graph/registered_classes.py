"""Classes of Ops that have names in the registry: graph files hold their `__props__`, by name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Type, Variable
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.prototypes import Attribute, Prototype, Slot, prototypes
from thunkvm._src.teaching.nearest import did_you_mean

#: The classes of this package by name: a file knows them, whatever its reader has imported.
OF_PACKAGE = {
    f"thunkvm.{name}": f"thunkvm._src.{module}.{of}"
    for name, module, of in (
        ("refusal", "control.assertions", "Refusal"),
        ("print", "control.prints", "Print"),
        ("stop", "control.prints", "Stop"),
        ("monitored", "control.prints", "Monitored"),
        ("refused_shape", "arrays.equal_shapes", "RefusedShape"),
        ("refused_lengths", "arrays.equal_shapes", "RefusedLengths"),
        ("ufunc", "arrays.composed.ufunc_ops", "NumPyUfunc"),
        ("complex_transform", "arrays.composed.transforms", "ComplexTransform"),
        ("real_transform", "arrays.composed.transforms", "RealTransform"),
        ("hermitian_transform", "arrays.composed.transforms", "HermitianTransform"),
        ("with_shape_slopes", "arrays.composed.incomplete", "WithShapeSlopes"),
        ("shape_slopes_element", "arrays.composed.incomplete", "ShapeSlopesElement"),
        ("grad_clip", "derivatives.identities", "GradClip"),
        ("grad_clip_element", "derivatives.identities", "GradClipElement"),
        ("grad_scale", "derivatives.identities", "GradScale"),
        ("grad_scale_element", "derivatives.identities", "GradScaleElement"),
        ("zero_grad", "derivatives.identities", "ZeroGrad"),
        ("zero_grad_element", "derivatives.identities", "ZeroGradElement"),
    )
}
_CLASSES: dict[str, type[Op]] = {}
#: By class. A class that derives from one of them has no name by it.
_NAMES: dict[type[Op], str] = {}


def prototype_of_class(name: str, of: type[Op]) -> Prototype:
    """Return what front ends know of a class; an error if its Ops cannot be made of `__props__`."""
    props = getattr(of, "__props__", None)
    if not isinstance(props, tuple):
        raise TypeError(
            f"[register_op] {of.__name__} has no __props__, which are the attributes of {name!r} "
            "in graph files. Give the class a tuple of their names: () if there are none."
        )
    if of in _NAMES:
        raise ValueError(
            f"[register_op] {of.__name__} has the name {_NAMES[of]!r} already; leave one of them."
        )
    takes = inspect.signature(of)
    try:
        takes.bind(**dict.fromkeys(props))
    except TypeError as error:
        raise TypeError(
            f"[register_op] {of.__name__} cannot be made of its __props__ {props}: {error}. Its "
            "__init__ has to take each of them by keyword."
        ) from None
    return Prototype(
        name, "registered", inspect.cleandoc(of.__doc__ or f"The Op {name}."),
        (Slot("inputs", "what its make_node takes", duplicable=True),),
        (Slot("outputs", "what its node has", duplicable=True),),
        tuple(_attribute(prop, takes) for prop in props), "",
    )  # fmt: skip


def _attribute(name: str, takes: inspect.Signature) -> Attribute:
    known = takes.parameters.get(name)  # not there where the class takes **keywords
    default = inspect.Parameter.empty if known is None else known.default
    is_required = default is inspect.Parameter.empty
    return Attribute(
        name, "number, text or list", "one of its __props__", is_required,
        None if is_required else default, None, None, (),
    )  # fmt: skip


def register_class(name: str, of: type[Op]) -> None:
    """Give a class a name, which is free; an error if its Ops cannot be made of `__props__`."""
    prototypes()[name] = prototype_of_class(name, of)
    _CLASSES[name], _NAMES[of] = of, name


def class_of(name: str) -> type[Op] | None:
    """Return the class that has a name; None if there is none."""
    if name not in _CLASSES and (path := OF_PACKAGE.get(name)) is not None:
        module, _, of = path.rpartition(".")
        register_class(name, getattr(importlib.import_module(module), of))
    return _CLASSES.get(name)


def _name_of(of: type[Op]) -> str | None:
    if of not in _NAMES and of.__module__.startswith("thunkvm."):
        path = f"{of.__module__}.{of.__qualname__}"
        return next((name for name, known in OF_PACKAGE.items() if known == path), None)
    return _NAMES.get(of)


def described(op: Op) -> tuple[str, dict[str, Any]] | None:
    """Return name and attributes of an Op whose class has a name.

    Raises
    ------
    TypeError
        If an attribute is no number, text, Type, exception or list of them.
    """
    name = _name_of(type(op))
    if name is None:
        return None
    return name, {prop: _plain(op, prop, getattr(op, prop)) for prop in type(op).__props__}


def _plain(op: Op, prop: str, value: Any) -> Any:
    """Return an attribute as graph files have it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(op, prop, item) for item in value]
    is_integer = isinstance(value, int) and -(2**63) <= value < 2**63
    is_exception = isinstance(value, type) and issubclass(value, Exception)
    is_other = isinstance(value, (float, str, Type, type(None)))
    if not is_integer and not is_exception and not is_other:
        raise TypeError(
            f"{op} cannot be saved: its {prop} is or has {value!r}, a {type(value).__name__}, and "
            "a graph file has numbers, texts, None, Types, exceptions, and lists of them. Keep "
            "such ones in its __props__, or pickle the graph."
        )
    return value


def outputs_of_class(
    name: str, attributes: Mapping[str, Any], inputs: Sequence[Any]
) -> list[Variable]:
    """Return the outputs of a new node; a list among the attributes becomes a tuple.

    Raises
    ------
    TypeError
        If there is another attribute than the class has, or one is missing.
    """
    of = class_of(name)
    assert of is not None
    for given in attributes:
        if given not in of.__props__:
            known = ", ".join(of.__props__) or "none"
            raise TypeError(
                f"[{name}] it has no attribute {given!r}.{did_you_mean(given, of.__props__)} "
                f"Its attributes are: {known}."
            )
    try:
        inspect.signature(of).bind(**attributes)
    except TypeError as error:
        raise TypeError(f"[{name}] {error}.") from None
    op = of(**{key: _hashable(value) for key, value in attributes.items()})
    return list(op.make_node(*inputs).outputs)


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


__all__ = ["OF_PACKAGE", "class_of", "described", "outputs_of_class", "register_class"]
