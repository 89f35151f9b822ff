"""Initial value problems of users, as methods want them: flat vectors, counted functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from thunkvm import ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.derivatives.jacobians import jacobian
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.optimize.crossings import Event
from thunkvm.optimize.dop853 import DOP853
from thunkvm.optimize.flat_states import FlatState
from thunkvm.optimize.ode_problem import EPSILON, OdeMethod, OdeProblem, known_length
from thunkvm.optimize.ode_solver import OdeSolver
from thunkvm.optimize.radau import Radau
from thunkvm.optimize.required_shapes import with_shape
from thunkvm.optimize.runge_kutta import RungeKutta
from thunkvm.optimize.tableaus import BOGACKI_SHAMPINE, DOPRI5, DORMAND_PRINCE

METHODS: dict[str, OdeMethod] = {
    **{
        tableau.name: RungeKutta(tableau)
        for tableau in (DOPRI5, DORMAND_PRINCE, BOGACKI_SHAMPINE, DOP853)
    },
    "Radau": Radau(),
}


#: A relative tolerance below that is taken for it, as by SciPy: numbers have no more digits.
LEAST_RTOL = 100.0 * EPSILON


class Posed(NamedTuple):
    """A problem, its solver, and the structure of its y."""

    problem: OdeProblem
    solver: OdeSolver
    flat: FlatState


def pose(
    fun: Callable[..., Any],
    t_span: Sequence[Any],
    y0: Any,
    method: str,
    args: tuple[Any, ...],
    rtol: Any,
    atol: Any,
    events: Any,
    jac: Any,
    first_step: Any,
    max_step: Any,
) -> Posed:
    """Return the problem of arguments that are those of `integrate`.

    Raises
    ------
    TypeError, ValueError
        If an argument is none of these.
    """
    if method not in METHODS:
        raise ValueError(
            f"[integrate] method is {method!r}; it has to be one of {', '.join(METHODS)}."
            + did_you_mean(str(method), tuple(METHODS))
        )
    flat = FlatState("y0", y0)
    if method == "Radau" and np.dtype(flat.dtype).kind == "c":
        raise TypeError("[integrate] Radau is for real solutions; y0 is complex.")
    size = known_length(flat.first)
    t0, t1 = (_float(value, "t_span") for value in t_span)

    def slope(t: Variable, y: Variable) -> Variable:
        return flat.ravel(fun(t, flat.unravel(y), *args), "the value of fun")

    def matrix(t: Variable, y: Variable) -> Variable:
        if jac is None:
            return jacobian(slope(t, y), y, "ignore")
        given = as_variable(jac(t, flat.unravel(y), *args) if callable(jac) else jac)
        return with_shape(given, (size, size), "jac", "shape (n, n) for the n elements of y0")

    problem = OdeProblem(
        fun=lambda t, y: ops.counted(slope(t, y), name="nfev"),
        jac=lambda t, y: ops.counted(matrix(t, y), name="njev"),
        t0=t0,
        t1=t1,
        y0=flat.first,
        rtol=ops.maximum(_float(rtol, "rtol"), LEAST_RTOL),
        atol=_float(atol, "atol"),
        first_step=_float(0.0 if first_step is None else first_step, "first_step"),
        max_step=_float(max_step, "max_step"),
    )
    solver = OdeSolver(
        METHODS[method], tuple(_event(each, flat, args) for each in list_events(events))
    )
    return Posed(problem, solver, flat)


def list_events(events: Any) -> list[Callable[..., Any]]:
    """Return events as a list: one of them is a list of one, and None an empty one."""
    if events is None:
        return []
    return [events] if callable(events) else list(events)


def _event(event: Callable[..., Any], flat: FlatState, args: tuple[Any, ...]) -> Event:
    def value(t: Variable, y: Variable) -> Variable:
        found = as_variable(event(t, flat.unravel(y), *args))
        single = with_shape(found, (1,) * found.ndim, "the value of an event", "one element")
        return ops.cast(single.reshape(()) if single.ndim else single, dtype="float64")

    terminal = getattr(event, "terminal", None)
    return Event(value, float(getattr(event, "direction", 0.0)), int(terminal or 0))


def _float(value: Any, name: str) -> Variable:
    found = as_variable(value)
    if not isinstance(found.type, TensorType) or np.dtype(found.dtype).kind not in "fiub":
        raise TypeError(f"[integrate] {name} is {value!r}: it has to be a real number.")
    return ops.cast(found, dtype="float64")


__all__ = ["METHODS", "Posed", "list_events", "pose"]
