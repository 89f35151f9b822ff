"""Ops whose C is in files: sections, macros, the function, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.c.sections import SectionError


class VectorTimesVector(tv.ExternalCOp):
    """The external example of the tutorials, written afresh."""

    __props__ = ()
    func_file = "c_sources/vector_times_vector.c"
    func_name = "APPLY_SPECIFIC(vector_times_vector)"

    def __init__(self) -> None:
        super().__init__(self.func_file, self.func_name)

    def make_node(self, x: Any, y: Any) -> tv.Apply:
        x, y = tv.as_variable(x), tv.as_variable(y)
        out = tv.TensorType(str(np.promote_types(x.dtype, y.dtype)), (None,))
        return tv.Apply(self, [x, y], [out()])


@pytest.mark.parametrize(
    "dtypes", [("float64", "float64"), ("float32", "int8"), ("int64", "int32")]
)
def test_the_tutorials_vector_times_vector_from_a_file(dtypes: tuple[str, str]) -> None:
    x, y = (tv.vector(dtype=dtype) for dtype in dtypes)
    f = tv.function([x, y], VectorTimesVector()(x, y), mode="c")
    a, b = np.arange(4, dtype=dtypes[0]), np.arange(4, dtype=dtypes[1]) + 1
    result = f(a, b.astype(dtypes[1]))
    np.testing.assert_array_equal(result, a * b)
    assert result.dtype == np.promote_types(*dtypes)
    with pytest.raises(ValueError, match="the vectors have 4 and 2 elements"):
        f(a, b[:2].astype(dtypes[1]))


class Scale(tv.ExternalCOp):
    """A file with sections and params."""

    __props__ = ("factor",)
    params_type = tv.ParamsType(factor=tv.ScalarType("float64"))

    def __init__(self, factor: float) -> None:
        super().__init__("c_sources/scale.c")
        self.factor = factor

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])


def test_sections_params_and_state_that_lives_with_the_frame() -> None:
    x = tv.vector("x", dtype="int64")
    f = tv.function([x], [Scale(2.0)(x), Scale(10.0)(x)])
    a, b = f(np.array([1, 2]))
    assert (a.tolist(), b.tolist()) == ([3, 5], [11, 21])  # one run of each
    a, b = f(np.array([1, 2]))
    assert (a.tolist(), b.tolist()) == ([4, 6], [12, 22])


def test_init_code_struct_fails_in_the_call_and_leaves_nothing_behind() -> None:
    x = tv.vector("x")
    f = tv.function([x], Scale(0.0)(x))
    for _ in range(2):
        with pytest.raises(ValueError, match="a factor of zero"):
            f([1.0])


def external(path: Path, code: str, func_name: str | None = None) -> Any:
    path.write_text(code)

    class FromFile(tv.ExternalCOp):
        __props__ = ()

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

    return FromFile(path, func_name)


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("#section nonsense\n", 1, "there is no section 'nonsense'"),
        ("#section suport_code\n", 1, "Did you mean 'support_code'"),
        ("int x;\n#section code\n", 1, "code in front of the first section: 'int x;'"),
        ("// fine\nint x;\n", 1, "the file has no section"),
        ("#section code\n/* THEANO_SUPPORT_CODE_SECTION */\n", 2, "does not go with the #section"),
    ],
)
def test_a_file_that_is_not_divided_well_is_refused_with_its_line(
    code: str, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SectionError, match=message) as caught:
        external(tmp_path / "bad.c", code)
    assert f"bad.c:{line}: " in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.c is not there"):
        tv.ExternalCOp(tmp_path / "nowhere.c", "f")


def test_a_function_and_a_section_that_computes_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the function 'f' computes the outputs"):
        external(tmp_path / "both.c", "#section code\n;\n", "f")
    with pytest.raises(ValueError, match="nothing computes the outputs"):
        external(tmp_path / "none.c", "#section support_code\n")


def test_an_error_of_the_compiler_names_the_file_and_its_line(tmp_path: Path) -> None:
    op = external(
        tmp_path / "broken.c", "#section support_code\n\nint wrong = ;\n#section code\n;\n"
    )
    x = tv.vector("x")
    with pytest.raises(tv.CompileError) as caught:
        tv.function([x], op(x))
    assert f"{tmp_path / 'broken.c'}:3:" in caught.value.diagnostics


def test_the_old_markers_divide_a_file_too(tmp_path: Path) -> None:
    code = """
/* THEANO_SUPPORT_CODE_SECTION */
static double half(double x) { return x / 2; }
/* THEANO_APPLY_CODE_SECTION */
int APPLY_SPECIFIC(halve)(PyArrayObject* x, PyArrayObject** z) {
  Py_XDECREF(*z);
  *z = (PyArrayObject*)PyArray_NewCopy(x, NPY_ANYORDER);
  if (*z == NULL) return 1;
  *(DTYPE_OUTPUT_0*)PyArray_DATA(*z) = half(*(DTYPE_INPUT_0*)PyArray_DATA(x));
  return 0;
}
"""
    op = external(tmp_path / "old.c", code.lstrip(), "APPLY_SPECIFIC(halve)")
    x = tv.vector("x")
    assert tv.function([x], op(x))([3.0, 4.0]).tolist() == [1.5, 4.0]


def test_a_function_of_more_arguments_gets_null_for_those_a_node_has_not(tmp_path: Path) -> None:
    code = """#section support_code
static int count(PyArrayObject* a, PyArrayObject* b, PyArrayObject** z) {
  Py_XDECREF(*z);
  *z = (PyArrayObject*)PyArray_NewCopy(a, NPY_ANYORDER);
  *(double*)PyArray_DATA(*z) = b == NULL ? 1 : 2;
  return 0;
}
"""
    path = tmp_path / "count.c"
    path.write_text(code)

    class Count(tv.ExternalCOp):
        __props__ = ()
        _cop_num_inputs = 2

        def __init__(self) -> None:
            super().__init__(path, "count")

        def make_node(self, *inputs: tv.Variable) -> tv.Apply:
            return tv.Apply(self, list(inputs), [inputs[0].type()])

    x = tv.vector("x")
    assert tv.function([x], [Count()(x), Count()(x, x)])([0.0])[0].tolist() == [1.0]
    with pytest.raises(ValueError, match="a node of 3 inputs, but _cop_num_inputs is 2"):
        tv.function([x], Count()(x, x, x))


def test_macros_are_gone_behind_their_section(tmp_path: Path) -> None:
    code = """#section support_code_apply
typedef DTYPE_INPUT_0 element;
#section support_code_struct
#ifdef FAIL
#error FAIL is for code
#endif
#section code
Py_XDECREF(OUTPUT_0);
OUTPUT_0 = INPUT_0;
Py_INCREF(OUTPUT_0);
if (sizeof(element) != ITEMSIZE_INPUT_0 || TYPENUM_INPUT_0 != NPY_FLOAT64) FAIL
"""
    op = external(tmp_path / "macros.c", code)
    type(op).view_map = {0: [0]}
    x = tv.vector("x")
    assert tv.function([x], op(x))([3.0]).tolist() == [3.0]


def test_an_openmp_op_is_compiled_with_openmp(tmp_path: Path) -> None:
    class Threads(tv.OpenMPOp):
        __props__ = ("openmp",)
        itypes = otypes = [tv.ScalarType("int64")]

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            return f"""
                #ifdef _OPENMP
                {outputs[0]} = _OPENMP;
                #else
                {outputs[0]} = 0;
                #endif"""

    x = tv.ScalarType("int64")("x")
    with_openmp, without = tv.function(
        [x], [Threads(openmp=True)(x), Threads(openmp=False)(x)], on_unused_input="ignore"
    )(0)
    assert (with_openmp > 0) == tv.OpenMPOp.test_gxx_support()
    assert without == 0
