"""How much a function's nodes computed and moved, by the shapes that they had when they ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thunkvm import _core
from thunkvm._core import Apply, TensorType, Variable

Shape = tuple[int, ...] | None


class Work(NamedTuple):
    """Floating-point operations, and bytes read and written."""

    flops: float = 0.0
    bytes_moved: float = 0.0

    def plus(self, other: Work, times: float = 1.0) -> Work:
        """Return this, and the other so many times."""
        return Work(self.flops + times * other.flops, self.bytes_moved + times * other.bytes_moved)


class Groups(NamedTuple):
    """The work of each node of a function, and of each group of nodes."""

    nodes: list[Work]
    groups: list[Work]


def work_done(
    nodes: Sequence[Variable], runs: Sequence[int], data: _core.RecordingReport,
    groups: Sequence[_core.NativeGroup],
) -> Groups:  # fmt: skip
    """Return what the nodes of a function did, where their Ops state it.

    Parameters
    ----------
    nodes : sequence of Variable
        Output 0 of each node.
    runs : sequence of int
        How often each ran.
    data : RecordingReport
        The core's records, with the shapes of nodes that have some, and of nests.
    groups : sequence of NativeGroup
        The nodes that are computed together.
    """
    applies = [_owner(node) for node in nodes]
    done = [Work()] * len(nodes)
    for number, apply in enumerate(applies):
        if runs[number] and not any(map(_has_axes, (*apply.inputs, *apply.outputs))):
            done[number] = Work().plus(work_of(apply, _shapes_in_nest(apply, ())), runs[number])
    for number, rows in data.shapes_of_nodes.items():
        for flat, counted in rows.items():
            one = work_of(applies[number], list(_unpacked(flat)))
            done[number] = done[number].plus(one, counted.runs)
    together = []
    for members, kind in groups:
        nests = [row for node in members for row in data.shapes_of_nests.get(node, {}).items()]
        moved = sum(counted.bytes for _, counted in nests) if kind == "fused" else 0
        for number in members:
            for shape, counted in nests:
                flops, _ = work_of(applies[number], _shapes_in_nest(applies[number], shape))
                done[number] = done[number].plus(Work(flops, 0.0), counted.runs)
            done[number] = done[number].plus(Work(0.0, moved / len(members)))
        together.append(_total(done[number] for number in members))
    return Groups(done, together)


def work_of(node: Apply, shapes: Sequence[Shape]) -> Work:
    """Return what one run of a node does; 0 where its Op states nothing.

    Parameters
    ----------
    node : Apply
        The node.
    shapes : sequence
        The shapes of its inputs and then its outputs; None for what has none.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.profile.work import work_of
    >>> a, b = tv.matrix("a"), tv.matrix("b")
    >>> work_of(tv.matmul(a, b).owner, [(2, 3), (3, 4), (2, 4)])
    Work(flops=48.0, bytes_moved=208.0)
    """
    known = [shape or () for shape in shapes]  # the core knows which are no tensors
    n_inputs = len(node.inputs)
    stated = _core.node_work(node, known[:n_inputs], known[n_inputs:])
    return Work() if stated is None else Work(*stated)


def _unpacked(flat: Sequence[int]) -> Iterator[Shape]:
    """Yield the shapes that stand one after the other: how many axes, then their lengths."""
    at = 0
    while at < len(flat):
        ndim = flat[at]
        yield None if ndim < 0 else tuple(flat[at + 1 : at + 1 + ndim])
        at += 1 + max(ndim, 0)


def _shapes_in_nest(node: Apply, shape: tuple[int, ...]) -> list[Shape]:
    """Return the shapes of a node's operands in a nest of this shape."""
    return [shape if _has_axes(value) else () for value in (*node.inputs, *node.outputs)]


def _has_axes(value: Variable) -> bool:
    return isinstance(value.type, TensorType) and value.type.ndim > 0


def _owner(node: Variable) -> Apply:
    assert node.owner is not None
    return node.owner


def _total(parts: Iterator[Work]) -> Work:
    total = Work()
    for part in parts:
        total = total.plus(part)
    return total


__all__ = ["Groups", "Work", "work_done", "work_of"]
