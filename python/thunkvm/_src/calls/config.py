"""The settings of the package: `tv.config`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from thunkvm import _core
from thunkvm._src.calls import blas
from thunkvm._src.calls.mode import Mode, get_mode
from thunkvm._src.completion import names
from thunkvm._src.teaching.nearest import did_you_mean

if TYPE_CHECKING:
    from thunkvm._rows import ModeName

ENVIRONMENT = "THUNKVM_MODE"
COMPILER_SETTINGS = ("cc", "cxx", "cache_dir", "cache_size", "compile_timeout")
SETTINGS = (
    "mode", *COMPILER_SETTINGS, "c_debug", "check_perform", "threads", "threads_from",
    "blas_threads",
)  # fmt: skip
C_DEBUG = "THUNKVM_C_DEBUG"
CHECK_PERFORM = "THUNKVM_CHECK_PERFORM"
SWITCH = {"": False, "0": False, "1": True}
MOST_THREADS = 1024
LONGEST_TIMEOUT = 1e6  # eleven days


class Config:
    """The settings that functions are made with unless they say otherwise.

    A setting that was set to None is again what the environment says.

    Attributes
    ----------
    mode : str or Mode
        The mode of functions that name none. At first that of the environment variable
        ``THUNKVM_MODE``, or ``"cvm"``.
    cc : str
        The C compiler, with arguments if need be: ``"ccache gcc"``. At first that of
        ``THUNKVM_CC``, or of ``CC``. Empty: gcc, clang or cc, whichever is found first.
    cxx : str
        The C++ compiler, which compiles Ops in C; the same. At first that of ``THUNKVM_CXX``, or of
        ``CXX``. Empty: g++, clang++ or c++, whichever is found first.
    cache_dir : str
        Where compiled modules are kept. At first that of ``THUNKVM_CACHE``, or ``thunkvm`` in the
        user's cache home (``XDG_CACHE_HOME``, or ``~/.cache``). Empty: nowhere.
    cache_size : int
        Bytes that this directory may hold; the least recently used modules go first. 0: nothing is
        kept or looked for there.
    compile_timeout : float
        Seconds that the compiler may take for one module.
    c_debug : bool
        Whether the C of Ops is compiled for a debugger: with ``-O0 -g``, its sources kept in
        ``debug`` in `cache_dir`. At first that of ``THUNKVM_C_DEBUG``: 1 or 0. Functions that are
        made are asked; those that were made stay.
    check_perform : bool
        Whether Ops of yours are checked for writes to inputs that their ``destroy_map`` does not
        name, in every mode: such a write is a ValueError, and what was there is put back. Costs a
        copy and a comparison of each array that goes into such an Op. At first that of
        ``THUNKVM_CHECK_PERFORM``: 1 or 0. Functions that are made are asked, as for `c_debug`.
    threads : int
        OpenMP threads that a large nest (a loop over elements) runs on; 1, unless it is set. The
        nest is one of emitted code, or a kernel of an elementwise Op, ``var`` or ``std``. A process
        that was forked after some ran on several runs all on one. Results are the same with any
        number.
    threads_from : int
        Elements from which a nest is large; 262,144, unless it is set.
    blas_threads : int
        Threads of OpenBLAS that one product of matrices, or one factorization, may run on. At first
        that of ``OPENBLAS_NUM_THREADS``, or one for each core. It counts for the whole process, but
        not for NumPy's own OpenBLAS. Last digits may differ with the number. OpenBLAS lowers a
        number above the one that it was built for.

    Examples
    --------
    >>> import thunkvm as tv
    >>> with tv.config.change(mode="vm", cc="gcc"):
    ...     tv.config.mode, tv.config.cc
    ('vm', 'gcc')
    """

    __slots__ = ("_given",)
    _given: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_given", {})

    @property
    def mode(self) -> ModeName | Mode:
        """The mode of functions that name none."""
        if (mode := self._given.get("mode")) is not None:
            given: ModeName | Mode = mode
            return given
        name = os.environ.get(ENVIRONMENT) or "cvm"  # set to nothing is not set
        try:
            get_mode(name)
        except ValueError as error:
            raise ValueError(f"the environment variable {ENVIRONMENT}={name}: {error}") from None
        return cast("ModeName", name)

    @mode.setter
    def mode(self, value: ModeName | Mode | None) -> None:
        if value is not None:
            get_mode(value)
        self._set_value("mode", value)

    @property
    def cc(self) -> str:
        """The C compiler's command; empty where it is looked for."""
        return _core.compiler_settings()["cc"]

    @cc.setter
    def cc(self, value: str | None) -> None:
        self._set_value("cc", _command("cc", value))

    @property
    def cxx(self) -> str:
        """The C++ compiler's command; empty where it is looked for."""
        return _core.compiler_settings()["cxx"]

    @cxx.setter
    def cxx(self, value: str | None) -> None:
        self._set_value("cxx", _command("cxx", value))

    @property
    def cache_dir(self) -> str:
        """Where compiled modules are kept; empty where they are not."""
        return _core.compiler_settings()["cache_dir"]

    @cache_dir.setter
    def cache_dir(self, value: str | os.PathLike[str] | None) -> None:
        if value is not None:
            value = os.fspath(value)
            value = value and os.path.abspath(os.path.expanduser(value))
        self._set_value("cache_dir", value)

    @property
    def cache_size(self) -> int:
        """Bytes that the cache may hold."""
        return _core.compiler_settings()["cache_size"]

    @cache_size.setter
    def cache_size(self, value: int | None) -> None:
        if value is not None and (not isinstance(value, int) or not 0 <= value < 2**63):
            raise ValueError(f"cache_size has to be a number of bytes, as an int; it is {value!r}.")
        self._set_value("cache_size", value)

    @property
    def compile_timeout(self) -> float:
        """Seconds that the compiler may take for one module."""
        return _core.compiler_settings()["compile_timeout"]

    @compile_timeout.setter
    def compile_timeout(self, value: float | None) -> None:
        if value is not None and not (math.isfinite(value) and 0 < value <= LONGEST_TIMEOUT):
            raise ValueError(
                f"compile_timeout has to be a number of seconds above 0 and up to "
                f"{LONGEST_TIMEOUT:.0f}; it is {value!r}."
            )
        self._set_value("compile_timeout", value)

    @property
    def c_debug(self) -> bool:
        """Whether the C of Ops is compiled for a debugger."""
        return self._switch("c_debug", C_DEBUG)

    @c_debug.setter
    def c_debug(self, value: bool | None) -> None:
        self._set_switch("c_debug", value)

    @property
    def check_perform(self) -> bool:
        """Whether Ops of users' are checked for writes to their inputs."""
        return self._switch("check_perform", CHECK_PERFORM)

    @check_perform.setter
    def check_perform(self, value: bool | None) -> None:
        self._set_switch("check_perform", value)

    def _switch(self, name: str, environment: str) -> bool:
        if (given := self._given.get(name)) is not None:
            return bool(given)
        text = os.environ.get(environment, "")
        if text not in SWITCH:
            raise ValueError(f"the environment variable {environment}={text} has to be 0 or 1.")
        return SWITCH[text]

    def _set_switch(self, name: str, value: bool | None) -> None:
        if value is not None and not isinstance(value, bool):
            raise TypeError(f"{name} has to be True, False or None; it is {value!r}.")
        self._set_value(name, value)

    @property
    def threads(self) -> int:
        """OpenMP threads that a large nest runs on."""
        value = self._given.get("threads")
        return 1 if value is None else int(value)

    @threads.setter
    def threads(self, value: int | None) -> None:
        if value is not None:
            _check_threads("threads", value)
        self._set_value("threads", value)

    @property
    def threads_from(self) -> int:
        """Elements from which a nest is large."""
        value = self._given.get("threads_from")
        return 1 << 18 if value is None else int(value)

    @threads_from.setter
    def threads_from(self, value: int | None) -> None:
        if value is not None and (not isinstance(value, int) or not 0 <= value < 2**31):
            raise ValueError(
                f"threads_from has to be a number of elements from 0 to 2**31 - 1; it is {value!r}."
            )
        self._set_value("threads_from", value)

    @property
    def blas_threads(self) -> int:
        """Threads that one call of OpenBLAS may run on."""
        return blas.threads()

    @blas_threads.setter
    def blas_threads(self, value: int | None) -> None:
        if value is not None:
            _check_threads("blas_threads", value)
            if not blas.is_openblas():
                raise RuntimeError(
                    "blas_threads cannot be set: the BLAS that thunkvm is linked with is not "
                    "OpenBLAS. Set its threads as its own documentation says."
                )
        self._set_value("blas_threads", value)

    def _set_value(self, name: str, value: object) -> None:
        self._apply_settings({**self._given, name: value})

    def _apply_settings(self, given: dict[str, Any]) -> None:
        _core.override_compiler_settings(*(given.get(name) for name in COMPILER_SETTINGS))
        if (of_blas := given.get("blas_threads")) != self._given.get("blas_threads"):
            blas.set_threads(of_blas)
        object.__setattr__(self, "_given", given)
        _core.set_nest_threads(self.threads, self.threads_from)

    @contextmanager
    def change(self, **settings: Any) -> Iterator[Config]:
        """Change settings for the length of a ``with`` block.

        Raises
        ------
        AttributeError
            If there is no such setting.
        TypeError, ValueError
            If a setting cannot have that value.
        """
        before = self._given
        try:
            for name, value in settings.items():
                setattr(self, name, value)
            yield self
        finally:
            self._apply_settings(before)

    def __setattr__(self, name: str, value: object) -> None:
        """Set a setting; one that does not exist is an error."""
        if name not in SETTINGS:
            raise AttributeError(_no_setting(name))
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> object:
        """Name the settings that there are when asked for another."""
        raise AttributeError(_no_setting(name))

    def __dir__(self) -> list[str]:
        """Return the settings and the methods."""
        return names(self)

    def __repr__(self) -> str:
        """Return the settings as they would be typed."""
        return f"Config({', '.join(f'{name}={getattr(self, name)!r}' for name in SETTINGS)})"


def _check_threads(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_THREADS:
        raise ValueError(
            f"{name} has to be a number of threads from 1 to {MOST_THREADS}; it is {value!r}."
        )


def _command(name: str, value: str | None) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} has to be a command, as a str; it is {value!r}.")
    return value


def _no_setting(name: str) -> str:
    from thunkvm._src.teaching.elsewhere import answers  # only failing programs pay for it

    if told := answers("config").get(name):
        return f"config has no setting {name!r}; {told}"
    known = ", ".join(SETTINGS)
    return f"config has no setting {name!r}; the settings are: {known}." + did_you_mean(
        name, SETTINGS
    )


config = Config()
