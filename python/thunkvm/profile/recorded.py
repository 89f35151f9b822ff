"""The fields that profiles' rows share with the core's, which declares them (``thunks/fields.h``).

A class here has the fields of a row of the core's. The row of profiles derives from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import MISSING, field, fields, make_dataclass, replace
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

from thunkvm import _core

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    AnyRow = TypeVar("AnyRow", bound=DataclassInstance)

Merge = Callable[[Any, Any], Any]
#: The types of the core's fields, and what a field is where nothing was recorded.
TYPES: dict[str, tuple[Any, Any]] = {
    "int": (int, 0),
    "float": (float, 0.0),
    "bool": (bool, False),
    "int | None": (int | None, None),
    "float | None": (float | None, None),
}
MERGES: dict[str, Merge] = {"added": add, "greatest": max}


def merged_field(default: Any, merge: Merge = add) -> Any:
    """Return a field that is `merge` of two where rows are put together."""
    return field(default=default, metadata={"merge": merge})


def merged_rows(a: AnyRow, b: AnyRow, **others: Any) -> AnyRow:
    """Return a row with the merged fields of two and some others; the rest is the first's."""
    merges = {each.name: each.metadata["merge"] for each in fields(a) if "merge" in each.metadata}
    found = {name: merge(getattr(a, name), getattr(b, name)) for name, merge in merges.items()}
    return replace(a, **found, **others)


def pick_fields(row: Any, *names: str) -> dict[str, Any]:
    """Return fields and properties of a row by their names."""
    return {name: getattr(row, name) for name in names}


def whole(row: Any, *properties: str) -> dict[str, Any]:
    """Return all fields of a row, and these properties.

    Examples
    --------
    >>> from thunkvm.profile import ArmRow
    >>> from thunkvm.profile.recorded import whole
    >>> whole(ArmRow(name="then", taken=2, time=1.0), "mean")["mean"]
    0.5
    """
    return pick_fields(row, *(field.name for field in fields(row)), *properties)


def _fields_of(row: Any, required: Collection[str] = ()) -> type:
    """Return a dataclass with the fields of a row of the core's."""
    made = []
    for name, type_text, unit, doc, merging in row.declared:
        kind, default = TYPES[type_text]
        about: dict[str, Any] = {"unit": unit, "doc": doc}
        if merging in MERGES:
            about["merge"] = MERGES[merging]
        default = MISSING if name in required else default
        made.append((name, kind, field(default=default, metadata=about)))
    namespace = {"__doc__": row.__doc__, "__module__": __name__}
    options: dict[str, Any] = dict(frozen=True, slots=True, kw_only=True, namespace=namespace)
    return make_dataclass(f"{row.__name__}Fields", made, **options)


if TYPE_CHECKING:
    from thunkvm._rows import BranchTallyFields as BranchTallyFields
    from thunkvm._rows import CallTimesFields as CallTimesFields
    from thunkvm._rows import RegionPlaceFields as RegionPlaceFields
    from thunkvm._rows import SiteRowFields as SiteRowFields
    from thunkvm._rows import StretchFields as StretchFields
else:
    BranchTallyFields = _fields_of(_core.BranchTally)
    CallTimesFields = _fields_of(_core.CallTimes)
    RegionPlaceFields = _fields_of(_core.RegionPlace, required=("condition", "arm"))
    SiteRowFields = _fields_of(_core.SiteRow)
    StretchFields = _fields_of(_core.Stretch, required=("start", "duration"))

#: The classes of shared fields.
SHARED = (
    "BranchTallyFields", "CallTimesFields", "RegionPlaceFields", "SiteRowFields", "StretchFields",
)  # fmt: skip
