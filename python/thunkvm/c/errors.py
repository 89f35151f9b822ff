"""The errors of the C protocol."""

from __future__ import annotations


class MethodNotDefined(NotImplementedError):  # noqa: N818 (the name that its users know)
    """An Op or a Type has no such C code for this node: another implementation is looked for."""
