"""``THUNKVM_PROFILE=kind:file``: a profile of a program that knows nothing of profiles."""

from __future__ import annotations

import atexit

from thunkvm.profile.live import check_kind, profile


def start(wanted: str) -> None:
    """Record all functions from now on, and save the profile when the process ends.

    Parameters
    ----------
    wanted : str
        The kind, a colon, and the file: ``"trace:run.json"``.

    Raises
    ------
    ValueError
        If it says no file, or no kind that there is.
    """
    kind, _, path = wanted.partition(":")
    if not path:
        raise ValueError(
            f"THUNKVM_PROFILE is {wanted!r}; it has to be a kind and a file, such as "
            "'time:profile.json'."
        )
    recorded = profile(check_kind(kind))
    recorded.start()

    def finish() -> None:
        recorded.stop()
        recorded.save(path)

    atexit.register(finish)
