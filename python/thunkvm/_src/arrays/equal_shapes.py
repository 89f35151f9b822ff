"""Arrays that are to have the shape of another, checked as they are computed."""

from __future__ import annotations

from typing import Any

from thunkvm import _core, ops
from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.arrays.shapes import reshape
from thunkvm._src.graph.op import Op


class RefusedShape(Op):
    """An error about the shape of an array, in the arm that is taken where it does not fit."""

    __props__ = ("name", "of")

    def __init__(self, name: str, of: str) -> None:
        self.name = name
        self.of = of

    def make_node(self, *shapes: Variable) -> Apply:
        """Take the shape that there is, and the one that is wanted."""
        return Apply(self, list(shapes), [shapes[0].type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Raise the error."""
        there, wanted = (tuple(map(int, shape)) for shape in inputs)
        raise ValueError(
            f"{self.name} has shape {there}, but {self.of} has {wanted}; give one value for each "
            "element."
        )


def with_shape_of(x: Variable, like: Variable, name: str, of: str) -> Variable:
    """Return `x`, which has to have the shape of `like`: else it is a ValueError when it runs.

    Parameters
    ----------
    x, like : Variable
        Of as many axes.
    name, of : str
        What the error calls them.

    Returns
    -------
    Variable
        `x` itself where both shapes are known.

    Raises
    ------
    ValueError
        If a length is known to be another.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.equal_shapes import with_shape_of
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> f = tv.function([x, y], with_shape_of(x, y, "x", "y"))
    >>> f([1.0, 2.0], [0.0, 0.0])
    array([1., 2.])
    >>> f([1.0], [0.0, 0.0])
    Traceback (most recent call last):
        ...
    ValueError: x has shape (1,), but y has (2,); give one value for each element.
    ...
    """
    unknown = False
    for axis, (mine, wanted) in enumerate(zip(_known_shape(x), _known_shape(like), strict=True)):
        if mine is None or wanted is None:
            unknown = True
        elif mine != wanted:
            raise ValueError(
                f"{name} has length {mine} along axis {axis}, but {of}, {like}, has {wanted}; give "
                "one value for each element."
            )
    if not unknown or x is like:
        return x
    there, wanted_shape = ops.shape(x), ops.shape(like)
    refused = RefusedShape(name, of)(there, wanted_shape)
    fits = ops.all(ops.eq(there, wanted_shape))
    (checked,) = _core.conditional(fits, _core.Decoding.truth, [[refused], [there]])
    return reshape(x, checked)


class RefusedLengths(Op):
    """An error about two lengths of an array, in the arm that is taken where they differ."""

    __props__ = ("what", "axes")

    def __init__(self, what: str, axes: tuple[int, int]) -> None:
        self.what = what
        self.axes = axes

    def make_node(self, first: Variable, second: Variable) -> Apply:
        """Take two lengths."""
        return Apply(self, [first, second], [first.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Raise the error."""
        raise ValueError(_unequal(self.what, self.axes, int(inputs[0]), int(inputs[1])))


def _unequal(what: str, axes: tuple[int, int], first: int, second: int) -> str:
    return (
        f"{what} has length {first} along axis {axes[0]}, but {second} along axis {axes[1]}; both "
        "have to be the same."
    )


def with_equal_axes(x: Variable, first: int, second: int, what: str) -> Variable:
    """Return `x`, two axes of which have to be as long: else it is a ValueError when it runs.

    Parameters
    ----------
    x : Variable
    first, second : int
        The axes.
    what : str
        What the error calls the array.

    Returns
    -------
    Variable
        `x` itself where both lengths are known.

    Raises
    ------
    ValueError
        If the lengths are known to differ.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.arrays.equal_shapes import with_equal_axes
    >>> with_equal_axes(tv.tensor("x", shape=(2, 3)), 0, 1, "the matrix")
    Traceback (most recent call last):
        ...
    ValueError: the matrix has length 2 along axis 0, but 3 along axis 1; both have to be the same.
    """
    known = _known_shape(x)
    m, n = known[first], known[second]
    if m is not None and n is not None:
        if m != n:
            raise ValueError(_unequal(what, (first, second), m, n))
        return x
    lengths = [ops.length(x, axis=axis) for axis in range(x.ndim)]
    refused = RefusedLengths(what, (first, second))(lengths[first], lengths[second])
    fits = ops.eq(lengths[first], lengths[second])
    (checked,) = _core.conditional(fits, _core.Decoding.truth, [[refused], [lengths[second]]])
    lengths[second] = checked
    return reshape(x, lengths)


def _known_shape(x: Variable) -> tuple[int | None, ...]:
    assert isinstance(x.type, TensorType)
    return x.type.shape


__all__ = ["with_equal_axes", "with_shape_of"]
