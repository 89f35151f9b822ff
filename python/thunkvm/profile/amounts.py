"""Times, shares and counts as text."""

from __future__ import annotations


def show_seconds(seconds: float | None) -> str:
    """Return a time with a unit that fits; ``"unknown"`` for None.

    Examples
    --------
    >>> from thunkvm.profile.amounts import show_seconds
    >>> [show_seconds(s) for s in (12.3456, 0.0123, 4.5e-6, 2e-8, 0.0, None)]
    ['12.346 s', '12.300 ms', '4.500 us', '20 ns', '0 s', 'unknown']
    """
    if seconds is None:
        return "unknown"
    size = abs(seconds)
    if size == 0:
        return "0 s"
    if size < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    for unit, scale in (("us", 1e-6), ("ms", 1e-3)):
        if size < 1e3 * scale:
            return f"{seconds / scale:.3f} {unit}"
    return f"{seconds:.3f} s"


def show_percent(part: float) -> str:
    """Return a share of 1 as percents, ``"12.5%"``."""
    return f"{100 * part:.1f}%"


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, ``"1 call"``, ``"2 calls"``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def rest_note(total: int, shown: int, noun: str) -> tuple[str, ...]:
    """Return a note of how many rows a table leaves out; none where it has all."""
    return (f"... and {count_noun(total - shown, noun)} more",) if total > shown else ()
