"""The values of an Op's params."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thunkvm._core import Apply, TensorType
from thunkvm._src.teaching.nearest import did_you_mean

if TYPE_CHECKING:
    from thunkvm.c.params import ParamsType


class Params:
    """The values of an Op's params, by the names of its `ParamsType`.

    Immutable; its values are attributes and items.

    Parameters
    ----------
    params_type : ParamsType
        What the values are of.
    **values
        One for each field.

    Raises
    ------
    TypeError
        If a field has no value, a value no field, or a Type refuses its value.

    Examples
    --------
    >>> import thunkvm as tv
    >>> params_type = tv.ParamsType(n=tv.ScalarType("int32"))
    >>> params = tv.Params(params_type, n=3)
    >>> params.n, params["n"], dict(params)
    (np.int32(3), np.int32(3), {'n': np.int32(3)})
    """

    __slots__ = ("_params_type", "_values")

    def __init__(self, params_type: ParamsType, **values: Any) -> None:
        for name in params_type.fields:
            if name not in values:
                raise TypeError(f"the param {name!r} of {params_type} has no value.")
        for name in values:
            if name not in params_type.fields:
                raise TypeError(
                    f"{params_type} has no field {name!r}." + did_you_mean(name, params_type.fields)
                )
        filtered = {name: _filtered(params_type, name, values[name]) for name in params_type.fields}
        object.__setattr__(self, "_params_type", params_type)
        object.__setattr__(self, "_values", filtered)

    @property
    def params_type(self) -> ParamsType:
        """What the values are of."""
        found: ParamsType = self._params_type
        return found

    def __getattr__(self, name: str) -> Any:
        """Return the value of a field."""
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"there is no param {name!r}; there are {list(self._values)}.")
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: params do not change."""
        raise AttributeError(f"params do not change: {name!r} cannot be set.")

    def __getitem__(self, name: str) -> Any:
        """Return the value of a field."""
        return self._values[name]

    def keys(self) -> Any:
        """Return the fields."""
        return self._values.keys()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the fields."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of fields."""
        return len(self._values)

    def __repr__(self) -> str:
        """Return the fields with their values."""
        return f"Params({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    def __eq__(self, other: object) -> bool:
        """Compare Type and values, arrays element by element."""
        return isinstance(other, Params) and self._params_type.values_eq(self, other)

    def __hash__(self) -> int:
        """Hash the Type: values may be arrays."""
        return hash(self._params_type)


def with_params(perform: Any, node: Apply) -> Any:
    """Return a `perform` that takes params as the function of three that all others are."""
    op: Any = node.op
    params = op.params_type.filter(op.get_params(node), strict=False, allow_downcast=None)

    def performed(node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        perform(node, inputs, output_storage, params)

    return performed


def _filtered(params_type: ParamsType, name: str, value: Any) -> Any:
    type_ = params_type.type_of(name)
    try:
        return _filter(type_, value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the param {name!r}: {error}") from error


def _filter(type_: Any, value: Any) -> Any:
    if isinstance(type_, TensorType):
        import numpy as np

        array = np.asarray(value)
        if array.dtype != type_.dtype or array.ndim != type_.ndim:
            converted = np.asarray(value, dtype=type_.dtype)
            if converted.ndim != type_.ndim or not np.array_equal(converted, array):
                raise TypeError(f"{value!r} is no value of {type_}.")
            array = converted
        array = array.copy()
        array.flags.writeable = False
        return array
    return type_.filter(value, strict=False, allow_downcast=None)
