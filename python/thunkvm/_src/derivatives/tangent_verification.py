"""Forward derivatives against finite differences and against the gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.calls.function import function
from thunkvm._src.derivatives.products import jvp, vjp
from thunkvm._src.derivatives.verification import (
    EPS,
    TOLERANCE,
    errors,
    lowest_precision,
    random_weights,
)
from thunkvm._src.graph.types import tensor

#: How far the two sums may be apart, in units of what they add: nothing but rounding does it.
ROUNDING = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-8}


def wrong_tangents(
    fun: Callable[..., Sequence[Variable]], points: Sequence[np.ndarray], against_gradient: bool
) -> Iterator[str]:
    """Yield what is wrong with the forward derivatives of a function, at one point.

    Parameters
    ----------
    fun : callable
        Takes as many Variables as there are points, and returns float or complex ones.
    points : sequence of ndarray
        The values of the inputs, float or complex.
    against_gradient : bool
        Whether the function has a gradient that is right. Then the sum of each product of a
        tangent and a cotangent has to be the same both ways: ``<u, J v> == <J^T u, v>``.

    Yields
    ------
    str
        For each output the worst element, or the two sums that differ.
    """
    variables = [tensor(f"input_{i}", p.dtype, (None,) * p.ndim) for i, p in enumerate(points)]
    outputs = list(fun(*variables))
    random = np.random.default_rng(0)
    along = [random_weights(random, p.shape, p.dtype) for p in points]
    tangents = jvp(outputs, variables, along, disconnected_outputs="ignore")
    dtypes = [*(p.dtype for p in points), *(np.dtype(y.dtype) for y in outputs)]
    precision = lowest_precision(dtypes)
    eps, tolerance = EPS[precision], TOLERANCE[precision]

    value = function(variables, outputs, on_unused_input="ignore")
    pushed = function(variables, tangents, on_unused_input="ignore")(*points)
    high, low = (
        value(*((p + sign * eps * v).astype(p.dtype) for p, v in zip(points, along, strict=True)))
        for sign in (1, -1)
    )
    for k, tangent in enumerate(pushed):
        mine = _wide(tangent)
        difference = (_wide(high[k]) - _wide(low[k])) / (2 * eps)
        if mine.shape != difference.shape:
            yield f"the tangent of output {k} has the shape {mine.shape}, not {difference.shape}"
            continue
        absolute, relative = errors(mine, difference)
        excess = np.minimum(absolute, relative) / tolerance
        excess = np.where(np.isnan(excess), np.inf, excess)
        if excess.size and excess.max() > 1:
            at = tuple(int(i) for i in np.unravel_index(excess.argmax(), excess.shape))
            yield (
                f"the tangent of output {k} is wrong at element {at}: it is {mine[at]:.10g}, "
                f"finite differences have {difference[at]:.10g}"
            )
    if not against_gradient:
        return
    for k, (output, tangent) in enumerate(zip(outputs, pushed, strict=True)):
        u = random_weights(random, np.shape(tangent), np.dtype(output.dtype))
        backward = vjp(output, variables, u, disconnected_inputs="ignore")
        pulled = function(variables, backward, on_unused_input="ignore")(*points)
        forth = _product(u, tangent)
        back = sum(_product(p, v) for p, v in zip(pulled, along, strict=True))
        size = max(1.0, np.sum(np.abs(u) * np.abs(_wide(tangent))))
        if not abs(forth - back) <= ROUNDING[precision] * size:
            yield (
                f"the forward derivative of output {k} is not the gradient's transpose: <u, J v> "
                f"is {forth:.10g}, <J^T u, v> is {back:.10g}"
            )


def _wide(values: Any) -> np.ndarray:
    """Return an array in double precision, real or complex."""
    array = np.asarray(values)
    return array.astype(np.result_type(array.dtype, np.float64))


def _product(a: Any, b: Any) -> float:
    return float(np.sum(np.conj(_wide(a)) * _wide(b)).real)


__all__ = ["wrong_tangents"]
