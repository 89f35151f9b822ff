"""Profiles: what the calls of functions did, and views of it."""

from __future__ import annotations

from thunkvm.profile.difference import FunctionChange, NodeChange, ProfileDifference
from thunkvm.profile.record import (
    ArmRow,
    CallRow,
    ConditionRow,
    Event,
    FunctionRecord,
    GroupRow,
    NodeRow,
    Overheads,
    Profile,
)
from thunkvm.profile.storage import ProfileFileError

__all__ = [
    "ArmRow", "CallRow", "ConditionRow", "Event", "FunctionChange", "FunctionRecord", "GroupRow",
    "NodeChange", "NodeRow", "Overheads", "Profile", "ProfileDifference", "ProfileFileError",
]  # fmt: skip
