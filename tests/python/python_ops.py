"""Ops in Python, made from functions, for the tests of thunks."""

import numpy as np

import thunkvm as tv

MODES = ["py", "vm", "cvm", "py_nogc", "vm_nogc", "cvm_nogc"]


class Unary(tv.Op):
    """An Op of one input, with one output of its type."""

    def make_node(self, x):
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])


class Counted(Unary):
    def __init__(self):
        self.runs = 0

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        output_storage[0][0] = inputs[0] * 2.0


def op(perform, outputs=1, of=None, **attributes):
    """An Op of one input from a function."""

    class Made(tv.Op):
        def make_node(self, x):
            x = tv.as_variable(x)
            return tv.Apply(self, [x], [(of or x.type)() for _ in range(outputs)])

    Made.perform = perform
    for name, value in attributes.items():
        setattr(Made, name, value)
    return Made()


def thunked(run, n_inputs=1, outputs=1, lazy=True):
    """An Op whose thunk is `run(computed, registers, out_computed, out_registers)`."""

    class Made(tv.Op):
        made = 0

        def make_node(self, *inputs):
            inputs = [tv.as_variable(x) for x in inputs]
            assert len(inputs) == n_inputs
            return tv.Apply(self, inputs, [inputs[0].type() for _ in range(outputs)])

        def make_thunk(
            self, node, input_computed, output_computed, input_registers, output_registers
        ):
            Made.made += 1
            Made.node = node
            self.cells = (input_computed, output_computed, input_registers, output_registers)

            class Run(tv.Thunk):
                def __call__(self):
                    return run(input_computed, input_registers, output_computed, output_registers)

            Run.lazy = lazy
            return Run()

    return Made()


def eager(ic, ir, oc, out):
    """Twice the input: to be the `run` of an eager thunk."""
    assert ic[0][0] == 1
    assert oc[0][0] == 0
    out[0][0] = ir[0][0] * 2.0
    oc[0][0] = 1


def generator(demand, outputs=1):
    """A lazy Op from a generator function."""

    class Made(tv.Op):
        def make_node(self, *inputs):
            inputs = [tv.as_variable(x) for x in inputs]
            return tv.Apply(self, inputs, [inputs[0].type() for _ in range(outputs)])

    Made.demand = lambda self, node: demand(node)
    return Made()


def works_again(f, *arguments, expected):
    """The function is usable after a failure."""
    for _ in range(2):
        np.testing.assert_array_equal(f(*arguments), expected)
