"""Profiles as JSON text: written, and read with a sentence for each thing that is wrong."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from thunkvm._src.saving import save_text
from thunkvm.profile.record import Profile

FORMAT = "thunkvm-profile"
VERSION = 1


class ProfileFileError(ValueError):
    """A file is no profile that can be read here."""


def to_json(profile: Profile) -> str:
    """Return a profile as JSON text; fields that have their default are left out.

    Examples
    --------
    >>> from thunkvm.profile import Profile
    >>> from thunkvm.profile.storage import to_json
    >>> to_json(Profile(kind="count"))
    '{"format": "thunkvm-profile", "version": 1, "kind": "count"}'
    """
    head = {"format": FORMAT, "version": VERSION}
    return json.dumps(head | _encoded(profile), allow_nan=False)


def from_json(text: str, where: str = "the text") -> Profile:
    """Read a profile from JSON text.

    Parameters
    ----------
    text : str
        What `to_json` returned.
    where : str
        What errors call it.

    Raises
    ------
    ProfileFileError
        If it is no profile, is cut off, or is of a version that is not known here.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        if text.lstrip().startswith('{"format": "' + FORMAT):
            raise ProfileFileError(
                f"{where} is a profile that is cut off or damaged ({error}); record it again."
            ) from None
        raise ProfileFileError(f"{where} is no profile: it is not JSON ({error}).") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ProfileFileError(
            f'{where} is no profile: it has to begin with "format": "{FORMAT}", as '
            "Profile.save writes it."
        )
    version = found.get("version")
    if version != VERSION:
        raise ProfileFileError(
            f"{where} is a profile of version {version!r}; this thunkvm reads version {VERSION}. "
            "Read it with the thunkvm that wrote it, or record it again."
        )
    fields = {key: value for key, value in found.items() if key not in ("format", "version")}
    try:
        profile: Profile = _decoded(Profile, fields, "")
    except _MisfitError as error:
        raise ProfileFileError(f"{where} is a damaged profile: {error}.") from None
    _check_references(profile, where)
    return profile


def save(profile: Profile, path: str | PathLike[str]) -> None:
    """Write a profile to a file."""
    save_text(path, to_json(profile))


def load(path: str | PathLike[str]) -> Profile:
    """Read a profile from a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ProfileFileError(f"{path} is no profile: it is not text.") from None
    return from_json(text, str(path))


class _MisfitError(Exception):
    """What a value has to be and is not."""


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


@cache
def _field_types(cls: type) -> dict[str, tuple[Any, bool]]:
    """Return the type of each field, and whether it has to be there."""
    hints = get_type_hints(cls)
    return {field.name: (hints[field.name], field.default is MISSING) for field in fields(cls)}


def _decoded(wanted: Any, value: Any, where: str) -> Any:
    if is_dataclass(wanted):
        return _row(wanted, value, where)
    origin = get_origin(wanted)
    if origin is tuple:
        return _tuple(get_args(wanted), value, where)
    if origin in (Union, types.UnionType):
        choices = get_args(wanted)
        fitting = [choice for choice in choices if _is(value, choice)]
        if fitting:
            return _decoded(fitting[0], value, where)
        names = " or ".join(getattr(choice, "__name__", str(choice)) for choice in choices)
        raise _MisfitError(
            f"{where} is {value!r}, and has to be {names.replace('NoneType', 'null')}"
        )
    if origin is Literal:
        if value not in get_args(wanted):
            raise _MisfitError(f"{where} is {value!r}, and has to be one of {get_args(wanted)}")
        return value
    if not _is(value, wanted):
        raise _MisfitError(f"{where} is {value!r}, and has to be {wanted.__name__}")
    return wanted(value) if wanted is float else value


def _is(value: Any, wanted: Any) -> bool:
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, wanted)


def _row(wanted: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _MisfitError(f"{where} is {value!r}, and has to be an object")
    known = _field_types(wanted)
    for name in value:
        if name not in known:
            raise _MisfitError(
                f"{where or 'it'} has a field {name!r}, which a {wanted.__name__} has not"
            )
    for name, (_, required) in known.items():
        if required and name not in value:
            raise _MisfitError(f"{where or 'it'} lacks the field {name!r}")
    prefix = where and where + "."
    return wanted(**{n: _decoded(known[n][0], item, prefix + n) for n, item in value.items()})


def _tuple(wanted: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _MisfitError(f"{where} is {value!r}, and has to be a list")
    if wanted[-1] is Ellipsis:
        wanted = wanted[:1] * len(value)
    if len(wanted) != len(value):
        raise _MisfitError(f"{where} has {len(value)} items, and has to have {len(wanted)}")
    return tuple(
        _decoded(item_type, item, f"{where}[{i}]")
        for i, (item_type, item) in enumerate(zip(wanted, value, strict=True))
    )


def _check_references(profile: Profile, where: str) -> None:
    """Refuse rows that name rows that are not there: views follow them."""
    for f in profile.functions:
        indices = {
            "node": [row.index for row in f.nodes],
            "condition": [row.index for row in f.conditions],
            "group": [row.index for row in f.groups],
        }
        for what, found in indices.items():
            for position, index in enumerate(found):
                if index != position:
                    raise ProfileFileError(
                        f"{where} is a damaged profile: {what} {position} of function {f.name!r} "
                        f"has the index {index}."
                    )
        nodes: list[int | None] = [
            item for n in f.nodes for item in n.inputs if isinstance(item, int)
        ]
        nodes += [n.first_demanded_by for n in f.nodes] + [e.node for e in f.events]
        nodes += [c.node for c in f.conditions]
        nodes += [n for c in f.conditions for arm in c.arms for n in arm.nodes]
        nodes += [n for g in f.groups for n in g.nodes]
        groups = [n.group for n in f.nodes] + [e.group for e in f.events]
        pairs = [pair for n in f.nodes for pair in n.region_path]
        pairs += [pair for call in f.calls for pair in call.arms]
        _check_range(nodes, len(f.nodes), "node", f.name, where)
        _check_range(groups, len(f.groups), "group", f.name, where)
        _check_range([c for c, _ in pairs], len(f.conditions), "condition", f.name, where)
        for condition, arm in pairs:
            arms = len(f.conditions[condition].arms)
            _check_range([arm], arms, f"arm of condition {condition}", f.name, where)


def _check_range(found: Iterable[int | None], end: int, what: str, name: str, where: str) -> None:
    for index in found:
        if index is not None and not 0 <= index < end:
            raise ProfileFileError(
                f"{where} is a damaged profile: a row of function {name!r} names {what} {index}, "
                f"and there are {end}."
            )


__all__ = ["FORMAT", "VERSION", "ProfileFileError", "from_json", "load", "save", "to_json"]
