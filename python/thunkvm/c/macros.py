"""The names of a node's variables and types in the code of files: macros around each section."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm._core import Apply
from thunkvm.c.errors import MethodNotDefined

Macro = tuple[str, str]


def support_macros(node: Apply, name: str, check_input: bool) -> list[Macro]:
    """Return the macros of all sections of one node.

    ``APPLY_SPECIFIC(str)``; unless the Op has ``check_input = False``, for each input and output
    whose Type has a dtype ``DTYPE_INPUT_0``, ``TYPENUM_INPUT_0``, ``ITEMSIZE_INPUT_0``.
    """
    macros = [("APPLY_SPECIFIC(str)", f"str##_{name}")]
    if not check_input:
        return macros
    for kind, variables in (("INPUT", node.inputs), ("OUTPUT", node.outputs)):
        for i, variable in enumerate(variables):
            specs = getattr(variable.type, "dtype_specs", None)
            if specs is None:
                continue
            scalar, c_type, number = specs()
            macros += [
                (f"DTYPE_{kind}_{i}", c_type),
                (f"TYPENUM_{kind}_{i}", number),
                (f"ITEMSIZE_{kind}_{i}", str(scalar(0).itemsize)),
            ]
    return macros


def fail_macros(sub: dict[str, str]) -> list[Macro]:
    """Return ``FAIL``, and ``PARAMS`` where there are any."""
    macros = [("FAIL", sub["fail"])]
    if "params" in sub:
        macros.append(("PARAMS", sub["params"]))
    return macros


def name_macros(inputs: Iterable[str], outputs: Iterable[str]) -> list[Macro]:
    """Return ``INPUT_0`` and the like."""
    return [
        *((f"INPUT_{i}", name) for i, name in enumerate(inputs)),
        *((f"OUTPUT_{j}", name) for j, name in enumerate(outputs)),
    ]


def params_macros(params_type: Any) -> list[Macro]:
    """Return ``PARAMS_TYPE`` and, for each field that has an element type, ``DTYPE_PARAM_<field>``.

    Nothing where params are no `ParamsType`.
    """
    fields = getattr(params_type, "fields", None)
    if fields is None:
        return []
    macros = [("PARAMS_TYPE", params_type.name)]
    for name, type_ in zip(fields, params_type.types, strict=True):
        try:
            macros.append((f"DTYPE_PARAM_{name}", type_.c_element_type()))
        except (AttributeError, MethodNotDefined):
            continue
    return macros


def surround_code(macros: Iterable[Macro], code: str) -> str:
    """Return code with macros that are gone behind it."""
    if not code:
        return ""
    macros = list(macros)
    defined = "".join(f"#define {name} {text}\n" for name, text in macros)
    undefined = "".join(f"#undef {name.partition('(')[0]}\n" for name, _ in macros)
    return f"{defined}{code}\n{undefined}"
