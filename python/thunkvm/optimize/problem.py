"""What a solver asks of a function: its value and derivatives, each counted under its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import thunkvm as tv
from thunkvm._src.graph.structure import children, kind_of, leaves, matched_leaves
from thunkvm.optimize.flat_states import with_vectors
from thunkvm.optimize.nests import Nest
from thunkvm.optimize.required_shapes import with_shape

#: SciPy's names of differences, which are exact derivatives here.
DIFFERENCES = ("2-point", "3-point", "cs")


class Problem:
    """A function of one flat vector, and its derivatives, as graphs.

    Each is a node of the graph that a solver builds. So it runs only in the steps that demand it.
    What the value and the derivatives at a point share is computed once.

    Parameters
    ----------
    fun : callable
        From a nest of Variables, and the extra arguments, to a graph: 0-d to be minimised, or a
        vector of residuals or equations.
    nest : Nest, optional
        The structure of its first argument; the flat vector itself if left out.
    args : tuple
        The extra arguments: nests of Variables.
    jac, hess, hessp : callable, optional
        As `fun`. They return the first derivatives and the second ones (shape ``(n, n)`` in the
        flat vector); and these times a vector (an argument behind x). Without them they are derived
        from `fun`. If `jac` is True, `fun` returns its value and its derivative.
    lower, upper : Variable, optional
        The bounds of x, shape ``(n,)``; None if there are none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> problem = tv.optimize.Problem(lambda x: tv.sum(x**2))
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.ifelse(x[0] > 0, problem.gradient(x), 0.0 * x))
    >>> f([1.0, 2.0]), f([-1.0, 2.0]), f.counts()
    (array([2., 4.]), array([-0.,  0.]), {'njev': 1})
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        nest: Nest | None = None,
        args: tuple[Any, ...] = (),
        jac: Callable[..., Any] | bool | None = None,
        hess: Callable[..., Any] | None = None,
        hessp: Callable[..., Any] | None = None,
        lower: tv.Variable | None = None,
        upper: tv.Variable | None = None,
    ) -> None:
        self.fun = fun
        self.nest = nest
        self.args = args
        self.jac = jac or None
        self.hess = hess
        self.hessp = hessp
        self.lower = lower
        self.upper = upper
        self._at: dict[tv.Variable, Any] = {}  # what fun returned, by its point

    def value(self, x: tv.Variable) -> tv.Variable:
        """Return the value at a point, 0-d; counted as nfev."""
        return count_value(self._value(x), "nfev")

    def gradient(self, x: tv.Variable) -> tv.Variable:
        """Return the gradient at a point, shape ``(n,)``; counted as njev."""
        return count_value(self._gradient(x), "njev")

    def value_and_gradient(self, x: tv.Variable) -> tuple[tv.Variable, tv.Variable]:
        """Return the value and the gradient at a point."""
        return self.value(x), self.gradient(x)

    def hessian(self, x: tv.Variable) -> tv.Variable:
        """Return the Hessian at a point, shape ``(n, n)``; counted as nhev."""
        if self.hess is not None:
            given = tv.as_variable(self.hess(self._nest_point(x), *self.args))
            size = _length(x)
            given = given if given.ndim == 2 else tv.reshape(given, (size, size))
            found = with_shape(given, (size, size), "hess", "shape (n, n) for the n elements of x")
        else:
            found = tv.jacobian(self._gradient(x), x, "ignore", "forward")
        return count_value(found, "nhev")

    def hessian_product(self, x: tv.Variable, p: tv.Variable) -> tv.Variable:
        """Return the product of the Hessian at a point with a vector; counted as nhev."""
        if self.hessp is not None:
            given = self.hessp(self._nest_point(x), self._nest_point(p), *self.args)
            found = self._like_x(given, x, "hessp")
        elif self.hess is not None:
            return self.hessian(x) @ p
        else:
            found = tv.jvp(self._gradient(x), x, p, "ignore")
        return count_value(found, "nhev")

    def residuals(self, x: tv.Variable) -> tv.Variable:
        """Return the value of fun at a point as a vector, shape ``(m,)``; counted as nfev."""
        return count_value(self._residuals(x), "nfev")

    def jacobian(self, x: tv.Variable) -> tv.Variable:
        """Return the derivatives of the residuals at a point, shape ``(m, n)``; counted as njev."""
        if callable(self.jac):
            found = self._matrix(self.jac(self._nest_point(x), *self.args), x)
        elif self.jac is not None:
            found = self._matrix(self._call_fun(x)[1], x)
        else:
            residuals = self._residuals(x)
            _check_slopes(residuals)
            found = tv.jacobian(residuals, x, "ignore")
        return count_value(found, "njev")

    def _call_fun(self, x: tv.Variable) -> tuple[Any, Any]:
        """Return the value of fun at a point, and the derivative beside it or None.

        It is one graph however often it is asked for.
        """
        if x not in self._at:
            returned = self.fun(self._nest_point(x), *self.args)
            if self.jac is not True:
                returned = returned, None
            elif not (isinstance(returned, (tuple, list)) and len(returned) == 2):
                raise TypeError(
                    f"[optimize] jac is True, but fun returns {returned!r}: it has to return a "
                    "pair, its value and its derivative. Leave jac out to derive it."
                )
            self._at[x] = tuple(returned)
        return self._at[x]

    def _value(self, x: tv.Variable) -> tv.Variable:
        value = check_real(tv.as_variable(self._call_fun(x)[0]))
        if value.ndim:
            raise TypeError(
                f"[optimize] fun returns {value}, with {value.ndim} axes: it has to be a single "
                "value. Take its sum, or use least_squares or root for several equations."
            )
        return value if value.dtype == x.dtype else value.astype(x.dtype)

    def _gradient(self, x: tv.Variable) -> tv.Variable:
        if callable(self.jac):
            return self._like_x(self.jac(self._nest_point(x), *self.args), x, "jac")
        if self.jac is not None:
            return self._like_x(self._call_fun(x)[1], x, "jac")
        _check_slopes(tv.as_variable(self._call_fun(x)[0]))
        return tv.grad(self._value(x), x, "ignore")

    def _residuals(self, x: tv.Variable) -> tv.Variable:
        value = check_real(join_nest(self._call_fun(x)[0]))
        return value if value.ndim == 1 else tv.reshape(value, (-1,))

    def _matrix(self, value: Any, x: tv.Variable) -> tv.Variable:
        """Return a Jacobian that a user gives, shape ``(m, n)``."""
        found = tv.as_variable(value)
        if found.ndim != 2:  # the axes of the residuals, or one residual, or one element of x
            found = tv.reshape(found, (-1, _length(x)))
        shape = _length(self._residuals(x)), _length(x)
        return with_shape(found, shape, "jac", "shape (m, n) for m residuals and n elements of x")

    def _like_x(self, value: Any, x: tv.Variable, what: str) -> tv.Variable:
        """Return a derivative that is a nest like x, or a vector, as a vector of the type of x."""
        if self.nest is not None and _is_like(value, self.nest):
            pairs = matched_leaves(("x", what), self.nest.tree, with_vectors(value))
            parts = [
                with_shape(tv.as_variable(leaf), shape, f"{what}{path}", f"the shape of x{path}")
                for (path, _, leaf), shape in zip(pairs, self.nest.shapes, strict=True)
            ]
            flat = tv.concatenate([tv.reshape(part, (-1,)) for part in parts])
        else:
            flat = join_nest(value)
            flat = flat[None] if flat.ndim == 0 else flat
        rule = "the shape of x, or that of a vector of its elements"
        return with_shape(flat, (_length(x),), what, rule).astype(x.dtype)

    def _nest_point(self, x: tv.Variable) -> Any:
        return x if self.nest is None else self.nest.unravel(x)


def count_value(value: tv.Variable, name: str) -> tv.Variable:
    """Return a value that `Function.counts` counts, under ``nfev``, ``njev`` or ``nhev``."""
    return tv.counted(value, name)


def check_derivative(name: str, value: Any) -> Any:
    """Return a derivative that a user gives, or None for one to derive.

    SciPy's names of differences stand for one to derive, too.

    Raises
    ------
    TypeError, ValueError
        If it is neither a function nor such a name.

    Examples
    --------
    >>> from thunkvm.optimize.problem import check_derivative
    >>> check_derivative("jac", "2-point") is None
    True
    """
    if isinstance(value, str):
        if value not in DIFFERENCES:
            raise ValueError(
                f"[optimize] {name} is {value!r}; it has to be a function, or one of "
                f"{', '.join(DIFFERENCES)}, which stand for the exact derivative."
            )
        return None
    if not (value is None or callable(value) or (name == "jac" and isinstance(value, bool))):
        raise TypeError(
            f"[optimize] {name} is {value!r}: it has to be a function that builds a graph, or left "
            "out; it is derived then."
        )
    return value


def check_real(value: tv.Variable) -> tv.Variable:
    """Return a value of fun if it is real.

    Raises
    ------
    TypeError
        If it is complex.
    """
    if np.dtype(value.dtype).kind == "c":
        raise TypeError(
            f"[optimize] fun returns {value}, which is complex: it has to be real. Take its "
            "tv.abs, or stack its tv.real and tv.imag."
        )
    return value


def _check_slopes(value: tv.Variable) -> None:
    """Refuse steps: their derivative is 0 everywhere, so that each point looks like a solution."""
    if value.leaf != "constant" and np.dtype(value.dtype).kind in "biu":
        raise TypeError(
            f"[optimize] fun returns {value}, of {value.dtype}: its derivative is 0 everywhere. "
            'Return floats, give jac, or take method="Nelder-Mead", which needs none.'
        )


def join_nest(value: Any) -> tv.Variable:
    """Return a nest of Variables as one vector, and a Variable as it is.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.problem import join_nest
    >>> tv.function([], join_nest({"a": [1.0, 2.0], "b": 3.0}))()
    array([1., 2., 3.])
    """
    inside = children(value)
    if not inside or (type(value) in (list, tuple) and all(_is_single(part) for _, part in inside)):
        return tv.as_variable(value)
    parts = [tv.as_variable(part) for _, part in leaves(value)]
    return tv.concatenate([tv.reshape(part, (-1,)) for part in parts])


def _is_single(part: Any) -> bool:
    return children(part) is None and tv.as_variable(part).ndim == 0


def _is_like(value: Any, nest: Nest) -> bool:
    """Return whether a value is a structure like a nest, or an array of as many axes."""
    if children(nest.tree) is None:
        axes = len(nest.shapes[0])
        return axes > 1 and children(value) is None and tv.as_variable(value).ndim == axes
    return children(value) is not None and kind_of(value) is kind_of(nest.tree)


def _length(x: tv.Variable) -> Any:
    """Return the length of a vector, as a number if that is known."""
    (known,) = x.type.shape
    return x.shape[0] if known is None else known


__all__ = ["Problem", "check_derivative", "check_real", "count_value", "join_nest"]
