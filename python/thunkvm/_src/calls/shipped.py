"""A function that calls in other processes are made of: sent as a pickle, made once in each."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from thunkvm._core import Function

if TYPE_CHECKING:
    from thunkvm.profile import FunctionRecord

#: How many functions a process keeps for the next chunk of calls.
KEPT = 32


class ShippedFunction:
    """A function, and what it is to other processes: a pickle with a fingerprint.

    A process that reads one makes the function once, and keeps it under the fingerprint. A function
    with updates is made anew for each chunk of calls: it begins with the values that were sent.
    The process that the function is from gets that itself back.

    Parameters
    ----------
    function : Function
        It is pickled when this is pickled first.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.calls.shipped import ShippedFunction
    >>> x = tv.scalar("x")
    >>> shipped = ShippedFunction(tv.function([x], x + 1.0))
    >>> shipped.call_each(lambda f, item: f(item), [1.0, 2.0])
    ([np.float64(2.0), np.float64(3.0)], {})
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self._record_lock = Lock()
        self._written: tuple[str, bytes] | None = None
        self._is_away = False

    def call_each(
        self,
        call: Callable[[Any, Any], Any],
        items: Sequence[Any],
        kinds: Sequence[Any] = (),
    ) -> tuple[list[Any], dict[str, FunctionRecord]]:
        """Return the results of calls, and what was recorded of them away from the function.

        Parameters
        ----------
        call : callable
            From the function and an item to a result.
        items : sequence
            What to call it for.
        kinds : sequence of str
            The kinds of profiles that are being recorded where the function is from.
        """
        if not self._is_away or not kinds:
            return [call(self.function, item) for item in items], {}
        # Calls of other threads would be in the records too.
        with self._record_lock, ExitStack() as blocks:
            made = {kind: blocks.enter_context(self.function.profile(kind)) for kind in kinds}
            results = [call(self.function, item) for item in items]
        found = {kind: block.functions for kind, block in made.items()}
        return results, {kind: functions[0] for kind, functions in found.items() if functions}

    def __reduce__(self) -> tuple[Callable[..., ShippedFunction], tuple[Any, ...]]:
        """Return how another process has it."""
        if self._written is None:
            written = _pickle_function(self.function)
            self._written = sha256(written).hexdigest(), written
        fingerprint, written = self._written
        _sent[os.getpid(), fingerprint] = self
        return receive_function, (fingerprint, written, bool(self.function.updates))


def receive_function(fingerprint: str, written: bytes, has_updates: bool) -> ShippedFunction:
    """Return a function that was sent: the one that this process has, or a new one."""
    own = _sent.get((os.getpid(), fingerprint))
    if own is not None:
        return own
    if has_updates:
        return _load_function(written)
    with _lock:  # another thread of this process may be about to make it
        shipped = _kept.get(fingerprint)
        if shipped is None:
            shipped = _kept[fingerprint] = _load_function(written)
        _kept.move_to_end(fingerprint)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return shipped


def _load_function(written: bytes) -> ShippedFunction:
    shipped = ShippedFunction(pickle.loads(written))
    shipped._is_away = True
    return shipped


def _pickle_function(function: Function) -> bytes:
    """Return a pickle; it holds what another process cannot import from ``__main__``."""
    written = pickle.dumps(function)
    if b"__main__" in written:
        try:
            import cloudpickle
        except ImportError:
            return written
        written = cloudpickle.dumps(function)
    return written


_lock = Lock()
_kept: OrderedDict[str, ShippedFunction] = OrderedDict()
#: By process too: a process that was forked has those of its parent.
_sent: WeakValueDictionary[tuple[int, str], ShippedFunction] = WeakValueDictionary()

__all__ = ["ShippedFunction", "receive_function"]
