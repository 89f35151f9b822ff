"""What a handler of a signal raises, Ctrl-C's among them, ends the work that Python waits for."""

import logging
import signal
import sys
from contextlib import contextmanager

import pytest

import thunkvm as tv
from thunkvm import _core

LINK_MODES = ["py", "vm", "cvm", "c", "c|py", "c&py"]


class StopError(Exception):
    """What the handlers of these tests raise."""


@contextmanager
def handled(number, handler):
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.fixture
def raising_filter():
    """A filter of the log, run where the machine logs: it hears the signal given to it."""
    log = logging.getLogger("thunkvm")
    level = log.level
    heard = []

    def hear(record):
        heard.append(record.getMessage())
        signal.raise_signal(signal.SIGUSR1)
        return True

    log.setLevel(logging.DEBUG)
    log.addFilter(hear)
    yield heard
    log.removeFilter(hear)
    log.setLevel(level)


def stop(number, frame):
    raise StopError(signal.Signals(number).name)


@pytest.mark.parametrize("mode", LINK_MODES)
def test_an_exception_on_a_messages_way_to_the_log_ends_the_linking(mode, raising_filter):
    x = tv.scalar("x")
    with handled(signal.SIGUSR1, stop), pytest.raises(StopError, match="SIGUSR1"):
        tv.function([x], tv.exp(x) + 1.0, mode=mode)
    assert raising_filter[0].startswith("linked")


def test_an_exception_on_a_messages_way_to_the_log_is_raised_once(raising_filter):
    x = tv.scalar("x")
    with handled(signal.SIGUSR1, stop), pytest.raises(StopError):
        tv.function([x], x + 1.0)
    with handled(signal.SIGUSR1, signal.SIG_IGN):
        f = tv.function([x], x + 1.0)
    assert f(1.0) == 2.0


def ends_inside(function, *args, **kwargs):
    """Whether a signal that comes while a function of the core runs makes that function raise."""
    ends = []

    def profile(frame, event, arg):
        if arg is function and event in ("c_return", "c_exception"):
            ends.append(event)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)

    with handled(signal.SIGVTALRM, stop):
        sys.setprofile(profile)
        try:
            with pytest.raises(StopError):
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)  # of this process's own time
                function(*args, **kwargs)
        finally:
            sys.setprofile(None)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    return ends == ["c_exception"]


@pytest.fixture(scope="module")
def long_chain():
    """A graph that each of these functions needs far more than 10 ms for."""
    x = tv.scalar("x")
    y = x
    for _ in range(300_000):
        y = tv.sin(y)
    return x, y


def test_a_signal_ends_the_building_of_gradients(long_chain):
    x, y = long_chain
    assert ends_inside(_core.gradients, y, [x])


def test_a_signal_ends_the_replacing_of_variables(long_chain):
    x, y = long_chain
    assert ends_inside(_core.substitute, [y], [(x, tv.scalar("z"))])


def test_a_signal_ends_the_building_of_a_batch(long_chain):
    x, y = long_chain
    rows = tv.vector("rows")
    assert ends_inside(_core.vectorize, [y], [x], [rows], rows.shape[0])


def test_a_signal_ends_linking(long_chain):
    x, y = long_chain
    graph, interface = _core.Graph([x], [y]), _core.Interface()
    assert ends_inside(_core.link, graph, tv.Mode("cvm"), interface)


def test_ctrl_c_ends_the_compiled_loop_of_a_solver_and_the_next_call_works():
    def solve(steps):
        options = {"maxiter": steps, "gtol": -1.0}
        return tv.optimize.minimize(
            lambda x: tv.sum((x - 1.0) ** 2), [3.0, 4.0], method="adam", options=options
        )

    def interrupt(number, frame):
        signal.raise_signal(signal.SIGINT)

    expected = solve(10)  # compiles: what comes is the loop alone
    with (
        handled(signal.SIGINT, signal.default_int_handler),
        handled(signal.SIGVTALRM, interrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)  # of this process's own time
        solve(10**12)
    again = solve(10)
    assert (again.nit, again.x.tolist()) == (10, expected.x.tolist())
