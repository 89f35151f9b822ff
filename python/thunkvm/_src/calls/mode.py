"""Modes: how a function's graph is rewritten, which linker makes its program, what it keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib import import_module
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from thunkvm import _core
from thunkvm._src.calls.unchangeable import unchangeable
from thunkvm._src.teaching.nearest import did_you_mean

if TYPE_CHECKING:
    from thunkvm._rows import FeatureName, LinkerName, OptimizerName
    from thunkvm._src.calls.linkers import Linker
    from thunkvm.checking.observer import Observer

WhenCompiled = Literal["now", "background", "never"]

_TABLES = _core.mode_tables()
#: By name, what each linker does: the table of linkers/linker_table.cpp.
LINKERS: dict[LinkerName, str] = {row["name"]: row["summary"] for row in _TABLES["linkers"]}
#: Those of them that emit C and run without it, too.
RUN_WITHOUT_C = tuple(row["name"] for row in _TABLES["linkers"] if row["runs_without_c"])
#: Those that compare each node with its `perform`.
COMPARING = frozenset(row["name"] for row in _TABLES["linkers"] if row["compared"])
FEATURES: dict[str, str] = dict(_TABLES["features"])
#: The rewrites that keep values up to rounding; all others keep each bit.
ROUNDING = frozenset(_TABLES["rounding"])
OPTIMIZERS: dict[str | None, frozenset[str]] = {
    name: frozenset(features) for name, features in _TABLES["optimizers"]
}


class _LeftOut(frozenset[str]):
    """The default of `Mode.features`: those of the optimizer."""

    def __repr__(self) -> str:
        return "<the optimizer's>"


OF_OPTIMIZER = _LeftOut()


@unchangeable
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Mode(_core.ModeFields):
    """How a function is linked.

    Parameters
    ----------
    linker : str
        Which thunks run, in which order, and what is compiled:

        <linkers>

        or Theano's class of it: `LazyLinker`, `CLinker`, `OpWiseCLinker`, `PerformLinker`.
    optimizer : {"fast_run", "fast_compile"}, optional
        Which features it has to begin with: ``"fast_run"`` all, ``"fast_compile"`` ``"merge"``
        alone, none of these ``"fusion"`` alone: the graph is linked as it is.
    gc : bool
        Release each intermediate value after its last use. Without it (the ``_nogc`` modes)
        intermediates are kept until the next call, whose results may use their memory again.
    compile : {"now", "background", "never"}, optional
        When the emitted C is compiled: before the first call; after a few calls, while calls
        run on kernels until it is there; or not at all. If left out, ``"background"`` for
        ``"cvm"`` and ``"now"`` for the linkers that need it.
    features : frozenset of str, optional
        How the graph is rewritten before it is linked, and what the emitter may do:

        <features>

        No rewrite changes a bit of a result or demands a node that was not demanded; what nobody
        needs any more does not run. The optimizer's if left out; see `including` and `excluding`.

    Raises
    ------
    ValueError
        If there is no such linker, optimizer or feature.
    TypeError
        If `gc` is no bool.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], x * 2, mode=tv.Mode(linker="vm", gc=False))
    >>> float(f(3.0))
    6.0
    >>> tv.Mode("vm", gc=False).name
    'vm_nogc'

    Equal nodes are computed once:

    >>> f = tv.function([x], (x + 1) * (x + 1), mode=tv.Mode("vm", optimizer="fast_run"))
    >>> [row.op for row in f.explain().nodes]
    ['add', 'mul']
    >>> f.rewrites
    {'merge': 1, 'inverses': 0, 'idempotents': 0, 'factors': 0}
    """

    linker: LinkerName | Linker  # it may have a checker; the other fields are in C++ alone
    optimizer: OptimizerName | None
    gc: bool
    compile: WhenCompiled | None
    features: frozenset[str]

    def __init__(
        self,
        linker: LinkerName | Linker = "cvm",
        optimizer: OptimizerName | None = None,
        gc: bool = True,
        compile: WhenCompiled | None = None,
        features: frozenset[str] | None = OF_OPTIMIZER,
    ) -> None:
        if (allow_gc := getattr(linker, "allow_gc", None)) is not None:
            gc = allow_gc
        if not isinstance(gc, bool):
            raise TypeError(f"gc is {gc!r}, a {type(gc).__name__}; give True or False.")
        if not isinstance(linker, str) or linker not in LINKERS:
            plain = str(linker).removesuffix("_nogc")
            hint = (
                f' Write Mode({plain!r}, gc=False), or mode="{plain}_nogc".'
                if plain in LINKERS
                else ""
            )
            raise ValueError(_none_called("linker", linker, LINKERS) + hint)
        if optimizer not in list(OPTIMIZERS):
            known = [name for name in OPTIMIZERS if name]
            raise ValueError(
                f"there is no optimizer {optimizer!r}; the optimizers are {', '.join(known)}, "
                "and None." + did_you_mean(str(optimizer), known)
            )
        if features is None or features is OF_OPTIMIZER:  # a subclass says None
            features = OPTIMIZERS[optimizer]
        for name in features:
            _check_feature(name)
        _core.ModeFields.__init__(self, linker, optimizer, gc, compile, [*features])
        object.__setattr__(self, "linker", linker)

    def __repr__(self) -> str:
        """Return the call that makes the mode, the same in every process: a set has no order."""
        shown = {f.name: repr(getattr(self, f.name)) for f in fields(self) if f.repr}
        shown["features"] = f"frozenset({sorted(self.features) or ''})"
        values = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{type(self).__qualname__}({values})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the function that makes a copy, and its arguments."""
        return partial(type(self), **{f.name: getattr(self, f.name) for f in fields(self)}), ()

    def _set_fields(
        self,
        linker: LinkerName | Linker,
        optimizer: OptimizerName | None,
        gc: bool,
        compile: WhenCompiled | None,
        features: frozenset[str] | None,
    ) -> None:
        """Set and check the fields, for subclasses of other parameters, and for observers."""
        if linker in RUN_WITHOUT_C and compile is not None:
            raise ValueError(
                f"compile={compile!r} has no meaning where each node is watched: the linker "
                f"{linker!r} runs kernels then. Choose linker='c|py' for a C function of each node."
            )
        Mode.__init__(self, linker, optimizer, gc, compile, features)

    def observer(self) -> Observer | None:
        """Return the observer of each node that runs in a function of this mode; None: none."""
        if self.linker not in COMPARING:
            return None
        from thunkvm.checking.comparison import Comparison

        return Comparison(getattr(self.linker, "checker", None))  # a DualLinker's

    def including(self, *features: FeatureName) -> Mode:
        """Return the mode with these features.

        Raises
        ------
        ValueError
            If there is no such feature.

        Examples
        --------
        >>> import thunkvm as tv
        >>> tv.get_mode("c").excluding("fusion").including("fusion") == tv.get_mode("c")
        True
        """
        return replace(self, features=self.features | set(features))

    def excluding(self, *features: FeatureName) -> Mode:
        """Return the mode without these features.

        Raises
        ------
        ValueError
            If there is no such feature.

        Examples
        --------
        >>> import thunkvm as tv
        >>> sorted(tv.get_mode("FAST_RUN").excluding("fusion", "inverses").features)
        ['factors', 'idempotents', 'merge']
        """
        for name in features:
            _check_feature(name)
        return replace(self, features=self.features - set(features))


def _bullets(table: Mapping[Any, str]) -> str:
    """Return a table as a list of a docstring's parameter."""
    items = (f'- ``"{name}"``: {summary}' for name, summary in table.items())
    return "\n        ".join(
        fill(item, 92, subsequent_indent=" " * 10, break_on_hyphens=False) for item in items
    )


if Mode.__doc__ is not None:  # python -OO
    Mode.__doc__ = Mode.__doc__.replace("<linkers>", _bullets(LINKERS)).replace(
        "<features>", _bullets(FEATURES)
    )


def _check_feature(name: str) -> None:
    if name not in FEATURES:
        raise ValueError(
            f"there is no feature {name!r}; there are: {', '.join(FEATURES)}."
            + did_you_mean(str(name), FEATURES)
        )


MODES: dict[str, Mode] = {name: Mode(*options) for name, *options in _TABLES["modes"]}
#: The modes that check what runs: where the class of that name is, which is made without options.
CHECKING: dict[str, str] = {
    "DebugMode": "thunkvm.checking.debug",
    "MonitorMode": "thunkvm.checking.monitor",
    "NanGuardMode": "thunkvm.checking.nan_guard",
}


def get_mode(mode: str | Mode) -> Mode:
    """Return the `Mode` of that name; a `Mode` itself comes back as it is.

    Raises
    ------
    ValueError
        If there is no mode of that name; the message has the nearest one and the list.
    TypeError
        If `mode` is neither a name nor a `Mode`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.get_mode("FAST_COMPILE") == tv.Mode(linker="vm", optimizer="fast_compile")
    True
    """
    if isinstance(mode, Mode):
        return mode
    if not isinstance(mode, str):
        raise TypeError(f"mode is {mode!r}, a {type(mode).__name__}; give a name or a tv.Mode.")
    if mode in CHECKING:
        checking: Mode = getattr(import_module(CHECKING[mode]), mode)()
        return checking
    try:
        return MODES[mode]
    except KeyError:
        raise ValueError(_none_called("mode", mode, [*MODES, *CHECKING])) from None


def _none_called(kind: str, name: object, names: Collection[str]) -> str:
    """Return the message that there is no mode or linker of a name, which another library has."""
    from thunkvm._src.teaching.elsewhere import answers  # only failing programs pay for it

    if told := answers("modes").get(str(name)):
        return f"there is no {kind} {name!r}; {told}"
    return f"there is no {kind} {name!r}; the {kind}s are {', '.join(names)}." + did_you_mean(
        str(name), names
    )
