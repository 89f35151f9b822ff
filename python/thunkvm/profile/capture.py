"""From the core's counts and times of a function's calls to a `FunctionRecord`."""

from __future__ import annotations

from functools import cache
from typing import Any

from thunkvm import _core
from thunkvm._src.views.explanation import counted_name
from thunkvm._src.views.expression import cut_text, expression
from thunkvm._src.views.origin import location_of, source_line
from thunkvm.profile.captured_loops import by_steps, loop_rows
from thunkvm.profile.condition_rows import (
    ArmRow,
    ConditionRow,
    RegionRow,
    break_even,
    estimated_saving,
)
from thunkvm.profile.conditions import Condition, ProgramRegions
from thunkvm.profile.rows import CallRow, Event, FunctionRecord, GroupRow, NodeRow, Overheads

#: The parts of a call beside its program, in the order of the core's sites.
PARTS = tuple(_core.CallPart.__members__)
#: The forms of nodes in groups of emitted code; in a group of another kind a node has its thunk's.
FORMS = {"expression": "emitted", "fused": "fused"}
#: The fields of a group's site that its row has.
OF_GROUPS = ("runs", "self_time", "flops", "bytes_moved")
WIDTH = 40


def capture(
    function: _core.Function, recording: _core.Recording, threads: dict[int, int] | None = None
) -> FunctionRecord:
    """Return the record of a function's calls until now.

    Parameters
    ----------
    function : Function
        The function.
    recording : Recording
        What the core recorded of it.
    threads : dict of int to int, optional
        A small number for each thread, which the functions of one profile have in common: threads
        that are not in it are added.
    """
    numbers = {} if threads is None else threads
    return _Capture(function, recording.read(), numbers).record()


def counted_record(function: _core.Function) -> FunctionRecord:
    """Return what every function counts: how often its nodes ran, and its branches took an arm."""
    return _Capture(function, function._counted(), {}).record()


class _Capture:
    def __init__(
        self,
        function: _core.Function,
        data: _core.RecordingReport,
        threads: dict[int, int],
    ) -> None:
        self.function = function
        self.data = data
        self.groups = data.groups
        self.threads = threads
        for call in data.calls:
            threads.setdefault(call.thread, len(threads))
        self.program = ProgramRegions(function)
        self.sites = data.sites
        self.first_group = data.first_group
        self.n_nodes = len(self.program.nodes)
        self.spent = self._region_seconds()

    def record(self) -> FunctionRecord:
        mode = self.function.mode
        conditions = tuple(map(self._condition, range(len(self.program.conditions))))
        return FunctionRecord(
            name=self.function._shown,
            mode="" if mode is None else mode.name,
            n_calls=self.data.n_calls,
            nodes=self._nodes(),
            conditions=conditions,
            loops=loop_rows(self.program, self.data.loops, conditions),
            regions=tuple(
                RegionRow(index=index, **region._asdict())
                for index, region in enumerate(self.program.schedule.regions)
            ),
            groups=tuple(
                GroupRow(
                    index=index, nodes=tuple(nodes), kind=kind,
                    **{name: getattr(self._group(index), name) for name in OF_GROUPS},
                )
                for index, (nodes, kind) in enumerate(self.groups)
            ),
            calls=self._calls(),
            overheads=self._overheads(),
            events=self._events(),
            dropped_events=self.data.n_events - len(self.data.events),
        )  # fmt: skip

    def _group(self, index: int) -> _core.SiteRow:
        return self.sites[self.first_group + index]

    def _region_seconds(self) -> list[float]:
        """Return the seconds in each region, those around it aside."""
        spent: list[float] = list(self.data.regions)
        for region, site in zip(self.program.node_regions, self.sites, strict=False):
            if region is not None:
                spent[region] += site.self_time
        for number in reversed(range(len(spent))):  # what is inside comes after what is around it
            block = self.program.blocks[number]
            # A memo body's seconds are its caller's.
            if block.kind in ("arm", "step") and block.within is not None:
                spent[block.within] += spent[number]
        return spent

    def _nodes(self) -> tuple[NodeRow, ...]:
        variables = self.program.nodes
        index_of = {first.owner: number for number, first in enumerate(variables)}
        returned = {v.owner for v in self.function.outputs}
        returned |= {value.owner for _, value in self.function.updates}
        group_of = {node: g for g, (nodes, _) in enumerate(self.groups) for node in nodes}
        demanded_by = self._demanders()
        below = self._demanded_seconds()
        rows = []
        for number, (name, op, form, _, _) in enumerate(self.function._node_rows()):
            owner = variables[number].owner
            assert owner is not None
            site = self.sites[number]
            region = self.program.node_regions[number]
            file, line = location_of(owner)
            inputs = tuple(
                index_of[v.owner]
                if v.owner in index_of
                else v.name or cut_text(expression(v), WIDTH)
                for v in owner.inputs
            )
            in_group = group_of.get(number)
            rows.append(
                NodeRow(
                    index=number, op=op, op_class=class_of(owner.op), name=name, file=file,
                    line=line, source=source_line(owner),
                    region=self.program.words(region), region_index=self.program.innermost(region),
                    memoised=self.program.is_memoised(region),
                    form=form if in_group is None else FORMS.get(self.groups[in_group].kind, form),
                    group=in_group,
                    inputs=inputs, type=_core.type_text(variables[number]),
                    output=owner in returned, counted=counted_name(owner) or "",
                    entered=self.data.node_runs[number],
                    total_time=site.self_time + below.get(number, 0.0),
                    first_demanded_by=demanded_by.get(number),
                    **site._asdict(),
                )
            )  # fmt: skip
        return tuple(rows)

    def _demanders(self) -> dict[int, int]:
        """Return which node needed a memo body's value first."""
        found = {}
        for memo, pc in enumerate(self.data.demanders):
            demander = None if pc is None else self.program.schedule.demanders[pc]
            if demander is not None:
                found[self.program.schedule.memos[memo]] = demander
        return found

    def _demanded_seconds(self) -> dict[int, float]:
        """Return the seconds in what each conditional and lazy node demanded."""
        found: dict[int, float] = {}
        for number, condition in enumerate(self.program.conditions):
            found[condition.node] = sum(
                self._arm_time(number, arm) for arm in range(len(condition.arms))
            )
        for node, regions in self.program.input_regions.items():
            found[node] = sum(self.spent[region] for region in regions)
        return found

    def _arm_time(self, condition: int, arm: int) -> float:
        return sum(self.spent[region] for region in self.program.arm_regions[condition, arm])

    def _condition(self, number: int) -> ConditionRow:
        condition = self.program.conditions[number]
        first = condition.branches[0]
        tally = self.data.branches[first]
        order = [condition.arm(arm) for arm in range(len(condition.arms))]
        arms = tuple(
            self._arm(number, condition, arm, tally.arms) for arm in range(len(condition.arms))
        )
        owner = self.program.nodes[condition.node].owner
        assert owner is not None
        file, line = location_of(owner)
        return ConditionRow(
            index=number, node=condition.node, text=condition.text, file=file, line=line,
            evaluations=sum(tally.arms), flips=tally.flips, arms=arms,
            saved=estimated_saving(arms), break_even=break_even(arms), loop=tally.loop,
            by_steps=by_steps(tally.by_steps, len(order), order),
        )  # fmt: skip

    def _arm(self, number: int, condition: Condition, arm: int, taken: list[int]) -> ArmRow:
        return ArmRow(
            name=condition.arms[arm], taken=taken[condition.arm(arm)],
            time=self._arm_time(number, arm),
            nodes=tuple(self.program.nodes_in[number, arm]),
            idle=all(self.program.blocks[b].idle for b in self.program.arm_regions[number, arm]),
        )  # fmt: skip

    def _calls(self) -> tuple[CallRow, ...]:
        rows = []
        for number, call in enumerate(self.data.calls, self._first_call):
            arms = dict.fromkeys(self.program.decision(*decision) for decision in call.decisions)
            rows.append(
                CallRow(
                    index=number, thread=self.threads[call.thread], arms=tuple(arms),
                    **{name: getattr(call, name) for name in _core.CallTimes._fields},
                )
            )  # fmt: skip
        return tuple(rows)

    @property
    def _first_call(self) -> int:
        """The number of the first call that was kept: of very many the latest are."""
        return self.data.n_calls - len(self.data.calls)

    def _overheads(self) -> Overheads:
        parts: dict[str, Any] = {
            name: self.sites[self.n_nodes + number].self_time for number, name in enumerate(PARTS)
        }
        made: dict[str, Any] = dict(self.function._making)
        in_c, cache_hits = made.pop("compile"), made.pop("cache_hits")  # of its Ops
        return Overheads(
            **made, **parts, compile=self.data.compile + in_c,
            compile_background=self.data.compile_background,
            cache_hits=self.data.cache_hits + cache_hits, changeover=self.data.changeover,
        )  # fmt: skip

    def _events(self) -> tuple[Event, ...]:
        if not self.data.n_events:
            return ()
        number_of = self.threads
        calls = list(enumerate(self.data.calls, self._first_call))
        call_of = {call.id: number for number, call in calls}
        rows = [
            Event(
                thread=number_of[call.thread], start=call.start, duration=call.gross, kind="call",
                call=number,
            )
            for number, call in calls
        ]  # fmt: skip
        for start, seconds, site, call, thread in self.data.events:
            node = group = None
            if site < self.n_nodes:
                kind, node = "node", site
            elif site < self.first_group:
                kind = PARTS[site - self.n_nodes]
            else:
                kind, group = "group", site - self.first_group
            rows.append(
                Event(
                    thread=number_of.get(thread, 0), start=start, duration=seconds, node=node,
                    group=group, kind=kind, call=call_of.get(call),
                )
            )  # fmt: skip
        for start, seconds, loop, step, call, thread in self.data.steps:
            rows.append(
                Event(
                    thread=number_of.get(thread, 0), start=start, duration=seconds, kind="step",
                    node=self.data.loops[loop].node, call=call_of.get(call), step=step,
                )
            )  # fmt: skip
        return tuple(rows)


def class_of(op: Any) -> str:
    """Return the name of an Op's class; of a built-in one its family.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.profile.capture import class_of
    >>> class_of(tv.sum(tv.vector("x")).owner.op)
    'reduction'
    """
    if not isinstance(op, _core.BuiltinOp):
        return type(op).__name__
    return _families().get(op.name, "control")  # what decides is not looked up by name


@cache
def _families() -> dict[str, str]:
    return {proto["name"]: proto["family"] for proto in _core.op_protos()}
