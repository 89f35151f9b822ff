"""Ops in C with one text for thunkvm and PyTensor, and how long twenty of them take to make.

Run as a program, `python c_ops.py thunkvm|pytensor`, it makes a function of twenty different Ops,
calls it, and prints the seconds that this took.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from timing import best

LENGTH = 1000
ABOVE_ROW = "c: a C Op of a chain, above its own code"
EMPTY_ROW = "c: 20 C Ops, empty cache"
FULL_ROW = "c: 20 C Ops, full cache, new process"

TEXT = """
Py_XDECREF({z});
{z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_DOUBLE, 0);
if ({z} == NULL) {{ {fail} }}
for (npy_intp i = 0; i < PyArray_DIMS({x})[0]; ++i)
  ((double*)PyArray_DATA({z}))[i] = ((double*)PyArray_DATA({x}))[i] + {number};
"""


def library(name: str) -> tuple[Any, Any, Any, Any]:
    """The class of C Ops, Apply, a vector and `function` of a library."""
    if name == "thunkvm":
        tv = importlib.import_module("thunkvm")
        return tv.COp, tv.Apply, tv.vector("x"), tv.function
    op = importlib.import_module("pytensor.link.c.op")
    basic = importlib.import_module("pytensor.graph.basic")
    pytensor = importlib.import_module("pytensor")
    vector = importlib.import_module("pytensor.tensor").dvector("x")

    def function(inputs: Any, output: Any) -> Any:
        mode = importlib.import_module("pytensor.compile.mode").Mode("cvm", None)
        return pytensor.function(inputs, output, mode=mode)

    return op.COp, basic.Apply, vector, function


def ops(name: str) -> Any:
    """A class of Ops that add a number to a vector, `times` times over."""
    base, apply = library(name)[:2]

    class AddNumber(base):  # type: ignore[misc]
        __props__ = ("number", "times")

        def __init__(self, number: int, times: int = 1) -> None:
            self.number, self.times = number, times

        def make_node(self, x: Any) -> Any:
            return apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any, *params: Any) -> None:
            output_storage[0][0] = inputs[0] + self.number

        def c_code_cache_version(self) -> tuple[int, ...]:
            return (1,)

        def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            text = TEXT.format(x=inputs[0], z=outputs[0], fail=sub["fail"], number=self.number)
            if self.times == 1:
                return f"{{{text}}}"
            return f"for (int time = 0; time < {self.times}; ++time) {{{text}}}"

    # PyTensor pickles Ops, for which they have to be found by name.
    AddNumber.__qualname__ = "AddNumber"
    globals()["AddNumber"] = AddNumber
    return AddNumber


def chain(name: str) -> Iterator[tuple[str, float]]:
    """What a node of a chain costs above its C, which is measured in a loop of C."""
    add, (_, _, x, function) = ops(name), library(name)
    y = x
    for _ in range(LENGTH):
        y = add(1)(y)
    value = np.ones(4)
    f, g = function([x], y), function([x], add(1, LENGTH)(x))
    # By turns: for a second or so all may take half as long again beside other work, and what is
    # wanted is a difference.
    rounds = [(best(f, value, repeats=20), best(g, value, repeats=20)) for _ in range(12)]
    nodes, code = (min(times) for times in zip(*rounds, strict=True))
    yield ABOVE_ROW, (nodes - code) / LENGTH


def twenty(name: str, environment: dict[str, str]) -> float:
    """The seconds that a new process takes for twenty Ops."""
    done = subprocess.run(
        [sys.executable, __file__, name],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return float(done.stdout.split()[-1])


def main() -> None:
    """Time twenty Ops in one graph, all different; what every function needs was made before."""
    name = sys.argv[1]
    add, (_, _, x, function) = ops(name), library(name)
    if name == "pytensor":
        function([x], x + 1)(np.ones(4))
    else:
        importlib.import_module("thunkvm.c.compiling")
    y = x
    for number in range(20):
        y = add(number)(y)
    begin = time.perf_counter()
    result = function([x], y)(np.ones(4))
    print(time.perf_counter() - begin)
    assert result[0] == 191.0


if __name__ == "__main__":
    main()
