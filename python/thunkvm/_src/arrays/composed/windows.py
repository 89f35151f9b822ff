"""Windows that slide along axes, and the convolutions of layers that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import axis_tuple, length, lengths, normal_axes
from thunkvm._src.arrays.composed.einsum import einsum
from thunkvm._src.arrays.composed.lengths import Number, integers_below, whole_number
from thunkvm._src.arrays.composed.padding import pad
from thunkvm._src.arrays.public import public
from thunkvm._src.arrays.shapes import moveaxis, reshape
from thunkvm._src.graph.values import as_variable

#: One number for each spatial axis, or one for all.
Each = int | Sequence[int]


@public(numpy=("lib.stride_tricks.sliding_window_view",))
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Variable:
    """Return all windows of an array, as ``numpy.lib.stride_tricks.sliding_window_view``.

    Parameters
    ----------
    x : Variable or array-like
    window_shape : int, 0-d integer Variable, or a sequence of them
        How long a window is along each of the axes.
    axis : int or sequence of int, optional
        The axes along which windows slide; all of them if left out. An axis may come twice.

    Returns
    -------
    Variable
        The axes of `x`, each as long as there are windows, and then those of a window. It is a
        copy. Its gradient adds what the windows that an element is in have.

    Raises
    ------
    ValueError
        If there are not as many lengths as axes, or a window is longer than its axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> tv.function([x], tv.sliding_window_view(x, 2))([1.0, 2.0, 3.0])
    array([[1., 2.],
           [2., 3.]])
    """
    what = "sliding_window_view"
    windows: Variable = as_variable(x)
    ndim = windows.ndim
    is_one = isinstance(window_shape, Variable) or not hasattr(window_shape, "__iter__")
    widths = [window_shape] if is_one else list(window_shape)
    given = range(ndim) if axis is None else axis_tuple(what, axis)
    axes = [normal_axes(what, each, ndim)[0] for each in given]
    if len(axes) != len(widths):
        raise ValueError(
            f"[{what}] window_shape has {len(widths)} lengths, and there are {len(axes)} axes; "
            "give one for each."
        )
    for each, width in zip(axes, widths, strict=True):
        width = whole_number(what, "window_shape", width, 0)
        windows = moveaxis(_slid(what, windows, each, width, 1, 1), each + 1, -1)
    return windows


def _slid(what: str, x: Variable, axis: int, width: Number, stride: int, dilation: int) -> Variable:
    """Return an axis as two: the windows along it, and the elements of each."""
    there = length(x, axis)
    reach = (width - 1) * dilation + 1
    if isinstance(there, int) and isinstance(reach, int) and reach > there:
        raise ValueError(
            f"[{what}] a window reaches over {reach} elements, and axis {axis} has {there}; take "
            "a smaller one."
        )
    starts = ops.expand_dims(integers_below((there - reach) // stride + 1) * stride, axis=(1,))
    return ops.take(x, starts + integers_below(width) * dilation, axis=axis)


@public(of_numpy=False)
def conv1d(
    x: Any,
    w: Any,
    stride: Each = 1,
    padding: str | Each | Sequence[tuple[int, int]] = 0,
    dilation: Each = 1,
    groups: int = 1,
) -> Variable:
    """Return the convolutions of a layer along one axis: sums of windows times weights.

    Parameters
    ----------
    x : Variable or array-like
        Of the shape ``(batch, channels, length)``.
    w : Variable or array-like
        The weights, ``(outputs, channels // groups, width)``. They are not reversed: a layer's
        convolution is what mathematics calls a correlation.
    stride : int
        The distance of two windows.
    padding : int, "valid", "same", or a sequence of pairs
        How many zeros stand at both ends, or at each: ``[(2, 0)]``. None with "valid"; with "same",
        as many as give results as long as `x`, at a stride of 1.
    dilation : int
        The distance of two elements of a window.
    groups : int
        Into how many groups channels and outputs are divided; each knows only its own.

    Returns
    -------
    Variable
        ``(batch, outputs, windows)``. As torch.nn.functional.conv1d.

    Raises
    ------
    ValueError
        If `x` or `w` has another number of axes, or the channels do not fit. Also if a window is
        longer than the axis.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.tensor3("x")
    >>> tv.function([x], tv.conv1d(x, [[[1.0, -1.0]]]))([[[1.0, 4.0, 9.0]]])
    array([[[-3., -5.]]])
    """
    return _convolution("conv1d", x, w, 1, stride, padding, dilation, groups)


@public(of_numpy=False)
def conv2d(
    x: Any,
    w: Any,
    stride: Each = 1,
    padding: str | Each | Sequence[tuple[int, int]] = 0,
    dilation: Each = 1,
    groups: int = 1,
) -> Variable:
    """Return the convolutions of a layer along two axes; parameters as of `conv1d`.

    `x` is ``(batch, channels, rows, columns)`` and `w` ``(outputs, channels // groups, height,
    width)``; strides, paddings and dilations are one number, or one for each of the two axes.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.tensor4("x")
    >>> tv.function([x], tv.conv2d(x, [[[[1.0, 1.0]]]]))([[[[1.0, 2.0], [3.0, 4.0]]]])
    array([[[[3.],
             [7.]]]])
    """
    return _convolution("conv2d", x, w, 2, stride, padding, dilation, groups)


def _convolution(
    what: str, x: Any, w: Any, ndim: int, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Variable:
    x, w, groups = as_variable(x), as_variable(w), index(groups)
    for name, each in (("x", x), ("w", w)):
        if each.ndim != ndim + 2:
            raise ValueError(
                f"[{what}] {name} is {each}, with {each.ndim} axes; it takes {ndim + 2}."
            )
    (channels, outputs), inner = (x.type.shape[1], w.type.shape[0]), w.type.shape[1]
    known = channels is not None and inner is not None
    if groups < 1 or (known and channels != inner * groups) or (outputs or 0) % groups:
        raise ValueError(
            f"[{what}] x has {channels} channels and w {outputs} outputs of {inner} channels, in "
            f"{groups} groups; each output takes channels / groups, and groups divide the outputs."
        )
    strides = _one_per_axis(what, "stride", stride, ndim, 1)
    dilations = _one_per_axis(what, "dilation", dilation, ndim, 1)
    widths = lengths(w, range(2, ndim + 2))
    x = _pad_axes(
        what, x, padding, [(n - 1) * d for n, d in zip(widths, dilations, strict=True)], strides
    )
    for i in reversed(range(ndim)):
        x = _slid(what, x, 2 + i, widths[i], strides[i], dilations[i])
    batch, _, *windows = lengths(x)
    x = reshape(x, [batch, groups, length(w, 1), *windows])
    w = reshape(w, [groups, length(w, 0) // groups, length(w, 1), *widths])
    places, inside = "opq"[:ndim], "klm"[:ndim]
    slid = "".join(a + b for a, b in zip(places, inside, strict=True))
    out = einsum(f"bgc{slid},gdc{inside}->bgd{places}", x, w)
    batch, first, second, *windows = lengths(out)
    return reshape(out, [batch, first * second, *windows])


def _pad_axes(
    what: str, x: Variable, padding: Any, reaches: list[Any], strides: list[int]
) -> Variable:
    """Return `x` with zeros at the ends of its spatial axes."""
    if isinstance(padding, str):
        if padding not in ("valid", "same"):
            raise ValueError(f"[{what}] padding is {padding!r}; write 'valid', 'same' or numbers.")
        if padding == "valid":
            return x
        if any(stride != 1 for stride in strides):
            raise ValueError(f"[{what}] padding 'same' takes a stride of 1; stride is {strides}.")
        widths = [(reach // 2, reach - reach // 2) for reach in reaches]
    elif hasattr(padding, "__iter__") and any(hasattr(each, "__iter__") for each in padding):
        widths = [(index(first), index(last)) for first, last in padding]
    else:
        widths = [(n, n) for n in _one_per_axis(what, "padding", padding, len(reaches), 0)]
    if all(isinstance(n, int) and n == 0 for pair in widths for n in pair):
        return x
    return pad(x, [(0, 0), (0, 0), *widths])


def _one_per_axis(what: str, name: str, given: Any, count: int, least: int) -> list[int]:
    """Return one integer for each axis."""
    numbers = list(axis_tuple(what, given, name))
    numbers = numbers * count if len(numbers) == 1 else numbers
    if len(numbers) != count or any(number < least for number in numbers):
        raise ValueError(
            f"[{what}] {name} is {given}; give one number, or {count}, of at least {least}."
        )
    return numbers


__all__ = ["conv1d", "conv2d", "sliding_window_view"]
