"""Fixed points, whose gradients are those of the equation that they solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.control.loops import trace_body
from thunkvm._src.graph.values import as_variable


def fixed_point(
    f: Callable[[Any], Any],
    x0: Any,
    tolerance: float = 1e-12,
    max_steps: Any = 1000,
    implicit: bool = True,
) -> Variable:
    """Return x with ``f(x) = x``, by taking ``x = f(x)`` from `x0` on.

    Parameters
    ----------
    f : callable
        From a Variable to one of its dtype and shape.
    x0 : Variable, number or array
        Where to begin.
    tolerance : float
        The steps end where no element of ``f(x) - x`` is larger than so much times the largest of
        x and 1.
    max_steps : int or Variable
        They end after so many in any case; ``x.finished`` says which it was.
    implicit : bool
        The gradient is that of the equation, by one linear system at its solution (the implicit
        function theorem). It does not depend on the steps, or on where they began. Else it goes
        back through all steps.

    Returns
    -------
    Variable
        With the attributes ``steps`` and ``finished``; see `while_loop`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a = tv.scalar("a")
    >>> root = tv.fixed_point(lambda x: (x + a / x) / 2, 1.0)
    >>> [round(float(v), 6) for v in tv.function([a], [root, tv.grad(root, a)])(16.0)]
    [4.0, 0.125]
    """
    traced = trace_body("fixed_point", lambda x: (None, f(x)), x0)
    x, following = traced.states[0], traced.nexts[0]
    if not isinstance(x.type, TensorType) or np.dtype(x.dtype).kind not in "fc":
        raise TypeError(
            f"[fixed_point] x is a {_core.type_text(x)}: it has to be a tensor of floats."
        )
    far = ops.abs(following - x).max() > tolerance * ops.maximum(ops.abs(x).max(), 1.0)
    traced.add_count()
    limit = traced.states[-1] < as_variable(max_steps)
    last: Variable = traced.make_loop(limit, far, implicit=implicit)
    return last


__all__ = ["fixed_point"]
