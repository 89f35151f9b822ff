"""Profiles as JSON text: written, and read."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from thunkvm.profile.reading import Format
from thunkvm.profile.record import Profile
from thunkvm.profile.references import profile_faults

FORMAT = Format(
    what="profile",
    writer="Profile.save",
    head={"format": "thunkvm-profile", "version": 1},
    rows=Profile,
    faults=profile_faults,
)


def to_json(profile: Profile) -> str:
    """Return a profile as JSON text; fields that have their default are left out.

    Examples
    --------
    >>> from thunkvm.profile import Profile
    >>> from thunkvm.profile.storage import to_json
    >>> to_json(Profile(kind="count"))
    '{"format": "thunkvm-profile", "version": 1, "kind": "count"}'
    """
    return json.dumps(FORMAT.head | _encoded(profile), allow_nan=False)


def _encoded(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _encoded(getattr(value, field.name))
            for field in fields(value)
            if field.default is MISSING or getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple):
        return [_encoded(item) for item in value]
    return value


__all__ = ["FORMAT", "to_json"]
