"""Discrete Fourier transforms along one axis, with the signatures of ``numpy.fft``."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import as_integer, length, lengths
from thunkvm._src.arrays.composed.lengths import Number, one_axis, part, whole_number
from thunkvm._src.arrays.composed.transforms import (
    ADJOINT_NORM,
    ComplexTransform,
    HermitianTransform,
    RealTransform,
)
from thunkvm._src.arrays.creation import zeros
from thunkvm._src.arrays.elementwise import astype
from thunkvm._src.arrays.joining import concatenate
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.nearest import did_you_mean


@public(of_package=False, numpy=("fft.fft",))
def fft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Variable:
    """Return the discrete Fourier transform along an axis, as ``numpy.fft.fft``.

    Parameters
    ----------
    a : Variable or array-like
        Numbers of any dtype, with at least one axis.
    n : int or 0-d integer Variable, optional
        How many elements to transform: the first ones, or all and zeros behind them. All if left
        out.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        Which way is divided by the number of elements: the inverse transform (as if left out), both
        by its root, or the transform itself.

    Returns
    -------
    Variable
        Of complex64 for float16, float32 and complex64, else of complex128. Its gradient and its
        tangents are transforms too.

    Raises
    ------
    ValueError
        If there is no such axis or norm, or nothing to transform.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.abs(tv.fft.fft(x)))([1.0, 0.0, -1.0, 0.0])
    array([0., 2., 0., 2.])
    """
    return _complex("fft", a, n, axis, norm, False)


@public(of_package=False, numpy=("fft.ifft",))
def ifft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Variable:
    """Return the inverse of `fft`; parameters as of `fft`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.real(tv.fft.ifft(tv.fft.fft(x))))([1.0, 2.0, 4.0])
    array([1., 2., 4.])
    """
    return _complex("ifft", a, n, axis, norm, True)


def _complex(what: str, a: Any, n: Any, axis: int, norm: str | None, inverse: bool) -> Variable:
    x = as_complex(what, a)
    axis = one_axis(what, axis, x.ndim)
    x = resize_axis(what, x, n, axis)
    out: Variable = ComplexTransform((axis - x.ndim,), inverse, known_norm(what, norm))(x)
    return out


@public(of_package=False, numpy=("fft.rfft",))
def rfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Variable:
    """Return the first ``n // 2 + 1`` elements of `fft` of real numbers; parameters as of `fft`.

    The others are their conjugates.

    Raises
    ------
    TypeError
        If `a` is complex.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.abs(tv.fft.rfft(x)))([1.0, 0.0, -1.0, 0.0])
    array([0., 2., 0.])
    """
    x = as_real("rfft", a)
    axis = one_axis("rfft", axis, x.ndim)
    x = resize_axis("rfft", x, n, axis)
    out: Variable = RealTransform(axis - x.ndim, known_norm("rfft", norm))(x)
    return out


@public(of_package=False, numpy=("fft.irfft",))
def irfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Variable:
    """Return the inverse of `rfft`: `n` real numbers, as ``numpy.fft.irfft``.

    Parameters as of `fft`. `n` is ``2 * (m - 1)`` for `m` elements if left out: an odd number has
    to be said.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.fft.irfft(tv.fft.rfft(x), n=3))([1.0, 2.0, 4.0])
    array([1., 2., 4.])
    """
    return _hermitian("irfft", as_complex("irfft", a), n, axis, known_norm("irfft", norm))


@public(of_package=False, numpy=("fft.hfft",))
def hfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Variable:
    """Return the transform of a signal that is its own mirror image, conjugated: real numbers.

    Parameters as of `irfft`; `a` is the first half of the signal.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.fft.hfft(x))([1.0, 2.0, 3.0])
    array([ 8., -2.,  0., -2.])
    """
    found = ADJOINT_NORM[known_norm("hfft", norm)]
    return _hermitian("hfft", ops.conj(as_complex("hfft", a)), n, axis, found)


@public(of_package=False, numpy=("fft.ihfft",))
def ihfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Variable:
    """Return the inverse of `hfft`: the first half of the signal; parameters as of `rfft`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.real(tv.fft.ihfft(x)))([8.0, -2.0, 0.0, -2.0])
    array([1., 2., 3.])
    """
    return ops.conj(rfft(a, n, axis, ADJOINT_NORM[known_norm("ihfft", norm)]))


def _hermitian(what: str, x: Variable, n: Any, axis: int, norm: str) -> Variable:
    axis = one_axis(what, axis, x.ndim)
    count = whole_number(what, "n", (length(x, axis) - 1) * 2 if n is None else n, 1)
    x = resize_axis(what, x, None if n is None else count // 2 + 1, axis)
    out: Variable = HermitianTransform(axis - x.ndim, norm)(x, count)
    return out


def known_norm(what: str, norm: str | None) -> str:
    """Return the norm of a transform by its name; None is "backward".

    Raises
    ------
    ValueError
        If there is none.
    """
    if norm is None or norm in ADJOINT_NORM:
        return norm or "backward"
    raise ValueError(
        f"[{what}] norm is {norm!r}; it has to be one of {', '.join(ADJOINT_NORM)}."
        + did_you_mean(str(norm), ADJOINT_NORM)
    )


def as_complex(what: str, a: Any) -> Variable:
    """Return the complex numbers that a transform takes: single ones of floats that are so."""
    x = as_variable(a)
    if x.ndim == 0:
        raise ValueError(f"[{what}] {x} is 0-d; a transform goes along an axis, as of x[None].")
    if np.dtype(x.dtype).kind == "c":
        return x
    return astype(x, "complex64" if x.dtype in ("float16", "float32") else "complex128")


def as_real(what: str, a: Any) -> Variable:
    """Return the floats that a transform of real numbers takes.

    Raises
    ------
    TypeError
        If they are complex.
    """
    x = as_variable(a)
    if np.dtype(x.dtype).kind == "c":
        raise TypeError(
            f"[{what}] {x} is {x.dtype}; it takes real numbers: write tv.real(x), or "
            f"tv.fft.{what.replace('r', '')}."
        )
    if x.ndim == 0:
        raise ValueError(f"[{what}] {x} is 0-d; a transform goes along an axis, as of x[None].")
    return astype(x, "float32" if x.dtype in ("float16", "float32") else "float64")


def resize_axis(what: str, x: Variable, n: Any, axis: int) -> Variable:
    """Return `n` elements of an axis: the first ones, or all and zeros behind them.

    Parameters
    ----------
    what : str
        The function, for errors.
    x : Variable
    n : int, 0-d integer Variable or None
        None for all.
    axis : int
        Counted from the front.

    Raises
    ------
    ValueError
        If there are none; of lengths that are known in the call alone NumPy says so.
    """
    there = length(x, axis)
    count: Number = there if n is None else whole_number(what, "n", n)
    if (known := as_integer(count)) is not None and known < 1:
        raise ValueError(f"[{what}] there are {known} elements along axis {axis}; give at least 1.")
    if n is None:
        return x
    if isinstance(there, int) and isinstance(count, int):
        missing: Any = max(count - there, 0)
        if count <= there:
            return x if count == there else part(x, axis, slice(count))
    else:
        x = part(x, axis, slice(count))
        missing = ops.maximum(count - there, 0)
    nothing = zeros([missing if i == axis else n for i, n in enumerate(lengths(x))], x.dtype)
    return concatenate([x, nothing], axis)


__all__ = [
    "as_complex",
    "as_real",
    "fft",
    "hfft",
    "ifft",
    "ihfft",
    "irfft",
    "known_norm",
    "resize_axis",
    "rfft",
]  # fmt: skip
