"""Sums, products, slopes, fits and roots of polynomials, the highest power first, as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length
from thunkvm._src.arrays.composed.dimensions import atleast_1d
from thunkvm._src.arrays.composed.distinct import flatnonzero
from thunkvm._src.arrays.composed.factorizations import eigvals
from thunkvm._src.arrays.composed.lengths import inexact, integers_below
from thunkvm._src.arrays.composed.products import convolve
from thunkvm._src.arrays.creation import zeros
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.linalg import diag
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import broadcast_to
from thunkvm._src.graph.values import as_variable


@public()
def polyadd(a1: Any, a2: Any) -> Variable:
    """Return the sum of two polynomials, as ``numpy.polyadd``.

    Parameters
    ----------
    a1, a2 : Variable or array-like
        Vectors of coefficients, or numbers.

    Returns
    -------
    Variable
        A vector, as long as the longer one.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.polyadd(p, [1.0, 5.0]))([1.0, 2.0, 3.0])
    array([1., 3., 8.])
    """
    first, second = _pad_shorter("polyadd", a1, a2)
    out: Variable = first + second
    return out


@public()
def polysub(a1: Any, a2: Any) -> Variable:
    """Return the difference of two polynomials; parameters as of `polyadd`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.polysub(p, [1.0, 5.0]))([1.0, 2.0, 3.0])
    array([ 1.,  1., -2.])
    """
    first, second = _pad_shorter("polysub", a1, a2)
    out: Variable = first - second
    return out


@public()
def polymul(a1: Any, a2: Any) -> Variable:
    """Return the product of two polynomials; parameters as of `polyadd`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.polymul(p, [1.0, -1.0]))([1.0, 1.0])
    array([ 1.,  0., -1.])
    """
    out: Variable = convolve(_coefficients("polymul", a1), _coefficients("polymul", a2))
    return out


@public()
def polyder(p: Any, m: int = 1) -> Variable:
    """Return the `m`-th derivative of a polynomial, as ``numpy.polyder``.

    Raises
    ------
    ValueError
        If `m` is negative.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.polyder(p))([1.0, 2.0, 3.0])
    array([2., 2.])
    """
    slope = _coefficients("polyder", p)
    for _ in range(_order("polyder", m)):
        powers = integers_below(length(slope, 0))[::-1]
        slope = (slope * powers)[:-1]
    return slope


@public()
def polyint(p: Any, m: int = 1, k: Any = None) -> Variable:
    """Return the `m`-th antiderivative of a polynomial, as ``numpy.polyint``.

    Parameters
    ----------
    p : Variable or array-like
    m : int
    k : number, or a sequence of `m` of them, optional
        The constants of integration, in the order of the integrals; 0 if left out.

    Raises
    ------
    ValueError
        If `m` is negative, or there is another number of constants.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.polyint(p, k=5.0))([2.0, 2.0])
    array([1., 2., 5.])
    """
    total, order = inexact(_coefficients("polyint", p)), _order("polyint", m)
    given = atleast_1d(0.0 if k is None else k)
    constants = broadcast_to(given, (order,)) if given.type.shape == (1,) else given
    if constants.type.shape[0] not in (None, order):
        raise ValueError(f"[polyint] k has {constants.type.shape[0]} numbers; give 1 or {order}.")
    for i in range(order):
        powers = integers_below(length(total, 0))[::-1] + 1
        total = concatenate([total / powers, constants[i : i + 1]])
    return total


@public()
def polydiv(u: Any, v: Any) -> tuple[Variable, Variable]:
    """Return the quotient and the remainder of two polynomials, as ``numpy.polydiv``.

    Parameters
    ----------
    u, v : Variable or array-like
        Vectors whose lengths are known.

    Returns
    -------
    tuple of Variable
        The remainder has as many coefficients as are not 0 in the call, at least one.

    Raises
    ------
    ValueError
        If the length of one is not known.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.tensor("p", "float64", (3,))
    >>> tv.function([p], list(tv.polydiv(p, [1.0, 1.0])))([1.0, 3.0, 5.0])
    [array([1., 2.]), array([3.])]
    """
    u, v = inexact(_coefficients("polydiv", u)), inexact(_coefficients("polydiv", v))
    dtype = np.result_type(u.dtype, v.dtype)
    rest, v = astype(u, dtype), astype(v, dtype)
    (m,), (n,) = u.type.shape, v.type.shape
    if m is None or n is None:
        raise ValueError("[polydiv] the lengths have to be known; say them by tv.specify_shape.")
    if m < n:
        return zeros((1,), dtype), rest
    quotient = []
    for i in range(m - n + 1):
        factor = rest[i] * (1.0 / v[0])
        quotient.append(factor)
        rest = concatenate([rest[:i], rest[i : i + n] - factor * v, rest[i + n :]])
    near = ops.le(ops.abs(rest), 1e-8)  # NumPy leaves out what is nearly 0
    there = flatnonzero(ops.logical_not(near))
    first = concatenate([there, as_variable(np.array([m - 1]))])[0]
    return ops.stack(*quotient, axis=0), rest[first:]


@public()
def poly(seq_of_zeros: Any) -> Variable:
    """Return the polynomial with given roots, or that of a matrix, as ``numpy.poly``.

    Parameters
    ----------
    seq_of_zeros : Variable or array-like
        A vector of a known length, or a square matrix, of whose eigenvalues it is made.

    Returns
    -------
    Variable
        One coefficient more than there are roots; the first is 1. Of complex roots it is complex,
        also where they come in pairs: a Variable's dtype does not depend on values.

    Raises
    ------
    ValueError
        If the number of roots is not known.

    Examples
    --------
    >>> import thunkvm as tv
    >>> r = tv.tensor("r", "float64", (2,))
    >>> tv.function([r], tv.poly(r))([1.0, 2.0])
    array([ 1., -3.,  2.])
    """
    roots = as_variable(seq_of_zeros)
    if roots.ndim == 2:
        roots = eigvals(roots)
    roots = inexact(_coefficients("poly", roots))
    if roots.type.shape[0] is None:
        raise ValueError("[poly] the number of roots has to be known; say it by tv.specify_shape.")
    out: Variable = astype(np.ones(1), roots.dtype)
    nothing = zeros((1,), roots.dtype)
    for i in range(roots.type.shape[0]):
        out = concatenate([out, nothing]) - concatenate([nothing, out * roots[i]])
    return out


@public()
def roots(p: Any) -> Variable:
    """Return the roots of a polynomial, the eigenvalues of its companion, as ``numpy.roots``.

    Parameters
    ----------
    p : Variable or array-like
        A vector. Zeros in front are left out, and those behind are roots of 0.

    Returns
    -------
    Variable
        Complex, also where all roots are real: a Variable's dtype does not depend on values.

    Examples
    --------
    >>> import thunkvm as tv
    >>> p = tv.vector("p")
    >>> tv.function([p], tv.roots(p))([1.0, -3.0, 2.0, 0.0])
    array([2.+0.j, 1.+0.j, 0.+0.j])
    """
    p = inexact(_coefficients("roots", p))
    p = astype(p, np.result_type(p.dtype, "float32"))
    there = flatnonzero(p)
    end = as_variable(np.array([0]))
    first = concatenate([there, end])[0]
    last = concatenate([end - 1, there])[-1]
    zeros_behind = ops.where(ops.lt(last, 0), 0, length(p, 0) - 1 - last)
    inner = p[first : last + 1]
    degree = ops.maximum(ops.size(inner) - 1, 0)
    row = -inner[1:] / inner[:1]
    matrix = diag(broadcast_to(astype(1.0, p.dtype), (ops.maximum(degree, 1),)), -1)
    companion = concatenate([row[None], matrix[1:degree, :degree]])[:degree]
    found = eigvals(companion)
    return concatenate([found, zeros((zeros_behind,), found.dtype)])


def _coefficients(what: str, p: Any) -> Variable:
    """Return a vector; of a number one coefficient."""
    found: Variable = atleast_1d(p)
    if found.ndim != 1:
        raise ValueError(f"[{what}] {found} has {found.ndim} axes; coefficients are a vector.")
    return found


def _pad_shorter(what: str, a1: Any, a2: Any) -> tuple[Variable, Variable]:
    """Return both with zeros in front of the shorter one."""
    found = _coefficients(what, a1), _coefficients(what, a2)
    sizes = [length(x, 0) for x in found]
    if all(isinstance(n, int) for n in sizes):
        most: Any = max(sizes)
        missing: list[Any] = [most - n for n in sizes]
    else:
        most = ops.maximum(*sizes)
        missing = [most - n for n in sizes]
    first, second = (
        concatenate([zeros((n,), x.dtype), x]) for x, n in zip(found, missing, strict=True)
    )
    return first, second


def _order(what: str, m: Any) -> int:
    order = as_integer(m)
    if order is None or order < 0:
        raise ValueError(f"[{what}] m is {m!r}; give how often, 0 or more.")
    return order


__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "roots"]
