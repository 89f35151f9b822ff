"""Copies and pickles of Variables, nodes and functions.

A Variable says what to compute and never changes, so that a copy of it is itself. A shared variable
has a value, though, and a deep copy has one of its own; and the deep copy of what is computed from
shared variables is computed from their copies. So ``copy.deepcopy(model)`` gives a model that is
trained without touching the first one. Its parts may refer to each other in any way.

Pickles hold the graph that a Variable or a function is of. What several of them share is shared
again when they were pickled together.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from thunkvm import _core
from thunkvm._core import Apply, Function, TensorType, Type, Variable
from thunkvm._src.graph.written import Read, writer_of

#: Where `copy.deepcopy`'s memo has the copies; all its other keys are integers.
KEY = "copies of thunkvm's Variables"


def deepcopy_variable(self: Variable, memo: dict[Any, Any]) -> Variable:
    """Return the Variable with the shared variables that it depends on replaced by copies.

    Examples
    --------
    >>> import copy
    >>> import thunkvm as tv
    >>> weights, x = tv.shared([1.0, 2.0], "weights"), tv.vector("x")
    >>> model = {"weights": weights, "output": x * weights}
    >>> other = copy.deepcopy(model)
    >>> other["weights"].set_value([0.0, 0.0])
    >>> tv.function([x], [model["output"], other["output"]])([1.0, 1.0])
    [array([1., 2.]), array([0., 0.])]
    """
    copies: Copies = memo.setdefault(KEY, Copies())
    return copies.of(self, memo)


def deepcopy_node(self: Apply, memo: dict[Any, Any]) -> Apply:
    """Return the node that computes the deep copies of the outputs."""
    copied = deepcopy_variable(self.outputs[0], memo).owner
    assert copied is not None
    return copied


def deepcopy_function(self: Function, memo: dict[Any, Any]) -> Function:
    """Return a function of the deep copies of its shared variables; itself, where it has none.

    Examples
    --------
    >>> import copy
    >>> import thunkvm as tv
    >>> n = tv.shared(0, "n")
    >>> model = {"n": n, "count": tv.function([], n, updates={n: n + 1})}
    >>> other = copy.deepcopy(model)
    >>> _ = other["count"](), other["count"]()
    >>> int(model["n"].get_value()), int(other["n"].get_value())
    (0, 2)
    """
    if not self._has_shared_variables:
        return self
    return _function(copy.deepcopy(_recipe(self), memo))


class Copies:
    """The copies that one call of `copy.deepcopy` makes of Variables."""

    def __init__(self) -> None:
        #: The copy of a Variable: itself if it depends on no shared variable.
        self._made: dict[Variable, Variable] = {}

    def of(self, variable: Variable, memo: dict[Any, Any]) -> Variable:
        """Return the copy of a Variable. Each node is looked at once, whatever depends on it."""
        if variable not in self._made:
            objects = self._copy_graph(variable)
            # Last, since they may refer to what was copied.
            for old, new in objects:
                new.set_value(copy.deepcopy(old.get_value(borrow=True), memo), borrow=True)
        return self._made[variable]

    def _copy_graph(self, variable: Variable) -> list[tuple[Variable, Variable]]:
        """Copy what no earlier call has; return the shared variables whose objects remain."""
        objects: list[tuple[Variable, Variable]] = []
        changed: dict[Variable, None] = {}  # computed from copies, in order
        given: dict[Variable, Variable] = {}  # what they use and was copied before
        stack = [(variable, False)]
        while stack:
            v, inputs_done = stack.pop()
            if v in self._made or v in changed:
                continue
            if v.owner is None:
                new = self._made[v] = _copied_leaf(v)
                if new is not v and not isinstance(v.type, TensorType):
                    objects.append((v, new))
            elif not inputs_done:
                stack.append((v, True))
                stack.extend((used, False) for used in v.owner.inputs)
            else:
                copied = {u: self._made.get(u) for u in v.owner.inputs if self._changes(u, changed)}
                given.update((used, new) for used, new in copied.items() if new is not None)
                for output in v.owner.outputs:
                    if copied:
                        changed[output] = None
                    else:
                        self._made[output] = output
        copies = _core.substitute(list(changed), list(given.items()))
        self._made.update(zip(changed, copies, strict=True))
        return objects

    def _changes(self, variable: Variable, changed: dict[Variable, None]) -> bool:
        return variable in changed or self._made[variable] is not variable


def _copied_leaf(variable: Variable) -> Variable:
    """Return a shared variable of its own; for an object, one that still has the same object."""
    if variable.leaf != "shared":
        return variable
    borrow = not isinstance(variable.type, TensorType)
    value = variable.get_value(borrow=True)
    return _core.shared_variable(variable.type, value, variable.name, borrow)


def reduce_variable(self: Variable, protocol: int = 0) -> tuple[Callable[..., Any], Any]:
    """Return how to make the Variable again.

    Examples
    --------
    >>> import pickle
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> inputs, output = pickle.loads(pickle.dumps(([x], tv.exp(x) + x)))
    >>> tv.function(inputs, output)(0.0)
    np.float64(1.0)
    """
    if self.leaf is not None:
        value = None
        if self.leaf != "input":
            value = self.value if self.leaf == "constant" else self.get_value(borrow=True)
        return make_leaf, (self.leaf, self.type, value, self.name, self.weak)
    node = self.owner
    assert node is not None
    writer = writer_of(node)
    return _output, (writer, writer.number(node), self.index)


def reduce_node(self: Apply, protocol: int = 0) -> tuple[Callable[..., Any], Any]:
    """Return how to make the node again: with its first output."""
    return _owner, (self.outputs[0],)


def reduce_function(self: Function, protocol: int = 0) -> tuple[Callable[..., Any], Any]:
    """Return how to make the function again: of its graph, its mode and its shared variables.

    Its compiled code is not in it; the cache finds that.

    Examples
    --------
    >>> import pickle
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, tv.sqrt(x), x))
    >>> pickle.loads(pickle.dumps(f))(4.0)
    np.float64(2.0)
    """
    return _function, (_recipe(self),)


def copy_function(
    self: Function,
    *,
    swap: Mapping[Variable, Variable] | None = None,
    delete_updates: bool = False,
    name: str | None = None,
    profile: Any = None,
) -> Function:
    """Return a function of the same graph, with other shared variables in the place of some.

    Parameters
    ----------
    swap : dict of shared variable to shared variable, optional
        What reads or updates the key reads or updates the value instead, which has its type.
    delete_updates : bool
        Leave out all updates.
    name : str, optional
        What errors call the copy; the name of this function if left out.
    profile : optional
        As `tv.function` takes it.

    Raises
    ------
    TypeError
        If a key or value is no shared variable, or their types differ.
    ValueError
        If the function has no such shared variable.

    Examples
    --------
    >>> import thunkvm as tv
    >>> a, b = tv.shared(1, "a"), tv.shared(10, "b")
    >>> f = tv.function([], a, updates={a: a + 1})
    >>> g = f.copy(swap={a: b})
    >>> _ = g(), g()
    >>> int(a.get_value()), int(b.get_value())
    (1, 12)
    """
    recipe = dict(_recipe(self))
    swapped = dict(swap or {})
    interface = recipe["interface"]
    known = set(_core.leaves([*self.outputs, *(value for _, value in self.updates)]))
    known.update(target for target, _ in _pairs(interface.updates))
    for old, new in swapped.items():
        for each in (old, new):
            if not isinstance(each, Variable) or each.leaf != "shared":
                raise TypeError(
                    f"[copy] swap has {each!r}, which is no shared variable; give shared variables "
                    "for shared variables."
                )
        if old not in known:
            raise ValueError(
                f"[copy] swap has {old}, but {self._shown} has no such shared variable; give one "
                "that it reads or updates."
            )
        if old.type != new.type:
            raise TypeError(
                f"[copy] swap has {old}, {old.type}, for {new}, {new.type}; give one of the same "
                "type."
            )
    if delete_updates:
        recipe["interface"] = replace(interface, updates=())
    if swapped:
        from thunkvm._src.calls.linking import swap_shared as with_swapped

        recipe = with_swapped(recipe, swapped)
    recipe["interface"] = replace(
        recipe["interface"], name=interface.name if name is None else name, profile=profile
    )
    return _function(recipe)


def _pairs(given: Any) -> list[tuple[Variable, Any]]:
    return list(given.items() if isinstance(given, Mapping) else given or ())


def _recipe(function: Function) -> dict[str, Any]:
    """Return the arguments of `link` that made a function."""
    recipe: dict[str, Any] | None = getattr(function, "_recipe", None)
    if recipe is None:
        raise TypeError(
            f"{function!r} cannot be copied or pickled: it was linked by the package for its own "
            "use. Make one with tv.function."
        )
    return recipe


def _function(recipe: dict[str, Any]) -> Function:
    from thunkvm._src.calls.linking import link

    return link(**recipe)


def _output(read: Read, number: int, index: int) -> Variable:
    return read.outputs[number][index]


def _owner(output: Variable) -> Apply:
    node = output.owner
    assert node is not None
    return node


def make_leaf(kind: str, type: Type, value: Any, name: str | None, weak: bool = False) -> Variable:
    """Make an input, a constant or a shared variable; nobody else has the value."""
    if kind == "input":
        return _core.input_variable(type, name)
    if kind == "shared":
        return _core.shared_variable(type, value, name, True)
    made = _core.as_variable(value.item()) if weak else _core.constant(value, None, type)
    made.name = name
    return made


def itself(self: Any) -> Any:
    """Return the object itself: it is never changed, and so needs no copy."""
    return self
