"""ParamsType and Params, as PyTensor's tests ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

TENSOR5 = tv.TensorType("float64", (None,) * 5)
NUMBERS = np.linspace(-1.0, 1.0, 24).reshape(1, 2, 2, 3, 2)


def of_types() -> tv.ParamsType:
    return tv.ParamsType(
        a=tv.Generic(),
        array=tv.TensorType("int64", (None,)),
        floating=tv.ScalarType("float64"),
        number=tv.TensorType("float64", ()),
    )


def params(**others: Any) -> tv.Params:
    values = {
        "a": 1,
        "array": np.asarray([1, 2, 4]),
        "floating": -4.5,
        "number": np.asarray(12),
        **others,
    }
    return tv.Params(of_types(), **values)


def test_params_are_equal_by_type_and_value() -> None:
    assert params() == params()
    assert hash(params()) == hash(params())
    assert params() != params(a=2)
    assert params() != params(array=np.asarray([1, 2, -4]))
    assert params() != 3


def test_params_are_a_mapping_that_does_not_change() -> None:
    p = params()
    assert sorted(p) == sorted(p.keys()) == ["a", "array", "floating", "number"]
    assert (p["a"], p.a, p.get("a"), "a" in p, "b" in p, len(p)) == (1, 1, 1, True, False, 4)
    assert dict(p.items())["floating"] == -4.5
    with pytest.raises(AttributeError, match="params do not change"):
        p.a = 3
    with pytest.raises(TypeError):
        p["a"] = 3  # type: ignore[index]
    with pytest.raises(AttributeError, match="there is no param 'b'"):
        _ = p.b


def test_a_field_may_have_the_name_of_a_method() -> None:
    type_ = tv.ParamsType(values=tv.ScalarType("int32"), keys=tv.ScalarType("int32"))
    made = type_.get_params(values=3, keys=4)
    assert (made.values, made.keys) == (3, 4)


def test_params_are_as_they_were_given_until_they_are_filtered() -> None:
    type_ = tv.ParamsType(a1=tv.TensorType("int32", (None, None)), a2=TENSOR5, a3=tv.Generic())
    wrong = tv.Params(type_, a1=np.arange(12).reshape(2, 6), a2=NUMBERS.astype("float32"), a3=2000)
    assert wrong.a1.dtype == "int64"
    for strict, allow_downcast in ((True, None), (False, False)):
        with pytest.raises(TypeError, match="the param 'a1'"):
            type_.filter(wrong, strict, allow_downcast)
    for allow_downcast in (True, None):  # None: where nothing is lost
        right = type_.filter(wrong, strict=False, allow_downcast=allow_downcast)
        assert (right.a1.dtype, right.a2.dtype, right.a3) == ("int32", "float64", 2000)
        assert not right.a1.flags.writeable
        assert type_.filter(right, strict=True) is right
        assert type_.filter(right, strict=False, allow_downcast=False) == right
    with pytest.raises(TypeError, match="the param 'a1'"):
        type_.filter(tv.Params(type_, a1=[[2**40]], a2=NUMBERS, a3=0))
    with pytest.raises(TypeError, match="is no Params of"):
        type_.filter(3, strict=True)


def test_values_of_params_are_nearly_equal() -> None:
    type_ = tv.ParamsType(a=TENSOR5, b=tv.ScalarType("float64"))
    one = type_.get_params(a=NUMBERS, b=2000.0)
    near = type_.get_params(a=NUMBERS * (1 + 1e-9), b=2000.0 * (1 + 1e-9))
    assert type_.values_eq(one, type_.get_params(a=NUMBERS, b=2000.0))
    assert type_.values_eq_approx(one, near)
    assert not type_.values_eq(one, near)
    assert not type_.values_eq_approx(one, type_.get_params(a=NUMBERS, b=1999.0))


@pytest.mark.parametrize("name", ["NULL", "char16_t", "int", "a b", "1a"])
def test_a_field_has_a_name_that_cxx_takes(name: str) -> None:
    with pytest.raises(TypeError, match="cannot be the name of a member"):
        tv.ParamsType(**{name: tv.ScalarType("int32")})


class Quadratic(tv.COp):
    """a x^2 + b x + c, of which a is a 0-d array in C, b a number and c an object."""

    __props__ = ("a", "b", "c")
    params_type = tv.ParamsType(
        a=tv.TensorType("float64", shape=()), b=tv.ScalarType("float64"), c=tv.Generic()
    )

    def __init__(self, a: Any, b: Any, c: Any) -> None:
        self.a, self.b, self.c = a, b, c

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        p = self.params_type.filter(self.get_params(node))
        output_storage[0][0] = p.a * inputs[0] ** 2 + p.b * inputs[0] + p.c

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (y,), p = inputs, outputs, sub["params"]
        return f"""
            double a = *(npy_float64*)PyArray_GETPTR1({p}->a, 0);
            double c = PyFloat_AsDouble({p}->c);
            Py_XDECREF({y});
            {y} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
            if ({y} == NULL) {{ {sub["fail"]} }}
            for (npy_intp i = 0; i < PyArray_SIZE({y}); ++i) {{
              double* e = (double*)PyArray_DATA({y}) + i;
              *e = a * *e * *e + {p}->b * *e + c;
            }}"""


@pytest.mark.parametrize("mode", ["cvm", "c", "vm", "py", "DebugMode"])
def test_an_op_runs_with_params_of_three_kinds(mode: str) -> None:
    x = tv.matrix("x")
    f = tv.function([x], Quadratic(2, 3, -7)(x), mode=mode)
    values = np.arange(6.0).reshape(2, 3)
    assert f(values).tolist() == (2 * values**2 + 3 * values - 7).tolist()
