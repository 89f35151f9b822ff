"""Nests of Variables as one flat vector."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thunkvm import ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.joining import concatenate, stack
from thunkvm._src.arrays.shapes import reshape
from thunkvm._src.graph.structure import children, leaves, matched_leaves, rebuild
from thunkvm._src.graph.values import as_variable


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
    >>> both = state.ravel({"x": tv.vector("a"), "m": 5.0})
    >>> state.unravel(both)["m"].ndim
    0
    """

    def __init__(self, name: str, tree: Any) -> None:
        self.tree = _with_vectors(tree)
        found = [(path, as_variable(leaf)) for path, leaf in leaves(self.tree)]
        for path, leaf in found:
            if not isinstance(leaf.type, TensorType):
                raise TypeError(f"[optimize] {name}{path} is {leaf}: it has to be a tensor.")
        self.name = name
        kinds = [np.dtype(leaf.dtype) for _, leaf in found]
        self.dtype = np.result_type(np.float64, *kinds).name
        self.is_vector = children(self.tree) is None and found[0][1].ndim == 1
        self._shapes = [_shape(leaf) for _, leaf in found]
        self.first = self.ravel(self.tree)

    def ravel(self, tree: Any) -> Variable:
        """Return the flat vector, (n,), of a nest of this structure."""
        if children(self.tree) is None and isinstance(tree, (list, tuple)):
            tree = stack([as_variable(part) for part in tree])
        pairs = matched_leaves((self.name, "the result"), self.tree, tree)
        parts = [ops.cast(as_variable(leaf), dtype=self.dtype) for _, _, leaf in pairs]
        flat = [_flat(part) for part in parts]
        return flat[0] if len(flat) == 1 else concatenate(flat)

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


def _with_vectors(tree: Any) -> Any:
    """Return a nest whose lists and tuples of numbers and of 0-d Variables are vectors."""
    inside = children(tree)
    if type(tree) not in (list, tuple) or not inside:
        return tree
    values = [child for _, child in inside]
    if any(children(value) is not None for value in values):
        return tree
    made = [as_variable(value) for value in values]
    if all(isinstance(value.type, TensorType) and value.ndim == 0 for value in made):
        return stack(made)
    return tree


def _shape(leaf: Variable) -> list[Any]:
    lengths = leaf.type.shape
    return [leaf.shape[axis] if n is None else n for axis, n in enumerate(lengths)]


__all__ = ["FlatState"]
