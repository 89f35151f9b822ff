"""Nests of numbers and arrays as one flat vector, and Variables of the same types."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import thunkvm as tv
from thunkvm._src.graph.structure import children, leaves, rebuild, with_children

#: The kinds of dtypes of real numbers, and of all numbers.
REAL, NUMBERS = "fiub", "fiubc"


def as_nest(value: Any) -> Any:
    """Return a value whose lists and tuples of numbers are arrays, as they are for NumPy.

    Dicts, dataclasses, named tuples, and lists and tuples that hold one of these or an array
    stay what they are.

    Examples
    --------
    >>> from thunkvm.optimize.nests import as_nest
    >>> as_nest({"a": [1.0, 2.0], "b": 3.0})
    {'a': array([1., 2.]), 'b': 3.0}
    """
    inside = children(value)
    if inside is None:
        return value
    if type(value) in (list, tuple) and all(_is_numbers(child) for _, child in inside):
        try:
            return np.asarray(value)
        except ValueError as error:
            raise ValueError(
                f"[optimize] {value!r} has lists of different lengths, which are no array: make "
                "each of them an array, np.array([...]), for a nest of arrays."
            ) from error
    return with_children(value, [as_nest(child) for _, child in inside])


def _is_numbers(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_is_numbers, value))
    return isinstance(value, (bool, int, float, complex, np.generic))


def structure_key(tree: Any) -> Hashable:
    """Return the key that nests of the same structure have in common, and no others.

    Examples
    --------
    >>> from thunkvm.optimize.nests import structure_key
    >>> structure_key({"a": 1.0}) == structure_key({"a": 2.0})
    True
    """
    inside = children(tree)
    if inside is None:
        return None
    return type(tree), tuple((key, structure_key(child)) for key, child in inside)


@dataclass(frozen=True)
class Nest:
    """The structure of a nest, and the shape of each leaf.

    Parameters
    ----------
    tree : nest
        One of that structure; its leaves are not read.
    shapes : tuple of tuple of int
        The shape of each leaf, in order.
    dtype : str
        The dtype of the flat vector: float64, or float32 if no leaf needs more.
    """

    tree: Any
    shapes: tuple[tuple[int, ...], ...]
    dtype: str

    @classmethod
    def of(cls, value: Any, name: str = "x0") -> Nest:
        """Return the structure of a value of `as_nest`.

        Raises
        ------
        TypeError
            If a leaf is no number or array of real numbers.
        """
        shapes, dtypes = [], set()
        for path, leaf in leaves(value):
            array = np.asarray(leaf)
            if array.dtype.kind not in REAL:
                raise TypeError(
                    f"[optimize] {name}{path} is {leaf!r}: it has to be a real number, or an array "
                    "of real numbers."
                )
            shapes.append(array.shape)
            dtypes.add(array.dtype.char)
        return cls(value, tuple(shapes), "float32" if dtypes == {"f"} else "float64")

    @cached_property
    def size(self) -> int:
        """The number of elements of the flat vector."""
        return sum(math.prod(shape) for shape in self.shapes)

    @cached_property
    def is_vector(self) -> bool:
        """Whether a value is one vector, which is the flat vector itself."""
        return len(self.shapes) == 1 and len(self.shapes[0]) == 1 and children(self.tree) is None

    @property
    def key(self) -> Hashable:
        """The key of nests of the same structure, shapes and dtype."""
        return structure_key(self.tree), self.shapes, self.dtype

    def ravel(self, value: Any) -> npt.NDArray[Any]:
        """Return the flat vector of a value of this structure and these shapes, a copy."""
        parts = [np.ravel(np.asarray(leaf, self.dtype)) for _, leaf in leaves(value)]
        return np.concatenate(parts) if parts else np.zeros(0, self.dtype)

    def unravel(self, vector: Any) -> Any:
        """Return a nest of parts of a flat vector, which is a Variable or an array."""
        if self.is_vector:
            return vector
        parts, start = [], 0
        for shape in self.shapes:
            stop = start + math.prod(shape)
            part = vector[start] if shape == () else vector[start:stop].reshape(shape)
            parts.append(part)
            start = stop
        return rebuild(self.tree, iter(parts).__next__)


def variables_like(args: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    """Return a nest of Variables for each argument: of its dtypes and numbers of dimensions.

    Examples
    --------
    >>> from thunkvm.optimize.nests import variables_like
    >>> variables_like(({"t": [1.0, 2.0], "n": 3},), "args")[0]["n"]
    <args[0]['n']: scalar int64>
    """
    nests = tuple(map(as_nest, args))
    made = [_variable_like(leaf, f"{name}{path}") for path, leaf in leaves(nests)]
    return tuple(rebuild(nests, iter(made).__next__))


def _variable_like(value: Any, name: str) -> tv.Variable:
    array = np.asarray(value)
    if array.dtype.kind not in NUMBERS:
        raise TypeError(
            f"[optimize] {name} is {value!r}: what may change from call to call has to be a "
            "number or an array; let fun hold everything else itself."
        )
    return tv.TensorType(array.dtype.name, (None,) * array.ndim)(name)


def types_key(args: tuple[Any, ...]) -> Hashable:
    """Return the key of arguments for which `variables_like` are of the same types."""
    nests = tuple(map(as_nest, args))
    types = ((np.asarray(leaf).dtype.str, np.ndim(leaf)) for _, leaf in leaves(nests))
    return structure_key(nests), tuple(types)


def flat_values(args: tuple[Any, ...]) -> list[Any]:
    """Return the leaves of the nests of arguments, in order."""
    return [leaf for _, leaf in leaves(tuple(map(as_nest, args)))]


__all__ = ["Nest", "as_nest", "flat_values", "structure_key", "types_key", "variables_like"]
