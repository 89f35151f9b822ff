"""A function over many inputs: on threads, or by any executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import chain
from numbers import Integral
from threading import Lock
from typing import Any

from thunkvm._core import Function
from thunkvm._src.calls.shipped import ShippedFunction

#: The chunks that a list of inputs is divided into for an executor that may be on other machines.
CHUNKS = 64


def map_calls(
    f: Callable[..., Any],
    inputs: Iterable[Any],
    executor: Executor | None = None,
    workers: int | None = None,
) -> list[Any]:
    """Return the results of a function for many inputs, in their order.

    Calls of a `Function` let other threads run while a kernel takes long. A call that runs no
    Python does so from 50 microseconds on. Where Python runs, threads gain little; processes do.

    Parameters
    ----------
    f : callable
        What to call: a `Function`, or anything else that several threads may call at once.
    inputs : iterable
        The arguments of each call: a tuple of them, a dict by name, or the only one.
    executor : concurrent.futures.Executor, optional
        What runs the calls; threads of this process if left out. An executor of other processes
        needs an `f` that can be pickled. A `Function` is made once in each process, and kept there
        for later calls; its open profiles get what the processes recorded. Updates of shared
        variables stay there.
    workers : int, optional
        How many threads there are without an executor; the number of processors if left out.

    Returns
    -------
    list

    Raises
    ------
    Exception
        That of the first input whose call raised one; calls that have not begun then do not run.
    TypeError
        If `f` is no function, `inputs` no iterable, `executor` no executor, `workers` no number.
    ValueError
        If there are no workers.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, n = tv.scalar("x"), tv.lscalar("n")
    >>> f = tv.function([x, n], x**n)
    >>> [float(power) for power in tv.map_calls(f, [(2.0, 1), (2.0, 3), {"n": 2, "x": 3.0}])]
    [2.0, 8.0, 9.0]
    """
    if not callable(f):
        raise TypeError(f"[map_calls] f is {f!r}, a {type(f).__name__}; it has to be a function.")
    given = listed("[map_calls] inputs", inputs)
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                f"[map_calls] executor is {executor!r}, a {type(executor).__name__}; it has to be "
                "an executor, as those of concurrent.futures are: it has no submit."
            )
        return _map_chunks(f, given, executor)
    return on_threads(lambda: lambda item: call(f, item), given, workers)


def listed(what: str, items: Any) -> list[Any]:
    """Return the items of an iterable; an error that says which one it is not.

    Examples
    --------
    >>> from thunkvm._src.calls.many import listed
    >>> listed("inputs", range(3))
    [0, 1, 2]
    """
    if not isinstance(items, Iterable):
        raise TypeError(
            f"{what} is {items!r}, a {type(items).__name__}; it has to be a list, or what else can "
            "be iterated over."
        )
    return list(items)


def on_threads(
    make: Callable[[], Callable[[Any], Any]], items: Sequence[Any], workers: int | None = None
) -> list[Any]:
    """Return the results of a function of each item, in order, from threads with one function each.

    Parameters
    ----------
    make : callable
        It is called once in each thread, and returns what the thread calls for an item.
    items : sequence
        What to call it for.
    workers : int, optional
        How many threads there are; the number of processors if left out.

    Returns
    -------
    list

    Raises
    ------
    Exception
        That of the first item whose call raised one.

    Examples
    --------
    >>> from thunkvm._src.calls.many import on_threads
    >>> on_threads(lambda: lambda n: n * n, [1, 2, 3], workers=2)
    [1, 4, 9]
    """
    count = (os.cpu_count() or 1) if workers is None else workers
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(f"[map_calls] workers is {workers!r}; it has to be a number of threads.")
    if count < 1:
        raise ValueError(f"[map_calls] there are {count} workers; at least one is needed.")
    results: list[Any] = [None] * len(items)
    failed: list[tuple[int, BaseException]] = []
    lock, numbers = Lock(), iter(range(len(items)))

    def next_number() -> int | None:
        with lock:
            return None if failed else next(numbers, None)

    def work() -> None:
        try:
            run = make()
        except BaseException as error:
            failed.append((-1, error))
            return
        while (number := next_number()) is not None:
            try:
                results[number] = run(items[number])
            except BaseException as error:
                failed.append((number, error))

    if (count := min(count, len(items))) <= 1:
        work()
    else:
        with ThreadPoolExecutor(count) as threads:
            try:
                for future in [threads.submit(work) for _ in range(count)]:
                    future.result()
            except BaseException as error:  # an interrupt, which the other threads do not get
                failed.append((-1, error))
    if failed:
        raise min(failed, key=lambda pair: pair[0])[1]
    return results


def call(f: Callable[..., Any], item: Any) -> Any:
    """Return the result of a function for the arguments of one call.

    Examples
    --------
    >>> from thunkvm._src.calls.many import call
    >>> call(divmod, (7, 2)), call(abs, -1), call(dict, {"a": 1})
    ((3, 1), 1, {'a': 1})
    """
    if isinstance(item, tuple):
        return f(*item)
    return f(**item) if isinstance(item, dict) else f(item)


def _map_chunks(f: Callable[..., Any], items: list[Any], executor: Executor) -> list[Any]:
    size = -(-len(items) // CHUNKS)
    chunks = [items[begin : begin + size] for begin in range(0, len(items), size or 1)]
    if not isinstance(f, Function):
        return list(chain(*_results([executor.submit(_call_each, f, chunk) for chunk in chunks])))
    from thunkvm.profile.elsewhere import Elsewhere

    shipped, profiles = ShippedFunction(f), Elsewhere(f)
    found = []
    for results, records in _results(
        [executor.submit(shipped.call_each, call, chunk, profiles.kinds) for chunk in chunks]
    ):
        profiles.take_in(records)
        found += results
    return found


def _results(futures: list[Future[Any]]) -> Iterator[Any]:
    """Yield the results of futures in order; those that have not begun end with this."""
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _call_each(f: Callable[..., Any], items: list[Any]) -> list[Any]:
    return [call(f, item) for item in items]


__all__ = ["call", "listed", "map_calls", "on_threads"]
