"""Profiles that are being recorded: of a function made with `profile=`, and of blocks."""

from __future__ import annotations

from typing import Any, Literal
from weakref import ref

from thunkvm import _core
from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.profile.capture import capture, counted_record
from thunkvm.profile.record import Profile
from thunkvm.profile.rows import FunctionRecord, Kind

#: The records that the core keeps for each kind.
KINDS: dict[str, dict[str, bool]] = {
    "count": {},
    "time": {"times": True},
    "trace": {"times": True, "events": True},
    "memory": {"times": True, "memory": True},
}
#: Where a function keeps the kind of its own profile, and a weak reference to the profile last
#: handed out: the profile has the function, which would else keep itself alive.
OWN = "_own_profile"
#: Where a function made with `profile=` keeps the records of its calls in other processes.
ELSEWHERE = "_recorded_elsewhere"


def check_kind(kind: Any) -> Kind:
    """Return the kind that ``profile=`` asks for; True stands for ``"time"``.

    Raises
    ------
    ValueError
        If there is no such kind.

    Examples
    --------
    >>> from thunkvm.profile.live import check_kind
    >>> check_kind(True)
    'time'
    """
    if kind is True:
        return "time"
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(
            f"profile is {kind!r}; it has to be one of {', '.join(map(repr, KINDS))}, or True "
            "for 'time'." + did_you_mean(str(kind), KINDS)
        )
    return kind  # type: ignore[return-value]


class LiveProfile(Profile):
    """A profile that grows with each call that ends, from `start` to `stop`, or in a ``with``.

    It is read like any `Profile`: what is read is what was recorded by then.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.exp(x), mode="vm")
    >>> p = tv.profile("count")
    >>> p.start()
    >>> _ = f([1.0])
    >>> p.functions[0].n_calls
    1
    >>> _ = f([2.0])
    >>> p.stop()
    >>> p.functions[0].n_calls
    2
    """

    _to_start: tuple[_core.Function, ...]
    _sources: list[tuple[_core.Function, _core.Recording]]
    _seen: list[tuple[int, bool]]  # the counts that the records were made of
    _records: tuple[FunctionRecord, ...]
    _elsewhere: list[FunctionRecord]  # of calls in other processes

    def __init__(self, kind: Kind, *functions: _core.Function) -> None:
        """Record nothing yet; these functions once it starts."""
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "_to_start", functions)
        object.__setattr__(self, "_sources", [])
        object.__setattr__(self, "_seen", [])
        object.__setattr__(self, "_elsewhere", [])

    def start(self) -> None:
        """Record calls from now on."""
        _open.append(ref(self))
        for function in self._to_start:
            self.add(function)

    def add(self, function: _core.Function) -> None:
        """Record the calls of one more function."""
        if all(function is not other for other, _ in self._sources):
            self._sources.append((function, function._record(**KINDS[self.kind])))

    def take_in(self, record: FunctionRecord) -> None:
        """Add what another process recorded of calls of a function that this records."""
        from thunkvm.profile.merging import merge

        before, new = (
            Profile(functions=functions, kind=self.kind)
            for functions in (tuple(self._elsewhere), (record,))
        )
        self._elsewhere[:] = merge(before, new).functions

    def stop(self) -> None:
        """Record no further call."""
        _open[:] = [other for other in _open if other() is not None and other() is not self]
        for _, recording in tuple(self._sources):
            recording.stop()

    def __enter__(self) -> LiveProfile:
        """Record calls from now on."""
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Record no further call."""
        self.stop()

    @property
    def functions(self) -> tuple[FunctionRecord, ...]:
        """The record of each function that was called."""
        sources = tuple(self._sources)  # another thread may add to it meanwhile
        counts = [(recording.count(), recording.compiled) for _, recording in sources]
        if self._seen != counts or not counts:
            threads: dict[int, int] = {}
            records = tuple(
                capture(function, recording, threads)
                for (function, recording), (count, _) in zip(sources, counts, strict=True)
                if count
            )
            object.__setattr__(self, "_seen", counts)
            object.__setattr__(self, "_records", records)
        if not self._elsewhere:
            return self._records
        from thunkvm.profile.merging import merge

        here = Profile(functions=self._records, kind=self.kind)
        elsewhere = Profile(functions=tuple(self._elsewhere), kind=self.kind)
        return merge(here, elsewhere).functions

    @property
    def clock_cost(self) -> float:
        """Seconds that one reading of the clock takes; it is subtracted from the times already."""
        return _core.recording_cost() if KINDS[self.kind].get("times") else 0.0


class FunctionProfile(LiveProfile):
    """What ``f.profile`` is: the record of a function made with ``profile=``; called, a block.

    For a function that was made without it: how often its nodes ran and its branches took each
    arm, which is counted always.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, tv.exp(x), x), mode="vm")
    >>> with f.profile("count") as p:
    ...     _ = f(1.0), f(-1.0), f(-2.0)
    >>> {node.op: node.runs for node in p.functions[0].nodes}
    {'gt': 3, 'exp': 1, 'ifelse': 3}
    >>> [(arm.name, arm.taken) for arm in p.functions[0].conditions[0].arms]
    [('then', 1), ('else', 2)]
    """

    def __call__(self, kind: Kind | Literal[True] = "time") -> LiveProfile:
        """Return a profile of the calls in a ``with`` block; outside of it they run as always.

        Parameters
        ----------
        kind : {"count", "time", "trace", "memory"} or True
            How much to record; True is ``"time"``.
        """
        return LiveProfile(check_kind(kind), *self._to_start)

    @property
    def functions(self) -> tuple[FunctionRecord, ...]:
        """The function's record."""
        if self._sources:
            return super().functions
        (function,) = self._to_start
        return (counted_record(function),)


def profile_of(function: _core.Function) -> FunctionProfile:
    """Return a function's own profile; what ``f.profile`` is."""
    recording = function._own_recording()
    if recording is None:
        return FunctionProfile("count", function)
    kind, view = vars(function)[OWN]
    own: FunctionProfile | None = None if view is None else view()
    if own is None:
        own = FunctionProfile(kind, function)
        own._sources.append((function, recording))
        object.__setattr__(own, "_elsewhere", vars(function).setdefault(ELSEWHERE, []))
        vars(function)[OWN] = kind, ref(own)
    return own


#: The attributes of functions.
OF_FUNCTIONS = property(
    profile_of, doc="The record of a function made with profile=; called, a block that profiles."
)


def own_profile(function: _core.Function, kind: Any, *, compile: bool) -> None:
    """Have all calls of a new function recorded in its profile."""
    vars(function)[OWN] = check_kind(kind), None
    recording = function._record(own=True, **KINDS[check_kind(kind)])
    if compile:
        recording.compile()


class AllFunctions(LiveProfile):
    """A profile of all functions that are called in a block."""

    def start(self) -> None:
        """Record the calls of all functions from now on."""
        _all.append(self)
        _core.watch_functions(_add_called)

    def stop(self) -> None:
        """Record no further call."""
        if self in _all:
            _all.remove(self)
        _core.watch_functions(_add_called if _all else None)
        super().stop()

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        """Two blocks are two."""
        return self is other


def _add_called(function: _core.Function) -> None:
    """Take in a function that is called for the first time since a block began."""
    for block in _all:
        block.add(function)


_all: list[AllFunctions] = []
#: The blocks of single functions that record.
_open: list[ref[LiveProfile]] = []


def recorders(function: _core.Function) -> list[LiveProfile]:
    """Return the profiles that record the calls of a function now.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.profile.live import recorders
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], x + 1.0, mode="vm")
    >>> with f.profile("count"), tv.profile("time"):
    ...     [profile.kind for profile in recorders(f)]
    ['count', 'time']
    """
    found: list[LiveProfile] = [] if function._own_recording() is None else [profile_of(function)]
    blocks = [block for block in (other() for other in _open) if block is not None]
    found += [block for block in blocks if any(function is f for f in block._to_start)]
    return [*found, *_all]


def profile(kind: Kind | Literal[True] = "time") -> LiveProfile:
    """Return a profile of all functions that are called in a ``with`` block.

    Parameters
    ----------
    kind : {"count", "time", "trace", "memory"} or True
        How much to record: how often each node ran and which way each branch went; times, too;
        with a trace of the latest events; with the bytes that each node made.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.exp(x), name="grow", mode="vm")
    >>> with tv.profile("count") as p:
    ...     _ = f(1.0), f(2.0)
    >>> [(function.name, function.n_calls) for function in p.functions]
    [('grow', 2)]
    """
    return AllFunctions(check_kind(kind))
