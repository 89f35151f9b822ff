"""Ops that hand values on, and remember or return what they were given."""

import thunkvm as tv


class Watch(tv.Op):
    """Hands its input on, and remembers what it saw."""

    def __init__(self):
        self.seen = []

    def make_node(self, x):
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.seen.append(inputs[0])
        output_storage[0][0] = inputs[0].copy()


class Lend(tv.Op):
    """Returns what it was made with."""

    def __init__(self, value, of):
        self.value = value
        self.of = of

    def make_node(self, x):
        return tv.Apply(self, [tv.as_variable(x)], [self.of()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.value


def same(x):
    """A function that returns the memory of its argument."""
    return tv.function([x], tv.Out(x, borrow=True))
