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
from thunkvm.c.prototypes import Prototype, parse_prototype
from thunkvm.c.stages import GENERATED, name_lines
from thunkvm.c.wrapped_call import WrappedCall
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
        source = name_lines(self.source, self.path or f"source of {self}")
        statements = WrappedCall(self.prototype).text()
        return f"{GENERATED}{BEFORE}{source}{SUPPORT}{HEAD % name}{statements}{TAIL}"

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
        return _make_op, self._properties() or ()


class _DifferentiableOp(WrappedOp):
    def grad(
        self, inputs: list[Variable], output_gradients: list[Variable]
    ) -> list[Variable | None]:
        """Ask the function that was given for the gradient."""
        assert self.gradient is not None  # or it were a WrappedOp
        return list(self.gradient(inputs, output_gradients))


def _make_op(*properties: Any) -> WrappedOp:
    signature, gradient = properties[2], properties[-1]
    base = WrappedOp if gradient is None else _DifferentiableOp
    # Listings and errors call an Op by its class.
    made = type(parse_prototype(signature).name, (base,), {})
    op: WrappedOp = made(*properties)
    return op


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
    have one length. The function must not write to inputs. It has to write all elements of the
    outputs, whose memory is not initialised.

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
        microseconds. It is right for functions that change no static variables, and while no other
        thread writes to the arrays. If False, the call holds the GIL, and only one runs at a time.

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
    return _make_op(
        source, path, signature, tuple(libraries), tuple(compile_args), bool(release_gil), grad
    )
