"""A profile's rows as tables of values: for pandas, CSV and the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.profile.condition_rows import ArmRow, ConditionRow
from thunkvm.profile.extras import import_extra
from thunkvm.profile.loop_rows import LoopRow, step_range
from thunkvm.profile.record import Profile
from thunkvm.profile.recorded import pick_fields
from thunkvm.profile.rows import CallRow, FunctionRecord, GroupRow, NodeRow
from thunkvm.profile.sections import arm_name

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
#: The fields of a node that are columns by their own names.
NODE_COLUMNS = [
    field.name
    for field in fields(NodeRow)
    if field.name not in ("index", "inputs", "region_index", "name", "output", "op")
]


def table_rows(profile: Profile, rows: str = "nodes") -> list[Row]:
    """Return the rows of one of a profile's tables, each a dict of the columns.

    Examples
    --------
    >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
    >>> from thunkvm.profile.frames import table_rows
    >>> exp = NodeRow(index=0, op="exp", name="exp.0", runs=2, self_time=0.5)
    >>> p = Profile(functions=(FunctionRecord(name="f", nodes=(exp,)),))
    >>> {key: table_rows(p)[0][key] for key in ("node", "runs", "mean")}
    {'node': 'exp.0', 'runs': 2, 'mean': 0.25}
    """
    if rows not in TABLES:
        raise ValueError(
            f"rows is {rows!r}; it has to be one of {', '.join(TABLES)}."
            + did_you_mean(str(rows), TABLES)
        )
    return [
        {"function": function.name, "mode": function.mode, **row}
        for function in profile.functions
        for row in TABLES[rows](function)
    ]


def columns(rows: str) -> list[str]:
    """Return the names of a table's columns, also where it has no row."""
    return ["function", "mode", *TABLES[rows](_ONE_OF_EACH)[0]]


def to_pandas(profile: Profile, rows: str = "nodes") -> pandas.DataFrame:
    """Return one of a profile's tables as a DataFrame."""
    pandas = import_extra("pandas", "to_pandas")
    return pandas.DataFrame(table_rows(profile, rows), columns=columns(rows))


def to_csv(profile: Profile, rows: str = "nodes") -> str:
    """Return one of a profile's tables as CSV."""
    found = table_rows(profile, rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, columns(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue()


def _nodes(function: FunctionRecord) -> list[Row]:
    return [_node(function, node) for node in function.nodes]


def _node(function: FunctionRecord, node: NodeRow) -> Row:
    demanded_by = node.first_demanded_by
    return {
        "node": node.name or f"{node.op}.{node.index}",
        "op": node.op,
        **pick_fields(node, *NODE_COLUMNS, "mean", "gflops", "gb_per_second"),
        "first_demanded_by": None if demanded_by is None else function.nodes[demanded_by].name,
    }


def _arms(function: FunctionRecord) -> list[Row]:
    return [
        {
            "condition": condition.text,
            "node": function.nodes[condition.node].name,
            **pick_fields(condition, "file", "line", "evaluations", "flips"),
            "arm": arm.name,
            "taken": arm.taken,
            "share": arm.taken / condition.evaluations if condition.evaluations else None,
            **pick_fields(arm, "time", "mean"),
            **pick_fields(condition, "saved", "break_even"),
        }
        for condition in function.conditions
        for arm in condition.arms
    ]


def _loops(function: FunctionRecord) -> list[Row]:
    return [
        {
            "loop": function.nodes[loop.node].name,
            "condition": function.conditions[loop.condition].text,
            **pick_fields(function.nodes[loop.node], "file", "line"),
            "runs": loop.n_runs,
            "steps": loop.steps,
            "min_steps": loop.least,
            "median_steps": loop.median,
            "max_steps": loop.most,
            **pick_fields(loop, "time", "step_time", "saved"),
            "by_condition": loop.n_runs - loop.by_limit,
            **pick_fields(loop, "by_limit", "failed"),
        }
        for loop in function.loops
    ]


def _steps(function: FunctionRecord) -> list[Row]:
    return [
        {
            "loop": function.nodes[function.loops[condition.loop].node].name,
            "condition": condition.text,
            "arm": arm.name,
            "first_step": step_range(number)[0],
            "last_step": step_range(number)[1],
            "taken": taken[position],
            "share": taken[position] / sum(taken),
        }
        for condition in function.conditions
        if condition.loop is not None
        for number, taken in enumerate(condition.by_steps)
        if sum(taken)
        for position, arm in enumerate(condition.arms)
    ]


def _calls(function: FunctionRecord) -> list[Row]:
    return [
        {
            "call": call.index,
            **pick_fields(call, "thread", "start", "time", "bytes", "failed"),
            "arms": "; ".join(arm_name(function, pair) for pair in call.arms),
        }
        for call in function.calls
    ]


def _groups(function: FunctionRecord) -> list[Row]:
    return [
        {
            "group": group.index,
            **pick_fields(group, "kind", "runs", "self_time", "gflops", "gb_per_second"),
            "nodes": "; ".join(function.nodes[node].name for node in group.nodes),
        }
        for group in function.groups
    ]


def _overheads(function: FunctionRecord) -> list[Row]:
    return [{"row": name, "value": value} for name, value in asdict(function.overheads).items()]


#: The tables that there are.
TABLES: dict[str, Callable[[FunctionRecord], list[Row]]] = {
    "nodes": _nodes,
    "arms": _arms,
    "loops": _loops,
    "steps": _steps,
    "calls": _calls,
    "groups": _groups,
    "overheads": _overheads,
}

#: A function that has a row in each table.
_ONE_OF_EACH = FunctionRecord(
    name="",
    nodes=(NodeRow(index=0, op=""),),
    conditions=(ConditionRow(index=0, node=0, arms=(ArmRow(name=""),), loop=0, by_steps=((1,),)),),
    loops=(LoopRow(index=0, node=0, condition=0),),
    groups=(GroupRow(index=0),),
    calls=(CallRow(index=0),),
)
