"""Functions whose conditions go as they did in a recorded call, or as they are told to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thunkvm import _core
from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm._src.views.selectors import selector_text
from thunkvm.profile.conditions import ProgramRegions
from thunkvm.profile.decisions import LOOP, TRUTH, Decided, Decisions
from thunkvm.profile.record_block import decided_conditions
from thunkvm.profile.references import decision_faults


class Script(NamedTuple):
    """The arms that a condition takes; then from the first again, or by value."""

    runs: Sequence[tuple[int, int]]  #: arms, and how often each is taken one after the other
    repeats: bool  #: whether it begins again at its end


class Replay:
    """A function whose conditions go as they did, or as they are told to.

    The interpreter runs it: emitted code decides by values alone.
    """

    def __init__(self, function: _core.Function, scripts: Mapping[int, Script]) -> None:
        regions = ProgramRegions(function)
        self._recording = function._record(apart=True)
        rows = []
        for index, script in scripts.items():
            condition = regions.conditions[index]
            runs = [(condition.arm(arm), times) for arm, times in script.runs]
            rows += [(branch, runs, script.repeats) for branch in condition.branches]
        self._recording.force(rows)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the function's result when its conditions go that way."""
        return self._recording(*args, **kwargs)


def replay(
    function: _core.Function,
    decisions: Decisions | None = None,
    call: int = 0,
    force: Mapping[Any, Any] | None = None,
) -> Replay:
    """Return the function, with its conditions going as they did in a recorded call.

    Conditions that the recorded call did not ask are decided by their values.

    Parameters
    ----------
    decisions : Decisions, optional
        What ``f.record()`` gave, or `Decisions.load`. None: only what is forced is decided so.
    call : int
        Which of its calls.
    force : dict, optional
        Conditions that go another way, each with the arm: True or False, the index of a case, or
        the arm's name. A condition is given by its name (``"good"``), its expression (``"x > 0"``)
        or its node (``"ifelse.3"``). Its index among the conditions and the Variable that is asked
        do too. What a loop asks is forced by a number of steps, after which it ends.

    Returns
    -------
    Replay
        To be called like the function.

    Raises
    ------
    ValueError
        If the decisions are another function's, or a condition or an arm is not there.
    IndexError
        If there is no such call, or it was dropped.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, x * 2, -x), mode="vm")
    >>> with f.record() as r:
    ...     _ = f(1.0), f(-3.0)
    >>> f.replay(r, call=1)(5.0)
    np.float64(-5.0)
    >>> f.replay(r, call=1, force={"x > 0.0": True})(5.0)
    np.float64(10.0)
    """
    conditions = decided_conditions(function)
    scripts: dict[int, Script] = {}
    if decisions is not None:
        if [c.key for c in decisions.conditions] != [c.key for c in conditions]:
            raise ValueError(
                "the decisions are another function's: its conditions are not those of "
                f"{function._shown}; replay what f.record() of this function kept."
            )
        decided_there = decisions._runs_of_call(call)
        n_arms = [len(condition.arms) for condition in conditions]
        for fault in decision_faults(n_arms, [(call - decisions.first, decided_there)]):
            raise ValueError(f"the decisions are no function's: {fault}.")
        scripts |= {index: Script([(arm, 1)], True) for index, arm in decided_there}
        for turns in decisions.in_loops[call - decisions.first]:
            scripts[turns.condition] = Script(turns.runs, False)
    written = [selector_text(c.selector) for c in ProgramRegions(function).conditions]
    for what, value in (force or {}).items():
        for index in _find_conditions(conditions, written, what):
            scripts[index] = _script(conditions[index], value)
    return Replay(function, scripts)


def _find_conditions(conditions: Sequence[Decided], written: Sequence[str], what: Any) -> list[int]:
    """Return the conditions that somebody means; `written` is what computes each."""
    if isinstance(what, int) and 0 <= what < len(conditions):
        return [what]
    text = selector_text(what) if isinstance(what, _core.Variable) else what
    found = [
        i
        for i, (c, computed) in enumerate(zip(conditions, written, strict=True))
        if text in (c.text, c.node, f"{c.text} ({c.node})", computed)
    ]
    if not found:
        known = [condition.text for condition in conditions]
        raise ValueError(
            f"the function has no condition {text!r}; it has "
            + (", ".join(map(repr, known)) or "none")
            + "."
            + did_you_mean(str(text), known)
        )
    return found


def _script(condition: Decided, value: Any) -> Script:
    if condition.arms != LOOP:
        return Script([(_arm(condition, value), 1)], True)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(
            f"{condition.text} is what a loop asks in each step: it is forced by a number of "
            f"steps, 0 or more, and not by {value!r}."
        )
    return Script([(0, value), (1, 1)], True)


def _arm(condition: Decided, value: Any) -> int:
    if value in condition.arms:
        return condition.arms.index(value)
    if condition.arms == TRUTH and value in (True, False):
        return 0 if value else 1
    if isinstance(value, int) and 0 <= value < len(condition.arms):
        return value
    raise ValueError(
        f"{condition.text} has no arm {value!r}; it has {', '.join(map(repr, condition.arms))}"
        + (", also called True and False." if condition.arms == TRUTH else ".")
    )
