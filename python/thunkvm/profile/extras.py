"""Packages that a view is made with and that a profile does without."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_extra(module: str, what: str) -> Any:
    """Return a module of a package that is no dependency of thunkvm.

    Parameters
    ----------
    module : str
        Its name.
    what : str
        What cannot be had without it.

    Raises
    ------
    ImportError
        If it is not installed; the message says what to type.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{what} needs {package}, which is not installed here: pip install {package}, or all "
            "that profiles can use: pip install 'thunkvm[profile]'."
        ) from error
