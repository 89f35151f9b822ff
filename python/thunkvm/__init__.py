"""thunkvm: a lazy-evaluation virtual machine with a thunk interpreter.

Build a symbolic graph of Variables, make a function of it, and call it. A node of the graph
runs if and only if its value is needed, and at most once a call.

Examples
--------
>>> import thunkvm as tv
>>> x, y = tv.vector("x"), tv.scalar("y")
>>> z = tv.ifelse(y > 0, tv.sqrt(x).sum(), x.sum())
>>> f = tv.function([x, y], [z, tv.grad(z, x)])
>>> f([1.0, 4.0], 1.0)
[np.float64(3.0), array([0.5 , 0.25])]

The names, by what they are for; ``help(tv.function)`` and ``help(tv.ifelse)`` have the rest:

===========  ===================================================================================
inputs       scalar, vector, matrix, tensor, scalars, vectors; shared, constant, as_variable
arrays       NumPy's functions under NumPy's names: exp, sum, dot, solve, where, ...
functions    function, In, Out, Update; f(...), f.explain(), f.dprint(), f.profile, f.to_dot()
choices      ifelse, cond, switch_case, and_, or_, coalesce, attempt
loops        while_loop, fori_loop, scan, map, reduce, foldl, foldr, fixed_point, until
derivatives  grad, value_and_grad, jacobian, hessian, jvp, vjp, hvp, custom_gradient
modes        Mode, config; "py", "vm", "cvm", "c", "c|py", "c&py"; DebugMode, NanGuardMode
files        save, load, GraphFileError, OpDesc, GraphDesc; pickles hold graphs too
views        profile, dprint, to_dot, print_, breakpoint_, memory
Ops          Op, COp, ExternalCOp, wrap_c, as_op, register_op, OpFromGraph; Type, CType
layers       nn.fc_layer, nn.parameters, nn.glorot
tests        testing, Assert, CheckAndRaise
===========  ===================================================================================

``python -m thunkvm doctor`` says what of this machine the package uses.
"""

from importlib import import_module as _import_module
from os import environ as _environ
from sys import _getframe
from typing import TYPE_CHECKING, Any

from thunkvm._core import (
    Apply,
    CompileError,
    Function,
    GenericType,
    NoCompilerError,
    TensorType,
    Type,
    Variable,
    memory,
    reset_peak_memory,
)
from thunkvm._src import later, variable
from thunkvm._src.arrays import exposed
from thunkvm._src.graph import kinds
from thunkvm._src.teaching import keywords
from thunkvm._src.version import __version__

if TYPE_CHECKING:  # what `later` imports when it is first asked for
    from thunkvm import fft, linking, nn, ops, optimize, random, testing
    from thunkvm._src.arrays.exposed import *  # noqa: F403 (its __all__ is all functions of Ops)
    from thunkvm._src.calls.config import config
    from thunkvm._src.calls.function import MissingInputError, UnusedInputError, function
    from thunkvm._src.calls.linkers import (
        CLinker,
        LazyLinker,
        OpWiseCLinker,
        PerformLinker,
        VMLinker,
    )
    from thunkvm._src.calls.many import map_calls
    from thunkvm._src.calls.mode import Mode, get_mode
    from thunkvm._src.calls.specs import In, Out, Update
    from thunkvm._src.control.assertions import Assert, CheckAndRaise
    from thunkvm._src.control.batches import vectorize, vmap
    from thunkvm._src.control.conditional import and_, coalesce, cond, ifelse, or_, switch_case
    from thunkvm._src.control.fallback import attempt
    from thunkvm._src.control.fixed_points import fixed_point
    from thunkvm._src.control.folds import foldl, foldr, map, reduce, scan_carry
    from thunkvm._src.control.loops import fori_loop, while_loop
    from thunkvm._src.control.prints import breakpoint_, print_
    from thunkvm._src.control.scans import scan, until
    from thunkvm._src.derivatives.custom_gradients import custom_gradient
    from thunkvm._src.derivatives.gradient import DisconnectedInputError, grad, value_and_grad
    from thunkvm._src.derivatives.identities import (
        disconnected_grad,
        grad_clip,
        grad_scale,
        zero_grad,
    )
    from thunkvm._src.derivatives.jacobians import hessian, jacobian
    from thunkvm._src.derivatives.products import Lop, Rop, hvp, jvp, pullback, pushforward, vjp
    from thunkvm._src.derivatives.verification import GradientError, verify_grad
    from thunkvm._src.files.graph_file import GraphFileError, load, save
    from thunkvm._src.files.op_desc import GraphDesc, OpDesc
    from thunkvm._src.graph.disconnected import DisconnectedType
    from thunkvm._src.graph.functions_as_ops import as_op
    from thunkvm._src.graph.op import Op, PureOp, Thunk
    from thunkvm._src.graph.plurals import *  # noqa: F403 (its __all__ is a list)
    from thunkvm._src.graph.registration import register_op
    from thunkvm._src.graph.replacing import OpFromGraph, clone_replace, graph_replace
    from thunkvm._src.graph.types import *  # noqa: F403 (its __all__ is a list)
    from thunkvm._src.graph.values import as_variable, constant, shared
    from thunkvm._src.views.graph_drawing import to_dot
    from thunkvm._src.views.tree import dprint
    from thunkvm.c.data import CDataType
    from thunkvm.c.enums import CEnumType, EnumList, EnumType
    from thunkvm.c.external import ExternalCOp, OpenMPOp
    from thunkvm.c.op import COp
    from thunkvm.c.params import Params, ParamsType
    from thunkvm.c.scalar_ops import (
        ScalarFromTensor,
        TensorFromScalar,
        scalar_from_tensor,
        tensor_from_scalar,
    )
    from thunkvm.c.scalars import ScalarType
    from thunkvm.c.types import CType, Generic
    from thunkvm.c.wrapped import wrap_c
    from thunkvm.checking.comparison import DisagreementError, DualLinker
    from thunkvm.checking.debug import DebugMode
    from thunkvm.checking.errors import DebugModeError
    from thunkvm.checking.monitor import MonitorMode
    from thunkvm.checking.nan_guard import NanGuardError, NanGuardMode, NanGuardWarning
    from thunkvm.profile import profile

variable.attach_methods()

__all__ = [
    *kinds.OF_ONE,
    *kinds.OF_SEVERAL,
    *exposed.__all__,
    "Apply", "Assert", "CDataType", "CEnumType", "CLinker", "COp", "CType", "CheckAndRaise",
    "CompileError", "DebugMode", "DebugModeError", "DisagreementError", "DisconnectedInputError",
    "DisconnectedType", "DualLinker", "EnumList", "EnumType", "ExternalCOp", "Function", "Generic",
    "GenericType", "GradientError", "GraphDesc", "GraphFileError", "In", "LazyLinker", "Lop",
    "MissingInputError", "Mode", "MonitorMode", "NanGuardError", "NanGuardMode", "NanGuardWarning",
    "NoCompilerError", "Op", "OpDesc", "OpFromGraph", "OpWiseCLinker", "OpenMPOp", "Out", "Params",
    "ParamsType", "PerformLinker", "PureOp", "Rop", "ScalarFromTensor", "ScalarType",
    "TensorFromScalar", "TensorType", "Thunk", "Type", "UnusedInputError", "Update", "VMLinker",
    "Variable", "__version__", "and_", "as_op", "as_variable", "attempt", "breakpoint_",
    "clone_replace", "coalesce", "cond", "config", "constant", "custom_gradient",
    "disconnected_grad", "dprint", "fft",
    "fixed_point", "foldl", "foldr", "fori_loop", "function", "get_mode", "grad", "grad_clip",
    "grad_scale", "graph_replace", "hessian", "hvp", "ifelse", "jacobian", "jvp", "linking", "load",
    "map",
    "map_calls", "memory", "nn", "ops", "optimize", "or_", "print_", "profile", "pullback",
    "pushforward", "random", "reduce", "register_op", "reset_peak_memory", "save",
    "scalar_from_tensor", "scan", "scan_carry", "shared", "switch_case", "tensor_from_scalar",
    "testing", "to_dot", "until", "value_and_grad", "vectorize", "verify_grad", "vjp", "vmap",
    "while_loop", "wrap_c", "zero_grad",
]  # fmt: skip


if not TYPE_CHECKING:  # to which every name would then be there

    def __getattr__(name: str) -> Any:
        """Import what was not needed yet; say what stands for a name of another library's."""
        if name in later.MODULES:
            return _import_module(f"thunkvm.{name}")
        if name not in later.HOMES:
            from thunkvm._src.teaching.elsewhere import no_name

            raise AttributeError(no_name("thunkvm", name, __all__))
        package = globals()
        package[name] = getattr(_import_module(later.HOMES[name]), name)
        keywords.attach_teaching([name], package)
        return package[name]


def __dir__() -> list[str]:
    """Return the names that users need: not the modules, nor Theano's letters before kinds.

    `help` gets no names. It would write the documentation of each below the text at the top of this
    file. That is thousands of lines; the text sorts them.
    """
    asking: Any = _getframe(1)
    while asking and asking.f_globals.get("__name__") == "inspect":
        asking = asking.f_back
    if asking and asking.f_globals.get("__name__") == "pydoc":
        return []
    special = {name for name in globals() if name.startswith("__")}
    return sorted({*__all__, *special} - {*kinds.WITH_LETTERS})


if _environ.get("THUNKVM_PROFILE"):
    _import_module("thunkvm.profile.environment").start(_environ["THUNKVM_PROFILE"])
