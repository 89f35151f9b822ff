"""Distributions of single numbers, as methods of what has a stream, as NumPy has them."""

# The operators of Variables are typed as Any.
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thunkvm import _core, ops
from thunkvm._core import Variable
from thunkvm._src.arrays import exposed as tv
from thunkvm._src.graph.values import as_variable
from thunkvm.random.integers import bounds
from thunkvm.random.sizes import Size, size_of


class Numbers:
    """What draws numbers from a stream; `Generator` and `Stream` say how it goes on."""

    def _draw(self, name: str, size: Size, *parameters: Any) -> Variable:
        """Draw by one of the Ops ``random_NAME``, and go on behind it."""
        raise NotImplementedError

    # ---- numbers between bounds

    def random(self, size: Any = None, dtype: npt.DTypeLike = "float64") -> Variable:
        """Draw numbers from 0 to 1, which is not one of them.

        Parameters
        ----------
        size : int, Variable or sequence of them, optional
            The shape; one number if left out.
        dtype : {"float64", "float32"}
            Their dtype.

        Returns
        -------
        Variable

        Examples
        --------
        >>> import thunkvm as tv
        >>> float(tv.function([], tv.random.Generator(1).random())()).__round__(6)
        0.511822
        """
        return self._draw("random" + _suffix("random", dtype), size_of("random", size, []))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Variable:
        """Draw numbers from `low` to `high`; their gradients with respect to both are there.

        Parameters
        ----------
        low, high : Variable, number or array-like
            The bounds, which broadcast.
        size : int, Variable or sequence of them, optional
            The shape; that of the bounds together if left out.
        """
        low, high = reals(low, high)
        return low + (high - low) * self._draw("random", size_of("uniform", size, [low, high]))

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: npt.DTypeLike = "int64",
        endpoint: bool = False,
    ) -> Variable:
        """Draw integers from `low` to `high`, or from 0 to `low` where `high` is left out.

        Parameters
        ----------
        low, high : int, integer Variable or array-like
            The bounds, which broadcast; the upper one is no result.
        size : int, Variable or sequence of them, optional
            The shape; that of the bounds together if left out.
        dtype : dtype
            Any integers, or bool.
        endpoint : bool
            The upper bound is a result too.

        Raises
        ------
        ValueError
            When it runs, if there is no integer between the bounds, or one is none of the dtype.
        """
        least, last, name = bounds(low, high, dtype, endpoint)
        return self._draw(name, size_of("integers", size, [least, last]), least, last)

    def bernoulli(self, p: Any = 0.5, size: Any = None) -> Variable:
        """Draw bools that are true with a probability of `p`.

        Parameters
        ----------
        p : Variable, number or array-like
            The probability.
        size : int, Variable or sequence of them, optional
            The shape; that of `p` if left out.
        """
        (p,) = reals(p)
        return self._draw("random", size_of("bernoulli", size, [p])) < p

    # ---- of a location and a scale: gradients with respect to both are there

    def standard_normal(self, size: Any = None, dtype: npt.DTypeLike = "float64") -> Variable:
        """Draw normal numbers of mean 0 and variance 1, by the ziggurat method."""
        name = "standard_normal" + _suffix("standard_normal", dtype)
        return self._draw(name, size_of("standard_normal", size, []))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw normal numbers; their gradients with respect to both parameters are there.

        Parameters
        ----------
        loc, scale : Variable, number or array-like
            The mean and the standard deviation, which broadcast.
        size : int, Variable or sequence of them, optional
            The shape; that of the parameters together if left out.

        Examples
        --------
        >>> import thunkvm as tv
        >>> mean = tv.scalar("mean")
        >>> x = tv.random.Generator(1).normal(mean, 2.0, size=3)
        >>> float(tv.function([mean], tv.grad((x**2).sum(), mean) - 2 * x.sum())(1.0))
        0.0
        """
        return self._draw_moved("normal", "standard_normal", loc, scale, size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw Laplace numbers; parameters as those of `normal`."""
        return self._draw_moved("laplace", "standard_laplace", loc, scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw logistic numbers; parameters as those of `normal`."""
        return self._draw_moved("logistic", "standard_logistic", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw Gumbel numbers; parameters as those of `normal`."""
        return self._draw_moved("gumbel", "standard_gumbel", loc, scale, size)

    def cauchy(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw Cauchy numbers; parameters as those of `normal`."""
        return self._draw_moved("cauchy", "standard_cauchy", loc, scale, size)

    def standard_cauchy(self, size: Any = None) -> Variable:
        """Draw Cauchy numbers of location 0 and scale 1."""
        return self._draw("standard_cauchy", size_of("standard_cauchy", size, []))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Variable:
        """Draw numbers whose logarithms are normal; parameters as those of `normal`."""
        return tv.exp(self.normal(mean, sigma, size))

    # ---- of an exponential number

    def standard_exponential(self, size: Any = None, dtype: npt.DTypeLike = "float64") -> Variable:
        """Draw exponential numbers of mean 1, by the ziggurat method."""
        name = "standard_exponential" + _suffix("standard_exponential", dtype)
        return self._draw(name, size_of("standard_exponential", size, []))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw exponential numbers of a mean; the gradient with respect to it is there."""
        (scale,) = reals(scale)
        return scale * self._draw_real("exponential", "standard_exponential", size, scale)

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw Rayleigh numbers; the gradient with respect to the scale is there."""
        (scale,) = reals(scale)
        return scale * tv.sqrt(
            2.0 * self._draw_real("rayleigh", "standard_exponential", size, scale)
        )

    def weibull(self, a: Any, size: Any = None) -> Variable:
        """Draw Weibull numbers of scale 1; the gradient with respect to the shape is there."""
        (a,) = reals(a)
        return self._draw_real("weibull", "standard_exponential", size, a) ** (1.0 / a)

    def pareto(self, a: Any, size: Any = None) -> Variable:
        """Draw Pareto numbers (Lomax); the gradient with respect to the shape is there."""
        (a,) = reals(a)
        return tv.expm1(self._draw_real("pareto", "standard_exponential", size, a) / a)

    def power(self, a: Any, size: Any = None) -> Variable:
        """Draw numbers from 0 to 1 of density a x^(a-1); the gradient is there."""
        (a,) = reals(a)
        return (-tv.expm1(-self._draw_real("power", "standard_exponential", size, a))) ** (1.0 / a)

    # ---- accepted or rejected: no gradient with respect to the parameters of their shape

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: npt.DTypeLike = "float64"
    ) -> Variable:
        """Draw gamma numbers of scale 1. There is no gradient with respect to `shape`."""
        shape = as_variable(shape)
        name = "standard_gamma" + _suffix("standard_gamma", dtype)
        return self._draw(name, size_of("standard_gamma", size, [shape]), shape)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw gamma numbers; the gradient with respect to `scale` is there."""
        shape, scale = reals(shape, scale)
        drawn = self._draw("standard_gamma", size_of("gamma", size, [shape, scale]), shape)
        return scale * drawn

    def chisquare(self, df: Any, size: Any = None) -> Variable:
        """Draw sums of `df` squares of normal numbers."""
        (df,) = reals(df)
        return 2.0 * self._draw_real("chisquare", "standard_gamma", size, df, df / 2.0)

    def beta(self, a: Any, b: Any, size: Any = None) -> Variable:
        """Draw beta numbers."""
        return self._draw_by_parameters("beta", size, a, b)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Variable:
        """Draw F numbers."""
        return self._draw_by_parameters("f", size, dfnum, dfden)

    def standard_t(self, df: Any, size: Any = None) -> Variable:
        """Draw Student's t numbers of location 0 and scale 1."""
        return self._draw_by_parameters("standard_t", size, df)

    def student_t(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Variable:
        """Draw Student's t numbers; gradients with respect to `loc` and `scale` are there."""
        df, loc, scale = reals(df, loc, scale)
        return loc + scale * self._draw(
            "standard_t", size_of("student_t", size, [df, loc, scale]), df
        )

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Variable:
        """Draw numbers whose density rises from `left` to `mode`, and falls to `right`.

        Raises
        ------
        ValueError
            When it runs, if the three are in another order, or all the same.
        """
        return self._draw_by_parameters("triangular", size, left, mode, right)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Variable:
        """Draw inverse Gaussian numbers."""
        return self._draw_by_parameters("wald", size, mean, scale)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Variable:
        """Draw angles from -pi to pi by the von Mises distribution."""
        return self._draw_by_parameters("vonmises", size, mu, kappa)

    # ---- counts: no gradients

    def binomial(self, n: Any, p: Any, size: Any = None) -> Variable:
        """Draw successes in `n` trials of probability `p`."""
        return self._draw_by_parameters("binomial", size, n, p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Variable:
        """Draw Poisson counts of mean `lam`."""
        return self._draw_by_parameters("poisson", size, lam)

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Variable:
        """Draw failures before `n` successes of probability `p`."""
        return self._draw_by_parameters("negative_binomial", size, n, p)

    def geometric(self, p: Any, size: Any = None) -> Variable:
        """Draw trials up to the first success of probability `p`."""
        return self._draw_by_parameters("geometric", size, p)

    def logseries(self, p: Any, size: Any = None) -> Variable:
        """Draw counts by the logarithmic series."""
        return self._draw_by_parameters("logseries", size, p)

    def zipf(self, a: Any, size: Any = None) -> Variable:
        """Draw counts by the law of Zipf."""
        return self._draw_by_parameters("zipf", size, a)

    # ---- parts

    def _draw_real(
        self, name: str, drawn: str, size: Any, parameter: Variable, *given: Any
    ) -> Variable:
        return self._draw(drawn, size_of(name, size, [parameter]), *given)

    def _draw_moved(self, name: str, drawn: str, loc: Any, scale: Any, size: Any) -> Variable:
        loc, scale = reals(loc, scale)
        return loc + scale * self._draw(drawn, size_of(name, size, [loc, scale]))

    def _draw_by_parameters(self, name: str, size: Any, *given: Any) -> Variable:
        parameters = [as_variable(value) for value in given]
        return self._draw(name, size_of(name, size, parameters), *parameters)


def _suffix(name: str, dtype: Any) -> str:
    """Return the end of the Op's name for a dtype."""
    found = np.dtype(dtype).name
    if found not in ("float64", "float32"):
        raise TypeError(f"[{name}] the dtype is {found}; it has to be float64 or float32.")
    return "" if found == "float64" else "32"


def reals(*values: Any) -> list[Variable]:
    """Return parameters as Variables of float64, which NumPy computes with."""
    return [
        _core.constant(value, "float64")
        if not isinstance(value, Variable)
        else ops.cast(value, dtype="float64")
        for value in values
    ]


__all__ = ["Numbers", "reals"]
