"""Types, linkers and gradients of Theano's and PyTensor's Ops, by the names they have there."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

# ---- TensorType


def test_broadcastable_says_which_lengths_are_one() -> None:
    type_ = tv.TensorType("float64", broadcastable=[False, True])
    assert type_ == tv.TensorType("float64", (None, 1)) == tv.TensorType("float64", (False, True))
    assert type_.broadcastable == type_("x").broadcastable == (False, True)
    assert type_.clone(broadcastable=(True,)) == tv.TensorType("float64", (1,))
    assert tv.scalar("s").broadcastable == ()
    with pytest.raises(TypeError, match="say the same: leave broadcastable out"):
        tv.TensorType("float64", (1,), broadcastable=(True,))
    with pytest.raises(TypeError, match="has to be a tuple with one length for each dimension"):
        tv.TensorType("float64")


@pytest.mark.parametrize("type_", [tv.TensorType("float32", (None, 1)), tv.GenericType()])
def test_a_type_makes_variables(type_: tv.Type) -> None:
    x = type_.make_variable("x")
    assert (x.type, x.name) == (type_, "x")


def test_a_type_knows_its_values() -> None:
    type_ = tv.TensorType("float32", (None, 1))
    assert type_.is_valid_value(np.zeros((3, 1), "float32"))
    assert not type_.is_valid_value(np.zeros((3, 2), "float32"))
    assert not type_.is_valid_value([[1.0]])
    assert type_.is_valid_value([[1.0]], strict=False)
    assert tv.GenericType().is_valid_value(None)


def test_values_are_equal_as_theano_has_it() -> None:
    a = np.array([1.0, np.nan, np.inf])
    equal = tv.TensorType.values_eq
    assert equal(a, a.copy())
    assert not equal(a, np.array([1.0, np.nan, -np.inf]))
    assert not equal(a, a[:2])
    assert not equal(np.arange(2), np.arange(2.0))
    assert equal(np.arange(2), np.arange(2.0), force_same_dtype=False)
    assert equal(np.array([True]), np.array([True]))


def test_values_are_nearly_equal_as_theano_has_it() -> None:
    a = np.array([1.0, np.nan, np.inf])
    near = tv.TensorType("float64", (None,)).values_eq_approx
    assert near(a, a + 1e-9)
    assert not near(a, a + 1e-3)
    assert near(a, a + 1e-3, atol=1e-2)
    assert not near(a, np.array([1.0, 2.0, np.inf]))
    assert near(a, np.array([1.0, 2.0, np.inf]), allow_remove_nan=True)
    assert near(a, np.array([1.0, np.nan, 3.0]), allow_remove_inf=True)
    assert not near(a, a.astype("float32"))
    assert not near(np.array([1]), np.array([2]))
    assert near(np.array([1.0], "float32"), np.array([1.0005], "float32"))
    assert near(np.array([1j]), np.array([1j + 1e-9]))


def test_arrays_may_share_memory() -> None:
    a, share = np.zeros(4), tv.TensorType.may_share_memory
    assert share(a, a[2:])
    assert not share(a, a.copy())
    assert not share(a, 3)


# ---- c_extract, with and without check_input


class Bare(tv.CType):
    """A float whose methods take a name and `sub` alone, as old Types have them."""

    def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        return float(value)

    def c_declare(self, name: str, sub: Any) -> str:  # type: ignore[override]
        return f"double {name};"

    def c_init(self, name: str, sub: Any) -> str:
        return f"{name} = 0.0;"

    def c_extract(self, name: str, sub: Any) -> str:  # type: ignore[override]
        return f"{name} = PyFloat_AsDouble(py_{name});\nif (PyErr_Occurred()) {{ {sub['fail']} }}"

    def c_sync(self, name: str, sub: Any) -> str:
        return f"Py_XDECREF(py_{name});\npy_{name} = PyFloat_FromDouble({name});"


class Checked(Bare):
    """The same, whose c_extract says what it was told."""

    def c_extract(self, name: str, sub: Any, check_input: bool = True, **kwargs: Any) -> str:  # type: ignore[override]
        told.append(check_input)
        return Bare.c_extract(self, name, sub)


told: list[bool] = []


class Twice(tv.COp):
    __props__ = ()

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"{outputs[0]} = 2.0 * {inputs[0]};"


class UncheckedTwice(Twice):
    check_input = False


@pytest.mark.parametrize("type_", [Bare, Checked])
@pytest.mark.parametrize("op", [Twice, UncheckedTwice])
@pytest.mark.parametrize("mode", ["c", "cvm_nogc"])
def test_c_extract_may_know_check_input(type_: Any, op: Any, mode: str) -> None:
    told.clear()
    x = type_()("x")
    f = tv.function([x], op()(op()(x)), mode=mode)
    assert [f(1.5), f(2.5)] == [6.0, 10.0]
    assert set(told) == ({op.check_input} if type_ is Checked else set())


def test_a_type_without_c_extract_is_named() -> None:
    class Silent(Bare):
        c_extract = tv.CType.c_extract

    x = Silent()("x")
    with pytest.raises(NotImplementedError, match="has no c_extract"):
        tv.function([x], Twice()(x), mode="c")


class Scaled(Twice):
    """Its factor is a param of a Type of the user's."""

    params_type = tv.ParamsType(factor=Bare())
    __props__ = ("factor",)
    factor = 4.0

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"{outputs[0]} = {sub['params']}->factor * {inputs[0]};"


def test_a_params_type_takes_types_without_check_input() -> None:
    x = Bare()("x")
    assert tv.function([x], Scaled()(x), mode="c")(2.0) == 8.0


# ---- COp with files


class FromFile(tv.COp):
    __props__ = ()
    func_file = "c_sources/vector_times_vector.c"
    func_name = "APPLY_SPECIFIC(vector_times_vector)"

    def __init__(self) -> None:
        super().__init__(self.func_file, self.func_name)

    def make_node(self, x: Any, y: Any) -> tv.Apply:
        return tv.Apply(self, [x, y], [tv.TensorType(x.dtype, broadcastable=[False])()])


def test_cop_takes_files() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], FromFile()(x, y), mode="c")
    assert f([1.0, 2.0], [3.0, 4.0]).tolist() == [3.0, 8.0]
    assert FromFile().func_files == [Path(__file__).parent / FromFile.func_file]


def test_cop_without_files_or_c_code_says_so() -> None:
    class Nothing(tv.COp):
        __props__ = ()

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

    x = tv.vector("x")
    with pytest.raises(NotImplementedError, match="Nothing has no c_code"):
        tv.function([x], Nothing()(x), mode="c")


# ---- ScalarFromTensor and TensorFromScalar


@pytest.mark.parametrize("mode", ["c", "cvm", "vm", "py", "c|py", "DebugMode"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool", "complex128"])
def test_scalars_and_tensors_become_each_other(mode: str, dtype: str) -> None:
    x = tv.scalar("x", dtype)
    s = tv.scalar_from_tensor(x)
    assert s.type == tv.ScalarType(dtype)
    back = tv.tensor_from_scalar(s)
    assert back.type == x.type
    number, array = tv.function([x], [s, back], mode=mode)(1)
    assert type(number) is type(array) is np.dtype(dtype).type
    assert number == array == 1


def test_scalars_and_tensors_have_gradients() -> None:
    x = tv.scalar("x")
    y = tv.tensor_from_scalar(tv.scalar_from_tensor(x * x)) * 3.0
    assert tv.function([x], tv.grad(y, x))(5.0) == 30.0


def test_the_gradient_of_a_number_is_a_number() -> None:
    s = tv.ScalarType("float64")("s")
    slope = tv.grad(tv.tensor_from_scalar(s) * 3.0, s)
    assert slope.type == s.type
    assert tv.function([s], slope, on_unused_input="ignore")(5.0) == 3.0


class Product(tv.COp):
    """The product of two numbers."""

    __props__ = ()
    itypes = [tv.ScalarType("float64"), tv.ScalarType("float64")]
    otypes = [tv.ScalarType("float64")]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"{outputs[0]} = {inputs[0]} * {inputs[1]};"

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * inputs[1]

    def grad(self, inputs: Any, output_gradients: Any) -> list[Any]:
        (g,) = output_gradients
        return [self(g, inputs[1]), self(g, inputs[0])]


@pytest.mark.parametrize("mode", ["cvm", "vm", "py"])
def test_gradients_at_a_number_add_up(mode: str) -> None:
    s = tv.ScalarType("float64")("s")
    cube = Product()(s, Product()(s, s))
    first = tv.grad(tv.tensor_from_scalar(cube), s)
    second = tv.grad(tv.tensor_from_scalar(first), s)
    assert first.type == second.type == s.type
    assert tv.function([s], [first, second], mode=mode)(3.0) == [27.0, 18.0]


def test_gradients_at_a_number_add_up_from_the_arm_that_is_taken() -> None:
    s, c = tv.ScalarType("float64")("s"), tv.scalar("c")
    chosen = tv.ifelse(c > 0, Product()(s, s), s)
    slope = tv.grad(tv.tensor_from_scalar(Product()(chosen, s)), s)
    f = tv.function([c, s], slope, mode="vm")
    assert (f(1.0, 2.0), f(-1.0, 2.0)) == (12.0, 4.0)


def test_gradients_at_the_number_of_a_tensor_are_its_own() -> None:
    x = tv.scalar("x")
    s = tv.scalar_from_tensor(x)
    cost = tv.tensor_from_scalar(Product()(s, s)) + x
    slopes = tv.grad(cost, [x, s])
    assert tv.function([x], slopes, mode="vm")(3.0) == [7.0, 6.0]


def test_a_gradient_at_a_number_has_the_numbers_that_the_graph_has() -> None:
    s, t = tv.ScalarType("float64")("s"), tv.ScalarType("float64")("t")
    slope = tv.grad(tv.tensor_from_scalar(Product()(s, t)), s)
    assert slope.owner is not None
    assert slope.owner.inputs[1] is t


def test_a_number_that_a_cost_does_not_depend_on_has_a_gradient_of_zero_if_one_says_so() -> None:
    s, x = tv.ScalarType("float64")("s"), tv.scalar("x")
    with pytest.raises(tv.DisconnectedInputError, match="does not depend differentiably on <s: "):
        tv.grad(x, s)
    zero = tv.grad(x, s, disconnected_inputs="ignore")
    assert zero.type == s.type
    assert tv.function([], zero)() == 0.0


def test_only_a_tensor_of_no_dimension_is_a_number() -> None:
    with pytest.raises(TypeError, match="takes a 0-d tensor, but <x: vector"):
        tv.scalar_from_tensor(tv.vector("x"))
    with pytest.raises(TypeError, match="takes a variable of ScalarType"):
        tv.tensor_from_scalar(tv.scalar("x"))


# ---- linkers


@pytest.mark.parametrize(
    ("linker", "name"),
    [
        (tv.LazyLinker, "cvm"),
        (tv.VMLinker, "cvm"),
        (tv.CLinker, "c"),
        (tv.OpWiseCLinker, "c|py"),
        (tv.PerformLinker, "py"),
        (tv.DualLinker, "c&py"),
    ],
)
def test_a_mode_takes_a_linker_by_its_class(linker: Any, name: str) -> None:
    assert tv.Mode(linker=linker()) == tv.Mode(name)
    x = tv.vector("x")
    assert tv.function([x], x * 2.0, mode=tv.Mode(linker(), "fast_run"))([1.0]).tolist() == [2.0]
    for copied in (copy.copy(linker()), pickle.loads(pickle.dumps(linker()))):
        assert (type(copied), str(copied)) == (linker, name)


def test_a_linker_says_what_a_mode_keeps() -> None:
    assert tv.Mode(tv.CLinker(allow_gc=False)) == tv.Mode("c", gc=False)
    assert tv.Mode(tv.CLinker(), gc=False) == tv.Mode("c", gc=False)
    assert tv.Mode(tv.CLinker(allow_gc=True), gc=False) == tv.Mode("c")
    assert pickle.loads(pickle.dumps(tv.VMLinker(allow_gc=False))).allow_gc is False
    with pytest.raises(TypeError, match="allow_gc is 3"):
        tv.CLinker(allow_gc=3)  # type: ignore[arg-type]


# ---- PureOp and DisconnectedType


class Chosen(tv.PureOp):
    """x[i], and i as an object; what it gets for outputs without a gradient goes to `incoming`."""

    __props__ = ()
    incoming: Any = None

    def make_node(self, x: Any, i: Any) -> tv.Apply:
        return tv.Apply(self, [x, i], [tv.scalar(), tv.generic()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = np.asarray(inputs[0][inputs[1]])
        output_storage[1][0] = inputs[1]

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        x, i = inputs
        Chosen.incoming = output_gradients
        return [tv.zeros_like(x)[i].inc(output_gradients[0]), tv.DisconnectedType()()]


class Connected(Chosen):
    def connection_pattern(self, node: Any) -> Any:
        return [[True, False], [False, True]]


def test_a_gradient_may_be_a_disconnected_variable() -> None:
    x, i = tv.vector("x"), tv.lscalar("i")
    out = Chosen()(x, i)[0]
    assert tv.function([x, i], tv.grad(out, x))([1.0, 2.0], 1).tolist() == [0.0, 1.0]
    with pytest.raises(tv.DisconnectedInputError):
        tv.grad(out, i)
    assert Chosen.incoming[1] is None


def test_an_op_with_a_connection_pattern_gets_disconnected_variables() -> None:
    x, i = tv.vector("x"), tv.lscalar("i")
    tv.grad(Connected()(x, i)[0], x)
    gradient, absent = Chosen.incoming
    assert absent.type == tv.DisconnectedType()
    assert not absent.type.is_valid_value(1.0)
    assert not isinstance(gradient.type, tv.DisconnectedType)
