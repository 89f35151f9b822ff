"""`function`: from a symbolic graph to something that can be called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from thunkvm._core import Function, Variable
from thunkvm._src.calls.computed import (
    Computed,
    MissingInputError,
    UnusedInputError,
    kept_pairs,
    replacements,
)
from thunkvm._src.calls.config import config
from thunkvm._src.calls.interface import Graph, Input, Interface, Output
from thunkvm._src.calls.linking import link
from thunkvm._src.calls.mode import Mode, get_mode
from thunkvm._src.calls.specs import In, Update
from thunkvm._src.graph.structure import rebuild
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
        If an input comes twice, or a shared variable is updated twice. Also if replacements depend
        on each other in a cycle, or there is no such mode.
    TypeError
        If an input is no Variable, or an update's target is no shared variable. Also if a value
        does not fit the type of what it replaces.

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
    graph = Computed()
    specs = _input_specs(inputs, allow_downcast)
    givens = kept_pairs(givens)
    graph.add_outputs(outputs)
    graph.add_updates(updates)
    not_read = graph.not_read(givens) if givens else []
    arguments = graph.apply_givens(replacements(givens), [spec.variable for spec in specs])
    arguments = graph.narrow(arguments, not_read)
    graph.check_inputs(specs, arguments, on_unused_input)
    shaped = None if outputs is None else rebuild(outputs, iter(graph.outputs).__next__)
    return link(
        Graph(arguments, shaped),
        resolved,
        Interface(
            [
                Input(s.name, s.value, s.strict, s.allow_downcast or False, s.borrow, s.mutable)
                for s in specs
            ],
            [Output(borrow) for borrow in graph.borrowed],
            [(target, Update(value, if_computed)) for target, value, if_computed in graph.updates],
            name,
            profile,
        ),
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
        specs.append(replace(spec, variable=variable, name=name, allow_downcast=downcast))
    return specs


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
