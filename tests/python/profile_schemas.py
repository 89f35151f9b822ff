"""The rules of the formats that profiles are written in, as JSON schemas."""

from __future__ import annotations

from typing import Any

NUMBER: dict[str, Any] = {"type": "number"}
INDEX: dict[str, Any] = {"type": "integer", "minimum": 0}


def obj(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object with these properties and no other."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


def array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_PLACE = {"pid": INDEX, "tid": INDEX}
_COMPLETE = obj(
    {
        "ph": {"const": "X"},
        "name": {"type": "string", "minLength": 1},
        "cat": {"type": "string"},
        "ts": {"type": "number", "minimum": 0},
        "dur": {"type": "number", "minimum": 0},
        **_PLACE,
    },
    args={"type": "object"},
)
_METADATA = obj(
    {
        "ph": {"const": "M"},
        "name": {"enum": ["process_name", "thread_name"]},
        "args": obj({"name": {"type": "string"}}),
        **_PLACE,
    }
)

#: "Trace Event Format": the JSON Object Format, of which we write complete and metadata events.
CHROME_TRACE = obj(
    {"traceEvents": array({"oneOf": [_COMPLETE, _METADATA]})},
    displayTimeUnit={"enum": ["ms", "ns"]},
    otherData={"type": "object", "additionalProperties": {"type": "string"}},
)

_UNIT = {"enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]}
_ANY_PROFILE = {"name": {"type": "string"}, "unit": _UNIT, "startValue": NUMBER, "endValue": NUMBER}
_EVENT = obj({"type": {"enum": ["O", "C"]}, "frame": INDEX, "at": NUMBER})

#: speedscope's file-format-schema.json.
SPEEDSCOPE = obj(
    {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "shared": obj({
            "frames": array(obj({"name": {"type": "string"}}, file={"type": "string"}, line=INDEX,
                                col=INDEX)),
        }),
        "profiles": array({
            "oneOf": [
                obj({"type": {"const": "evented"}, **_ANY_PROFILE, "events": array(_EVENT)}),
                obj({"type": {"const": "sampled"}, **_ANY_PROFILE, "samples": array(array(INDEX)),
                     "weights": array(NUMBER)}),
            ]
        }),
    },
    name={"type": "string"},
    activeProfileIndex=INDEX,
    exporter={"type": "string"},
)  # fmt: skip
