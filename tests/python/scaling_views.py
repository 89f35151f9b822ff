"""CPU seconds of public views of functions of one and of four sizes: prints {name: [small, large]}.

A process of its own, in which programs are not verified. Run by test_scaling.py.
"""

from __future__ import annotations

import gc
import io
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import thunkvm as tv

X, V = tv.scalar("x"), tv.vector("v")
#: How many conditionals, slices or arms the smaller function has.
SMALL = 250


def selected(n: int) -> Any:
    """N conditionals on one selector."""
    return [tv.ifelse(X > 0, tv.exp(X + k), tv.sin(X * k)) for k in range(n)]


def chained(n: int) -> Any:
    """An else-if chain of n arms."""
    value = X
    for k in range(n):
        value = tv.ifelse(k > X, tv.exp(X + k), value)
    return value


def attempted(n: int) -> Any:
    """A failure that passes n attempts."""
    value = tv.sqrt(tv.cholesky(tv.diag(tv.stack([X])))[0, 0])
    for _ in range(n):
        value = tv.attempt(value + 1.0, value + 2.0, on=KeyError)
    return value


def sliced(n: int) -> Any:
    """The gradient of n slices of one vector."""
    return tv.grad(sum(tv.sum(V[k : k + 3]) ** 2 for k in range(n)), V)


def linked(graph: Any, inputs: list[Any]) -> Any:
    return tv.function(inputs, graph, mode="vm")


def fails(f: Any) -> None:
    try:
        f(-1.0)
    except np.linalg.LinAlgError:
        return
    raise AssertionError("it did not fail")


def views(n: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is measured, over functions of size n."""
    graph = selected(n)
    yield "linking conditionals on one selector", lambda: linked(graph, [X])
    chain = chained(n)
    yield "linking an else-if chain", lambda: linked(chain, [X])
    failing = linked(attempted(n), [X])
    yield "a failure through attempts", lambda: fails(failing)
    slices = linked(sliced(n), [V])
    yield "the gradient of slices", lambda: slices(np.ones(n + 3))
    f = linked(chain, [X])
    with f.profile("trace") as p:
        f(n / 2)
    with f.record() as r:
        f(n / 2)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "file"
        yield "profile: text", lambda: str(p)
        yield "profile: html", lambda: p.html(path)
        yield "profile: dot", lambda: p.to_dot(path)
        yield "profile: rows", lambda: p.to_csv()
        yield "profile: saved and loaded", lambda: (p.save(path), tv.profile.Profile.load(path))
        yield "profile: trace", lambda: p.to_chrome_trace(path)
        yield "profile: difference", lambda: str(p.diff(p))
        yield "profile: merged", lambda: p.merge(p)
        yield "record", lambda: recorded(f, n)
        yield "record: shown", lambda: str(r)
        yield "record: divergence", lambda: r.divergence(r)
        yield "replay", lambda: f.replay(r)(1.0)
        yield "explain", lambda: str(f.explain())
        yield "dprint", lambda: printed(f)
        yield "to_dot", f.to_dot
        yield "to_dot of a Variable", lambda: tv.to_dot(chain)
        yield "repr", lambda: repr(chain)


def recorded(f: Any, n: int) -> None:
    with f.record():
        f(n / 2)


def printed(f: Any) -> None:
    with redirect_stdout(io.StringIO()):
        f.dprint()


def seconds(call: Callable[[], object]) -> float:
    """CPU seconds at best of three."""
    times = []
    for _ in range(3):
        gc.collect()
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    sys.setrecursionlimit(3000)
    found: dict[str, list[float]] = {}
    for n in (SMALL, 4 * SMALL):
        for name, call in views(n):
            found.setdefault(name, []).append(seconds(call))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
