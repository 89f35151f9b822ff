"""The type stub of `thunkvm.ops`, written from the registry: ``python -m thunkvm.stubs``.

Run it after an Op or an attribute was added or changed; a test compares the file with the registry.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thunkvm import _core

TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "dtype": "npt.DTypeLike",
    "list of ints": "int | Sequence[int]",
    "list of floats": "float | Sequence[float]",
    "list of strings": "Sequence[str]",
}
WIDTH = 100
HEADER = '''"""The built-in Ops. Written by thunkvm.stubs from the registry; do not edit."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from thunkvm._core import Variable

__all__: list[str]

'''


def ops_stub() -> str:
    """Return the text of ``ops.pyi``."""
    return HEADER + "".join(_function(proto) for proto in _core.op_protos())


def _function(proto: dict[str, Any]) -> str:
    parameters: list[str] = []
    variadic = False
    for given in proto["inputs"]:
        if given["variadic"]:
            variadic = True
            parameters += (["/"] if parameters else []) + [f"*{given['name']}: Any"]
        else:
            parameters.append(f"{given['name']}: Any" + (" = None" if given["optional"] else ""))
    if parameters and not variadic:
        parameters.append("/")
    if proto["attrs"] and not variadic and not proto["attribute_by_position"]:
        parameters.append("*")
    parameters += [f"{attr['name']}: {_attribute(attr)}" for attr in proto["attrs"]]
    returns = "Variable" if len(proto["outputs"]) == 1 else "Any"
    return _laid_out(f"def {proto['name']}(", parameters, f") -> {returns}: ...")


def _laid_out(head: str, parameters: list[str], tail: str) -> str:
    """Break lines as the formatter does, so that it leaves the file as it is."""
    listed = ", ".join(parameters)
    if len(head + listed + tail) <= WIDTH:
        return f"{head}{listed}{tail}\n"
    if len(listed) + 4 <= WIDTH:
        return f"{head}\n    {listed}\n{tail}\n"
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{head}\n{lines}{tail}\n"


def _attribute(attr: dict[str, Any]) -> str:
    kind = TYPES[attr["type"]]
    if attr["required"]:
        return kind
    default = attr["default"]
    if default is None:
        return f"{kind} | None = None"
    # Double quotes, as the formatter has them.
    return f"{kind} = {json.dumps(default) if isinstance(default, str) else repr(default)}"


if __name__ == "__main__":
    Path(__file__).resolve().with_name("ops.pyi").write_text(ops_stub())
