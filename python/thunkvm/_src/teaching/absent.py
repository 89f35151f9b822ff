"""Names of other libraries that have no counterpart here, by what is to be said of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from thunkvm._src.teaching.absent_names import GROUPS
from thunkvm._src.teaching.performed import PERFORMED


@cache
def _said() -> dict[str, str]:
    out = {
        name: f"write an Op with a perform that calls {module}.{name}: see tv.Op"
        for module, names in PERFORMED.items()
        for name in names.split()
    }
    for names, told in GROUPS:
        out.update((name, told.format(name=name)) for name in names.split())
    return out


def absent(name: str) -> str:
    """Return what to say of a name that has no counterpart here, or "" if it is not known.

    What is not listed and is a function of NumPy's is one for an Op's perform to call.

    Examples
    --------
    >>> from thunkvm._src.teaching.absent import absent
    >>> absent("newaxis"), absent("bincount"), absent("no_such_name")
    ('write None: x[:, None]', 'write an Op with a perform that calls np.bincount: see tv.Op', '')
    """
    if told := _said().get(name):
        return told
    for module, called in ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft")):
        if callable(vars(module).get(name)):
            return f"write an Op with a perform that calls {called}.{name}: see tv.Op"
    return ""


__all__ = ["absent"]
