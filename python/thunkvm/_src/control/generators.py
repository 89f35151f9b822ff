"""Shared generators in loops: their states are states of the loop."""

from __future__ import annotations

from typing import Any

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.graph.draws import begun, chain_draws
from thunkvm._src.graph.structure import leaves, rebuild


def draw_in_steps(traced: Any, since: int) -> None:
    """Add a state to a loop for each shared generator that its body draws from.

    A draw in a body is one of every step that demands it. Outside, the loop is one draw.

    Parameters
    ----------
    traced : Traced
        The body, which is changed.
    since : int
        The number of the first draw in the body; those before are made once, outside.
    """
    beside = [value for _, value in leaves(traced.test)]
    roots = [*traced.nexts, *(value for value in beside if isinstance(value, Variable))]
    inside: dict[Variable, Variable] = {}

    def source(state: Variable) -> Variable:
        return inside.setdefault(state, _core.input_variable(state.type, "rng"))

    roots, chains = chain_draws(roots, roots, since, source)
    if not chains:
        return
    n = len(traced.nexts)
    traced.states = [*traced.states, *(inside[chain.source] for chain in chains)]
    traced.firsts = [*traced.firsts, *(begun(chain.source) for chain in chains)]
    traced.nexts = [*roots[:n], *(chain.end for chain in chains)]
    changed = iter(roots[n:])
    values = [next(changed) if isinstance(value, Variable) else value for value in beside]
    traced.test = rebuild(traced.test, iter(values).__next__)


def refuse_drawn_test(traced: Any) -> None:
    """Refuse a condition that draws: nothing would keep the state behind the draw that ends a loop.

    Raises
    ------
    NotImplementedError
    """
    drawn_from = set(traced.states[len(list(leaves(traced.tree))) :])
    if isinstance(traced.test, Variable) and drawn_from & set(_core.leaves([traced.test])):
        raise NotImplementedError(
            f"[{traced.name}] the condition draws from a shared generator, and the draw that ends "
            "the loop belongs to no step. Draw in the body, and keep the number in the state: "
            "while_loop(lambda s: s[1] < p, lambda s: (..., rng.random()), (first, rng.random()))."
        )


__all__ = ["draw_in_steps", "refuse_drawn_test"]
