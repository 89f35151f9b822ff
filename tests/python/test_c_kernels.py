"""Ops of the user's as plain C on arrays, without Python: `c_kernel`."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.checking.errors import BadDestroyMap, BadThunkOutput, Crash

SCALE = """
static double scaled(double x, double a) { return a * x; }

int {name}(tv_call *call, const tv_array *in, tv_array *out) {
  if (tv_output(call, 0, in[0].shape)) return -1;
  const double a = *(const double *)in[1].data;
  DTYPE_OUTPUT_0 *z = (DTYPE_OUTPUT_0 *)out[0].data;
  for (int64_t i = 0; i < in[0].size; ++i) {
    const DTYPE_INPUT_0 x = *(const DTYPE_INPUT_0 *)(in[0].data + i * in[0].strides[0]);
    if (x < 0) return tv_fail(call, "ValueError", "element %ld is %g", (long)i, (double)x);
    z[i] = scaled(x, a);
  }
  return 0;
}
"""


class Kernel(tv.Op):
    """An Op of one text, with as many outputs as Types are given."""

    __props__ = ("text", "otypes")
    view_map: Any = {}
    destroy_map: Any = {}

    def __init__(self, text: str, *otypes: tv.Type) -> None:
        self.text = text
        self.made: tuple[tv.Type, ...] = otypes or (tv.TensorType("float64", (None,)),)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def make_node(self, *inputs: Any) -> tv.Apply:
        return tv.Apply(self, [tv.as_variable(x) for x in inputs], [type_() for type_ in self.made])

    def c_kernel(self, node: tv.Apply, name: str) -> str:
        return self.text.replace("{name}", name)


def body(statements: str) -> str:
    """A kernel of these statements."""
    return f"int {{name}}(tv_call *call, const tv_array *in, tv_array *out) {{\n{statements}\n}}\n"


x, y, a, m = tv.vector("x"), tv.vector("y"), tv.scalar("a"), tv.matrix("m")


@pytest.mark.parametrize("mode", ["cvm", "c", "c|py", "c&py", "cvm_nogc", "FAST_RUN", "DebugMode"])
def test_it_runs_its_c_in_every_mode_that_compiles(mode: str) -> None:
    f = tv.function([x, a], Kernel(SCALE)(x, a), mode=mode)
    for n in (3, 3, 5, 0):
        values = np.arange(2.0 * n)[::2]
        assert f(values, 3.0).tolist() == (values * 3.0).tolist()
    assert [row.form for row in f.explain().nodes] == ["kernel"]


def test_emitted_code_calls_it() -> None:
    f = tv.function(
        [x, a], tv.exp(Kernel(SCALE)(x * 2.0, a + 1.0)).sum(), mode=tv.Mode("c", compile="now")
    )
    assert f([1.0], 0.0) == np.exp(2.0)
    assert f.compiled == "ready"
    assert [row.form for row in f.explain().nodes if row.op == "Kernel"] == ["kernel"]


def test_an_exception_has_its_type_message_and_node() -> None:
    f = tv.function([x, a], Kernel(SCALE)(x, a))
    with pytest.raises(ValueError, match=r"^element 1 is -2") as error:
        f([1.0, -2.0], 1.0)
    assert "node Kernel.0" in error.value.__notes__[0]
    assert f([2.0], 1.0).tolist() == [2.0]


@pytest.mark.parametrize(
    ("statements", "exception", "words"),
    [
        ("return 3;", RuntimeError, "C of Kernel returned 3 without saying why"),
        ("return 0;", RuntimeError, r"did not make output 0: call tv_output\(call, 0, shape\)"),
        (
            "const int64_t n = -1; return tv_output(call, 0, &n);",
            ValueError,
            "-1",
        ),
        (
            "tv_output(call, 1, in[0].shape); return 0;",
            IndexError,
            "made output 1, but there are 1",
        ),
        ('return tv_fail(call, "OverflowError", "so %d", 7);', OverflowError, "^so 7"),
        ('tv_fail(call, "KeyError", "k"); return 0;', KeyError, "k"),
        (r'return tv_fail(call, "OSError", "no %s", "\xff!");', OSError, "^no \ufffd!"),
        ('return tv_fail(call, "NoError", "m");', RuntimeError, "^NoError: m"),
        (
            "return tv_view(call, 0, 0, in[0].data, in[0].shape, in[0].strides);",
            ValueError,
            r"output 0 a view of input 0: say view_map = \{0: \[0\]\}",
        ),
    ],
)
def test_what_it_does_wrong_is_an_error(
    statements: str, exception: type[Exception], words: str
) -> None:
    f = tv.function([x], Kernel(body(statements))(x))
    with pytest.raises(exception, match=words):
        f([1.0])


def test_a_declared_length_is_checked() -> None:
    text = body("return tv_output(call, 0, in[0].shape);")
    f = tv.function([x], Kernel(text, tv.TensorType("float64", (3,)))(x))
    assert f(np.ones(3)).shape == (3,)
    with pytest.raises(ValueError, match=r"shape \(2,\), whose axis 0 has to have length 3"):
        f(np.ones(2))


def test_numbers_have_their_place() -> None:
    text = body(
        "*(int32_t *)out[0].data = in[0].ndim; *(double _Complex *)out[1].data = 2.0 + in[0].size;"
        "*(uint8_t *)out[2].data = 1; return 0;"
    )
    op = Kernel(text, *(tv.TensorType(dtype, ()) for dtype in ("int32", "complex128", "bool")))
    assert tv.function([m], op(m))(np.ones((2, 3))) == [2, 8 + 0j, True]


def test_arrays_are_given_as_they_lie() -> None:
    text = body(
        "int64_t *z; const int64_t n = 7; if (tv_output(call, 0, &n)) return -1;"
        "z = (int64_t *)out[0].data; z[0] = in[0].ndim; z[1] = in[0].shape[0];"
        "z[2] = in[0].shape[1]; z[3] = in[0].strides[0]; z[4] = in[0].strides[1];"
        "z[5] = in[0].size; z[6] = in[0].contiguous; return 0;"
    )
    f = tv.function([m], Kernel(text, tv.TensorType("int64", (None,)))(m))
    assert f(np.ones((2, 3))).tolist() == [2, 2, 3, 24, 8, 6, 1]
    assert f(np.ones((3, 4)).T[::2]).tolist() == [2, 2, 3, 16, 32, 6, 0]


REVERSED = body("""
  const int64_t strides[] = {-in[0].strides[0]};
  char *last = in[0].data + (in[0].size == 0 ? 0 : (in[0].size - 1) * in[0].strides[0]);
  return tv_view(call, 0, 0, last, in[0].shape, strides);
""")


def test_a_declared_view_needs_no_copy() -> None:
    class Reversed(Kernel):
        view_map = {0: [0]}

    for mode in ("cvm", "DebugMode"):
        f = tv.function([x], Reversed(REVERSED)(x + 0.0) * 2.0, mode=mode)
        assert f([1.0, 2.0]).tolist() == [4.0, 2.0]
    given = np.array([1.0, 2.0])
    result = tv.function([x], Reversed(REVERSED)(x))(given)
    result[0] = 9.0
    assert given.tolist() == [1.0, 2.0]


ADD_ONE = body("""
  for (int64_t i = 0; i < in[0].size; ++i)
    *(double *)(in[0].data + i * in[0].strides[0]) += 1.0;
  return tv_view(call, 0, 0, in[0].data, in[0].shape, in[0].strides);
""")


@pytest.mark.parametrize("mode", ["cvm", "c", "cvm_nogc", "DebugMode"])
def test_an_overwritten_input_is_a_copy_where_others_see_it(mode: str) -> None:
    class InPlace(Kernel):
        destroy_map = {0: [0]}

    op = InPlace(ADD_ONE)
    f = tv.function([x, a], [tv.ifelse(a > 0, op(x), x), op(x * 2.0)], mode=mode)
    given = np.array([1.0, 2.0])
    for sign, expected in ((1.0, [2.0, 3.0]), (-1.0, [1.0, 2.0])):
        first, second = f(given, sign)
        assert (first.tolist(), second.tolist()) == (expected, [3.0, 5.0])
    assert given.tolist() == [1.0, 2.0]


def test_an_arm_that_is_not_taken_never_runs() -> None:
    f = tv.function([x, a], tv.ifelse(a > 0, Kernel(body("return 1;"))(x), x))
    assert f([1.0], -1.0).tolist() == [1.0]
    with pytest.raises(RuntimeError):
        f([1.0], 1.0)


MEET = """
#include <sched.h>
static volatile int arrived = 0;
int {name}(tv_call *call, const tv_array *in, tv_array *out) {
  __sync_fetch_and_add(&arrived, 1);
  for (long i = 0; arrived < 2 && i < 10000000; ++i) sched_yield();
  *(double *)out[0].data = arrived;
  return 0;
}
"""


def test_without_the_lock_calls_run_side_by_side() -> None:
    # Each call waits for the other one, which cannot begin while the first holds the lock.
    class Meet(Kernel):
        release_gil = True

    op = Meet(MEET, tv.TensorType("float64", ()))
    functions = [tv.function([a], op(a)) for _ in range(2)]
    results: list[Any] = [None, None]

    def call(i: int) -> None:
        results[i] = functions[i](0.0)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [2.0, 2.0]


def test_many_inputs_and_outputs() -> None:
    types = [tv.TensorType("float64", ()) for _ in range(20)]
    op = Kernel(
        body(
            "for (int i = 0; i < 20; ++i) *(double *)out[i].data = 2 * *(double *)in[i].data;"
            "return 0;"
        ),
        *types,
    )
    inputs = [tv.scalar(f"a{i}") for i in range(20)]
    assert tv.function(inputs, op(*inputs))(*range(20)) == [2.0 * i for i in range(20)]


def test_its_version_and_its_source_are_shown(tmp_path: Path) -> None:
    class Versioned(Kernel):
        def c_code_cache_version(self) -> tuple[int, ...]:
            return (2, 1)

    with tv.config.change(c_debug=True, cache_dir=str(tmp_path)):
        f = tv.function([x, a], tv.exp(Versioned(SCALE)(x, a)))
    row = f.explain().nodes[0]
    assert (row.op, row.form, row.c_version) == ("Versioned", "kernel", (2, 1))
    assert "kernel, version 2.1" in str(f.explain())
    assert "run_Versioned" in Path(row.c_source).read_text()
    g = tv.function([x], tv.exp(x))
    assert g.explain().nodes[0].c_version is None


def test_a_compile_error_has_the_users_line_and_the_node() -> None:
    with pytest.raises(tv.CompileError, match=r"(?s)C code of Kernel \(node.*does not compile.*y"):
        tv.function([x], Kernel(body("return y;"))(x))


@pytest.mark.parametrize(
    ("text", "exception", "words"),
    [
        ("int f(void) { return 0; }", ValueError, "has to define the function"),
        (3, TypeError, "c_kernel of .* returned 3, a int; it has to return a str"),
    ],
)
def test_a_text_that_is_no_kernel_is_an_error(text: Any, exception: Any, words: str) -> None:
    class Other(Kernel):
        def c_kernel(self, node: tv.Apply, name: str) -> str:
            return text

    with pytest.raises(exception, match=words):
        tv.function([x], Other("")(x))


def test_what_is_no_tensor_is_an_error() -> None:
    g = tv.generic("g")
    with pytest.raises(TypeError, match="is for tensors of numbers, but input 0 is a"):
        tv.function([g, a], Kernel(SCALE)(g, a))


def test_an_op_may_have_no_kernel_for_some_nodes() -> None:
    class Sometimes(Kernel):
        def c_kernel(self, node: tv.Apply, name: str) -> str:
            if node.inputs[0].type.dtype != "float64":
                raise NotImplementedError
            return super().c_kernel(node, name)

        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = inputs[0] * inputs[1] * 1.0

    op, n = Sometimes(SCALE), tv.vector("n", "int64")
    f = tv.function([x, n, a], [op(x, a), op(n, a)])
    assert [row.form for row in f.explain().nodes] == ["kernel", "perform"]
    assert [v.tolist() for v in f([1.0], [2], 3.0)] == [[3.0], [6.0]]


def test_without_a_compiler_perform_runs(tmp_path: Path) -> None:
    class WithPerform(Kernel):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = inputs[0] * inputs[1]

    with tv.config.change(cc="no-such-compiler", cache_dir=str(tmp_path)):
        f = tv.function([x, a], WithPerform(SCALE)(x, a), mode=tv.Mode("cvm", compile="never"))
    assert f([2.0], 3.0).tolist() == [6.0]


def test_libraries_headers_and_flags_are_those_of_the_op() -> None:
    class Flags(Kernel):
        def c_headers(self) -> list[str]:
            return ["<math.h>", "<string.h>"]

        def c_compile_args(self, **kwargs: Any) -> list[str]:
            return ["-DNUMBER=3"]

        def c_libraries(self, c_compiler: str) -> list[str]:
            return ["m"]

    op = Flags(
        body('*(double *)out[0].data = cbrt(27.0) * NUMBER + strlen("ab"); return 0;'),
        tv.TensorType("float64", ()),
    )
    assert tv.function([], op())() == 11.0


@pytest.mark.parametrize(
    ("statements", "error", "words"),
    [
        (
            "if (tv_output(call, 0, in[0].shape)) return -1; double *z = (double *)out[0].data;"
            "for (int64_t i = 0; i < in[0].size; ++i) z[i] = 0;"
            "*(double *)in[0].data = 5; return 0;",
            BadDestroyMap,
            r"wrote to input 0.*\(0,\) was 1.0 and is 5.0",
        ),
        (
            "static int runs = 0; ++runs; if (tv_output(call, 0, in[0].shape)) return -1;"
            "for (int64_t i = 0; i < in[0].size; ++i) ((double *)out[0].data)[i] = runs; return 0;",
            BadThunkOutput,
            "the same twice",
        ),
        (
            "if (tv_output(call, 0, in[0].shape)) return -1;"
            "for (int64_t i = 0; i < in[0].size; ++i)"
            "  ((double *)out[0].data)[i] = ((double *)in[0].data)[i]; return 0;",
            BadThunkOutput,
            "with inputs with gaps",
        ),
        ("*(volatile int *)0 = 1; return 0;", Crash, "SIGSEGV when it ran for the first time"),
    ],
)
def test_debug_mode_finds_its_lies(
    statements: str, error: type[Exception], words: str, capfd: Any
) -> None:
    f = tv.function([x], Kernel(body(statements))(x + 0.0), mode="DebugMode")
    with pytest.raises(error, match=f"(?s){words}"):
        f([1.0, 2.0])
