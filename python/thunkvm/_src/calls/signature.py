"""The signatures that `inspect` gives for functions, and for their class."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any


def signature_of(parameters: Sequence[tuple[str | None, bool, Any]]) -> inspect.Signature:
    """Return the signature of a function with these inputs.

    Parameters
    ----------
    parameters : sequence of (name or None, whether it has a default, default)
        The inputs, in order. One is by position only if it has no name, no identifier for a name,
        or an earlier one's name. So are those before it; one without a default may come after one
        with a default. It is shown as by keyword only, with all that follow, since that may be left
        out.

    Returns
    -------
    inspect.Signature

    Examples
    --------
    >>> from thunkvm._src.calls.signature import signature_of
    >>> str(signature_of([(None, False, None), ("rate", True, 0.5)]))
    '(input_0, /, rate=0.5)'
    """
    names = [name for name, _, _ in parameters]
    usable = [
        name is not None and name.isidentifier() and name not in names[:i]
        for i, name in enumerate(names)
    ]
    by_position = max((i + 1 for i, is_usable in enumerate(usable) if not is_usable), default=0)
    kinds = inspect.Parameter
    out = []
    kind: Any = kinds.POSITIONAL_ONLY
    has_default = False
    for i, (name, optional, value) in enumerate(parameters):
        if i >= by_position and kind is kinds.POSITIONAL_ONLY:
            kind = kinds.POSITIONAL_OR_KEYWORD
        if has_default and not optional and kind is kinds.POSITIONAL_OR_KEYWORD:
            kind = kinds.KEYWORD_ONLY
        # By position only, a default before an input that has none can never be left out.
        later = all(other for _, other, _ in parameters[i:by_position])
        shown = optional and (kind is not kinds.POSITIONAL_ONLY or later)
        has_default = has_default or shown
        default = value if shown else kinds.empty
        label = name if name is not None and usable[i] else f"input_{i}"
        out.append(inspect.Parameter(label, kind, default=default))
    return inspect.Signature(out)


class OwnSignature:
    """The ``__signature__`` of each instance of a class, none of the class itself.

    A property would hand itself to `inspect.signature(the class)`, which refuses it.

    Examples
    --------
    >>> import inspect
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], x + 1)
    >>> inspect.signature(f), inspect.signature(tv.Function)
    (<Signature (x)>, <Signature ()>)
    """

    def __init__(self, read: Callable[[Any], inspect.Signature]) -> None:
        """Take what reads an instance's signature."""
        self.read = read

    def __get__(self, instance: Any, owner: type | None = None) -> inspect.Signature:
        """Return an instance's signature."""
        if instance is None:
            raise AttributeError("__signature__")
        return self.read(instance)


OF_FUNCTIONS = OwnSignature(lambda function: signature_of(function._parameters))
OF_OPS = OwnSignature(lambda op: op._signature)
