"""Imports that wait until somebody asks for them: names of the package, methods of its classes.

Importing the package costs what every program needs; the C protocol, explanations, checks and
messages about mistakes are most of its code, and most programs ask for none of them.
"""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any

#: The package's names whose modules are imported when the name is first asked for. None is the name
#: of a module of the package too, that would hide it; but for `profile`, a module that is called.
#: Type checkers read the same list in ``__init__.py``, under ``TYPE_CHECKING``.
NAMES: dict[str, tuple[str, ...]] = {
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
    "thunkvm._src.control.fixed_points": ("fixed_point",),
    "thunkvm._src.control.folds": ("foldl", "foldr", "map", "reduce", "scan_carry"),
    "thunkvm._src.control.scans": ("scan", "until"),
    "thunkvm._src.control.watching": ("breakpoint_", "print_"),
    "thunkvm._src.derivatives.identities": (
        "disconnected_grad", "grad_clip", "grad_scale", "zero_grad",
    ),
    "thunkvm._src.control.assertions": ("Assert", "CheckAndRaise",),
    "thunkvm._src.graph.replacing": ("OpFromGraph", "clone_replace", "graph_replace",),
}  # fmt: skip

#: The package's modules that users see and that are imported when they are first asked for.
MODULES = ("testing",)

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


def attach(kind: type, module: str, paths: dict[str, str]) -> None:
    """Give a class attributes that a module has under these paths."""
    for name, path in paths.items():
        setattr(kind, name, Later(kind, name, module, path))


__all__ = ["HOMES", "MODULES", "NAMES", "Later", "attach"]
