"""`function`: from a symbolic graph to something that can be called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from thunkvm import _core
from thunkvm._core import Function, Variable
from thunkvm._src.calls.computed import (
    Computed,
    MissingInputError,
    UnusedInputError,
    replacements,
)
from thunkvm._src.calls.config import config
from thunkvm._src.calls.mode import Mode, get_mode
from thunkvm._src.calls.specs import REQUIRED, In
from thunkvm._src.graph.structure import children, leaves, rebuild
from thunkvm._src.teaching.nearest import did_you_mean

if TYPE_CHECKING:
    from thunkvm._rows import ModeName

UNUSED_POLICIES = ("raise", "warn", "ignore")


def function(
    inputs: Sequence[Variable | In],
    outputs: Any = None,
    updates: Mapping[Variable, Any] | Iterable[tuple[Variable, Any]] | None = None,
    givens: Mapping[Variable, Any] | Iterable[tuple[Variable, Any]] | None = None,
    mode: ModeName | Mode | None = None,
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
        Variables to replace, wherever outputs and updates use them, shared variables too. Where the
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
        If an input is no Variable, an update's target is no shared variable, or a value does not
        fit the type of what it replaces.

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
    graph = Computed()
    specs = _input_specs(inputs, allow_downcast)
    updates, givens = _kept(updates), _kept(givens)
    graph.add_outputs(outputs)
    recipe = {
        "inputs": list(specs),
        "outputs": _copied(outputs),
        "updates": updates,
        "givens": givens,
        "mode": resolved,
        "on_unused_input": on_unused_input,
        "allow_downcast": allow_downcast,
        "name": name,
        "profile": profile,
    }
    graph.add_updates(updates)
    not_read = graph.not_read(givens) if givens else []
    arguments = graph.replace(replacements(givens), [spec.variable for spec in specs])
    arguments = graph.narrow(arguments, not_read)
    graph.draw()
    graph.check_inputs(specs, arguments, on_unused_input)
    observer = resolved.observer()
    c_code = _CCode()
    _core.set_check_perform(config.check_perform)
    try:
        made = _core.link(
            _core.Graph(arguments, graph.outputs, graph.updates),
            resolved,
            _core.Interface(
                [_input_spec(spec) for spec in specs],
                graph.borrowed,
                name=name,
                bare=outputs is not None and children(outputs) is None,
                pack=_pack(outputs),
                performs=perform_of,
                c_code=c_code,
                observer=observer,
                waits=not profile,
            ),
        )
    except NotImplementedError as error:
        c_code.check_compiler(graph.computed(), error)
        raise
    c_code.annotate(made)
    object.__setattr__(made, "_recipe", recipe)  # without the check of users' attributes
    if observer is not None:
        observer.watch(made, Relinker(arguments, graph.computed()))
    if profile:
        from thunkvm.profile.live import own_profile

        own_profile(made, profile, compile=resolved.compiles == "now")
    return made


@dataclass(frozen=True)
class Relinker:
    """Links a function again, without an observer: see `thunkvm.checking.observer.Relink`."""

    inputs: list[Variable]
    #: The values that the function computes: its outputs, then the values of its updates.
    outputs: list[Variable]

    def __call__(
        self,
        rewrites: Sequence[str] = (),
        outputs: Sequence[Variable] | None = None,
        watched: Sequence[tuple[Variable, Variable]] = (),
    ) -> Function:
        """Make a function of the outputs, or of others from the same inputs."""
        return _core.link(
            _core.Graph(self.inputs, self.outputs if outputs is None else outputs, (), watched),
            Mode(compile="never", features=frozenset(rewrites)),
            _core.Interface(performs=perform_of, c_code=_CCode()),
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


def _input_spec(spec: In) -> _core.InputSpec:
    downcast = _core.CastRule.downcast if spec.allow_downcast else _core.CastRule.safe
    return _core.InputSpec(
        spec.name,
        _core.CastRule.exact if spec.strict else downcast,
        has_default=spec.value is not REQUIRED,
        default=spec.value,
        borrow=spec.borrow,
    )


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


def _kept(pairs: Any) -> Any:
    """Return a copy of updates or givens, which may be read once more."""
    if isinstance(pairs, Mapping):
        return dict(pairs)
    return list(pairs) if isinstance(pairs, Iterable) and not isinstance(pairs, str) else pairs


def _copied(outputs: Any) -> Any:
    """Return the outputs in a structure of their own."""
    return rebuild(outputs, (leaf for _, leaf in leaves(outputs)).__next__)


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

    def check_compiler(self, roots: list[Variable], error: NotImplementedError) -> None:
        """Raise another error where a mode has nothing to run for want of a compiler."""
        from thunkvm.c.compiling import check_compiler

        check_compiler(roots, error)

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
