"""Whole matrices of derivatives: `jacobian`, `hessian`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from thunkvm import _core
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.creation import full
from thunkvm._src.derivatives.arguments import (
    Disconnected,
    check_policy,
    check_variable,
    disconnected_zeros,
    variables,
)
from thunkvm._src.derivatives.gradient import grad
from thunkvm._src.teaching.nearest import did_you_mean

Direction = Literal["auto", "forward", "reverse"]
DIRECTIONS = ("auto", "forward", "reverse")


@overload
def jacobian(
    expression: Variable,
    wrt: Variable,
    disconnected_inputs: Disconnected = ...,
    mode: Direction = ...,
) -> Variable: ...
@overload
def jacobian(
    expression: Variable,
    wrt: Sequence[Variable],
    disconnected_inputs: Disconnected = ...,
    mode: Direction = ...,
) -> list[Variable]: ...
@overload
def jacobian(
    expression: Variable,
    wrt: Any,
    disconnected_inputs: Disconnected = ...,
    mode: Direction = ...,
) -> Any: ...
def jacobian(
    expression: Variable,
    wrt: Any,
    disconnected_inputs: Disconnected = "raise",
    mode: Direction = "auto",
) -> Any:
    """Return the derivatives of every element of an expression, from one batched pass.

    Parameters
    ----------
    expression : Variable
        What to differentiate, of a float dtype.
    wrt : Variable, sequence of Variable or structure
        With respect to what, as of `grad`.
    disconnected_inputs : {"raise", "warn", "ignore"}
        As in `grad`.
    mode : {"auto", "forward", "reverse"}
        Whether the pass goes forward or backward. Forward it has as many rows as `wrt` has
        elements, backward as many as the expression has. "auto" takes the fewer rows where both
        numbers are known, or where `wrt` alone is 0-d, and goes backward elsewhere; declare
        lengths, ``tv.tensor("x", shape=(4,))``, for it to know them.

    Returns
    -------
    Variable, list of Variable or structure
        Its shape is ``expression.shape + wrt.shape``; a list if `wrt` was a flat sequence, and a
        structure like `wrt` if it was one.

    Raises
    ------
    DisconnectedInputError
        If the expression does not depend on a variable.
    NotImplementedError
        If an Op on the way has no gradient, or its gradient cannot be batched.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.jacobian(x * x, x))([1.0, 2.0])
    array([[2., 0.],
           [0., 4.]])

    Residuals of a few parameters are differentiated forward:

    >>> p, t = tv.tensor("p", shape=(2,)), tv.vector("t")
    >>> columns = tv.jacobian(p[0] ** 2 * t + p[1], p, mode="forward")
    >>> tv.function([p, t], columns)([3.0, 2.0], [4.0, 5.0])
    array([[24.,  1.],
           [30.,  1.]])
    """
    wanted, rebuilt = variables("jacobian", wrt)
    check_policy(disconnected_inputs)
    _check_direction("jacobian", mode)
    check_variable("jacobian", "expression", expression)
    reached = _ancestors(expression)
    out = []
    for variable in wanted:
        if variable in reached:
            out.append(_one_jacobian(expression, variable, mode))
        else:
            lengths = [*_lengths(expression), *_lengths(variable)]
            zeros = full(lengths, 0, variable.dtype)
            out.append(
                disconnected_zeros("jacobian", expression, variable, disconnected_inputs, zeros)
            )
    return rebuilt(out)


def hessian(cost: Variable, wrt: Variable, disconnected_inputs: Disconnected = "raise") -> Variable:
    """Return the second derivatives of a scalar with respect to one variable.

    The gradient is differentiated forward, in one batched pass.

    Parameters
    ----------
    cost : Variable
        What to differentiate; 0-d, of a float dtype.
    wrt : Variable
        With respect to what.
    disconnected_inputs : {"raise", "warn", "ignore"}
        As in `grad`.

    Returns
    -------
    Variable
        Its shape is ``wrt.shape + wrt.shape``. A product of it with vectors is `hvp`, which is much
        cheaper.

    Raises
    ------
    DisconnectedInputError
        If the cost does not depend on the variable.
    TypeError
        If `wrt` is not one Variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.hessian(tv.sum(x**3), x))([1.0, 2.0])
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    if not isinstance(wrt, Variable):
        raise TypeError(
            f"[hessian] wrt is {wrt!r}, a {type(wrt).__name__}; give one Variable, and write "
            "tv.jacobian(tv.grad(cost, x), y) for the derivatives by two."
        )
    return jacobian(grad(cost, wrt, disconnected_inputs), wrt, "ignore", "forward")


def _one_jacobian(expression: Variable, variable: Variable, mode: Direction) -> Variable:
    if mode == "reverse" or (mode == "auto" and not _is_narrow(expression, variable)):
        return _core.jacobian(expression, variable)
    try:
        return _core.forward_jacobian(expression, variable)
    except NotImplementedError:
        if mode == "forward":
            raise
        return _core.jacobian(expression, variable)


def _is_narrow(expression: Variable, variable: Variable) -> bool:
    """Return whether a variable is known to have fewer elements than an expression of it."""
    if not (_is_float(expression) and _is_float(variable)):
        return False
    rows, columns = _count_elements(expression), _count_elements(variable)
    if rows is None:
        return variable.ndim == 0
    return columns is not None and columns < rows


def _is_float(variable: Variable) -> bool:
    return isinstance(variable.type, TensorType) and np.dtype(variable.dtype).kind == "f"


def _count_elements(variable: Variable) -> int | None:
    lengths = [n for n in variable.type.shape if n is not None]
    return math.prod(lengths) if len(lengths) == variable.ndim else None


def _ancestors(expression: Variable) -> set[Variable]:
    found = {expression, *_core.leaves([expression])}
    for node in _core.topological_order([expression]):
        found.update(node.outputs)
    return found


def _lengths(variable: Variable) -> list[Variable]:
    return [variable.shape[axis] for axis in range(variable.ndim)]


def _check_direction(what: str, mode: str) -> None:
    if mode not in DIRECTIONS:
        raise ValueError(
            f"[{what}] mode is {mode!r}; it has to be one of {', '.join(DIRECTIONS)}."
            + did_you_mean(str(mode), DIRECTIONS)
        )


__all__ = ["hessian", "jacobian"]
