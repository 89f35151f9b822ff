"""The notes on a node that runs in C: see `Function.explain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CNote:
    """The notes on one node in C."""

    #: The Op's ``c_code_cache_version_apply``, or ``c_code_cache_version``.
    version: tuple[Any, ...] = ()
    #: The file that has the source, where `tv.config.c_debug` keeps it; else empty.
    source: str = ""
    #: The number of the block that it shares with other nodes; None where it shares none.
    block: int | None = None
