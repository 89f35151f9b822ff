"""Records of the decisions of calls: ``with f.record() as r``."""

from __future__ import annotations

from thunkvm import _core
from thunkvm._src.views.origin import location_of
from thunkvm.profile.conditions import Condition, ProgramRegions
from thunkvm.profile.decisions import Decided, Decisions, Turns
from thunkvm.profile.keys import number_keys


class RecordBlock(Decisions):
    """Decisions that are kept of the calls of a ``with`` block."""

    def __init__(self, function: _core.Function) -> None:
        self._function = function
        super().__init__(decided_conditions(function), [])
        self.in_loops = []

    def __enter__(self) -> Decisions:
        """Keep the decisions of calls from now on."""
        self._recording = self._function._record(steps=True)
        return self

    def __exit__(self, *raised: object) -> None:
        """Keep no further ones."""
        self._recording.stop()
        regions = ProgramRegions(self._function)
        for call in self._recording.calls():
            self.calls.append(tuple(dict.fromkeys(regions.decision(*d) for d in call.decisions)))
            self.in_loops.append(_turns(regions, call.in_loops))
        self.first = self._recording.count() - len(self.calls)


def _turns(regions: ProgramRegions, in_loops: list[_core.LoopDecisions]) -> tuple[Turns, ...]:
    """Return what conditions were of what their branches were: those of one decide alike."""
    found: dict[int, Turns] = {}
    for branch, runs in in_loops:
        index = regions.condition_of[branch]
        arm = regions.conditions[index].arm
        found.setdefault(index, Turns(index, tuple((arm(taken), times) for taken, times in runs)))
    return tuple(found.values())


def record(function: _core.Function) -> RecordBlock:
    """Return a block that keeps which way the conditions of each call in it went.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, x, -x), mode="vm")
    >>> with f.record() as r:
    ...     _ = f(1.0), f(-3.0)
    >>> [r.outcomes(call) for call in range(len(r))]
    [{'x > 0.0': True}, {'x > 0.0': False}]
    """
    return RecordBlock(function)


def decided_conditions(function: _core.Function) -> list[Decided]:
    """Return the conditions of a function."""
    names = [row.node for row in function._node_rows()]
    nodes = function._nodes
    conditions = ProgramRegions(function).conditions
    order = sorted(conditions, key=lambda condition: condition.node)
    made = ((condition.text, *_location(nodes[condition.node])) for condition in order)
    found: dict[Condition, Decided] = {}
    for condition, (where, position) in zip(order, number_keys(made), strict=True):
        found[condition] = Decided(names[condition.node], *where, condition.arms, position)
    return [found[condition] for condition in conditions]


def _location(node: _core.Variable) -> tuple[str, int]:
    assert node.owner is not None
    return location_of(node.owner)
