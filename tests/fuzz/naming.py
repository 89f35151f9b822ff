"""Frames with names of their own, for what may end the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def run_as(name: str, what: Callable[[], T]) -> T:
    """Call `what` in a frame that stands as the file `name` in every dump of the stack.

    No assertion speaks where the process crashes, but pytest dumps the stack.
    """
    result: T = eval(compile("what()", name, "eval"), {"what": what})
    return result
