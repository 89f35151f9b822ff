"""The values of an Op's params."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from thunkvm._core import Apply, TensorType
from thunkvm._src.teaching.nearest import did_you_mean

if TYPE_CHECKING:
    from thunkvm.c.params import ParamsType


class Params(Mapping[str, Any]):
    """The values of an Op's params, by the names of its `ParamsType`.

    Immutable; its values are attributes and items, and what they were given as: `ParamsType.filter`
    and `ParamsType.get_params` make them values of their Types.

    Parameters
    ----------
    params_type : ParamsType
        What the values are of.
    **values
        One for each field.

    Raises
    ------
    TypeError
        If a field has no value, or a value no field.

    Examples
    --------
    >>> import thunkvm as tv
    >>> params_type = tv.ParamsType(n=tv.ScalarType("int32"))
    >>> params = tv.Params(params_type, n=3)
    >>> params.n, params["n"], dict(params)
    (3, 3, {'n': 3})
    >>> params_type.filter(params).n
    np.int32(3)
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
        object.__setattr__(self, "_params_type", params_type)
        object.__setattr__(self, "_values", {name: values[name] for name in params_type.fields})

    @property
    def params_type(self) -> ParamsType:
        """What the values are of."""
        found: ParamsType = self._params_type
        return found

    def __getattribute__(self, name: str) -> Any:
        """Return the value of a field, whatever else is called so."""
        values = object.__getattribute__(self, "_values")
        return values[name] if name in values else object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        """Refuse: there is no such field."""
        raise AttributeError(f"there is no param {name!r}; there are {list(self._values)}.")

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: params do not change."""
        raise AttributeError(f"params do not change: {name!r} cannot be set.")

    def __getitem__(self, name: str) -> Any:
        """Return the value of a field."""
        return self._values[name]

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


def filter_attributes(
    params_type: ParamsType, giver: Any, strict: bool, allow_downcast: bool | None
) -> Params:
    """Return params of the attributes of `giver`, as their Types keep them.

    Raises
    ------
    TypeError
        If a Type refuses one; the message has its name.
    """
    values = {}
    for name, type_ in zip(params_type.fields, params_type.types, strict=True):
        try:
            values[name] = _filter(type_, getattr(giver, name), strict, allow_downcast)
        except (TypeError, ValueError) as error:
            raise TypeError(f"the param {name!r}: {error}") from error
    return Params(params_type, **values)


def _filter(type_: Any, value: Any, strict: bool, allow_downcast: bool | None) -> Any:
    if strict or not isinstance(type_, TensorType):
        return type_.filter(value, strict=strict, allow_downcast=allow_downcast)
    import numpy as np

    array = np.asarray(value)
    if array.dtype != type_.dtype or array.ndim != type_.ndim:
        if allow_downcast is None:  # what loses nothing
            converted = array.astype(type_.dtype)
            if converted.ndim != type_.ndim or not np.array_equal(converted, array):
                raise TypeError(f"{value!r} is no value of {type_}.")
            array = converted
        else:
            array = np.asarray(type_.filter(value, allow_downcast=allow_downcast))
    array = array.copy()
    array.flags.writeable = False
    return array
