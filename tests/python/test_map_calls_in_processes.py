"""`tv.map_calls` of functions in other processes, which make them once and send profiles back."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from worker_ops import NotesWhereItIsRead

import thunkvm as tv
from thunkvm._src.calls.shipped import KEPT, ShippedFunction, receive_function

x = tv.scalar("x")
INPUTS = [float(k) for k in range(-3, 200)]
POSITIVE = 199


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    """Two processes that begin as new interpreters do."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as made:
        yield made


def test_map_calls_in_processes_gives_what_calls_here_give(processes: Executor) -> None:
    f = tv.function([x], tv.ifelse(x > 0, tv.sqrt(x), x))
    assert tv.map_calls(f, INPUTS, executor=processes) == [f(each) for each in INPUTS]


def test_map_calls_in_processes_makes_a_function_once_in_each(
    processes: Executor, tmp_path: Path
) -> None:
    read = tmp_path / "read"
    f = tv.function([x], NotesWhereItIsRead(read)(x) + 1.0)
    for _ in range(2):
        assert tv.map_calls(f, INPUTS, executor=processes) == [each + 1.0 for each in INPUTS]
    pids = read.read_text().split()
    assert 1 <= len(pids) <= 2
    assert len(set(pids)) == len(pids)


def test_map_calls_in_processes_begins_each_chunk_with_the_values_that_were_sent(
    processes: Executor,
) -> None:
    n = tv.shared(10.0, "n")
    f = tv.function([x], x + n, updates={n: n + 1.0})
    assert tv.map_calls(f, [0.0] * 64, executor=processes) == [10.0] * 64  # chunks of one
    assert tv.map_calls(f, [0.0] * 128, executor=processes) == [10.0, 11.0] * 64
    assert n.get_value() == 10.0


@pytest.mark.parametrize("kind", ["count", "time"])
def test_map_calls_in_processes_adds_to_the_profile_of_the_function(
    processes: Executor, kind: str
) -> None:
    positive = tv.counted(tv.sqrt(x), "root")
    f = tv.function([x], tv.ifelse(x > 0, positive, x), profile=kind, name="rooted")
    f(4.0)
    tv.map_calls(f, INPUTS, executor=processes)
    (record,) = f.profile.functions
    assert (record.name, record.n_calls) == ("rooted", 1 + len(INPUTS))
    assert record.counts == {"root": 1 + POSITIVE}
    assert [arm.taken for arm in record.conditions[0].arms] == [
        1 + POSITIVE, len(INPUTS) - POSITIVE,
    ]  # fmt: skip
    assert bool(record.node_time) == (kind == "time")


def test_map_calls_in_processes_adds_to_the_open_profiles_alone(processes: Executor) -> None:
    f = tv.function([x], tv.exp(x))
    with f.profile("count") as before:
        f(1.0)
    with f.profile("count") as own, tv.profile("time") as of_all:
        tv.map_calls(f, INPUTS, executor=processes)
        f(2.0)
    assert before.functions[0].n_calls == 1
    assert own.functions[0].n_calls == len(INPUTS) + 1
    (record,) = of_all.functions
    assert record.n_calls == len(INPUTS) + 1
    assert Path(record.nodes[0].file) == Path(__file__)


def test_map_calls_on_threads_of_an_executor_is_recorded_once() -> None:
    f = tv.function([x], tv.exp(x), profile="count")
    with ThreadPoolExecutor(2) as threads:
        tv.map_calls(f, INPUTS, executor=threads)
    assert f.profile.functions[0].n_calls == len(INPUTS)


def test_a_shipped_function_is_itself_where_it_is_from() -> None:
    shipped = ShippedFunction(tv.function([x], x + 1.0))
    make, arguments = shipped.__reduce__()
    assert make(*arguments) is shipped


def test_a_shipped_function_is_kept_until_many_others_were_sent() -> None:
    _, (_, written, has_updates) = ShippedFunction(tv.function([x], x)).__reduce__()
    first = receive_function("first", written, has_updates)
    assert receive_function("first", written, has_updates) is first
    for number in range(KEPT):
        receive_function(f"other {number}", written, has_updates)
    assert receive_function("first", written, has_updates) is not first
