"""The frequencies of Fourier transforms, and the order in which they stand."""

from __future__ import annotations

from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis, length, normal_axes
from thunkvm._src.arrays.composed.flipping import roll
from thunkvm._src.arrays.composed.lengths import integers_below, whole_number
from thunkvm._src.arrays.public import public
from thunkvm._src.graph.values import as_variable


@public(of_package=False, numpy=("fft.fftfreq",))
def fftfreq(n: Any, d: Any = 1.0) -> Variable:
    """Return the frequencies of the elements of `fft`, as ``numpy.fft.fftfreq``.

    Parameters
    ----------
    n : int or 0-d integer Variable
        How many elements there are.
    d : Variable or number
        The distance of two samples.

    Returns
    -------
    Variable
        A vector of float64: 0, the positive ones, and the negative ones.

    Raises
    ------
    ValueError
        If there are none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.fft.fftfreq(n, 0.5))(4)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    n = whole_number("fftfreq", "n", n, 1)
    k = integers_below(n)
    signed = ops.where(ops.ge(k * 2 - n, 0), k - n, k)
    return _spread(signed, n, d)


@public(of_package=False, numpy=("fft.rfftfreq",))
def rfftfreq(n: Any, d: Any = 1.0) -> Variable:
    """Return the frequencies of the elements of `rfft`; parameters as of `fftfreq`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.lscalar("n")
    >>> tv.function([n], tv.fft.rfftfreq(n, 0.5))(4)
    array([0. , 0.5, 1. ])
    """
    n = whole_number("rfftfreq", "n", n, 1)
    return _spread(integers_below(n // 2 + 1), n, d)


def _spread(numbers: Variable, n: Any, d: Any) -> Variable:
    # As NumPy: the reciprocal first, so that the last digits are the same.
    return ops.cast(numbers, dtype="float64") * ops.reciprocal(n * (as_variable(d) * 1.0))


@public(of_package=False, numpy=("fft.fftshift",))
def fftshift(x: Any, axes: Axis = None) -> Variable:
    """Return the elements with that of frequency 0 in the middle, as ``numpy.fft.fftshift``.

    Parameters
    ----------
    x : Variable or array-like
    axes : int or sequence of int, optional
        All of them if left out.

    Returns
    -------
    Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.function([], tv.fft.fftshift(tv.fft.fftfreq(4)))()
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _roll_axes("fftshift", x, axes, lambda n: n // 2)


@public(of_package=False, numpy=("fft.ifftshift",))
def ifftshift(x: Any, axes: Axis = None) -> Variable:
    """Return the inverse of `fftshift`; parameters as of `fftshift`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.fft.ifftshift(x))([-1.0, 0.0, 1.0])
    array([ 0.,  1., -1.])
    """
    return _roll_axes("ifftshift", x, axes, lambda n: -(n // 2))


def _roll_axes(what: str, x: Any, axes: Axis, by: Any) -> Variable:
    x = as_variable(x)
    places = list(range(x.ndim)) if axes is None else normal_axes(what, axes, x.ndim, "axes")
    return roll(x, [by(length(x, axis)) for axis in places], places) if places else x


__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]
