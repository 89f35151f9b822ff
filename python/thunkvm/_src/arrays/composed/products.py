"""Products of vectors and of blocks: `vdot`, `cross`, `kron`, `convolve`, `correlate`."""

from __future__ import annotations

from typing import Any, Literal

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import lengths, normal_axes
from thunkvm._src.arrays.creation import zeros
from thunkvm._src.arrays.joining import concatenate, stack
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import moveaxis, ravel, reshape, specify_shape
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.nearest import did_you_mean

MODES = ("full", "same", "valid")


@public()
def vdot(a: Any, b: Any) -> Variable:
    """Return the sum of products ``conj(a) * b`` of all elements; both are flattened.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.matrix("x")
    >>> float(tv.function([x], tv.vdot(x, x))([[1.0], [2.0]]))
    5.0
    """
    return ops.dot(ravel(ops.conj(as_variable(a))), ravel(b))


@public()
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Variable:
    """Return the vectors that are perpendicular to two vectors of 3 numbers.

    Parameters
    ----------
    a, b : Variable or array-like
        Vectors along an axis; the others broadcast. A length of 2 that is known stands for a third
        number of 0; of two such vectors the result is its third number alone.
    axisa, axisb, axisc : int
        Where the vectors are in `a`, in `b` and in the result.
    axis : int, optional
        All three of them.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If a length is neither 3 nor 2; if it is not known yet, when called.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.cross(x, [0.0, 0.0, 1.0]))([1.0, 2.0, 3.0])
    array([ 2., -1.,  0.])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    p, q = _components("a", a, axisa), _components("b", b, axisb)
    if len(p) == len(q) == 2:
        return ops.sub(ops.mul(p[0], q[1]), ops.mul(p[1], q[0]))
    p, q = [*p, 0][:3], [*q, 0][:3]
    parts = [ops.sub(ops.mul(p[i], q[j]), ops.mul(p[j], q[i])) for i, j in ((1, 2), (2, 0), (0, 1))]
    return moveaxis(stack(parts, axis=-1), -1, axisc)


def _components(name: str, given: Any, axis: int) -> list[Any]:
    """Return the numbers of vectors along an axis, one after the other."""
    x = as_variable(given)
    (place,) = normal_axes("cross", axis, x.ndim, f"axis of {name}")
    length = x.type.shape[place]
    if length not in (None, 2, 3):
        raise ValueError(
            f"[cross] {name} is {x}, whose vectors have length {length}; only vectors of 3 numbers "
            "(or 2) have a cross product."
        )
    if length is None:
        shape = [3 if each == place else None for each in range(x.ndim)]
        x, length = specify_shape(x, shape, what=f"[cross] {name}"), 3
    return [ops.take(x, i, axis=place) for i in range(length)]


@public()
def kron(a: Any, b: Any) -> Variable:
    """Return the Kronecker product: blocks of `b`, each multiplied by an element of `a`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.kron(x, [1.0, 10.0]))([1.0, 2.0])
    array([ 1., 10.,  2., 20.])
    """
    a, b = as_variable(a), as_variable(b)
    ndim = max(a.ndim, b.ndim)
    of_a, of_b = ([1] * (ndim - x.ndim) + lengths(x) for x in (a, b))
    left = reshape(a, [n for length in of_a for n in (length, 1)])
    right = reshape(b, [n for length in of_b for n in (1, length)])
    return reshape(left * right, [m * n for m, n in zip(of_a, of_b, strict=True)])


@public()
def convolve(a: Any, v: Any, mode: Literal["full", "same", "valid"] = "full") -> Variable:
    """Return the sums ``a[j] * v[k - j]`` of two vectors, as ``numpy.convolve``.

    Parameters
    ----------
    a, v : Variable or array-like
        Vectors of at least one element.
    mode : {"full", "same", "valid"}
        All sums; those in the middle, as many as the longer vector has elements; or those in which
        all elements of the shorter one are.

    Returns
    -------
    Variable

    Raises
    ------
    ValueError
        If one is no vector, or there is no such mode.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.convolve(x, [1.0, -1.0]))([1.0, 3.0, 6.0])
    array([ 1.,  2.,  3., -6.])
    """
    a, v = _vectors("convolve", a, v, mode)
    return _part(_full(a, v), a, v, mode, True)


@public()
def correlate(a: Any, v: Any, mode: Literal["full", "same", "valid"] = "valid") -> Variable:
    """Return the sums ``a[k + j] * conj(v[j])`` of two vectors, as ``numpy.correlate``.

    Parameters and errors as of `convolve`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.correlate(x, [1.0, -1.0]))([1.0, 3.0, 6.0])
    array([-2., -3.])
    """
    a, v = _vectors("correlate", a, v, mode)
    return _part(_full(a, ops.conj(v)[::-1]), a, v, mode, False)


def _vectors(what: str, a: Any, v: Any, mode: str) -> tuple[Variable, Variable]:
    if mode not in MODES:
        raise ValueError(
            f"[{what}] mode is {mode!r}; it has to be one of {', '.join(MODES)}."
            + did_you_mean(str(mode), MODES)
        )
    found = as_variable(a), as_variable(v)
    for name, x in zip("av", found, strict=True):
        if x.ndim != 1 or x.type.shape[0] == 0:
            raise ValueError(
                f"[{what}] {name} is {x}; it takes vectors of at least one element, so flatten it "
                "or index it."
            )
    return found


def _full(a: Variable, v: Variable) -> Variable:
    """Return all sums of products of two vectors, as windows of one times the other."""
    (m,), (n,) = a.type.shape, v.type.shape
    if m is not None and (n is None or m < n):
        a, v = v, a  # the shorter one is multiplied by windows of the longer one
    (length,), (width,) = lengths(a), lengths(v)
    nothing = zeros((width - 1,), a.dtype)
    padded = concatenate([nothing, a, nothing])
    places = ops.expand_dims(ops.arange(0, length + width - 1, 1), axis=[1])
    windows = ops.take(padded, places + ops.arange(0, width, 1), axis=0)
    return ops.matmul(windows, v[::-1])


def _part(full: Variable, a: Variable, v: Variable, mode: str, is_centred_alike: bool) -> Variable:
    """Return the sums that a mode shows."""
    if mode == "full":
        return full
    (m,), (n,) = lengths(a), lengths(v)
    is_known = isinstance(m, int) and isinstance(n, int)
    shorter = min(m, n) if is_known else ops.minimum(m, n)
    longer = max(m, n) if is_known else ops.maximum(m, n)
    if mode == "valid":
        return full[shorter - 1 : longer]
    start = (shorter - 1) // 2
    if not is_centred_alike:  # NumPy exchanges the two, and so reverses the sums
        start = (
            ((shorter - 1) - start if n > m else start)
            if is_known
            else ops.where(ops.gt(n, m), (shorter - 1) - start, start)
        )
    return full[start : start + longer]


__all__ = ["convolve", "correlate", "cross", "kron", "vdot"]
