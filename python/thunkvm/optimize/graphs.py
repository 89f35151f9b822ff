"""A graph as a function: of the Variables for which others are given."""

from __future__ import annotations

from typing import Any

import thunkvm as tv
from thunkvm._src.graph.fitting import fitted


class GraphFunction:
    """A graph as a function of its Variables, which are the keys of dicts.

    Parameters
    ----------
    graph : Variable
        What is computed.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.graphs import GraphFunction
    >>> x, a = tv.vector("x"), tv.scalar("a")
    >>> result = tv.optimize.minimize(tv.sum((x - a) ** 2), {x: [0.0, 1.0]}, args={a: 3.0})
    >>> result.x[x].round(4)
    array([3., 3.])
    """

    def __init__(self, graph: tv.Variable) -> None:
        self.graph = graph

    def __call__(self, *given: dict[tv.Variable, Any]) -> tv.Variable:
        """Return the graph in which the values of the dicts stand for their keys."""
        replaced: dict[tv.Variable, tv.Variable] = {}
        for values in given:
            if not isinstance(values, dict) or not all(isinstance(k, tv.Variable) for k in values):
                raise TypeError(
                    f"[optimize] fun is the graph {self.graph}: x0 and args have to be dicts from "
                    "its Variables to values, such as x0={x: [0.0, 1.0]}; or give a function."
                )
            replaced |= {
                key: fitted(value, key.type, f"[optimize] the value of {key}")
                for key, value in values.items()
            }
        return tv.graph_replace(self.graph, replaced)

    def __eq__(self, other: object) -> bool:
        """Return whether another one is of the same graph."""
        return isinstance(other, GraphFunction) and other.graph is self.graph

    def __hash__(self) -> int:
        """Return a number that those of the same graph have in common."""
        return hash(self.graph)


__all__ = ["GraphFunction"]
