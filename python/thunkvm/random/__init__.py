"""Random numbers in graphs: NumPy's streams, bit for bit, drawn where a graph demands them.

A `Generator` is a shared variable. Each draw continues its stream, in the order of the program's
text. The functions that have the draw advance it. A draw that is not demanded does not run, and
does not advance the stream.

A `Stream` takes a state, and has the state behind each draw: for states of loops, and all else that
hands states on itself. The functions of this module do one such draw: from a state to the next
state and the numbers.

Examples
--------
>>> import numpy as np
>>> import thunkvm as tv
>>> rng = tv.random.Generator(42)
>>> f = tv.function([], rng.normal(size=2))
>>> numpy_rng = np.random.default_rng(42)
>>> [bool((f() == numpy_rng.normal(size=2)).all()) for _ in range(3)]
[True, True, True]
"""

from thunkvm.random.functions import (
    bernoulli,
    beta,
    binomial,
    categorical,
    cauchy,
    chisquare,
    choice,
    dirichlet,
    exponential,
    gamma,
    geometric,
    gumbel,
    integers,
    laplace,
    logistic,
    lognormal,
    multinomial,
    multivariate_normal,
    negative_binomial,
    normal,
    permutation,
    poisson,
    random,
    shuffle,
    split,
    standard_exponential,
    standard_gamma,
    standard_normal,
    student_t,
    uniform,
    weibull,
)
from thunkvm.random.generator import Generator, default_rng
from thunkvm.random.states import key
from thunkvm.random.stream import Stream

__all__ = [
    "Generator", "Stream", "bernoulli", "beta", "binomial", "categorical", "cauchy", "chisquare",
    "choice", "default_rng", "dirichlet", "exponential", "gamma", "geometric", "gumbel", "integers",
    "key", "laplace", "logistic", "lognormal", "multinomial", "multivariate_normal",
    "negative_binomial", "normal", "permutation", "poisson", "random", "shuffle", "split",
    "standard_exponential", "standard_gamma", "standard_normal", "student_t", "uniform", "weibull",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]
