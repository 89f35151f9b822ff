"""Pickles of graphs, functions and models."""

from __future__ import annotations

import builtins
import copy
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compilers import Compiler

import thunkvm as tv


def again(value: Any, protocol: int | None = None) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_function_is_read_back_with_its_structure_mode_and_defaults(protocol: int) -> None:
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function(
        [x, tv.In(y, value=2.0)], {"scaled": x * y, "sum": [x.sum()]}, mode="vm", name="scale"
    )
    g = again(f, protocol)
    results = g([1.0, 2.0])
    np.testing.assert_array_equal(results["scaled"], [2.0, 4.0])
    assert (results["sum"], g.name, g.mode) == ([3.0], "scale", f.mode)


def test_functions_of_a_model_share_its_variables_when_read_back() -> None:
    n = tv.shared(5, "n")
    model = {"n": n, "count": tv.function([], n, updates={n: n + 1}), "read": tv.function([], n)}
    other = again(model)
    assert [other["count"](), other["read"](), other["n"].get_value()] == [5, 6, 6]
    assert model["read"]() == 5


def test_what_variables_share_is_shared_when_they_are_read_back_together() -> None:
    x = tv.scalar("x")
    shared = tv.exp(x)
    sine, exponential, cosine, leaf = again([tv.sin(shared), shared, tv.cos(shared), x])
    assert sine.owner.inputs[0] is exponential
    assert cosine.owner.inputs[0] is exponential
    assert exponential.owner.inputs[0] is leaf
    slope = tv.function([leaf], tv.grad(sine, exponential))
    np.testing.assert_allclose(slope(1.0), np.cos(np.exp(1.0)))


def test_a_graph_of_twenty_thousand_nodes_is_read_back() -> None:
    x = y = tv.scalar("x")
    for _ in range(20_000):
        y = y + 1.0
    mode = tv.Mode("vm", optimizer=None)
    leaf, top = again([x, y])
    assert tv.function([leaf], top, mode=mode)(0.5) == 20_000.5
    assert again(tv.function([x], y, mode=mode))(0.5) == 20_000.5


def test_conditionals_loops_attempts_and_gradients_are_read_back() -> None:
    x = tv.scalar("x")
    grown = tv.while_loop(
        lambda s: s < 100.0, lambda s: tv.attempt(s * x, 1.0, on=ZeroDivisionError), x + 1.0
    )
    y = tv.ifelse(x > 0, grown, tv.switch_case(tv.astype(x, "int64") % 2, [x, x**2]))
    variables = [x, y, tv.grad(y, x)]
    leaf, *outputs = again(variables)
    f, g = tv.function([x], variables[1:]), tv.function([leaf], outputs)
    for value in (2.0, -3.0, -2.0):
        assert g(value) == f(value)
    assert f(2.0) == [192.0, 640.0]


def test_names_of_computed_variables_are_read_back() -> None:
    y = tv.exp(tv.scalar("x"))
    y.name = "y"
    assert again(y).name == "y"


def test_a_node_is_read_back() -> None:
    node = again((tv.scalar("x") + 1.0).owner)
    assert (node.op.name, node.inputs[0].name) == ("add", "x")


class Scaled(tv.Op):
    """An Op that keeps a number, or a function."""

    def __init__(self, by: Any) -> None:
        super().__init__()
        self.by = by

    def make_node(self, x: Any) -> tv.Apply:
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: list[Any], outputs: list[list[Any]]) -> None:
        outputs[0][0] = np.asarray(self.by(inputs[0]) if callable(self.by) else inputs[0] * self.by)


def test_an_op_of_a_module_is_read_back_by_its_name() -> None:
    x = tv.scalar("x")
    leaf, y = again([x, Scaled(3.0)(x)])
    assert tv.function([leaf], y)(2.0) == 6.0


def test_an_op_with_a_lambda_asks_for_cloudpickle(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_cloudpickle(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "cloudpickle":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_cloudpickle)
    with pytest.raises(TypeError, match=r"the Op Scaled.*cannot be pickled.*install cloudpickle"):
        pickle.dumps(Scaled(lambda x: x + 1.0)(tv.scalar("x")))


def test_an_op_with_a_lambda_is_read_back_where_cloudpickle_is() -> None:
    pytest.importorskip("cloudpickle")
    x = tv.scalar("x")
    leaf, y = again([x, Scaled(lambda v: v + 1.0)(x)])
    assert tv.function([leaf], y)(2.0) == 3.0


def test_an_op_that_no_pickle_holds_is_named() -> None:
    pytest.importorskip("cloudpickle")
    with pytest.raises(TypeError, match=r"the Op Scaled.* cannot be pickled: .*lock.*__reduce__"):
        pickle.dumps(Scaled(threading.Lock())(tv.scalar("x")))


def test_another_process_reads_a_function_back(tmp_path: Path) -> None:
    x, n = tv.vector("x"), tv.shared(1.0, "n")
    f = tv.function([x], tv.ifelse(x.sum() > 0, x * n, -x), updates={n: n * 2.0})
    f([1.0])
    (tmp_path / "f.pickle").write_bytes(pickle.dumps(f))
    program = (
        "import pickle, pathlib, sys\n"
        "f = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "print(f([1.0, 2.0]).tolist(), f([-1.0]).tolist(), f([1.0]).tolist())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "f.pickle")], capture_output=True, text=True
    )
    assert (ran.stdout, ran.stderr) == ("[2.0, 4.0] [1.0] [8.0]\n", "")


def test_a_profile_is_pickled_and_copied_as_it_is_saved() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.exp(x), profile="time")
    f(1.0)
    before = f.profile.to_json()
    copies = [again(f.profile), copy.deepcopy(f.profile)]
    f(2.0)
    assert [made.to_json() for made in copies] == [before, before]


def test_copy_swaps_shared_variables_that_are_read_and_updated() -> None:
    a, b = tv.shared(1, "a"), tv.shared(10, "b")
    f = tv.function([], a, updates={a: a + 1}, name="f")
    g = f.copy(swap={a: b})
    assert [g(), g(), f(), a.get_value(), b.get_value()] == [10, 11, 1, 2, 12]
    assert g.name == "f"


def test_copy_swaps_shared_variables_that_change_places() -> None:
    a, b = tv.shared(1, "a"), tv.shared(10, "b")
    f = tv.function([], [a, b], updates={a: a + 1})
    g = f.copy(swap={a: b, b: a})
    assert [g(), g(), a.get_value(), b.get_value()] == [[10, 1], [11, 1], 1, 12]
    assert f.copy(swap={a: a, b: b})() == [1, 12]


def test_copy_leaves_updates_out() -> None:
    a = tv.shared(1, "a")
    g = tv.function([], a, updates={a: a + 1}).copy(delete_updates=True, name="g")
    assert [g(), g(), g.name] == [1, 1, "g"]


def test_copy_refuses_what_it_cannot_swap() -> None:
    a, b, c = tv.shared(1, "a"), tv.shared(1.5, "b"), tv.shared(2, "c")
    f = tv.function([], a, name="f")
    with pytest.raises(TypeError, match=r"\[copy\] swap has <a: .*int64.*, for <b: .*float64"):
        f.copy(swap={a: b})
    with pytest.raises(ValueError, match=r"\[copy\] swap has <c: .*, but .*f.* has no such shared"):
        f.copy(swap={c: a})
    with pytest.raises(TypeError, match=r"\[copy\] swap has 1, which is no shared variable"):
        f.copy(swap={a: 1})  # type: ignore[dict-item]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles with gcc")
def test_a_pickle_has_no_compiled_code_and_its_reader_finds_that_in_the_cache(
    compiler: Compiler,
) -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) * 2.0 + x, mode=tv.Mode("cvm", compile="now"))
    (compiler.directory / "f.pickle").write_bytes(data := pickle.dumps(f))
    program = (
        "import pickle, pathlib\n"
        f"f = pickle.loads(pathlib.Path({str(compiler.directory / 'f.pickle')!r}).read_bytes())\n"
        "print(f([0.0]).tolist())"
    )
    out, err = compiler.start(code=program).communicate()

    assert (out, err) == ("[2.0]\n", "")
    assert compiler.compiled == 1
    assert b"\x7fELF" not in data
