"""`function`: from a symbolic graph to something that can be called."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from thunkvm import _core
from thunkvm._core import Function, TensorType, Variable
from thunkvm._src.arrays.shapes import specify_shape
from thunkvm._src.calls.config import config
from thunkvm._src.calls.mode import Mode, get_mode
from thunkvm._src.calls.specs import REQUIRED, In, Out, Update
from thunkvm._src.graph.fitting import fitted
from thunkvm._src.graph.structure import children, leaves, rebuild
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.nearest import did_you_mean

UNUSED_POLICIES = ("raise", "warn", "ignore")


class MissingInputError(ValueError):
    """An output needs a free variable that is not among the inputs."""

    __module__ = "thunkvm"


class UnusedInputError(ValueError):
    """No output or update depends on an input."""

    __module__ = "thunkvm"


def function(
    inputs: Sequence[Variable | In],
    outputs: Any = None,
    updates: Mapping[Variable, Any] | Iterable[tuple[Variable, Any]] | None = None,
    givens: Mapping[Variable, Any] | Iterable[tuple[Variable, Any]] | None = None,
    mode: str | Mode | None = None,
    on_unused_input: Literal["raise", "warn", "ignore"] = "raise",
    allow_downcast: bool | None = None,
    name: str | None = None,
    profile: Literal["count", "time", "trace", "memory"] | bool | None = None,
) -> Function:
    """Make a callable that computes outputs from inputs.

    Parameters
    ----------
    inputs : sequence of Variable or In
        The arguments, in order. A Variable that has an Op is cut there: its argument takes the
        place of what the Op would have computed.
    outputs : Variable, Out, value, or nested lists, tuples and dicts of them, optional
        What a call returns, in the same structure. None: calls return None.
    updates : dict or sequence of (shared variable, expression), optional
        New values of shared variables. They are computed from the values at the start of the call,
        and committed together at its end; a call that fails changes nothing. One whose lengths
        are not those that the shared variable was made with is an error.
    givens : dict or sequence of (Variable, replacement), optional
        Variables to replace, wherever outputs and updates use them, shared ones too. Where the
        Variable has known lengths, its replacement has to have them when it is computed.
    mode : str or Mode, optional
        How to link; `config.mode` if left out.
    on_unused_input : {"raise", "warn", "ignore"}
        What to do about an input that nothing depends on.
    allow_downcast : bool, optional
        Convert arguments to their variable's dtype even if they lose precision.
    name : str, optional
        What errors call the function; the line that made it if left out.
    profile : {"count", "time", "trace", "memory"} or bool, optional
        Record all calls, in `f.profile`: how often each node ran and which way each branch went;
        times, too; with a trace of the latest events; with the bytes that each node made. True is
        ``"time"``. Without it ``with f.profile() as p:`` records the calls of a block.

    Returns
    -------
    Function
        Call it with positional or keyword arguments.

    Raises
    ------
    MissingInputError
        If an output or update needs a variable that is no input.
    UnusedInputError
        If nothing depends on an input.
    ValueError
        If an input comes twice, a shared variable is updated twice, replacements depend on each
        other in a cycle, or there is no such mode.
    TypeError
        If an input is no Variable, an update's target is not shared, or a value does not fit the
        type of what it replaces.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, n = tv.scalar("x"), tv.shared(0, "n")
    >>> f = tv.function([x], {"twice": 2 * x, "calls": n}, updates={n: n + 1})
    >>> _ = f(1.0)
    >>> {key: float(value) for key, value in f(x=4.0).items()}
    {'twice': 8.0, 'calls': 1.0}
    """
    resolved = get_mode(config.mode if mode is None else mode)
    _check_choice("on_unused_input", on_unused_input, UNUSED_POLICIES)
    _check_name("name", name)
    if profile:
        from thunkvm.profile.live import check_kind

        check_kind(profile)
    graph = _Graph()
    specs = _input_specs(inputs, allow_downcast)
    graph.add_outputs(outputs)
    graph.add_updates(updates)
    arguments = graph.replace(_replacements(givens), [spec.variable for spec in specs])
    graph.check_inputs(specs, arguments, on_unused_input)
    observer = resolved.observer()
    c_code = _CCode()
    _core.set_check_perform(config.check_perform)
    compiles = resolved.compiles
    made = _core.link(
        arguments,
        graph.outputs,
        graph.updates,
        linker=resolved.linker,
        keep=not resolved.gc,
        input_specs=[_spec_dict(spec) for spec in specs],
        output_specs=[{"borrow": borrow} for borrow in graph.borrowed],
        performs=perform_of,
        name=name,
        unpack=outputs is not None and children(outputs) is None,
        pack=_pack(outputs),
        compile="background" if profile and compiles == "now" else compiles,
        fuse="fusion" in resolved.features,
        observer=observer,
        rewrites=resolved.rewrites,
        mode=resolved,
        c_code=c_code,
    )
    c_code.annotate(made)
    if observer is not None:
        observer.watch(made, Relinker(arguments, graph.computed()))
    if profile:
        from thunkvm.profile.live import own_profile

        own_profile(made, profile, compile=compiles == "now")
    return made


@dataclass(frozen=True)
class Relinker:
    """Links a function again, without an observer: see `thunkvm.checking.observer.Relink`."""

    inputs: list[Variable]
    #: What the function computes: its outputs, then the values of its updates.
    outputs: list[Variable]

    def __call__(
        self,
        rewrites: Sequence[str] = (),
        outputs: Sequence[Variable] | None = None,
        watched: Sequence[tuple[Variable, Variable]] = (),
    ) -> Function:
        """Make a function of the outputs, or of others from the same inputs."""
        return _core.link(
            self.inputs,
            self.outputs if outputs is None else outputs,
            performs=perform_of,
            c_code=_CCode(),
            rewrites=rewrites,
            watched=watched,
        )


@dataclass(slots=True)
class _Graph:
    """What a function computes, while it is put together."""

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

    def replace(
        self, givens: list[tuple[Variable, Variable]], inputs: list[Variable]
    ) -> list[Variable]:
        """Apply the givens; return the free variables that stand for the inputs."""
        pairs = list(givens)
        arguments = []
        for variable in inputs:
            if variable.leaf is None:  # computed by an Op: the argument takes its place
                fresh = variable.type(variable.name)
                pairs.append((variable, fresh))
                variable = fresh
            arguments.append(variable)
        if pairs:
            roots = [*self.outputs, *(value for _, value, _ in self.updates)]
            replaced = _core.substitute(roots, pairs)
            count = len(self.outputs)
            self.outputs = replaced[:count]
            self.updates = [
                (target, value, if_computed)
                for (target, _, if_computed), value in zip(
                    self.updates, replaced[count:], strict=True
                )
            ]
        return arguments

    def computed(self) -> list[Variable]:
        """Return what every call computes: the outputs, and the values of updates."""
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
                raise MissingInputError(_missing(variable, named))
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


def _missing(variable: Variable, named: list[tuple[str, Variable]]) -> str:
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


def _input_specs(inputs: Any, allow_downcast: bool | None) -> list[In]:
    if isinstance(inputs, (Variable, In)):
        raise TypeError(f"inputs is a list of Variables; got {inputs} alone: write it in [ ].")
    if isinstance(inputs, (str, Mapping)) or not isinstance(inputs, Iterable):
        raise TypeError(
            f"inputs is {inputs!r}, a {type(inputs).__name__}; it has to be a list of Variables, "
            "such as [x, y]; [] for none."
        )
    specs: list[In] = []
    seen = set()
    for number, item in enumerate(inputs):
        spec = item if isinstance(item, In) else In(item)
        variable = spec.variable
        if not isinstance(variable, Variable):
            raise TypeError(
                f"input {number} is {variable!r}, a {type(variable).__name__}; it has to be a "
                "Variable such as tv.scalar() makes, or tv.In(variable, ...)."
            )
        if variable.leaf in ("shared", "constant"):
            raise TypeError(
                f"input {number}, {variable}, is a {variable.leaf} variable and has a value "
                "already; replace it with an input in givens."
            )
        if variable in seen:
            raise ValueError(f"the input {variable} comes twice; every input has to come once.")
        seen.add(variable)
        downcast = allow_downcast if spec.allow_downcast is None else spec.allow_downcast
        _check_name(f"the name of input {number}", spec.name)
        name = spec.name or variable.name
        specs.append(In(variable, name, spec.value, spec.strict, downcast, spec.borrow))
    return specs


def _spec_dict(spec: In) -> dict[str, Any]:
    out = {
        "name": spec.name,
        "strict": spec.strict,
        "allow_downcast": spec.allow_downcast,
        "borrow": spec.borrow,
    }
    if spec.value is not REQUIRED:
        out["default"] = spec.value
    return out


def _replacements(givens: Any) -> list[tuple[Variable, Variable]]:
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


def _pack(outputs: Any) -> Callable[[list[Any]], Any] | None:
    """Return what makes the results' structure of a list of them; None if that is it."""
    if outputs is None:
        return _nothing
    inside = children(outputs)
    if inside is None:
        return None
    if type(outputs) is list and all(children(item) is None for _, item in inside):
        return None
    shape = rebuild(outputs, _nothing)  # the structure alone: it keeps no graph alive
    return lambda values: rebuild(shape, iter(values).__next__)


def _nothing(*values: Any) -> None:
    """Return None."""


def perform_of(node: _core.Apply) -> Any:
    """Return the NumPy implementation of a built-in Op's node, or None."""
    from thunkvm._src.arrays.perform import PERFORMS

    maker = PERFORMS.get(node.op.name)
    return None if maker is None else maker(node)


class _CCode:
    """Makes what compiles the C of nodes of users' Ops, where there are any."""

    def __init__(self) -> None:
        self.nodes: Any = None

    def __call__(self) -> Any:
        from thunkvm.c.compiling import CNodes

        self.nodes = CNodes()
        return self.nodes

    def annotate(self, function: _core.Function) -> None:
        """Give a function that was linked what is said of its nodes, by their index."""
        notes: dict[int, Any] = {}
        if self.nodes is not None:
            notes = {
                i: note
                for i, output in enumerate(function._nodes)
                if (note := self.nodes.notes.get(hash(output.owner))) is not None
            }
        if kernels := sys.modules.get("thunkvm.c.kernel_source"):
            notes |= kernels.notes_of(function)
        if notes:
            function._c_notes = notes


def _check_name(what: str, name: Any) -> None:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{what} is {name!r}, a {type(name).__name__}; it has to be a str.")


def _check_choice(what: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(
            f"{what} is {value!r}; it has to be one of {', '.join(allowed)}."
            + did_you_mean(str(value), allowed)
        )


__all__ = ["Function", "MissingInputError", "UnusedInputError", "function"]
