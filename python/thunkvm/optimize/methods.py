"""The methods of `minimize` by name, SciPy's names among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.optimize.adam import adam
from thunkvm.optimize.bfgs import bfgs
from thunkvm.optimize.fista import fista
from thunkvm.optimize.gradient_descent import gradient_descent
from thunkvm.optimize.lbfgs import lbfgs
from thunkvm.optimize.lbfgsb import lbfgsb
from thunkvm.optimize.method import Method, options_of
from thunkvm.optimize.nelder_mead import nelder_mead
from thunkvm.optimize.newton_cg import newton_cg
from thunkvm.optimize.nonlinear_cg import nonlinear_cg
from thunkvm.optimize.trust_region import trust_region

MINIMIZERS: dict[str, Callable[..., Method]] = {
    "gradient_descent": gradient_descent,
    "CG": nonlinear_cg,
    "nonlinear_cg": nonlinear_cg,
    "BFGS": bfgs,
    "L-BFGS": lbfgs,
    "L-BFGS-B": lbfgsb,
    "Nelder-Mead": nelder_mead,
    "adam": adam,
    "fista": fista,
    "Newton-CG": newton_cg,
    "trust_region": trust_region,
    "trust-ncg": trust_region,
    "dogleg": partial(trust_region, subproblem="dogleg"),
}

#: SciPy's names of options of what is printed.
PRINTING = ("disp", "iprint", "verbose")


def method_of(
    method: str | Method, known: dict[str, Callable[..., Method]], options: dict[str, Any]
) -> Method:
    """Return a method by its name, or itself, with options.

    Names are compared without case, hyphens, blanks and underscores. None stands for the default
    of an option.

    Raises
    ------
    ValueError
        If there is no such method.
    TypeError
        If the method is neither a name nor a `Method`, or has no such option.

    Examples
    --------
    >>> from thunkvm.optimize.methods import MINIMIZERS, method_of
    >>> method_of("gradient-descent", MINIMIZERS, {"gtol": 1e-3}).gtol
    0.001
    """
    if isinstance(method, Method):
        found = method
    elif not isinstance(method, str):
        made = isinstance(method, type) and issubclass(method, Method)
        raise TypeError(
            f"[optimize] method is {method!r} ({type(method).__name__}): it has to be a name, or "
            + (
                f"the class with its options: {method.__name__}()."
                if made
                else "an object such as tv.optimize.bfgs()."
            )
        )
    elif method in known:
        found = known[method]()
    else:
        plain = {_plain(name): name for name in known}
        if _plain(method) not in plain:
            raise ValueError(
                f"[optimize] there is no method {method!r}; there are {', '.join(known)}."
                + did_you_mean(method, tuple(known))
            )
        found = known[plain[_plain(method)]]()
    options = {
        name: value
        for name, value in options.items()
        if name not in PRINTING or not refuse_printing(name, value)
    }
    if not options:
        return found
    names = options_of(type(found)).names
    for name in options:
        if name not in names:
            raise TypeError(
                f"[optimize] {type(found).__name__} has no option {name!r}; it has "
                f"{', '.join(names)}." + did_you_mean(name, names)
            )
    return replace(found, **{name: value for name, value in options.items() if value is not None})


def refuse_printing(name: str, value: Any) -> bool:
    """Refuse one of SciPy's options of what is printed, unless it says that nothing is.

    Raises
    ------
    ValueError
        If it asks for prints.

    Examples
    --------
    >>> from thunkvm.optimize.methods import refuse_printing
    >>> refuse_printing("disp", False)
    True
    """
    if value is not None and int(value) > 0:
        raise ValueError(
            f"[optimize] {name} is {value!r}: solvers print nothing. Leave it out; progress=True "
            "shows a bar of the steps, callback=print each state, and the result has a message."
        )
    return True


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


__all__ = ["MINIMIZERS", "method_of", "refuse_printing"]
