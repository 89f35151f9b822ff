"""Files that are whole or what they were: how all that a profile writes gets onto the disk."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from os import PathLike
from pathlib import Path

UMASK = os.umask(0o077)  # can only be read by setting it, which threads would see
os.umask(UMASK)


def save_text(path: str | PathLike[str], text: str) -> None:
    """Write a text beside a file and put it in the file's place.

    A disk that is full, or a process that ends, leaves what was there. What is no regular file, a
    pipe say, is written to; a link stays one, and the file that it leads to is replaced.

    Raises
    ------
    OSError
        If it cannot be written; then nothing is left beside the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from thunkvm.profile.saving import save_text
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> save_text(path, "ifelse")
    >>> path.read_text()
    'ifelse'
    """
    place = Path(os.path.realpath(path))
    data = text.encode("utf-8")
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        place.write_bytes(data)
        return
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{place.name[:40]}.", dir=place.parent)
    except OSError as error:  # named by what was asked for
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, stat.S_IMODE(mode) if mode is not None else 0o666 & ~UMASK)
        os.replace(beside, place)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise
