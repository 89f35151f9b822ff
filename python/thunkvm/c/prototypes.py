"""Prototypes of C functions, as `wrap_c` reads them: which argument is what, and how long."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from pycparser import CParser, c_ast
from pycparser.c_parser import ParseError

from thunkvm._core import TensorType
from thunkvm._src.teaching.nearest import did_you_mean

#: NumPy's dtype of C's types, on this machine.
DTYPES: dict[str, str] = {
    name: np.dtype(type_).name
    for name, type_ in {
        "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool,
        "signed char": ctypes.c_byte, "unsigned char": ctypes.c_ubyte,
        "short": ctypes.c_short, "unsigned short": ctypes.c_ushort,
        "int": ctypes.c_int, "unsigned": ctypes.c_uint,
        "long": ctypes.c_long, "unsigned long": ctypes.c_ulong,
        "long long": ctypes.c_longlong, "unsigned long long": ctypes.c_ulonglong,
        "size_t": ctypes.c_size_t, "ssize_t": ctypes.c_ssize_t, "ptrdiff_t": ctypes.c_ssize_t,
        "npy_intp": ctypes.c_ssize_t, "npy_float32": ctypes.c_float,
        "npy_float64": ctypes.c_double, "npy_bool": ctypes.c_bool,
        **{f"{prefix}int{bits}{suffix}": getattr(ctypes, f"c_{sign}int{bits}")
           for bits in (8, 16, 32, 64) for prefix, sign, suffix in (
               ("", "", "_t"), ("u", "u", "_t"), ("npy_", "", ""), ("npy_u", "u", ""))},
    }.items()
}  # fmt: skip

#: The words of C's own types, and those that stand beside a type.
_OF_C = {word for name in DTYPES for word in name.split() if "_" not in word} - {"bool"}
_OF_C |= {"const", "restrict", "void", "volatile"}
_NUMBER = re.compile(r"0|[1-9]\d*")
_LENGTH = re.compile(r"\[([^\[\]]*)\]")
FORM = 'write it as C does, such as "void scale(double a, const double x[n], double z[n], long n)"'


@dataclass(frozen=True)
class Parameter:
    """One parameter: a number, a length, an array that is read, or one that is written."""

    name: str
    c_type: str
    is_const: bool
    is_pointer: bool
    #: The length of each axis, as it is written.
    lengths: tuple[str, ...]

    @property
    def is_output(self) -> bool:
        """Whether the function writes to it."""
        return self.is_pointer and not self.is_const

    @property
    def dtype(self) -> str:
        """NumPy's name of the type."""
        return DTYPES[self.c_type]

    @property
    def type(self) -> TensorType:
        """The Type of the variable that stands for it."""
        known = [int(length) if length.isdecimal() else None for length in self.lengths]
        return TensorType(self.dtype, tuple(known))

    @property
    def declared_type(self) -> str:
        """Its type in C, without the name."""
        if not self.is_pointer:
            return self.c_type
        return f"{'const ' if self.is_const else ''}{self.c_type}*"


@dataclass(frozen=True)
class Prototype:
    """A function's name, what it returns, and its parameters."""

    name: str
    #: A type of `DTYPES`, or "void".
    result: str
    parameters: tuple[Parameter, ...]

    @property
    def lengths(self) -> tuple[Parameter, ...]:
        """The integers that are the length of an axis of an input, which nobody has to give."""
        told = {
            length for p in self.parameters if p.is_pointer and p.is_const for length in p.lengths
        }
        return tuple(p for p in self.parameters if not p.is_pointer and p.name in told)

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The parameters that are the Op's inputs."""
        lengths = self.lengths
        return tuple(p for p in self.parameters if not p.is_output and p not in lengths)

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        """The parameters that are written, and returned after the result."""
        return tuple(p for p in self.parameters if p.is_output)

    @property
    def returns_status(self) -> bool:
        """Whether what is returned is 0 for success."""
        return self.result == "int"

    @property
    def returns_value(self) -> bool:
        """Whether what is returned is the first output."""
        return self.result not in ("void", "int")

    @property
    def output_types(self) -> tuple[TensorType, ...]:
        """The Types of the outputs."""
        first = (TensorType(DTYPES[self.result], ()),) if self.returns_value else ()
        return (*first, *(p.type for p in self.outputs))


def parse_prototype(text: str) -> Prototype:
    """Parse a prototype.

    Raises
    ------
    ValueError
        If it is none, or a type, a name or a length is not known; the message names it.

    Examples
    --------
    >>> from thunkvm.c.prototypes import parse_prototype
    >>> found = parse_prototype("void scale(double a, const double x[n], double z[n], long n)")
    >>> [[p.name for p in part] for part in (found.inputs, found.outputs, found.lengths)]
    [['a', 'x'], ['z'], ['n']]
    """
    function = _declaration(text)
    parts = text[text.find("(") + 1 : text.rfind(")")].split(",")
    nodes = [] if function is None or function.args is None else function.args.params
    nodes = [] if parts[0].strip() == "void" else nodes
    if function is None or (nodes and len(nodes) != len(parts)):
        raise ValueError(f"[wrap_c] {text!r} is no prototype of a function; {FORM}.")
    name = function.type.declname
    result = _c_type(function.type.type, f"what {name} returns", result=True)
    parameters = (_parameter(n, part.strip(), name) for n, part in zip(nodes, parts, strict=False))
    found = Prototype(name, result, tuple(parameters))
    _check_prototype(found)
    return found


def _declaration(text: str) -> Any:
    """Return the function that a text declares; None where it declares none.

    A word before another one is a type, be it known or not: errors name what is not. They name
    lengths too, which are parsed by themselves.
    """
    text = _LENGTH.sub("[1]", text).strip().removesuffix(";")
    types = dict.fromkeys(re.findall(r"[A-Za-z_]\w*(?=[\s*]+[A-Za-z_])", text))
    known = "".join(f"typedef int {name};" for name in types if name not in _OF_C)
    try:
        *_, found = CParser().parse(f"{known}{text};")
    except ParseError:
        return None
    function: Any = getattr(found, "type", None)
    is_function = isinstance(function, c_ast.FuncDecl)
    return function if is_function and isinstance(function.type, c_ast.TypeDecl) else None


def _c_type(node: Any, what: str, result: bool = False) -> str:
    """Return a type as `DTYPES` spells it."""
    listed = list(getattr(node, "names", ["struct"]))
    if len(listed) > 1 and "int" in listed:  # long int, unsigned int
        listed.remove("int")
    name = " ".join(listed)
    if name in DTYPES or (result and name == "void"):
        return name
    raise ValueError(
        f"[wrap_c] {what} has the type {name!r}; it has to be one of {', '.join(DTYPES)}."
        + did_you_mean(name, DTYPES)
    )


def _parameter(node: Any, text: str, function: str) -> Parameter:
    lengths = tuple(map(str.strip, _LENGTH.findall(text)))
    name, inner = getattr(node, "name", None), node  # the three dots have none
    while isinstance(inner, (c_ast.Decl, c_ast.ArrayDecl)):
        inner = inner.type
    star = isinstance(inner, c_ast.PtrDecl)
    inner = inner.type if star else inner
    if name is None or not isinstance(inner, c_ast.TypeDecl):
        raise ValueError(
            f"[wrap_c] the parameter {text!r} of {function} is not a type and a name; {FORM}."
        )
    if star and lengths:
        words = text.partition("*")[0].strip()
        raise ValueError(
            f"[wrap_c] the parameter {text!r} of {function} is an array of pointers in C; for the "
            f"elements of {name} write {f'{words} {name}' + text[text.index('[') :]!r}."
        )
    c_type = _c_type(inner.type, f"the parameter {name!r} of {function}")
    return Parameter(name, c_type, "const" in inner.quals, star or bool(lengths), lengths)


def _check_prototype(found: Prototype) -> None:
    names = [p.name for p in found.parameters]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"[wrap_c] two parameters of {found.name} have the name {name!r}.")
    if not found.output_types:
        raise ValueError(
            f"[wrap_c] {found.name} has no output: that is a pointer without const, or a number "
            "that is returned (int is a status, 0 for success)."
        )
    integers = {
        p.name for p in found.parameters
        if not p.is_pointer and np.dtype(p.dtype).kind in "iu"
    }  # fmt: skip
    for parameter in found.parameters:
        for length in parameter.lengths:
            _check_length(found, parameter, length, integers)


def _check_length(found: Prototype, parameter: Parameter, length: str, integers: set[str]) -> None:
    what = f"[wrap_c] the length [{length}] of {parameter.name!r} of {found.name}"
    try:
        waiting = [CParser().parse(f"int length[{length}];").ext[0].type.dim]
    except ParseError:
        raise ValueError(f"{what} is not well formed.") from None
    while waiting:
        node = waiting.pop()
        if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-", "*"):
            waiting += [node.left, node.right]
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("+", "-"):
            waiting.append(node.expr)
        elif not isinstance(node, c_ast.ID) and not _NUMBER.fullmatch(getattr(node, "value", "")):
            raise ValueError(
                f"{what} has to be made of integer parameters and numbers with +, - and *, such as "
                "[n] or [2 * n + 1]."
            )
        if isinstance(node, c_ast.ID) and node.name not in integers:
            raise ValueError(
                f"{what} has {node.name!r}, which is no integer parameter"
                f" (there are: {', '.join(sorted(integers)) or 'none'}): add one, such as 'long "
                f"{node.name}'." + did_you_mean(node.name, integers)
            )


def c_length(length: str) -> str:
    """Return a length in C++, where the values of integers are called ``length_<name>``.

    Numbers are of the type that says where arithmetic does not fit (wrapped_text.py).

    Examples
    --------
    >>> from thunkvm.c.prototypes import c_length
    >>> c_length("2 * n + 1")
    '(thunkvm_length(2) * length_n + thunkvm_length(1))'
    """

    def number(word: re.Match[str]) -> str:
        return f"thunkvm_length({word[0]})" if word[0][0].isdigit() else f"length_{word[0]}"

    return "(" + re.sub(r"\w+", number, length) + ")"
