"""A graph as a tree of lines, as Theano's debugprint shows it: `dprint`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, TextIO

from thunkvm import _core
from thunkvm._core import Apply, BuiltinOp, Variable
from thunkvm._src.graph.structure import leaves
from thunkvm._src.graph.values import as_variable
from thunkvm._src.views.expression import expression

DEPTH = 50

#: The name of a root, and the root.
Root = tuple[str, Variable]
#: The states, captures, limit, test, next values and collected values of a loop.
LoopBody = tuple[
    list[Variable], list[Variable], Variable | None, Variable, list[Variable], list[Variable]
]
#: The name of a node beside its Op, or None.
NameOf = Callable[[Variable], str | None]


def dprint(graph: Any, *, depth: int | None = DEPTH, file: TextIO | None = None) -> None:
    """Print the graph that computes a Variable: a line each, inputs under what they are inputs of.

    Every Variable that is computed or given has an id. One that several nodes use is printed with
    its inputs where it comes first. Elsewhere it is marked with ``...``.

    Parameters
    ----------
    graph : Variable, or nested lists, tuples and dicts of them
        What to print.
    depth : int, optional
        How far down; None for all of it.
    file : text file, optional
        Where to print; standard output if left out.

    Raises
    ------
    TypeError
        If `graph` is, or holds, what is no Variable and no value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> y = tv.exp(x)
    >>> tv.dprint(tv.ifelse(y > 2.0, y, 0.0))
    ifelse [id A] <scalar float64>
     |if: gt [id B] <scalar bool>
     | |exp [id C] <scalar float64>
     | | |x [id D] <scalar float64>
     | |2.0
     |then: exp [id C] ...
     |else: 0.0
    """
    found = [(path, as_variable(leaf)) for path, leaf in leaves(graph)]
    roots = [(f"{path}: " if path else "", variable) for path, variable in found]
    print_lines(tree_lines(roots, depth), file)


def print_lines(lines: Iterable[str], file: TextIO | None) -> None:
    """Print lines to a file, or to what standard output is now."""
    out = sys.stdout if file is None else file
    for line in lines:
        print(line, file=out)


def tree_lines(
    roots: Iterable[Root],
    depth: int | None = DEPTH,
    name_of: NameOf = lambda variable: None,
    note_of: NameOf = lambda variable: None,
) -> Iterator[str]:
    """Return the lines of `dprint`, one after the other.

    Parameters
    ----------
    roots : iterable of (str, Variable)
        The Variables, with what stands before each.
    depth : int, optional
        How far down; None for all of it.
    name_of : callable
        What a Variable is called instead of its Op and id.
    note_of : callable
        What is said of a Variable at the end of the line that has its type.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.tree import tree_lines
    >>> x = tv.scalar("x")
    >>> list(tree_lines([("slope: ", -x)]))
    ['slope: neg [id A] <scalar float64>', ' |x [id B] <scalar float64>']
    """
    ids: dict[Variable, str] = {}
    letters = map(_letters, count())
    expanded: set[Apply] = set()
    # No recursion: a graph may be deeper than the interpreter's stack.
    for label, root in roots:
        waiting = [(label, root, 0)]
        while waiting:
            label, variable, level = waiting.pop()
            node = variable.owner
            first = variable not in ids
            head = " |" * level + label + _head(variable, ids, letters, name_of)
            if first and (note := note_of(variable)) is not None:
                head += f"  [{note}]"
            if node is None or _core.count_inputs(node) == 0:
                yield head
            elif node in expanded:
                yield head + " ..."
            elif depth is not None and level >= depth:
                yield head + " ... (deeper than depth)"
            else:
                expanded.add(node)
                yield head
                inputs = [(text, value, level + 1) for text, value in _inputs(node)]
                waiting += reversed(inputs)


def _head(
    variable: Variable, ids: dict[Variable, str], letters: Iterator[str], name_of: NameOf
) -> str:
    """Return one Variable's line: what it is, its id, its name and its type."""
    if variable.leaf == "constant":
        return variable.name or expression(variable)
    known = variable in ids
    given = name_of(variable)
    if not known:
        ids[variable] = given or f"[id {next(letters)}]"
    node = variable.owner
    if node is None:
        what = variable.name or ("shared" if variable.leaf == "shared" else "input")
    else:
        what = op_text(node)
        if _core.count_outputs(node) > 1:
            what += f"[{variable.index}]"
    text = ids[variable] if given else f"{what} {ids[variable]}"
    if known:
        return text
    name = f" {variable.name!r}" if node is not None and variable.name is not None else ""
    return f"{text}{name} <{_core.type_text(variable)}>"


def op_text(node: Apply) -> str:
    """Return the name of a node's Op.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.tree import op_text
    >>> op_text(tv.exp(tv.scalar("x")).owner)
    'exp'
    """
    return node.op.name if isinstance(node.op, BuiltinOp) else type(node.op).__name__


def _inputs(node: Apply) -> list[Root]:
    """Return a node's inputs; of a loop what its states begin with, and then what a step does."""
    if (loop := _core.loop_body(node.outputs[0])) is None:
        return labelled_inputs(node)
    states, captures = loop[:2]
    inputs = node.inputs
    step = step_roots(loop)
    given = list(zip(captures, inputs[len(states) :], strict=True))
    roots = _core.substitute([root for _, root in step], given)
    begins = [
        (f"{label} begins: ", first)
        for label, first in zip(state_names(states), inputs, strict=False)
    ]
    return begins + [(label, root) for (label, _), root in zip(step, roots, strict=True)]


def labelled_inputs(node: Apply) -> list[Root]:
    """Return a node's inputs, those of a conditional in the order in which they are written.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.views.tree import labelled_inputs
    >>> x = tv.scalar("x")
    >>> labelled_inputs(tv.ifelse(x > 0, x, -x).owner)[1]
    ('then: ', <x: scalar float64>)
    """
    inputs = node.inputs
    attrs = node.op.attrs if isinstance(node.op, BuiltinOp) else {}
    if "decoding" not in attrs:
        return [("", variable) for variable in inputs]
    n_arms, n_outputs = attrs["n_arms"], attrs["n_outputs"]
    decoding = _core.Decoding[attrs["decoding"]]
    arms = [(name, arm) for arm, name in enumerate(_core.arm_names(decoding, n_arms))]
    if is_truth := decoding is _core.Decoding.truth:
        arms.reverse()  # as they are written
    out = [("if: " if is_truth else "switch: ", inputs[0])]
    for label, arm in arms:
        for output in range(n_outputs):
            path = f"[{output}]" if n_outputs > 1 else ""
            out.append((f"{label}{path}: ", inputs[1 + arm * n_outputs + output]))
    return out


def step_roots(loop: LoopBody) -> list[Root]:
    """Return the values of a loop's step: its test, the next values, and the collected ones."""
    states, _, limit, test, nexts, collected = loop
    tests = [test] if limit is None else [limit, test]
    labels = [*["while: ", "and: "][: len(tests)]]
    labels += [f"{name} becomes: " for name in state_names(states)]
    labels += ["collects: "] * len(collected)
    return list(zip(labels, [*tests, *nexts, *collected], strict=True))


def state_names(states: list[Variable]) -> list[str]:
    """Return the names of the states of a loop."""
    return [state.name or f"state {i}" for i, state in enumerate(states)]


def _letters(number: int) -> str:
    """Return A, B, ..., Z, AA, AB, ... for 0, 1, ...

    Examples
    --------
    >>> from thunkvm._src.views.tree import _letters
    >>> [_letters(number) for number in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


__all__ = [
    "dprint", "labelled_inputs", "op_text", "print_lines", "state_names", "step_roots",
    "tree_lines",
]  # fmt: skip
