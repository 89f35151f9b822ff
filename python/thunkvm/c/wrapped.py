"""Ops of plain C functions: `wrap_c`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from thunkvm._core import Apply, Variable
from thunkvm._src.graph.fitting import fitted
from thunkvm._src.graph.op import Op
from thunkvm.c.protocol import CObject
from thunkvm.c.prototypes import Parameter, Prototype, c_length, parse_prototype
from thunkvm.c.stages import GENERATED
from thunkvm.c.wrapped_text import BEFORE, HEAD, SUPPORT, TAIL

Gradient = Callable[[list[Variable], list[Variable]], Sequence[Variable | None]]
SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h")


class WrappedOp(Op, CObject):
    """Calls a plain C function."""

    __props__ = ("source", "path", "signature", "libraries", "compile_args", "release_gil",
                 "gradient")  # fmt: skip

    def __init__(
        self,
        source: str,
        path: str | None,
        signature: str,
        libraries: tuple[str, ...],
        compile_args: tuple[str, ...],
        release_gil: bool,
        gradient: Gradient | None,
    ) -> None:
        self.source = source
        self.path = path
        self.signature = signature
        self.libraries = libraries
        self.compile_args = compile_args
        self.release_gil = release_gil
        self.gradient = gradient
        self.prototype: Prototype = parse_prototype(signature)

    def make_node(self, *inputs: Any) -> Apply:
        """Make a node, of inputs that fit the parameters."""
        wanted = self.prototype.inputs
        if len(inputs) != len(wanted):
            names = ", ".join(p.name for p in wanted)
            raise TypeError(f"{self} takes {len(wanted)} inputs ({names}), but got {len(inputs)}.")
        fitting = [
            fitted(value, parameter.type, f"the argument {parameter.name!r} of {self}")
            for value, parameter in zip(inputs, wanted, strict=True)
        ]
        return Apply(self, fitting, [type_() for type_ in self.prototype.output_types])

    #: It is compiled as C++.
    c_kernel_is_cxx = True

    def c_libraries(self, **kwargs: Any) -> list[str]:
        """Return the libraries that were given."""
        return list(self.libraries)

    def c_compile_args(self, **kwargs: Any) -> list[str]:
        """Return the arguments that were given."""
        return list(self.compile_args)

    def c_kernel(self, node: Apply, name: str) -> str:
        """Return the function, and another one that calls it with what it takes."""
        text = self.source
        if self.path is not None:
            escaped = self.path.replace("\\", "\\\\").replace('"', '\\"')
            text = f'#line 1 "{escaped}"\n{text}'
        statements = _Call(self).text()
        return (
            f'{GENERATED}{BEFORE}#line 1 "source of {self}"\n{text}\n{GENERATED}{SUPPORT}'
            f"{HEAD % name}{statements}{TAIL}"
        )

    def __eq__(self, other: object) -> bool:
        """Compare what was given; each Op has a class of its own."""
        return isinstance(other, WrappedOp) and self._properties() == other._properties()

    def __hash__(self) -> int:
        """Hash what `__eq__` compares."""
        return hash(self._properties())

    def __str__(self) -> str:
        """Return the function's name."""
        return self.prototype.name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what was given."""
        return _made, self._properties() or ()


class _DifferentiableOp(WrappedOp):
    def grad(
        self, inputs: list[Variable], output_gradients: list[Variable]
    ) -> list[Variable | None]:
        """Ask the function that was given for the gradient."""
        assert self.gradient is not None  # or it were a WrappedOp
        return list(self.gradient(inputs, output_gradients))


def _made(*properties: Any) -> WrappedOp:
    signature, gradient = properties[2], properties[-1]
    base = WrappedOp if gradient is None else _DifferentiableOp
    # Listings and errors call an Op by its class.
    made = type(parse_prototype(signature).name, (base,), {})
    op: WrappedOp = made(*properties)
    return op


class _Call:
    """The C of one call."""

    def __init__(self, op: WrappedOp) -> None:
        self.prototype = op.prototype
        self.places = {p.name: f"in[{i}]" for i, p in enumerate(self.prototype.inputs)}
        first = 1 if self.prototype.returns_value else 0
        self.numbers = {p.name: first + j for j, p in enumerate(self.prototype.outputs)}

    def text(self) -> str:
        return "\n".join([*self.inputs(), *self.lengths(), *self.outputs(), *self.call()])

    def check(self, condition: str, exception: str, message: str, *values: str) -> str:
        """Return a statement that fails where the condition is false."""
        arguments = "".join(f", (long long)({value})" for value in values)
        text = f'"{self.prototype.name}: {message}"'
        return f'if (!({condition})) return tv_fail(call, "{exception}", {text}{arguments});'

    def inputs(self) -> list[str]:
        lines = []
        for p in self.prototype.inputs:
            place = self.places[p.name]
            if p.is_pointer:
                held = f"held_{p.name}"
                lines += [
                    f"const thunkvm_held_array {held}({place}, sizeof({p.c_type}));",
                    self.check(f"{held}.data != NULL", "MemoryError", "no memory for an input."),
                ]
            else:
                lines.append(f"const {p.c_type} value_{p.name} = *(const {p.c_type}*){place}.data;")
        return lines

    def lengths(self) -> list[str]:
        """Return the values of all integers, and the checks of the inputs' lengths."""
        lines, known = [], {}
        arrays = [p for p in self.prototype.inputs if p.is_pointer]
        for p in self.prototype.inputs:
            if not p.is_pointer and p.dtype[0] in "iu":
                lines.append(f"const long long length_{p.name} = (long long)value_{p.name};")
        for p in self.prototype.lengths:
            owner, axis = next(
                (a, axis) for a in arrays for axis, n in enumerate(a.lengths) if n == p.name
            )
            known[owner.name, axis] = p.name
            lines += [
                f"const long long length_{p.name} = {self.places[owner.name]}.shape[{axis}];",
                self.check(
                    f"(long long)({p.c_type})length_{p.name} == length_{p.name}",
                    "OverflowError",
                    f"axis {axis} of {owner.name!r} has length %lld, which does not fit "
                    f"{p.c_type} {p.name}.",
                    f"length_{p.name}",
                ),
            ]
        for p in arrays:
            for axis, length in enumerate(p.lengths):
                if (p.name, axis) in known:
                    continue
                has, wanted = f"{self.places[p.name]}.shape[{axis}]", c_length(length)
                lines.append(
                    self.check(
                        f"{has} == {wanted}",
                        "ValueError",
                        f"axis {axis} of {p.name!r} has length %lld, but has to have [{length}] = "
                        "%lld" + self.whose(length) + ".",
                        has,
                        wanted,
                    )
                )
        return lines

    def whose(self, length: str) -> str:
        """Return which array has that length, where it is an array's."""
        for p in self.prototype.inputs:
            if length in p.lengths and any(length == q.name for q in self.prototype.lengths):
                return f", as axis {p.lengths.index(length)} of {p.name!r} has"
        return ""

    def outputs(self) -> list[str]:
        return [
            line
            for p in self.prototype.outputs
            if p.lengths
            for line in self.output(p.name, self.numbers[p.name], p.lengths)
        ]

    def output(self, name: str, number: int, lengths: tuple[str, ...]) -> list[str]:
        lines = [
            self.check(
                f"{c_length(length)} >= 0",
                "ValueError",
                f"the output {name!r} cannot have [{length}] = %lld elements along axis {axis}.",
                c_length(length),
            )
            for axis, length in enumerate(lengths)
        ]
        shape = ", ".join(f"(int64_t){c_length(length)}" for length in lengths)
        lines += [
            f"const int64_t shape_{name}[] = {{{shape}}};",
            f"if (tv_output(call, {number}, shape_{name})) return -1;",
        ]
        return lines

    def argument(self, p: Parameter) -> str:
        if p.is_output:
            return f"({p.c_type}*)out[{self.numbers[p.name]}].data"
        if p.is_pointer:
            return f"(const {p.c_type}*)held_{p.name}.data"
        if p in self.prototype.lengths:
            return f"({p.c_type})length_{p.name}"
        return f"value_{p.name}"

    def call(self) -> list[str]:
        found = self.prototype
        declared = ", ".join(p.declared for p in found.parameters)
        arguments = ", ".join(self.argument(p) for p in found.parameters)
        lines = [] if found.result == "void" else [f"{found.result} result;"]
        # A pointer to the function, since a call would convert numbers without a word.
        lines += [
            "{",
            f"{found.result} (*const function)({declared}) = ::{found.name};",
            f"{'' if found.result == 'void' else 'result = '}function({arguments});",
            "}",
        ]
        if found.returns_status:
            lines.append(
                self.check("result == 0", "RuntimeError", "it returned %lld, not 0.",
                           "result")
            )  # fmt: skip
        if found.returns_value:
            lines.append(f"*({found.result}*)out[0].data = result;")
        return lines


def wrap_c(
    source: str | os.PathLike[str],
    signature: str,
    *,
    grad: Gradient | None = None,
    libraries: Sequence[str] = (),
    compile_args: Sequence[str] = (),
    release_gil: bool = False,
) -> WrappedOp:
    """Make an Op of a plain C function on numbers, pointers and lengths.

    The signature is the function's prototype in C, with the length of each axis in brackets:

    =========================  ==================================================================
    ``double a``               an input: a number
    ``const double x[n]``      an input of one dimension, whose length is `n`
    ``const double m[n][k]``   an input of two dimensions, rows first, one after the other
    ``const double* p``        an input of no dimension, by its address
    ``long n``                 a length, if it is one of an input's; otherwise an input
    ``double z[n]``            an output; lengths may be ``[2 * n + 1]``, of any integers there are
    ``double* s``              an output of no dimension
    ``int f(...)``             returns 0, or the call is a RuntimeError
    ``double f(...)``          returns the first output; so does any type but int
    =========================  ==================================================================

    Inputs are contiguous and of that dtype, copied where they are not. Two axes of one name must
    have one length. The function must not write to inputs, and has to write all elements of
    the outputs, whose memory begins with anything.

    Parameters
    ----------
    source : str or path
        The text that defines the function, or the path of a file: a `Path`, or a str that ends
        with ``.c``. It is compiled as C++17, where ``restrict`` is known too, but what malloc
        returns needs a cast. It may have includes and other functions, or nothing but the include
        of a library's header.
    signature : str
        The prototype. The compiler compares it with the definition.
    grad : callable, optional
        ``grad(inputs, output_gradients)``, as `Op.grad`: takes and returns Variables.
    libraries : sequence of str
        What to link with: ``["gsl"]`` for ``-lgsl``.
    compile_args : sequence of str
        Arguments for the compiler, after thunkvm's own.
    release_gil : bool
        Let other threads of Python run during the call. It is worth it for calls of more than some
        microseconds, and right for functions that have no static variables which they change, and
        while no other thread writes to the arrays. If False, the call holds the GIL, and only one
        runs at a time.

    Returns
    -------
    Op
        An Op with the function's name, which takes the inputs in their order. Ops of equal
        arguments are equal.

    Raises
    ------
    ValueError
        If the signature is not understood; the message names the parameter.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import thunkvm as tv
    >>> saxpy = tv.wrap_c(
    ...     '''void saxpy(double a, const double* x, const double* y, double* z, long n) {
    ...          for (long i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
    ...        }''',
    ...     "void saxpy(double a, const double x[n], const double y[n], double z[n], long n)",
    ... )
    >>> x, y = tv.vector("x"), tv.vector("y")
    >>> tv.function([x, y], saxpy(2.0, x, y))([1.0, 2.0], [10.0, 20.0])
    array([12., 24.])
    """
    path = None
    if isinstance(source, os.PathLike) or (
        isinstance(source, str) and "\n" not in source and source.endswith(SUFFIXES)
    ):
        file = Path(source).resolve()
        if not file.is_file():
            raise FileNotFoundError(f"[wrap_c] there is no file {str(file)!r}.")
        path, source = str(file), file.read_text(encoding="utf-8")
    if not isinstance(source, str):
        raise TypeError(
            f"[wrap_c] the source is {source!r}, a {type(source).__name__}; give the text of the "
            "function, or the path of a file."
        )
    if not isinstance(signature, str):
        raise TypeError(f"[wrap_c] the signature is {signature!r}; give the function's prototype.")
    if grad is not None and not callable(grad):
        raise TypeError(
            f"[wrap_c] grad is {grad!r}; give a function of (inputs, output_gradients)."
        )
    return _made(
        source, path, signature, tuple(libraries), tuple(compile_args), bool(release_gil), grad
    )


__all__ = ["wrap_c"]
