"""The result of an initial value problem, and its continuous solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thunkvm._src.graph.structure import leaves, rebuild
from thunkvm.optimize.flat_states import FlatState
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.segments import Segment


class OdeResult(OptimizeResult):
    """What came of an initial value problem; its items are attributes too, as SciPy's.

    Attributes
    ----------
    t : array, shape (m,)
        Times.
    y : array, shape (n, m), or nest of arrays
        The solution there; in a nest, each leaf of `y0` has a new last axis.
    sol : OdeSolution or None
        The continuous solution, if it was asked for.
    t_events : list of array or None
        When each event was, (k,) each.
    y_events : list of array or of nests, or None
        The solution there, (k, n) each.
    nfev, njev, nlu : int
        How often the function, its Jacobian and factors of matrices were computed in this call.
    status : int
        0: it has come to t1. 1: an event ended it. -1: a step would be too small. -2: a step raised
        an exception. 2: `max_steps` ended it.
    message : str
        The same in words.
    success : bool
        Whether `status` is 0 or 1.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.optimize.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0]).message
    'The solver successfully reached the end of the integration interval.'
    """


class OdeSolution:
    """A continuous solution, a polynomial between two steps.

    Parameters
    ----------
    segments : Segment
        The solution over each step, in rows of arrays.
    flat : FlatState
        The structure of y.
    t0 : float
        Where the solution begins.

    Attributes
    ----------
    ts : array, shape (m + 1,)
        The times between the polynomials, in order of the steps.
    t_min, t_max : float
        The first and the last time.

    Examples
    --------
    >>> import thunkvm as tv
    >>> found = tv.optimize.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], dense_output=True)
    >>> found.sol(0.5).round(3), found.sol([0.0, 1.0]).round(3)
    (array([0.606]), array([[1.   , 0.368]]))
    """

    def __init__(self, segments: Segment, flat: FlatState, t0: float) -> None:
        self._segments = segments
        self._flat = flat
        self.ts = np.concatenate([[t0], segments.end])
        self.t_min, self.t_max = float(self.ts.min()), float(self.ts.max())

    def __call__(self, t: npt.ArrayLike) -> Any:
        """Return the solution at a time, or at several ones: with a new last axis, of these.

        Beyond its ends it is the polynomial of the first or the last step, as SciPy's.
        """
        times = np.atleast_1d(np.asarray(t, float))
        if self.ts.size == 1:
            raise ValueError("[solve_ivp] the solution has no steps: t_span begins where it ends.")
        sign = 1.0 if self.ts[-1] >= self.ts[0] else -1.0
        found = np.searchsorted(self.ts[1:] * sign, times * sign)
        found = np.minimum(found, self.ts.size - 2)
        begin, end, y, terms = self._segments
        each = Segment(begin[found], end[found], y[found], tuple(term[found] for term in terms))
        rows = self._flat.unravel(each.at(times))
        single = np.ndim(t) == 0
        shown = (leaf[0] if single else np.moveaxis(leaf, 0, -1) for _, leaf in leaves(rows))
        return rebuild(rows, shown.__next__)


__all__ = ["OdeResult", "OdeSolution"]
