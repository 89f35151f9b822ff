"""Variables and nodes as text: ``ifelse(x > 0.0, sqrt(x), 0.0)``, cut to a line."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any, TypeGuard

from thunkvm import _core
from thunkvm._core import Apply, BuiltinOp, TensorType, Variable

WIDTH = 60
#: Operands deeper than this are "...": what comes before a chain's last 20 steps fits in no line.
DEPTH = 20
#: A constant with more elements is described by its type.
SHOWN_ELEMENTS = 6

# How tightly Python's operators bind; an operand that binds less tightly needs parentheses. The
# Ops' prototypes say which of them are operators.
ATOM, POWER, UNARY, COMPARISON, LOOSEST = 20, 13, 12, 5, 0
#: The notation of a node: how it is written, with which text, and how tightly that binds.
Notation = tuple[str, str, int]
CALL: Notation = ("call", "", ATOM)
#: The attribute of what decides between the two values of `tv.attempt`: the exceptions.
ON = "on"
#: Attributes that say again what the inputs say.
UNTOLD = ("ndim", "leading", "decoding", "n_arms", "n_outputs")


def decides_attempt(node: Apply | None) -> TypeGuard[Apply]:
    """Return whether a node decides between the two values of `tv.attempt`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.expression import decides_attempt
    >>> a = tv.matrix("a")
    >>> decides_attempt(tv.attempt(tv.cholesky(a), a).owner.inputs[0].owner)
    True
    """
    return node is not None and isinstance(node.op, BuiltinOp) and ON in node.op.attrs


def expression(variable: Variable, width: int = WIDTH, depth: int | None = None) -> str:
    """Return the expression of a Variable, as one would write it; at most `width` characters.

    Variables that have a name stand for themselves, but for this one. What is cut off, or lies
    deeper inside than `depth` (DEPTH if left out), is ``...``; the time it takes depends on these
    two alone.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.expression import expression
    >>> x = tv.vector("x")
    >>> expression(tv.ifelse(x[0] > 0, tv.sqrt(x), -x / x.sum(axis=0)))
    'ifelse(x[0] > 0.0, sqrt(x), -x / sum(x, axis=[0]))'
    """
    writer = _Writer(width, DEPTH if depth is None else depth)
    return writer.text(lambda: writer.write_value(variable, LOOSEST, 0))


def node_expression(node: Apply, width: int = WIDTH) -> str:
    """Return a node's Op and inputs, ``add(x, y)``; at most `width` characters.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.expression import node_expression
    >>> x = tv.scalar("x")
    >>> node_expression((tv.exp(x) * 2.0).owner)
    'mul(exp(x), 2.0)'
    """
    writer = _Writer(width)
    return writer.text(lambda: writer.write_call(node, 0))


def represent(variable: Variable) -> str:
    """Return ``<expression: type>``, with the name before it if the Variable has one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> y = x + 1
    >>> y
    <x + 1.0: scalar float64>
    >>> y.name = "y"
    >>> y
    <y = x + 1.0: scalar float64>
    """
    shown = "" if variable.leaf is not None and variable.name is None else expression(variable)
    if variable.leaf == "constant":
        value = _constant_value(variable)
        shown = "constant" if value is None else f"constant {cut_text(value, WIDTH)}"
    elif variable.leaf == "shared":
        shown = variable.name or "shared"
    elif variable.name is not None:
        name = cut_text(variable.name, WIDTH)
        shown = name if variable.leaf is not None else f"{name} = {shown}"
    kind = _core.type_text(variable)
    return f"<{shown}: {kind}>" if shown else f"<{kind}>"


def cut_text(text: str, width: int) -> str:
    """Return at most `width` characters of a text, the last of them ``...`` where it has more."""
    return text if len(text) <= width else text[: width - 3].rstrip(" .") + "..."


class _Full(Exception):  # noqa: N818 (it ends a walk; nothing is wrong)
    """The line is full."""


class _Writer:
    """Writes an expression from left to right, until its line is full."""

    def __init__(self, width: int, depth: int = DEPTH) -> None:
        self.width = width
        self.depth = depth
        self.parts: list[str] = []
        self.written = 0

    def text(self, write: Any) -> str:
        with suppress(_Full):
            write()
        return cut_text("".join(self.parts), self.width)

    def put_text(self, text: str) -> None:
        self.parts.append(text)
        self.written += len(text)
        if self.written > self.width:
            raise _Full

    def operand(self, variable: Variable, binds: int, depth: int) -> None:
        """Write a Variable where a name will do; in parentheses if it binds less than `binds`."""
        if variable.name is not None:
            self.put_text(cut_text(variable.name, self.width + 1))
        else:
            self.write_value(variable, binds, depth)

    def write_value(self, variable: Variable, binds: int, depth: int) -> None:
        """Write what computes a Variable, or what a leaf is."""
        node = variable.owner
        if node is None:
            text = _leaf_text(variable)
            self.put_text(f"({text})" if text.startswith("-") and binds > UNARY else text)
        elif depth > self.depth:
            self.put_text("...")
        else:
            own = _binding_strength(node)
            if own < binds:
                self.put_text("(")
            self.node(node, variable.index, depth + 1)
            if own < binds:
                self.put_text(")")

    def node(self, node: Apply, output: int, depth: int) -> None:
        op = node.op
        if not isinstance(op, BuiltinOp):
            self.write_call(node, depth)
            if _core.count_outputs(node) > 1:
                self.put_text(f"[{output}]")
        elif "decoding" in op.attrs:
            self.conditional(node, output, depth)
        else:
            self.builtin(node, _notation(node), depth)

    def builtin(self, node: Apply, notation: Notation, depth: int) -> None:
        """Write a node of a built-in Op as its prototype says."""
        kind, text, binds = notation
        if kind == "infix":
            self.infix(node, text, binds, depth)
        elif kind == "prefix":
            self.put_text(text)
            self.input(node, 0, binds, depth)
        elif kind == "attribute":
            self.input(node, 0, ATOM, depth)
            self.put_text("." + text.format_map(node.op.attrs))
        elif kind == "part":
            self.part(node, text, depth)
        else:
            self.write_call(node, depth)

    def input(self, node: Apply, number: int, binds: int, depth: int) -> None:
        self.operand(_core.input_at(node, number), binds, depth)

    def infix(self, node: Apply, operator: str, binds: int, depth: int) -> None:
        # a - (b - c) and (a ** b) ** c need their parentheses, and so does each (a < b) < c.
        left = binds + 1 if binds in (POWER, COMPARISON) else binds
        right = UNARY if binds == POWER else binds + 1
        self.input(node, 0, left, depth)
        self.put_text(f" {operator} ")
        self.input(node, 1, right, depth)

    def part(self, node: Apply, change: str, depth: int) -> None:
        """Write ``x[1:, i]``, ``x[1:].set(v)`` or ``x[1:].inc(v)``."""
        integer = 2 if change else 1
        self.input(node, 0, ATOM, depth)
        self.put_text("[")
        for number, item in enumerate(node.op.attrs["index"]):
            self.put_text(", " if number else "")
            for part, text in enumerate(item.replace("newaxis", "None").split("?")):
                if part:
                    self.input(node, integer, LOOSEST, depth)
                    integer += 1
                self.put_text(text)
        self.put_text("]")
        if change:
            self.put_text(f".{change}(")
            self.input(node, 1, LOOSEST, depth)
            self.put_text(")")

    def conditional(self, node: Apply, output: int, depth: int) -> None:
        """Write ``ifelse(c, then, else)``, ``switch_case(i, [...], default=...)`` or `attempt`."""
        attrs = node.op.attrs
        arms = [1 + arm * attrs["n_outputs"] + output for arm in range(attrs["n_arms"])]
        decided = _core.input_at(node, 0).owner
        if decides_attempt(decided):
            self.attempt(node, arms, decided.op.attrs[ON], depth)
            return
        if attrs["decoding"] == "truth":
            condition, otherwise, then = (_core.input_at(node, i) for i in (0, *arms))
            if otherwise is condition:
                name, numbers = "and_", [0, arms[1]]
            elif then is condition:
                name, numbers = "or_", [0, arms[0]]
            else:
                name, numbers = "ifelse", [0, arms[1], arms[0]]
            self.put_text(name + "(")
            self.arguments(node, numbers, depth)
        else:
            default = arms.pop() if attrs["decoding"] == "index_or_default" else None
            self.put_text("switch_case(")
            self.input(node, 0, LOOSEST, depth)
            self.put_text(", [")
            self.arguments(node, arms, depth)
            self.put_text("]")
            if default is not None:
                self.put_text(", default=")
                self.input(node, default, LOOSEST, depth)
        self.put_text(")")

    def attempt(self, node: Apply, arms: list[int], on: list[str], depth: int) -> None:
        """Write ``attempt(value, otherwise, on=KeyError)``."""
        self.put_text("attempt(")
        self.arguments(node, arms, depth)
        if on != ["Exception"]:
            self.put_text(f", on={on[0] if len(on) == 1 else '(' + ', '.join(on) + ')'}")
        self.put_text(")")

    def write_call(self, node: Apply, depth: int) -> None:
        """Write the Op's name, the inputs, and the attributes that are not the defaults."""
        op = node.op
        is_ours = isinstance(op, BuiltinOp)
        self.put_text((op.name if is_ours else type(op).__name__) + "(")
        n_inputs = _core.count_inputs(node)
        self.arguments(node, range(n_inputs), depth)
        # A loop is told its body, which is no text.
        attrs = op.attrs if is_ours and op.type != "loop" else {}
        first = n_inputs == 0
        for name, value in attrs.items():
            if name in UNTOLD or value == _defaults(op.name).get(name, None):
                continue
            self.put_text(f"{'' if first else ', '}{name}={value!r}")
            first = False
        self.put_text(")")

    def arguments(self, node: Apply, numbers: Any, depth: int) -> None:
        for i, number in enumerate(numbers):
            self.put_text(", " if i else "")
            self.input(node, number, LOOSEST, depth)


def _binding_strength(node: Apply) -> int:
    """Return how tightly what `_Writer.node` writes for a node holds together."""
    if not isinstance(node.op, BuiltinOp):
        return ATOM
    kind, _, binds = _notation(node)
    return binds if kind in ("infix", "prefix") else ATOM


def _leaf_text(variable: Variable) -> str:
    if variable.leaf == "constant":
        return _constant_text(variable)
    kind = "shared " if variable.leaf == "shared" else ""
    return f"<{kind}{_core.type_text(variable)}>"


def _constant_text(variable: Variable) -> str:
    """Return a constant's value, or what it is."""
    value = _constant_value(variable)
    if value is not None:
        return value
    if isinstance(variable.type, TensorType):
        return f"<{_core.type_text(variable)}>"
    return f"<a {type(variable.value).__name__}>"


def _constant_value(variable: Variable) -> str | None:
    """Return a constant's value, if it is short; else None."""
    kind = variable.type
    if isinstance(kind, TensorType):
        # The type has a constant's exact lengths; `value` is a copy of all of it.
        if kind.ndim == 0:
            return str(variable.value)
        if kind.ndim == 1 and kind.shape[0] is not None and kind.shape[0] <= SHOWN_ELEMENTS:
            return f"[{', '.join(map(str, variable.value))}]"
        return None
    value = variable.value
    if value is None or type(value) in (bool, float):
        return repr(value)
    if type(value) in (str, bytes):
        return cut_text(repr(value[:WIDTH]), WIDTH)
    return None


@cache
def _protos() -> dict[str, dict[str, Any]]:
    return {proto["name"]: proto for proto in _core.op_protos()}


def _defaults(name: str) -> dict[str, Any]:
    """Return the default of each attribute of an Op."""
    proto = _protos().get(name, {"attrs": ()})
    return {attr["name"]: attr["default"] for attr in proto["attrs"]}


def _notation(node: Apply) -> Notation:
    """Return how a built-in Op's node is written: as a call if its attributes have to be told."""
    proto = _protos().get(node.op.name)
    found = proto["notation"] if proto else None
    if found is None:
        return CALL
    said = found[1] + ("{index}" if found[0] == "part" else "")
    defaults = _defaults(node.op.name)
    is_told = any(
        value != defaults.get(name) and name not in UNTOLD and f"{{{name}}}" not in said
        for name, value in node.op.attrs.items()
    )
    return CALL if is_told else found


def notation_text(node: Apply) -> str | None:
    """Return the operator that a node is written with, ``">"``; None where it is a call.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.expression import notation_text
    >>> notation_text((tv.scalar() > 0).owner)
    '>'
    """
    kind, text, _ = _notation(node)
    return text if kind in ("infix", "prefix") else None


def op_names(node: Apply) -> tuple[str, ...]:
    """Return the names that a node's Op has as a function.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.expression import op_names
    >>> op_names(tv.abs(tv.scalar()).owner)
    ('abs', 'absolute')
    """
    if not isinstance(node.op, BuiltinOp):
        return (type(node.op).__name__,)
    proto = _protos().get(node.op.name)
    return (node.op.name, *(proto["aliases"] if proto else ()))


__all__ = [
    "cut_text", "decides_attempt", "expression", "node_expression", "notation_text", "op_names",
    "represent",
]  # fmt: skip
