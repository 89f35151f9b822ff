"""The OpenBLAS that the core is linked with: its number of threads, and its name.

A process may hold several: NumPy brings one of its own. The core's is found through the core. Its
symbols and those of its libraries are looked up in the core's own order.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from thunkvm import _core


@cache
def core() -> Any:
    """Return the core as a library; an attribute is a C function of it or of what it links."""
    library = ctypes.CDLL(_core.__file__)
    if hasattr(library, "openblas_get_config"):
        library.openblas_get_config.restype = ctypes.c_char_p
    return library


def is_openblas() -> bool:
    """Return whether the core's BLAS is OpenBLAS, the one whose threads can be set.

    Examples
    --------
    >>> from thunkvm._src.calls import blas
    >>> blas.is_openblas()
    True
    """
    return hasattr(core(), "openblas_set_num_threads")


def describe() -> str:
    """Return OpenBLAS's version, and how it was built.

    Examples
    --------
    >>> from thunkvm._src.calls import blas
    >>> blas.describe().split()[0]
    'OpenBLAS'
    """
    told: bytes = core().openblas_get_config()
    return told.decode().strip()


@cache
def threads_at_first() -> int:
    """Return how many threads there were before anybody set them: the environment's number."""
    return threads()


def threads() -> int:
    """Return how many threads a product or a factorization may run on."""
    return int(core().openblas_get_num_threads()) if is_openblas() else 1


def set_threads(count: int | None) -> None:
    """Let products and factorizations run on so many threads; None: as many as at first."""
    if is_openblas():
        at_first = threads_at_first()
        wanted = at_first if count is None else count
        if wanted != threads():
            core().openblas_set_num_threads(wanted)


__all__ = ["core", "describe", "is_openblas", "set_threads", "threads", "threads_at_first"]
