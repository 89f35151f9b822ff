"""Ops that break their contract, each in one way: what the modes that check have to find.

Each is honest in the ordinary modes' eyes: it computes twice its input, or seems to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import thunkvm as tv


class Lie(tv.Op):
    """An Op of a vector or matrix, whose outputs are of the same Type."""

    n_outputs = 1

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type() for _ in range(self.n_outputs)])


class WritesToItsInput(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        inputs[0] *= 2.0
        output_storage[0][0] = inputs[0].copy()


class ReturnsItsInput(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0]


class ReturnsAPart(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0][::-1]


class DeclaresTheWrongView(Lie):
    n_outputs = 2
    view_map = {1: [0]}

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0]
        output_storage[1][0] = inputs[0] * 2.0


class ReturnsOneArrayTwice(Lie):
    n_outputs = 2

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = output_storage[1][0] = inputs[0] * 2.0


class KeepsItsOutput(Lie):
    kept: np.ndarray | None = None

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        if self.kept is None or self.kept.shape != inputs[0].shape:
            self.kept = np.empty_like(inputs[0])
        np.multiply(inputs[0], 2.0, out=self.kept)
        output_storage[0][0] = self.kept


class CountsItsRuns(Lie):
    runs = 0

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        self.runs += 1
        output_storage[0][0] = inputs[0] * self.runs


class AddsToItsOutput(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        z = output_storage[0]
        if z[0] is None or z[0].shape != inputs[0].shape:
            z[0] = np.zeros_like(inputs[0])
        z[0] += inputs[0] * 2.0


class TrustsTheShapeOfItsOutput(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        z = output_storage[0]
        if z[0] is None:
            z[0] = np.empty_like(inputs[0])
        z[0][tuple(slice(n) for n in inputs[0].shape)] = inputs[0] * 2.0


class LeavesWhatIsThere(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        if output_storage[0][0] is None:
            output_storage[0][0] = inputs[0] * 2.0


class NeedsContiguousInputs(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        flat = np.frombuffer(inputs[0].base if inputs[0].base is not None else inputs[0])
        output_storage[0][0] = 2.0 * flat[: inputs[0].size].reshape(inputs[0].shape)


class WritesToWhatItAskedFor(Lie):
    """A lazy one."""

    def demand(self, node: Any) -> Iterator[Any]:
        x = yield 0
        x += 1.0
        return x * 2.0


class GivesAnotherDtype(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = (inputs[0] * 2.0).astype("float32")


class GivesAnotherNdim(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = (inputs[0] * 2.0).ravel()


class GivesAnotherLength(tv.Op):
    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [tv.TensorType("float64", (2, 2))()])

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0] * 2.0


class InfersAnotherShape(Lie):
    def infer_shape(self, node: Any, input_shapes: Any) -> Any:
        return [input_shapes[0][::-1]]

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0] * 2.0


class AppendsToAList(tv.Op):
    """Its input is a list, a Generic."""

    def make_node(self, items: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [items], [tv.scalar().type()])

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        inputs[0].append(1.0)
        output_storage[0][0] = np.float64(2.0)


class GivesNan(Lie):
    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = np.full_like(inputs[0], np.nan)


class InC(tv.COp):
    """A COp of one array of float64, which doubles it; `body` has `x`, `z` and `n` at hand."""

    body = ""
    support = ""

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_support_code(self) -> str:
        return self.support

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        parts = {"x": inputs[0], "z": outputs[0], "fail": sub["fail"]}
        return "{ " + (PRELUDE + self.body + END) % parts + " }"


PRELUDE = """
    npy_intp n = PyArray_SIZE(%(x)s);
    (void)n;
"""
END = ""
FRESH = """
    Py_XDECREF(%(z)s);
    %(z)s = (PyArrayObject*)PyArray_EMPTY(PyArray_NDIM(%(x)s), PyArray_DIMS(%(x)s), NPY_DOUBLE, 0);
    if (%(z)s == NULL) %(fail)s;
"""
#: Twice the elements as they are seen through the strides, one by one.
TWICE = """
    { PyArrayObject* from = (PyArrayObject*)PyArray_GETCONTIGUOUS(%(x)s);
      for (npy_intp i = 0; i < n; ++i)
        ((double*)PyArray_DATA(%(z)s))[i] = 2.0 * ((double*)PyArray_DATA(from))[i];
      Py_DECREF(from); }
"""


class HonestInC(InC):
    body = FRESH + TWICE

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0] * 2.0


class OtherThanItsPerform(InC):
    body = FRESH + TWICE

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        output_storage[0][0] = inputs[0] * 2.0 + 1e-6


class PerformRaises(InC):
    body = FRESH + TWICE

    def perform(self, node: Any, inputs: list, output_storage: list) -> None:
        raise ArithmeticError("not today")


class WritesToItsInputInC(InC):
    body = FRESH + TWICE + "\n((double*)PyArray_DATA(%(x)s))[0] += 1.0;"


class ReturnsItsInputInC(InC):
    body = "Py_XDECREF(%(z)s); %(z)s = %(x)s; Py_INCREF(%(z)s);"


class IgnoresStridesOfItsInput(InC):
    body = (
        FRESH
        + """
    for (npy_intp i = 0; i < n; ++i)
      ((double*)PyArray_DATA(%(z)s))[i] = 2.0 * ((double*)PyArray_DATA(%(x)s))[i];
"""
    )


class IgnoresStridesOfItsOutput(InC):
    body = (
        """
    if (%(z)s == NULL || !PyArray_SAMESHAPE(%(z)s, %(x)s)) {"""
        + FRESH
        + "}"
        + TWICE
    )


class TrustsTheShapeOfItsOutputInC(InC):
    body = (
        """
    if (%(z)s == NULL || PyArray_SIZE(%(z)s) < n || !PyArray_IS_C_CONTIGUOUS(%(z)s)) {"""
        + FRESH
        + "}"
        + TWICE
    )


class AddsToItsOutputInC(InC):
    body = (
        """
    if (%(z)s == NULL || !PyArray_SAMESHAPE(%(z)s, %(x)s) || !PyArray_IS_C_CONTIGUOUS(%(z)s)) {"""
        + FRESH
        + """
      memset(PyArray_DATA(%(z)s), 0, PyArray_NBYTES(%(z)s));
    }
    { PyArrayObject* from = (PyArrayObject*)PyArray_GETCONTIGUOUS(%(x)s);
      for (npy_intp i = 0; i < n; ++i)
        ((double*)PyArray_DATA(%(z)s))[i] += 2.0 * ((double*)PyArray_DATA(from))[i];
      Py_DECREF(from); }
"""
    )


class KeepsItsOutputInC(InC):
    support = "static PyArrayObject* kept = NULL;"
    body = (
        """
    if (kept == NULL || !PyArray_SAMESHAPE(kept, %(x)s))
      kept = (PyArrayObject*)PyArray_EMPTY(PyArray_NDIM(%(x)s), PyArray_DIMS(%(x)s), NPY_DOUBLE, 0);
    Py_XDECREF(%(z)s);
    %(z)s = kept;
    Py_INCREF(%(z)s);
"""
        + TWICE
    )


class CountsItsRunsInC(InC):
    support = "static int runs = 0;"
    body = FRESH + TWICE + "\n((double*)PyArray_DATA(%(z)s))[0] += ++runs;"


class LeaksItsInput(InC):
    body = FRESH + TWICE + "\nPy_INCREF(%(x)s);"


class LeaksItsOutput(InC):
    body = FRESH + TWICE + "\nPy_INCREF(%(z)s);"


class Crashes(InC):
    body = FRESH + TWICE + "\n*(volatile int*)0 = 1;"


class Aborts(InC):
    support = "#include <cstdlib>"
    body = FRESH + TWICE + "\nif (n > 0) abort();"


class Exits(InC):
    support = "#include <unistd.h>"
    body = FRESH + TWICE + "\nif (n > 0) _exit(3);"


class CrashesOnGaps(InC):
    """Only where the memory that it is lent has gaps."""

    body = (
        "if (%(z)s != NULL && !PyArray_ISONESEGMENT(%(z)s)) *(volatile int*)0 = 1;" + FRESH + TWICE
    )


#: What writes to a pointer that it promised to be const.
BREAKS_CONST = tv.wrap_c(
    """void twice_and_more(const double* x, double* z, long n) {
         for (long i = 0; i < n; ++i) z[i] = 2.0 * x[i];
         ((double*)x)[n - 1] = 7.0;
       }""",
    "void twice_and_more(const double x[n], double z[n], long n)",
)
#: What counts its runs in a static variable.
HAS_A_STATIC = tv.wrap_c(
    """void twice_and_count(const double* x, double* z, long n) {
         static int runs = 0;
         ++runs;
         for (long i = 0; i < n; ++i) z[i] = 2.0 * x[i] + runs;
       }""",
    "void twice_and_count(const double x[n], double z[n], long n)",
)


class _Allocates(InC):
    """Makes its output anew; `loop` writes to it."""

    loop = ""

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
            npy_intp n = PyArray_SIZE({x});
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_EMPTY(2, PyArray_DIMS({x}), NPY_DOUBLE, 0);
            if ({z} == NULL) {sub["fail"]};
            {{
              double* to = (double*)PyArray_DATA({z});
              {self.loop}
            }}"""


class WritesBesideItsOutput(_Allocates):
    """One element too many."""

    loop = "for (npy_intp i = 0; i <= n; ++i) to[i] = 1.0;"


class LeavesAnElementUnset(_Allocates):
    """One element too few."""

    loop = "for (npy_intp i = 1; i < n; ++i) to[i] = 1.0;"


class WritesToItsInputInAKernel(Lie):
    """In plain C."""

    def c_kernel(self, node: Any, name: str) -> str:
        return f"""
            int {name}(tv_call *call, const tv_array *in, tv_array *out) {{
              if (tv_output(call, 0, in[0].shape)) return -1;
              for (int64_t i = 0; i < out[0].size; ++i) ((double *)out[0].data)[i] = 0;
              *(double *)in[0].data += 1;
              return 0;
            }}"""
