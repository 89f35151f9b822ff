"""`NanGuardMode`: stops at the node that makes the first NaN, infinity or huge number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm._core import Apply
from thunkvm._src.calls.mode import Mode
from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.checking.observer import ABSENT, NodeObserver, name_of, text_of

if TYPE_CHECKING:
    from thunkvm._rows import LinkerName, OptimizerName
    from thunkvm._src.calls.linkers import Linker
    from thunkvm._src.calls.mode import WhenCompiled

#: The magnitude beyond which values are big, as in PyTensor.
BIG = 1e10
ACTIONS = ("raise", "warn", "pdb")


class NanGuardError(AssertionError):
    """A NaN, an infinity or a huge number where `NanGuardMode` allows none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.log(x), mode="NanGuardMode")
    >>> try:
    ...     f(-1.0)
    ... except tv.NanGuardError as error:
    ...     print(str(error).split(", made at")[0])
    NaN value nan in output 0 of the node log
    """

    __module__ = "thunkvm"


class NanGuardWarning(RuntimeWarning):
    """The same as a warning, for ``action="warn"``.

    Examples
    --------
    >>> import warnings
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.log(x), mode=tv.NanGuardMode(action="warn"))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = f(-1.0)
    >>> caught[0].category is tv.NanGuardWarning
    True
    """

    __module__ = "thunkvm"


class NanGuard(NodeObserver):
    """Looks at the values of each node that runs."""

    def __init__(self, nan: bool, inf: bool, big: bool, action: str) -> None:
        super().__init__()
        self._kinds = tuple(
            kind for kind, asked in (("NaN", nan), ("infinite", inf), ("big", big)) if asked
        )
        self._action = action
        if self._kinds:
            self.before = self._before
            self.after = self._after

    def _before(self, index: int, inputs: list[Any]) -> None:
        """Look at the inputs that no node has computed; constants are what the user wrote."""
        node = self.nodes[index]
        for i, value in enumerate(inputs):
            source = node.inputs[i]
            if source.leaf not in ("input", "shared"):
                continue
            if found := self._find_number(value):
                what = "the argument" if source.leaf == "input" else "the shared variable"
                self._report_message(
                    f"{found[1]} in {what} {text_of(source)}, which is input {i} of the node "
                    f"{name_of(node)}."
                )

    def _after(self, index: int, inputs: list[Any], outputs: list[Any], begun: Any) -> None:
        node = self.nodes[index]
        for j, value in enumerate(outputs):
            if found := self._find_number(value):
                from_inputs = [i for i, given in enumerate(inputs) if self._has(given, found[0])]
                if from_inputs and self._action != "raise":
                    continue  # it was told of where it came from
                self._report_message(
                    f"{found[1]} in output {j} of the node {name_of(node)}, "
                    f"{text_of(node.outputs[j])}. " + _origin(node, inputs, from_inputs, found[0])
                )

    def _find_number(self, value: Any) -> tuple[str, str] | None:
        """Return the first kind of number that is not allowed, and a text that says where it is."""
        if isinstance(value, float) and -BIG <= value <= BIG:
            return None
        for array in _arrays(value):
            if len(self._kinds) == 3 and bool(np.all(np.abs(array) <= BIG)):
                continue
            for kind in self._kinds:
                wrong = _wrong(array, kind)
                if wrong.any():
                    return kind, _describe_place(array, wrong, kind)
        return None

    @staticmethod
    def _has(value: Any, kind: str) -> bool:
        return any(bool(_wrong(array, kind).any()) for array in _arrays(value))

    def _report_message(self, message: str) -> None:
        if self._action == "raise":
            raise NanGuardError(message)
        if self._action == "warn":
            warnings.warn(message, NanGuardWarning, stacklevel=3)
            return
        print(f"NanGuardMode: {message}")
        breakpoint()


def _arrays(value: Any) -> Iterator[np.ndarray]:
    """Yield what has floating-point numbers: the value, or what lists, tuples and dicts hold."""
    if value is ABSENT:
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _arrays(item)
    elif isinstance(value, (np.ndarray, np.generic, float, complex)):
        array = np.asarray(value)
        if array.dtype.kind in "fc":
            yield array


def _wrong(array: np.ndarray, kind: str) -> np.ndarray:
    """Which elements are of a kind."""
    with np.errstate(all="ignore"):
        if kind == "NaN":
            return np.asarray(np.isnan(array))
        if kind == "infinite":
            return np.asarray(np.isinf(array))
        return np.asarray(np.isfinite(array) & (np.abs(array) > BIG))


def _describe_place(array: np.ndarray, wrong: np.ndarray, kind: str) -> str:
    if array.ndim == 0:
        return f"{kind} value {array[()]}"
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    count = int(wrong.sum())
    return (
        f"{count} of {array.size} elements {'is' if count == 1 else 'are'} {kind}, the first at "
        f"{first} ({array[first]}),"
    )


def _origin(node: Apply, inputs: list[Any], carriers: list[int], kind: str) -> str:
    """Say which inputs brought it along, or that the node made it, and of what."""
    if carriers:
        shown = ", ".join(f"input {i}, {text_of(node.inputs[i])}" for i in carriers)
        return f"It came with {shown}."
    ranges = [
        f"input {i}, {text_of(node.inputs[i])}, {_range(value)}"
        for i, value in enumerate(inputs)
        if value is not ABSENT
    ]
    made = "It was made here: no input has one."
    return made + (f" The inputs are {'; '.join(ranges)}." if ranges else "")


def _range(value: Any) -> str:
    arrays = [array for array in _arrays(value) if array.size and array.dtype.kind == "f"]
    if not arrays:
        return f"of type {type(value).__name__}"
    with np.errstate(all="ignore"):
        low, high = min(np.nanmin(a) for a in arrays), max(np.nanmax(a) for a in arrays)
    return f"from {low:.6g} to {high:.6g}" if low != high else f"of {low:.6g}"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class NanGuardMode(Mode):
    """A mode that stops at the node that makes the first NaN, infinity or big number.

    Looks at what each node that runs computed, and at the arguments and shared variables that it
    reads; constants may be what they are. A node that nobody demands does not run and is not looked
    at. The error says which node it is, the line that made it, and where the first such element is.
    It says whether the element came with an input, or was made of inputs that have none.

    Parameters
    ----------
    nan_is_error, inf_is_error, big_is_error : bool
        What is not allowed. Big is what is above 1e10, as in PyTensor.
    optimizer : {"fast_run", "fast_compile"}, optional
        How the graph is rewritten, as for `Mode`; by default it runs as it was written.
    linker : str
        As for `Mode`.
    action : {"raise", "warn", "pdb"}
        What to do: raise `NanGuardError` (an AssertionError, as in PyTensor), warn, or stop in the
        debugger. The latter two tell of where it arises alone, not of all that is computed of it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.log(x).sum(), mode=tv.NanGuardMode())
    >>> float(f([1.0, 1.0]))
    0.0
    >>> f([1.0, -1.0])                                                    # doctest: +ELLIPSIS
    Traceback (most recent call last):
    thunkvm.NanGuardError: 1 of 2 elements is NaN, the first at (1,) (nan), ...
    """

    nan_is_error: bool = True
    inf_is_error: bool = True
    big_is_error: bool = True
    action: str = "raise"

    def __init__(
        self,
        nan_is_error: bool = True,
        inf_is_error: bool = True,
        big_is_error: bool = True,
        optimizer: OptimizerName | None = None,
        linker: LinkerName | Linker = "cvm",
        action: str = "raise",
        gc: bool = True,
        compile: WhenCompiled | None = None,
        features: frozenset[str] | None = None,
    ) -> None:
        object.__setattr__(self, "nan_is_error", bool(nan_is_error))
        object.__setattr__(self, "inf_is_error", bool(inf_is_error))
        object.__setattr__(self, "big_is_error", bool(big_is_error))
        if action not in ACTIONS:
            raise ValueError(
                f"action is {action!r}; it has to be one of {', '.join(ACTIONS)}."
                + did_you_mean(str(action), ACTIONS)
            )
        object.__setattr__(self, "action", action)
        self._set_fields(linker, optimizer, gc, compile, features)

    @property
    def name(self) -> str:
        """``"NanGuardMode"``."""
        return "NanGuardMode"

    def observer(self) -> NanGuard:
        """Return the observer that looks at the nodes."""
        return NanGuard(self.nan_is_error, self.inf_is_error, self.big_is_error, self.action)


__all__ = ["BIG", "NanGuardError", "NanGuardMode", "NanGuardWarning"]
