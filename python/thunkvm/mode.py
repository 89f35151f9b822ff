"""Modes: which linker makes a function's program, and what it keeps."""

from __future__ import annotations

from dataclasses import dataclass

from thunkvm.nearest import did_you_mean

LINKERS: dict[str, str] = {
    "py": "a perform thunk (NumPy) per node",
    "vm": "the lazy VM over perform thunks",
    "cvm": "the lazy VM over native kernels, perform where an Op has none",
}


@dataclass(frozen=True, slots=True)
class Mode:
    """How a function is linked.

    Parameters
    ----------
    linker : {"cvm", "vm", "py"}
        ``"py"`` runs a perform thunk (NumPy) per node, each at the first need of its value;
        ``"vm"`` runs perform thunks in a program whose demand was compiled into branches;
        ``"cvm"`` does the same with native kernels wherever an Op has one.
    gc : bool
        Release each intermediate value after its last use. Without it (the ``_nogc`` modes)
        intermediates are kept until the next call, whose results may use their memory again.

    Raises
    ------
    ValueError
        If there is no such linker.
    TypeError
        If `gc` is no bool.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], x * 2, mode=tv.Mode(linker="vm", gc=False))
    >>> float(f(3.0))
    6.0
    >>> tv.Mode("vm", gc=False).name
    'vm_nogc'
    """

    linker: str = "cvm"
    gc: bool = True

    def __post_init__(self) -> None:
        """Refuse a linker that does not exist."""
        if not isinstance(self.gc, bool):
            raise TypeError(f"gc is {self.gc!r}, a {type(self.gc).__name__}; give True or False.")
        if not isinstance(self.linker, str) or self.linker not in LINKERS:
            plain = str(self.linker).removesuffix("_nogc")
            hint = (
                f' Write Mode({plain!r}, gc=False), or mode="{plain}_nogc".'
                if plain in LINKERS
                else did_you_mean(str(self.linker), LINKERS)
            )
            raise ValueError(
                f"there is no linker {self.linker!r}; the linkers are {', '.join(LINKERS)}." + hint
            )

    @property
    def name(self) -> str:
        """The name under which `function` and `config.mode` take this mode."""
        return self.linker if self.gc else self.linker + "_nogc"


MODES: dict[str, Mode] = {
    mode.name: mode for gc in (True, False) for mode in (Mode(linker, gc) for linker in LINKERS)
}


def get_mode(mode: str | Mode) -> Mode:
    """Return the `Mode` of that name; a `Mode` itself comes back as it is.

    Raises
    ------
    ValueError
        If there is no mode of that name; the message has the nearest one and the list.
    TypeError
        If `mode` is neither a name nor a `Mode`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.get_mode("cvm")
    Mode(linker='cvm', gc=True)
    """
    if isinstance(mode, Mode):
        return mode
    if not isinstance(mode, str):
        raise TypeError(f"mode is {mode!r}, a {type(mode).__name__}; give a name or a tv.Mode.")
    try:
        return MODES[mode]
    except KeyError:
        raise ValueError(
            f"there is no mode {mode!r}; the modes are {', '.join(MODES)}."
            + did_you_mean(mode, MODES)
        ) from None
