"""Random graphs full of what rewrites look for: the same bits, and nothing runs for nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from comparing import bits
from programs import BINARY, Program

import thunkvm as tv

# What undoes itself or changes nothing, and what only nearly does; shapes.
NEARLY = [
    "-(-{a})",
    "{a} * 1",
    "1 * {a}",
    "{a} / 1",
    "{a} ** 1",
    "{a} + 0",
    "{a} - 0",
    "{a} - (-0.0)",
    "{a}.T.T",
    "tv.logical_not(tv.logical_not({a}))",
    "tv.abs(tv.abs({a} * 0.5))",
    "tv.floor(tv.floor(tv.floor({a} * 0.5)))",
    "{a} - tv.round(tv.round({a} * 0.5))",
    "tv.sign(tv.sign({a} * 0.5))",
    "tv.squeeze(tv.expand_dims({a}, axis=[0]), axis=[0])",
    "tv.cast(tv.ops.size(tv.exp({a})), 'float32') * {a}",
    "tv.cast(tv.ops.shape({a} * 2), 'float64').sum() * {a}",
]
# Without rewrites and with them, by linker. A mode that compiles is held against its kernels.
PAIRS = [
    (tv.Mode("cvm", compile="never"), tv.Mode("cvm", "fast_run", compile="never")),
    (tv.Mode("cvm", compile="never"), tv.Mode("cvm", "fast_run", compile="now")),
    (tv.Mode("vm"), tv.Mode("vm", "fast_run")),
    (tv.Mode("vm"), tv.get_mode("FAST_COMPILE")),
    (tv.Mode("py", gc=False), tv.Mode("py", "fast_run", gc=False)),
]


class Redundant(Program):
    """A program in which much is said twice, or says nothing."""

    def generate(self) -> None:
        super().generate()
        rng = self.random
        for _ in range(rng.randint(10, 30)):
            a, b = (rng.choice(self.values) for _ in range(2))
            match rng.randrange(5):
                case 0 | 1:
                    computed = self.lines[len(self.inputs) :]
                    if computed:
                        self.line(rng.choice(computed).split(" = ", 1)[1])
                case 2 | 3:
                    self.line(rng.choice(NEARLY).format(a=a))
                case 4:
                    self.line(f"tv.{rng.choice(BINARY)}({a}, {b})")
        computed = self.values[len(self.inputs) :] or self.values
        self.outputs = rng.sample(computed, k=min(4, len(computed)))


def ops_above(outputs: list[tv.Variable]) -> Counter[str]:
    """The Ops of all nodes that these Variables are made by."""
    nodes: set[tv.Apply] = set()
    left = list(outputs)
    while left:
        node = left.pop().owner
        if node is not None and node not in nodes:
            nodes.add(node)
            left.extend(node.inputs)
    return Counter(node.op.name for node in nodes)


@pytest.mark.parametrize(
    ("plain", "rewriting"), PAIRS, ids=["kernels", "emitted", "vm", "FAST_COMPILE", "py_nogc"]
)
def test_rewrites_change_no_bit_and_run_no_node_twice(
    plain: tv.Mode, rewriting: tv.Mode, fuzz_graphs: int, fuzz_seed: int
) -> None:
    removed: dict[str, int] = {}
    for seed in range(fuzz_seed, fuzz_seed + max(10, fuzz_graphs // 4)):
        program = Redundant(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        options: dict[str, Any] = {"on_unused_input": "ignore"}
        as_it_is = tv.function(inputs, outputs, mode=plain, **options)
        rewritten = tv.function(inputs, outputs, mode=rewriting, **options)
        fewer = sum(rewritten.rewrites.values())
        # Where lengths are asked for (by a gradient too), they are inferred after rewriting: then
        # fewer or other nodes are left.
        if Counter(row.op for row in as_it_is.node_runs()) == ops_above(outputs):
            left = len(as_it_is.node_runs()) - fewer
            assert len(rewritten.node_runs()) == left, program.text(seed)
        for call in range(seed, seed + 2):
            arguments = program.arguments(call)
            what = f"{rewriting}\n{program.text(call)}"
            rewritten.reset_counters()
            expected, got = (program.results(f, arguments) for f in (as_it_is, rewritten))
            if isinstance(expected, str):
                continue  # what failed may be gone; of several that fail, another may come first
            assert not isinstance(got, str), what
            assert [bits(v) for v in got] == [bits(v) for v in expected], what
            # A lazy thunk is entered once more for each input that it asks for.
            once = [row for row in rewritten.node_runs() if row.form not in ("branch", "lazy")]
            twice = [row for row in once if row.runs > 1]
            assert not twice, f"{what}\n{twice}"
        for name, count in rewritten.rewrites.items():
            removed[name] = removed.get(name, 0) + count
    removed.pop("factors", None)  # it takes no node out; there are no factors in these programs
    assert all(count > 0 for count in removed.values()), removed
