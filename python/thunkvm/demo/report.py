"""What the demo prints: fits beside certified values, and tables of thunks."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

from thunkvm._src.views.text_table import table
from thunkvm.demo.datasets import Dataset
from thunkvm.demo.fit import BranchRuns, Fit, LoopRuns, NodeRuns

CERTIFIED_DIGITS = 11.0


def digits(value: float, certified: float) -> float:
    """Return how many digits agree: minus the log10 of the relative error, from 0 to 11.

    Examples
    --------
    >>> from thunkvm.demo.report import digits
    >>> round(digits(2.0001, 2.0), 1)
    4.3
    >>> digits(2.0, 2.0)
    11.0
    """
    if not math.isfinite(value):
        return 0.0
    error = abs(value - certified) / abs(certified)
    if error == 0.0:
        return CERTIFIED_DIGITS
    return min(max(-math.log10(error), 0.0), CERTIFIED_DIGITS)


def fit_digits(dataset: Dataset, fit: Fit) -> float:
    """Return the digits that agree in the worst parameter."""
    pairs = zip(fit.parameters, dataset.certified, strict=True)
    return min(digits(float(value), certified) for value, certified in pairs)


def fits_table(fits: Sequence[tuple[Dataset, int, Fit]]) -> str:
    """Lay out parameters beside certified values, with the counts of each fit."""
    rows: list[list[Any]] = []
    for dataset, start, fit in fits:
        counts: list[Any] = [fit.trials, fit.accepted, fit.jacobians]
        head: list[Any] = [dataset.name, start, *counts]
        pairs = [
            (f"b{number}", float(value), certified)
            for number, (value, certified) in enumerate(
                zip(fit.parameters, dataset.certified, strict=True), start=1
            )
        ]
        for name, value, certified in [*pairs, ("RSS", fit.rss, dataset.rss)]:
            shown = f"{digits(value, certified):.1f}"
            rows.append([*head, name, f"{value:.10e}", f"{certified:.10e}", shown])
            head = [""] * len(head)
    headers = ["data set", "start", "trials", "accepted", "Jacobians", "", "fitted", "certified"]
    return table([*headers, "digits"], rows, left=["data set", ""])


def jacobian_sentence(fits: Sequence[tuple[Dataset, int, Fit]]) -> str:
    """Say whether the Jacobian ran exactly when it was needed."""
    wrong = [
        f"{dataset.name} from start {start}: {fit.jacobians} instead of {fit.expected_jacobians}"
        for dataset, start, fit in fits
        if fit.jacobians != fit.expected_jacobians
    ]
    trials = sum(fit.trials for _, _, fit in fits)
    ran = sum(fit.jacobians for _, _, fit in fits)
    if wrong:
        return "The Jacobian did not run exactly once per new point: " + "; ".join(wrong) + "."
    return (
        f"The Jacobian ran {ran} times in {trials} trials: once at each start, and once at each "
        "trial that lowered the residual sum of squares."
    )


def accuracy_sentence(fits: Sequence[tuple[Dataset, int, Fit]], wanted: float) -> str:
    """Say how many fits reached the certified values."""
    missed = [
        f"{dataset.name} from start {start} ({fit_digits(dataset, fit):.1f} digits)"
        for dataset, start, fit in fits
        if fit_digits(dataset, fit) < wanted
    ]
    reached = f"{len(fits) - len(missed)} of {len(fits)} fits agree with every certified parameter"
    sentence = f"{reached} to {wanted:g} digits or more."
    return sentence + (" Not: " + ", ".join(missed) + "." if missed else "")


def loops_sentence(loops: Sequence[LoopRuns]) -> str:
    """Count the steps of the loop, and of the one in it."""
    outer = sum(loop.steps for loop in loops if not loop.within)
    inner = sum(loop.steps for loop in loops if loop.within)
    return f"{outer} trials are steps of one loop; {inner} steps of a loop in it found dampings."


def branches_table(by_mode: dict[str, Sequence[BranchRuns]]) -> str:
    """Lay out which way the conditions of the loop went in each mode."""
    rows = [
        [mode, row.condition, row.then, row.otherwise]
        for mode, branches in by_mode.items()
        for row in branches
    ]
    return table(["mode", "condition", "yes", "no"], rows, left=["mode", "condition"])


def thunks_sentence(nodes: Sequence[NodeRuns]) -> str:
    """Count the thunks of one fit: those that ran, by form, and those that never did."""
    forms: dict[str, int] = {}
    for node in nodes:
        if node.runs:
            forms[node.form] = forms.get(node.form, 0) + 1
    ran = sum(forms.values())
    listed = ", ".join(f"{count} {form}" for form, count in sorted(forms.items()))
    runs = sum(node.runs for node in nodes)
    return (
        f"{ran} of {len(nodes)} nodes ran ({listed}), {runs} runs in all; "
        f"{len(nodes) - ran} never ran."
    )


def made_at(node: NodeRuns) -> str:
    """Return the line of the model that made a node, or the solver."""
    return node.origin if node.origin.startswith("datasets.py") else "levenberg_marquardt"


def thunks_table(by_mode: dict[str, Sequence[NodeRuns]]) -> str:
    """Lay out how often each node ran in each mode.

    Nodes that one line of code made and that ran equally often share a row; those that never ran
    come last.
    """
    modes = list(by_mode)
    # The same node of two modes: of the same Op, made by the same line, and the k-th such one.
    nodes: dict[tuple[str, str, int], dict[str, NodeRuns]] = {}
    for mode, runs in by_mode.items():
        seen: Counter[tuple[str, str]] = Counter()
        for node in runs:
            made = (node.op, made_at(node))
            nodes.setdefault((*made, seen[made]), {})[mode] = node
            seen[made] += 1
    rows: dict[tuple[Any, ...], Counter[str]] = {}
    for (op, origin, _), found in nodes.items():
        forms = "/".join(dict.fromkeys(node.form for node in found.values()))
        counts = [found[mode].runs if mode in found else 0 for mode in modes]
        rows.setdefault((origin, forms, *counts), Counter())[op] += 1
    ran: list[list[Any]] = []
    never: list[list[Any]] = []
    for (origin, forms, *counts), ops in rows.items():
        listed = ", ".join(op if count == 1 else f"{count} {op}" for op, count in ops.items())
        first, *rest = textwrap.wrap(listed, 48)
        lines = ran if any(counts) else never
        lines.append([origin, forms, *(count or "never" for count in counts), first])
        lines += [["", "", *("" for _ in counts), part] for part in rest]
    headers = ["made at", "thunk", *modes, "Ops"]
    return table(headers, ran + never, left=["made at", "thunk", "Ops"])
