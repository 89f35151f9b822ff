"""The type stubs that the registry gives: ``python -m thunkvm._src.stubs`` writes them.

Run it after an Op, an attribute or a field of a row was added or changed; a test compares.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

from thunkvm import _core
from thunkvm._src import arrays
from thunkvm._src.arrays import public
from thunkvm._src.core_stubs import core_stub, laid_out
from thunkvm._src.methods import METHODS
from thunkvm._src.row_stubs import rows_stub, with_fields
from thunkvm._src.saving import save_text

TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "dtype": "npt.DTypeLike",
    "list of ints": "int | Sequence[int]",
    "list of floats": "float | Sequence[float]",
    "list of strings": "Sequence[str]",
    "graph": "tuple[Sequence[Variable], Sequence[Variable]]",
}
WIDTH = 100
HEADER = '''"""The built-in Ops. Written by thunkvm._src.stubs from the registry; do not edit."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from thunkvm._core import Variable

__all__: list[str]

'''


EXPOSED_HEADER = '''"""The package's functions of Ops. Written by thunkvm.stubs; do not edit."""

# ruff: noqa: RUF022

import builtins
from collections.abc import Iterator, Sequence
from typing import Any

import numpy.typing as npt

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.axes import Axis
'''


CATALOG_HEADER = '''"""The modules of the functions. Written by thunkvm._src.stubs; do not edit.

The package and NumPy's protocol find a function here before its module is imported.
"""

'''


def import_families() -> None:
    """Import each file of functions, so that all are registered."""
    for module in pkgutil.walk_packages(arrays.__path__, f"{arrays.__name__}."):
        import_module(module.name)


def catalog() -> str:
    """Return the text of ``catalog.py``."""
    import_families()
    rows = public.FUNCTIONS.items()
    families: dict[str, list[str]] = {}
    for name, found in rows:
        families.setdefault(found.function.__module__, []).append(name)
    tables: list[tuple[str, str, Any]] = [
        ("By module, its functions.", "FAMILIES", dict(sorted(families.items()))),
        (
            "The functions that Variables have as methods too.",
            "METHODS",
            [name for name, found in rows if found.is_method],
        ),
        (
            "The functions that only NumPy has a name for.",
            "NUMPYS_ALONE",
            [name for name, found in rows if not found.of_package],
        ),
        (
            "The functions that do not stand for NumPy's of their names.",
            "OTHER_THAN_NUMPYS",
            [name for name, found in rows if not found.of_numpy],
        ),
        (
            "By its path in NumPy, the function of another name that is ours.",
            "NUMPYS",
            {path: name for name, found in sorted(rows) for path in found.numpy},
        ),
        (
            "By the ufunc, the function that is its ``reduce``.",
            "REDUCTIONS",
            {found.reduces: name for name, found in sorted(rows) if found.reduces},
        ),
    ]
    return CATALOG_HEADER + "\n".join(_table(*table) for table in tables) + CATALOG_END


CATALOG_END = """
#: By name, the module of each function.
HOMES = {name: module for module, names in FAMILIES.items() for name in names}
"""


def _table(told: str, name: str, found: Any) -> str:
    """Return a table as Python."""
    if isinstance(found, list):
        return f"#: {told}\n{name} = (\n{_wrap_names(found)})  # fmt: skip\n"
    lines = [
        f'    "{key}": "{value}",\n'
        if isinstance(value, str)
        else f'    "{key}": (\n{_wrap_names(value, 8)}    ),\n'
        for key, value in found.items()
    ]
    return f"#: {told}\n{name} = {{\n{''.join(lines)}}}  # fmt: skip\n"


def _wrap_names(names: list[str], indent: int = 4) -> str:
    """Return names in lines as wide as a line may be."""
    blank = " " * indent
    listed = ", ".join(f'"{name}"' for name in sorted(names)) + ","
    return textwrap.fill(listed, WIDTH, initial_indent=blank, subsequent_indent=blank) + "\n"


def ops_stub() -> str:
    """Return the text of ``ops.pyi``."""
    functions = "".join(_function(proto) for proto in _core.op_protos())
    variable = "from thunkvm._core import Variable\n"
    described = "from thunkvm._src.graph.prototypes import describe as describe\n"
    return HEADER.replace(variable, variable + described) + functions


def exposed_stub() -> str:
    """Return the text of ``exposed.pyi``."""
    import_families()
    families = sorted(
        (found.function.__module__, name)
        for name, found in public.FUNCTIONS.items()
        if found.of_package
    )
    listed = {name for name, _, _ in _core.exposed_ops()} | {name for _, name in families}
    names = "".join(f'    "{name}",\n' for name in sorted(listed))
    protos = {proto["name"]: proto for proto in _core.op_protos()}
    methods = [
        _function({**protos[op], "name": name}, "self")
        for name, op, is_method in _core.exposed_ops()
        if is_method
    ]
    methods += [
        _python_function(name, found.function)
        for name, found in sorted(public.FUNCTIONS.items())
        if found.is_method
    ]
    methods += [_python_function(name, found) for name, found in METHODS.items()]
    return (
        EXPOSED_HEADER
        + "".join(_import_line(family, name) for family, name in families)
        + "\n"
        + "".join(
            f"{name} = ops.{op}\n"
            for name, op, _ in _core.exposed_ops()
            if name not in public.FUNCTIONS
        )
        + f"\n__all__ = [\n{names}]\n\n"
        + "METHODS: builtins.list[str]\nMETHODS_OF_OPS: builtins.list[str]\n\n"
        + "class Methods:\n"
        + "".join(f"    {line}\n" for line in "".join(methods).splitlines())
    )


def _import_line(family: str, name: str) -> str:
    """Return an import of a function under its own name, laid out as the formatter does."""
    line = f"from {family} import {name} as {name}"
    if len(line) <= WIDTH:
        return f"{line}\n"
    return f"from {family} import (\n    {name} as {name},\n)\n"


def _python_function(name: str, found: Any) -> str:
    """Return the stub of a method or attribute of Variables that is written in Python."""
    if isinstance(found, property):
        note = "  # noqa: N802" if name in ("T", "mT") else ""
        return f"@property\ndef {name}(self) -> Variable: ...{note}\n"
    signature = inspect.signature(found)
    first, *others = signature.parameters.values()
    own = [first.replace(name="self", annotation=first.empty), *others]
    listed = str(signature.replace(parameters=own))
    # Annotations are written without quotes, and defaults with double ones.
    listed = re.sub(r"(: |-> )'([^']*)'", r"\1\2", listed).replace("'", '"')
    head, _, returns = listed.rpartition(" -> ")
    return laid_out(f"def {name}(", head[1:-1].split(", "), f") -> {returns}: ...")


def _function(proto: dict[str, Any], first: str = "") -> str:
    """Return a function's stub; `first` is the name of the first input, if not the Op's own."""
    parameters: list[str] = []
    variadic = False
    if first:
        parameters.append(first)
    for given in proto["inputs"][1 if first else 0 :]:
        if given["variadic"]:
            variadic = True
            parameters += (["/"] if parameters else []) + [f"*{given['name']}: Any"]
        else:
            parameters.append(f"{given['name']}: Any" + (" = None" if given["optional"] else ""))
    if proto["attrs"] and not variadic and not proto["attribute_by_position"]:
        parameters.append("*")
    parameters += [f"{attr['name']}: {_attribute(attr)}" for attr in proto["attrs"]]
    outputs = ["Variable" for _ in proto["outputs"]]
    returns = outputs[0] if len(outputs) == 1 else f"tuple[{', '.join(outputs)}]"
    return laid_out(f"def {proto['name']}(", parameters, f") -> {returns}: ...")


def _attribute(attr: dict[str, Any]) -> str:
    kind = TYPES[attr["type"]]
    if attr["required"]:
        return kind
    default = attr["default"]
    if default is None:
        return f"{kind} | None = None"
    if isinstance(default, list):
        return f"{kind} = [{', '.join(map(_format_value, default))}]"
    return f"{kind} = {_format_value(default)}"


def _format_value(value: Any) -> str:
    """Return a number, a bool or a text as the formatter has it: in double quotes."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def stubs() -> dict[Path, str]:
    """Return the files of the package that are written, and what they have to say."""
    package = Path(__file__).resolve().parents[1]
    profiling = package.parents[1] / "docs" / "profiling.md"
    documents = {profiling: with_fields(profiling)} if profiling.exists() else {}
    return documents | {
        package / "_core.pyi": core_stub(package / "_core.pyi"),
        package / "_rows.pyi": rows_stub(),
        package / "ops.pyi": ops_stub(),
        package / "_src" / "arrays" / "exposed.pyi": exposed_stub(),
        package / "_src" / "arrays" / "catalog.py": catalog(),
    }


if __name__ == "__main__":
    for path, text in stubs().items():
        save_text(path, text)
