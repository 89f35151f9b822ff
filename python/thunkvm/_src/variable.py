"""The methods of Variables, functions and Types, attached to the core's classes on import."""

from __future__ import annotations

from typing import Any, NoReturn

from thunkvm import _core
from thunkvm._core import TensorType, Variable
from thunkvm._src import later
from thunkvm._src.arrays import catalog, exposed


def _getitem(self: Variable, key: Any) -> Variable:
    """Index a Variable for the first time; from then on it is `getitem` itself that is called."""
    from thunkvm._src.arrays.indexing import getitem

    _core.set_indexing(getitem, _setitem)
    return getitem(self, key)


def _setitem(self: Variable, key: Any, value: Any) -> NoReturn:
    """Refuse: a Variable never changes."""
    name = name_of(self)
    raise TypeError(
        f"{self} never changes, so that no item of it can be assigned; "
        f"`{name} = {name}[index].set(value)` is the array with that item replaced, and "
        f"{name}[index].inc(value) the one with `value` added to it."
    )


#: The core's own refusal, which shows the `ifelse` to write.
refuse_truth = Variable.__bool__


def name_of(variable: Variable) -> str:
    """Return the name of a Variable in a message."""
    return variable.name or "x"


#: What `methods.py` has.
OWN_METHODS = (
    "T", "__divmod__", "__iter__", "__rdivmod__", "__round__", "copy", "eval", "finished",
    "flatten", "get_value", "history", "imag", "inc", "mT", "real", "reshape", "set", "set_value",
    "shape", "size", "steps", "transpose",
)  # fmt: skip

#: The C of the core's Types; `thunkvm.c.types` has it.
OBJECT_C = (
    "c_declare", "c_init", "c_extract", "c_extract_out", "c_check_value", "c_sync", "c_cleanup",
    "c_code_cache_version",
)  # fmt: skip
ARRAY_C = (*OBJECT_C, "c_element_type", "c_is_simple", "dtype_specs")

#: What is imported when it is first asked for: a class, a module, and what the module calls what
#: the class has.
LATER: tuple[tuple[type, str, dict[str, str]], ...] = (
    (Variable, "thunkvm", {name: name for name in catalog.METHODS}),
    (
        Variable,
        "thunkvm._src.methods",
        {name: f"Methods.{name}" for name in (*OWN_METHODS, *exposed.METHODS_OF_OPS)},
    ),
    (Variable, "thunkvm._src.views.expression", {"__repr__": "represent"}),
    (Variable, "thunkvm._src.completion", {"__dir__": "names_of_variable"}),
    (_core.Function, "thunkvm._src.completion", {"__dir__": "names"}),
    (Variable, "thunkvm._src.views.shown", {"_repr_html_": "show_variable"}),
    (_core.Apply, "thunkvm._src.views.shown", {"_repr_html_": "show_node"}),
    (_core.Function, "thunkvm._src.views.shown", {"_repr_html_": "show_function"}),
    (
        Variable,
        "thunkvm._src.arrays.numpy_protocol",
        {"__array_ufunc__": "array_ufunc", "__array_function__": "array_function"},
    ),
    (
        Variable,
        "thunkvm._src.refusals",
        {
            "__array__": "refuse_array",
            "__array_namespace__": "refuse_array",
            "__bool__": "refuse_bool",
            "__complex__": "refuse_complex",
            "__contains__": "refuse_contains",
            "__float__": "refuse_float",
            "__format__": "format_text",
            "__getattr__": "refuse_attribute",
            "__index__": "refuse_index",
            "__int__": "refuse_int",
            "__len__": "refuse_len",
        },
    ),
    (
        _core.Function,
        "thunkvm._src.views.explanation",
        {
            "__repr__": "represent",
            "counts": "counts",
            "dprint": "dprint",
            "explain": "explain",
            "node_runs": "node_runs",
        },
    ),
    (_core.Function, "thunkvm._src.views.graph_drawing", {"to_dot": "function_to_dot"}),
    (_core.Function, "thunkvm.profile.live", {"profile": "OF_FUNCTIONS"}),
    (_core.Function, "thunkvm.profile.record_block", {"record": "record"}),
    (_core.Function, "thunkvm.profile.replaying", {"replay": "replay"}),
    (_core.Function, "thunkvm._src.refusals", {"__setattr__": "set_attribute"}),
    (_core.Function, "thunkvm._src.calls.signature", {"__signature__": "OF_FUNCTIONS"}),
    (_core.OpFunction, "thunkvm._src.calls.signature", {"__signature__": "OF_OPS"}),
    (_core.Apply, "thunkvm._src.views.expression", {"__repr__": "node_expression"}),
    *(
        (
            kind,
            "thunkvm._src.graph.copying",
            {"__copy__": "itself", "__deepcopy__": deepcopy, "__reduce_ex__": reduce},
        )
        for kind, deepcopy, reduce in (
            (Variable, "deepcopy_variable", "reduce_variable"),
            (_core.Apply, "deepcopy_node", "reduce_node"),
            (_core.Function, "deepcopy_function", "reduce_function"),
        )
    ),
    (_core.Function, "thunkvm._src.graph.copying", {"copy": "copy_function"}),
    (
        _core.Type,
        "thunkvm._src.graph.type_values",
        {name: name for name in ("is_valid_value", "make_variable")},
    ),
    (
        TensorType,
        "thunkvm._src.graph.type_values",
        {
            name: name
            for name in ("broadcastable", "may_share_memory", "values_eq", "values_eq_approx")
        },
    ),
    (TensorType, "thunkvm.c.types", {name: f"ArrayC.{name}" for name in ARRAY_C}),
    (_core.GenericType, "thunkvm.c.types", {name: f"Generic.{name}" for name in OBJECT_C}),
)


def attach_methods() -> None:
    """Give the core's classes the methods above."""
    _core.set_indexing(_getitem, _setitem)
    for kind, module, paths in LATER:
        later.attach_attributes(kind, module, paths)
