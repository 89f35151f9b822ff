"""The stubs of what pybind11 binds, by pybind11-stubgen, a dependency of development alone."""

from __future__ import annotations

import logging
import re
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

from thunkvm import _core

WIDTH = 100
#: Behind this line of ``_core.pyi`` all is written; before it stands what is bound by hand.
WRITTEN = "# Bound by pybind11. Written by thunkvm._src.stubs with pybind11-stubgen; do not edit.\n"
#: The methods that pybind11 adds to classes that are made by hand.
ADDED = {"Function": "FunctionMethods"}
#: What the header of the stub imports, and what ruff and mypy would have shorter.
SHORTER = (
    (r"thunkvm\._core\.|thunkvm\._rows\.|collections\.abc\.|thunkvm\._src\.calls\.mode\.", ""),
    (r"\btyping\.(Any|Callable)\b", r"\1"),
    (r"typing\.Union\[([^][]*(?:\[[^][]*\])?[^][]*)\]", lambda found: _union(found[1])),
    (r"typing\.SupportsInt \| typing\.SupportsIndex", "int"),
    (r"typing\.SupportsFloat \| typing\.SupportsIndex", "float"),
    (r"^ +__slots__: .*\n", ""),
    (r"^(\s+)(\w+): typing\.ClassVar\[\w+\].*$", r"\1\2 = ..."),
    (r"\(enum\.Enum\)", "(Enum)"),
    (r"self: Function\b", "self"),
    (r":\n +\.\.\.$", ": ..."),
    (r"\bdict\b(?!\[)", "dict[str, Any]"),
    (r"\blist\b(?!\[)", "list[Any]"),
    (r"\btuple\b(?!\[)", "tuple[Any, ...]"),
    (r"(\*args|\*\*kwargs|\*\*attributes)\b(?!:)", r"\1: Any"),
)


def core_stub(path: Path) -> str:
    """Return the text of ``_core.pyi``: what stands in it by hand, and the rest."""
    by_hand, line, _ = path.read_text(encoding="utf-8").partition(WRITTEN)
    if not line:
        raise ValueError(f"{path} has no line {WRITTEN!r}; the stubs are written behind it.")
    return by_hand + WRITTEN + "".join(map(_shorten_stub, _bound()))


def _bound() -> list[str]:
    """Return the stubs of functions and classes, each as pybind11-stubgen writes it."""
    from pybind11_stubgen import arg_parser, stub_parser_from_args
    from pybind11_stubgen.printer import Printer
    from pybind11_stubgen.structs import QualifiedName

    # It warns of names that are made by hand, which are not in the module that it reads.
    logging.getLogger("pybind11_stubgen").disabled = True
    args: Any = arg_parser().parse_args([_core.__name__])
    parser = stub_parser_from_args(args)
    module: Any = parser.handle_module(QualifiedName.from_str(_core.__name__), _make_module())
    printer = Printer(invalid_expr_as_ellipses=True)
    for each in module.classes:
        each.doc = None
        if issubclass(getattr(_core, each.name, object), Enum):
            each.methods.clear()
        for method in each.methods:
            method.function.doc = None
        for attribute in each.properties:
            attribute.doc = attribute.getter.doc = None
    for function in module.functions:
        function.doc = None
    printed = [["", *printer.print_class(each)] for each in module.classes] + [[""]]
    printed += [printer.print_function(each) for each in module.functions]
    return ["\n".join(lines) + "\n" for lines in printed]


def _make_module() -> ModuleType:
    """Return a module of what pybind11 binds; its functions have their signatures as docstrings."""
    made = ModuleType(_core.__name__)
    added: dict[str, dict[str, Any]] = {name: {} for name in ADDED}
    for name, line in _core._testing.signatures.items():
        owner, _, method = name.rpartition(".")
        bound = getattr(getattr(_core, owner), method) if owner else getattr(_core, name, None)
        if bound is None:
            continue  # of `_testing`
        stand_in = _stand_in(line)
        if owner:
            added[owner][method] = property(stand_in) if isinstance(bound, property) else stand_in
        else:
            setattr(made, name, stand_in)
    for name, members in added.items():
        setattr(made, ADDED[name], type(ADDED[name], (), members | {"__module__": made.__name__}))
    for name, each in vars(_core).items():
        by_pybind = type(each).__name__ == "pybind11_type"
        if by_pybind or (isinstance(each, type) and issubclass(each, Enum)):
            setattr(made, name, each)
    return made


def _stand_in(line: str) -> Any:
    function: Any = lambda *args, **kwargs: None  # noqa: E731 - stubgen believes annotations
    function.__name__, function.__doc__ = line.partition("(")[0], line
    function.__module__ = _core.__name__
    return function


def _union(members: str) -> str:
    return members.replace(", ", " | ")


def _shorten_stub(text: str) -> str:
    """Return a stub with short names of types, and its lines as the formatter has them."""
    for pattern, short in SHORTER:
        text = re.sub(pattern, short, text, flags=re.MULTILINE)
    return "".join(_line(line) for line in text.splitlines())


def _line(line: str) -> str:
    found = re.fullmatch(r"( *)(def \w+\()(.*)(\) -> .*: \.\.\.)", line)
    if found is None or len(line) <= WIDTH:
        return f"{line}\n"
    indent, head, listed, tail = found.groups()
    laid = laid_out(head, _parameters(listed), tail, WIDTH - len(indent))
    return "".join(indent + part + "\n" for part in laid.splitlines())


def _parameters(listed: str) -> list[str]:
    """Split parameters at the commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in listed:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def laid_out(head: str, parameters: list[str], tail: str, width: int = WIDTH) -> str:
    """Break a definition into lines as the formatter does, so that it leaves them."""
    listed = ", ".join(parameters)
    if len(head + listed + tail) <= width:
        return f"{head}{listed}{tail}\n"
    if len(tail) > width:
        tail = _broken_result(tail)
    if len(listed) + 4 <= width and len(parameters) > 1:
        return f"{head}\n    {listed}\n{tail}\n"
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{head}\n{lines}{tail}\n"


def _broken_result(tail: str) -> str:
    """Break a long result, which is a tuple or None."""
    found = re.fullmatch(r"\) -> tuple\[(.*)\] \| None: \.\.\.", tail)
    if found is None:
        return tail
    lines = "".join(f"        {member},\n" for member in _parameters(found[1]))
    return f") -> (\n    tuple[\n{lines}    ]\n    | None\n): ..."


__all__ = ["core_stub", "laid_out"]
