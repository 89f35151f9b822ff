"""`tv.map_calls` by the executor of a Dask cluster, where Dask is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from worker_ops import KillsTheFirst, NotesWhereItIsRead

import thunkvm as tv

x = tv.scalar("x")
INPUTS = [float(k) for k in range(-3, 200)]
POSITIVE = 199


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a cluster of two processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def test_map_calls_by_dask_gives_what_calls_here_give(client: Any) -> None:
    weights = tv.shared([1.0, 2.0, 3.0], "weights")
    f = tv.function([x], tv.ifelse(x > 0, tv.sum(tv.sqrt(x) * weights), x))
    assert tv.map_calls(f, INPUTS, executor=client.get_executor()) == [f(each) for each in INPUTS]


def test_map_calls_by_dask_makes_a_function_once_in_each_worker(
    client: Any, tmp_path: Path
) -> None:
    read = tmp_path / "read"
    f = tv.function([x], NotesWhereItIsRead(read)(x) + 1.0)
    for _ in range(2):
        results = tv.map_calls(f, INPUTS, executor=client.get_executor())
        assert results == [each + 1.0 for each in INPUTS]
    pids = read.read_text().split()
    assert 1 <= len(pids) <= 2
    assert len(set(pids)) == len(pids)


def test_map_calls_by_dask_brings_profiles_back(client: Any) -> None:
    positive = tv.counted(tv.sqrt(x), "root")
    f = tv.function([x], tv.ifelse(x > 0, positive, x), profile="time", name="rooted")
    f(4.0)
    tv.map_calls(f, INPUTS, executor=client.get_executor())
    (record,) = f.profile.functions
    assert (record.name, record.n_calls) == ("rooted", 1 + len(INPUTS))
    assert record.counts == {"root": 1 + POSITIVE}
    assert record.node_time > 0.0


def test_map_calls_by_dask_loses_no_call_with_a_worker_that_is_killed(
    client: Any, tmp_path: Path
) -> None:
    killed = tmp_path / "killed"
    f = tv.function([x], KillsTheFirst(killed)(x) * 2.0, profile="count")
    results = tv.map_calls(f, INPUTS, executor=client.get_executor())
    assert killed.exists()
    assert results == [each * 2.0 for each in INPUTS]
    assert f.profile.functions[0].n_calls == len(INPUTS)


def test_map_calls_does_not_import_dask() -> None:
    code = (
        "import sys, thunkvm as tv; x = tv.scalar(); f = tv.function([x], x + 1.0);"
        "from concurrent.futures import ThreadPoolExecutor as Threads\n"
        "with Threads(1) as threads: tv.map_calls(f, [1.0], executor=threads)\n"
        "print(sorted(name for name in sys.modules if name in ('dask', 'distributed')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
