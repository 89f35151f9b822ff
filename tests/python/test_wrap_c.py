"""wrap_c: plain C functions on numbers, pointers and lengths as Ops."""

from __future__ import annotations

import pickle
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

FOLDER = Path(__file__).parent / "c_sources"

SAXPY = (
    """
    void saxpy(double a, const double* x, const double* y, double* z, long n) {
      for (long i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
    }
    """,
    "void saxpy(double a, const double x[n], const double y[n], double z[n], long n)",
)
HALVES = (FOLDER / "halves.c", "int halves(const float x[n], float z[n], int n)")

a, x, y, m = tv.scalar("a"), tv.vector("x"), tv.vector("y"), tv.matrix("m")


def sum_of(first: str, second: str) -> tv.Op:
    """An Op of a function that adds, in the types that are given."""
    return tv.wrap_c(
        f"{second} total(const {first}* x, int n)"
        "{ double sum = 0; for (int i = 0; i < n; ++i) sum += x[i]; return sum; }",
        f"{second} total(const {first} x[n], int n)",
    )


@pytest.mark.parametrize("mode", ["cvm", "c", "c|py", "cvm_nogc", "FAST_RUN"])
def test_a_function_of_numbers_and_vectors(mode: str) -> None:
    f = tv.function([a, x, y], tv.wrap_c(*SAXPY)(a, x, y), mode=mode)
    for n in (3, 3, 5, 0):
        values = np.arange(float(n))
        assert f(2.0, values, values + 10).tolist() == (2 * values + values + 10).tolist()
    assert [(row.op, row.form) for row in f.explain().nodes] == [("saxpy", "kernel")]


def test_matrices_are_rows_one_after_the_other_whatever_the_layout() -> None:
    multiply = tv.wrap_c(
        """
        void multiply(const double* a, const double* b, double* c, int rows, int n, int cols) {
          for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) {
              double sum = 0;
              for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * cols + j];
              c[i * cols + j] = sum;
            }
        }
        """,
        "void multiply(const double a[rows][n], const double b[n][cols], double c[rows][cols],"
        " int rows, int n, int cols)",
    )
    b = tv.matrix("b")
    f = tv.function([m, b], multiply(m, b))
    left, right = np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(6, 4)[::-2]
    np.testing.assert_array_equal(f(left, right), left @ right)
    np.testing.assert_array_equal(f(left.T.copy().T, right), left @ right)
    np.testing.assert_array_equal(f(np.broadcast_to(1.0, (2, 3)), right), np.ones((2, 3)) @ right)


def test_several_outputs_and_numbers_come_in_the_order_of_the_prototype() -> None:
    spread = tv.wrap_c(
        """
        double spread(const double* x, long n, double* least, long* at, double* shifted) {
          double most = x[0];
          *least = x[0]; *at = 0;
          for (long i = 0; i < n; ++i) {
            if (x[i] > most) most = x[i];
            if (x[i] < *least) *least = x[i], *at = i;
          }
          for (long i = 0; i < n; ++i) shifted[i] = x[i] - *least;
          return most - *least;
        }
        """,
        "double spread(const double x[n], long n, double* least, long* at, double shifted[n])",
    )
    difference, least, at, shifted = tv.function([x], spread(x))([3.0, 1.0, 4.0])
    assert (difference, least, at, shifted.tolist()) == (3.0, 1.0, 1, [2.0, 0.0, 3.0])
    assert at.dtype == "int64"


def test_the_length_of_an_output_may_be_computed_of_integers() -> None:
    tooth = tv.wrap_c(
        "void tooth(const double* x, long n, long k, double* z)"
        "{ for (long i = 0; i < 2 * n + k; ++i) z[i] = x[i % n]; }",
        "void tooth(const double x[n], long n, long k, double z[2 * n + k])",
    )
    k = tv.lscalar("k")
    f = tv.function([x, k], tooth(x, k))
    assert f([1.0, 2.0], 1).tolist() == [1.0, 2.0, 1.0, 2.0, 1.0]
    with pytest.raises(ValueError, match=r"tooth: the output 'z' cannot have \[2 \* n \+ k\] = -1"):
        f([1.0, 2.0], -5)


def test_the_length_of_an_input_may_be_computed_too() -> None:
    steps = tv.wrap_c(
        "void steps(const double* x, const double* edges, long n, double* z)"
        "{ for (long i = 0; i < n; ++i) z[i] = x[i] * (edges[i + 1] - edges[i]); }",
        "void steps(const double x[n], const double edges[n + 1], long n, double z[n])",
    )
    f = tv.function([x, y], steps(x, y))
    assert f([1.0, 2.0], [0.0, 1.0, 3.0]).tolist() == [1.0, 4.0]
    with pytest.raises(ValueError, match=r"axis 0 of 'edges' has length 2, but .*\[n \+ 1\] = 3"):
        f([1.0, 2.0], [0.0, 1.0])


def test_a_number_may_be_read_by_its_address_and_a_length_be_fixed() -> None:
    norm = tv.wrap_c(
        "void norm(const double* p, const double* scale, double* s)"
        "{ *s = *scale * (p[0] * p[0] + p[1] * p[1]); }",
        "void norm(const double p[2], const double* scale, double* s)",
    )
    f = tv.function([x, a], norm(x, a))
    assert f([3.0, 4.0], 2.0) == 50.0
    with pytest.raises(ValueError, match=r"axis 0 of 'p' has length 3, but has to have \[2\] = 2"):
        f([3.0, 4.0, 5.0], 2.0)


@pytest.mark.parametrize(
    ("c_type", "dtype"),
    [
        ("float", "float32"), ("signed char", "int8"), ("uint8_t", "uint8"), ("bool", "bool"),
        ("unsigned short int", "uint16"), ("int", "int32"), ("unsigned int", "uint32"),
        ("long long", "int64"), ("size_t", "uint64"), ("npy_float64", "float64"),
    ],
)  # fmt: skip
def test_types_of_c_are_numpys_dtypes(c_type: str, dtype: str) -> None:
    v = tv.vector("v", dtype)
    assert tv.function([v], sum_of(c_type, "double")(v))(np.array([1, 0, 1], dtype)) == 2.0


@pytest.mark.parametrize(("c_type", "dtype"), [("float", "float32"), ("long", "int64")])
def test_a_number_that_is_returned_has_its_dtype(c_type: str, dtype: str) -> None:
    assert tv.function([x], sum_of("double", c_type)(x))([1.0, 2.0]).dtype == dtype


def test_a_file_is_read_and_a_status_is_an_error() -> None:
    v = tv.fvector("v")
    f = tv.function([v], tv.wrap_c(*HALVES)(v))
    assert f(np.array([2, 4], "float32")).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="halves: it returned 7, not 0") as error:
        f(np.zeros(4, "float32"))
    assert any("Op halves" in note for note in error.value.__notes__)
    assert f(np.array([2, 4], "float32")).tolist() == [1.0, 2.0]


def test_two_axes_of_one_name_have_one_length() -> None:
    f = tv.function([x, y], tv.wrap_c(*SAXPY)(1.0, x, y))
    told = r"saxpy: axis 0 of 'y' has length 2, but .*\[n\] = 3, as axis 0 of 'x' has"
    with pytest.raises(ValueError, match=told):
        f([1.0, 2.0, 3.0], [1.0, 2.0])
    assert f([1.0], [2.0]).tolist() == [3.0]


def test_a_length_that_does_not_fit_its_type_is_an_error() -> None:
    first = tv.wrap_c(
        "bool first(const bool* x, signed char n) { return x[0]; }",
        "bool first(const bool x[n], signed char n)",
    )
    v = tv.vector("v", "bool")
    f = tv.function([v], first(v))
    assert f(np.ones(127, bool))
    with pytest.raises(OverflowError, match="'x' has length 128, which does not fit signed char n"):
        f(np.ones(128, bool))


FILL = "void fill(long n, long m, double* z) {{}}", "void fill(long n, long m, double z[{}])"


@pytest.mark.parametrize(
    ("length", "n", "m"),
    [
        ("n * m", 2**32, 2**32),  # 0 where it wraps around
        ("n * m", 2**31, 2**32 + 2**31),
        ("n + m", 2**62, 2**62),
        ("n - m", -(2**63), 1),
        ("n * m - n * m + 1", 2**40, 2**40),
        ("65536 * 65536 * n * m", 2**31, 1),
        ("-n", -(2**63), 0),
    ],
)
def test_a_length_that_does_not_fit_is_an_error(length: str, n: int, m: int) -> None:
    source, signature = FILL
    i, j = tv.lscalar("i"), tv.lscalar("j")
    f = tv.function([i, j], tv.wrap_c(source.format(), signature.format(length))(i, j))
    words = re.escape(f"fill: axis 0 of the output 'z' cannot have the length [{length}]")
    with pytest.raises(OverflowError, match=words + ", which does not fit 64 bits"):
        f(n, m)


def test_a_length_of_an_input_that_does_not_fit_is_an_error() -> None:
    first = tv.wrap_c(
        "double first(long n, const double* x) { return x[0]; }",
        "double first(long n, const double x[n * n])",
    )
    i = tv.lscalar("i")
    f = tv.function([i, x], first(i, x))
    assert f(2, [7.0, 0.0, 0.0, 0.0]) == 7.0
    with pytest.raises(OverflowError, match=r"axis 0 of 'x' cannot have the length \[n \* n\]"):
        f(2**32, [])


def test_an_unsigned_number_that_is_no_length_is_an_error() -> None:
    n = tv.TensorType("uint64", ())("n")
    zeros = tv.wrap_c("void zeros(uint64_t n, double* z) {}", "void zeros(uint64_t n, double z[n])")
    with pytest.raises(OverflowError, match=r"cannot have the length \[n\]"):
        tv.function([n], zeros(n))(np.uint64(2**63))


def test_arguments_are_checked_and_named() -> None:
    saxpy = tv.wrap_c(*SAXPY)
    with pytest.raises(TypeError, match=r"the argument 'x' of saxpy is .*2 dimensions where 1"):
        saxpy(a, m, y)
    with pytest.raises(TypeError, match=r"the argument 'y' of saxpy is .*complex128 to float64"):
        saxpy(a, x, tv.zvector("z"))
    with pytest.raises(TypeError, match=r"saxpy takes 3 inputs \(a, x, y\), but got 2"):
        saxpy(x, y)


def test_a_node_that_is_not_needed_does_not_run() -> None:
    fails = tv.wrap_c(
        "int fails(double x, double* z) { return 1; }", "int fails(double x, double* z)"
    )
    f = tv.function([a], tv.ifelse(a > 0, fails(a), a))
    assert f(-1.0) == -1.0
    with pytest.raises(RuntimeError, match="fails: it returned 1"):
        f(1.0)


def test_the_callers_arrays_and_earlier_results_are_left_alone() -> None:
    f = tv.function([x, y], tv.wrap_c(*SAXPY)(1.0, x, y))
    given = np.array([1.0, 2.0])
    first = f(given, given)
    second = f(given, first)
    assert (given.tolist(), first.tolist(), second.tolist()) == ([1, 2], [2, 4], [3, 6])


@pytest.mark.parametrize("mode", ["cvm_nogc", "c|py"])
def test_kept_memory_is_used_again_only_where_it_has_the_shape(mode: str) -> None:
    f = tv.function([x, y], tv.wrap_c(*SAXPY)(1.0, x, y) * 2, mode=mode)
    for n in (3, 3, 5, 2):
        assert f(np.arange(float(n)), np.ones(n)).tolist() == [2.0 * i + 2 for i in range(n)]


def test_a_gradient_may_be_given() -> None:
    square = tv.wrap_c(
        "void square(const double* x, double* z, long n)"
        "{ for (long i = 0; i < n; ++i) z[i] = x[i] * x[i]; }",
        "void square(const double x[n], double z[n], long n)",
        grad=lambda inputs, gs: [2 * inputs[0] * gs[0]],
    )
    tv.verify_grad(square, [[1.0, -2.0, 0.5]])
    with pytest.raises(NotImplementedError, match="saxpy"):
        tv.grad(tv.wrap_c(*SAXPY)(a, x, y).sum(), x)


def test_ops_of_equal_arguments_are_equal_and_pickle() -> None:
    saxpy = tv.wrap_c(*SAXPY)
    assert (saxpy, hash(saxpy)) == (again := tv.wrap_c(*SAXPY), hash(again))
    assert saxpy != tv.wrap_c(*SAXPY, release_gil=True)
    assert saxpy != tv.wrap_c(*HALVES)
    assert pickle.loads(pickle.dumps(saxpy)) == saxpy


def test_with_the_gil_released_calls_run_side_by_side() -> None:
    # Each call waits for the other, which cannot begin while the first holds the GIL.
    meet = tv.wrap_c(
        """
        #include <sched.h>
        #include <atomic>
        static std::atomic<int> arrived{0};
        double meet(double x) {
          ++arrived;
          for (long i = 0; arrived < 2 && i < 10000000; ++i) sched_yield();
          return arrived == 2 ? x : -1;
        }
        """,
        "double meet(double x)",
        release_gil=True,
    )
    functions = [tv.function([a], meet(a)) for _ in range(2)]
    results: list[Any] = [None, None]

    def call(i: int) -> None:
        results[i] = functions[i](float(i))

    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [0.0, 1.0]


def test_another_prototype_than_the_definitions_does_not_compile() -> None:
    f = tv.wrap_c("double f(double x) { return x; }", "double f(float x)")
    with pytest.raises(tv.CompileError, match="invalid conversion") as error:
        tv.function([a], f(a.astype("float32")))
    assert "double (*)(double)" in error.value.diagnostics


def test_a_mistake_in_a_file_is_shown_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.c"
    file.write_text("double f(double x) {\n  return y;\n}\n")
    with pytest.raises(tv.CompileError) as error:
        tv.function([a], tv.wrap_c(str(file), "double f(double x)")(a))
    assert "broken.c:2:" in error.value.diagnostics


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        ("saxpy", "'saxpy' is no prototype of a function; write it as C does"),
        ("void f(double)", "the parameter 'double' of f is not a type and a name"),
        ("void f(unsigned long, double* z)", "the parameter 'unsigned long' of f is not a type"),
        ("void f(double** x)", r"the parameter 'double\*\* x' of f is not a type and a name"),
        ("void f(double* x[n], long n)", r"of pointers in C; for the elements .*'double x\[n\]'"),
        ("void f(duoble x)", "the parameter 'x' of f has the type 'duoble'.*'double'"),
        ("quad f(double x)", "what f returns has the type 'quad'; it has to be one of float"),
        ("void f(double x, double x[n])", "two parameters of f have the name 'x'"),
        ("int f(const double x[n], long n)", "f has no output: that is a pointer without const"),
        ("void f(const double x[m], double z[n])", r"\[m\] of 'x' of f has 'm', which is no"),
        ("void f(const double x[n], double n, double* z)", r"has 'n', which is no integer"),
        ("void f(double z[n / 2], long n)", r"\[n / 2\] of 'z' of f has to be made of integer"),
        ("void f(double z[n ** 2], long n)", r"\[n \*\* 2\] of 'z' of f has to be made of"),
        ("void f(double z[2 n], long n)", r"the length \[2 n\] of 'z' of f is not well formed"),
        ("void f(double z[010], long n)", r"\[010\] of 'z' of f has to be made of integer"),
        ("void f(double z[], long n)", r"the length \[\] of 'z' of f has to be made of integer"),
        ("void f(double x, ...)", r"the parameter '\.\.\.' of f is not a type and a name"),
        ("void f(double (*g)(int))", r"the parameter 'double \(\*g\)\(int\)' of f is not a type"),
        ("void f(double (*g)(int, int))", "is no prototype of a function"),
        ("double* f(double x)", r"'double\* f\(double x\)' is no prototype of a function"),
        ("void f(double z[n]) {}", r"'void f\(double z\[n\]\) {}' is no prototype of a function"),
    ],
)  # fmt: skip
def test_a_signature_that_is_not_understood_names_the_parameter(signature: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        tv.wrap_c("", signature)


def test_a_source_is_text_or_a_file() -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*missing.c'"):
        tv.wrap_c("missing.c", "double f(double x)")
    with pytest.raises(TypeError, match="the source is 3, a int; give the text"):
        tv.wrap_c(3, "double f(double x)")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="grad is 3; give a function of"):
        tv.wrap_c(*SAXPY, grad=3)  # type: ignore[arg-type]


def test_a_signature_may_say_what_c_allows_around_a_type() -> None:
    twice = tv.wrap_c(
        "void twice(const double *restrict x, double *restrict total, double *z, int n)"
        "{ for (int i = *total = 0; i < n; ++i) *total += z[i] = 2 * x[i]; }",
        "void twice(double const x[n], double *restrict total, double z[(n)], int n);",
    )
    total, doubled = tv.function([x], twice(x))([1.0, 2.0])
    assert (total, doubled.tolist()) == (6.0, [2.0, 4.0])


@pytest.mark.parametrize("name", ["function", "result", "released", "n", "V0", "returned"])
def test_names_are_the_users(name: str) -> None:
    prototype = f"double {name}(double x, double* returned)"
    op = tv.wrap_c(prototype + "{ *returned = 3 * x; return 2 * x; }", prototype)
    assert tv.function([a], op(a))(1.0) == [2.0, 3.0]
