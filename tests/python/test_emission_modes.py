"""When emitted code is compiled, what is compiled again, and what if it cannot be."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compilers import Compiler
from emitted import KERNELS

import thunkvm as tv
from thunkvm import _core
from thunkvm._src.arrays.perform import PERFORMS
from thunkvm.checking.comparison import DisagreementError


def graph(name: str = "x", factor: float = 2.0) -> tuple[Any, Any]:
    """A loop and a branch."""
    x = tv.vector(name)
    total = (tv.exp(x) * factor + 1.0).sum()
    return x, tv.ifelse(total > 10.0, total, -total)


def make(mode: tv.Mode | str = "c", name: str = "x", factor: float = 2.0) -> Any:
    x, y = graph(name, factor)
    return tv.function([x], y, mode=mode)


# ---- what is compiled again ----


def test_the_same_graph_again_costs_no_compile(compiler: Compiler) -> None:
    first, second = make(), make()
    assert first([0.0]) == second([0.0]) == -3.0
    assert compiler.compiled == 1


def test_the_same_graph_in_a_later_process_costs_no_compile(compiler: Compiler) -> None:
    code = """
import thunkvm as tv
x = tv.vector("x")
f = tv.function([x], (tv.exp(x) * 2.0 + 1.0).sum(), mode="c")
print(f([0.0, 0.0]), f.compiled)
"""
    for _ in range(2):
        process = compiler.start(code=code)
        out, err = process.communicate()
        assert (out, err) == ("6.0 ready\n", "")
    assert (compiler.asked, compiler.compiled) == (1, 1)


def test_graphs_that_differ_in_names_share_a_module(compiler: Compiler) -> None:
    first, second = make(name="x"), make(name="y")
    assert compiler.compiled == 1
    assert first.c_source().replace("x, input 0", "y, input 0") == second.c_source()


def test_graphs_that_differ_in_a_constants_value_share_a_module(compiler: Compiler) -> None:
    first, second = make(factor=2.0), make(factor=3.0)
    assert (first([0.0]), second([0.0])) == (-3.0, -4.0)
    assert compiler.compiled == 1


def test_graphs_that_differ_in_an_op_do_not(compiler: Compiler) -> None:
    x, y = tv.vector("x"), tv.vector("y")
    tv.function([x, y], (x * y + x).sum(), mode="c")
    tv.function([x, y], (x * y - x).sum(), mode="c")
    assert compiler.compiled == 2


# ---- compilation jobs ----


def test_a_function_never_compiled_runs_on_kernels(compiler: Compiler) -> None:
    f = make(KERNELS)
    assert f([0.0]) == f([0.0]) == -3.0
    assert f.compiled == "off"
    assert {row.form for row in f.explain().nodes} == {"kernel", "branch"}
    assert (compiler.asked, compiler.compiled) == (0, 0)


def test_a_function_changes_over_between_two_calls_with_the_same_bits(
    compiler: Compiler, tmp_path: Path
) -> None:
    goes_on = tmp_path / "goes_on"
    os.mkfifo(goes_on)
    compiler.write(f"cat {goes_on}")
    x = tv.vector("x")
    f = tv.function([x], tv.sin(tv.exp(x) * 0.7 + x), mode="cvm")
    value = np.linspace(-2.0, 5.0, 777)
    states, results = [f.compiled], []
    for _ in range(3):
        results.append(f(value))
        states.append(f.compiled)
    assert states == ["waiting", "waiting", "compiling", "compiling"]
    goes_on.write_text("")  # the compiler waits for it
    assert f.compile() == "ready"
    results.append(f(value))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    assert [row[-1] for row in f.node_runs()] == [4, 4, 4, 4]


def test_a_function_that_is_called_once_is_not_compiled(compiler: Compiler) -> None:
    f = make("cvm")
    assert f([0.0]) == -3.0
    assert f.compiled == "waiting"
    assert compiler.compiled == 0


def test_threads_may_call_while_a_function_changes_over(compiler: Compiler, tmp_path: Path) -> None:
    goes_on = tmp_path / "goes_on"
    os.mkfifo(goes_on)
    compiler.write(f"cat {goes_on}")
    f = make("cvm")
    value = np.linspace(-1.0, 1.0, 100)
    expected = make(KERNELS)(value)
    wrong: list[Any] = []
    ready = threading.Event()

    def call() -> None:
        more = 50
        while more:
            if f(value) != expected:
                wrong.append(f(value))
            more -= ready.is_set()

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    goes_on.write_text("")
    assert f.compile() == "ready"
    ready.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_function_may_go_while_it_is_compiled(compiler: Compiler, tmp_path: Path) -> None:
    hangs = tmp_path / "hangs"
    os.mkfifo(hangs)
    compiler.write(f"echo > {hangs}; exec sleep infinity")
    f = make("cvm")
    f([0.0]), f([0.0])
    hangs.read_text()  # as soon as it compiles
    del f  # stops the compiler
    compiler.write()
    assert make()([0.0]) == -3.0


# ---- no compiler ----


@pytest.fixture
def no_compiler(tmp_path: Path) -> Iterator[None]:
    with tv.config.change(cc=str(tmp_path / "no-such-cc"), cache_dir=tmp_path / "cache"):
        yield


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_mode_c_says_so() -> None:
    with pytest.raises(tv.NoCompilerError, match="no-such-cc' was not found"):
        make("c")


def test_without_a_compiler_cvm_works_and_warns_once(compiler: Compiler) -> None:
    code = """
import logging; logging.basicConfig(format="%(levelname)s %(message)s")
import thunkvm as tv
tv.config.cc = "no-such-cc"
x = tv.vector("x")
for k in range(3):
    f = tv.function([x], (tv.exp(x) * 2.0 + k).sum())
    f([0.0]), f([0.0])
    print(f.compile(), f.compiled, f([0.0]))
"""
    out, err = compiler.start(code=code.replace("{", "{{")).communicate()
    assert out.splitlines() == ["failed failed 2.0", "failed failed 3.0", "failed failed 4.0"]
    assert err.count("WARNING") == 1
    assert "'no-such-cc' was not found" in err
    assert err.endswith("Functions run on native kernels and performs instead.\n")


# ---- a module that is no C ----


def spoil(compiler: Compiler) -> None:
    """Let the compiler see a type that does not exist in the loop's second member."""
    compiler.path.write_text(
        '#!/bin/sh\ncase "$*" in *"-dM -E"*) exec gcc "$@";; esac\n'
        "sed 's/const f64 v1 =/const f65 v1 =/' | gcc \"$@\"\n"
    )


def test_a_compile_error_names_the_node(compiler: Compiler) -> None:
    spoil(compiler)
    x = tv.vector("x")
    with pytest.raises(tv.CompileError, match=r"the C of node mul\.1, test_emission_modes\.py:"):
        tv.function([x], tv.sqrt(x) * x, mode="c")


def test_a_compile_error_leaves_cvm_on_its_kernels(
    compiler: Compiler, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(compiler)
    x = tv.vector("x")
    f = tv.function([x], tv.sqrt(x) * x, mode="cvm")
    for _ in range(2):
        np.testing.assert_array_equal(f([4.0]), [8.0])
    assert f.compile() == "failed"
    assert f.compiled == "failed"
    np.testing.assert_array_equal(f([9.0]), [27.0])
    (message,) = [record.getMessage() for record in caplog.records if record.levelno > logging.INFO]
    assert message.startswith("the C of node mul.1, test_emission_modes.py:")


def test_what_failed_is_explained_and_compiled_again_when_asked_for(compiler: Compiler) -> None:
    right = compiler.path.read_text()
    spoil(compiler)
    x = tv.vector("x")
    f = tv.function([x], tv.sqrt(x) * x, mode="cvm")
    for _ in range(2):
        f([4.0])
    assert f.compile() == "failed"
    rows = f.explain().nodes
    assert [(row.form, row.code) for row in rows] == [("kernel", "")] * 2
    assert {row.why for row in rows} == {"its C could not be compiled"}
    compiler.path.write_text(right)
    assert f.compile() == "ready"
    assert {row.form for row in f.explain().nodes} == {"fused"}
    np.testing.assert_array_equal(f([4.0]), [8.0])


def test_without_a_compiler_the_explanation_says_what_to_do() -> None:
    x = tv.vector("x")
    with tv.config.change(cc="/nonexistent/cc"):
        f = tv.function([x], tv.sqrt(x) * x, mode="cvm")
        for _ in range(2):
            f([4.0])
        assert f.compile() == "failed"
        explanation = f.explain()
    assert {row.why for row in explanation.nodes} == {"there is no C compiler"}
    assert "'/nonexistent/cc' was not found" in explanation.compiler
    assert str(explanation).startswith("emitted code: failed: the C compiler '/nonexistent/cc'")


def test_a_mode_without_c_or_without_fusion_is_why_nodes_run_no_better() -> None:
    x = tv.vector("x")
    y = tv.exp(x) + 1.0
    whys = {
        "vm": "the mode emits no C",
        KERNELS: "the mode emits no C",
        tv.Mode("c").excluding("fusion"): "the mode fuses nothing",
    }
    for mode, why in whys.items():
        assert {row.why for row in tv.function([x], y, mode=mode).explain().nodes} == {why}


# ---- mode c ----


class Halve(tv.Op):
    """Half of its input: it has a perform alone."""

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] * 0.5


def test_mode_c_refuses_an_op_that_has_only_a_perform() -> None:
    x = tv.scalar("x")
    y = Halve()(x + 1.0)
    with pytest.raises(NotImplementedError) as raised:
        tv.function([x], y * 2.0, mode="c")
    message = str(raised.value)
    assert message.startswith("[Halve] ")
    assert y.owner.origin in message
    assert 'mode="cvm"' in message
    assert tv.function([x], y * 2.0, mode="cvm")(3.0) == 4.0


# ---- mode c&py ----


@pytest.mark.parametrize("vector", [False, True])
def test_a_wrong_perform_is_caught_and_its_node_named(
    vector: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(node: Any) -> Any:
        def perform(node: Any, inputs: list[Any], storage: list[list[Any]]) -> None:
            storage[0][0] = np.sqrt(inputs[0]) * 1.001

        return perform

    x = tv.vector("x") if vector else tv.scalar("x")
    y = tv.sqrt(x * 2.0)
    f = tv.function([x], y + 1.0, mode="c&py")
    value = [2.0, 8.0] if vector else 2.0
    f(value)
    monkeypatch.setitem(PERFORMS, "sqrt", wrong)
    with pytest.raises(DisagreementError, match=r"native code and perform disagree") as raised:
        f(value)
    assert "node sqrt.0, Op sqrt" in raised.value.__notes__[0]
    assert ("element (0,) is" if vector else "the values are") in str(raised.value)


def test_wrong_emitted_code_is_caught_and_its_node_named(compiler: Compiler) -> None:
    compiler.path.write_text(
        '#!/bin/sh\ncase "$*" in *"-dM -E"*) exec gcc "$@";; esac\n'
        "sed 's/__builtin_sqrt(/1.001 * __builtin_sqrt(/' | gcc \"$@\"\n"
    )
    x, y = tv.vector("x"), tv.scalar("y")
    for variable, value in ((x, [2.0, 8.0]), (y, 2.0)):
        f = tv.function([variable], tv.sqrt(variable * 2.0) + 1.0, mode="c&py")
        with pytest.raises(DisagreementError) as raised:
            f(value)
        assert "node sqrt.0, Op sqrt" in raised.value.__notes__[0]


@pytest.mark.parametrize("mode", ["c&py", "c&py_nogc", "c|py", "c|py_nogc", "c_nogc"])
def test_modes_that_look_at_each_node_compute_what_kernels_do(mode: str) -> None:
    x, s = tv.vector("x"), tv.shared(1.0, "s")
    total = (tv.exp(x) * s + x).sum()
    y = tv.ifelse(total > 5.0, total * 2.0, x[0])
    results = []
    for linker in (mode, KERNELS):
        s.set_value(1.0)
        f = tv.function([x], y, updates=[(s, s + 1.0)], mode=linker)
        results.append([f([0.0, 1.0]), f([0.5, 1.5]), f([0.0, 0.0]), s.get_value()])
    assert results[0] == results[1]


# ---- Ctrl-C ----


@pytest.mark.parametrize("mode", ["c", "c_nogc", "c|py"])
def test_a_signal_stops_a_long_call_of_emitted_code(mode: str) -> None:
    x = tv.matrix("x")
    y = x
    for _ in range(100):  # for seconds
        y = tv.dot(y, x) * 0.5 + x
    calls = tv.shared(0.0, "calls")
    f = tv.function([x], y.sum(), updates=[(calls, calls + 1.0)], mode=mode)

    def handler(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGVTALRM, handler)
    value = np.eye(500)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
            f(value)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    assert calls.get_value() == 0.0
    assert f([[1.0]]) == 2.0
    assert _core._testing.registers_empty(f) or mode.endswith("_nogc")


def test_an_arm_may_do_nothing_but_let_a_value_go() -> None:
    c, x = tv.scalar("c", dtype="bool"), tv.vector("x")
    y = tv.exp(x)
    f = tv.function([c, x], [y.sum(), tv.ifelse(c, y, x * 3.0)], mode="c|py")
    np.testing.assert_array_equal(f(True, [0.0, 0.0])[1], [1.0, 1.0])
    np.testing.assert_array_equal(f(False, [0.0, 1.0])[1], [0.0, 3.0])
    assert _core._testing.registers_empty(f)
