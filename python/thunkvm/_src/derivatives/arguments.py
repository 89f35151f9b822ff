"""Arguments of derivatives: with respect to what, and what to do about what is disconnected."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.arrays.creation import full, zeros_like
from thunkvm._src.derivatives.scalar_gradients import is_number
from thunkvm._src.graph.structure import children, leaves, rebuild
from thunkvm._src.teaching.elsewhere import called
from thunkvm._src.teaching.nearest import did_you_mean

Disconnected = Literal["raise", "warn", "ignore"]
POLICIES = ("raise", "warn", "ignore")


class DisconnectedInputError(ValueError):
    """The cost does not depend on a variable that a gradient was asked for.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> tv.grad(x * 2.0, y)
    Traceback (most recent call last):
        ...
    thunkvm.DisconnectedInputError: [grad] <x * 2.0: scalar float64> does not depend ...
    """

    __module__ = "thunkvm"


def variables(
    what: str, given: Any, name: str = "wrt"
) -> tuple[list[Variable], Callable[[Sequence[Any]], Any]]:
    """Return the Variables of an argument, and how one result for each becomes the whole result.

    Parameters
    ----------
    what : str
        The function that was called, for errors.
    given : Variable, sequence of Variable, or nested lists, tuples, dicts and dataclasses
        The argument.
    name : str
        What the function calls it.

    Returns
    -------
    list of Variable
        In the order of the structure.
    callable
        Takes one result for each Variable. One Variable gives that of its own, a flat sequence
        a list, and a structure one like it.

    Raises
    ------
    TypeError
        If it is made of anything else; the message has the path.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.derivatives.arguments import variables
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> found, rebuilt = variables("grad", {"a": x, "b": (y,)})
    >>> [v.name for v in found], rebuilt([1, 2])
    (['x', 'y'], {'a': 1, 'b': (2,)})
    """
    if isinstance(given, Variable):
        return [given], lambda results: results[0]
    is_flat = not isinstance(given, dict) and isinstance(given, Iterable)
    if not isinstance(given, str) and is_flat:
        given = list(given)
        is_flat = all(children(child) is None for child in given)
    elif children(given) is None:
        raise TypeError(
            f"[{what}] {name} is {given!r}, a {type(given).__name__}; give a Variable or a list of "
            "them" + called(given)
        )
    found = []
    for path, leaf in leaves(given):
        if not isinstance(leaf, Variable):
            at = "" if is_flat else path
            raise TypeError(
                f"[{what}] {name}{at} has {leaf!r}, a {type(leaf).__name__}; "
                "give a Variable or a list of them" + called(leaf)
            )
        found.append(leaf)
    if is_flat:
        return found, list
    return found, lambda results: rebuild(given, iter(results).__next__)


def check_policy(policy: str, name: str = "disconnected_inputs") -> None:
    """Refuse what is none of `POLICIES`."""
    if policy not in POLICIES:
        raise ValueError(
            f"{name} is {policy!r}; it has to be one of {', '.join(POLICIES)}."
            + did_you_mean(str(policy), POLICIES)
        )


def check_variable(what: str, name: str, given: Any) -> None:
    """Refuse an expression that is no Variable."""
    if not isinstance(given, Variable):
        raise TypeError(
            f"[{what}] the {name} is {given!r}, a {type(given).__name__}; give a Variable"
            + called(given)
        )


def zeros(variable: Variable) -> Variable:
    """Return zeros of a variable's Type."""
    if not is_number(variable):
        return zeros_like(variable)
    from thunkvm.c.scalar_ops import scalar_from_tensor

    zero: Variable = scalar_from_tensor(full((), 0, variable.type.dtype))
    return zero


def disconnected_zeros(
    what: str,
    of: Variable,
    variable: Variable,
    policy: str,
    zeros: Variable,
    name: str = "disconnected_inputs",
) -> Variable:
    """Return zeros, with a warning or an error that say why, as a policy wants."""
    if policy == "ignore":
        return zeros
    reason = f"[{what}] {of} does not depend differentiably on {variable}"
    dtype = variable.type.dtype
    if np.dtype(dtype).kind not in "fc":
        reason += f", whose values of {dtype} are not continuous: make it a float variable"
    message = f'{reason}; leave it out of wrt, or pass {name}="ignore" to get zeros.'
    if policy == "raise":
        raise DisconnectedInputError(message)
    warnings.warn(message, stacklevel=4)
    return zeros


__all__ = [
    "Disconnected", "DisconnectedInputError", "check_policy", "check_variable",
    "disconnected_zeros", "variables", "zeros",
]  # fmt: skip
