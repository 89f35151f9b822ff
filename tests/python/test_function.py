"""tv.function: structures of outputs, updates, givens, In and Out, and its errors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "py_nogc", "vm_nogc", "cvm_nogc"]


class Point(NamedTuple):
    x: Any
    y: Any


@pytest.mark.parametrize("mode", MODES)
def test_the_result_mirrors_the_outputs(mode: str) -> None:
    x = tv.scalar("x")
    twice = 2 * x

    def call(outputs: Any) -> Any:
        return tv.function([x], outputs, mode=mode, on_unused_input="ignore")(3.0)

    assert call(twice) == 6.0
    assert call([twice]) == [6.0]
    assert call([twice, x]) == [6.0, 3.0]
    assert call((twice, x)) == (6.0, 3.0)
    assert call({"a": twice, "b": [x, (x,)]}) == {"a": 6.0, "b": [3.0, (3.0,)]}
    assert call(Point(x, twice)) == Point(3.0, 6.0)
    assert call([]) == []
    assert call({}) == {}
    assert call(None) is None
    assert call([1.5, np.array([1, 2])])[1].tolist() == [1, 2]


@pytest.mark.parametrize("mode", MODES)
def test_arguments_by_position_and_keyword(mode: str) -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, tv.In(y, name="other", value=10.0)], x - y, mode=mode)
    assert f(1.0) == -9.0
    assert f(1.0, 2.0) == -1.0
    assert f(x=1.0, other=4.0) == -3.0
    assert f(other=4.0, x=5.0) == 1.0


def test_wrong_arguments_are_errors_that_name_them() -> None:
    x, y = tv.scalar("x"), tv.vector("weights")
    f = tv.function([x, y], x * y, name="scale")
    with pytest.raises(TypeError, match=r"scale.*weights"):
        f(1.0)
    with pytest.raises(TypeError, match=r"scale"):
        f(1.0, [1.0], 3.0)
    with pytest.raises(TypeError, match=r"weight.*weights"):
        f(1.0, weight=[1.0])
    with pytest.raises(TypeError, match="weights"):
        f(1.0, [[1.0]])
    with pytest.raises(TypeError, match="x"):
        f("a", [1.0])
    assert f(2.0, [1.0]).tolist() == [2.0]


@pytest.mark.parametrize("mode", MODES)
def test_casts_of_arguments(mode: str) -> None:
    x = tv.fvector("x")
    f = tv.function([x], x * 2, mode=mode)
    assert f(np.array([1, 2], "int8")).dtype == np.float32
    with pytest.raises(TypeError, match=r"allow_downcast|astype"):
        f(np.array([0.1, 0.2]))
    g = tv.function([x], x * 2, mode=mode, allow_downcast=True)
    assert g(np.array([0.5, 1.0])).tolist() == [1.0, 2.0]
    h = tv.function([tv.In(x, allow_downcast=False)], x * 2, mode=mode, allow_downcast=True)
    with pytest.raises(TypeError, match="float64"):
        h(np.array([0.5]))
    strict = tv.function([tv.In(x, strict=True)], x * 2, mode=mode)
    with pytest.raises(TypeError, match="x"):
        strict(np.array([1, 2], "int8"))


# ---- updates ----


@pytest.mark.parametrize("mode", MODES)
def test_updates_see_the_values_at_the_start_and_commit_together(mode: str) -> None:
    a, b = tv.shared(1.0, "a"), tv.shared(2.0, "b")
    swap = tv.function([], [a, b], updates=[(a, b), (b, a)], mode=mode)
    assert swap() == [1.0, 2.0]
    assert (a.get_value(), b.get_value()) == (2.0, 1.0)


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_call_leaves_shared_variables_as_they_were(mode: str) -> None:
    n, total = tv.shared(0, "n"), tv.shared(np.zeros(2), "total")
    x = tv.vector("x")
    f = tv.function([x], x[1], updates={n: n + 1, total: total + x[:2]}, mode=mode)
    f([1.0, 2.0])
    with pytest.raises(IndexError):
        f([1.0])
    assert n.get_value() == 1
    assert total.get_value().tolist() == [1.0, 2.0]
    f([1.0, 2.0])
    assert n.get_value() == 2


@pytest.mark.parametrize("mode", MODES)
def test_an_update_that_nobody_demands_by_if_computed(mode: str, counting: Any) -> None:
    op = counting(lambda v: v + 1.0)
    state, c = tv.shared(0.0, "state"), tv.scalar("c")
    new = op(state)
    f = tv.function(
        [c], tv.ifelse(c, new, -1.0), updates={state: tv.Update(new, if_computed=True)}, mode=mode
    )
    assert f(0.0) == -1.0
    assert (op.runs, state.get_value()) == (0, 0.0)
    assert f(1.0) == 1.0
    assert (op.runs, state.get_value()) == (1, 1.0)


@pytest.mark.parametrize("mode", MODES)
def test_lazy_updates(mode: str, counting: Any) -> None:
    op = counting()
    state, c = tv.shared(3.0, "state"), tv.scalar("c")
    f = tv.function([c], None, updates={state: tv.ifelse(c, op(state), state)}, mode=mode)
    f(0.0)
    assert (op.runs, state.get_value()) == (0, 3.0)
    f(1.0)
    assert (op.runs, state.get_value()) == (1, 9.0)


def test_updates_are_cast_where_nothing_is_lost() -> None:
    x, n = tv.shared(1.0, "x"), tv.shared(1, "n")
    small = tv.shared(np.float32(1.0), "small")
    tv.function([], None, updates={x: n + 1, small: 0.1})()
    assert x.get_value() == 2.0
    assert small.get_value() == np.float32(0.1)
    with pytest.raises(
        TypeError, match=r"the update of .*n.* may lose precision.*astype\('int64'\)"
    ):
        tv.function([], None, updates={n: x})
    with pytest.raises(TypeError, match=r"update of .*x.* with 1 dimensions where 0 are wanted"):
        tv.function([], None, updates={x: tv.constant([1.0])})


def test_what_cannot_be_updated() -> None:
    x, n = tv.scalar("x"), tv.shared(0, "n")
    with pytest.raises(TypeError, match=r"updates has <?x.* which is not a shared variable"):
        tv.function([x], None, updates={x: x})
    with pytest.raises(ValueError, match=r"the shared variable .*n.* is updated twice"):
        tv.function([], None, updates=[(n, n + 1), (n, n + 2)])
    with pytest.raises(TypeError, match="give a dict, or a list of pairs"):
        tv.function([], None, updates=[n])


# ---- givens ----


@pytest.mark.parametrize("mode", MODES)
def test_givens_replace_variables_everywhere(mode: str) -> None:
    x, y, state = tv.scalar("x"), tv.scalar("y"), tv.shared(5.0, "state")
    z = x * x
    assert tv.function([y], z + 1, givens={x: y + 1}, mode=mode)(2.0) == 10.0
    assert tv.function([y], z + 1, givens=[(z, y)], mode=mode)(2.0) == 3.0
    assert tv.function([x], state * x, givens={state: 2.0}, mode=mode)(3.0) == 6.0
    assert tv.function([x], x + 1, givens={x: 2.0}, on_unused_input="ignore", mode=mode)(9.0) == 3.0
    f = tv.function([y], None, updates={state: state + x}, givens={x: y}, mode=mode)
    f(1.0)
    assert state.get_value() == 6.0


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "FAST_RUN"])
def test_an_argument_that_is_given_has_the_length_that_was_declared(mode: str) -> None:
    x, y = tv.vector("x"), tv.TensorType("float64", (3,))("y")
    n = tv.TensorType("int64", (None,))("n")
    for given in (x, n):
        for asked in (y.shape[0], y.shape, y.size, tv.ones_like(y).sum()):
            f = tv.function([given], [asked], givens={y: given}, mode=mode,
                            on_unused_input="ignore")  # fmt: skip
            f(np.ones(3, given.dtype))
            with pytest.raises(ValueError, match=r"has shape \(5,\), but \(3,\) is wanted"):
                f(np.ones(5, given.dtype))


def test_an_argument_that_is_given_for_two_has_the_lengths_of_both() -> None:
    x = tv.matrix("x")
    y, z = tv.TensorType("float64", (3, None))("y"), tv.TensorType("float64", (None, 2))("z")
    f = tv.function([x], [y.shape[0], z.shape[1]], givens={y: x, z: x}, on_unused_input="ignore")
    assert f(np.ones((3, 2))) == [3, 2]
    with pytest.raises(ValueError, match=r"has shape \(3, 3\), but \(3, 2\) is wanted"):
        f(np.ones((3, 3)))


def test_givens_rename_nothing_of_the_users() -> None:
    v, w = tv.vector("v"), tv.tensor("w", shape=(3,))
    # The Op gives a Variable that has these lengths back as it is.
    z = tv.ops.unbroadcast(v, tv.constant([3]), ndim=1)
    z.name = "z"
    f = tv.function([w], z, givens={v: w})
    assert w.name == "w"
    assert f.outputs[0] is w


def test_what_givens_make_anew_keeps_its_name() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    z = tv.exp(x)
    z.name = "z"
    assert [v.name for v in tv.function([y], [z, z + 1], givens={x: y}).outputs] == ["z", None]


@pytest.mark.parametrize("mode", MODES)
def test_an_input_may_stand_for_what_an_op_computes(mode: str, counting: Any) -> None:
    op = counting()
    x = tv.scalar("x")
    y = op(x)
    f = tv.function([tv.In(y, name="y")], y + 1, mode=mode)
    assert f(2.0) == 3.0
    assert f(y=4.0) == 5.0
    assert op.runs == 0


def test_givens_that_cannot_be() -> None:
    x, y, v = tv.scalar("x"), tv.scalar("y"), tv.vector("v")
    n = tv.lscalar("n")
    with pytest.raises(ValueError, match="cycle"):
        tv.function([], x + y, givens={x: y + 1, y: x + 1})
    with pytest.raises(
        TypeError, match=r"the given for .*x.* is .*v.*, with 1 dimensions where 0 are wanted"
    ):
        tv.function([v], x + 1, givens={x: v})
    with pytest.raises(TypeError, match="may lose precision"):
        tv.function([x], n + 1, givens={n: x})
    assert tv.function([n], x + 1, givens={x: n})(2) == 3.0
    with pytest.raises(TypeError, match="givens has 'x' as what to replace"):
        tv.function([], x, givens={"x": 1.0})
    with pytest.raises(ValueError, match=r"givens replaces .*x.* twice"):
        tv.function([], x, givens=[(x, 1.0), (x, 2.0)])


# ---- inputs ----


def test_inputs_that_cannot_be() -> None:
    x, y, n = tv.scalar("x"), tv.scalar("y"), tv.shared(0, "n")
    with pytest.raises(ValueError, match=r"the input .*x.* comes twice"):
        tv.function([x, y, x], x + y)
    with pytest.raises(TypeError, match=r"input 1 is 2\.0, a float; it has to be a Variable"):
        tv.function([x, 2.0], x)
    with pytest.raises(TypeError, match=r"inputs is a list of Variables"):
        tv.function(x, x)
    with pytest.raises(TypeError, match=r"input 0, .*n.*, is a shared variable"):
        tv.function([n], n + 1)


def test_a_missing_input_names_the_output_and_the_line_that_needs_it() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    z = tv.exp(y) + x
    with pytest.raises(tv.MissingInputError) as raised:
        tv.function([x], {"a": x, "b": z})
    message = str(raised.value)
    for part in ("outputs['b']", "y", "exp", "test_function.py:", "add it to inputs"):
        assert part in message
    n = tv.shared(0.0, "n")
    with pytest.raises(tv.MissingInputError, match=r"the update of .*n.* needs the variable .*y"):
        tv.function([x], x, updates={n: y})


def test_an_unused_input_is_an_error_a_warning_or_nothing() -> None:
    x, y = tv.scalar("x"), tv.scalar("unused")
    with pytest.raises(tv.UnusedInputError, match=r"no output or update depends on .*unused"):
        tv.function([x, y], x)
    with pytest.warns(UserWarning, match="unused"):
        f = tv.function([x, y], x + 1, on_unused_input="warn")
    assert f(1.0, 2.0) == 2.0
    assert tv.function([x, y], x + 1, on_unused_input="ignore")(1.0, 2.0) == 2.0
    with pytest.raises(ValueError, match=r"on_unused_input is 'ignor'.*Did you mean 'ignore'"):
        tv.function([x], x, on_unused_input="ignor")  # type: ignore[arg-type]


# ---- what a caller gets ----


@pytest.mark.parametrize("mode", MODES)
def test_results_alias_nothing_unless_asked(mode: str) -> None:
    x, state = tv.vector("x"), tv.shared(np.ones(2), "state")
    f = tv.function([x], [x, x, state, x[::-1]], mode=mode)
    given = np.array([1.0, 2.0])
    results = f(given)
    for number, result in enumerate(results):
        result += 100.0
        others = [r for k, r in enumerate(results) if k != number]
        assert not any(np.shares_memory(result, other) for other in [given, *others])
    assert given.tolist() == [1.0, 2.0]
    assert state.get_value().tolist() == [1.0, 1.0]
    borrowed = tv.function([x], tv.Out(x, borrow=True), mode=mode)(given)
    assert borrowed is given


@pytest.mark.parametrize("mode", MODES)
def test_a_function_may_be_called_again_with_other_shapes(mode: str) -> None:
    x = tv.matrix("x")
    f = tv.function([x], tv.sum(x * 2, axis=0), mode=mode)
    for shape in ((2, 3), (0, 2), (1, 1), (5, 0), (2, 3)):
        np.testing.assert_array_equal(f(np.ones(shape)), np.full(shape[1], 2.0 * shape[0]))


def test_shared_variables_have_values_of_their_own() -> None:
    given = np.array([1.0, 2.0])
    state = tv.shared(given, "state")
    given[0] = 9.0
    assert state.get_value().tolist() == [1.0, 2.0]
    state.get_value()[0] = 9.0
    assert state.get_value().tolist() == [1.0, 2.0]
    state.set_value([5.0, 6.0, 7.0])
    assert state.get_value().tolist() == [5.0, 6.0, 7.0]
    assert tv.shared({"any": "object"}).get_value() == {"any": "object"}
    assert tv.shared(None).get_value() is None
    assert tv.shared(1).dtype == "int64"
    assert tv.shared([1, 2], dtype="float32").dtype == "float32"
    with pytest.raises(TypeError, match="takes a value, not the variable"):
        tv.shared(tv.scalar("x"))
    with pytest.raises(TypeError, match="is not a shared variable, so it has no get_value"):
        tv.scalar("x").get_value()


def test_an_attribute_that_would_change_nothing_is_refused() -> None:
    x = tv.scalar("x")
    f = tv.function([x], x + 1, name="f")
    with pytest.raises(AttributeError, match=r"f has no attribute 'trust_input' to set to True"):
        f.trust_input = True  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"'name' of 'Function' object has no setter"):
        f.name = "g"  # type: ignore[misc]
    f.note = "mine"  # type: ignore[attr-defined]
    assert f.note == "mine"  # type: ignore[attr-defined]
    assert f(1.0) == 2.0
