"""Draws as functions: from a state to the next state and the numbers.

They take what the methods of `Stream` of the same names take, behind a state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunkvm._core import Variable
from thunkvm.random.draws import Draws
from thunkvm.random.sizes import size_of
from thunkvm.random.states import WORDS
from thunkvm.random.stream import Stream

#: A draw: ``next_state, numbers = draw(state, ...)``.
Draw = Callable[..., tuple[Variable, Variable]]


def _function(method: Callable[..., Variable], example: str, shape: str = "(4,)") -> Draw:
    """Return a method of `Stream` as a function; `example` is its arguments in the docstring."""

    def draw(state: Any, *args: Any, **keywords: Any) -> tuple[Variable, Variable]:
        stream = Stream(state)
        drawn = method(stream, *args, **keywords)
        return stream.state, drawn

    name = draw.__name__ = draw.__qualname__ = method.__name__
    draw.__doc__ = f"""Return the next state, and the numbers of `Stream.{name}` from a state.

    Examples
    --------
    >>> import thunkvm as tv
    >>> state, x = tv.random.{name}(tv.random.key(1), {example})
    >>> tv.function([], x)().shape
    {shape}
    """
    return draw


bernoulli = _function(Draws.bernoulli, "0.5, size=4")
beta = _function(Draws.beta, "2.0, 3.0, size=4")
binomial = _function(Draws.binomial, "10, 0.5, size=4")
categorical = _function(Draws.categorical, "[0.2, 0.8], size=4")
cauchy = _function(Draws.cauchy, "0.0, 1.0, size=4")
chisquare = _function(Draws.chisquare, "3.0, size=4")
choice = _function(Draws.choice, "5, size=4")
dirichlet = _function(Draws.dirichlet, "[1.0, 2.0], size=4", "(4, 2)")
exponential = _function(Draws.exponential, "2.0, size=4")
gamma = _function(Draws.gamma, "2.0, 1.5, size=4")
geometric = _function(Draws.geometric, "0.5, size=4")
gumbel = _function(Draws.gumbel, "0.0, 1.0, size=4")
integers = _function(Draws.integers, "0, 10, size=4")
laplace = _function(Draws.laplace, "0.0, 1.0, size=4")
logistic = _function(Draws.logistic, "0.0, 1.0, size=4")
lognormal = _function(Draws.lognormal, "0.0, 1.0, size=4")
multinomial = _function(Draws.multinomial, "10, [0.2, 0.8], size=4", "(4, 2)")
multivariate_normal = _function(
    Draws.multivariate_normal, "[0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], size=4", "(4, 2)"
)
negative_binomial = _function(Draws.negative_binomial, "5, 0.5, size=4")
normal = _function(Draws.normal, "0.0, 1.0, size=4")
permutation = _function(Draws.permutation, "4")
poisson = _function(Draws.poisson, "3.0, size=4")
random = _function(Draws.random, "size=4")
shuffle = _function(Draws.shuffle, "[1, 2, 3, 4]")
standard_exponential = _function(Draws.standard_exponential, "size=4")
standard_gamma = _function(Draws.standard_gamma, "2.0, size=4")
standard_normal = _function(Draws.standard_normal, "size=4")
student_t = _function(Draws.student_t, "3.0, size=4")
uniform = _function(Draws.uniform, "0.0, 1.0, size=4")
weibull = _function(Draws.weibull, "2.0, size=4")


def split(state: Any, n: Any = 2) -> Variable:
    """Return the states of `n` generators of their own, each a row.

    Parameters
    ----------
    state : Variable or array
        Six words of uint64; do not draw from it as well.
    n : int or 0-d Variable
        How many.

    Returns
    -------
    Variable
        A matrix of uint64, a state in each row: what `tv.vmap` and `tv.scan` go over.

    Examples
    --------
    >>> import thunkvm as tv
    >>> states = tv.random.split(tv.random.key(1), 3)
    >>> x = tv.vmap(lambda state: tv.random.normal(state)[1])(states)
    >>> tv.function([], x)().shape
    (3,)

    If `n` is an int, the rows are the states:

    >>> one, two = tv.random.split(tv.random.key(1))
    """
    return Stream(state)._draw("split", size_of("split", (n, WORDS), []))


__all__ = [
    "Draw", "bernoulli", "beta", "binomial", "categorical", "cauchy", "chisquare", "choice",
    "dirichlet", "exponential", "gamma", "geometric", "gumbel", "integers", "laplace", "logistic",
    "lognormal", "multinomial", "multivariate_normal", "negative_binomial", "normal", "permutation",
    "poisson", "random", "shuffle", "split", "standard_exponential", "standard_gamma",
    "standard_normal", "student_t", "uniform", "weibull",
]  # fmt: skip
