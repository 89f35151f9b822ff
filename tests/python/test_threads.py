"""Functions called from many threads at once, and stopped by Ctrl-C."""

import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "vm", "cvm", "cvm_nogc"]


class Meet(tv.Op):
    """Waits in its perform until as many calls as there are parties are in it."""

    def __init__(self, parties):
        self.barrier = threading.Barrier(parties, timeout=30)

    def make_node(self, x):
        x = tv.as_variable(x)
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.barrier.wait()
        output_storage[0][0] = inputs[0] * 1.0


@pytest.mark.parametrize("mode", MODES)
def test_calls_on_several_threads_do_not_meet(mode):
    x, y = tv.vector("x"), tv.scalar("y")
    f = tv.function([x, y], [tv.ifelse(y > 0.0, tv.exp(x).sum(), x.sum()), x * y], mode=mode)

    def work(k):
        value = np.full(5, float(k))
        for i in range(200):
            sign = 1.0 if i % 2 else -1.0
            total, scaled = f(value, sign)
            np.testing.assert_allclose(total, (np.exp(value) if sign > 0 else value).sum())
            np.testing.assert_array_equal(scaled, value * sign)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


@pytest.mark.parametrize("mode", MODES)
def test_calls_that_are_in_flight_together_have_a_frame_each(mode):
    x = tv.scalar("x")
    f = tv.function([x], tv.exp(Meet(3)(x * 2.0)) + x, mode=mode)
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(f, [0.0, 1.0, 2.0]))
    np.testing.assert_allclose(results, [np.exp(2 * v) + v for v in (0.0, 1.0, 2.0)])
    assert _core._testing.count_frames(f) == 3


def times_let_go(call):
    """How often a call let other threads have the GIL."""
    before = _core._testing.times_gil_left()
    call()
    return _core._testing.times_gil_left() - before


def test_each_long_kernel_lets_the_gil_go():
    x = tv.vector("x")
    f = tv.function([x], tv.exp(tv.cos(x)), mode="cvm")
    assert times_let_go(lambda: f(np.zeros(1 << 16))) == 2


def test_short_calls_keep_the_gil():
    x = tv.vector("x")
    f = tv.function([x], tv.exp(tv.cos(x)), mode="cvm")
    assert times_let_go(lambda: f(np.zeros(4))) == 0


def test_short_kernels_let_the_gil_go_in_a_long_call():
    class UntilLater(Meet):
        """Lasts longer than Python lets a thread keep the GIL, as many kernels together do."""

        def perform(self, node, inputs, output_storage):
            later = time.monotonic() + 0.01
            while time.monotonic() < later:
                pass
            output_storage[0][0] = inputs[0]

    def short_kernels(y):
        for _ in range(2000):  # the machine asks about the time every 1,024 of them
            y = tv.cos(y)
        return y

    x = tv.scalar("x")
    f = tv.function([x], short_kernels(UntilLater(1)(short_kernels(x))), mode="cvm")
    assert times_let_go(lambda: f(1.0)) >= 1


def steps_of_half(x, n=200_000):
    """As many steps of a loop, which no Python takes part in."""
    return tv.fori_loop(0, n, lambda i, value: value * 0.5, x)


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_a_long_call_without_python_leaves_the_gil_to_others(mode):
    x = tv.scalar("x")
    f = tv.function([x], steps_of_half(x), mode=mode)
    assert times_let_go(lambda: f(1.0)) >= 1
    assert f(1.0) == 0.0


def test_a_call_without_the_gil_tells_of_its_failure():
    x, a = tv.scalar("x"), tv.matrix("a")
    f = tv.function([x, a], tv.cholesky(a + steps_of_half(x)))
    with pytest.raises(np.linalg.LinAlgError) as raised:
        f(1.0, -np.eye(2))
    assert "input 0: " in raised.value.__notes__[0]
    np.testing.assert_array_equal(f(1.0, np.eye(2)), np.eye(2))


def test_a_call_without_the_gil_catches_what_an_attempt_names():
    x, a = tv.scalar("x"), tv.matrix("a")
    factor = tv.attempt(tv.cholesky(a + steps_of_half(x))[0, 0], -1.0, on=np.linalg.LinAlgError)
    f = tv.function([x, a], factor)
    assert times_let_go(lambda: f(1.0, -np.eye(2))) >= 1
    assert f(1.0, -np.eye(2)) == -1.0
    assert f(1.0, 4.0 * np.eye(2)) == 2.0


def test_a_long_call_on_objects_counts_their_references():
    x, pick, thing = tv.scalar("x"), tv.bscalar("pick"), tv.generic("thing")
    chosen = tv.Out(tv.ifelse(pick, thing, thing), borrow=True)
    f = tv.function([x, pick, thing], [steps_of_half(x), chosen])
    value = object()
    before = sys.getrefcount(value)
    assert f(1.0, 1, value)[1] is value
    assert sys.getrefcount(value) == before


def test_updates_of_many_threads_change_together():
    a, b = tv.shared(np.zeros(2), "a"), tv.shared(np.zeros(2), "b")
    x = tv.scalar("x")
    write = tv.function([x], None, updates=[(a, a * 0.0 + x), (b, b * 0.0 + x)])
    read = tv.function([], [a, b])
    stop = threading.Event()

    def writer():
        k = 0.0
        while not stop.is_set():
            k += 1.0
            write(k)

    thread = threading.Thread(target=writer)
    thread.start()
    try:
        for _ in range(500):
            first, second = read()
            np.testing.assert_array_equal(first, second)
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def python_hears_ctrl_c():
    """As in a terminal: a job that a shell started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("python_hears_ctrl_c")
@pytest.mark.parametrize("mode", MODES)
def test_ctrl_c_stops_a_long_call(mode):
    class Press(Meet):
        def perform(self, node, inputs, output_storage):
            signal.raise_signal(signal.SIGINT)
            output_storage[0][0] = inputs[0] * 1.0

    x = tv.scalar("x")
    y = Press(1)(x)
    for _ in range(4000):
        y = tv.cos(y)
    s = tv.shared(0.0, "s")
    f = tv.function([x], y, updates=[(s, s + 1.0)], mode=mode)
    with pytest.raises(KeyboardInterrupt):
        f(1.0)
    assert s.get_value() == 0.0


def test_a_signal_handler_that_raises_stops_a_native_call():
    class StopError(Exception):
        pass

    def handler(number, frame):
        raise StopError("from the handler")

    x = tv.scalar("x")
    y = x
    for _ in range(3000):
        y = tv.cos(y)
    f = tv.function([x], y)

    def call_for_ever():
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            f(1.0)

    old = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(StopError, match="from the handler"):
            call_for_ever()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    assert np.isfinite(f(1.0))
