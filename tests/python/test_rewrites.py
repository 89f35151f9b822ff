"""Rewrites: the modes that have them, what they take out, and what stays as it was."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["FAST_RUN", "FAST_COMPILE"]


def ops(function: tv.Function) -> list[str]:
    return sorted(row.op for row in function.explain().nodes)


# ---- modes ----


def test_fast_run_is_cvm_with_all_rewrites_and_fast_compile_vm_with_few() -> None:
    assert tv.get_mode("FAST_RUN") == tv.Mode(linker="cvm", optimizer="fast_run")
    assert tv.get_mode("FAST_RUN").rewrites == ("merge", "inverses", "idempotents", "factors")
    assert tv.get_mode("FAST_COMPILE") == tv.Mode(linker="vm", optimizer="fast_compile")
    assert tv.get_mode("FAST_COMPILE").rewrites == ("merge",)
    assert [tv.get_mode(name).name for name in MODES] == MODES


@pytest.mark.parametrize("linker", ["py", "vm", "cvm", "c", "c|py", "c&py"])
def test_a_linker_alone_rewrites_nothing_and_takes_any_optimizer(linker: str) -> None:
    x = tv.scalar("x")
    y = (x + 1) * (x + 1)
    plain = tv.function([x], y, mode=linker)
    assert ops(plain) == ["add", "add", "mul"]
    assert plain.rewrites == {}
    rewritten = tv.function([x], y, mode=tv.Mode(linker, "fast_run"))
    assert ops(rewritten) == ["add", "mul"]
    assert rewritten(2.0) == plain(2.0) == 9.0


def test_including_and_excluding_take_the_names_of_rewrites() -> None:
    x = tv.scalar("x")
    y = tv.negative(-x) + tv.negative(-x)
    nothing = tv.get_mode("FAST_RUN").excluding(*tv.get_mode("FAST_RUN").rewrites)
    for mode, names in [
        (nothing, ["add", "neg", "neg", "neg", "neg"]),
        (nothing.including("merge"), ["add", "neg", "neg"]),
        (nothing.including("inverses"), ["add"]),
        (tv.get_mode("cvm").including("merge", "inverses"), ["add"]),
    ]:
        f = tv.function([x], y, mode=mode)
        assert ops(f) == names
        assert f(1.5) == 3.0


def test_wrong_names_are_errors_with_a_suggestion() -> None:
    with pytest.raises(ValueError, match=r"no optimizer 'fastrun'.*Did you mean 'fast_run'\?"):
        tv.Mode("cvm", optimizer="fastrun")
    with pytest.raises(ValueError, match="no optimizer False; the optimizers are fast_run"):
        tv.Mode("vm", False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no feature 'merging'.*Did you mean 'merge'\?"):
        tv.get_mode("cvm").including("merging")
    with pytest.raises(ValueError, match=r"no feature 'inverse'.*Did you mean 'inverses'\?"):
        tv.get_mode("FAST_RUN").excluding("inverse")
    with pytest.raises(ValueError, match=r"no mode 'FASTRUN'.*Did you mean 'FAST_RUN'\?"):
        tv.get_mode("FASTRUN")


# ---- what is seen of it ----


def test_explain_says_how_many_nodes_fewer_there_are() -> None:
    x, a = tv.vector("x"), tv.scalar("a")
    twice = (x * a) * (x * a)
    f = tv.function([x, a], [twice, tv.negative(-a)], mode="FAST_RUN")
    assert f.rewrites == {"merge": 1, "inverses": 2, "idempotents": 0, "factors": 0}
    said = "rewrites: 3 nodes fewer (merge 1, inverses 2, idempotents 0, factors 0)"
    assert said in str(f.explain())
    assert "nodes fewer" not in str(tv.function([x, a], twice, mode="cvm").explain())


def test_nodes_that_stay_or_stand_for_others_keep_their_names_and_lines() -> None:
    x = tv.matrix("x")
    first, line = x + 1.0, inspect.currentframe().f_lineno  # type: ignore[union-attr]
    over = first * tv.exp(x + 1.0)
    turned = tv.transpose(tv.transpose(tv.stack([over, over]), axes=[1, 2, 0]), axes=[1, 2, 0])
    over.name = "over"
    f = tv.function([x], turned, mode="FAST_RUN")
    lines = {row.op: row.origin.split(" in ")[0] for row in f.explain().nodes}
    for op, after in {"add": 0, "exp": 1, "mul": 1, "stack": 2, "transpose": 2}.items():
        assert lines[op] == f"test_rewrites.py:{line + after}"
    assert ":over = " in f.disassemble()


def test_what_givens_replace_keeps_its_lines() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    z, line = tv.exp(x), inspect.currentframe().f_lineno  # type: ignore[union-attr]
    f = tv.function([y], z, givens={x: y * 2.0})
    (row,) = (row for row in f.explain().nodes if row.op == "exp")
    assert row.origin.startswith(f"test_rewrites.py:{line} ")


@pytest.mark.parametrize("mode", MODES)
def test_an_error_names_the_users_line_of_a_merged_node(mode: str) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
    total = tv.exp(x) + y
    f = tv.function([x, y], [total, tv.exp(x) * 2.0], mode=mode)
    with pytest.raises(ValueError, match=r"\(2,\)") as raised:
        f([1.0, 2.0], [1.0, 2.0, 3.0])
    assert f"test_rewrites.py:{line}" in "\n".join(raised.value.__notes__)


# ---- laziness ----


@pytest.mark.parametrize("mode", MODES)
def test_a_node_merged_across_arms_runs_once_and_only_if_it_is_demanded(mode: str) -> None:
    c, d, x = tv.scalar("c"), tv.scalar("d"), tv.vector("x")
    out = [tv.ifelse(c > 0, tv.exp(x), x), tv.ifelse(d > 0, tv.exp(x) + 1.0, x)]
    f = tv.function([c, d, x], out, mode=mode)
    for first, second, runs in [(0.0, 0.0, 0), (1.0, 0.0, 1), (0.0, 1.0, 1), (1.0, 1.0, 1)]:
        f.reset_counters()
        f(first, second, [1.0])
        assert [row[-1] for row in f.node_runs() if row[1] == "exp"] == [runs]


@pytest.mark.parametrize("mode", MODES)
def test_a_users_nodes_are_not_merged_and_run_where_they_are_demanded(
    mode: str, counting: Any
) -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    op = counting()
    f = tv.function([c, x], tv.ifelse(c, op(x * 2.0) + op(x * 2.0), x * 2.0), mode=mode)
    assert f(0.0, 3.0) == 6.0
    assert op.runs == 0
    assert f(1.0, 3.0) == 72.0
    assert op.runs == 2


def test_what_only_a_shape_needed_does_not_run(counting: Any) -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    op = counting()
    length = tv.ops.length(tv.exp(x * op(c)), axis=0)
    f = tv.function([c, x], tv.ifelse(c, length, 0), mode="FAST_RUN")
    assert f(1.0, [1.0, 2.0]) == 2
    assert op.runs == 0
    assert ops(f) == ["ifelse", "length"]


@pytest.mark.parametrize("mode", ["cvm", *MODES])
@pytest.mark.parametrize("c", [0.0, 1.0])
def test_an_update_if_computed_is_committed_in_the_same_calls(mode: str, c: float) -> None:
    kept, x, s = tv.shared(0.0), tv.scalar("x"), tv.scalar("s")
    waited = tv.exp(x)
    f = tv.function(
        [s, x],
        [tv.ifelse(s, waited, x), tv.exp(x)],
        updates={kept: tv.Update(waited, if_computed=True)},
        mode=mode,
    )
    f(c, 0.0)
    assert kept.get_value() == c


# ---- aliasing, updates, givens ----


@pytest.mark.parametrize("mode", MODES)
def test_outputs_that_become_one_or_an_input_do_not_alias(mode: str) -> None:
    x = tv.vector("x")
    undone = tv.transpose(tv.transpose(tv.expand_dims(x, axis=[0])))[0]
    same = tv.squeeze(tv.expand_dims(x, axis=[1]), axis=[1])
    f = tv.function([x], [tv.exp(x), tv.exp(x), same, same, x, undone], mode=mode)
    given = np.array([1.0, 2.0])
    got = f(given)
    for i, a in enumerate([given, *got]):
        for b in [given, *got][i + 1 :]:
            assert not np.shares_memory(a, b)
    np.testing.assert_array_equal(got[0], got[1])


def test_an_output_lent_keeps_others_apart() -> None:
    x = tv.vector("x")
    f = tv.function([x], [tv.Out(tv.exp(x), borrow=True), tv.exp(x)], mode="FAST_RUN")
    lent, own = f([0.0])
    own[0] = 5.0
    assert lent[0] == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_updates_that_become_inputs_or_shared_values(mode: str) -> None:
    a, b = tv.shared(np.array([1.0, 2.0]), "a"), tv.shared(np.array([3.0]), "b")
    x = tv.vector("x")

    def same(v: tv.Variable) -> tv.Variable:
        return tv.squeeze(tv.expand_dims(v, axis=[0]), axis=[0])

    f = tv.function([x], a.sum(), updates={a: same(b), b: same(x)}, mode=mode)
    given = np.array([7.0])
    assert f(given) == 3.0
    given[0] = 0.0
    assert a.get_value().tolist() == [3.0]
    assert b.get_value().tolist() == [7.0]
    assert f(given) == 3.0
    assert a.get_value().tolist() == [7.0]


@pytest.mark.parametrize("mode", MODES)
def test_givens_defaults_and_unneeded_inputs(mode: str) -> None:
    x, y, n = tv.vector("x"), tv.scalar("y"), tv.shared(2.0, "n")
    z = tv.exp(x * y)
    f = tv.function([x, tv.In(y, value=1.0)], tv.ops.size(z) * n, givens={n: y * 1 + 2}, mode=mode)
    assert f([1.0, 2.0]) == 6.0
    assert f([1.0], y=3.0) == 5.0


# ---- exactness ----


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_signs_of_zero_infinities_and_nans_stay(dtype: str) -> None:
    x = tv.vector("x", dtype=dtype)
    y = tv.abs(x) * tv.sign(x)  # an elementwise node, so that what follows is looked at
    out = [y * 1, y / 1, y - 0, y + 0, tv.negative(-y), y**1, y - np.asarray(-0.0, dtype), 0 - y]
    given = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 6e-8, -1.5], dtype)
    plain = tv.function([x], out, mode="cvm")(given)
    rewritten = tv.function([x], out, mode="FAST_RUN")
    assert rewritten.rewrites["inverses"] == 5
    for a, b in zip(plain, rewritten(given), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))
        np.testing.assert_array_equal(a, b)


REAL = [
    (op, dtype)
    for op in (tv.abs, tv.floor, tv.ceil, tv.trunc, tv.round)
    for dtype in ("float16", "float32", "float64", "int8")
]


@pytest.mark.parametrize(("op", "dtype"), [*REAL, (tv.abs, "complex128"), (tv.round, "complex128")])
def test_what_is_done_once_has_the_bits_of_what_is_done_twice(op: Any, dtype: str) -> None:
    x = tv.vector("x", dtype=dtype)
    y = op(op(op(x)))
    given = np.array([0, 1, -1, 2, -3, 127, -128], dtype)
    if dtype != "int8":
        with np.errstate(invalid="ignore"):
            more = np.array([-0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, 6e-8]).astype(
                dtype
            )
        given = np.concatenate([given, more, -more])
    plain = tv.function([x], y, mode="cvm")(given)
    rewritten = tv.function([x], y, mode="FAST_RUN")
    assert rewritten.rewrites["idempotents"] == (0 if op is not tv.abs and dtype == "int8" else 2)
    again = rewritten(given)
    assert again.dtype == plain.dtype
    np.testing.assert_array_equal(np.isnan(again), np.isnan(plain))
    real = [a[~np.isnan(a)].tobytes() for a in (again, plain)]
    assert real[0] == real[1]


def test_integers_wrap_around_as_before() -> None:
    n = tv.scalar("n", dtype="int8")
    f = tv.function([n], [tv.negative(-n), n + 0, n - 0, n * 1, n**1], mode="FAST_RUN")
    assert ops(f) == []
    assert [int(v) for v in f(-128)] == [-128] * 5
    assert {v.dtype for v in f(-128)} == {np.dtype("int8")}


# ---- size ----


def test_a_chain_of_a_million_nodes() -> None:
    x = tv.scalar("x")
    y = x
    for _ in range(500_000):
        y = -tv.tanh(y)
    z = x
    for _ in range(250_000):
        z = 1.0 * tv.negative(-z) / 1.0
    f = tv.function([x], [y, z], mode=tv.Mode("cvm", "fast_run", compile="never"))
    assert sum(f.rewrites.values()) == 1_000_000
    assert f(0.0) == [0.0, 0.0]


def test_value_and_gradient_share_what_they_have_in_common() -> None:
    x = tv.vector("x")
    cost = (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()
    outputs = [cost, tv.grad(cost, x)]
    plain = tv.function([x], outputs, mode="cvm")
    rewritten = tv.function([x], outputs, mode="FAST_RUN")
    assert len(rewritten.explain().nodes) < len(plain.explain().nodes)
    given = np.linspace(-2.0, 2.0, 50)
    for a, b in zip(plain(given), rewritten(given), strict=True):
        np.testing.assert_array_equal(a, b)
