"""The comparison of a node's native code with its NumPy implementation, for the mode ``c&py``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._src.calls.linkers import Linker
from thunkvm.checking.aliasing import copies
from thunkvm.checking.observer import ABSENT, NodeObserver, is_seen

#: How far two implementations of one node may be apart in an element, relative to it, by dtype: of
#: what is computed element by element (functions of a few ulp), and of all else (sums in another
#: order). Results that small denormals stand for may be apart by the smallest normal number.
ELEMENTWISE: dict[str, float] = {"e": 4e-3, "f": 1e-5, "d": 1e-12, "F": 1e-5, "D": 1e-12}
TOLERANCES: dict[str, float] = {"e": 1e-2, "f": 1e-4, "d": 1e-9, "F": 1e-4, "D": 1e-9}
#: The families of Ops whose elements are functions of single elements that are never ill
#: conditioned: the difference that an ulp of an input makes is no excuse there.
WELL_CONDITIONED = frozenset(
    {"arithmetic", "casting", "comparison", "complex", "exponential", "logic", "rounding"}
    | {"selection", "trigonometric"}
)
#: What else may be apart: so many times what a few ulp of the inputs make of the results.
ROOM = 8.0
ULPS = 32.0

Perform = Callable[[Any, list[Any], list[list[Any]]], None]
Checker = Callable[[list[Any], list[Any]], Any]
Rerun = Callable[[list[Any]], list[Any]]


class DisagreementError(ValueError):
    """Two implementations of a node gave different results for the same inputs.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> class Twice(tv.Op):
    ...     def make_node(self, x):
    ...         return tv.Apply(self, [x], [x.type()])
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = 2.0 * inputs[0]
    ...     def c_element(self, node):
    ...         return "3 * {0}"  # wrong
    >>> x = tv.vector("x")
    >>> try:
    ...     tv.function([x], Twice()(x), mode="c&py")([1.0])
    ... except tv.DisagreementError as error:
    ...     print("native code and perform disagree" in str(error))
    True
    """

    __module__ = "thunkvm"


def compare_outputs(
    node: _core.Apply, inputs: list[Any], outputs: list[Any], expected: list[Any], rerun: Rerun
) -> None:
    """Hold what native code gave against `expected`, which `rerun` made of the same inputs.

    An element may be apart by a few ulp. Cancellation leaves sums and solutions few digits. So
    their elements may also differ by a multiple of the change that a few ulp of the inputs make.

    Raises
    ------
    DisagreementError
        If a result differs in shape, dtype or value. It names the node, the output, the first
        element that differs and both values.
    """
    found = disagreement(node, inputs, outputs, expected, rerun)
    if found is not None:
        index, difference = found
        raise DisagreementError(
            f"[{_name(node)}] native code and perform disagree on output {index} of "
            f"{node.outputs[index]}: {difference}. One of them is wrong."
        )


def _perform_of(node: _core.Apply) -> Rerun | None:
    """Return what runs a node's `perform` on copies of inputs; None where there is none.

    A lazy node has none, and what a node does outside of the function is not done again.
    """
    from thunkvm._src.arrays.perform import PERFORMS

    if isinstance(node.op, _core.BuiltinOp):
        maker = PERFORMS.get(node.op.name)
        perform = None if maker is None else maker(node)
        return None if perform is None else lambda inputs: _results(perform, node, inputs)
    if is_seen(node):
        return None
    for way in _core.implementations(node, lambda _: None, None):
        if way.form == "perform":
            return lambda inputs: way.run(copies(inputs))
    return None


def _expected_outputs(node: _core.Apply, rerun: Rerun, inputs: list[Any]) -> list[Any] | None:
    """Return the outputs of `perform`; None where it says that it has nothing for this node."""
    try:
        return rerun(inputs)
    except NotImplementedError:
        return None
    except Exception as error:
        raise DisagreementError(
            f"[{_name(node)}] native code and perform disagree: perform raised "
            f"{type(error).__name__}: {error}, where native code computed {node.outputs[0]}. "
            "One of them is wrong."
        ) from error


def _name(node: _core.Apply) -> str:
    return str(node.op.name) if isinstance(node.op, _core.BuiltinOp) else type(node.op).__name__


def disagreement(
    node: _core.Apply,
    inputs: list[Any],
    outputs: list[Any],
    expected: list[Any],
    rerun: Rerun | None,
) -> tuple[int, str] | None:
    """Compare two results of a node for the same inputs.

    Parameters
    ----------
    node : Apply
    inputs, outputs, expected : list
        Values of the inputs, and what two implementations made of them.
    rerun : callable, optional
        The implementation that gave `expected`: a list of inputs to a list of outputs. It says how
        far the results move where the inputs do by a few ulp.

    Returns
    -------
    (int, str) or None
        The first output that differs, and how; None if none does.
    """
    elementwise = isinstance(node.op, _core.BuiltinOp) and (
        _families().get(node.op.name) in WELL_CONDITIONED
    )
    spreads: list[np.ndarray] = []
    for index, (output, other) in enumerate(zip(outputs, expected, strict=True)):
        if not (_is_number(output) and _is_number(other)):
            if not _same_objects(node.outputs[index].type, output, other):
                return index, f"the values are {output!r} and {other!r}"
            continue
        native, right = np.asarray(output), np.asarray(other)
        difference = _difference_of_kind(native, right)
        tolerances = ELEMENTWISE if elementwise else TOLERANCES
        if not difference and not _all_near(native, right, tolerances):
            wrong = _wrong(native, right, tolerances)
            if rerun and not elementwise and native.dtype.char in TOLERANCES and wrong.any():
                spreads = spreads or _spreads(rerun, inputs, expected)
                with np.errstate(all="ignore"):
                    wrong &= ~(np.abs(native - right) <= ROOM * spreads[index])
            difference = _first_difference(wrong, native, right)
        if difference:
            return index, difference
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic, int, float, complex))


def _equal(a: Any, b: Any) -> bool:
    return not (_is_number(a) and _is_number(b)) or bool(
        np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind in "fc")
    )


def _same_objects(type_: Any, a: Any, b: Any) -> bool:
    """Compare opaque values as their Type does, else by `==` where their class defines it."""
    equal = getattr(type_, "values_eq_approx", None) or getattr(type_, "values_eq", None)
    if equal is not None:
        return bool(equal(a, b))
    if a is b or getattr(type(a), "__eq__", None) is object.__eq__:
        return True  # nothing says when two of them are equal
    try:
        return bool(a == b)
    except (TypeError, ValueError):  # lists of arrays, for example
        return True


class DualLinker(Linker):
    """The linker ``"c&py"``, with a comparison of yours: each node by its C and by its `perform`.

    Parameters
    ----------
    checker : callable, optional
        Called as ``checker(x, y)`` for each output of each node that ran, as PyTensor's: ``x[0]``
        is what `perform` gave, ``y[0]`` what C did. It raises where they differ too much. If left
        out, `DisagreementError` is raised where they are more than a few ulp apart.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> def equal(x, y):
    ...     assert np.array_equal(x[0], y[0])
    >>> x = tv.vector("x")
    >>> f = tv.function([x], x * 2.0, mode=tv.Mode(linker=tv.DualLinker(checker=equal)))
    >>> f([1.0, 2.0])
    array([2., 4.])
    """

    __slots__ = ("checker",)
    linker = "c&py"
    checker: Checker | None

    def __new__(cls, checker: Checker | None = None) -> DualLinker:
        """Make the linker's name, with the comparison."""
        if checker is not None and not callable(checker):
            raise TypeError(f"checker is {checker!r}; it has to be a callable checker(x, y).")
        linker = super().__new__(cls)
        linker.checker = checker
        return linker

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments of `__new__` when a copy is made."""
        return (self.checker,)


class Comparison(NodeObserver):
    """Compares each node that ran with its NumPy implementation: the mode ``c&py``."""

    def __init__(self, checker: Checker | None = None) -> None:
        super().__init__()
        self._checker = checker
        self._of_users: dict[int, Rerun | None] = {}
        self.before = self._before
        self.after = self._after

    def _before(self, index: int, inputs: list[Any]) -> list[Any] | None:
        """Return the inputs as they are where C of the user's may write to them."""
        return None if isinstance(self.nodes[index].op, _core.BuiltinOp) else copies(inputs)

    def _after(
        self, index: int, inputs: list[Any], outputs: list[Any], begun: list[Any] | None
    ) -> None:
        inputs = inputs if begun is None else begun
        if any(value is ABSENT for value in [*inputs, *outputs]):
            return
        node, rerun = self.nodes[index], self._perform(index)
        expected = None if rerun is None else _expected_outputs(node, rerun, inputs)
        if rerun is None or expected is None:
            return
        if self._checker is None:
            compare_outputs(node, inputs, outputs, expected, rerun)
            return
        for wanted, output in zip(expected, outputs, strict=True):
            self._checker([wanted], [output])

    def _perform(self, index: int) -> Rerun | None:
        """Return what the node is compared with; None also where that is what ran."""
        node = self.nodes[index]
        if isinstance(node.op, _core.BuiltinOp):
            return _perform_of(node)
        if index not in self._of_users:
            ran = self.form(index)
            self._of_users[index] = None if ran == "perform" else _perform_of(node)
        return self._of_users[index]


@cache
def _families() -> dict[str, str]:
    return {proto["name"]: proto["family"] for proto in _core.op_protos()}


def _results(perform: Perform, node: _core.Apply, inputs: list[Any]) -> list[Any]:
    storage: list[list[Any]] = [[None] for _ in node.outputs]
    with np.errstate(all="ignore"):
        perform(node, [np.array(value)[()] for value in inputs], storage)
    return [np.asarray(cell[0]) for cell in storage]


def _spreads(rerun: Rerun, inputs: list[Any], expected: list[Any]) -> list[np.ndarray]:
    """How far the results move, element by element, where the inputs do by a few ulp."""
    random = np.random.default_rng(0)
    spreads = [np.zeros(np.shape(result)) for result in expected]
    again = rerun(inputs)
    if not all(map(_equal, again, expected)):
        return spreads  # it moves by itself
    for _ in range(3):
        moved = []
        for value in inputs:
            if not _is_number(value):
                moved.append(value)
                continue
            array = np.array(value)
            if array.dtype.kind in "fc":
                ulps = ULPS * np.finfo(array.dtype).eps * random.choice([-1.0, 1.0], array.shape)
                with np.errstate(all="ignore"):
                    array[...] = (array * (1.0 + ulps)).astype(array.dtype)  # in its own layout
            moved.append(array[()] if array.ndim == 0 else array)
        try:
            results = rerun(moved)
        except (ArithmeticError, ValueError):  # no result so near to them; LinAlgError is one
            continue
        for spread, result, other in zip(spreads, results, expected, strict=True):
            if np.shape(result) == np.shape(other) and np.asarray(result).dtype.kind in "fc":
                with np.errstate(all="ignore"):
                    np.fmax(spread, np.abs(result - other), out=spread)
    return spreads


def _difference_of_kind(native: np.ndarray, expected: np.ndarray) -> str:
    """Say how two results differ in shape or dtype; an empty text if they do not."""
    if native.shape != expected.shape:
        return f"the shapes are {native.shape} and {expected.shape}"
    if native.dtype != expected.dtype:
        return f"the dtypes are {native.dtype} and {expected.dtype}"
    return ""


def _all_near(native: np.ndarray, expected: np.ndarray, tolerances: dict[str, float]) -> bool:
    """Whether all elements are near and finite, in few passes; False says nothing."""
    tolerance = tolerances.get(native.dtype.char)
    if tolerance is None:
        return np.array_equal(native, expected)
    with np.errstate(all="ignore"):
        apart = np.asarray(np.subtract(native, expected))
        room = np.multiply(np.abs(expected), tolerance)
        near = np.all(np.abs(apart) <= room)
        return bool(near) and bool(np.isfinite(np.max(room, initial=0.0)))


def _wrong(native: np.ndarray, expected: np.ndarray, tolerances: dict[str, float]) -> np.ndarray:
    """Which elements are too far apart."""
    tolerance = tolerances.get(native.dtype.char)
    if tolerance is None:
        return np.asarray(native != expected)
    with np.errstate(all="ignore"):
        room = tolerance * np.abs(expected) + np.finfo(native.dtype).tiny
        close = np.abs(native - expected) <= room
    same = (native == expected) | (np.isnan(native) & np.isnan(expected))
    return np.asarray(~(close & np.isfinite(expected) | same))


def _first_difference(wrong: np.ndarray, native: np.ndarray, expected: np.ndarray) -> str:
    """Name the first element that is wrong and the largest difference; empty if none is wrong."""
    if not wrong.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    if not where:
        return f"the values are {native[()]!r} and {expected[()]!r}"
    first = f"element {where} is {native[where]!r} and {expected[where]!r}"
    count = int(wrong.sum())
    if count == 1 or native.dtype.kind == "b":
        return first
    with np.errstate(all="ignore"):
        apart = np.abs(np.subtract(native, expected, dtype=_wide(native.dtype)))[wrong]
    largest = apart[np.isfinite(apart)].max(initial=0.0)
    return f"{first}; {count} of {wrong.size} elements are apart, by {largest:.3g} at most"


def _wide(dtype: np.dtype[Any]) -> str:
    return "complex128" if dtype.kind == "c" else "float64"


__all__ = ["Comparison", "DisagreementError", "DualLinker", "compare_outputs", "disagreement"]
