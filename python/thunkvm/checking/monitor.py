"""`MonitorMode`: callbacks before and after each node that runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thunkvm._core import Apply, Function
from thunkvm._src.calls.mode import Mode
from thunkvm.checking.observer import ABSENT, NodeObserver

if TYPE_CHECKING:
    from thunkvm._rows import LinkerName, OptimizerName
    from thunkvm._src.calls.linkers import Linker
    from thunkvm._src.calls.mode import WhenCompiled

Callback = Callable[[Function | None, int, Apply, "MonitoredThunk"], Any]


@dataclass(frozen=True, slots=True)
class MonitoredThunk:
    """A node's values, as a callback of `MonitorMode` sees them.

    Attributes
    ----------
    inputs, outputs : list of one-element lists
        The values, ``fn.inputs[0][0]`` that of the first input. None stands for what is not there:
        all outputs before the node has run, and what a lazy node did not ask for.
    """

    inputs: list[list[Any]]
    outputs: list[list[Any]]


class Monitor(NodeObserver):
    """Calls the callbacks of a `MonitorMode`."""

    def __init__(self, pre: Callback | None, post: Callback | None) -> None:
        super().__init__()
        self._pre, self._post = pre, post
        self.before = None if pre is None else self._before
        self.after = None if post is None else self._after

    def _before(self, index: int, inputs: list[Any]) -> None:
        assert self._pre is not None
        node = self.nodes[index]
        outputs = [ABSENT] * len(node.outputs)
        self._pre(self.function, index, node, _thunk(inputs, outputs))

    def _after(self, index: int, inputs: list[Any], outputs: list[Any], begun: Any) -> None:
        assert self._post is not None
        self._post(self.function, index, self.nodes[index], _thunk(inputs, outputs))


def _thunk(inputs: list[Any], outputs: list[Any]) -> MonitoredThunk:
    return MonitoredThunk(_storage(inputs), _storage(outputs))


def _storage(values: list[Any]) -> list[list[Any]]:
    return [[None if value is ABSENT else value] for value in values]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class MonitorMode(Mode):
    """A mode that calls functions of yours before and after each node that runs.

    Nodes run as they do without it, by native kernels where they have one, but none is fused with
    others. A node that nobody demands does not run, and no callback tells of it; a lazy node is
    told of each time it is entered. An ``ifelse`` is a branch, not a node that runs: what is told
    of are the nodes in the arm that it takes.

    Parameters
    ----------
    pre_func, post_func : callable, optional
        Called as ``func(function, i, node, fn)``, as PyTensor does. `function` is the `Function`;
        its ``inputs`` and ``outputs`` are Variables, as a FunctionGraph's. `i` is the node's index
        in ``function.explain()``, `node` the `Apply`. `fn` has its values: ``fn.inputs[0][0]`` is
        that of the first input, ``fn.outputs`` likewise (None before it ran). What they raise ends
        the call. Values are the machine's own: do not write to them.
    optimizer : {"fast_run", "fast_compile"}, optional
        How the graph is rewritten, as for `Mode`; by default it is monitored as it was written.
    linker : str
        As for `Mode`; ``"c|py"`` has each node run as emitted C.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def show(function, i, node, fn):
    ...     print(i, node.op, [float(value[0]) for value in fn.outputs])
    >>> c, x = tv.scalar("c"), tv.scalar("x")
    >>> y = tv.ifelse(c > 0, tv.sqrt(x), -x)
    >>> f = tv.function([c, x], y + 1, mode=tv.MonitorMode(post_func=show))
    >>> float(f(1.0, 9.0))
    0 gt [1.0]
    2 sqrt [3.0]
    4 add [4.0]
    4.0
    """

    pre_func: Callback | None = None
    post_func: Callback | None = None

    def __init__(
        self,
        pre_func: Callback | None = None,
        post_func: Callback | None = None,
        optimizer: OptimizerName | None = None,
        linker: LinkerName | Linker = "cvm",
        gc: bool = True,
        compile: WhenCompiled | None = None,
        features: frozenset[str] | None = None,
    ) -> None:
        for name, function in (("pre_func", pre_func), ("post_func", post_func)):
            if function is not None and not callable(function):
                raise TypeError(
                    f"{name} is {function!r}; it has to be a callable that takes (function, i, "
                    "node, fn), or None."
                )
            object.__setattr__(self, name, function)
        self._set_fields(linker, optimizer, gc, compile, features)

    @property
    def name(self) -> str:
        """``"MonitorMode"``."""
        return "MonitorMode"

    def observer(self) -> Monitor:
        """Return the observer that calls the callbacks."""
        return Monitor(self.pre_func, self.post_func)
