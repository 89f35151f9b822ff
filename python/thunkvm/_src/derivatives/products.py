"""Derivatives times vectors: `vjp`, `jvp`, `hvp`, and the names of other libraries for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.arrays.creation import zeros_like
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.equal_shapes import with_shape_of
from thunkvm._src.derivatives.arguments import (
    Disconnected,
    check_policy,
    check_variable,
    disconnected_zeros,
    variables,
    zeros,
)
from thunkvm._src.derivatives.gradient import grad
from thunkvm._src.derivatives.inner_products import tensor, total
from thunkvm._src.derivatives.scalar_gradients import gradients, push_forward
from thunkvm._src.graph.structure import children, leaves, matched_leaves, rebuild, with_children
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.elsewhere import called


def vjp(
    expression: Any, wrt: Any, cotangents: Any, disconnected_inputs: Disconnected = "raise"
) -> Any:
    """Return cotangents times the Jacobian: one backward pass, whatever the shapes are.

    Parameters
    ----------
    expression : Variable, or nested lists, tuples, dicts and dataclasses of them
        What to differentiate, of float or complex dtypes.
    wrt : Variable, sequence of Variable or structure
        With respect to what, as of `grad`.
    cotangents : Variable, array-like, or a structure like `expression`
        How much each element of the expression counts, of its shape.
    disconnected_inputs : {"raise", "warn", "ignore"}
        As of `grad`.

    Returns
    -------
    Variable, list of Variable or structure
        The gradient of ``sum(cotangents * expression)``, of the shape of each variable of `wrt`;
        the cotangents count as constants. `Lop` and `pullback` are this function too.

    Raises
    ------
    DisconnectedInputError
        If the expression does not depend on a variable.
    TypeError, ValueError
        If the cotangents are no structure like `expression`, or a dtype or shape does not fit;
        if lengths are not known yet, when called.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.vjp(x * x, x, [1.0, 10.0]))
    >>> f([1.0, 2.0])
    array([ 2., 40.])
    """
    check_policy(disconnected_inputs)
    ys = _expressions("vjp", expression)
    wanted, rebuilt = variables("vjp", wrt)
    given = _vectors("vjp", ("expression", "cotangents"), expression, cotangents)
    found = _pulled_back(ys, given, wanted)
    return rebuilt(
        [
            disconnected_zeros("vjp", ys[0], variable, disconnected_inputs, zeros(variable))
            if gradient is None
            else gradient
            for gradient, variable in zip(found, wanted, strict=True)
        ]
    )


def jvp(
    expression: Any, wrt: Any, tangents: Any, disconnected_outputs: Disconnected = "raise"
) -> Any:
    """Return the Jacobian times tangents: how an expression changes as its inputs do.

    Parameters
    ----------
    expression : Variable, or nested lists, tuples, dicts and dataclasses of them
        What to differentiate, of float or complex dtypes.
    wrt : Variable, sequence of Variable or structure
        What changes.
    tangents : Variable, array-like, or a structure like `wrt`
        How each variable of `wrt` changes, of its shape.
    disconnected_outputs : {"raise", "warn", "ignore"}
        What to do if no expression depends on any variable of `wrt`. Where some do, the tangents
        of the others are zeros.

    Returns
    -------
    Variable or structure
        The change of each Variable of `expression`, of its shape. The tangent of an arm lives in
        that arm: what is not taken has none that runs. `Rop` and `pushforward` are this function
        too.

    Raises
    ------
    DisconnectedInputError
        If the expression does not depend on any variable.
    TypeError, ValueError
        If the tangents are no structure like `wrt`, or a dtype or shape does not fit; if lengths
        are not known yet, when called.
    NotImplementedError
        If an Op on the way has no forward rule and no gradient, or that has none.

    Notes
    -----
    Values and tangents are computed side by side: a loop pushes forward without keeping its steps,
    so that its memory does not grow with their number.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> y = tv.stack([x[0] * x[1], tv.sum(x)])
    >>> tv.function([x], tv.jvp(y, x, [1.0, 0.0]))([3.0, 5.0])
    array([5., 1.])
    """
    check_policy(disconnected_outputs, "disconnected_outputs")
    ys = _expressions("jvp", expression)
    wanted, _ = variables("jvp", wrt)
    given = _vectors("jvp", ("wrt", "tangents"), _structure(wrt, wanted), tangents)
    found = iter(_pushed_forward(ys, wanted, given, disconnected_outputs))
    return rebuild(expression, found.__next__)


def hvp(cost: Variable, wrt: Any, vectors: Any, disconnected_inputs: Disconnected = "raise") -> Any:
    """Return the Hessian of a scalar times vectors, without the Hessian.

    Its gradient is differentiated forward along the vectors.

    Parameters
    ----------
    cost : Variable
        What to differentiate twice; 0-d, of a float dtype.
    wrt : Variable, sequence of Variable or structure
        With respect to what, as of `grad`.
    vectors : Variable, array-like, or a structure like `wrt`
        What the Hessian is multiplied by, of the shapes of `wrt`.
    disconnected_inputs : {"raise", "warn", "ignore"}
        As of `grad`.

    Returns
    -------
    Variable, list of Variable or structure
        How the gradient changes along the vectors, which count as constants.

    Raises
    ------
    DisconnectedInputError, TypeError, ValueError
        As of `grad` and `jvp`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.hvp(tv.sum(x**3), x, [1.0, 0.5]))([1.0, 2.0])
    array([6., 6.])
    """
    check_variable("hvp", "cost", cost)
    wanted, rebuilt = variables("hvp", wrt)
    found = grad(cost, wanted, disconnected_inputs)
    given = _vectors("hvp", ("wrt", "vectors"), _structure(wrt, wanted), vectors)
    changes = push_forward([tensor(gradient) for gradient in found], wanted, given)
    return rebuilt(
        [
            zeros(variable) if change is None else change
            for change, variable in zip(changes, wanted, strict=True)
        ]
    )


Lop = pullback = vjp
Rop = pushforward = jvp


def _pulled_back(
    ys: Sequence[Variable], vectors: Sequence[Variable], wrt: Sequence[Variable]
) -> list[Variable | None]:
    """Return the gradients of ``sum(vectors * ys)``, with the vectors as constants."""
    us = [vector.type() for vector in vectors]
    found = gradients(total(us, ys), wrt)
    there = [gradient for gradient in found if gradient is not None]
    pairs = list(zip(us, vectors, strict=True))
    back = iter(_core.substitute(there, pairs))
    return [None if gradient is None else next(back) for gradient in found]


def _pushed_forward(
    ys: Sequence[Variable], wrt: Sequence[Variable], tangents: Sequence[Variable], policy: str
) -> list[Variable]:
    found = push_forward([tensor(y) for y in ys], wrt, tangents)
    is_disconnected = bool(wrt) and all(tangent is None for tangent in found)
    results = []
    for y, tangent in zip(ys, found, strict=True):
        none = zeros_like(tensor(y))
        if is_disconnected:
            none = disconnected_zeros("jvp", y, wrt[0], policy, none, "disconnected_outputs")
        results.append(none if tangent is None else tangent)
    return results


def _expressions(what: str, tree: Any) -> list[Variable]:
    """Return the Variables of an expression, all of them float or complex."""
    found = []
    for path, leaf in leaves(tree):
        if not isinstance(leaf, Variable):
            raise TypeError(
                f"[{what}] the expression{path} is {leaf!r}, a {type(leaf).__name__}; give a "
                "Variable" + called(leaf)
            )
        dtype = getattr(leaf.type, "dtype", "object")
        if np.dtype(dtype).kind not in "fc":
            raise TypeError(
                f"[{what}] the expression{path} is {leaf}, whose values of {dtype} are not "
                "continuous: leave it out, or make it a float variable."
            )
        found.append(leaf)
    if not found:
        raise ValueError(f"[{what}] the expression is {tree!r}; give at least one Variable.")
    return found


def _vectors(what: str, names: tuple[str, str], like: Any, given: Any) -> list[Variable]:
    """Return a vector for each Variable of a structure, of its dtype and shape."""
    called_so = (f"[{what}] {names[0]}", names[1])
    pairs = matched_leaves(called_so, like, _with_variables(like, given))
    return [
        _fit_vector(what, f"{names[1]}{path}", vector, f"{names[0]}{path}", variable)
        for path, variable, vector in pairs
    ]


def _structure(wrt: Any, wanted: list[Variable]) -> Any:
    """Return `wrt` itself, or the list of what can be iterated over but once."""
    return wanted if not isinstance(wrt, Variable) and children(wrt) is None else wrt


def _with_variables(like: Any, given: Any) -> Any:
    """Return a structure that has a Variable for each value, lists of numbers too."""
    if isinstance(like, Variable):
        return as_variable(given)
    theirs, mine = children(like), children(given)
    if theirs is None or mine is None or isinstance(like, dict) != isinstance(given, dict):
        return given
    if isinstance(like, dict):
        return {
            key: _with_variables(like[key], child) if key in like else child for key, child in mine
        }
    if len(theirs) != len(mine):
        return given
    values = [_with_variables(a, b) for (_, a), (_, b) in zip(theirs, mine, strict=True)]
    if type(like) in (list, tuple) and type(given) in (list, tuple):
        return type(like)(values)  # which of the two is no matter
    return with_children(given, values)


def _fit_vector(what: str, name: str, vector: Variable, of: str, variable: Variable) -> Variable:
    """Return a vector in the dtype and of the shape of a variable."""
    variable = tensor(variable)
    if not np.can_cast(vector.dtype, variable.dtype, "same_kind"):
        raise TypeError(
            f"[{what}] {name} is {vector}, of {vector.dtype}, but {of} is {variable}; give values "
            f"of {variable.dtype}."
        )
    if vector.ndim != variable.ndim:
        raise ValueError(
            f"[{what}] {name} is {vector}, with {vector.ndim} axes, but {of} is {variable}, with "
            f"{variable.ndim}; give one value for each element."
        )
    vector = astype(vector, variable.dtype)
    return with_shape_of(vector, variable, f"[{what}] {name}", of)


__all__ = ["Lop", "Rop", "hvp", "jvp", "pullback", "pushforward", "vjp"]
