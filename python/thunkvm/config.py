"""The settings of the package: `tv.config`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from thunkvm.mode import Mode, get_mode
from thunkvm.nearest import did_you_mean

ENVIRONMENT = "THUNKVM_MODE"


class Config:
    """What functions are made with unless they say otherwise.

    Attributes
    ----------
    mode : str or Mode
        The mode of functions that name none. At first that of the environment variable
        ``THUNKVM_MODE``, or ``"cvm"``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> with tv.config.change(mode="vm"):
    ...     tv.config.mode
    'vm'
    """

    __slots__ = ("_mode",)
    _mode: str | Mode | None

    def __init__(self) -> None:
        object.__setattr__(self, "_mode", None)

    @property
    def mode(self) -> str | Mode:
        """The mode of functions that name none."""
        if self._mode is not None:
            return self._mode
        name = os.environ.get(ENVIRONMENT, "cvm")
        try:
            get_mode(name)
        except ValueError as error:
            raise ValueError(f"the environment variable {ENVIRONMENT}={name}: {error}") from None
        return name

    @mode.setter
    def mode(self, value: str | Mode) -> None:
        get_mode(value)
        self._mode = value

    @contextmanager
    def change(self, **settings: str | Mode) -> Iterator[Config]:
        """Change settings for the length of a ``with`` block.

        Raises
        ------
        AttributeError
            If there is no such setting.
        ValueError
            If a setting cannot have that value.
        """
        before = self._mode
        try:
            for name, value in settings.items():
                setattr(self, name, value)
            yield self
        finally:
            self._mode = before

    def __setattr__(self, name: str, value: object) -> None:
        """Set a setting; one that does not exist is an error."""
        if name not in ("mode", "_mode"):
            raise AttributeError(_no_setting(name))
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> object:
        """Name the settings that there are when asked for another."""
        raise AttributeError(_no_setting(name))

    def __repr__(self) -> str:
        """Return the settings as they would be typed."""
        return f"Config(mode={self.mode!r})"


def _no_setting(name: str) -> str:
    return f"config has no setting {name!r}; the settings are: mode." + did_you_mean(name, ["mode"])


config = Config()
