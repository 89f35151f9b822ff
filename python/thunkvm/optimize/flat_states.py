"""Nests of Variables as one flat vector."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.joining import concatenate, stack
from thunkvm._src.arrays.shapes import reshape
from thunkvm._src.graph.structure import children, leaves, matched_leaves, rebuild, with_children
from thunkvm._src.graph.values import as_variable
from thunkvm.optimize.nests import as_nest
from thunkvm.optimize.required_shapes import with_shape


class FlatState:
    """The structure and shapes of a nest, whose leaves may have lengths that are not known yet.

    Parameters
    ----------
    name : str
        What the nest is called in messages.
    tree : nest of Variables, numbers and arrays
        A list or tuple of numbers is a vector, as it is for NumPy.

    Raises
    ------
    TypeError
        If a leaf is no tensor of numbers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.flat_states import FlatState
    >>> state = FlatState("y0", {"x": tv.vector("x"), "m": tv.scalar("m")})
    >>> both = state.ravel({"x": tv.vector("a"), "m": 5.0}, "a slope")
    >>> state.unravel(both)["m"].ndim
    0
    """

    def __init__(self, name: str, tree: Any) -> None:
        self.tree = with_vectors(tree)
        found = [(path, as_variable(leaf)) for path, leaf in leaves(self.tree)]
        for path, leaf in found:
            if not isinstance(leaf.type, TensorType):
                raise TypeError(f"[optimize] {name}{path} is {leaf}: it has to be a tensor.")
        self.name = name
        kinds = [np.dtype(leaf.dtype) for _, leaf in found]
        self.dtype = np.result_type(np.float64, *kinds).name
        self.is_vector = children(self.tree) is None and found[0][1].ndim == 1
        self._shapes = [_shape(leaf) for _, leaf in found]
        self.first = self.ravel(self.tree, name)

    def ravel(self, tree: Any, what: str) -> Variable:
        """Return the flat vector, (n,), of a nest of this structure and these shapes.

        Parameters
        ----------
        tree : nest of Variables, numbers and arrays
        what : str
            What the nest is called in messages.

        Raises
        ------
        TypeError
            If the structure differs.
        ValueError
            If the shape of a leaf differs.
        """
        if children(self.tree) is None and isinstance(tree, (list, tuple)):
            tree = stack([as_variable(part) for part in tree])
        pairs = list(matched_leaves((self.name, what), self.tree, with_vectors(tree)))
        flat = [
            _flat(self._leaf_like(as_variable(leaf), shape, path, what))
            for (path, _, leaf), shape in zip(pairs, self._shapes, strict=True)
        ]
        return flat[0] if len(flat) == 1 else concatenate(flat)

    def _leaf_like(self, leaf: Variable, shape: list[Any], path: str, what: str) -> Variable:
        is_single = len(shape) == 1 and isinstance(shape[0], int) and shape[0] == 1
        if is_single and leaf.ndim == 0:  # a number is a vector of one, as it is for SciPy
            leaf = leaf[None]
        leaf = with_shape(leaf, shape, f"{what}{path}", f"the shape of {self.name}{path}")
        return ops.cast(leaf, dtype=self.dtype)

    def unravel(self, flat: Variable) -> Any:
        """Return the nest of a flat vector, (n,), or of rows of them, (m, n).

        It is a Variable; or an array, if all lengths are known.
        """
        if self.is_vector:
            return flat
        rows = [flat.shape[0]] if flat.ndim == 2 else []
        parts, begin = [], 0
        for shape in self._shapes:
            end = begin + math.prod(shape)
            parts.append(flat[..., begin:end].reshape((*rows, *shape)))
            begin = end
        return rebuild(self.tree, iter(parts).__next__)


def _flat(part: Variable) -> Variable:
    if part.ndim == 1:
        return part
    return reshape(part, (-1,)) if part.ndim else part[None]


def with_vectors(tree: Any) -> Any:
    """Return a nest whose lists and tuples of numbers and of 0-d Variables are vectors.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.flat_states import with_vectors
    >>> with_vectors({"a": [tv.scalar("b"), 0.0]})["a"].type.shape
    (2,)
    """
    tree = as_nest(tree)
    inside = children(tree)
    if not inside:
        return tree
    values = [child for _, child in inside]
    if type(tree) in (list, tuple) and all(children(value) is None for value in values):
        made = [as_variable(value) for value in values]
        if all(isinstance(value.type, TensorType) and value.ndim == 0 for value in made):
            return stack(made)
    return with_children(tree, [with_vectors(value) for value in values])


def _shape(leaf: Variable) -> list[Any]:
    lengths = leaf.type.shape
    return [leaf.shape[axis] if n is None else n for axis, n in enumerate(lengths)]


__all__ = ["FlatState", "with_vectors"]
