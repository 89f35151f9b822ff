"""Robust losses of least squares: what a residual costs that may be an outlier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv
from thunkvm._src.teaching.nearest import did_you_mean


class Loss(NamedTuple):
    """A loss of squared residuals, and its first two derivatives; each of the shape of them."""

    value: Any
    first: Any
    second: Any


def huber(z: tv.Variable) -> Loss:
    """Return z up to 1, and behind it ``2 sqrt(z) - 1``: large residuals count once."""
    inside = z <= 1.0
    return Loss(
        tv.where(inside, z, 2.0 * tv.sqrt(z) - 1.0),
        tv.where(inside, 1.0, z**-0.5),
        tv.where(inside, 0.0, -0.5 * z**-1.5),
    )


def soft_l1(z: tv.Variable) -> Loss:
    """Return ``2 (sqrt(1 + z) - 1)``: a smooth `huber`."""
    t = 1.0 + z
    return Loss(2.0 * (tv.sqrt(t) - 1.0), t**-0.5, -0.5 * t**-1.5)


def cauchy(z: tv.Variable) -> Loss:
    """Return ``log(1 + z)``: large residuals hardly count."""
    t = 1.0 + z
    return Loss(tv.log1p(z), 1.0 / t, -1.0 / t**2)


def arctan(z: tv.Variable) -> Loss:
    """Return ``arctan(z)``: no residual costs more than pi / 2."""
    t = 1.0 + z**2
    return Loss(tv.arctan(z), 1.0 / t, -2.0 * z / t**2)


LOSSES: dict[str, Callable[[Any], Loss]] = {
    "huber": huber,
    "soft_l1": soft_l1,
    "cauchy": cauchy,
    "arctan": arctan,
}


def loss_of(loss: str | Callable[[Any], Any]) -> Callable[[Any], Loss] | None:
    """Return a loss by its name, or of a function of z; None for "linear", which is z itself.

    Raises
    ------
    ValueError
        If there is no such loss.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.losses import loss_of
    >>> z = tv.vector("z")
    >>> f = tv.function([z], loss_of(lambda z: tv.log1p(z)).__call__(z).first)
    >>> f([0.0, 1.0])
    array([1. , 0.5])
    """
    if callable(loss):
        return lambda z: _derive_loss(loss(z), z)
    if loss == "linear":
        return None
    if loss not in LOSSES:
        raise ValueError(
            f"[least_squares] there is no loss {loss!r}; there are linear, {', '.join(LOSSES)}."
            + did_you_mean(loss, ("linear", *LOSSES))
        )
    return LOSSES[loss]


def _derive_loss(value: Any, z: tv.Variable) -> Loss:
    first = tv.grad(tv.sum(value), z)
    return Loss(value, first, tv.grad(tv.sum(first), z, "ignore"))


class Weighed(NamedTuple):
    """Residuals as least squares see them under a loss.

    Attributes
    ----------
    cost : Variable
        Half the sum of losses, 0-d, in units of fun squared.
    fun : Variable
        The residuals whose product with the weighed Jacobian is the gradient, shape ``(m,)``.
    rows : Variable or None
        The factor of each row of the Jacobian, shape ``(m,)``; None if there is none.
    """

    cost: Any
    fun: Any
    rows: Any


def weigh(fun: tv.Variable, loss: Callable[[Any], Loss] | None, scale: Any) -> Weighed:
    """Return residuals under a loss, whose residuals beyond `scale` are outliers.

    The curvature of a loss is kept where it leaves the matrix positive definite.

    References
    ----------
    B. Triggs et al., Bundle adjustment: a modern synthesis, 1999, section 4.3.
    """
    if loss is None:
        return Weighed(0.5 * tv.sum(fun**2), fun, None)
    z = (fun / scale) ** 2
    value, first, second = loss(z)
    rows = tv.sqrt(tv.maximum(first + 2.0 * second * z, np.finfo(float).eps))
    return Weighed(0.5 * scale**2 * tv.sum(value), fun * first / rows, rows)


__all__ = ["LOSSES", "Loss", "Weighed", "arctan", "cauchy", "huber", "loss_of", "soft_l1", "weigh"]
