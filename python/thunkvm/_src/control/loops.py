"""Loops over a state, whose steps run as long as a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.control.generators import draw_in_steps, refuse_drawn_test
from thunkvm._src.control.stretches import Body, Keeps, kept_history, run_loop, stretch_length
from thunkvm._src.graph.draws import next_number
from thunkvm._src.graph.structure import leaves, matched_leaves, rebuild
from thunkvm._src.graph.values import as_variable

#: How often a body is traced until the types of its state stay what they are.
_TRACES = 8


def while_loop(
    cond: Callable[[Any], Any],
    body: Callable[[Any], Any],
    state: Any,
    max_steps: Any = None,
    history: Any = None,
    checkpoint: Any = None,
) -> Any:
    """Return the state after as many steps of `body` as `cond` is true before.

    A step that runs computes the next values that the condition, or the results behind the loop,
    may depend on; all else only if it is needed, as in all graphs: of an `ifelse` in the body one
    arm, and what does not change from step to step once, outside.

    Parameters
    ----------
    cond : callable
        From a state to a 0-d condition: whether a step runs.
    body : callable
        From a state to the next one, of the same structure, dtypes and numbers of dimensions.
        Both are called with Variables, while the graph is built.
    state : Variable, number, array, or nested lists, tuples, dicts and dataclasses of them
        What the first step begins with. A dtype is promoted where the next state holds it without
        loss: an int 0 becomes a float where a float is added.
    max_steps : int or Variable, optional
        The loop ends after so many steps, and `cond` is not asked again.
    history : {None, "all"} or int, optional
        Keep the states after every step ("all"), or after every so many.
    checkpoint : {None, "sqrt"} or int or Variable, optional
        For gradients keep the states after every so many steps only, and run the steps between
        them again: less memory for more time. "sqrt": after about the square root of `max_steps`.

    Returns
    -------
    the structure of `state`
        It has three attributes: ``steps`` is how many steps ran (0-d int64). ``finished`` is
        whether the condition ended the loop, and not `max_steps`. ``history`` is the structure
        with a new first axis. They cost nothing unless they are used.

    Raises
    ------
    TypeError
        If the structure, a dtype or a number of dimensions changes from step to step; the message
        has the path, both types, and the lines where both were made.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.scalar("a")
    >>> root = tv.while_loop(lambda x: tv.abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a)
    >>> f = tv.function([a], [root, root.steps])
    >>> [float(v) for v in f(9.0)]
    [3.0, 6.0]
    """
    keeps = _interval(history)
    traced = trace_body("while_loop", lambda s: (cond(s), body(s)), state)
    refuse_drawn_test(traced)
    limit = most = None
    if max_steps is not None:
        traced.add_count()
        most = as_variable(max_steps)
        limit = traced.states[-1] < most
    stretch = stretch_length("while_loop", checkpoint, most)
    return traced.make_loop(limit, _condition(traced.test), keeps, stretch=stretch)


def fori_loop(
    lower: Any,
    upper: Any,
    body: Callable[[Any, Any], Any],
    state: Any,
    checkpoint: Any = None,
) -> Any:
    """Return the state after ``state = body(i, state)`` for each i from `lower` to `upper` - 1.

    Parameters
    ----------
    lower, upper : int or 0-d integer Variable
        The first i, and the one at which the loop ends.
    body : callable
        From i and a state to the next state; as in `while_loop`.
    state : Variable, number, array, or nested lists, tuples, dicts and dataclasses of them
        What the first step begins with.
    checkpoint : {None, "sqrt"} or int or Variable, optional
        After how many steps a state is kept for gradients; see `while_loop`.

    Returns
    -------
    the structure of `state`
        With the attribute ``steps``; see `while_loop`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> factorial = tv.fori_loop(1, n + 1, lambda i, product: product * i, 1)
    >>> int(tv.function([n], factorial)(5))
    120
    """
    first, last = (_integer(v, "fori_loop", w) for v, w in ((lower, "lower"), (upper, "upper")))
    traced = trace_body(
        "fori_loop", lambda s: (s[0] < last, (s[0] + np.int64(1), body(s[0], s[1]))), (first, state)
    )
    stretch = stretch_length("fori_loop", checkpoint, last - first)
    return traced.make_loop(None, _condition(traced.test), stretch=stretch)[1]


@dataclass
class Traced:
    """A body over leaves for its states.

    Parameters
    ----------
    name : str
        What the loop is called.
    tree : Any
        The structure of the state.
    states, firsts, nexts : list of Variable
        One for each leaf of it.
    test : Any
        What the body gave beside the next state, a structure.
    """

    name: str
    tree: Any
    states: list[Variable]
    firsts: list[Variable]
    nexts: list[Variable]
    test: Any

    def add_count(self) -> None:
        """Add a state that counts steps."""
        count = _core.input_variable(TensorType("int64", ()), "step")
        self.states = [*self.states, count]
        self.firsts = [*self.firsts, as_variable(np.int64(0))]
        self.nexts = [*self.nexts, count + np.int64(1)]

    def make_loop(
        self,
        limit: Variable | None,
        test: Variable,
        keeps: int = 0,
        implicit: bool = False,
        stretch: Variable | None = None,
    ) -> Any:
        """Return the last state of the loop."""
        n_leaves = len(list(leaves(self.tree)))
        collected = self.nexts[:n_leaves] if keeps else []
        body = Body(self.name, self.states, limit, test, self.nexts, collected)
        lasts = run_loop(body, self.firsts, keeps, implicit, stretch).lasts
        return with_attributes(rebuild(self.tree, iter(lasts).__next__))


def with_attributes(state: Any) -> Any:
    """Return the last state of a loop with what else there is to ask of it.

    Single Variables have the same attributes by themselves.

    Examples
    --------
    >>> import thunkvm as tv
    >>> last = tv.while_loop(lambda s: s["x"] < 8, lambda s: {"x": s["x"] * 2}, {"x": 1})
    >>> int(tv.function([], last.steps)())
    3
    """
    kind: Any = type(state)
    if kind in (list, tuple, dict):
        state = _with_attributes(kind)(state)
    elif isinstance(state, tuple):  # a named one
        state = _with_attributes(kind)(*state)
    if not isinstance(state, Variable):
        values = [value for _, value in leaves(state)]
        for name in ("steps", "finished"):
            _set_attribute(state, name, about(values[0], name))
        if about(values[0], "history") is not None:
            histories = (about(value, "history") for value in values)
            _set_attribute(state, "history", rebuild(state, histories.__next__))
    return state


def about(last: Variable, name: str) -> Any:
    """Return a loop's results beside the last value of a state: steps, finished or history.

    Raises
    ------
    AttributeError
        If the Variable is no last value of a loop's.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.control.loops import about
    >>> about(tv.fori_loop(0, 3, lambda i, x: x + i, 0), "history") is None
    True
    """
    found = _core.loop_about(last)
    if found is None:
        raise AttributeError(
            f"{last} has no {name}: the last values of while_loop, fori_loop and scan_carry have."
        )
    steps, finished, collected, packed, of_last_state = found
    if name == "finished":
        return finished
    if Keeps.from_number(packed).in_stretches:
        steps = of_last_state
    if name == "steps":
        return steps
    return None if collected is None else kept_history(collected, steps, packed)


def _set_attribute(state: Any, name: str, value: Any) -> None:
    if not hasattr(state, name):  # a field of the user's has the name
        object.__setattr__(state, name, value)


@cache
def _with_attributes(kind: Any) -> Any:
    """Return a list, tuple, named tuple or dict that may have attributes."""
    members = {"__doc__": kind.__doc__, "_with_attributes_of": kind}
    return type(kind.__name__, (kind,), members)


def trace_body(name: str, body: Callable[[Any], tuple[Any, Any]], state: Any) -> Traced:
    """Return a body's graph, over states of types that stay the same from step to step.

    Parameters
    ----------
    name : str
        What the loop is called.
    body : callable
        From a state to (a condition, or anything else that steps compute, the next state).
    state : structure
        What the first step begins with.

    Returns
    -------
    Traced

    Raises
    ------
    TypeError
        If the next state is of another structure, or of types that do not fit.
    """
    paths = [path for path, _ in leaves(state)]
    given = [value for _, value in leaves(state)]
    if not paths:
        raise TypeError(f"[{name}] the state is {state!r}: it has to have a value that changes.")
    firsts = [as_variable(value) for value in given]
    weak = [isinstance(value, (bool, int, float, complex)) for value in given]
    types = [first.type for first in firsts]
    for _ in range(_TRACES):
        since = next_number()
        states = [_core.input_variable(t, _leaf_name(p)) for t, p in zip(types, paths, strict=True)]
        test, following = body(rebuild(state, iter(states).__next__))
        if following is None:
            raise TypeError(
                f"[{name}] the body returned None: it has to return the next state, a structure "
                "like that of the first one."
            )
        pairs = matched_leaves(("state", "the next state"), state, following)
        nexts = [as_variable(value) for _, _, value in pairs]
        joined = [
            _join_types(name, path, types[i], first, following_, weak[i])
            for i, (path, first, following_) in enumerate(zip(paths, firsts, nexts, strict=True))
        ]
        if joined == types:
            break
        types = joined
    else:
        raise TypeError(f"[{name}] the types of the state do not settle after {_TRACES} steps.")
    traced = Traced(
        name,
        state,
        states,
        [_cast(v, t) for v, t in zip(firsts, types, strict=True)],
        [_cast(v, t) for v, t in zip(nexts, types, strict=True)],
        test,
    )
    draw_in_steps(traced, since)
    return traced


def _join_types(
    name: str, path: str, held: Any, first: Variable, following: Variable, weak: bool
) -> Any:
    """Return the type of a state that is `held` now, and becomes `following`."""
    if not isinstance(held, TensorType) or not isinstance(following.type, TensorType):
        if held == following.type:
            return held
        raise _changes(name, path, first, following, "a state has one type from step to step")
    if held.ndim != following.ndim:
        raise _changes(
            name, path, first, following, "the number of dimensions has to stay the same"
        )
    dtype = held.dtype
    if following.dtype != dtype:
        yields = weak and first.dtype == dtype
        python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
        of_first = python[np.dtype(dtype).kind](0) if yields else np.dtype(dtype)
        of_next = (
            python[np.dtype(following.dtype).kind](0)
            if following.owner is None and following.weak
            else np.dtype(following.dtype)
        )
        wide = np.result_type(of_first, of_next)
        if wide.name not in (dtype, following.dtype):
            raise _changes(
                name, path, first, following, "neither dtype holds the other: cast one of them"
            )
        dtype = wide.name
    lengths = [a if a == b else None for a, b in zip(held.shape, following.type.shape, strict=True)]
    return TensorType(dtype, tuple(lengths))


def _cast(value: Variable, wanted: Any) -> Variable:
    if not isinstance(wanted, TensorType) or value.dtype == wanted.dtype:
        return value
    return ops.cast(value, dtype=wanted.dtype)


def _changes(name: str, path: str, first: Variable, following: Variable, rule: str) -> TypeError:
    where = f"state{path}"
    return TypeError(
        f"[{name}] {where} changes its type from step to step: it begins as "
        f"{_describe_variable(first)}, and becomes {_describe_variable(following)}; {rule}."
    )


def _describe_variable(variable: Variable) -> str:
    made = f" (made at {variable.origin})" if variable.owner is not None else ""
    return f"{variable}, a {_core.type_text(variable)}{made}"


def _leaf_name(path: str) -> str:
    return f"state{path}" if path else "state"


def _condition(value: Any) -> Variable:
    """Return the test that a step depends on as a condition: 0-d."""
    condition = as_variable(value)
    if not isinstance(condition.type, TensorType) or condition.ndim:
        raise TypeError(
            f"[while_loop] the condition has to be a single value, but {condition} is a "
            f"{_core.type_text(condition)}: reduce it with .all() or .any()."
        )
    return condition


def _integer(value: Any, name: str, what: str) -> Variable:
    variable = as_variable(value)
    kind = isinstance(variable.type, TensorType) and np.dtype(variable.dtype).kind
    if kind not in ("i", "u", "b") or variable.ndim:
        raise TypeError(
            f"[{name}] {what} has to be a 0-d integer, but {variable} is a "
            f"{_core.type_text(variable)}."
        )
    return ops.cast(variable, dtype="int64")


def _interval(history: Any) -> int:
    if history is None:
        return 0
    if history == "all":
        return 1
    if isinstance(history, bool) or not isinstance(history, int) or history < 1:
        raise ValueError(
            f"[while_loop] history is {history!r}; it has to be None, 'all', or after how many "
            "steps a state is kept, from 1."
        )
    return history


__all__ = ["fori_loop", "while_loop"]
