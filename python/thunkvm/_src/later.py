"""Imports that wait until somebody asks for them: names of the package, methods of its classes.

Importing the package costs the core and these tables. A program then pays for the modules whose
names it uses. No program uses most of them.
"""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any

from thunkvm._src.arrays import exposed
from thunkvm._src.graph import kinds

#: The package's names whose modules are imported when the name is first asked for. None is the name
#: of a module of the package too, that would hide it; but for `profile`, a module that is called.
#: Type checkers read the same list in ``__init__.py``, under ``TYPE_CHECKING``.
NAMES: dict[str, tuple[str, ...]] = {
    "thunkvm._src.arrays.exposed": tuple(exposed.__all__),
    "thunkvm._src.graph.plurals": kinds.OF_SEVERAL,
    "thunkvm._src.graph.types": kinds.OF_ONE,
    "thunkvm._src.calls.config": ("config",),
    "thunkvm._src.calls.function": ("MissingInputError", "UnusedInputError", "function"),
    "thunkvm._src.calls.mode": ("Mode", "get_mode"),
    "thunkvm._src.calls.specs": ("In", "Out", "Update"),
    "thunkvm._src.control.conditional": (
        "and_", "coalesce", "cond", "ifelse", "or_", "switch_case",
    ),
    "thunkvm._src.control.fallback": ("attempt",),
    "thunkvm._src.control.loops": ("fori_loop", "while_loop"),
    "thunkvm._src.derivatives.gradient": ("DisconnectedInputError", "grad", "value_and_grad"),
    "thunkvm._src.graph.op": ("Op", "PureOp", "Thunk"),
    "thunkvm._src.graph.values": ("as_variable", "constant", "shared"),
    "thunkvm.c.data": ("CDataType",),
    "thunkvm.c.enums": ("CEnumType", "EnumList", "EnumType"),
    "thunkvm.c.external": ("ExternalCOp", "OpenMPOp"),
    "thunkvm.c.op": ("COp",),
    "thunkvm.c.params": ("Params", "ParamsType"),
    "thunkvm.c.scalar_ops": (
        "ScalarFromTensor", "TensorFromScalar", "scalar_from_tensor", "tensor_from_scalar",
    ),
    "thunkvm.c.scalars": ("ScalarType",),
    "thunkvm.c.types": ("CType", "Generic"),
    "thunkvm.c.wrapped": ("wrap_c",),
    "thunkvm.checking.debug": ("DebugMode",),
    "thunkvm.checking.errors": ("DebugModeError",),
    "thunkvm.checking.monitor": ("MonitorMode",),
    "thunkvm.checking.nan_guard": ("NanGuardError", "NanGuardMode", "NanGuardWarning"),
    "thunkvm.checking.comparison": ("DisagreementError", "DualLinker"),
    "thunkvm._src.calls.linkers": (
        "CLinker", "LazyLinker", "OpWiseCLinker", "PerformLinker", "VMLinker",
    ),
    "thunkvm._src.calls.many": ("map_calls",),
    "thunkvm._src.graph.disconnected": ("DisconnectedType",),
    "thunkvm._src.graph.functions_as_ops": ("as_op",),
    "thunkvm.profile": ("profile",),
    "thunkvm._src.views.graph_drawing": ("to_dot",),
    "thunkvm._src.views.tree": ("dprint",),
    "thunkvm._src.derivatives.jacobians": ("hessian", "jacobian"),
    "thunkvm._src.derivatives.products": (
        "Lop", "Rop", "hvp", "jvp", "pullback", "pushforward", "vjp",
    ),
    "thunkvm._src.derivatives.verification": ("GradientError", "verify_grad"),
    "thunkvm._src.control.batches": ("vectorize", "vmap"),
    "thunkvm._src.control.fixed_points": ("fixed_point",),
    "thunkvm._src.control.folds": ("foldl", "foldr", "map", "reduce", "scan_carry"),
    "thunkvm._src.control.scans": ("scan", "until"),
    "thunkvm._src.control.prints": ("breakpoint_", "print_"),
    "thunkvm._src.derivatives.custom_gradients": ("custom_gradient",),
    "thunkvm._src.derivatives.identities": (
        "disconnected_grad", "grad_clip", "grad_scale", "zero_grad",
    ),
    "thunkvm._src.control.assertions": ("Assert", "CheckAndRaise",),
    "thunkvm._src.files.op_desc": ("GraphDesc", "OpDesc"),
    "thunkvm._src.files.graph_file": ("GraphFileError", "load", "save"),
    "thunkvm._src.graph.registration": ("register_op",),
    "thunkvm._src.graph.replacing": ("OpFromGraph", "clone_replace", "graph_replace",),
}  # fmt: skip

#: The package's modules that users see and that are imported when they are first asked for.
MODULES = ("fft", "linking", "nn", "ops", "optimize", "random", "testing")

HOMES: dict[str, str] = {name: module for module, names in NAMES.items() for name in names}


class Later:
    """An attribute of a class that replaces itself when somebody first asks for it.

    Parameters
    ----------
    kind : type
        The class.
    name : str
        The attribute.
    module : str
        What to import.
    path : str
        What the attribute is, in that module; may have dots.

    Examples
    --------
    >>> from thunkvm._src.later import Later
    >>> class Point:
    ...     pass
    >>> Point.shown = Later(Point, "shown", "json", "JSONEncoder.encode")
    >>> type(vars(Point)["shown"]).__name__
    'Later'
    >>> Point.shown.__name__, type(vars(Point)["shown"]).__name__
    ('encode', 'function')
    """

    __slots__ = ("kind", "module", "name", "path")

    def __init__(self, kind: type, name: str, module: str, path: str) -> None:
        """Remember what to import."""
        self.kind = kind
        self.name = name
        self.module = module
        self.path = path

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Import the attribute, and return it as the class does from now on."""
        setattr(self.kind, self.name, attrgetter(self.path)(import_module(self.module)))
        return getattr(owner if instance is None else instance, self.name)


def attach_attributes(kind: type, module: str, paths: dict[str, str]) -> None:
    """Give a class attributes that a module has under these paths."""
    for name, path in paths.items():
        setattr(kind, name, Later(kind, name, module, path))


__all__ = ["HOMES", "MODULES", "NAMES", "Later", "attach_attributes"]
