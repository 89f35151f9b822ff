"""The computation of a function, while `function` puts it together: outputs, updates and givens."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from thunkvm import _core
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays.shapes import specify_shape
from thunkvm._src.calls.specs import In, Out, Update
from thunkvm._src.graph.draws import chain_draws
from thunkvm._src.graph.fitting import fitted
from thunkvm._src.graph.structure import children, leaves
from thunkvm._src.graph.values import as_variable


class MissingInputError(ValueError):
    """An output needs a free variable that is not among the inputs.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> tv.function([x], x + y)
    Traceback (most recent call last):
        ...
    thunkvm.MissingInputError: the output needs the variable <y: scalar float64>, ...
    """

    __module__ = "thunkvm"


class UnusedInputError(ValueError):
    """No output or update depends on an input.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> tv.function([x, y], x + 1.0)
    Traceback (most recent call last):
        ...
    thunkvm.UnusedInputError: no output or update depends on the input <y: scalar float64>; ...
    """

    __module__ = "thunkvm"


@dataclass(slots=True)
class Computed:
    """The computation of a function, while it is put together."""

    outputs: list[Variable] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    borrowed: list[bool] = field(default_factory=list)
    updates: list[tuple[Variable, Variable, bool]] = field(default_factory=list)

    def add_outputs(self, tree: Any) -> None:
        """Take the leaves of the outputs' structure, in order."""
        if tree is None:
            return
        alone = children(tree) is None
        for path, leaf in leaves(tree):
            out = leaf if isinstance(leaf, Out) else Out(leaf)
            self.outputs.append(as_variable(out.variable))
            self.borrowed.append(out.borrow)
            self.names.append("the output" if alone else f"outputs{path}")

    def add_updates(self, updates: Any) -> None:
        """Check the shared variables, and cast what they get to their types."""
        seen = set()
        for target, value in _pairs("updates", updates):
            if not isinstance(target, Variable) or target.leaf != "shared":
                raise TypeError(
                    f"updates has {target!r} as a target, which is not a shared variable; only "
                    "what tv.shared made has a value to update."
                )
            if target in seen:
                raise ValueError(f"the shared variable {target} is updated twice; update it once.")
            seen.add(target)
            update = value if isinstance(value, Update) else Update(value)
            new = fitted(update.value, target.type, f"the update of {target}")
            self.updates.append((target, new, update.if_computed))

    def apply_givens(
        self, givens: list[tuple[Variable, Variable]], inputs: list[Variable]
    ) -> list[Variable]:
        """Apply the givens; return the free variables that stand for the inputs."""
        pairs = list(givens)
        arguments = []
        for variable in inputs:
            if variable.leaf is None:  # computed by an Op: the argument replaces it
                fresh = variable.type(variable.name)
                pairs.append((variable, fresh))
                variable = fresh
            arguments.append(variable)
        self._substitute_pairs(pairs)
        return arguments

    def locate(self, origins: Mapping[Variable, tuple[str, int, str]]) -> None:
        """Give nodes the origins that the caller has for them."""
        if origins:
            self._set_roots(
                _core.with_origins(
                    self._roots(),
                    [(v, (file, text), line) for v, (file, line, text) in origins.items()],
                )
            )

    def draw(self) -> None:
        """Put draws of shared generators one behind the other, and update their states."""
        roots, chains = chain_draws(self._roots(), self.computed_values())
        self._set_roots(roots)
        updated = {target for target, _, _ in self.updates}
        self.updates += [
            (chain.source, chain.end, chain.if_computed)
            for chain in chains
            if chain.source.leaf == "shared" and chain.source not in updated
        ]

    def _set_roots(self, roots: list[Variable]) -> None:
        count = len(self.outputs)
        self.outputs = roots[:count]
        self.updates = [
            (target, value, if_computed)
            for (target, _, if_computed), value in zip(self.updates, roots[count:], strict=True)
        ]

    def not_read(self, givens: Any) -> list[tuple[Variable, Any]]:
        """Return the givens for variables whose values nothing here reads.

        Their lengths may be asked: a declared one is a number in the graph, which checks nothing.
        """
        roots = self._roots()
        read = set(roots)
        for node in _core.topological_order(roots):
            if not getattr(node.op, "is_of_lengths", False):
                read.update(node.inputs)
        return [(given, source) for given, source in _pairs("givens", givens) if given not in read]

    def narrow(self, inputs: list[Variable], givens: list[tuple[Variable, Any]]) -> list[Variable]:
        """Give inputs the lengths of what they are given for; return what stands for them."""
        narrowed = _narrow_inputs(inputs, givens)
        self._substitute_pairs(list(narrowed.items()))
        return [narrowed.get(variable, variable) for variable in inputs]

    def _roots(self) -> list[Variable]:
        return [*self.outputs, *(value for _, value, _ in self.updates)]

    def _substitute_pairs(self, pairs: list[tuple[Variable, Variable]]) -> None:
        if not pairs:
            return
        self._set_roots(_core.substitute(self._roots(), pairs))

    def computed_values(self) -> list[Variable]:
        """Return the values that every call computes: the outputs, and the values of updates."""
        return [
            *self.outputs,
            *(value for _, value, if_computed in self.updates if not if_computed),
        ]

    def check_inputs(self, specs: list[In], arguments: list[Variable], on_unused: str) -> None:
        """Refuse free variables that are no inputs, and inputs that nothing depends on."""
        named = [*zip(self.names, self.outputs, strict=True)]
        named += [(f"the update of {target}", value) for target, value, _ in self.updates]
        free = [v for v in _core.leaves([value for _, value in named]) if v.leaf == "input"]
        given = set(arguments)
        for variable in free:
            if variable not in given:
                raise MissingInputError(_explain_missing(variable, named))
        used = set(free)
        for spec, argument in zip(specs, arguments, strict=True):
            if argument in used or on_unused == "ignore":
                continue
            message = (
                f"no output or update depends on the input {spec.variable}; leave it out, or "
                'pass on_unused_input="ignore".'
            )
            if on_unused == "raise":
                raise UnusedInputError(message)
            warnings.warn(message, stacklevel=4)


def _explain_missing(variable: Variable, named: list[tuple[str, Variable]]) -> str:
    """Say which output needs a variable, and where in the user's code it is used."""
    what, root = next((n, r) for n, r in named if variable in set(_core.leaves([r])))
    where = ""
    for node in _core.topological_order([root]):
        if any(needed is variable for needed in node.inputs):
            where = f", through {node.outputs[0]}" + (node.origin and f" made at {node.origin}")
            break
    return (
        f"{what} needs the variable {variable}{where}, which is not an input; "
        "add it to inputs, or give it a value in givens."
    )


def _narrow_inputs(
    inputs: list[Variable], givens: list[tuple[Variable, Any]]
) -> dict[Variable, Variable]:
    """Return the inputs that are given for something whose lengths say more, with those lengths."""
    lengths: dict[Variable, list[int | None]] = {}
    arguments = set(inputs)
    for variable, source in givens:
        if not isinstance(source, Variable) or source not in arguments:
            continue
        if not isinstance(variable.type, TensorType) or not isinstance(source.type, TensorType):
            continue
        known = lengths.setdefault(source, list(source.type.shape))
        for axis, length in enumerate(variable.type.shape):
            known[axis] = length if known[axis] is None else known[axis]
    return {
        source: TensorType(source.type.dtype, tuple(known))(source.name)
        for source, known in lengths.items()
        if tuple(known) != source.type.shape
    }


def replacements(givens: Any) -> list[tuple[Variable, Variable]]:
    """Return the Variables that givens replace, with replacements that fit their types."""
    out: list[tuple[Variable, Variable]] = []
    seen = set()
    for variable, value in _pairs("givens", givens):
        if not isinstance(variable, Variable):
            raise TypeError(
                f"givens has {variable!r} as what to replace, a {type(variable).__name__}; "
                "it has to be a Variable."
            )
        if variable in seen:
            raise ValueError(f"givens replaces {variable} twice; replace it once.")
        seen.add(variable)
        what = f"the given for {variable}"
        given = fitted(value, variable.type, what)
        # What was built of the variable relies on its lengths: they are checked where it is used.
        if isinstance(variable.type, TensorType):
            given = specify_shape(given, variable.type.shape, what)
        out.append((variable, given))
    return out


def kept_pairs(pairs: Any) -> Any:
    """Return a copy of updates or givens, which may be read once more."""
    if isinstance(pairs, Mapping):
        return dict(pairs)
    return list(pairs) if isinstance(pairs, Iterable) and not isinstance(pairs, str) else pairs


def _pairs(what: str, items: Any) -> list[tuple[Any, Any]]:
    if items is None:
        return []
    if not isinstance(items, Iterable):
        raise TypeError(
            f"{what} is {items!r}, a {type(items).__name__}; it has to be a dict, or a list of "
            "pairs."
        )
    pairs = list(items.items()) if isinstance(items, Mapping) else list(items)
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"{what} has {pair!r}; give a dict, or a list of pairs.")
    return pairs


__all__ = ["Computed", "MissingInputError", "UnusedInputError", "kept_pairs", "replacements"]
