"""From the core's counts and times of a function's calls to a `FunctionRecord`."""

from __future__ import annotations

import linecache
from functools import cache
from typing import Any

from thunkvm import _core
from thunkvm._src.views.expression import cut, expression
from thunkvm._src.views.origin import location_of
from thunkvm.profile.captured_loops import by_steps, loop_rows
from thunkvm.profile.condition_rows import (
    ArmRow,
    ConditionRow,
    RegionRow,
    break_even,
    estimated_saving,
)
from thunkvm.profile.conditions import Condition, ProgramRegions
from thunkvm.profile.lazy_copies import LazyCopies
from thunkvm.profile.rows import CallRow, Event, FunctionRecord, GroupRow, NodeRow, Overheads
from thunkvm.profile.work import work_done

#: The parts of a call beside its program, in the order of the core's sites.
PARTS = _core.WORDS["CallPart"]
#: The forms of nodes in groups of emitted code; in a group of another kind a node has its thunk's.
FORMS = {"expression": "emitted", "fused": "fused"}
WIDTH = 40


def capture(
    function: _core.Function, recording: _core.Recording, threads: dict[int, int] | None = None
) -> FunctionRecord:
    """Return what was recorded of a function's calls until now.

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
    return _Capture(function, recording, {} if threads is None else threads).record()


def counted(function: _core.Function) -> FunctionRecord:
    """Return what every function counts: how often its nodes ran, and its branches took an arm."""
    runs, arms = function._counts()
    capture = _Capture(function, function._record(apart=True), {}, runs)
    tallies = [_core.BranchCounts(0, None, taken, []) for taken in arms]
    capture.data = capture.data._replace(branches=tallies)
    return capture.record()


class _Capture:
    def __init__(
        self,
        function: _core.Function,
        recording: _core.Recording,
        threads: dict[int, int],
        entered: list[int] | None = None,
    ) -> None:
        self.function = function
        self.data = recording.read()
        self.threads = threads
        for call in self.data.calls:
            threads.setdefault(call.thread, len(threads))
        self.program = ProgramRegions(function)
        self.sites = self.data.sites
        self.first_group = self.data.first_group
        self.groups = recording.groups()
        self.n_nodes = len(self.program.nodes)
        self.entered = self.data.node_runs if entered is None else entered
        self.runs = self._runs()
        self.work = work_done(self.program.nodes, self.runs, self.data, self.groups)
        self.self_times = self._self_times()
        self.spent = self._spent()

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
                for index, region in enumerate(self.program.arms)
            ),
            groups=tuple(
                GroupRow(
                    index=index, nodes=tuple(nodes), kind=kind,
                    runs=self._group(index).runs, self_time=self._group(index).self_time,
                    flops=self.work.groups[index].flops,
                    bytes_moved=self.work.groups[index].bytes_moved,
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

    def _runs(self) -> list[int]:
        """Return how often each node completed."""
        runs = [self.entered[i] - site.failed for i, site in enumerate(self.sites[: self.n_nodes])]
        for lazy in self.program.lazies:  # entered again and again until it has run
            if self.sites[lazy].runs:
                runs[lazy] = self.sites[lazy].runs
        return runs

    def _self_times(self) -> list[float]:
        """Return each node's time: what it took by itself, and its share of its groups'."""
        times = [site.self_time for site in self.sites[: self.n_nodes]]
        for index, (nodes, _) in enumerate(self.groups):
            for node in nodes:
                times[node] += self._group(index).self_time / len(nodes)
        return times

    def _spent(self) -> list[float]:
        """Return the seconds in each region, those around it aside."""
        spent: list[float] = list(self.data.regions)
        for region, seconds in zip(self.program.node_regions, self.self_times, strict=True):
            if region is not None:
                spent[region] += seconds
        for number in reversed(range(len(spent))):  # what is inside comes after what is around it
            block = self.program.blocks[number]
            if block.kind == "arm" and block.within is not None:  # a memo body's is its caller's
                spent[block.within] += spent[number]
        return spent

    def _nodes(self) -> tuple[NodeRow, ...]:
        variables = self.program.nodes
        index_of = {first.owner: number for number, first in enumerate(variables)}
        returned = {v.owner for v in self.function.outputs}
        returned |= {value.owner for _, value in self.function.updates}
        group_of = {node: g for g, (nodes, _) in enumerate(self.groups) for node in nodes}
        demanded_by = self._demanders()
        below = self._below()
        lazy_copies = LazyCopies(self.function, self.program)
        rows = []
        for number, (name, op, form, _, _) in enumerate(self.function._node_rows()):
            owner = variables[number].owner
            assert owner is not None
            site, runs = self.sites[number], self.runs[number]
            region = self.program.node_regions[number]
            file, line = location_of(owner)
            inputs = tuple(
                index_of[v.owner] if v.owner in index_of else v.name or cut(expression(v), WIDTH)
                for v in owner.inputs
            )
            in_group = group_of.get(number)
            alone = in_group is not None and len(self.groups[in_group][0]) == 1
            timed = self._group(in_group) if in_group is not None and alone else site
            counts = site._replace(
                runs=runs, self_time=self.self_times[number],
                min=timed.min, p95=timed.p95, max=timed.max, first=timed.first,
            )  # fmt: skip
            rows.append(
                NodeRow(
                    index=number, op=op, op_class=class_of(owner.op), name=name, file=file,
                    line=line, source=linecache.getline(file, line).strip() if line else "",
                    region=self.program.words(region), region_index=self.program.innermost(region),
                    memoised=self.program.is_memoised(region),
                    form=form if in_group is None else FORMS.get(self.groups[in_group].kind, form),
                    group=in_group,
                    inputs=inputs, type=_core.type_text(variables[number]),
                    output=owner in returned, entered=self.entered[number],
                    total_time=self.self_times[number] + below.get(number, 0.0),
                    lazy_copies=lazy_copies.of(number, runs, site.copies),
                    flops=self.work.nodes[number].flops,
                    bytes_moved=self.work.nodes[number].bytes_moved,
                    first_demanded_by=demanded_by.get(number),
                    **counts._asdict(),
                )
            )  # fmt: skip
        return tuple(rows)

    def _demanders(self) -> dict[int, int]:
        """Return which node needed a memo body's value first."""
        found = {}
        for memo, pc in enumerate(self.data.demanders):
            demander = None if pc is None else self.program.demanders[pc]
            if demander is not None:
                found[self.program.memos[memo]] = demander
        return found

    def _below(self) -> dict[int, float]:
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


__all__ = ["capture", "class_of", "counted"]
