"""Random programs with loops over arrays: emitted code gives the kernels' bits, NumPy's values."""

from __future__ import annotations

from comparing import KERNELS, alike
from programs import BINARY, SLICES, UNARY, Program

import thunkvm as tv
from thunkvm import _core

MODES = [
    tv.Mode("cvm", compile="now"),
    tv.Mode("c"),
    tv.Mode("c|py"),
    tv.Mode("cvm", "fast_run", compile="now"),
]
#: What a step makes of a state `s` in step `i`, with another value.
STEPS = [
    "tv.{op}(s, {b})",
    "tv.{unary}(s)",
    "tv.{unary}(tv.{op}(s, {b}))",
    "tv.ifelse(i > 1, tv.{op}(s, {b}), s)",
    "tv.ifelse({number} > 0, s, tv.{op}({b}, s))",
    "s[..., {slice}]",
    "s.T",
    "tv.{op}(s[..., ::-1], s)",
    "tv.attempt(tv.{op}(s, {b}), s, on=ValueError)",
    "tv.fori_loop(0, i, lambda j, s: tv.{op}(s, {b}), s)",
]
LOOPS = [
    "tv.fori_loop(0, {n}, lambda i, s: {step}, {a})",
    "tv.while_loop(lambda p: tv.any(p[1] > 0), lambda p: (p[0] + 1, (lambda i, s: {step})(*p)),"
    " (0, {a}), max_steps={n})[1]",
    "tv.fori_loop(0, {n}, lambda i, p: (p[1], (lambda s: {step})(p[0])), ({a}, {b}))[{m}]",
    "tv.scan(lambda i, s: {step}, sequences=tv.arange({n}), outputs_info=[{a}])",
    "tv.scan(lambda i, s: tv.{op}(s, i), sequences=[{a}], outputs_info=[{b}])[-1]",
    "tv.while_loop(lambda s: tv.sum(s) < 9, lambda s: s + s, {a}, {n}, history='all').history",
]


class Looping(Program):
    """A program with loops, of which values are computed from one another's."""

    def generate(self) -> None:
        super().generate()
        rng = self.random
        for _ in range(rng.randint(1, 4)):
            a, b = (rng.choice(self.values) for _ in range(2))
            words = {"a": a, "b": b, "op": rng.choice(BINARY), "unary": rng.choice(UNARY)}
            words |= {"number": self.number(), "slice": rng.choice(SLICES)}
            words |= {"n": rng.randrange(5), "m": rng.randrange(2)}
            step = rng.choice(STEPS).format(**words)
            loop = self.line(rng.choice(LOOPS).format(step=step, **words))
            if loop and rng.randrange(2):
                self.line(f"tv.{rng.choice(BINARY)}({loop}, {rng.choice(self.values)})")
        computed = self.values[len(self.inputs) :] or self.values
        self.outputs = computed[-3:]


def test_emitted_loops_give_the_bits_of_the_kernels(fuzz_graphs: int, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed, fuzz_seed + max(10, fuzz_graphs // 12)):
        program = Looping(seed)
        program.generate()
        inputs = [program.names[name] for name in program.inputs]
        outputs = [program.names[name] for name in program.outputs]
        mode = MODES[seed % len(MODES)]
        kernels, emitted, performs = (
            tv.function(inputs, outputs, mode=m, on_unused_input="ignore")
            for m in (KERNELS, mode, "py")
        )
        for call in range(seed, seed + 3):
            expected, got, again, numpy = (
                program.results(f, program.arguments(call))
                for f in (kernels, emitted, emitted, performs)
            )
            assert alike(again, got), f"{mode}\n{program.text(call)}"
            program.compare(call, mode, expected, got, numpy)
        assert _core._testing.registers_empty(emitted), program.text(seed)
