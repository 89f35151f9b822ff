"""Observers of the thunks of a function's calls: the base of the modes that check."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from thunkvm._core import Apply, Function, Variable


class _Absent:
    """The type of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


#: Stands for an input that a lazy thunk did not ask for, and for an output that is not computed.
ABSENT = _Absent()

Before = Callable[[int, list[Any]], Any]
After = Callable[[int, list[Any], list[Any], Any], None]


class Relink(Protocol):
    """A callable that links a function again, without an observer: see `Observer.attach_to`."""

    @property
    def outputs(self) -> list[Variable]:
        """The values that the function computes."""

    def __call__(
        self,
        rewrites: Sequence[str] = ...,
        outputs: Sequence[Variable] | None = ...,
        conditional: Sequence[tuple[Variable, Variable]] = ...,
    ) -> Function:
        """Return the function; one of other outputs where they are given."""


class Observer(Protocol):
    """The observer as `_core.link` knows it: see python/bindings/call/observer.h.

    ``before(node, inputs)`` is called when a thunk is about to run; ``after(node, inputs, outputs,
    begun)`` when it did, with the result of ``before``; either may be None. ``node`` is the index
    of one of the function's nodes. What they raise ends the call and is reported as the node's.
    """

    absent: ClassVar[Any]
    first: int

    @property
    def before(self) -> Before | None:
        """Called before a thunk runs."""

    @property
    def after(self) -> After | None:
        """Called after a thunk ran."""

    @property
    def started(self) -> Callable[[list[Any], float], Any] | None:
        """Called when a call begins: with the arguments, and the seconds of calls before it.

        These are what the calls took that it was not told of, since the last one that it was.
        """

    @property
    def finished(self) -> Callable[[Any, Any], int | None] | None:
        """Called with the outputs, and what `started` returned, before anything is updated.

        It may return a number: in so many calls from now on it is told of new thunks alone. A
        node's thunk is new in its first `first` runs, and whenever its inputs have new layouts or
        dtypes. With `first` 0 it is told of none.
        """

    def attach_to(self, function: Function, relink: Relink) -> None:
        """Tell of which function it is, before the first call.

        ``relink(rewrites)`` makes the same function without an observer, whose outputs are all that
        it computes: its outputs, and then the new values of its updates. ``conditional`` are pairs
        (shared, value): the shared variable gets the value in calls in which it is computed.
        """


class NodeObserver:
    """An observer that does nothing yet and knows the nodes by their index."""

    absent: ClassVar[Any] = ABSENT
    first: int = 0
    before: Before | None = None
    after: After | None = None
    started: Callable[[list[Any], float], Any] | None = None
    finished: Callable[[Any, Any], int | None] | None = None

    def __init__(self) -> None:
        self.nodes: list[Apply] = []
        self._forms: list[str] = []
        self._function: weakref.ref[Function] | None = None

    def attach_to(self, function: Function, relink: Relink) -> None:
        """Note the function and its nodes."""
        self._function = weakref.ref(function)
        self.nodes = [output.owner for output in function._nodes if output.owner is not None]

    def form(self, index: int) -> str:
        """Return the form of a node: "kernel", "c", "perform", "emitted", ..."""
        function = self.function
        if not self._forms and function is not None:
            self._forms = [row.form for row in function._node_forms()]
        return self._forms[index]

    @property
    def function(self) -> Function | None:
        """The function whose thunks it is told of, for as long as anybody else has it."""
        return None if self._function is None else self._function()


def name_of(node: Apply) -> str:
    """Return the node's Op and the line of the user's code that made it, for messages."""
    return f"{node.op}, made at {node.origin}" if node.origin else str(node.op)


def text_of(variable: Variable) -> str:
    """Return the variable's name, or the expression that it is, for messages."""
    return variable.name or str(variable)


def is_seen(node: Apply) -> bool:
    """Whether what a node does shows outside, as what `print_` prints: nobody runs it again."""
    return bool(getattr(node.op, "is_seen", False))
