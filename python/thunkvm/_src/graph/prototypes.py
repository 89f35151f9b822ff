"""The prototypes of the Ops of the registry: what each takes, gives, and may be told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from thunkvm import _core
from thunkvm._src.teaching.nearest import did_you_mean


@dataclass(frozen=True)
class Slot:
    """An input or output of an Op."""

    name: str
    comment: str
    #: It takes all the values that remain.
    duplicable: bool
    #: It may be left out.
    optional: bool = False
    #: An output for the gradient alone, which the Op's function does not return.
    intermediate: bool = False
    #: No gradient goes through it.
    no_gradient: bool = False
    #: Its values are tensors; else they may be of any Type.
    is_tensor: bool = True

    #: Its documentation.
    MARKS: ClassVar = ("duplicable", "optional", "intermediate", "no_gradient")


@dataclass(frozen=True)
class Attribute:
    """An attribute of an Op, set when a node is made."""

    name: str
    type: str
    comment: str
    required: bool
    default: Any
    at_least: float | None
    at_most: float | None
    in_enum: tuple[Any, ...]
    #: Exclusive.
    greater_than: float | None = None

    def __str__(self) -> str:
        """Return its type, default and range: "int, default 0, at least 0"."""
        parts = [self.type]
        if not self.required:
            parts.append(f"default {self.default!r}")
        if self.greater_than is not None:
            parts.append(f"greater than {self.greater_than:g}")
        if self.at_least is not None:
            parts.append(f"at least {self.at_least:g}")
        if self.at_most is not None:
            parts.append(f"at most {self.at_most:g}")
        if self.in_enum:
            parts.append("one of " + ", ".join(map(repr, self.in_enum)))
        return ", ".join(parts)


@dataclass(frozen=True)
class Prototype:
    """All that a front end knows of an Op; printed, a page about it."""

    name: str
    family: str
    comment: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    attributes: tuple[Attribute, ...]
    example: str

    @property
    def summary(self) -> str:
        """The first sentence of the comment, up to a semicolon."""
        return self.comment.split(". ")[0].split(";")[0].rstrip(".")

    def __str__(self) -> str:
        """Return a page: the comment, inputs, outputs, attributes and example."""
        lines = [f"{self.name} ({self.family})", "", self.comment]
        for title, slots in ("inputs", self.inputs), ("outputs", self.outputs):
            lines += ["", title]
            for slot in slots:
                marks = [mark for mark in Slot.MARKS if getattr(slot, mark)]
                marks += [] if slot.is_tensor else ["of any Type"]
                mark = f" ({', '.join(marks)})" if marks else ""
                lines.append(f"  {slot.name}{mark}: {slot.comment}")
        if self.attributes:
            lines += ["", "attributes"]
            lines += [f"  {each.name} ({each}): {each.comment}" for each in self.attributes]
        if self.example:
            lines += ["", *self.example.splitlines()]
        return "\n".join(lines)


@cache
def prototypes() -> dict[str, Prototype]:
    """Return the prototypes of all Ops by name: the built-in ones, then what programs register."""
    return {row["name"]: _prototype(row) for row in _core.op_protos()}


def _prototype(row: dict[str, Any]) -> Prototype:
    inputs, outputs = (
        tuple(
            Slot(s["name"], s["comment"], s["variadic"], s["optional"], is_tensor=s["is_tensor"])
            for s in row[kind]
        )
        for kind in ("inputs", "outputs")
    )
    attributes = tuple(
        Attribute(
            a["name"], a["type"], a["comment"], a["required"], a["default"],
            a["minimum"], a["maximum"], tuple(a["allowed"]), a["above"],
        )
        for a in row["attrs"]
    )  # fmt: skip
    return Prototype(
        row["name"], row["family"], row["comment"], inputs, outputs, attributes, row["example"]
    )


def describe(name: str) -> Prototype:
    """Return the inputs, outputs and attributes of an Op.

    Parameters
    ----------
    name : str
        The Op's name, as in `thunkvm.ops`, in `register_op` and in graph files.

    Returns
    -------
    Prototype
        With `inputs`, `outputs` and `attributes`; printed, a page about the Op.

    Raises
    ------
    KeyError
        If there is no such Op; the message has the nearest name.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.ops.describe("concatenate").inputs[0].duplicable
    True
    >>> print(tv.ops.describe("concatenate").attributes[0])
    int, default 0
    """
    known = prototypes()
    if name not in known:
        raise KeyError(
            f"there is no Op called {name!r}.{did_you_mean(name, known)} If a program "
            "registers it, import the module with its tv.register_op first."
        )
    return known[name]


__all__ = ["Attribute", "Prototype", "Slot", "describe", "prototypes"]
