"""Gradients of scalars: `grad`, `value_and_grad`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.derivatives.arguments import (
    Disconnected,
    DisconnectedInputError,
    check_policy,
    check_variable,
    disconnected_zeros,
    variables,
    zeros,
)
from thunkvm._src.derivatives.scalar_gradients import gradients


@overload
def grad(
    cost: Variable,
    wrt: Variable,
    disconnected_inputs: Disconnected = ...,
    consider_constant: Variable | Sequence[Variable] = ...,
) -> Variable: ...
@overload
def grad(
    cost: Variable,
    wrt: Sequence[Variable],
    disconnected_inputs: Disconnected = ...,
    consider_constant: Variable | Sequence[Variable] = ...,
) -> list[Variable]: ...
@overload
def grad(
    cost: Variable,
    wrt: Any,
    disconnected_inputs: Disconnected = ...,
    consider_constant: Variable | Sequence[Variable] = ...,
) -> Any: ...
def grad(
    cost: Variable,
    wrt: Any,
    disconnected_inputs: Disconnected = "raise",
    consider_constant: Variable | Sequence[Variable] = (),
) -> Any:
    """Return the gradient of a scalar with respect to variables.

    The gradient of a branch lives in that branch: what is not taken adds no cost, no NaN and no
    error, at any order.

    Parameters
    ----------
    cost : Variable
        What to differentiate; 0-d, of a float dtype.
    wrt : Variable, sequence of Variable, or nested lists, tuples, dicts and dataclasses of them
        With respect to what.
    disconnected_inputs : {"raise", "warn", "ignore"}
        What to do about a variable that `cost` does not depend on: an error, or zeros with or
        without a warning. A variable of integers, one behind `stop_gradient` and one whose shape
        alone is read are such variables. Where `cost` depends on it in steps (through `floor`, a
        comparison, a condition), the gradient is zero.
    consider_constant : Variable or sequence of Variable
        Variables through which no gradient flows.

    Returns
    -------
    Variable, list of Variable or structure
        A gradient of the shape and dtype of each variable; a list if `wrt` was a flat sequence,
        and a structure like `wrt` if it was one.

    Raises
    ------
    DisconnectedInputError
        If `cost` does not depend on a variable; a ValueError.
    TypeError
        If `cost` is not a float scalar, or `wrt` is not made of Variables.
    NotImplementedError
        If an Op on the way has no gradient.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> safe = tv.ifelse(x > 0, tv.sqrt(x), 0.0 * x)
    >>> f = tv.function([x], tv.grad(safe, x))
    >>> float(f(4.0)), float(f(-1.0))
    (0.25, 0.0)
    """
    wanted, rebuilt = variables("grad", wrt)
    check_policy(disconnected_inputs)
    check_variable("grad", "cost", cost)
    constants, _ = variables("grad", consider_constant, "consider_constant")
    found = _gradients_around(cost, wanted, constants) if constants else gradients(cost, wanted)
    return rebuilt(
        [
            disconnected_zeros("grad", cost, variable, disconnected_inputs, zeros(variable))
            if gradient is None
            else gradient
            for gradient, variable in zip(found, wanted, strict=True)
        ]
    )


def value_and_grad(
    cost: Variable, wrt: Any, disconnected_inputs: Disconnected = "raise"
) -> tuple[Variable, Any]:
    """Return a scalar and its gradient: ``(cost, grad(cost, wrt))``.

    A function of both computes what they share once.

    Parameters
    ----------
    cost : Variable
        What to differentiate; 0-d, of a float dtype.
    wrt : Variable, sequence of Variable or structure
        With respect to what, as of `grad`.
    disconnected_inputs : {"raise", "warn", "ignore"}
        As of `grad`.

    Returns
    -------
    tuple
        The cost, and its gradient as `grad` returns it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.value_and_grad(x**3, {"x": x}))
    >>> f(2.0)
    (np.float64(8.0), {'x': np.float64(12.0)})
    """
    return cost, grad(cost, wrt, disconnected_inputs)


def _gradients_around(
    cost: Variable, wrt: list[Variable], constants: list[Variable]
) -> list[Variable | None]:
    """Differentiate with fresh variables in the place of constants, then put these back."""
    fresh = [variable.type(variable.name) for variable in constants]
    cut = _core.substitute([cost, *wrt], list(zip(constants, fresh, strict=True)))
    found = gradients(cut[0], cut[1:])
    there = [gradient for gradient in found if gradient is not None]
    back = iter(_core.substitute(there, list(zip(fresh, constants, strict=True))))
    return [None if gradient is None else next(back) for gradient in found]


__all__ = ["DisconnectedInputError", "grad", "value_and_grad"]
