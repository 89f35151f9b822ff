"""The signature and the docstring of an Op's Python function, from its prototype."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thunkvm._src.graph.prototypes import Prototype

GIVEN = {
    "list of ints": "int or list of ints",
    "list of floats": "float or list of floats",
    "list of strings": "str or list of strs",
    "graph": "tuple of inputs and outputs",
}


def signature(proto: dict[str, Any]) -> inspect.Signature:
    """Return the signature of the function of an Op, for ``inspect.signature``."""
    of: Any = inspect.Parameter
    made = []
    variadic = any(var["variadic"] for var in proto["inputs"])
    by_place = of.POSITIONAL_ONLY if variadic else of.POSITIONAL_OR_KEYWORD
    for var in proto["inputs"]:
        kind = of.VAR_POSITIONAL if var["variadic"] else by_place
        left_out = var["optional"] and not var["variadic"]
        made.append(of(var["name"], kind, default=None if left_out else of.empty))
    kind = of.POSITIONAL_OR_KEYWORD if proto["attribute_by_position"] else of.KEYWORD_ONLY
    for attr in proto["attrs"]:
        default = of.empty if attr["required"] else attr["default"]
        made.append(of(attr["name"], kind, default=default))
    return inspect.Signature(made)


def docstring(proto: dict[str, Any]) -> str:
    """Return a docstring in NumPy's style: summary, details, Parameters, Returns, Examples."""
    comment: str = proto["comment"]
    end = _end_of_sentence(comment)
    doc = _sentence(comment[:end]) + "\n"
    if end < len(comment):
        doc += f"\n{comment[end + 1 :]}\n"
    if proto["inputs"] or proto["attrs"]:
        doc += _title("Parameters")
    for var in proto["inputs"]:
        name = f"*{var['name']}" if var["variadic"] else var["name"]
        optional = ", optional" if var["optional"] else ""
        doc += f"{name} : Variable{optional}\n    {_sentence(var['comment'])}\n"
    for attr in proto["attrs"]:
        comment = _sentence(attr["comment"] + _range(attr))
        doc += f"{attr['name']} : {_attribute_type(attr)}\n    {comment}\n"
    doc += _title("Returns")
    for var in proto["outputs"]:
        name = "" if len(proto["outputs"]) == 1 else f"{var['name']} : "
        doc += f"{name}Variable\n    {_sentence(var['comment'])}\n"
    if proto["example"]:
        doc += _title("Examples") + proto["example"].removesuffix("\n") + "\n"
    return doc


def page_of(prototype: Prototype) -> str:
    """Return the docstring of a function that takes inputs by keywords."""
    end = _end_of_sentence(prototype.comment)
    doc = _sentence(prototype.comment[:end]) + "\n"
    if end < len(prototype.comment):
        doc += f"\n{prototype.comment[end:].strip()}\n"
    if prototype.inputs or prototype.attributes:
        doc += _title("Parameters")
    for slot in prototype.inputs:
        kind = "list of Variables" if slot.duplicable else "Variable"
        doc += f"{slot.name} : {kind}\n    {_sentence(slot.comment)}\n"
    for each in prototype.attributes:
        doc += f"{each.name} : {each}\n    {_sentence(each.comment)}\n"
    doc += _title("Returns")
    for slot in prototype.outputs:
        if not slot.intermediate:
            doc += f"{slot.name} : Variable\n    {_sentence(slot.comment)}\n"
    if prototype.example:
        doc += _title("Examples") + prototype.example.removesuffix("\n") + "\n"
    return doc


def _end_of_sentence(comment: str) -> int:
    """Return where the first sentence ends, full stop included; initials are in parentheses."""
    depth = 0
    for i, letter in enumerate(comment):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and comment[i : i + 2] == ". ":
            return i + 1
    return len(comment)


def _sentence(text: str) -> str:
    """Make a sentence: "the axes to sum over" is "The axes to sum over."."""
    return text and text[0].upper() + text[1:].removesuffix(".") + "."


def _attribute_type(attr: dict[str, Any]) -> str:
    """Return the type of an attribute, and its default: "int or list of ints, optional"."""
    kind: str = GIVEN.get(attr["type"], attr["type"])
    if attr["allowed"]:
        kind = "{" + ", ".join(map(repr, attr["allowed"])) + "}"
    if attr["required"]:
        return kind
    default = attr["default"]
    return f"{kind}, optional" if default is None else f"{kind}, default {default!r}"


def _range(attr: dict[str, Any]) -> str:
    least, most, above = attr["minimum"], attr["maximum"], attr["above"]
    if above is not None:
        return f"; greater than {above:g}" + ("" if most is None else f", at most {most:g}")
    if least is not None and most is not None:
        return f"; from {least:g} to {most:g}"
    if least is not None:
        return f"; at least {least:g}"
    return "" if most is None else f"; at most {most:g}"


def _title(title: str) -> str:
    return f"\n{title}\n{'-' * len(title)}\n"


__all__ = ["docstring", "page_of", "signature"]
