"""Random graphs, saved in files and loaded: the same schedules, values and nodes that run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import build
import numpy as np
import pytest
import test_gradient_graphs
import test_random_indices
import waves
from given import arguments, shared_values
from kept import check_is_kept, in_files
from loop_graphs import Broken, Graphs, Noted, Pick, Smooth, Whole, built, mixed
from loop_oracle import Oracle
from programs import Program
from spec import generate
from test_loop_graphs import InC, expected, found

import thunkvm as tv

MODES = ["py", "vm", "cvm", "FAST_RUN"]
CALLS = [(3, 4), (1, 0), (7, 2)]
SMOOTH_CALLS = [(0.3, -0.7), (0.9, 0.2)]
#: What nodes of `note` ran on.
RAN: list[Any] = []


@tv.register_op("fuzz.note")
def note(op: Any) -> None:
    """Notes what it runs on, and mixes it."""
    op.add_input("x", "numbers", duplicable=True)
    op.add_output("out", "a number")
    op.add_attribute("number", "which node it is", int)
    op.add_attribute("fails", "whether it fails for some numbers", bool)
    op.types(lambda x, number, fails: tv.lscalar())

    @op.perform
    def perform(x: Any, number: int, fails: bool) -> Any:
        inputs = tuple(map(int, x))
        RAN.append((number, *inputs))
        value = mixed(number, inputs)
        if fails and value % 3 == 0:
            raise Broken(number)
        return np.int64(value)


pick = tv.register_op("fuzz.pick")(Pick)
#: Ops of the other generators.
OF_SPECS = {
    kind.__name__: in_files(kind)
    for kind in (build.Mix, build.Destroy, build.Generator, build.Reentrant)
}
OF_WAVES = {
    name: in_files(getattr(test_gradient_graphs, name)) for name in ("WaveOp", "PairOp", "WhichOp")
}


class Named(Whole):
    """Graphs of Ops that have names, so that files hold them."""

    def noted(self, node: Noted, inputs: list[tv.Variable]) -> tv.Variable:
        return note(inputs, number=node.number, fails=node.fails)


class NamedAndLazy(Named):
    """Some of them are lazy."""

    def picked(self, inputs: list[tv.Variable]) -> tv.Variable:
        return pick()(*inputs)


def both(
    path: Path, inputs: list[tv.Variable], outputs: list[tv.Variable], mode: Any
) -> tuple[Any, Any]:
    """Return the function of a graph, and that of the graph in the file that it is saved in."""
    tv.save(path, outputs, inputs)
    loaded = tv.load(path)
    return (
        tv.function(inputs, outputs, mode=mode, on_unused_input="ignore"),
        tv.function(loaded.inputs, loaded.outputs, mode=mode, on_unused_input="ignore"),
    )


@pytest.mark.parametrize("mode", MODES)
def test_loops_of_a_file_are_what_they_were(
    mode: str, tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        f, g = both(tmp_path / "graph.tv", *built(Graphs(seed), Whole(None)), mode)
        check_is_kept(f, g, CALLS, seed)
        oracle = InC(Graphs(seed))
        for given in CALLS:
            assert [int(v) for v in g(*given)] == oracle.run(list(given))[0], seed


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_a_file_are_what_they_were(
    mode: str, tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        inputs, outputs = built(Graphs(seed), Smooth())
        slopes = tv.grad(sum(outputs), inputs, disconnected_inputs="ignore")
        f, g = both(tmp_path / "graph.tv", inputs, [*outputs, *slopes], mode)
        check_is_kept(f, g, SMOOTH_CALLS, seed)


def test_gradients_are_the_same_of_a_graph_and_of_its_file(
    tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        inputs, outputs = built(Graphs(seed), Smooth())
        tv.save(tmp_path / "graph.tv", outputs, inputs)
        loaded = tv.load(tmp_path / "graph.tv")
        f, g = (
            tv.function(of, tv.grad(sum(y), of, "ignore"), mode="vm", on_unused_input="ignore")
            for of, y in ((inputs, outputs), (loaded.inputs, loaded.outputs))
        )
        check_is_kept(f, g, SMOOTH_CALLS, seed)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fails", [0.0, 0.15])
def test_ops_of_users_run_in_a_graph_of_a_file_as_in_the_graph_that_was_saved(
    mode: str, fails: float, tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        for ops, by_need in ((Named(None), InC), (NamedAndLazy(None), Oracle)):
            f, g = both(tmp_path / "graph.tv", *built(Graphs(seed, fails), ops), mode)
            check_is_kept(f, g, CALLS, seed)
            for given in CALLS:
                ran = found(g, RAN, given)
                assert ran == found(f, RAN, given), (seed, given)
                if not fails and mode != "FAST_RUN":  # equal nodes are one there
                    assert ran == expected(by_need(Graphs(seed)), given), (seed, given)


@pytest.mark.parametrize("mode", MODES)
def test_graphs_of_all_kinds_of_nodes_are_in_a_file_what_they_were(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for name, make in OF_SPECS.items():
        monkeypatch.setattr(build, name, make)
    function: Callable[..., Any] = tv.function
    graphs: list[Any] = []

    def noting(inputs: Any, outputs: Any, updates: Any, **options: Any) -> Any:
        variables = [entry.variable for entry in inputs]
        graphs.append((variables, [*outputs, *(update.value for _, update in updates)]))
        return function(inputs, outputs, updates=updates, **options)

    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 8):
        spec = generate(random.Random(seed))
        with monkeypatch.context() as patch:
            patch.setattr(tv, "function", noting)
            made = build.Built(spec, mode, shared_values(spec))
        f, g = both(tmp_path / "graph.tv", *graphs.pop(), mode)
        calls = list(zip(spec.calls, spec.failing, strict=True))
        given = [list(arguments(spec, call).values()) for call, _ in calls]
        check_is_kept(f, g, given, seed, lambda n, of=calls, by=made: by.journal.start(*of[n]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["grad", "tangent", "jacobian", "hessian of known length"])
def test_derivatives_of_branching_graphs_are_in_a_file_what_they_were(
    what: str,
    mode: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fuzz_graphs: int,
    fuzz_seed: int,
) -> None:
    for name, make in OF_WAVES.items():
        monkeypatch.setattr(test_gradient_graphs, name, make)
    derivative, _, length, _ = test_gradient_graphs.DERIVATIVES[what]
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 24):
        graph = waves.generate(random.Random(seed), pairs=length is None)
        values = test_gradient_graphs.build(graph, length, Counter())
        of = test_gradient_graphs.differentiable(graph, what)[-1]
        f, g = both(tmp_path / "graph.tv", values[:3], derivative(values, of), mode)
        draw = np.random.default_rng(seed)
        calls = [
            (draw.random(waves.LENGTH), draw.random(waves.LENGTH), np.float64(draw.random()))
            for _ in range(3)
        ]
        check_is_kept(f, g, calls, (seed, of))


@pytest.mark.parametrize("mode", MODES)
def test_graphs_under_vmap_are_in_a_file_what_they_were(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for name, make in OF_WAVES.items():
        monkeypatch.setattr(test_gradient_graphs, name, make)
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 24):
        graph = waves.generate(random.Random(seed), pairs=True)

        def last_of(*inputs: tv.Variable, of: waves.Graph = graph) -> tv.Variable:
            values = test_gradient_graphs.build(of, waves.LENGTH, Counter())
            return tv.clone_replace(values[-1], dict(zip(values[:3], inputs, strict=True)))

        batches = [tv.tensor(f"x{n}", shape=(None, *[waves.LENGTH] * (n < 2))) for n in range(3)]
        f, g = both(tmp_path / "graph.tv", batches, [tv.vmap(last_of)(*batches)], mode)
        draw = np.random.default_rng(seed)
        calls = [
            [draw.random((examples, *[waves.LENGTH] * (n < 2))) for n in range(3)]
            for examples in (1, 3)
        ]
        check_is_kept(f, g, calls, seed)


@pytest.mark.parametrize("mode", MODES)
def test_programs_of_arrays_are_in_a_file_what_they_were(
    mode: str, tmp_path: Path, fuzz_graphs: int, fuzz_seed: int
) -> None:
    for seed in range(fuzz_seed, fuzz_seed + fuzz_graphs // 12):
        program = Program(seed)
        program.generate()
        inputs, outputs = (
            [program.names[name] for name in names] for names in (program.inputs, program.outputs)
        )
        f, g = both(tmp_path / "graph.tv", inputs, outputs, mode)
        check_is_kept(f, g, [program.arguments(call) for call in range(seed, seed + 2)], seed)


def test_indices_of_a_file_read_and_write_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fuzz_seed: int
) -> None:
    function: Callable[..., Any] = tv.function
    n_files = 0

    def of_file(inputs: Any, outputs: Any, **options: Any) -> Any:
        nonlocal n_files
        n_files += 1
        tv.save(tmp_path / "graph.tv", outputs, inputs)
        loaded = tv.load(tmp_path / "graph.tv")
        f = function(inputs, outputs, **options)
        g = function(loaded.inputs, loaded.outputs, **options)
        check_is_kept(f, g, [], n_files)
        return g

    monkeypatch.setattr(tv, "function", of_file)
    test_random_indices.test_random_indices_read_and_write_as_numpy("vm", fuzz_seed)
    assert n_files > 100
