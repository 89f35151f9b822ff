"""Ops as they are written for PyTensor run with nothing changed but their imports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.c.generic_ops import DeepCopyOp, register_deep_copy_op_c_code
from thunkvm.checking.errors import BadInferShape


class Running(tv.COp):
    """A running sum, whose C names the Python object of its input, and whose shape has a graph."""

    __props__ = ()
    check_input = False

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type.clone(dtype="float64")()])

    def infer_shape(self, fgraph: Any, node: Any, shapes: Any) -> Any:
        assert fgraph is None
        return shapes

    def L_op(self, inputs: Any, outputs: Any, output_gradients: Any) -> Any:  # noqa: N802
        assert outputs[0].owner.inputs == inputs
        return [output_gradients[0][::-1].copy() * 0.0 + 2.0]

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (8,)

    def c_code(self, node: Any, name: str, inames: Any, onames: Any, sub: Any) -> str:
        (x,), (z,), fail = inames, onames, sub["fail"]
        return f"""
            Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_CumSum(
                {x}, 0, PyArray_TYPE((PyArrayObject*)py_{x}), NULL);
            if (!{z}) {fail};
        """


def test_c_may_name_the_object_of_what_a_neighbour_computed() -> None:
    x = tv.vector("x")
    f = tv.function([x], Running()(Running()(Running()(x))))
    assert [row.code for row in f.explain().nodes] == ["C block 0"] * 3
    for _ in range(2):
        assert f([1.0, 1.0, 1.0]).tolist() == [1.0, 4.0, 10.0]


def test_infer_shape_may_take_a_graph_first() -> None:
    x = tv.vector("x")
    f = tv.function([x], Running()(x).shape)
    assert f([1.0, 2.0]).tolist() == [2]
    assert [row.op for row in f.node_runs()] == ["shape"]

    class Wrong(Running):
        def infer_shape(self, fgraph: Any, node: Any, shapes: Any) -> Any:
            return [(shapes[0][0] + 1,)]

    with pytest.raises(BadInferShape):
        tv.function([x], Wrong()(x), mode="DebugMode")([1.0])


def test_l_op_is_a_gradient() -> None:
    x = tv.vector("x")
    assert tv.function([x], tv.grad(Running()(x).sum(), x))([1.0, 5.0]).tolist() == [2.0, 2.0]


def test_types_of_classes_may_be_constructors() -> None:
    class Halve(tv.COp):
        itypes = [tv.dvector]
        otypes = [tv.dvector]
        __props__ = ()

        def c_code(self, node: Any, name: str, inp: Any, out: Any, sub: Any) -> str:
            return f"""
                Py_XDECREF({out[0]});
                {out[0]} = (PyArrayObject*)PyArray_NewCopy({inp[0]}, NPY_CORDER);
                if (!{out[0]}) {sub["fail"]};
                for (npy_intp i = 0; i < PyArray_DIM({out[0]}, 0); ++i)
                  *(dtype_{out[0]}*)PyArray_GETPTR1({out[0]}, i) /= 2;"""

    x = tv.vector("x")
    assert tv.function([x], Halve()(x))([4.0]).tolist() == [2.0]
    with pytest.raises(TypeError, match=r"otypes\[0\] is 3; it has to be a Type"):
        type("Bad", (Halve,), {"otypes": [3]})()(x)


@pytest.mark.parametrize("mode", ["cvm", "vm", "py", "DebugMode"])
def test_perform_may_take_params_last(mode: str) -> None:
    class Scale(tv.COp):
        __props__ = ("factor",)
        params_type = tv.ParamsType(factor=tv.ScalarType("float64"))

        def __init__(self, factor: float) -> None:
            self.factor = factor

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any, params: Any) -> None:
            output_storage[0][0] = inputs[0] * params.factor

        def c_code(self, *arguments: Any) -> str:
            raise NotImplementedError("NumPy alone")

    x = tv.vector("x")
    assert tv.function([x], Scale(3.0)(x), mode=mode)([2.0]).tolist() == [6.0]


def test_a_free_variable_is_made_of_its_type() -> None:
    x = tv.Variable(tv.TensorType("float64", (None,)), None, None, name="x")
    assert (x.name, x.ndim, x.owner) == ("x", 1, None)
    assert tv.function([x], x + 1.0)(x=[1.0]).tolist() == [2.0]
    with pytest.raises(TypeError, match="makes a free variable, which has no owner"):
        tv.Variable(x.type, (x + 1.0).owner, 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is not a Type"):
        tv.Variable(3)


def test_openmp_is_asked_for_by_position() -> None:
    class Parallel(tv.OpenMPOp):
        __props__ = ()

        def __init__(self, openmp: bool | None = None) -> None:
            tv.OpenMPOp.__init__(self, openmp)

    assert Parallel(False).c_compile_args() == []
    assert Parallel(True).openmp is True
    op = Parallel()
    op.update_self_openmp()
    assert op.openmp is tv.OpenMPOp.test_gxx_support()


def test_constants_may_be_booleans_and_be_found_by_name() -> None:
    e = tv.EnumType(YES=True, NO=("no", False), MINUS=-1.0)
    assert e == tv.EnumType(YES=1, NO=("no", 0), MINUS=-1)
    assert (e.fromalias("no"), e.fromalias("YES"), e.filter("MINUS")) == (0, 1, -1)
    assert e.c_literal(True) == "1"
    with pytest.raises(KeyError, match="Did you mean 'YES'"):
        e.fromalias("YESS")
    params = tv.ParamsType(e=e, other=tv.EnumList("A", ("B", "beta")))
    assert [params.enum_from_alias(name) for name in ("beta", "A", "else")] == [1, 0, "else"]
    assert params.is_valid_value(params.get_params(e=1, other="B"))
    assert not params.is_valid_value(3)
    with pytest.raises(AttributeError, match="the constant 'A' is in the Types of 'a' and 'b'"):
        tv.ParamsType(a=tv.EnumList("A"), b=tv.EnumList("A"))


def test_debug_mode_allows_a_declared_view_that_is_its_input() -> None:
    class Checked(tv.COp):
        __props__ = ()
        view_map = {0: [0]}

        def make_node(self, value: Any, condition: Any) -> tv.Apply:
            return tv.Apply(self, [value, condition], [value.type()])

        def c_code(self, node: Any, name: str, inames: Any, onames: Any, sub: Any) -> str:
            (value, condition), (out,) = inames, onames
            return f"""
                if (PyObject_IsTrue((PyObject*){condition}) == 0) {{
                  PyErr_SetString(PyExc_AssertionError, "it does not hold");
                  {sub["fail"]}
                }}
                Py_XDECREF({out});
                {out} = {value};
                Py_INCREF({value});"""

    x, c = tv.vector("x"), tv.scalar("c")
    f = tv.function([x, c], Checked()(x, c > 0.0) * 2.0, mode="DebugMode")
    assert f([1.0], 1.0).tolist() == [2.0]
    with pytest.raises(AssertionError, match="it does not hold"):
        f([1.0], -1.0)


def test_the_version_of_a_generic_op_is_that_of_all_its_code() -> None:
    class First(tv.Generic):
        """A Type."""

    class Second(tv.Generic):
        """Another one."""

    code = "Py_XDECREF(%(oname)s); %(oname)s = %(iname)s; Py_INCREF(%(oname)s);"
    register_deep_copy_op_c_code(First, code, version=(3,))
    assert (str(First), (3,)) in DeepCopyOp().c_code_cache_version()
    register_deep_copy_op_c_code(Second, code)
    assert DeepCopyOp().c_code_cache_version() == ()
    del DeepCopyOp._registered[Second]
    thing = First()("thing")
    assert tv.function([thing], DeepCopyOp()(thing), mode="c")("here") == "here"


def test_a_type_has_a_clone_of_another_dtype_or_shape() -> None:
    matrix = tv.TensorType("float32", (None, 3))
    assert matrix.clone() == matrix
    assert matrix.clone(dtype="int64") == tv.TensorType("int64", (None, 3))
    assert matrix.clone(shape=(2,)) == tv.TensorType("float32", (2,))
    with pytest.raises(TypeError, match="dtype"):
        matrix.clone(dtype=np.array)
