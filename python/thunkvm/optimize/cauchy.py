"""The quadratic that the last steps say, and its least point along the gradient and the bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import thunkvm as tv


class Quadratic(NamedTuple):
    """A Hessian ``scale * identity - rows.T @ inv(inner) @ rows``.

    Attributes
    ----------
    scale : Variable
        0-d.
    rows : Variable
        Shape ``(2 * memory, n)``.
    inner : Variable
        Shape ``(2 * memory, 2 * memory)``.
    """

    scale: Any
    rows: Any
    inner: Any


def remembered_quadratic(steps: Any, changes: Any, scale: Any, kept: Any) -> Quadratic:
    """Return the Hessian of `bfgs` after the steps that are remembered, from ``scale`` on.

    Parameters
    ----------
    steps, changes : Variable
        The steps, and what the gradient did in them, the oldest in front, shape ``(memory, n)``;
        rows of zeros in front of the first.
    scale : Variable
        The Hessian before them, times the identity, 0-d.
    kept : Variable
        How many steps there are, 0-d int64.

    Returns
    -------
    Quadratic

    References
    ----------
    J. Nocedal and S. Wright, Numerical Optimization, second edition, 2006, theorem 7.4.
    """
    memory = steps.shape[0]
    empty = tv.diag((tv.arange(memory) < memory - kept).astype(steps.dtype))
    crossed = steps @ changes.T
    below = tv.tril(crossed, -1)
    own = tv.diag(tv.diagonal(crossed)) + empty
    squares = scale * (steps @ steps.T) + empty
    inner = tv.concatenate(
        [tv.concatenate([-own, below.T], axis=1), tv.concatenate([below, squares], axis=1)]
    )
    return Quadratic(scale, tv.concatenate([changes, scale * steps]), inner)


class _Path(NamedTuple):
    """The path at the bound that it met last.

    `images` is ``inv(inner) @ rows`` times the direction, and `shares` the same times the way.
    """

    slope: Any
    curvature: Any
    images: Any
    shares: Any
    time: Any
    met: Any


def cauchy_point(model: Quadratic, box: Any, x: Any, jac: Any) -> tuple[Any, Any, Any]:
    """Return the first least point of a quadratic on the path against the gradient.

    At a bound the path goes on along the bound.

    Parameters
    ----------
    model : Quadratic
        The second derivatives; the first ones are `jac`.
    box : Boxed
        The bounds.
    x, jac : Variable
        Where the path begins, and the gradient there, shape ``(n,)``.

    Returns
    -------
    point : Variable
        Shape ``(n,)``.
    free : Variable
        Which elements are at no bound, a bool of shape ``(n,)``.
    shares : Variable
        ``inv(model.inner) @ model.rows @ (point - x)``, shape ``(2 * memory,)``.

    Raises
    ------
    LinAlgError
        In a call in which the inner matrix is singular.

    References
    ----------
    R. Byrd, P. Lu, J. Nocedal and C. Zhu, A limited memory algorithm for bound constrained
    optimization, SIAM J. Sci. Comput. 16, 1995, algorithm CP.
    """
    bound = tv.where(jac < 0.0, box.upper, box.lower)
    times = tv.where(tv.eq(jac, 0.0), np.inf, (x - bound) / jac)
    direction = tv.where(times > 0.0, -jac, 0.0)
    square = tv.sum(direction**2)
    moved_rows = model.rows @ direction
    images = tv.solve(model.inner, moved_rows)
    least = float(np.finfo(x.dtype).eps) * model.scale * square
    begin = _Path(
        -square,
        model.scale * square - tv.sum(moved_rows * images),
        images,
        tv.zeros_like(images),
        tv.zeros_like(square),
        tv.sum(tv.le(times, 0.0)),
    )

    def path_end(path: _Path) -> tv.Variable:
        return path.time - path.slope / tv.maximum(path.curvature, least)

    def along_the_bounds() -> _Path:
        order = tv.argsort(times)

        def meets(path: _Path) -> tv.Variable:
            inside = path.met < x.shape[0]
            return tv.and_(inside, time_of_next(path) <= path_end(path))

        def time_of_next(path: _Path) -> tv.Variable:
            return times[order[path.met]]

        def step(path: _Path) -> _Path:
            at = order[path.met]
            passed = times[at] - path.time
            shares = path.shares + passed * path.images
            slope, row = jac[at], model.rows[:, at]
            moved = -slope * times[at]
            image = tv.solve(model.inner, row)
            return _Path(
                path.slope
                + passed * path.curvature
                + slope**2
                + model.scale * slope * moved
                - slope * tv.sum(row * shares),
                path.curvature
                - model.scale * slope**2
                - 2.0 * slope * tv.sum(row * path.images)
                - slope**2 * tv.sum(row * image),
                path.images + slope * image,
                shares,
                times[at],
                path.met + np.int64(1),
            )

        last = tv.while_loop(meets, step, begin)
        return _Path(*last)

    meets_one = tv.min(tv.where(times > 0.0, times, np.inf)) <= path_end(begin)
    meets_one.name = "path meets a bound"
    path = tv.ifelse(meets_one, along_the_bounds(), begin)
    time = tv.maximum(path_end(path), path.time)
    time = tv.ifelse(path.slope < 0.0, time, path.time)
    free = times > time
    point = tv.where(free, x + time * direction, tv.where(times > 0.0, bound, x))
    shares = path.shares + (time - path.time) * path.images
    return point, free, shares


__all__ = ["Quadratic", "cauchy_point", "remembered_quadratic"]
