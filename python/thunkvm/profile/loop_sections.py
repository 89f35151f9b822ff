"""The tables of loops: their steps, what ended them, and how conditions went in which step."""

from __future__ import annotations

from thunkvm.profile.amounts import rest_note, show_seconds
from thunkvm.profile.condition_rows import ConditionRow
from thunkvm.profile.loop_rows import LoopRow, step_range
from thunkvm.profile.rows import FunctionRecord
from thunkvm.profile.section import Section
from thunkvm.profile.shares import place_of

#: So many columns has the table of steps; the last one has all that come later.
CLASSES = 6


def loops(function: FunctionRecord, rows: int) -> Section:
    """Return the table of the loops: those that took most time first."""
    headers = (
        "loop", "while", "runs", "steps", "min", "median", "max", "time", "each step", "saved",
        "ended by",
    )  # fmt: skip
    order = sorted(function.loops, key=lambda loop: (-loop.time, -loop.steps))
    shown = tuple(_loop(function, loop) for loop in order[:rows])
    return Section(
        "loops", headers, shown, ("loop", "while", "ended by"), rest_note(len(order), rows, "loop")
    )


def steps(function: FunctionRecord, rows: int) -> Section:
    """Return the table of which way the conditions in loops went in which steps."""
    tested = {loop.condition for loop in function.loops}
    order = [
        condition
        for condition in function.conditions
        if condition.by_steps and condition.index not in tested
    ]
    order.sort(key=lambda condition: -condition.evaluations)
    n_classes = min(max((len(c.by_steps) for c in order), default=0), CLASSES)
    names = [_steps_text(number, number == CLASSES - 1) for number in range(n_classes)]
    shown = tuple(
        (condition.text + place_of(condition), arm.name, *_shares(condition, number, n_classes))
        for condition in order[:rows]
        for number, arm in enumerate(condition.arms)
    )
    headers = ("condition", "arm", *names)
    notes = rest_note(len(order), rows, "condition")
    return Section("arms by step", headers, shown, ("condition", "arm"), notes)


def _loop(function: FunctionRecord, loop: LoopRow) -> tuple[str, ...]:
    condition = function.conditions[loop.condition]
    counted = str(loop.n_runs or condition.arms[1].taken)
    numbers = ("" if n is None else str(n) for n in (loop.least, loop.median, loop.most))
    each = "" if loop.step_time is None else show_seconds(loop.step_time)
    saved = "unknown" if loop.saved is None else show_seconds(loop.saved)
    ended = ", ".join(f"{name} {count}" for name, count in loop.ended.items())
    return (
        function.nodes[loop.node].name + place_of(condition), condition.text, counted,
        str(loop.steps), *numbers, show_seconds(loop.time), each, saved, ended,
    )  # fmt: skip


def _shares(condition: ConditionRow, arm: int, n_classes: int) -> list[str]:
    """Return in which share of the decisions an arm was taken, by class of step."""
    found = []
    for number in range(n_classes):
        last = len(condition.by_steps) if number == CLASSES - 1 else number + 1
        classes = condition.by_steps[number:last]
        all_arms = sum(map(sum, classes))
        found.append(f"{sum(c[arm] for c in classes) / all_arms:.0%}" if all_arms else "")
    return found


def _steps_text(number: int, and_later: bool) -> str:
    first, last = step_range(number)
    if and_later:
        return f"step {first}-"
    return f"step {first}" if first == last else f"step {first}-{last}"
