"""Incomplete gamma and beta functions and their inverses, with slopes by their shapes too."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Apply, Variable
from thunkvm._src.arrays.composed.shape_slopes import beta_slope, slope_of_gammainc
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.values import as_variable


class WithShapeSlopes(Op):
    """A value of an incomplete function, as it is, with slopes by the shapes behind it.

    The Op that makes the value has those by its last input alone.
    """

    __props__ = ("name",)
    view_map = {0: [0]}  # noqa: RUF012 (instances may set their own)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def make_node(self, value: Variable, *inputs: Variable) -> Apply:
        """Take the value, and what it was made of."""
        return Apply(self, [value, *inputs], [value.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Return the value."""
        output_storage[0][0] = inputs[0]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return the shape of the value."""
        return [input_shapes[0]]

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Any]:
        """Return the slopes by the shapes; that by the last input is the value's."""
        (g,) = output_gradients
        value, *arguments = inputs
        slopes = SLOPES[self.name](value, *arguments)
        out: list[Any] = [g]
        for shape, slope in zip(arguments, slopes, strict=False):
            if np.dtype(shape.dtype).kind != "f":
                out.append(None)
                continue
            partial = astype(g * astype(slope, value.dtype), shape.dtype)
            out.append(ops.unbroadcast(partial, ops.shape(shape)))
        return [*out, None]

    def batch(self, node: Apply, inputs: list[Variable], batched: list[bool]) -> list[Variable]:
        """Return the batch of values; what is no batch has one more axis in front."""
        ndim = node.outputs[0].ndim
        aligned = []
        for x, is_batch in zip(inputs, batched, strict=True):
            missing = ndim - (x.ndim - is_batch)
            at = (
                tuple(range(is_batch, missing + is_batch))
                if is_batch
                else tuple(range(missing + 1))
            )
            aligned.append(ops.expand_dims(x, axis=at) if at else x)
        return [self(*aligned)]


class ShapeSlopesElement(WithShapeSlopes):
    """The same, of numbers that C has: it is fused with what is around it."""

    def c_element(self, node: Apply) -> str:
        """Return the value."""
        return "{0}"


def _gamma_density(a: Variable, x: Variable) -> Variable:
    return ops.pow(x, a - 1.0) * ops.exp(-x - ops.gammaln(a))


def _beta_density(a: Variable, b: Variable, x: Variable) -> Variable:
    powers = ops.pow(x, a - 1.0) * ops.pow(1.0 - x, b - 1.0)
    return powers * ops.exp(ops.gammaln(a + b) - ops.gammaln(a) - ops.gammaln(b))


def _beta_slopes(a: Variable, b: Variable, x: Variable) -> tuple[Variable, Variable]:
    x = astype(x, "float64")
    return beta_slope(a, b, x, 1.0 - x), -beta_slope(b, a, 1.0 - x, x)


def _beta_inverse_slopes(a: Variable, b: Variable, x: Variable) -> tuple[Variable, Variable]:
    density = _beta_density(*(astype(each, "float64") for each in (a, b, x)))
    by_a, by_b = _beta_slopes(a, b, x)
    is_end = ops.logical_or(ops.eq(x, 0.0), ops.eq(x, 1.0))
    return ops.where(is_end, 0.0, -by_a / density), ops.where(is_end, 0.0, -by_b / density)


def _gamma_inverse_slope(a: Variable, x: Variable) -> Variable:
    density = _gamma_density(astype(a, "float64"), astype(x, "float64"))
    is_end = ops.logical_or(ops.eq(x, 0.0), ops.isinf(x))
    return ops.where(is_end, 0.0, -slope_of_gammainc(a, x) / density)


#: By function, the slopes by its shapes, of its value and its inputs.
SLOPES: dict[str, Any] = {
    "gammainc": lambda value, a, x: (slope_of_gammainc(a, x),),
    "gammaincc": lambda value, a, x: (-slope_of_gammainc(a, x),),
    "gammaincinv": lambda value, a, p: (_gamma_inverse_slope(a, value),),
    "gammainccinv": lambda value, a, q: (_gamma_inverse_slope(a, value),),
    "betainc": lambda value, a, b, x: _beta_slopes(a, b, x),
    "betaincinv": lambda value, a, b, p: _beta_inverse_slopes(a, b, value),
}


def _add_slopes(name: str, *arguments: Any) -> Variable:
    inputs = [as_variable(each) for each in arguments]
    value: Variable = getattr(ops, name)(*arguments)
    floats = [x for x in inputs[:-1] if np.dtype(x.dtype).kind == "f" and x.leaf != "constant"]
    if not floats:
        return value
    is_of_c = all(x.dtype in ("float64", "float32") for x in (value, *inputs))
    out: Variable = (ShapeSlopesElement if is_of_c else WithShapeSlopes)(name)(value, *inputs)
    return out


@public()
def gammainc(a: Any, x: Any) -> Variable:
    """Return the regularised lower incomplete gamma function.

    It is the probability that a gamma number of shape `a` is at most `x`.

    Parameters
    ----------
    a, x : Variable or array-like
        Not negative; elsewhere the value is NaN.

    Returns
    -------
    Variable
        Its derivative by `a` is an integral of 284 points, which is computed where it is demanded.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.scalar("a")
    >>> y = tv.gammainc(a, 2.0)
    >>> [float(v).__round__(8) for v in tv.function([a], [y, tv.grad(y, a)])(2.0)]
    [0.59399415, -0.29400469]
    """
    return _add_slopes("gammainc", a, x)


@public()
def gammaincc(a: Any, x: Any) -> Variable:
    """Return ``1 - gammainc(a, x)``, precise where that is nearly 1; see `gammainc`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.gammaincc(1.0, x))([0.0, 1.0])
    array([1.        , 0.36787944])
    """
    return _add_slopes("gammaincc", a, x)


@public()
def gammaincinv(a: Any, p: Any) -> Variable:
    """Return the x for which ``gammainc(a, x)`` is `p`; see `gammainc`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.gammaincinv(1.0, p))([0.0, 0.5])
    array([0.        , 0.69314718])
    """
    return _add_slopes("gammaincinv", a, p)


@public()
def gammainccinv(a: Any, q: Any) -> Variable:
    """Return the x for which ``gammaincc(a, x)`` is `q`; see `gammainc`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> q = tv.vector("q")
    >>> tv.function([q], tv.gammainccinv(1.0, q))([1.0, 0.5])
    array([0.        , 0.69314718])
    """
    return _add_slopes("gammainccinv", a, q)


@public()
def betainc(a: Any, b: Any, x: Any) -> Variable:
    """Return the regularised incomplete beta function.

    It is the probability that a beta number of shapes `a` and `b` is at most `x`.

    Parameters
    ----------
    a, b : Variable or array-like
        Positive; elsewhere the value is NaN.
    x : Variable or array-like
        From 0 to 1.

    Returns
    -------
    Variable
        Its derivatives by the shapes are integrals of 284 points, computed where they are demanded.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.scalar("a")
    >>> y = tv.betainc(a, 1.0, 0.5)
    >>> [float(v).__round__(8) for v in tv.function([a], [y, tv.grad(y, a)])(1.0)]
    [0.5, -0.34657359]
    """
    return _add_slopes("betainc", a, b, x)


@public()
def betaincinv(a: Any, b: Any, p: Any) -> Variable:
    """Return the x for which ``betainc(a, b, x)`` is `p`; see `betainc`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.betaincinv(1.0, 1.0, p))([0.0, 0.25])
    array([0.  , 0.25])
    """
    return _add_slopes("betaincinv", a, b, p)


@public()
def gammal(k: Any, x: Any) -> Variable:
    """Return the lower incomplete gamma function, ``gammainc(k, x) * gamma(k)``; see `gammainc`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.gammal(2.0, x))([0.0, 2.0])
    array([0.        , 0.59399415])
    """
    out: Variable = gammainc(k, x) * ops.gamma(k)
    return out


@public()
def gammau(k: Any, x: Any) -> Variable:
    """Return the upper incomplete gamma function, ``gammaincc(k, x) * gamma(k)``; see `gammainc`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.gammau(2.0, x))([0.0, 2.0])
    array([1.        , 0.40600585])
    """
    out: Variable = gammaincc(k, x) * ops.gamma(k)
    return out


@public()
def chi2sf(x: Any, k: Any) -> Variable:
    """Return the probability that a chi-squared number of `k` degrees is above `x`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.chi2sf(x, 2.0))([0.0, 2.0])
    array([1.        , 0.36787944])
    """
    return gammaincc(as_variable(k) / 2.0, as_variable(x) / 2.0)


#: The functions that have the names of Ops, which lack the slopes by shapes.
OF_OPS = ("betainc", "betaincinv", "gammainc", "gammaincc", "gammainccinv", "gammaincinv")

__all__ = [*OF_OPS, "chi2sf", "gammal", "gammau"]
