"""The changes by `tv.config.c_debug`: flags, and sources that stay where a debugger finds them."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from hashlib import sha256

from thunkvm._src.calls.config import config
from thunkvm._src.saving import save_text
from thunkvm.c.stages import LINE_OF, line_directive

#: They come last, behind those of Ops.
DEBUG_FLAGS = ("-O0", "-g")


def keep_source(text: str) -> tuple[str, str]:
    """Keep a module's source in a file, and make its lines those of that file.

    Parameters
    ----------
    text : str
        The source. Lines that a ``#line`` gives to a file that there is stay that file's.

    Returns
    -------
    tuple of str
        The text to compile, and the path of the file that has it.
    """
    path = os.path.join(_directory(), f"{sha256(text.encode()).hexdigest()[:32]}.cpp")
    lines = ["", *text.split("\n")]
    for i, line in enumerate(lines):
        named = LINE_OF.match(line)
        if i == 0 or (named is not None and not os.path.isfile(named["name"])):
            lines[i] = line_directive(i + 2, path)
    changed = "\n".join(lines)
    save_text(path, changed)
    return changed, path


def _directory() -> str:
    """Return the directory of sources: in the cache, or a temporary one."""
    directory = config.cache_dir
    path = os.path.join(directory, "debug") if directory and config.cache_size else _temporary()
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


@cache
def _temporary() -> str:
    return tempfile.mkdtemp(prefix="thunkvm-debug-")
