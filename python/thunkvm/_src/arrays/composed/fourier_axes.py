"""Discrete Fourier transforms along several axes, with the signatures of ``numpy.fft``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm._core import Variable
from thunkvm._src.arrays.axes import axis_tuple, normal_axes
from thunkvm._src.arrays.composed.fourier import (
    as_complex,
    as_real,
    irfft,
    known_norm,
    resize_axis,
    rfft,
)
from thunkvm._src.arrays.composed.transforms import ComplexTransform
from thunkvm._src.arrays.public import public


@public(of_package=False, numpy=("fft.fftn",))
def fftn(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Variable:
    """Return the discrete Fourier transform along axes, as ``numpy.fft.fftn``.

    Parameters
    ----------
    a : Variable or array-like
    s : sequence of int or 0-d integer Variable, optional
        How many elements to transform along each axis, as `n` of `fft`; -1 or None for all.
    axes : sequence of int, optional
        All of them if left out, or the last ones, as many as `s` has numbers.
    norm : {"backward", "ortho", "forward"}, optional
        As of `fft`.

    Returns
    -------
    Variable
        Of complex64 or complex128, as that of `fft`.

    Raises
    ------
    ValueError
        If there are no such axes, or `s` has another number of lengths.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.real(tv.fft.fftn(x)))([[1.0, 2.0], [3.0, 4.0]])
    array([[10., -2.],
           [-4.,  0.]])
    """
    return _complex("fftn", a, s, axes, norm, False)


@public(of_package=False, numpy=("fft.ifftn",))
def ifftn(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Variable:
    """Return the inverse of `fftn`; parameters as of `fftn`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.real(tv.fft.ifftn(x)))([[10.0, -2.0], [-4.0, 0.0]])
    array([[1., 2.],
           [3., 4.]])
    """
    return _complex("ifftn", a, s, axes, norm, True)


@public(of_package=False, numpy=("fft.fft2",))
def fft2(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Variable:
    """Return `fftn` along the last two axes; parameters as of `fftn`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.real(tv.fft.fft2(x)))([[1.0, 2.0], [3.0, 4.0]])
    array([[10., -2.],
           [-4.,  0.]])
    """
    return _complex("fft2", a, s, axes, norm, False)


@public(of_package=False, numpy=("fft.ifft2",))
def ifft2(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Variable:
    """Return `ifftn` along the last two axes; parameters as of `fftn`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.real(tv.fft.ifft2(x)))([[10.0, -2.0], [-4.0, 0.0]])
    array([[1., 2.],
           [3., 4.]])
    """
    return _complex("ifft2", a, s, axes, norm, True)


@public(of_package=False, numpy=("fft.rfftn",))
def rfftn(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Variable:
    """Return `fftn` of real numbers, the first half along the last of the axes, as `rfft`.

    Parameters as of `fftn`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.real(tv.fft.rfftn(x)))([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    array([[3., 0.],
           [3., 0.]])
    """
    return _real("rfftn", a, s, axes, norm)


@public(of_package=False, numpy=("fft.rfft2",))
def rfft2(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Variable:
    """Return `rfftn` along the last two axes; parameters as of `fftn`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.real(tv.fft.rfft2(x)))([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    array([[3., 0.],
           [3., 0.]])
    """
    return _real("rfft2", a, s, axes, norm)


@public(of_package=False, numpy=("fft.irfftn",))
def irfftn(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Variable:
    """Return the inverse of `rfftn`; parameters as of `fftn`.

    The last of the lengths `s` is that of the result, as `n` of `irfft` is.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> y = tv.fft.irfftn(tv.fft.rfftn(x), s=(2, 3))
    >>> tv.function([x], tv.round(y, 9))([[1.0, 2.0, 4.0], [0.0, 3.0, 5.0]])
    array([[1., 2., 4.],
           [0., 3., 5.]])
    """
    return _invert_half_spectrum("irfftn", a, s, axes, norm)


@public(of_package=False, numpy=("fft.irfft2",))
def irfft2(
    a: Any,
    s: Sequence[Any] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Variable:
    """Return `irfftn` along the last two axes; parameters as of `irfftn`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> tv.function([x], tv.fft.irfft2(tv.fft.rfft2(x)))([[1.0, 2.0], [0.0, 3.0]])
    array([[1., 2.],
           [0., 3.]])
    """
    return _invert_half_spectrum("irfft2", a, s, axes, norm)


def _complex(what: str, a: Any, s: Any, axes: Any, norm: str | None, inverse: bool) -> Variable:
    x = as_complex(what, a)
    places, sizes = _axes_and_lengths(what, x, s, axes)
    for axis, n in zip(places, sizes, strict=True):
        x = resize_axis(what, x, n, axis)
    last = tuple(axis - x.ndim for axis in places)
    out: Variable = ComplexTransform(last, inverse, known_norm(what, norm))(x)
    return out


def _real(what: str, a: Any, s: Any, axes: Any, norm: str | None) -> Variable:
    x = as_real(what, a)
    places, sizes = _axes_and_lengths(what, x, s, axes)
    out = rfft(x, sizes[-1], places[-1], norm)
    return _complex(what, out, sizes[:-1], places[:-1], norm, False) if places[:-1] else out


def _invert_half_spectrum(what: str, a: Any, s: Any, axes: Any, norm: str | None) -> Variable:
    x = as_complex(what, a)
    places, sizes = _axes_and_lengths(what, x, s, axes)
    inner = _complex(what, x, sizes[:-1], places[:-1], norm, True) if places[:-1] else x
    return irfft(inner, sizes[-1], places[-1], norm)


def _axes_and_lengths(what: str, x: Variable, s: Any, axes: Any) -> tuple[list[int], list[Any]]:
    """Return the axes, counted from the front, and how many elements each is to have."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    places = normal_axes(what, axis_tuple(what, axes, "axes"), x.ndim, "axes")
    if not places:
        raise ValueError(f"[{what}] axes = {axes}; give at least one axis.")
    sizes = [None] * len(places) if s is None else list(s)
    if len(sizes) != len(places):
        raise ValueError(
            f"[{what}] s has {len(sizes)} lengths, and there are {len(places)} axes; give one for "
            "each."
        )
    return places, [None if isinstance(n, int) and n == -1 else n for n in sizes]


__all__ = ["fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn"]
