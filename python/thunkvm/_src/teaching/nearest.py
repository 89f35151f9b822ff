"""The name that a misspelt one was probably meant to be, for error messages."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest of `names`, or ``""`` if none is near.

    Examples
    --------
    >>> from thunkvm._src.teaching.nearest import did_you_mean
    >>> did_you_mean("cwm", ["py", "vm", "cvm"])
    " Did you mean 'cvm'?"
    """
    from difflib import get_close_matches  # only failing programs pay for this import

    known = {other.lower(): other for other in names}
    near = get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    return f" Did you mean {known[near[0]]!r}?" if near else ""
