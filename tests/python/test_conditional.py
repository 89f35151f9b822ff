"""Conditionals: what they return, and that only the chosen arm runs, in every mode."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "py_nogc", "vm_nogc", "cvm_nogc"]


@pytest.mark.parametrize("mode", MODES)
def test_only_the_chosen_arm_of_ifelse_runs(mode: str, counting: Any) -> None:
    then, otherwise = counting(), counting(np.negative)
    c, x = tv.scalar("c"), tv.scalar("x")
    f = tv.function([c, x], tv.ifelse(c > 0, then(x), otherwise(x)), mode=mode)
    assert f(1.0, 3.0) == 9.0
    assert (then.runs, otherwise.runs) == (1, 0)
    assert f(-1.0, 3.0) == -3.0
    assert (then.runs, otherwise.runs) == (1, 1)


@pytest.mark.parametrize("mode", MODES)
def test_a_node_shared_by_an_arm_and_the_rest_runs_once(mode: str, counting: Any) -> None:
    op = counting()
    c, x = tv.scalar("c"), tv.scalar("x")
    y = op(x)
    f = tv.function([c, x], [tv.ifelse(c > 0, y + 1, x), y], mode=mode)
    assert f(1.0, 3.0) == [10.0, 9.0]
    assert op.runs == 1
    assert f(0.0, 3.0) == [3.0, 9.0]
    assert op.runs == 2


@pytest.mark.parametrize("mode", MODES)
def test_a_node_of_two_conditionals_runs_only_if_one_takes_it(mode: str, counting: Any) -> None:
    op = counting()
    a, b, x = tv.scalar("a"), tv.scalar("b"), tv.scalar("x")
    g = op(x)
    f = tv.function([a, b, x], tv.ifelse(a, g, x) + tv.ifelse(b, g, x), mode=mode)
    assert f(0.0, 0.0, 3.0) == 6.0
    assert op.runs == 0
    assert f(1.0, 1.0, 3.0) == 18.0
    assert op.runs == 1
    assert f(0.0, 1.0, 3.0) == 12.0
    assert op.runs == 2


@pytest.mark.parametrize("mode", MODES)
def test_an_array_in_one_arm_and_set_subtensor_in_the_other(mode: str, counting: Any) -> None:
    """Theano's issue 3004: the in-place Op of one arm made the other arm's reader run."""
    op = counting()
    s, c = tv.vector("s"), tv.scalar("c")
    f = tv.function([c, s], tv.ifelse(c, s[0].set(5.0), op(s)), mode=mode)
    assert f(1.0, [1.0, 2.0]).tolist() == [5.0, 2.0]
    assert op.runs == 0
    assert f(0.0, [1.0, 2.0]).tolist() == [1.0, 4.0]


@pytest.mark.parametrize("mode", MODES)
def test_nested_conditionals_cost_their_number(mode: str, counting: Any) -> None:
    """Twelve levels that use the level below twice: 12 runs, not 2 ** 12."""
    op = counting(lambda v: v + 1.0)
    x = tv.scalar("x")
    y = x
    for _ in range(12):
        y = tv.ifelse(y > 0, op(y), op(y) * 2.0)
    assert tv.function([x], y, mode=mode)(1.0) == 13.0
    assert op.runs == 12


class Pair(NamedTuple):
    left: Any
    right: Any


@pytest.mark.parametrize("mode", MODES)
def test_arms_may_be_structures(mode: str) -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    picked = tv.ifelse(
        c, {"a": [x, 1.0], "b": Pair(x.sum(), (2,))}, {"b": Pair(0.0, (3,)), "a": [-x, 2.0]}
    )
    assert list(picked) == ["a", "b"]
    assert isinstance(picked["b"], Pair)
    f = tv.function([c, x], picked, mode=mode)
    out = f(0.0, [1.0, 2.0])
    assert out["a"][0].tolist() == [-1.0, -2.0]
    assert out["a"][1] == 2.0
    assert out["b"] == Pair(0.0, (3,))
    assert f(1.0, [1.0, 2.0])["b"] == Pair(3.0, (2,))


@pytest.mark.parametrize("mode", MODES)
def test_outputs_of_a_structure_are_demanded_one_by_one(mode: str, counting: Any) -> None:
    first, second = counting(), counting()
    c, x = tv.scalar("c"), tv.scalar("x")
    a, _ = tv.ifelse(c, [first(x), second(x)], [x, x])
    assert tv.function([c, x], a, mode=mode)(1.0, 3.0) == 9.0
    assert (first.runs, second.runs) == (1, 0)


@pytest.mark.parametrize("mode", MODES)
def test_arms_are_promoted_and_shapes_joined(mode: str) -> None:
    c, i, y = tv.scalar("c"), tv.tensor("i", "int32", (2,)), tv.vector("y", "float32")
    out = tv.ifelse(c, i, y)
    assert (out.dtype, out.type.shape) == ("float64", (None,))
    f = tv.function([c, i, y], out, mode=mode)
    assert f(1.0, [1, 2], [0.5]).dtype == np.float64
    assert f(0.0, [1, 2], [0.5]).tolist() == [0.5]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("value", "truth"),
    [(np.float64(0.5), True), (np.int8(0), False), (np.array([True]), True),
     (np.array([[0.0]]), False), (-0.0, False), (np.inf, True), (np.complex128(1j), True)],
    ids=repr,
)  # fmt: skip
def test_any_single_value_is_a_condition(value: Any, truth: bool, mode: str) -> None:
    array = np.asarray(value)
    c = tv.tensor("c", array.dtype, array.shape)
    assert tv.function([c], tv.ifelse(c, 1.0, 0.0), mode=mode)(array) == float(truth)


@pytest.mark.parametrize("mode", MODES)
def test_nan_is_no_condition(mode: str) -> None:
    c = tv.scalar("c")
    f = tv.function([c], tv.ifelse(c, 1.0, 0.0), mode=mode)
    with pytest.raises(ValueError, match=r"(?i)nan"):
        f(np.nan)
    assert f(1.0) == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_only_the_chosen_case_of_a_switch_runs(mode: str, counting: Any) -> None:
    ops = [counting(lambda v, k=k: v * k) for k in range(4)]
    i, x = tv.lscalar("i"), tv.scalar("x")
    f = tv.function([i, x], tv.switch_case(i, [op(x) for op in ops[:3]]), mode=mode)
    for k in range(3):
        assert f(k, 2.0) == 2.0 * k
    assert [op.runs for op in ops] == [1, 1, 1, 0]
    with pytest.raises(IndexError, match="3"):
        f(3, 2.0)
    with pytest.raises(IndexError, match="-1"):
        f(-1, 2.0)
    assert [op.runs for op in ops] == [1, 1, 1, 0]
    g = tv.function(
        [i, x], tv.switch_case(i, [op(x) for op in ops[:3]], default=ops[3](x)), mode=mode
    )
    assert g(7, 2.0) == 6.0
    assert g(-1, 2.0) == 6.0
    assert [op.runs for op in ops] == [1, 1, 1, 2]


@pytest.mark.parametrize("mode", MODES)
def test_cond_stops_at_the_first_true_clause(mode: str, counting: Any) -> None:
    tests = [counting(lambda v, k=k: (v > k) * 1.0) for k in (3, 2, 1)]
    x = tv.scalar("x")
    out = tv.cond([(test(x), float(k)) for k, test in enumerate(tests)], -1.0)
    f = tv.function([x], out, mode=mode)
    assert f(2.5) == 1.0
    assert [test.runs for test in tests] == [1, 1, 0]
    assert f(0.0) == -1.0
    assert [test.runs for test in tests] == [2, 2, 1]
    assert tv.function([], tv.cond([], 4.0), mode=mode)() == 4.0


@pytest.mark.parametrize("mode", MODES)
def test_and_or_stop_where_the_answer_is_known(mode: str, counting: Any) -> None:
    op = counting()
    x, y = tv.scalar("x"), tv.scalar("y")
    both = tv.function([x, y], tv.and_(x > 0, y > 0, op(y) > 4), mode=mode)
    assert not both(-1.0, 3.0)
    assert not both(1.0, -3.0)
    assert op.runs == 0
    assert both(1.0, 3.0)
    assert op.runs == 1
    either = tv.function([x, y], tv.or_(x > 0, y > 0, op(y) > 4), mode=mode)
    assert either(1.0, 0.0)
    assert either(-1.0, 1.0)
    assert op.runs == 1
    assert either(-1.0, -3.0)
    assert op.runs == 2
    assert both(1.0, 3.0).dtype == np.bool_


@pytest.mark.parametrize("mode", MODES)
def test_and_or_ask_in_the_order_written(mode: str, counting: Any) -> None:
    for combine, stop in ((tv.and_, 0.0), (tv.or_, 1.0)):
        ops = [counting(lambda v: v) for _ in range(4)]
        x = tv.vector("x")
        f = tv.function([x], combine(*(op(x[k]) for k, op in enumerate(ops))), mode=mode)
        for place in range(4):
            values = [1.0 - stop] * 4
            values[place] = stop
            assert f(values) == bool(stop)
            assert [op.runs for op in ops] == [1] * (place + 1) + [0] * (3 - place)
            for op in ops:
                op.runs = 0


@pytest.mark.parametrize("mode", MODES)
def test_coalesce_stops_at_the_first_value_that_is_there(mode: str, counting: Any) -> None:
    op = counting()
    x, y = tv.scalar("x"), tv.scalar("y")
    f = tv.function([x, y], tv.coalesce(x, y, op(x * 0.0 + 2.0)), mode=mode)
    assert f(1.0, 2.0) == 1.0
    assert f(np.nan, 2.0) == 2.0
    assert op.runs == 0
    assert np.isnan(f(np.nan, np.nan))
    assert op.runs == 1
    a, b = tv.generic("a"), tv.generic("b")
    g = tv.function([a, b], tv.coalesce(a, b), mode=mode)
    assert g(None, "second") == "second"
    assert g("first", "second") == "first"
    assert g(None, None) is None


@pytest.mark.parametrize("mode", MODES)
def test_coalesce_fills_in_the_missing_elements_of_an_array(mode: str, counting: Any) -> None:
    second, third = counting(), counting()
    x, y, z = tv.vector("x"), tv.vector("y"), tv.vector("z")
    f = tv.function([x, y, z], tv.coalesce(x, second(y), third(z)), mode=mode)
    np.testing.assert_array_equal(f([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]), [1.0, 2.0])
    assert (second.runs, third.runs) == (0, 0)
    np.testing.assert_array_equal(
        f([np.nan, 2.0], [3.0, np.nan], [5.0, 6.0]), [9.0, 2.0]
    )  # 3.0 squared
    assert (second.runs, third.runs) == (1, 0)
    got = f([np.nan, np.nan, 2.0], [np.nan, 4.0, 3.0], [5.0, 6.0, 7.0])
    np.testing.assert_array_equal(got, [25.0, 16.0, 2.0])
    assert (second.runs, third.runs) == (2, 1)


@pytest.mark.parametrize("mode", MODES)
def test_coalesce_has_the_shape_of_its_first_value(mode: str) -> None:
    m, v = tv.matrix("m"), tv.vector("v")
    f = tv.function([m, v], tv.coalesce(m, v, -1.0), mode=mode)
    first = [[1.0, np.nan], [np.nan, np.nan]]
    np.testing.assert_array_equal(f(first, [8.0, np.nan]), [[1.0, -1.0], [8.0, -1.0]])
    assert f(np.ones((0, 2)), [8.0, 9.0]).shape == (0, 2)
    with pytest.raises(ValueError, match="broadcast"):
        f([[np.nan]], [8.0, 9.0])


@pytest.mark.parametrize("mode", MODES)
def test_coalesce_keeps_to_the_dtypes_and_integers_are_never_missing(mode: str) -> None:
    x = tv.vector("x", dtype="float32")
    i, z = tv.lvector("i"), tv.tensor("z", dtype="complex128", shape=(None,))
    f = tv.function([x], tv.coalesce(x, 0.5), mode=mode)
    assert f(np.float32([np.nan])).dtype == "float32"
    np.testing.assert_array_equal(tv.function([i], tv.coalesce(i, 7), mode=mode)([1, 2]), [1, 2])
    g = tv.function([z], tv.coalesce(z, 1.0), mode=mode)
    np.testing.assert_array_equal(g([complex(np.nan, 1.0), 2j]), [1.0, 2j])


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_coalesce_goes_to_the_elements_that_counted(mode: str) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    cost = (tv.coalesce(x, tv.exp(y)) * [1.0, 2.0]).sum()
    f = tv.function([x, y], tv.grad(cost, [x, y]), mode=mode)
    to_x, to_y = f([np.nan, 3.0], [0.0, 1.0])
    np.testing.assert_array_equal(to_x, [0.0, 2.0])
    np.testing.assert_array_equal(to_y, [1.0, 0.0])


@pytest.mark.parametrize("mode", MODES)
def test_where_is_eager_and_elementwise(mode: str, counting: Any) -> None:
    op = counting()
    x = tv.vector("x")
    f = tv.function([x], tv.where(x > 0, op(x), -x), mode=mode)
    assert f([2.0, -3.0]).tolist() == [4.0, 3.0]
    assert op.runs == 1


@pytest.mark.parametrize("mode", MODES)
def test_generic_values_and_none_pass_through_arms(mode: str) -> None:
    c, x, y = tv.scalar("c"), tv.generic("x"), tv.generic("y")
    f = tv.function([c, x, y], tv.ifelse(c, x, y), mode=mode)
    assert f(1.0, {"any": "object"}, None) == {"any": "object"}
    assert f(0.0, {"any": "object"}, None) is None


# ---- mismatches ----


def test_a_mismatch_of_structure_names_the_path() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    with pytest.raises(
        TypeError, match=r"then\['a'\] is a list of 2, but else\['a'\] is one value"
    ):
        tv.ifelse(c, {"a": [x, x]}, {"a": x})
    with pytest.raises(TypeError, match=r"then\[1\] has 1 values, but else\[1\] has 2"):
        tv.ifelse(c, [x, [x]], [x, [x, x]])
    with pytest.raises(TypeError, match=r"then has the key 'a', which else has not"):
        tv.ifelse(c, {"a": x}, {"b": x})


def test_a_mismatch_of_dimensions_names_path_types_and_lines() -> None:
    c, x, v = tv.scalar("c"), tv.scalar("x"), tv.vector("v")
    with pytest.raises(TypeError) as raised:
        tv.ifelse(c, {"a": x, "b": v * 2}, {"a": x, "b": x + 1})
    message = str(raised.value)
    for part in ("then['b']", "else['b']", "vector float64", "scalar float64",
                 "test_conditional.py:"):  # fmt: skip
        assert part in message


def test_strict_refuses_different_dtypes() -> None:
    c, x, y = tv.scalar("c"), tv.scalar("x"), tv.fscalar("y")
    assert tv.ifelse(c, x, y).dtype == "float64"
    with pytest.raises(TypeError, match="float32"):
        tv.ifelse(c, x, y, strict=True)


def test_misused_conditionals_say_what_is_wrong() -> None:
    x, v = tv.scalar("x"), tv.vector("v")
    with pytest.raises(ValueError, match=r"\[switch_case\] there are no cases"):
        tv.switch_case(x, [])
    with pytest.raises(TypeError, match=r"\[cond\] clause 0 is 1\.0; it has to be a pair"):
        tv.cond([1.0], x)
    with pytest.raises(TypeError, match=r"\[and_\] takes at least one condition"):
        tv.and_()
    with pytest.raises(TypeError, match=r"\[coalesce\] value 1, .* has 1 dimensions, more"):
        tv.coalesce(x, v)
    with pytest.raises(TypeError, match="single value"):
        tv.ifelse(tv.tensor("c", shape=(2,)), x, x)


def test_the_truth_of_a_variable_shows_the_ifelse_to_write() -> None:
    x = tv.scalar("x")
    with pytest.raises(TypeError, match="ifelse"):
        bool(x > 0)
    with pytest.raises(TypeError, match=r"tv\.maximum\(x, y\)"):
        max(x, x + 1)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
@pytest.mark.parametrize("join", [tv.and_, tv.or_])
def test_nan_is_no_condition_for_and_and_or(mode: str, join: Any) -> None:
    a, b = tv.scalar("a"), tv.scalar("b")
    f = tv.function([a, b], join(a, b), mode=mode)
    with pytest.raises(ValueError, match="NaN"):
        f(float("nan"), 1.0)
    assert f(1.0, 1.0)


def test_one_element_is_enough_for_and() -> None:
    x, a = tv.vector("x"), tv.scalar("a")
    f = tv.function([x, a], tv.and_(x, a))
    assert f([2.0], 1.0)
    assert not f([0.0], float("nan"))  # the second is not asked


@pytest.mark.parametrize(("mode", "runs"), [("py", 3), ("vm", 1), ("cvm", 1)])
def test_a_conditional_counts_the_branches_that_decided_it(mode: str, runs: int) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    three = tv.ifelse(c, [x + 1.0, x + 2.0, x + 3.0], [x - 1.0, x - 2.0, x - 3.0])
    f = tv.function([c, x], three, mode=mode)
    assert f(1.0, 0.0) == [1.0, 2.0, 3.0]
    assert [row[4] for row in f.node_runs() if row[1] == "ifelse"] == [runs]
    one = tv.function([c, x], three[1], mode=mode)
    one(1.0, 0.0)
    assert [row[4] for row in one.node_runs() if row[1] == "ifelse"] == [1]
