"""The rules of the formats that profiles are written in, as JSON schemas."""

from __future__ import annotations

from typing import Any

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
