"""Classes of Ops that have names in the registry: graph files hold their `__props__`, by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.prototypes import Attribute, Prototype, Slot
from thunkvm._src.teaching.nearest import did_you_mean

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
    """Give a class a name, which is free; see `prototype_of_class`."""
    _CLASSES[name], _NAMES[of] = of, name


def is_class(name: str) -> bool:
    """Return whether a class has that name."""
    return name in _CLASSES


def described(op: Op) -> tuple[str, dict[str, Any]] | None:
    """Return name and attributes of an Op whose class has a name.

    Raises
    ------
    TypeError
        If an attribute is no number, text or list of them.
    """
    name = _NAMES.get(type(op))
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
    if value is not None and not is_integer and not isinstance(value, (float, str)):
        raise TypeError(
            f"{op} cannot be saved: its {prop} is or has {value!r}, a {type(value).__name__}, and "
            "a graph file has numbers, texts, None, and lists of them. Keep such ones in its "
            "__props__, or pickle the graph."
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
    of = _CLASSES[name]
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


__all__ = ["described", "is_class", "outputs_of_class", "prototype_of_class", "register_class"]
