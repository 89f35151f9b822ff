"""Gradients against finite differences: `verify_grad`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.arrays.reductions import sum as total
from thunkvm._src.calls.function import function
from thunkvm._src.calls.mode import Mode
from thunkvm._src.derivatives.gradient import grad
from thunkvm._src.graph.types import tensor
from thunkvm._src.teaching.elsewhere import called
from thunkvm.ops import conj, real

if TYPE_CHECKING:
    from thunkvm._rows import ModeName

#: Steps of central differences: about the cube root of the dtype's resolution.
EPS = {"float16": 1e-1, "float32": 5e-3, "float64": 5e-6}
#: The tolerances, absolute or relative.
TOLERANCE = {"float16": 5e-2, "float32": 1e-2, "float64": 1e-5}


class GradientError(Exception):
    """A gradient differs from finite differences by more than both tolerances allow.

    Attributes
    ----------
    arg : int
        The input.
    err_pos : int
        The position of its element, in C order.
    shape : tuple of int
        The input's shape.
    val1, val2 : number
        The derivative as `grad` has it, and that by finite differences.
    abs_err, rel_err : float
        Their difference, and its ratio to the sum of their absolute values.
    abs_tol, rel_tol : float
        What was allowed.

    Examples
    --------
    >>> import thunkvm as tv
    >>> try:
    ...     tv.verify_grad(lambda x: tv.grad_scale(x, 2.0), [1.0])
    ... except tv.GradientError as error:
    ...     print(error.arg, round(error.val1 / error.val2, 3))
    0 2.0
    """

    __module__ = "thunkvm"

    def __init__(
        self,
        arg: int,
        err_pos: int,
        shape: tuple[int, ...],
        val1: Any,
        val2: Any,
        abs_tol: float,
        rel_tol: float,
    ) -> None:
        super().__init__(arg, err_pos, shape, val1, val2, abs_tol, rel_tol)
        self.arg, self.err_pos, self.shape = arg, err_pos, shape
        self.val1, self.val2 = val1, val2
        self.abs_err, self.rel_err = errors(val1, val2)
        self.abs_tol, self.rel_tol = abs_tol, rel_tol

    def __str__(self) -> str:
        """Say which element of which input, both values and both errors."""
        where = f"input {self.arg}"
        if self.shape:
            index = tuple(int(i) for i in np.unravel_index(self.err_pos, self.shape))
            where = f"element {index} of {where}, of shape {self.shape}"
        return (
            f"the gradient is wrong at {where}: grad has {self.val1:.10g}, finite differences have "
            f"{self.val2:.10g}; the absolute error {self.abs_err:.3g} is above abs_tol = "
            f"{self.abs_tol:g}, and the relative error {self.rel_err:.3g} above rel_tol = "
            f"{self.rel_tol:g}."
        )


def verify_grad(
    fun: Callable[..., Variable],
    pt: Sequence[Any],
    n_tests: int = 2,
    rng: Any = None,
    eps: float | None = None,
    abs_tol: float | None = None,
    rel_tol: float | None = None,
    mode: ModeName | Mode | None = None,
) -> None:
    """Compare the gradient of a function with finite differences, at one point.

    The output is projected to a scalar by random weights; each element of each input is then moved
    by `eps` both ways. Complex inputs are moved along both axes.

    Parameters
    ----------
    fun : callable
        Takes as many Variables as there are inputs, and returns one; an Op will do.
    pt : sequence of array-like
        The values of the inputs: float or complex. They should be further than `eps` from where
        a branch is decided, and from where `fun` has no derivative.
    n_tests : int
        How many projections to try.
    rng : numpy.random.Generator, optional
        Draws the weights; if left out, they are the same each time.
    eps : float, optional
        How far inputs are moved; from the lowest precision there is, if left out.
    abs_tol, rel_tol : float, optional
        An element is wrong if both its absolute and its relative error are above these; from the
        lowest precision there is, if left out.
    mode : str or Mode, optional
        The mode of the functions that are made.

    Raises
    ------
    GradientError
        If an element is wrong: the worst one is named. One that is NaN is.
    TypeError
        If an input is neither float nor complex, or `fun` returns no such Variable.
    ValueError
        If there is no test or no input, or a value has to be positive and is not.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.verify_grad(lambda x, y: tv.ifelse(y > 0, tv.sqrt(y) * x, x), [[1.0, 2.0], 4.0])
    >>> wrong = tv.as_op(
    ...     lambda x: x**2, [tv.dvector], [tv.dvector], grad=lambda inputs, gs: [inputs[0] * gs[0]]
    ... )
    >>> tv.verify_grad(wrong, [[0.0, 3.0]])              # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    thunkvm.GradientError: the gradient is wrong at element (1,) of input 0, ...
    """
    points = _points(pt)
    if n_tests < 1:
        raise ValueError(f"[verify_grad] n_tests is {n_tests!r}; at least one is wanted.")
    variables = [
        tensor(f"input_{i}", point.dtype, [1 if n == 1 else None for n in point.shape])
        for i, point in enumerate(points)
    ]
    out = fun(*variables)
    if not isinstance(out, Variable) or np.dtype(getattr(out, "dtype", "O")).kind not in "fc":
        raise TypeError(
            f"[verify_grad] fun returned {out!r}; it has to return one Variable, float or complex"
            + called(out)
        )
    precision = lowest_precision([*(point.dtype for point in points), np.dtype(out.dtype)])
    eps = _positive("eps", eps, EPS[precision])
    abs_tol = _positive("abs_tol", abs_tol, TOLERANCE[precision])
    rel_tol = _positive("rel_tol", rel_tol, TOLERANCE[precision])
    rng = np.random.default_rng(0) if rng is None else rng

    weights = tensor("weights", out.dtype, [None] * out.ndim)
    cost = total(real(conj(weights) * out)) if out.dtype[0] == "c" else total(weights * out)
    value = function(variables, out, mode=mode, on_unused_input="ignore")
    gradients = function(
        [*variables, weights],
        grad(cost, variables, disconnected_inputs="ignore"),
        mode=mode,
        on_unused_input="ignore",
    )
    for _ in range(n_tests):
        chosen = random_weights(rng, np.shape(value(*points)), np.dtype(out.dtype))
        found = gradients(*points, chosen)
        expected = [_differences(value, points, i, chosen, eps) for i in range(len(points))]
        _compare_gradients(found, expected, abs_tol, rel_tol)


def _points(pt: Any) -> list[np.ndarray]:
    if not isinstance(pt, (list, tuple)) or not pt:
        raise ValueError(
            f"[verify_grad] pt is {pt!r}; it has to be a list of values, one for each input of fun."
        )
    points = [np.array(point) for point in pt]
    for i, point in enumerate(points):
        if point.dtype.kind not in "fc":
            raise TypeError(
                f"[verify_grad] pt[{i}] is an array of {point.dtype}; only float and complex inputs"
                " have derivatives: leave the others to fun, as in lambda x: op(x, 3)."
            )
    return points


def lowest_precision(dtypes: Sequence[np.dtype[Any]]) -> str:
    """Return the float dtype of the lowest precision there is."""
    return min((np.empty(0, dtype).real.dtype for dtype in dtypes), key=lambda d: d.itemsize).name


def _positive(name: str, given: float | None, default: float) -> float:
    if given is None:
        return default
    if not given > 0:
        raise ValueError(f"[verify_grad] {name} is {given!r}; it has to be positive.")
    return float(given)


def random_weights(rng: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Return random numbers, none of them near 0, where an element would not count."""
    drawn = rng.random(shape) + 0.5
    if dtype.kind == "c":
        drawn = drawn + 1j * (rng.random(shape) + 0.5)
    return np.asarray(drawn, dtype)


def _differences(
    value: Callable[..., Any],
    points: list[np.ndarray],
    i: int,
    weights: np.ndarray,
    eps: float,
) -> np.ndarray:
    """Return the derivatives of the projection by input i, in double precision."""
    point = points[i]
    wide = np.conj(weights.astype(np.result_type(weights.dtype, np.float64)))
    out = np.zeros(point.shape, np.result_type(point.dtype, np.float64))
    for index in np.ndindex(point.shape):
        for direction in (1.0, 1j) if point.dtype.kind == "c" else (1.0,):
            ends = []
            for step in (direction * eps, -direction * eps):
                moved = point.copy()
                moved[index] += step
                arguments = [*points[:i], moved, *points[i + 1 :]]
                ends.append((moved[index], np.asarray(value(*arguments), wide.dtype)))
            (above, high), (below, low) = ends
            distance = abs(out.dtype.type(above) - out.dtype.type(below))  # 2 eps as rounded
            out[index] += direction * np.sum(wide * (high - low)).real / distance
    return out


def errors(a: Any, b: Any) -> tuple[Any, Any]:
    with np.errstate(invalid="ignore"):
        absolute = np.abs(a - b)
        return absolute, absolute / np.maximum(np.abs(a) + np.abs(b), 1e-8)


def _compare_gradients(
    found: Sequence[Any], expected: Sequence[np.ndarray], abs_tol: float, rel_tol: float
) -> None:
    """Raise the error of the worst element, if one is wrong."""
    worst: tuple[float, GradientError] | None = None
    for arg, (gradient, numeric) in enumerate(zip(found, expected, strict=True)):
        mine = np.asarray(gradient, numeric.dtype)
        absolute, relative = errors(mine, numeric)
        excess = np.minimum(absolute / abs_tol, relative / rel_tol)
        excess = np.where(np.isnan(excess), np.inf, excess)
        if not excess.size or not excess.max() > 1:
            continue
        if worst is None or excess.max() > worst[0]:
            at = int(excess.argmax())
            worst = (
                float(excess.max()),
                GradientError(
                    arg, at, mine.shape, mine.flat[at], numeric.flat[at], abs_tol, rel_tol
                ),
            )
    if worst is not None:
        raise worst[1]


__all__ = ["GradientError", "errors", "lowest_precision", "random_weights", "verify_grad"]
