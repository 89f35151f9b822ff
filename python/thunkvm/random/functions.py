"""Draws as functions: from a state to the next state and the numbers.

They take what the methods of `Stream` of the same names take, behind a state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thunkvm._core import Variable
from thunkvm._src.graph.values import as_variable
from thunkvm.random.draws import Draws
from thunkvm.random.sizes import Size
from thunkvm.random.states import WORDS
from thunkvm.random.stream import Stream

#: A draw: ``next_state, numbers = draw(state, ...)``.
Draw = Callable[..., tuple[Variable, Variable]]


def _function(method: Callable[..., Variable]) -> Draw:
    def draw(state: Any, *args: Any, **keywords: Any) -> tuple[Variable, Variable]:
        stream = Stream(state)
        drawn = method(stream, *args, **keywords)
        return stream.state, drawn

    draw.__name__ = draw.__qualname__ = method.__name__
    draw.__doc__ = (
        f"Return the next state, and the numbers of `Stream.{method.__name__}` from a state."
    )
    return draw


bernoulli = _function(Draws.bernoulli)
beta = _function(Draws.beta)
binomial = _function(Draws.binomial)
categorical = _function(Draws.categorical)
cauchy = _function(Draws.cauchy)
chisquare = _function(Draws.chisquare)
choice = _function(Draws.choice)
dirichlet = _function(Draws.dirichlet)
exponential = _function(Draws.exponential)
gamma = _function(Draws.gamma)
geometric = _function(Draws.geometric)
gumbel = _function(Draws.gumbel)
integers = _function(Draws.integers)
laplace = _function(Draws.laplace)
logistic = _function(Draws.logistic)
lognormal = _function(Draws.lognormal)
multinomial = _function(Draws.multinomial)
multivariate_normal = _function(Draws.multivariate_normal)
negative_binomial = _function(Draws.negative_binomial)
normal = _function(Draws.normal)
permutation = _function(Draws.permutation)
poisson = _function(Draws.poisson)
random = _function(Draws.random)
shuffle = _function(Draws.shuffle)
standard_exponential = _function(Draws.standard_exponential)
standard_gamma = _function(Draws.standard_gamma)
standard_normal = _function(Draws.standard_normal)
student_t = _function(Draws.student_t)
uniform = _function(Draws.uniform)
weibull = _function(Draws.weibull)


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
    """
    stacked = Size(as_variable(n)[None], 1).with_axis(WORDS)
    return Stream(state)._draw("split", stacked)


__all__ = [
    "Draw", "bernoulli", "beta", "binomial", "categorical", "cauchy", "chisquare", "choice",
    "dirichlet", "exponential", "gamma", "geometric", "gumbel", "integers", "laplace", "logistic",
    "lognormal", "multinomial", "multivariate_normal", "negative_binomial", "normal", "permutation",
    "poisson", "random", "shuffle", "split", "standard_exponential", "standard_gamma",
    "standard_normal", "student_t", "uniform", "weibull",
]  # fmt: skip
