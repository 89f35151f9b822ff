"""Names and habits of NumPy, SciPy, Theano, JAX, CasADi and torch: messages say what to write."""

from __future__ import annotations

import inspect
import math
import pickle
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.teaching import elsewhere

x, y, v, m = tv.scalar("x"), tv.scalar("y"), tv.vector("v"), tv.matrix("m")
a, rng = np.zeros(3), np.random.default_rng(0)


def assign_number() -> None:
    a[0] = x


def assign_row() -> None:
    a[1:] = v


def scipy_function(name: str, module: str, asks: str = "True") -> Callable[..., Any]:
    """A function of a module of SciPy's, which is not among what the tests need: as it is there."""
    code = f"def {name}(*args):\n    return [np.asarray(arg) for arg in args if {asks}]\n"
    made = types.ModuleType(module)
    vars(made)["np"] = np
    exec(code, vars(made))
    return getattr(made, name)


solve = scipy_function("solve", "scipy.linalg._basic")
logsumexp = scipy_function("logsumexp", "scipy.special._logsumexp", "np.iterable(arg)")
ndimage_label = scipy_function("label", "scipy.ndimage._measurements")

MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (assign_number, "instead of `a[0] = x` write `a = tv.as_variable(a)[0].set(x)`"),
    (assign_row, "instead of `a[1:] = v` write `a = tv.as_variable(a)[1:].set(v)`"),
    (lambda: math.sin(x), "Instead of `math.sin(x)` write tv.sin."),
    (lambda: math.lgamma(x), "Instead of `math.lgamma(x)` write tv.gammaln."),
    (lambda: rng.normal(x), "Instead of `rng.normal(x)` draw from a generator of the graph"),
    (lambda: np.array([x, y]), "write tv.constant(values), or tv.stack([x, y]) where some of them"),
    (lambda: np.asarray(v), "Instead of `np.asarray(v)` write tv.as_variable."),
    (lambda: solve(m, v), "Instead of `solve(m, v)` write tv.solve."),
    (lambda: logsumexp(v), "Instead of `logsumexp(v)` write tv.logsumexp."),
    (lambda: logsumexp(x), "Instead of `logsumexp(x)` write tv.logsumexp."),
    (lambda: v.__array_namespace__(), "cannot become an ndarray"),
    (lambda: np.linalg.matmul(m, m), "no counterpart for Variables; write tv.matmul."),
    (lambda: np.einsum_path("i", v), "an Op with a perform that calls np.einsum_path"),
    (lambda: ndimage_label(v), "an Op with a perform that calls it: see tv.Op"),
    (lambda: float(x), "Make a function that computes it: tv.function(inputs, x)"),
    (lambda: f"{x:.2f}", "cannot be formatted as '.2f': it has no value before the function runs"),
    (lambda: np.isnat(x), "np.isnat has no counterpart for Variables; "),
    (lambda: np.exp(x, out=np.zeros(())), "np.exp on a Variable takes no out=; leave it out"),
    (lambda: np.logical_or.reduce(v, initial=True), "takes no initial=; write tv.maximum"),
    (lambda: tv.function([x], x, allow_input_downcast=True), "it is called 'allow_downcast' here"),
    (lambda: v.reshape((1,), order="F"), "Variable.reshape() got an unexpected keyword argument"),
    (lambda: v.reshape((1,), order="F"), "; leave it out: elements are in C order"),
    (lambda: v.astype("int8", copy=False), "astype() got an unexpected keyword argument 'copy'; l"),
    (lambda: v.take([0], mode="clip"), "take() got an unexpected keyword argument 'mode'; "),
    (lambda: v.transpose(order="F"), "Variable.transpose() got an unexpected keyword argument"),
    (lambda: m.transpose(axes=(1, 0)), "; give axes by position"),
    (lambda: x.round(ndigits=2), "it is called 'decimals' here"),
    (lambda: tv.solve(m, v, check_finite=False), "keyword argument 'check_finite'; leave it out"),
    (lambda: tv.cholesky(m, upper=True), "write lower=False where the upper triangle is meant"),
    (lambda: tv.ops.solve_triangular(m, v, trans=1), "it is called 'transposed' here"),
    (lambda: tv.exp(x, x=x), "[exp] got the input 'x' twice, by position and by keyword"),
    (lambda: tv.add(y=x), "[add] needs the input 'x': add(x, y)"),
    (lambda: rng.integers(x), "Instead of `rng.integers(x)` draw from a generator of the graph"),
    (lambda: rng.choice(v), "Instead of `rng.choice(v)` draw from a generator of the graph"),
    (lambda: [q for q in x], "a scalar has no items; use it as it is"),
    (lambda: tv.attempt(x, x, on="KeyError"), "on has 'KeyError', which is no subclass of Excepti"),
    (lambda: tv.clip(x, a_min=0.0), "it is called 'min' here"),
    (lambda: tv.trace(m, keepdims=True), "write tv.expand_dims(result, axis)"),
    (lambda: v.sum(dim=0), "it is called 'axis' here"),
    (lambda: tv.exp(x, out=y), "[exp] has no attribute 'out'; leave it out"),
    (lambda: tv.ops.sum(v, dim=0), "[sum] has no attribute 'dim'; it is called 'axis' here"),
    (lambda: tv.ops.sum(v, axxis=0), "did you mean 'axis'?"),
    (lambda: tv.sum(v, axxis=0), "Did you mean 'axis'?"),
    (lambda: tv.reshape(v, (1,), nonsense=1), "it takes x, shape"),
    (lambda: tv.grad(lambda x: x * x), "grad takes Variables, not functions of them"),
    (lambda: tv.grad(lambda x: x * x, x), "call the function on Variables, and give what it"),
    (lambda: max(x, y), "Instead of `max(x, y)` write tv.maximum(x, y), or tv.max(x) of an array"),
    (lambda: min([x, y]), "Instead of `min([x, y])` write tv.minimum(x, y)"),
    (lambda: any(c for c in (x > 0, y > 0)), "write tv.or_(x, y), or tv.any(x) of an array"),
    (lambda: sorted([x, y]), "Instead of `sorted([x, y])` write tv.sort(tv.stack([x, y]))"),
    (lambda: tv.concatenate(v, v), "write tv.concatenate([x, y])"),
    (lambda: tv.concatenate(v), "[concatenate] it takes the arrays as one list, but got <v: vec"),
    (lambda: tv.stack(x, y), "write tv.stack([x, y])"),
    (lambda: tv.stack(x, y, x), "; it takes the arrays as one list: write tv.stack([x, y])"),
    (lambda: tv.hstack(v, v), "; it takes the arrays as one list: write tv.hstack([x, y])"),
    (lambda: np.maximum.reduce([x, y]), "write np.maximum.reduce(tv.stack([x, y]))"),
    (lambda: x * "2", "how often a text or another sequence is repeated, in `x * '2'`"),
    (lambda: ["a"][x], "cannot be an index of a list or the end of a range()"),
    (lambda: 1.0 if x > 0 else 2.0, "`tv.ifelse(condition, a, b)`"),
    (lambda: tv.ifelse(x > 0, lambda: x, lambda: y), "call it, and give what it returns"),
]


@pytest.mark.parametrize(("mistake", "told"), MISTAKES)
def test_a_mistake_is_told_what_to_write(mistake: Callable[[], Any], told: str) -> None:
    with pytest.raises(TypeError) as error:
        mistake()
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("owner", "name", "told"),
    [
        (tv, "asin", "thunkvm has no 'asin'; write tv.arcsin"),
        (tv, "Print", "write tv.print_"),
        (tv, "PdbBreakpoint", "write tv.breakpoint_"),
        (tv, "RandomStream", "draw from a generator of the graph"),
        (tv, "wrap_py", "write tv.as_op"),
        (tv, "T", "the functions are in thunkvm itself"),
        (tv, "lax", "lax.cond is tv.ifelse"),
        (tv, "reshpe", "Did you mean 'reshape'?"),
        (tv.tensor, "dot", "tv.tensor makes a Variable; write tv.dot"),
        (tv.tensor, "nnet", "the functions are in thunkvm itself"),
        (tv, "linalg", "the functions are in thunkvm itself"),
        (tv, "schur", "scipy.linalg.schur: see tv.Op"),
        (tv, "flatten", "thunkvm has no 'flatten'; write tv.ravel(x)"),
        (tv, "int32", 'tv.scalar("x", dtype="int32")'),
        (tv, "pi", "write np.pi: numbers are operands as they are"),
        (tv, "newaxis", "write None: x[:, None]"),
        (tv, "einsum_path", "write an Op with a perform that calls np.einsum_path: see tv.Op"),
        (tv, "ifft2", "write tv.fft.ifft2"),
        (tv, "i0e", "a perform that calls scipy.special.i0e"),
        (tv, "schur", "a perform that calls scipy.linalg.schur"),
        (tv, "broadcast_shapes", "what np.broadcast_shapes returns is an operand as it is"),
        (tv, "loadtxt", "call it on the arrays that a function takes and returns"),
        (tv, "no_grad", "leave it out, nothing is recorded"),
        (tv, "shape_padleft", "write tv.expand_dims(x, axis)"),
        (tv, "custom_vjp", "write tv.custom_gradient, or give an Op a grad"),
        (tv, "tensor_split", "write tv.array_split"),
        (m, "exp", "write tv.exp(m)"),
        (m, "abs", "write tv.abs(m)"),
        (m, "H", "write tv.conj(x).T"),
        (m, "at", "write x[index].set(value), or x[index].inc(value)"),
        (m, "double", 'write x.astype("float64")'),
        (x, "item", "write tv.function(inputs, x)(*values)"),
        (v, "dimshuffle", "write tv.transpose(x, axes), and x[:, None] for a new axis"),
        (v, "detach", "write tv.stop_gradient"),
        (v, "reshpe", "Did you mean 'reshape'?"),
    ],
)
def test_a_name_that_is_not_there_is_told_what_to_write(owner: Any, name: str, told: str) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(owner, name)
    assert told in str(error.value)


@pytest.mark.parametrize("module", [np, np.linalg, np.fft], ids=lambda module: module.__name__)
def test_each_name_of_numpy_is_there_or_answered(module: types.ModuleType) -> None:
    names = {name for name in dir(module) if not name.startswith("_")} - set(tv.__all__)
    assert names
    assert [name for name in sorted(names) if not elsewhere.advice(name)] == []


#: By heart, since these libraries are not among what the tests need: what their users write first.
PEERS = """
airy bdtr betainc chdtr ellipk erfcinv erfinv expi gammainc hyp2f1 i1 iv j0 jv k0 kn lambertw
ndtri spence xlogy y0 entr rel_entr boxcox logit expit log_ndtr poch cho_solve expm hadamard
logm lstsq lu null_space orth pinvh polar qz schur solve_banded sqrtm solve_sylvester svdvals
toeplitz block_diag eigh alloc as_tensor_variable batched_dot clone_replace dimshuffle dmatrices
fill flatten ftensor5 inf inverse_permutation iround join largest matvec max_and_argmax scalars
shape_padaxis stacklists tensor_from_scalar unbroadcast scan map reduce Rop Lop Print OpFromGraph
T nnet jit vmap pmap jvp vjp custom_jvp custom_vjp checkpoint
device_put make_jaxpr tree_map pure_callback value_and_grad jacfwd jacrev fori_loop while_loop
switch associative_scan dot_general dynamic_slice gather scatter_add select_n top_k rsqrt clamp
iota lax psum convert_element_type no_grad tensor_split unsqueeze masked_fill index_select topk
cross_entropy relu gelu dropout conv2d one_hot clamp manual_seed randn bmm mm addmm cat chunk stft
numel is_tensor float32 long cuda
MX SX DM Opti Callback vertcat horzcat vertsplit mtimes jtimes if_else conditional substitute sumsqr
nlpsol rootfinder integrator
"""


def test_each_name_that_users_of_other_libraries_write_first_is_there_or_answered() -> None:
    names = set(PEERS.split()) - set(tv.__all__)
    assert [name for name in sorted(names) if not elsewhere.advice(name)] == []


def test_each_attribute_of_an_ndarray_is_there_or_answered() -> None:
    for name in dir(np.ndarray):
        if name.startswith("_") or hasattr(tv.Variable, name):
            continue
        with pytest.raises(AttributeError, match=r"; \w+"):
            getattr(v, name)


def test_each_function_of_ours_is_told_to_who_takes_it_for_a_method() -> None:
    names = {name for name in tv.__all__ if elsewhere.is_function(name)} - set(dir(tv.Variable))
    assert len(names) > 150
    for name in names - set(elsewhere.answers("attributes")):
        with pytest.raises(AttributeError, match=re.escape(f"; write tv.{name}(v)")):
            getattr(v, name)


def test_the_methods_of_an_ndarray_that_are_functions_of_ours() -> None:
    z = tv.tensor("z", "complex128", (None, None))
    f = tv.function([z], [z.trace(), z.diagonal(1), z.conjugate(), z.mT])
    value = np.array([[1.0, 2.0j], [3.0, 4.0]])
    expected = [value.trace(), value.diagonal(1), value.conjugate(), value.mT]
    for got, wanted in zip(f(value), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_a_function_of_scipys_is_told_where_the_program_uses_scipy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert elsewhere.advice("ellipe") == ""
    special = types.ModuleType("scipy.special")
    special.ellipe = lambda m: m
    monkeypatch.setitem(sys.modules, "scipy.special", special)
    assert "a perform that calls scipy.special.ellipe" in elsewhere.advice("ellipe")


@pytest.mark.parametrize("name", ["zz", "conct", "nothing_like_it"])
def test_what_is_far_from_every_name_is_not_guessed(name: str) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(tv, name)
    assert "Did you mean" not in str(error.value)


def test_attributes_that_refuse_say_why_themselves() -> None:
    with pytest.raises(AttributeError, match="is no constant, so it has no value"):
        _ = x.value
    assert not hasattr(x, "no_such_name")
    assert not hasattr(x, "__array_interface__")


def test_the_expression_is_the_users_whatever_its_lines_and_letters() -> None:
    with pytest.raises(TypeError, match=re.escape("Instead of `math.exp(x)` write tv.exp.")):
        math.exp(
            x,
        )
    é = {"é": np.zeros((2, 2))}
    with pytest.raises(TypeError, match=re.escape("instead of `é['é'][0, 1] = x` write")):
        é["é"][0, 1] = x


def test_without_source_a_message_says_more_in_general() -> None:
    with pytest.raises(TypeError, match=r"of numbers' functions, such as math.sin, write ours"):
        exec("math.sin(x)", {"math": math, "x": x})


def test_what_is_told_to_write_is_there() -> None:
    texts = [told for table in elsewhere.tables() for told in elsewhere.answers(table).values()]
    told = set(re.findall(r"\btv\.(\w+)", " ".join(texts)))
    assert len(told) > 30
    assert told - set(tv.__all__) == set()


def test_names_that_we_have_are_not_answered_with_others() -> None:
    assert set(elsewhere.answers("functions")) & set(tv.__all__) == set()
    assert set(elsewhere.answers("attributes")) & set(dir(tv.Variable)) == set()


@pytest.mark.parametrize("table", elsewhere.tables())
def test_a_name_has_one_answer_in_a_table(table: str) -> None:
    names = [
        pair.partition("=")[0]
        for listed in elsewhere.tables()[table].values()
        for pair in listed.split()
    ]
    assert [name for name in sorted(set(names)) if names.count(name) > 1] == []


def test_keywords_are_those_of_our_functions() -> None:
    ours = {
        parameter
        for name in tv.__all__
        if callable(function := getattr(tv, name)) and not isinstance(function, type)
        for parameter in inspect.signature(function).parameters
    }
    assert set(elsewhere.answers("parameters").values()) - ours == set()


def test_functions_that_teach_are_pickled_and_documented_as_before() -> None:
    for function in (tv.sum, tv.ifelse, tv.function, tv.tensor):
        assert pickle.loads(pickle.dumps(function)) is function
    assert str(inspect.signature(tv.clip)).startswith("(x")
    assert tv.clip.__module__ == "thunkvm._src.arrays.elementwise"
    assert tv.clip.__doc__.startswith("Limit the elements")


def test_a_structure_is_told_how_deep_it_may_be() -> None:
    def nested(depth: int) -> object:
        tree: object = x
        for _ in range(depth):
            tree = [tree]
        return tree

    assert tv.function([x], nested(200))(1.0) is not None
    for make in (
        lambda: tv.function([x], nested(500)),
        lambda: tv.ifelse(x > 0, nested(500), nested(500)),
    ):
        with pytest.raises(ValueError, match="nested more than 200 lists, tuples and dicts deep"):
            make()


def test_a_type_error_inside_of_a_function_is_left_alone() -> None:
    with pytest.raises(TypeError) as error:
        tv.reshape(v, "two")
    assert "it takes" not in str(error.value)
