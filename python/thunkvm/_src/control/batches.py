"""Functions of one example, applied to whole batches: `vmap` and `vectorize`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce, wraps
from typing import Any

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.axes import as_integer
from thunkvm._src.arrays.shapes import broadcast_to, expand_dims, moveaxis, squeeze
from thunkvm._src.control.assertions import CheckAndRaise
from thunkvm._src.graph.structure import children, leaves, rebuild
from thunkvm._src.graph.values import as_variable

#: An axis for all leaves of an argument, None for values that all examples share, or these by the
#: argument's structure.
InAxes = Any


def vmap(f: Callable[..., Any], in_axes: InAxes = 0, out_axes: InAxes = 0) -> Callable[..., Any]:
    """Return a function that applies `f` to each example of a batch.

    The graph of `f` is built once, for one example, and then batched: each Op by its own rule. A
    conditional whose condition is the same for all examples stays one branch. Where it differs
    between examples, each example runs its own arm alone, in a loop over the examples; so do a
    loop whose number of steps differs, `attempt`, and Ops without a rule for batches.

    Parameters
    ----------
    f : callable
        From Variables, or nested lists, tuples, dicts and dataclasses of them, to the same.
    in_axes : int, None, or tuple or list of them
        The axis of the examples in each argument, None for one that all examples have in common.
        One for all arguments, or one for each; that of an argument may be a structure like the
        argument's. Keyword arguments have it first.
    out_axes : int, None, or structure of them
        Where the results have the axis of the examples. None for a result that is the same for all
        examples.

    Returns
    -------
    callable
        Of the arguments of `f`, with the axis of examples in them. Its results have it too.

    Raises
    ------
    TypeError
        If `f` is no function, an axis is no integer, or an argument with an axis is no tensor.
    ValueError
        If nothing has an axis, an axis is not there, or the numbers of examples differ. Also if a
        result differs between examples where `out_axes` says None. Numbers of examples that only a
        call knows are compared then.

    Notes
    -----
    What two conditionals of different regions share is computed by each of them: once for an
    example in each.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def root(x):
    ...     return tv.ifelse(x > 0, tv.counted(tv.sqrt(x), "root"), 0.0)
    >>> xs = tv.vector("xs")
    >>> f = tv.function([xs], tv.vmap(root)(xs))
    >>> f([4.0, -1.0, 9.0]), f.counts()
    (array([2., 0., 3.]), {'root': 2})
    """
    if not callable(f):
        raise TypeError(f"[vmap] f is {f!r}, a {type(f).__name__}; give a function.")

    @wraps(f)
    def batched(*args: Any, **kwargs: Any) -> Any:
        given = [
            *_with_axes("in_axes", args, _each_argument(in_axes, args)),
            *_keyword_axes(kwargs),
        ]
        batch = _Batch(given)
        examples = rebuild((args, kwargs), iter(batch.examples).__next__)
        return batch.stack_results(f(*examples[0], **examples[1]), out_axes)

    return batched


def vectorize(f: Callable[..., Any], signature: str | None = None) -> Callable[..., Any]:
    """Return a function that applies `f` along the leading axes of its arguments, as a gufunc.

    Parameters
    ----------
    f : callable
        From tensors of the dimensions that the signature says, to a tensor or a tuple of them.
    signature : str, optional
        As `numpy.vectorize` has it: ``"(m,n),(n)->(m)"``. Without one, `f` takes and returns
        numbers (0-d).

    Returns
    -------
    callable
        Of tensors with more axes in front, which are broadcast. It is `vmap` of `f` over each of
        these axes, so that conditionals keep their branches.

    Raises
    ------
    TypeError
        If `f` is no function, or is called with another number of arguments than the signature has.
    ValueError
        If the signature cannot be read, or an argument has fewer axes than it says.

    Examples
    --------
    >>> import thunkvm as tv
    >>> distance = tv.vectorize(lambda a, b: tv.sqrt(((a - b) ** 2).sum()), "(n),(n)->()")
    >>> points, origin = tv.matrix("points"), tv.vector("origin")
    >>> f = tv.function([points, origin], distance(points, origin))
    >>> f([[3.0, 4.0], [6.0, 8.0]], [0.0, 0.0])
    array([ 5., 10.])
    """
    if not callable(f):
        raise TypeError(f"[vectorize] f is {f!r}, a {type(f).__name__}; give a function.")
    counts = None if signature is None else _core_axes(signature)

    @wraps(f)
    def vectorized(*args: Any) -> Any:
        tensors = [as_variable(arg) for arg in args]
        cores = [0] * len(args) if counts is None else counts
        if len(cores) != len(args):
            raise TypeError(
                f"[vectorize] the signature {signature!r} has {len(cores)} arguments, but "
                f"{len(args)} were given; give one for each."
            )
        for number, (x, core) in enumerate(zip(tensors, cores, strict=True)):
            if x.ndim < core:
                raise ValueError(
                    f"[vectorize] argument {number} has {x.ndim} axes, but the signature "
                    f"{signature!r} takes {core} of it; give at least as many."
                )
        return _over_leading_axes(f, tensors, cores)

    return vectorized


def _over_leading_axes(f: Callable[..., Any], tensors: list[Variable], cores: Sequence[int]) -> Any:
    """Apply `f` along the first of the leading axes, and there along the next one."""
    most = max((x.ndim - core for x, core in zip(tensors, cores, strict=True)), default=0)
    if most == 0:
        return f(*tensors)
    held = [x.ndim - core == most for x, core in zip(tensors, cores, strict=True)]
    # A length of 1 is one of all others', which no example differs in.
    one = [there and x.type.shape[0] == 1 for x, there in zip(tensors, held, strict=True)]
    if not all(is_one or not there for is_one, there in zip(one, held, strict=True)):
        tensors = [squeeze(x, 0) if is_one else x for x, is_one in zip(tensors, one, strict=True)]
        held = [there and not is_one for there, is_one in zip(held, one, strict=True)]
    replaced = iter(_equalize_lengths([x for x, there in zip(tensors, held, strict=True) if there]))
    tensors = [next(replaced) if there else x for x, there in zip(tensors, held, strict=True)]
    axes = [0 if there else None for there in held]
    return vmap(lambda *inner: _over_leading_axes(f, list(inner), cores), in_axes=axes)(*tensors)


def _equalize_lengths(tensors: list[Variable]) -> list[Variable]:
    """Return the tensors with their first axes broadcast, where that may be needed."""
    known = {x.type.shape[0] for x in tensors}
    if len(tensors) == 1 or (len(known) == 1 and None not in known):
        return tensors
    lengths = [ops.length(x, axis=0) for x in tensors]
    n = reduce(lambda a, b: ops.where(ops.eq(a, 1), b, a), lengths)
    return [_repeat_first_axis(x, n) for x in tensors]


def _repeat_first_axis(x: Variable, n: Variable) -> Variable:
    return broadcast_to(x, [n, *(ops.length(x, axis=axis) for axis in range(1, x.ndim))])


class _Batch:
    """The examples of a batch, as leaves that one of them is built over."""

    def __init__(self, given: list[tuple[str, Any, int | None]]) -> None:
        self.leaves: list[Variable] = []
        self.batches: list[Variable] = []
        self.examples: list[Any] = []
        self.n: Variable  # the number of examples, of the first argument that has some
        for name, value, axis in given:
            self.examples.append(value if axis is None else self._example(name, value, axis))
        if not self.leaves:
            raise ValueError(
                "[vmap] no argument has an axis of examples; give at least one that has."
            )

    def _example(self, name: str, value: Any, axis: int) -> Variable:
        x = as_variable(value)
        if not isinstance(x.type, TensorType):
            raise TypeError(
                f"[vmap] {name} is of type {x.type}, but examples are along axis {axis} of a "
                "tensor; say None in in_axes for what they have in common."
            )
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(
                f"[vmap] {name} has {x.ndim} axes, so it has no axis {axis}; give one in in_axes "
                "that is there, or None."
            )
        x = moveaxis(x, axis, 0) if axis % x.ndim else x
        x = self._check_length(name, x)
        leaf: Variable = TensorType(x.dtype, x.type.shape[1:])(x.name)
        self.leaves.append(leaf)
        self.batches.append(x)
        return leaf

    def _check_length(self, name: str, x: Variable) -> Variable:
        """Return `x`, of which the first axis has to have the length of the others'."""
        if not self.leaves:
            self.n, self.name, self.known = ops.length(x, axis=0), name, x.type.shape[0]
            return x
        known = x.type.shape[0]
        if known is None or self.known is None:
            fits = CheckAndRaise(
                ValueError,
                f"[vmap] {name} and {self.name} have different numbers of examples; give as many.",
            )
            return fits(x, ops.eq(ops.length(x, axis=0), self.n))
        if known != self.known:
            raise ValueError(
                f"[vmap] {name} has {known} examples, but {self.name} has {self.known}; give as "
                "many."
            )
        return x

    def stack_results(self, results: Any, out_axes: InAxes) -> Any:
        """Return the results of one example, for all of them."""
        asked = list(_with_axes("out_axes", results, out_axes))
        variables = [as_variable(value) for _, value, _ in asked]
        roots, differ = _core.vectorize(variables, self.leaves, self.batches, self.n)
        placed = (
            self._place_axis(name, root, differs, axis)
            for (name, _, axis), root, differs in zip(asked, roots, differ, strict=True)
        )
        return rebuild(results, placed.__next__)

    def _place_axis(self, name: str, root: Variable, differs: bool, axis: int | None) -> Variable:
        if axis is None:
            if differs:
                raise ValueError(
                    f"[vmap] {name} differs between examples, but out_axes is None for it; give "
                    "the axis that it has them along."
                )
            return root
        if not differs:
            root = _repeat_first_axis(expand_dims(root, 0), self.n)
        if not -root.ndim <= axis < root.ndim:
            raise ValueError(
                f"[vmap] {name} has {root.ndim} axes with that of the examples, so it has no axis "
                f"{axis}; give one in out_axes that is there."
            )
        return moveaxis(root, 0, axis) if axis % root.ndim else root


def _each_argument(in_axes: InAxes, args: tuple[Any, ...]) -> InAxes:
    """Return the axes of the arguments as they are given."""
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise ValueError(
                f"[vmap] in_axes has {len(in_axes)} entries, but {len(args)} positional arguments "
                "were given; give one for each, or one for all."
            )
        return tuple(in_axes)
    return in_axes


def _keyword_axes(kwargs: dict[str, Any]) -> Iterator[tuple[str, Any, int | None]]:
    for path, value in leaves(kwargs):
        yield f"keyword argument {path}", value, 0


def _with_axes(
    what: str, tree: Any, axes: InAxes, path: str = ""
) -> Iterator[tuple[str, Any, int | None]]:
    """Yield (name, leaf, axis) of each leaf; an axis holds for all below it."""
    inside, of_axes = children(tree), children(axes)
    if inside is not None and of_axes is not None:
        if [key for key, _ in inside] != [key for key, _ in of_axes]:
            raise ValueError(
                f"[vmap] {what}{path} is {axes!r}, which has not the structure of what it is for; "
                "give an axis for each part, or one for all."
            )
        for (key, child), (_, axis) in zip(inside, of_axes, strict=True):
            yield from _with_axes(what, child, axis, f"{path}[{key!r}]")
        return
    axis = None if axes is None else as_integer(axes)
    if axis is None and axes is not None:
        raise TypeError(
            f"[vmap] {what}{path} is {axes!r}, a {type(axes).__name__}; give an integer or None."
        )
    name = "argument" if what == "in_axes" else "result"
    for below, value in leaves(tree, path):
        yield f"{name} {below}" if below else name, value, axis


def _core_axes(signature: str) -> list[int]:
    """Return how many axes each argument of a gufunc's signature has."""
    group = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)"
    groups = rf"{group}\s*(?:,\s*{group}\s*)*"
    if not isinstance(signature, str) or not re.fullmatch(
        rf"\s*(?:{groups})?\s*->\s*{groups}\s*", signature
    ):
        raise ValueError(
            f"[vectorize] the signature {signature!r} cannot be read; write it as '(m,n),(n)->(m)'."
        )
    arguments = re.findall(group, signature.split("->")[0])
    return [len(re.findall(r"\w+", each)) for each in arguments]


__all__ = ["vectorize", "vmap"]
