"""Symbolic derivatives: `grad`, `jacobian`, `hessian`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.arrays.creation import full, zeros_like
from thunkvm._src.derivatives.scalar_gradients import gradients, is_number
from thunkvm._src.teaching.nearest import did_you_mean

Disconnected = Literal["raise", "warn", "ignore"]
POLICIES = ("raise", "warn", "ignore")


class DisconnectedInputError(ValueError):
    """The cost does not depend on a variable that a gradient was asked for."""

    __module__ = "thunkvm"


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
def grad(
    cost: Variable,
    wrt: Variable | Sequence[Variable],
    disconnected_inputs: Disconnected = "raise",
    consider_constant: Variable | Sequence[Variable] = (),
) -> Variable | list[Variable]:
    """Return the gradient of a scalar with respect to variables.

    The gradient of a branch lives in that branch: what is not taken adds no cost, no NaN and no
    error, at any order.

    Parameters
    ----------
    cost : Variable
        What to differentiate; 0-d, of a float dtype.
    wrt : Variable or sequence of Variable
        With respect to what.
    disconnected_inputs : {"raise", "warn", "ignore"}
        What to do about a variable that `cost` does not depend on, or whose shape alone it depends
        on, or that is of integers, or behind `stop_gradient`: an error, or zeros with or without a
        warning. Where `cost` depends on it in steps (through `floor`, a comparison, a condition),
        the gradient is zero.
    consider_constant : Variable or sequence of Variable
        Variables through which no gradient flows.

    Returns
    -------
    Variable or list of Variable
        A gradient of the shape and dtype of each variable; a list if `wrt` was a sequence.

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
    wanted = _variables("grad", wrt)
    _check_policy(disconnected_inputs)
    if not isinstance(cost, Variable):
        from thunkvm._src.teaching.elsewhere import called

        raise TypeError(
            f"[grad] the cost is {cost!r}, a {type(cost).__name__}; give a Variable" + called(cost)
        )
    constants = _variables("grad", consider_constant, "consider_constant")
    found = _gradients_around(cost, wanted, constants) if constants else gradients(cost, wanted)
    out = [
        _disconnected("grad", cost, variable, disconnected_inputs, _zeros(variable))
        if gradient is None
        else gradient
        for gradient, variable in zip(found, wanted, strict=True)
    ]
    return out[0] if isinstance(wrt, Variable) else out


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


@overload
def jacobian(
    expression: Variable, wrt: Variable, disconnected_inputs: Disconnected = ...
) -> Variable: ...
@overload
def jacobian(
    expression: Variable, wrt: Sequence[Variable], disconnected_inputs: Disconnected = ...
) -> list[Variable]: ...
def jacobian(
    expression: Variable,
    wrt: Variable | Sequence[Variable],
    disconnected_inputs: Disconnected = "raise",
) -> Variable | list[Variable]:
    """Return the derivatives of every element of an expression, from one batched backward pass.

    Parameters
    ----------
    expression : Variable
        What to differentiate, of a float dtype.
    wrt : Variable or sequence of Variable
        With respect to what.
    disconnected_inputs : {"raise", "warn", "ignore"}
        As in `grad`.

    Returns
    -------
    Variable or list of Variable
        Its shape is ``expression.shape + wrt.shape``; a list if `wrt` was a sequence.

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
    """
    wanted = _variables("jacobian", wrt)
    _check_policy(disconnected_inputs)
    if not isinstance(expression, Variable):
        from thunkvm._src.teaching.elsewhere import called

        raise TypeError(
            f"[jacobian] the expression is {expression!r}; give a Variable" + called(expression)
        )
    out = []
    for variable in wanted:
        if variable in _ancestors(expression):
            out.append(_core.jacobian(expression, variable))
        else:
            lengths = [*_lengths(expression), *_lengths(variable)]
            zeros = full(lengths, 0, variable.dtype)
            out.append(_disconnected("jacobian", expression, variable, disconnected_inputs, zeros))
    return out[0] if isinstance(wrt, Variable) else out


def hessian(cost: Variable, wrt: Variable) -> Variable:
    """Return the second derivatives of a scalar with respect to one variable.

    Parameters
    ----------
    cost : Variable
        What to differentiate; 0-d, of a float dtype.
    wrt : Variable
        With respect to what.

    Returns
    -------
    Variable
        Its shape is ``wrt.shape + wrt.shape``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.hessian(tv.sum(x**3), x))([1.0, 2.0])
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(grad(cost, wrt), wrt, "ignore")


def _ancestors(expression: Variable) -> set[Variable]:
    found = {expression, *_core.leaves([expression])}
    for node in _core.topological_order([expression]):
        found.update(node.outputs)
    return found


def _lengths(variable: Variable) -> list[Variable]:
    return [variable.shape[axis] for axis in range(variable.ndim)]


def _variables(what: str, given: Any, name: str = "wrt") -> list[Variable]:
    if given is None or not isinstance(given, (Variable, Iterable)):
        raise TypeError(
            f"[{what}] {name} is {given!r}, a {type(given).__name__}; give a Variable or a list of "
            "them."
        )
    wanted = [given] if isinstance(given, Variable) else list(given)
    for variable in wanted:
        if not isinstance(variable, Variable):
            raise TypeError(
                f"[{what}] {name} has {variable!r}, a {type(variable).__name__}; "
                "give a Variable or a list of them."
            )
    return wanted


def _check_policy(policy: str) -> None:
    if policy not in POLICIES:
        raise ValueError(
            f"disconnected_inputs is {policy!r}; it has to be one of {', '.join(POLICIES)}."
            + did_you_mean(str(policy), POLICIES)
        )


def _zeros(variable: Variable) -> Variable:
    """Return zeros of a variable's Type."""
    if not is_number(variable):
        return zeros_like(variable)
    from thunkvm.c.scalar_ops import scalar_from_tensor

    zero: Variable = scalar_from_tensor(full((), 0, variable.type.dtype))
    return zero


def _disconnected(
    what: str, of: Variable, variable: Variable, policy: str, zeros: Variable
) -> Variable:
    kind = np.dtype(variable.type.dtype).kind
    reason = f"[{what}] {of} does not depend differentiably on {variable}"
    if kind not in "fc":
        reason += (
            f", whose values of {variable.type.dtype} are not continuous: make it a float variable"
        )
    message = f'{reason}; leave it out of wrt, or pass disconnected_inputs="ignore" to get zeros.'
    if policy == "raise":
        raise DisconnectedInputError(message)
    if policy == "warn":
        warnings.warn(message, stacklevel=4)
    return zeros
