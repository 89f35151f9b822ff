"""A process ends cleanly while daemon threads are inside of calls.

Python ends a daemon thread by unwinding its stack when the thread asks for the lock of the
interpreter; what the thread runs here asks for it for ever, so this happens inside the call. A
thread in a loop of native code has no lock, and runs on while the process is taken down.
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

{before}
threading.Thread(target=work, daemon=True).start()
{wait}
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


def ends_cleanly(definitions, before="", wait="inside.wait()"):
    script = SCRIPT.format(definitions=definitions, before=before, wait=wait)
    result = subprocess.run(
        [sys.executable, "-c", script],
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


#: An Op that says once that it runs, in Python and in C: by a byte into a pipe.
TOLD = """
import os
told, telling = os.pipe()
class Told(tv.Op):
    __props__ = ()
    def make_node(self, x):
        return tv.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, output_storage):
        os.write(telling, b"x")
        output_storage[0][0] = inputs[0]
    def c_headers(self):
        return ["<unistd.h>"]
    def c_kernel(self, node, name):
        return (
            f"int {name}(tv_call *call, const tv_array *in, tv_array *out) {{"
            f"  if (tv_output(call, 0, NULL) || write({telling}, \\"x\\", 1) != 1) return -1;"
            f"  *(double *)out[0].data = *(double *)in[0].data; return 0; }}"
        )

def count(i):
    return tv.ifelse(tv.eq(i, 3.0), Told()(i), i) + 1.0

def until_told(threads):
    for _ in range(threads):
        os.read(told, 1)
"""

#: Loops that do not end, of which step 3 tells.
LOOPS = {
    "while_loop": """
s = tv.scalar("s")
f = tv.function([s], tv.while_loop(lambda i: i >= 0.0, count, s), mode=MODE)
def work():
    f(0.0)
""",
    "scan": """
s = tv.scalar("s")
f = tv.function([s], tv.scan(count, outputs_info=s, n_steps=10**9)[-1], mode=MODE)
def work():
    f(0.0)
""",
    "while_loop in an arm of while_loop": """
s = tv.scalar("s")
inner = lambda start: tv.while_loop(lambda i: i >= 0.0, count, start)
f = tv.function(
    [s], tv.while_loop(lambda i: i < 5.0, lambda i: tv.ifelse(i > 1.0, inner(i), i + 1.0), s),
    mode=MODE,
)
def work():
    f(0.0)
""",
    "while_loop over arrays": """
s = tv.scalar("s")
step = lambda state: (count(state[0]), tv.tanh(state[1] + state[0]))
x = tv.vector("x")
f = tv.function([s, x], tv.while_loop(lambda state: state[0] >= 0.0, step, (s, x)), mode=MODE)
def work():
    f(0.0, [1.0] * 100_000)
""",
}


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c", "NanGuardMode"])
@pytest.mark.parametrize("loop", LOOPS)
def test_a_process_ends_while_daemon_threads_run_a_loop(loop, mode):
    ends_cleanly(
        TOLD + LOOPS[loop].replace("MODE", repr(mode)),
        before="for _ in range(2): threading.Thread(target=work, daemon=True).start()",
        wait="until_told(3)",
    )


def test_a_process_ends_while_a_daemon_thread_calls_a_function_of_threads():
    ends_cleanly(
        """
import os
told, telling = os.pipe()
tv.config.threads = 2
f = tv.function([x], tv.exp(x).sum())
def work():
    while True:
        f([1.0] * 200_000)
        os.write(telling, b"x")
""",
        wait="[os.read(told, 1) for _ in range(20)]",
    )
