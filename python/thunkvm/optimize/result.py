"""The result of an optimisation: attributes that are items too, as SciPy's."""

from __future__ import annotations

from typing import Any


class OptimizeResult(dict[str, Any]):
    """What came of an optimisation; its items are attributes too.

    Attributes
    ----------
    x : nest
        The solution, in the structure of `x0`.
    fun : float or array
        The value of the function there.
    jac : nest
        The gradient there, if the method computes one.
    success : bool
        Whether the method ended because `x` is a solution.
    status : int
        Why it ended: 0 for a solution; see `message`.
    message : str
        The same in words.
    nit : int
        How many steps ran.
    nfev, njev, nhev : int
        How often the function, its first and its second derivatives were computed in this call;
        those that the method asks for.
    state : NamedTuple
        The state of the solver at the end, from which `minimize` and `Solver.steps` go on.

    Examples
    --------
    >>> import thunkvm as tv
    >>> result = tv.optimize.OptimizeResult(x=1.0, success=True)
    >>> result.x, result["success"]
    (1.0, True)
    """

    def __getattr__(self, name: str) -> Any:
        """Return an item."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"this result has no {name}; it has {', '.join(sorted(self))}."
            ) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        """Return the names of the items and of the methods of a dict."""
        return [*self, *dir(dict)]

    def __repr__(self) -> str:
        """Return one item a line."""
        width = max(map(len, self), default=0)
        lines = (f"{name:>{width}}: {value}" for name, value in self.items() if name != "state")
        return "\n".join(lines)


__all__ = ["OptimizeResult"]
