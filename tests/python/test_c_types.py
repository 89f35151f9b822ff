"""Types in C: the tutorial's double, scalars, constants, params, pointers, generic Ops."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.c.generic_ops import (
    DeepCopyOp,
    Shape,
    Shape_i,
    ViewOp,
    register_deep_copy_op_c_code,
    register_shape_c_code,
    register_shape_i_c_code,
    register_view_op_c_code,
)


class Double(tv.Generic):
    """The tutorial's Type of Python floats, written afresh."""

    def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> float:
        if strict and not isinstance(value, float):
            raise TypeError("Expected a float!")
        return float(value)

    def c_declare(self, name: str, sub: Any, check_input: bool = True) -> str:
        return f"double {name};"

    def c_init(self, name: str, sub: Any) -> str:
        return f"{name} = 0.0;"

    def c_extract(self, name: str, sub: Any, check_input: bool = True, **kwargs: Any) -> str:
        return """
        if (!PyFloat_Check(py_%(name)s)) {
            PyErr_SetString(PyExc_TypeError, "expected a float");
            %(fail)s
        }
        %(name)s = PyFloat_AsDouble(py_%(name)s);
        """ % {**sub, "name": name}  # noqa: UP031 (as users of the tutorials write it)

    def c_sync(self, name: str, sub: Any) -> str:
        return f"""
        Py_XDECREF(py_{name});
        py_{name} = PyFloat_FromDouble({name});
        if (!py_{name}) {{ Py_XINCREF(Py_None); py_{name} = Py_None; }}
        """

    def c_cleanup(self, name: str, sub: Any) -> str:
        return ""


double = Double()


class BinaryDouble(tv.COp):
    """An operator of C on doubles."""

    __props__ = ("operator",)
    itypes = [double, double]
    otypes = [double]

    def __init__(self, operator: str) -> None:
        self.operator = operator

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"{outputs[0]} = {inputs[0]} {self.operator} {inputs[1]};"


def test_the_tutorials_double_and_its_ops() -> None:
    x, y, z = double("x"), double("y"), double("z")
    f = tv.function([x, y, z], BinaryDouble("*")(BinaryDouble("+")(x, y), z), mode="c")
    assert f(1.0, 2.0, 3.0) == 9.0
    assert type(f(1, 2, 3)) is float
    assert [row.form for row in f.explain().nodes] == ["c", "c"]


def test_a_type_without_c_leaves_the_op_to_its_perform() -> None:
    class Plain(tv.Type):
        pass

    class Same(tv.COp):
        __props__ = ()

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def c_code(self, *arguments: Any) -> str:
            return ";"

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0]

    x = Plain()("x")
    f = tv.function([x], Same()(x))
    assert f("anything") == "anything"
    assert [row.form for row in f.explain().nodes] == ["perform"]


SCALARS = ["bool", "int8", "uint64", "int64", "float16", "float32", "float64", "complex128"]


@pytest.mark.parametrize("dtype", SCALARS)
def test_a_scalar_goes_through_c_as_a_number(dtype: str) -> None:
    class Copy(tv.COp):
        __props__ = ()
        itypes = otypes = [tv.ScalarType(dtype)]

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            return f"dtype_{inputs[0]} copy = {inputs[0]}; {outputs[0]} = copy;"

    x = tv.ScalarType(dtype)("x")
    f = tv.function([x], Copy()(x))
    result = f(1)
    assert type(result) is np.dtype(dtype).type
    assert result == 1


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int8", 300), ("int32", 2.5), ("float64", 1j), ("int64", "3"), ("uint8", -1)],
)
def test_a_scalar_refuses_what_its_dtype_does_not_hold(dtype: str, value: Any) -> None:
    with pytest.raises(TypeError, match=dtype):
        tv.ScalarType(dtype).filter(value)


@pytest.mark.parametrize(
    ("dtype", "value", "text"),
    [("int64", -(2**63), "(-9223372036854775807LL - 1)"), ("float32", 0.5, "0.5f"),
     ("float64", np.inf, "NPY_INFINITY"), ("uint8", 7, "7")],
)  # fmt: skip
def test_a_scalars_literal_is_c(dtype: str, value: Any, text: str) -> None:
    assert tv.ScalarType(dtype).c_literal(value) == text


class Arithmetic(tv.COp):
    """Adds or multiplies, as a constant says, with params of all kinds."""

    __props__ = ("kind", "weights", "label")
    params_type = tv.ParamsType(
        kind=tv.EnumList(("ADD", "+"), ("MULTIPLY", "*")),
        weights=tv.TensorType("float64", (None,)),
        label=tv.Generic(),
    )
    itypes = otypes = [tv.ScalarType("float64")]

    def __init__(self, kind: str, weights: tuple[float, ...], label: Any = None) -> None:
        self.kind, self.weights, self.label = kind, weights, label

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,), p = inputs, outputs, sub["params"]
        return f"""
            {z} = {x};
            for (npy_intp i = 0; i < PyArray_DIMS({p}->weights)[0]; ++i) {{
              double w = *(double*)PyArray_GETPTR1({p}->weights, i);
              if ({p}->kind == ADD) {z} += w; else {z} *= w;
            }}
            if ({p}->label == Py_None) {z} = -{z};"""


def test_params_of_arrays_constants_and_objects() -> None:
    x = tv.ScalarType("float64")("x")
    ops = [Arithmetic("+", (1.0, 2.0), "a"), Arithmetic("*", (3.0, 4.0), "b"), Arithmetic("+", ())]
    f = tv.function([x], [op(x) for op in ops], mode="c")
    assert [float(result) for result in f(10.0)] == [13.0, 120.0, -10.0]


def test_params_are_checked_when_the_function_is_made() -> None:
    x = tv.ScalarType("float64")("x")
    with pytest.raises(TypeError, match="the param 'kind': '/' is no constant"):
        tv.function([x], Arithmetic("/", ())(x))


def test_params_are_immutable_and_say_what_is_missing() -> None:
    params_type = tv.ParamsType(n=tv.ScalarType("int32"), m=tv.ScalarType("int32"))
    params = params_type.get_params(n=1, m=2)
    assert (params.n, params["m"], len(params)) == (1, 2, 2)
    assert params == params_type.get_params(n=1, m=2) != params_type.get_params(n=1, m=3)
    with pytest.raises(AttributeError, match="'n' cannot be set"):
        params.n = 3
    with pytest.raises(TypeError, match=r"the param 'm' of .* has no value"):
        params_type.get_params(n=1)
    with pytest.raises(TypeError, match="no field 'k'"):
        params_type.get_params(n=1, m=2, k=3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "at least one field"),
        ({"class": tv.ScalarType("int8")}, "'class' cannot be the name of a member"),
        ({"2nd": tv.ScalarType("int8")}, "'2nd' cannot be the name of a member"),
        ({"n": 3}, "the field 'n' is 3"),
        ({"a": tv.EnumList("X"), "b": tv.EnumList("X")}, "the constant 'X' is in the Types of"),
        ({"a": tv.EnumList(("X", "x")), "b": tv.EnumList(("Y", "x"))}, "the alias 'x' is in"),
    ],
)
def test_a_params_type_that_c_would_refuse_is_refused(fields: Any, message: str) -> None:
    with pytest.raises((TypeError, AttributeError), match=message):
        tv.ParamsType(**fields)


def test_constants_have_names_values_and_aliases() -> None:
    e = tv.EnumType(ONE=("one", 1), HALF=0.5, ctype="double")
    assert (e.ONE, e["HALF"], e.fromalias("one"), e.get_aliases(), "ONE" in e, len(e)) == (
        1, 0.5, 1, ("one",), True, 2)  # fmt: skip
    assert e == tv.EnumType(ONE=("one", 1), HALF=0.5) != tv.EnumType(ONE=1, HALF=0.5)
    assert tv.EnumType(A=1) != tv.EnumType(A=1, ctype="int")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: tv.EnumType(lower=1), AttributeError, "'lower' is no name of a constant"),
        (lambda: tv.EnumType(NULL=1), AttributeError, "'NULL' is no name of a constant"),
        (lambda: tv.EnumType(A="x"), TypeError, "A is 'x'"),
        (lambda: tv.EnumType(A=1.5, ctype="int"), TypeError, "1.5, but its ctype is int"),
        (lambda: tv.EnumType(A=1, ctype="string"), TypeError, "ctype is 'string'"),
        (lambda: tv.EnumList("A", "A"), AttributeError, "A comes twice"),
        (lambda: tv.EnumList(("A", "x"), ("B", "x")), TypeError, "the alias 'x' is that of A"),
        (lambda: tv.EnumList(("A", "B"), "B"), TypeError, "the alias 'B' is a constant"),
        (lambda: tv.EnumType(A=1).filter(2), TypeError, r"2 is no constant of .*A \(1\)"),
        (lambda: tv.EnumType(A=("a", 1)).fromalias("b"), KeyError, "no alias 'b'"),
    ],
)
def test_constants_that_cannot_be_are_refused(make: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_constants_that_c_defines() -> None:
    class Largest(tv.COp):
        __props__ = ("which",)
        params_type = tv.CEnumType(
            ("NPY_MAX_INT8", "int8"), ("NPY_MAX_INT16", "int16"), ctype="long"
        )
        itypes = otypes = [tv.ScalarType("int64")]

        def __init__(self, which: str) -> None:
            self.which = which

        def get_params(self, node: Any) -> Any:
            return self.params_type.fromalias(self.which)

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            return f"{outputs[0]} = {inputs[0]} + {sub['params']};"

    x = tv.ScalarType("int64")("x")
    assert tv.function([x], [Largest("int8")(x), Largest("int16")(x)])(0) == [127, 32767]


COUNTED = tv.CDataType(
    "double*",
    freefunc="free_counted",
    extra_support_code="""
    static void free_counted(void* pointer) {
      PyObject* freed = PySys_GetObject("thunkvm_freed");
      PyObject* one = PyLong_FromLong(1);
      if (freed != NULL) PyList_Append(freed, one);
      Py_DECREF(one);
      free(pointer);
    }""",
)


class Box(tv.COp):
    __props__ = ()
    itypes = [tv.ScalarType("float64")]
    otypes = [COUNTED]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"{outputs[0]} = (double*)malloc(sizeof(double)); *{outputs[0]} = {inputs[0]};"


class Unbox(tv.COp):
    __props__ = ()
    itypes = [COUNTED]
    otypes = [tv.ScalarType("float64")]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"{outputs[0]} = *{inputs[0]};"


def test_a_pointer_travels_between_ops_and_is_freed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    freed: list[int] = []
    monkeypatch.setattr(sys, "thunkvm_freed", freed, raising=False)
    x = tv.ScalarType("float64")("x")
    f = tv.function([x], Unbox()(Box()(x)), mode="c")
    assert [float(f(k)) for k in (1.5, 2.5)] == [1.5, 2.5]
    gc.collect()
    assert len(freed) == 2


@pytest.mark.parametrize("mode", ["c", "py"])
def test_generic_ops_of_tensors(mode: str) -> None:
    x = tv.matrix("x")
    outputs = [DeepCopyOp()(x), ViewOp()(x), Shape()(x), Shape_i(0)(x), Shape_i(1)(x)]
    f = tv.function([x], outputs, mode=mode)
    given = np.arange(6.0).reshape(2, 3)
    copy, view, shape, rows, columns = f(given)
    np.testing.assert_array_equal(copy, given)
    np.testing.assert_array_equal(view, given)
    assert (shape.tolist(), int(rows), int(columns)) == ([2, 3], 2, 3)
    with pytest.raises(TypeError, match="has no axis 2"):
        Shape_i(2)(x)


def test_generic_ops_take_the_c_that_a_type_registers() -> None:
    class Pair(Double):
        pass

    register_deep_copy_op_c_code(Pair, "%(oname)s = %(iname)s + 1;", version=(3,))
    register_view_op_c_code(Pair, "%(oname)s = %(iname)s + 2;")
    register_shape_c_code(
        Pair,
        """npy_intp n = 1; Py_XDECREF(%(oname)s);
        %(oname)s = (PyArrayObject*)PyArray_ZEROS(1, &n, NPY_INT64, 0);""",
    )
    register_shape_i_c_code(
        Pair,
        """Py_XDECREF(%(oname)s);
        %(oname)s = (PyArrayObject*)PyArray_ZEROS(0, NULL, NPY_INT64, 0);
        *(npy_int64*)PyArray_DATA(%(oname)s) = %(i)s;""",
        'if (%(i)s > 1) { PyErr_SetString(PyExc_IndexError, "too few axes"); %(fail)s }',
    )
    x = Pair()("x")
    f = tv.function([x], [DeepCopyOp()(x), ViewOp()(x), Shape()(x), Shape_i(1)(x)], mode="c")
    copy, view, shape, length = f(10.0)
    assert (copy, view, shape.tolist(), int(length)) == (11.0, 12.0, [0], 1)
    with pytest.raises(IndexError, match="too few axes"):
        tv.function([x], Shape_i(2)(x), mode="c")(1.0)
    assert DeepCopyOp().c_code_cache_version_apply(DeepCopyOp()(x).owner) == (3,)
