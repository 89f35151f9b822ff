"""Derivatives at variables of `ScalarType`, which add up as those of 0-d tensors do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from thunkvm import _core
from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.arrays.creation import zeros_like


def gradients(cost: Variable, wrt: Sequence[Variable]) -> list[Variable | None]:
    """Return the gradients of a scalar, None where it does not depend on a variable.

    The core adds up gradients of tensors alone. So where an Op takes a number, it is differentiated
    with the number of a 0-d tensor in its place; the result has the numbers themselves.

    Parameters
    ----------
    cost : Variable
        A 0-d tensor.
    wrt : sequence of Variable
        Tensors, and variables of `ScalarType`.

    Returns
    -------
    list of (Variable or None)
        A gradient of the Type of each variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.derivatives.scalar_gradients import gradients
    >>> s = tv.ScalarType("float64")("s")
    >>> cost = tv.tensor_from_scalar(s) + tv.tensor_from_scalar(s)
    >>> (gradient,) = gradients(cost, [s])
    >>> gradient.type, tv.function([], gradient)()
    (ScalarType(float64), np.float64(2.0))
    """
    nodes = _nodes_of_numbers([cost])
    return _Tensors(nodes).gradients(cost, wrt) if nodes else _core.gradients(cost, wrt)


def push_forward(
    ys: Sequence[Variable], wrt: Sequence[Variable], tangents: Sequence[Variable]
) -> list[Variable | None]:
    """Return the tangents of expressions, None where one does not depend on a variable.

    The core adds up tangents of tensors alone. ``<gradient of <u, ys>, tangents>`` is linear in u.
    So where an Op takes a number, its gradient with respect to u is the tangent.

    Parameters
    ----------
    ys : sequence of Variable
        Tensors.
    wrt : sequence of Variable
        Tensors, and variables of `ScalarType`.
    tangents : sequence of Variable
        Tensors of their shapes.

    Returns
    -------
    list of (Variable or None)

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm._src.derivatives.scalar_gradients import push_forward
    >>> x = tv.vector("x")
    >>> (tangent,) = push_forward([x * x], [x], [tv.constant([1.0, 0.5])])
    >>> tv.function([x], tangent)([3.0, 4.0])
    array([6., 4.])
    """
    if not _nodes_of_numbers(ys):
        return _core.push_forward(list(ys), list(wrt), list(tangents))
    from thunkvm._src.derivatives.inner_products import total

    us = [y.type() for y in ys]
    found = gradients(total(us, ys), wrt)
    moved = [(g, v) for g, v in zip(found, tangents, strict=True) if g is not None]
    if not moved:
        return [None] * len(us)
    changes = gradients(total(*zip(*moved, strict=True)), us)
    there = [change for change in changes if change is not None]
    at_zeros = [(u, zeros_like(y)) for u, y in zip(us, ys, strict=True)]
    back = iter(_core.substitute(there, at_zeros))
    return [None if change is None else next(back) for change in changes]


def _nodes_of_numbers(roots: Sequence[Variable]) -> list[Apply]:
    if "thunkvm.c.scalars" not in sys.modules:  # then there is no number
        return []
    return [
        node
        for node in _core.topological_order(list(roots))
        if any(map(is_number, (*node.inputs, *node.outputs)))
    ]


def is_number(variable: Variable) -> bool:
    """Return whether a variable is of a `ScalarType`."""
    if isinstance(variable.type, TensorType):
        return False
    from thunkvm.c.scalars import ScalarType

    return isinstance(variable.type, ScalarType)


class _Tensors:
    """A graph in which each use of a number is that of a 0-d tensor."""

    def __init__(self, nodes: Sequence[Apply]) -> None:
        from thunkvm.c.scalar_ops import scalar_from_tensor, tensor_from_scalar

        self._number_of: Any = scalar_from_tensor
        self._tensor_of: Any = tensor_from_scalar
        self._tensors: dict[Variable, Variable] = {}
        self._nodes = [(node, self._replace_node(node)) for node in nodes]

    def gradients(self, cost: Variable, wrt: Sequence[Variable]) -> list[Variable | None]:
        """Differentiate by the tensors, and put the numbers back."""
        from thunkvm.c.scalar_ops import number_of

        there = [self._tensors.get(variable, variable) for variable in wrt]
        old = [output for node, _ in self._nodes for output in node.outputs]
        new = [output for _, outputs in self._nodes for output in outputs]
        pairs = list(zip(old, new, strict=True))
        roots = _core.substitute([cost, *there, *new], pairs)
        found = _core.gradients(roots[0], roots[1 : 1 + len(wrt)])
        back = self._back(old, roots[1 + len(wrt) :])
        known = [
            number_of(gradient) if is_number(variable) else gradient
            for gradient, variable in zip(found, wrt, strict=True)
            if gradient is not None
        ]
        results = iter(_core.substitute(known, back))
        return [None if gradient is None else next(results) for gradient in found]

    def _replace_node(self, node: Apply) -> list[Variable]:
        """Return the outputs of a node that takes the numbers of tensors."""
        made = node.op(
            *(self._number_of(self._tensor_at(v)) if is_number(v) else v for v in node.inputs)
        )
        return [made] if isinstance(made, Variable) else list(made)

    def _tensor_at(self, number: Variable) -> Variable:
        """Return the tensor that stands for a number, at which its gradients add up."""
        if number not in self._tensors:
            self._tensors[number] = (
                TensorType(number.type.dtype, ())()
                if number.owner is None
                else self._tensor_of(number)
            )
        return self._tensors[number]

    def _back(
        self, old: Sequence[Variable], rebuilt: Sequence[Variable]
    ) -> list[tuple[Variable, Variable]]:
        """Return the replacements that make the graph the user's again."""
        back = list(zip(rebuilt, old, strict=True))
        back += [(t, self._tensor_of(s)) for s, t in self._tensors.items() if s.owner is None]
        originals = {output: node for node, _ in self._nodes for output in node.outputs}
        for new, output in zip(rebuilt, old, strict=True):
            if new.owner is None:
                continue
            for mine, number in zip(new.owner.inputs, originals[output].inputs, strict=True):
                if is_number(number):
                    back.append((mine, number))
        return back


__all__ = ["gradients", "is_number", "push_forward"]
