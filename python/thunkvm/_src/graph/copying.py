"""Copies and pickles of Variables, nodes and functions.

A Variable says what to compute and never changes, so that a copy of it is itself. A shared variable
has a value, though, and a deep copy has one of its own; and the deep copy of what is computed from
shared variables is computed from their copies. So ``copy.deepcopy(model)`` gives a model that can
be trained without touching the first one, however its parts refer to each other.

What can be pickled is what has no Op in it: inputs, constants, and shared variables with their
values.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NoReturn

from thunkvm import _core
from thunkvm._core import Apply, Function, TensorType, Type, Variable

#: Where `copy.deepcopy`'s memo has the copies; all its other keys are integers.
KEY = "copies of thunkvm's Variables"


def deepcopy_variable(self: Variable, memo: dict[Any, Any]) -> Variable:
    """Return the Variable with the shared variables that it depends on replaced by copies.

    Examples
    --------
    >>> import copy
    >>> import thunkvm as tv
    >>> weights, x = tv.shared([1.0, 2.0], "weights"), tv.vector("x")
    >>> model = {"weights": weights, "output": x * weights}
    >>> other = copy.deepcopy(model)
    >>> other["weights"].set_value([0.0, 0.0])
    >>> tv.function([x], [model["output"], other["output"]])([1.0, 1.0])
    [array([1., 2.]), array([0., 0.])]
    """
    copies: Copies = memo.setdefault(KEY, Copies())
    return copies.of(self, memo)


def deepcopy_node(self: Apply, memo: dict[Any, Any]) -> Apply:
    """Return the node that computes the deep copies of the outputs."""
    copied = deepcopy_variable(self.outputs[0], memo).owner
    assert copied is not None
    return copied


def deepcopy_function(self: Function, memo: dict[Any, Any]) -> Function:
    """Return the function itself, where it has no shared variables."""
    if self._has_shared_variables:
        raise TypeError(
            f"{self!r} cannot be copied: it was made for shared variables, and a deep copy has "
            "others. Leave it out of the copy (in __deepcopy__ or __getstate__), and make one of "
            "the copied Variables with tv.function."
        )
    return self


class Copies:
    """The copies that one call of `copy.deepcopy` makes of Variables."""

    def __init__(self) -> None:
        #: The copy of a Variable: itself if it depends on no shared variable.
        self._made: dict[Variable, Variable] = {}

    def of(self, variable: Variable, memo: dict[Any, Any]) -> Variable:
        """Return the copy of a Variable. Each node is looked at once, whatever depends on it."""
        if variable not in self._made:
            objects = self._copy_graph(variable)
            # Last, since they may refer to what was copied.
            for old, new in objects:
                new.set_value(copy.deepcopy(old.get_value(borrow=True), memo), borrow=True)
        return self._made[variable]

    def _copy_graph(self, variable: Variable) -> list[tuple[Variable, Variable]]:
        """Copy what no earlier call has; return the shared variables whose objects remain."""
        objects: list[tuple[Variable, Variable]] = []
        changed: dict[Variable, None] = {}  # computed from copies, in order
        given: dict[Variable, Variable] = {}  # what they use and was copied before
        stack = [(variable, False)]
        while stack:
            v, inputs_done = stack.pop()
            if v in self._made or v in changed:
                continue
            if v.owner is None:
                new = self._made[v] = _copied_leaf(v)
                if new is not v and not isinstance(v.type, TensorType):
                    objects.append((v, new))
            elif not inputs_done:
                stack.append((v, True))
                stack.extend((used, False) for used in v.owner.inputs)
            else:
                copied = {u: self._made.get(u) for u in v.owner.inputs if self._changes(u, changed)}
                given.update((used, new) for used, new in copied.items() if new is not None)
                for output in v.owner.outputs:
                    if copied:
                        changed[output] = None
                    else:
                        self._made[output] = output
        copies = _core.substitute(list(changed), list(given.items()))
        self._made.update(zip(changed, copies, strict=True))
        return objects

    def _changes(self, variable: Variable, changed: dict[Variable, None]) -> bool:
        return variable in changed or self._made[variable] is not variable


def _copied_leaf(variable: Variable) -> Variable:
    """Return a shared variable of its own; for an object, one that still has the same object."""
    if variable.leaf != "shared":
        return variable
    borrow = not isinstance(variable.type, TensorType)
    value = variable.get_value(borrow=True)
    return _core.shared_variable(variable.type, value, variable.name, borrow)


def reduce_variable(self: Variable, protocol: int = 0) -> tuple[Callable[..., Variable], Any]:
    """Return how to make the leaf again; refuse what an Op computes."""
    if self.leaf == "shared":
        return _shared, (self.type, self.get_value(borrow=True), self.name)
    if self.leaf == "constant":
        return _constant, (self.value, self.type, self.name, self.weak)
    if self.leaf == "input":
        return _input, (self.type, self.name)
    refuse_pickle(self)


def _input(type: Type, name: str | None) -> Variable:
    return _core.input_variable(type, name)


def _shared(type: Type, value: Any, name: str | None) -> Variable:
    return _core.shared_variable(type, value, name, True)  # nobody else has what was unpickled


def _constant(value: Any, type: Type, name: str | None, weak: bool) -> Variable:
    made = _core.as_variable(value.item()) if weak else _core.constant(value, None, type)
    made.name = name
    return made


def refuse_pickle(self: Any, protocol: int = 0) -> NoReturn:
    """Refuse: what a graph is made of cannot be written to a file."""
    raise TypeError(
        f"{self!r} cannot be pickled: a graph holds Ops and lines of the program that made it. "
        "Pickle the values (arguments, shared variables), and build the graph again by calling the "
        "code that builds it."
    )


def itself(self: Any) -> Any:
    """Return what is never changed, and so needs no copy."""
    return self
