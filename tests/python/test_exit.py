"""A process ends cleanly while daemon threads are inside of calls that run Python.

Python ends a daemon thread by unwinding its stack when the thread asks for the lock of the
interpreter; what the thread runs here asks for it for ever, so this happens inside the call.
"""

import subprocess
import sys

import pytest

SCRIPT = """
import logging
import threading

import thunkvm as tv

inside = threading.Event()


def spin(*args, **kwargs):
    inside.set()
    while True:
        pass


class Unary(tv.Op):
    def make_node(self, x):
        return tv.Apply(self, [x], [x.type()])


class Spinning:
    \"\"\"What can be asked for its value, and never says it.\"\"\"

    __array__ = __float__ = __index__ = __str__ = __del__ = spin


x = tv.vector("x")
{definitions}

threading.Thread(target=work, daemon=True).start()
inside.wait()
"""

CALLS = {
    "perform": """
class Spin(Unary):
    def perform(self, node, inputs, output_storage):
        spin()

f = tv.function([x], Spin()(x), mode=MODE)
def work():
    f([1.0])
""",
    "a generator": """
class Spin(Unary):
    def demand(self, node):
        yield spin()

f = tv.function([x], Spin()(x), mode=MODE)
def work():
    f([1.0])
""",
    "a generator that is closed": """
class Fail(Unary):
    def perform(self, node, inputs, output_storage):
        raise ValueError

class Spin(Unary):
    def demand(self, node):
        try:
            yield 0
        finally:
            spin()

f = tv.function([x], Spin()(Fail()(x)), mode=MODE)
def work():
    f([1.0])
""",
    "a thunk of make_thunk": """
class Run(tv.Thunk):
    lazy = False
    __call__ = spin

class Spin(Unary):
    def make_thunk(self, *args):
        return Run()

f = tv.function([x], Spin()(x), mode=MODE)
def work():
    f([1.0])
""",
    "a lazy thunk of make_thunk": """
class Run(tv.Thunk):
    lazy = True
    __call__ = spin

class Spin(Unary):
    def make_thunk(self, *args):
        return Run()

f = tv.function([x], Spin()(x), mode=MODE)
def work():
    f([1.0])
""",
    "the index that a lazy thunk asks for": """
class Run(tv.Thunk):
    lazy = True
    def __call__(self):
        return [Spinning()]

class Spin(Unary):
    def make_thunk(self, *args):
        return Run()

f = tv.function([x], Spin()(x), mode=MODE)
def work():
    f([1.0])
""",
    "__del__ of a value that the machine drops": """
g = tv.generic("g")

class Make(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = Spinning()

class Use(tv.Op):
    def make_node(self, g):
        return tv.Apply(self, [g], [tv.TensorType("float64", ())()])
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = 1.0

f = tv.function([g], Use()(Make()(g)), mode=MODE)
def work():
    f(None)
""",
}

BUILDING = {
    "making of a thunk": """
class Spin(Unary):
    make_thunk = spin

def work():
    tv.function([x], Spin()(x), mode=MODE)
""",
    "a filter of the log": """
logging.getLogger("thunkvm").setLevel(logging.DEBUG)
logging.getLogger("thunkvm").addFilter(spin)
def work():
    tv.function([x], tv.exp(x) + 1.0, mode=MODE)
""",
    "the name of an Op that fails": """
class Spin(Unary):
    __str__ = spin

    def perform(self, node, inputs, output_storage):
        raise ValueError

f = tv.function([x], Spin()(x), mode=MODE)
def work():
    f([1.0])
""",
}

ELSEWHERE = {
    "__array__ of an argument": """
f = tv.function([x], x + 1.0)
def work():
    f(Spinning())
""",
    "__float__ of an argument": """
s = tv.scalar("s")
f = tv.function([s], s + 1.0)
class Number:
    __float__ = spin
def work():
    f(Number())
""",
    "__array__ of an item of a list": """
def work():
    tv.exp([Spinning(), x])
""",
    "__index__ of an attribute": """
def work():
    x.sum(axis=[Spinning()])
""",
    "filter of a Type": """
class Kind(tv.Type):
    filter = spin

k = Kind()("k")
f = tv.function([k], k)
def work():
    f(None)
""",
    "grad of an Op": """
class Spin(Unary):
    grad = spin

def work():
    tv.grad(Spin()(x).sum(), x)
""",
    "batch of an Op": """
class Spin(Unary):
    batch = spin
    def grad(self, inputs, gradients):
        return [Spin()(gradients[0])]

def work():
    tv.jacobian(Spin()(x), x)
""",
    "explain": """
import thunkvm._src.views.explanation
thunkvm._src.views.explanation.Explanation = spin
f = tv.function([x], x + 1.0)
def work():
    f.explain()
""",
}


def ends_cleanly(definitions):
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(definitions=definitions)],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert result.stderr == ""
    assert result.returncode == 0


@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
@pytest.mark.parametrize("what", [*CALLS, *BUILDING])
def test_a_process_ends_while_a_daemon_thread_runs(what, mode):
    ends_cleanly({**CALLS, **BUILDING}[what].replace("MODE", repr(mode)))


@pytest.mark.parametrize("what", ELSEWHERE)
def test_a_process_ends_while_a_daemon_thread_is_in(what):
    ends_cleanly(ELSEWHERE[what])
