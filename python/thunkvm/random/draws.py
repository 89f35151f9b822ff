"""Distributions of several numbers at once: kinds, vectors, orders and samples."""

# The operators of Variables are typed as Any.
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays import exposed as tv
from thunkvm._src.graph.values import as_variable
from thunkvm.random.numbers import Numbers, reals
from thunkvm.random.sizes import Size, size_of


class Draws(Numbers):
    """Draws from a stream: single numbers, and several at once."""

    def categorical(self, p: Any, size: Any = None) -> Variable:
        """Draw the numbers of kinds, as likely as `p` says along its last axis.

        Parameters
        ----------
        p : Variable or array-like
            Weights that are not negative; they need not sum to 1.
        size : int, Variable or sequence of them, optional
            The shape; that of `p` without its last axis if left out.

        Returns
        -------
        Variable
            int64.
        """
        (p,) = reals(p)
        if not p.ndim:
            raise ValueError("[categorical] p has to be a vector of weights, or a stack of them.")
        summed = tv.cumsum(p, axis=-1)
        drawn = self._draw("random", size_of("categorical", size, [p[..., 0]]))
        return (drawn[..., None] * summed[..., -1:] >= summed).sum(axis=-1)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Variable:
        """Draw how many of `n` fall to each kind; the kinds are along the last axis of `pvals`."""
        n, pvals = as_variable(n), as_variable(pvals)
        if not pvals.ndim:
            raise ValueError("[multinomial] pvals has to be a vector, or a stack of them.")
        shape = size_of("multinomial", size, [n, pvals[..., 0]])
        n = n[..., None] if n.ndim else n
        return self._draw("multinomial", shape.with_axis(pvals.shape[-1]), n, pvals)

    def dirichlet(self, alpha: Any, size: Any = None) -> Variable:
        """Draw shares that sum to 1, of the concentrations along the last axis of `alpha`."""
        (alpha,) = reals(alpha)
        if not alpha.ndim:
            raise ValueError("[dirichlet] alpha has to be a vector, or a stack of them.")
        shape = size_of("dirichlet", size, [alpha[..., 0]]).with_axis(alpha.shape[-1])
        drawn = self._draw("standard_gamma", shape, alpha)
        return drawn / drawn.sum(axis=-1, keepdims=True)

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Variable:
        """Draw normal vectors, with gradients with respect to `mean` and `cov`.

        Parameters
        ----------
        mean : Variable or array-like
            A vector.
        cov : Variable or array-like
            A positive definite matrix; its Cholesky factor is taken.
        size : int, Variable or sequence of them, optional
            How many vectors, as a shape; one if left out.
        """
        mean, cov = reals(mean, cov)
        shape = size_of("multivariate_normal", size, []).with_axis(mean.shape[-1])
        drawn = self._draw("standard_normal", shape)
        return mean + (ops.cholesky(cov) @ drawn[..., None])[..., 0]

    def permutation(self, x: Any, axis: int = 0) -> Variable:
        """Draw an order: of the numbers 0 to x - 1, or of what an array has along an axis."""
        x = as_variable(x)
        if not x.ndim:
            return self._draw("permutation", size_of("permutation", x, []))
        order = self._draw("permutation", size_of("permutation", x.shape[axis], []))
        return tv.take(x, order, axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> Variable:
        """Return what an array has along an axis in any order; the array stays as it is."""
        if not as_variable(x).ndim:
            raise TypeError(f"[shuffle] {x} is a number: give an array, or ask for a permutation.")
        return self.permutation(x, axis)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0,
        shuffle: bool = True,
    ) -> Variable:  # fmt: skip
        """Draw some of 0 to a - 1, or of what an array has along an axis.

        Parameters
        ----------
        a : int, integer 0-d Variable, or array
            What there is to choose from.
        size : int, Variable or sequence of them, optional
            The shape; one if left out.
        replace : bool
            The same may come twice.
        p : vector, optional
            How likely each is; all the same if left out. Only with `replace`.
        axis : int
            Along which axis of an array.
        shuffle : bool
            Without `replace`: any order is as likely.

        Raises
        ------
        NotImplementedError
            If `p` is given without `replace`.
        """
        a = as_variable(a)
        count = a.shape[axis] if a.ndim else ops.cast(a, dtype="int64")
        shape = size_of("choice", size, [])
        if p is not None:
            if not replace:
                raise NotImplementedError(
                    "[choice] there are no draws by p without replacement: add rng.gumbel to "
                    "log(p), and take the greatest ones (tv.topk), which is the same."
                )
            (p,) = reals(p)
            summed = tv.cumsum(p)
            chosen = tv.searchsorted(summed / summed[-1], self._draw("random", shape), side="right")
        elif replace:
            chosen = self._draw("int64", shape, np.int64(0), count - np.int64(1))
        else:
            name = "sample" if shuffle else "sample_in_order"
            flat = Size(ops.expand_dims(tv.prod(shape.lengths), axis=[0]), 1)
            chosen = ops.reshape(self._draw(name, flat, count), shape.lengths, ndim=shape.ndim)
        return tv.take(a, chosen, axis=axis) if a.ndim else chosen


__all__ = ["Draws"]
