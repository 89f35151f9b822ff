"""`link`: from a graph, a mode and an interface to a function; what other front ends call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from thunkvm import _core
from thunkvm._core import Function, TensorType, Variable
from thunkvm._src.calls.code_of_nodes import CCode, Relinker, perform_of
from thunkvm._src.calls.computed import Computed, kept_pairs
from thunkvm._src.calls.config import config
from thunkvm._src.calls.interface import Graph, Input, Interface, Origin, Output
from thunkvm._src.calls.mode import Mode, get_mode
from thunkvm._src.calls.specs import REQUIRED, In, Update
from thunkvm._src.graph.structure import children, leaves, rebuild

if TYPE_CHECKING:
    from thunkvm._rows import ModeName

Spec = TypeVar("Spec", Input, Output)


def link(
    graph: Any, mode: ModeName | Mode | None = None, interface: Interface | None = None
) -> Function:
    """Make a callable of a graph: what `tv.function` and other front ends go by.

    Parameters
    ----------
    graph : Graph
        What to compute; what `tv.load` returns is one too.
    mode : str or Mode, optional
        How to link; `config.mode` if left out.
    interface : Interface, optional
        How values go in and out.

    Returns
    -------
    Function
        It can be copied and pickled as those of `tv.function`.

    Raises
    ------
    MissingInputError
        If an output or update needs a free variable that is no input.
    TypeError
        If something is of another class than it has to be, or an output's memory does not fit it.
    ValueError
        If the interface has not one entry for each value, or an input comes twice. Also if two
        outputs have the same memory.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.linking.link(tv.linking.Graph([x], [tv.ifelse(x.sum() > 0, tv.sqrt(x), x)]), "cvm")
    >>> f([1.0, 4.0])
    [array([1., 2.])]
    """
    how = Interface() if interface is None else interface
    if not isinstance(how, Interface):
        raise TypeError(
            f"[link] interface is {how!r}, a {type(how).__name__}; it has to be an Interface."
        )
    if not hasattr(graph, "inputs") or not hasattr(graph, "outputs"):
        raise TypeError(
            f"[link] graph is {graph!r}, a {type(graph).__name__}; give Graph(inputs, outputs), or "
            "what tv.load returns."
        )
    resolved = get_mode(config.mode if mode is None else mode)
    if how.name is not None and not isinstance(how.name, str):
        raise TypeError(f"[link] name is {how.name!r}; it has to be a str.")
    if how.profile:
        from thunkvm.profile.live import check_kind

        check_kind(how.profile)
    arguments = _arguments(graph.inputs)
    inputs = _specs("inputs", how.inputs, Input, len(arguments))
    computed = Computed()
    computed.add_outputs(graph.outputs)
    outputs = _specs("outputs", how.outputs, Output, len(computed.outputs))
    updates = kept_pairs(how.updates)
    computed.add_updates(updates)
    origins = _origins(how.origins)
    pack = _delivery(
        outputs, computed, _make_packer(graph.outputs), children(graph.outputs) is None
    )
    recipe = {
        "graph": Graph(list(arguments), _copy_structure(graph.outputs)),
        "mode": resolved,
        "interface": Interface(inputs, outputs, updates, how.name, how.profile, origins),
    }
    computed.locate(origins)
    computed.draw()
    named = [In(x, spec.name) for x, spec in zip(arguments, inputs, strict=True)]
    computed.check_inputs(named, arguments, "ignore")
    observer = resolved.observer()
    c_code = CCode()
    _core.set_check_perform(config.check_perform)
    try:
        made = _core.link(
            _core.Graph(arguments, computed.outputs, computed.updates),
            resolved,
            _core.Interface(
                [_input_spec(x, spec) for x, spec in zip(arguments, inputs, strict=True)],
                [output.borrow for output in outputs],
                name=how.name,
                bare=graph.outputs is not None
                and children(graph.outputs) is None
                and not isinstance(pack, Delivery),
                pack=pack,
                performs=perform_of,
                c_code=c_code,
                observer=observer,
                waits=not how.profile,
            ),
        )
    except NotImplementedError as error:
        c_code.check_compiler(computed.computed_values(), error)
        raise
    c_code.annotate(made)
    object.__setattr__(made, "_recipe", recipe)  # without the check of users' attributes
    if observer is not None:
        observer.attach_to(made, Relinker(arguments, computed.computed_values()))
    if how.profile:
        from thunkvm.profile.live import own_profile

        own_profile(made, how.profile, compile=resolved.compiles == "now")
    return made


@dataclass(frozen=True)
class Delivery:
    """Hands the results of a call to its caller: into memory, as arrays, in their structure."""

    outputs: Sequence[Output]
    names: Sequence[str]
    pack: Callable[[list[Any]], Any] | None

    def __call__(self, values: list[Any]) -> Any:
        """Return the result; nothing is written before all of it is known to fit."""
        given = [
            np.asarray(value) if _is_array(output) else value
            for value, output in zip(values, self.outputs, strict=True)
        ]
        for value, output, name in zip(given, self.outputs, self.names, strict=True):
            if output.out is not None and output.out.shape != value.shape:
                raise ValueError(
                    f"{name} has the shape {value.shape}, but its memory `out` has "
                    f"{output.out.shape}; link it with memory of the result's shape."
                )
        for i, output in enumerate(self.outputs):
            if output.out is not None:
                np.copyto(output.out, given[i])
                given[i] = output.out
        return given if self.pack is None else self.pack(given)


def _delivery(
    outputs: list[Output],
    computed: Computed,
    pack: Callable[[list[Any]], Any] | None,
    is_alone: bool,
) -> Callable[[list[Any]], Any] | None:
    """Return the function that makes the result of the list of outputs; None if that is it."""
    for output, variable, name in zip(outputs, computed.outputs, computed.names, strict=True):
        if _is_array(output):
            _check_delivery(output, variable, name)
    memory = [
        (output.out, name)
        for output, name in zip(outputs, computed.names, strict=True)
        if output.out is not None
    ]
    for i, (one, name) in enumerate(memory):
        for other, other_name in memory[:i]:
            if np.may_share_memory(one, other):
                raise ValueError(
                    f"[link] {other_name} and {name} have the same memory `out`; give each its own."
                )
    if not any(map(_is_array, outputs)):
        return pack
    return Delivery(outputs, computed.names, _first_value if is_alone else pack)


def _is_array(output: Output) -> bool:
    """Return whether the caller gets an array, of no dimensions too."""
    return output.array or output.out is not None


def _check_delivery(output: Output, variable: Variable, name: str) -> None:
    of = variable.type
    if not isinstance(of, TensorType):
        raise TypeError(
            f"[link] {name} is {variable}, a {of}, which is no array; leave out `array` and `out`."
        )
    memory = output.out
    if memory is None:
        return
    if output.borrow:
        raise ValueError(f"[link] {name} has both borrow=True and `out`; give one of them.")
    if not isinstance(memory, np.ndarray) or not memory.flags.writeable:
        raise TypeError(
            f"[link] {name} has `out` {memory!r}; it has to be an ndarray that can be written to."
        )
    lengths = zip(of.shape, memory.shape, strict=False)
    fits = memory.ndim == len(of.shape) and all(a is None or a == b for a, b in lengths)
    if memory.dtype != np.dtype(of.dtype) or not fits:
        raise TypeError(
            f"[link] {name} is a {of}, but its memory `out` has the dtype {memory.dtype} and the "
            f"shape {memory.shape}; give memory of the output's dtype and shape."
        )


def _first_value(values: list[Any]) -> Any:
    return values[0]


def _arguments(inputs: Any) -> list[Variable]:
    if isinstance(inputs, (Variable, str, Mapping)) or not isinstance(inputs, Iterable):
        raise TypeError(f"[link] the graph's inputs are {inputs!r}; give a list of Variables.")
    arguments = list(inputs)
    seen = set()
    for number, variable in enumerate(arguments):
        if not isinstance(variable, Variable) or variable.leaf != "input":
            raise TypeError(
                f"[link] input {number} is {variable!r}; it has to be a free Variable such as "
                "tv.scalar() makes. tv.function cuts graphs and has givens."
            )
        if variable in seen:
            raise ValueError(f"[link] the input {variable} comes twice; give each once.")
        seen.add(variable)
    return arguments


def _specs(what: str, given: Any, kind: type[Spec], count: int) -> list[Spec]:
    specs = list(given) if isinstance(given, (list, tuple)) else [given]
    for number, spec in enumerate(specs):
        if not isinstance(spec, kind):
            raise TypeError(
                f"[link] {what}[{number}] of the interface is {spec!r}, a {type(spec).__name__}; "
                f"it has to be an {kind.__name__}."
            )
        for flag in (each.name for each in fields(spec) if isinstance(each.default, bool)):
            if not isinstance(value := getattr(spec, flag), bool):
                raise TypeError(
                    f"[link] {flag} of {what}[{number}] is {value!r}, a {type(value).__name__}; "
                    "give True or False."
                )
    if specs and len(specs) != count:
        raise ValueError(
            f"[link] the interface has {len(specs)} {what}, and the graph has {count}; give an "
            f"{kind.__name__} for each, or none at all."
        )
    return specs or [kind() for _ in range(count)]


def _origins(given: Any) -> dict[Variable, Origin]:
    """Return the origins as such; what is none names the Variable and the rule."""
    if not isinstance(given, Mapping):
        raise TypeError(
            f"[link] origins is {given!r}, a {type(given).__name__}; it has to be a dict of "
            "Variables and Origins."
        )
    found = {}
    for variable, origin in given.items():
        if not isinstance(variable, Variable):
            raise TypeError(
                f"[link] origins has {variable!r}, a {type(variable).__name__}, as a key; it has "
                "to be a Variable."
            )
        values = tuple(origin) if isinstance(origin, (tuple, list)) else (None,)
        kinds = list(zip(values, (str, int, str), strict=False))
        if not 1 <= len(values) <= 3 or not all(isinstance(v, kind) for v, kind in kinds):
            raise TypeError(
                f"[link] the origin of {variable} is {origin!r}; it has to be an Origin, or a "
                "tuple of its file, line and text."
            )
        made = Origin(*values)
        if not 0 <= made.line < 2**31:
            raise ValueError(
                f"[link] the origin of {variable} has line {made.line}; lines count from 1, and 0 "
                "is none."
            )
        found[variable] = made._replace(text=" ".join(made.text.split()))
    return found


def _input_spec(variable: Variable, spec: Input) -> _core.InputSpec:
    downcast = _core.CastRule.downcast if spec.allow_downcast else _core.CastRule.safe
    return _core.InputSpec(
        spec.name or variable.name,
        _core.CastRule.exact if spec.strict else downcast,
        has_default=spec.default is not REQUIRED,
        default=spec.default,
        borrow=spec.borrow,
        mutable=spec.mutable,
    )


def _make_packer(outputs: Any) -> Callable[[list[Any]], Any] | None:
    """Return what makes the results' structure of a list of them; None if that is it."""
    if outputs is None:
        return _return_none
    inside = children(outputs)
    if inside is None:
        return None
    if type(outputs) is list and all(children(item) is None for _, item in inside):
        return None
    shape = rebuild(outputs, _return_none)  # the structure alone: it keeps no graph alive
    return lambda values: rebuild(shape, iter(values).__next__)


def _copy_structure(outputs: Any) -> Any:
    """Return the outputs in a structure of their own."""
    return None if outputs is None else rebuild(outputs, (x for _, x in leaves(outputs)).__next__)


def _return_none(*values: Any) -> None:
    """Return None."""


def swap_shared(recipe: dict[str, Any], swap: Mapping[Variable, Variable]) -> dict[str, Any]:
    """Return the arguments of `link` with other shared variables in the place of some."""
    graph, interface = recipe["graph"], recipe["interface"]
    updates = interface.updates
    pairs = list(updates.items() if isinstance(updates, Mapping) else updates)
    computed = Computed()
    computed.add_outputs(graph.outputs)
    computed.add_updates(pairs)
    # The copies of what is computed from a shared variable have the origins.
    computed.add_outputs(list(interface.origins))
    # By others first: two that change places are replaced at once.
    others = {old: old.type() for old in swap}
    computed.apply_givens(list(others.items()), [])
    computed.apply_givens([(others[old], new) for old, new in swap.items()], [])
    located = [computed.outputs.pop() for _ in interface.origins][::-1]
    origins = dict(zip(located, interface.origins.values(), strict=True))
    outputs = graph.outputs
    if outputs is not None:
        outputs = rebuild(outputs, iter(computed.outputs).__next__)
    new = [
        (swap.get(a, a), Update(value, if_computed)) for a, value, if_computed in computed.updates
    ]
    how = replace(interface, updates=new, origins=origins)
    return {**recipe, "graph": Graph(graph.inputs, outputs), "interface": how}


__all__ = ["link", "swap_shared"]
