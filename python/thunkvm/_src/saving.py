"""Files that are whole or what they were: how all that the package writes gets onto the disk."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from os import PathLike
from pathlib import Path


def save_text(path: str | PathLike[str], text: str) -> None:
    """Write a text beside a file and put it in the file's place.

    A disk that is full, or a process that ends, leaves what was there. What is no regular file, a
    pipe say, and what lies in ``/dev`` or ``/proc`` is written to; a link stays one, and the file
    that it leads to is replaced.

    Raises
    ------
    OSError
        If it cannot be written; then nothing is left beside the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from thunkvm._src.saving import save_text
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> save_text(path, "ifelse")
    >>> path.read_text()
    'ifelse'
    """
    save_bytes(path, text.encode("utf-8"))


def save_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write bytes as `save_text` writes a text."""
    try:
        mode = os.stat(path).st_mode if os.path.exists(path) else None
        if _is_stream(path, mode):
            with open(path, "ab") as stream:
                stream.write(data)
        else:
            _replace_file(Path(os.path.realpath(path)), data, mode)
    except OSError as error:  # named by what was asked for
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None


def _is_stream(path: str | PathLike[str], mode: int | None) -> bool:
    """Return whether no other file can take the place: of ``/dev/stdout`` nothing can."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    return mode is not None and (
        not stat.S_ISREG(mode) or folder == "/dev" or folder.startswith("/proc/")
    )


def _replace_file(place: Path, data: bytes, mode: int | None) -> None:
    """Write a new file beside a place and rename it, with the mode of the old file if given."""
    beside = place.parent / f".{place.name[:40]}.{secrets.token_hex(8)}"
    # Created here rather than by tempfile, so that a new file has the rights of any other.
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, place)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise
