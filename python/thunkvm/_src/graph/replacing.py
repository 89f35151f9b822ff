"""Graphs with other Variables in the place of some: `clone_replace`, `graph_replace`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.graph.structure import leaves, rebuild
from thunkvm._src.graph.values import as_variable

Replacements = Mapping[Variable, Any] | Iterable[tuple[Variable, Any]]


def clone_replace(output: Any, replace: Replacements | None = None) -> Any:
    """Return the same computation of other Variables.

    Parameters
    ----------
    output : Variable, or nested lists, tuples and dicts of them
        What is computed.
    replace : dict or pairs, optional
        By Variable, whatever it is computed by: what stands in its place. All are replaced at
        once. One that nothing depends on changes nothing.

    Returns
    -------
    Variable or structure
        Like `output`. Without replacements it is `output` itself: a graph never changes.

    Raises
    ------
    TypeError
        If something is no Variable, or another Type stands in the place of a Variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> other = tv.clone_replace(x + y, {x: y * y})
    >>> float(tv.function([y], other)(3.0))
    12.0
    """
    return _replace_tree("clone_replace", output, replace or {}, False)


def graph_replace(outputs: Any, replace: Replacements, strict: bool = True) -> Any:
    """Return the same computation of other Variables, as `clone_replace`.

    Parameters
    ----------
    outputs : Variable, or nested lists, tuples and dicts of them
        What is computed.
    replace : dict or pairs
        By Variable: what stands in its place.
    strict : bool
        Refuse a Variable that nothing depends on.

    Returns
    -------
    Variable or structure

    Raises
    ------
    TypeError
        As `clone_replace`.
    ValueError
        If `strict`, and no output depends on a Variable that is to be replaced.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> inner = tv.exp(x)
    >>> float(tv.function([y], tv.graph_replace(inner * 2, {inner: y}))(3.0))
    6.0
    """
    return _replace_tree("graph_replace", outputs, replace, strict)


class OpFromGraph:
    """A function of Variables that is written as a graph: each call puts others in their place.

    Nothing is hidden from the function that is made of it: what a call computes is rewritten,
    differentiated and run lazily with all else.

    Parameters
    ----------
    inputs : sequence of Variable
        What the graph is computed from.
    outputs : sequence of Variable
        What it computes.
    name : str, optional
        What errors call it.

    Raises
    ------
    TypeError
        If an input or an output is no Variable; when called, if there are not as many arguments as
        inputs, or one is of another Type.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> power = tv.OpFromGraph([x, y], [x**y])
    >>> a = tv.scalar("a")
    >>> float(tv.function([a], power(a, 3.0))(2.0))
    8.0
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], name: str | None = None
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.name = name or "OpFromGraph"
        for each in [*self.inputs, *self.outputs]:
            _check_variable(self.name, "an input or output", each)

    def __call__(self, *args: Any) -> Any:
        """Return the outputs for other inputs: a list, or the only one."""
        if len(args) != len(self.inputs):
            raise TypeError(
                f"[{self.name}] it takes {len(self.inputs)} inputs, but got {len(args)}: give one "
                f"for each of {self.inputs}."
            )
        found = _replace_tree(self.name, self.outputs, zip(self.inputs, args, strict=True), False)
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"{self.name}({self.inputs}, {self.outputs})"


def _replace_tree(what: str, tree: Any, replace: Replacements, strict: bool) -> Any:
    pairs = list(replace.items()) if isinstance(replace, Mapping) else list(replace)
    outputs = [leaf for _, leaf in leaves(tree)]
    for output in outputs:
        _check_variable(what, "an output", output)
    checked = []
    for old, new in pairs:
        _check_variable(what, "what is replaced", old)
        checked.append((old, _fit_replacement(what, old, new)))
    if strict:
        there = {*outputs, *_core.leaves(outputs)}
        there |= {out for node in _core.topological_order(outputs) for out in node.outputs}
        for old, _ in checked:
            if old not in there:
                raise ValueError(
                    f"[{what}] no output depends on {old}, which is to be replaced; leave it out, "
                    "or pass strict=False."
                )
    # By others first, so that what is put in may depend on what is taken out.
    fresh = [new.type() for _, new in checked]
    cut = _core.substitute(outputs, [(old, f) for (old, _), f in zip(checked, fresh, strict=True)])
    made = _core.substitute(cut, [(f, new) for (_, new), f in zip(checked, fresh, strict=True)])
    return rebuild(tree, iter(made).__next__)


def _fit_replacement(what: str, old: Variable, new: Any) -> Variable:
    made: Variable = as_variable(new)
    if made.weak and hasattr(old.type, "dtype"):
        made = _core.constant(made.value, old.type.dtype)
    kinds = (type(made.type), getattr(made.type, "dtype", None), getattr(made.type, "ndim", None))
    wanted = (type(old.type), getattr(old.type, "dtype", None), getattr(old.type, "ndim", None))
    if kinds != wanted:
        raise TypeError(
            f"[{what}] {made} cannot stand in the place of {old}: give one of the same dtype and "
            "number of axes, or cast it with tv.astype."
        )
    return made


def _check_variable(what: str, name: str, given: Any) -> None:
    if not isinstance(given, Variable):
        raise TypeError(f"[{what}] {name} is {given!r}, a {type(given).__name__}; give a Variable.")


__all__ = ["OpFromGraph", "clone_replace", "graph_replace"]
