"""Profiles: what the calls of functions did, and views of it.

``with tv.profile() as p`` records all functions that are called in the block.

Examples
--------
>>> import thunkvm as tv
>>> x = tv.scalar("x")
>>> f = tv.function([x], tv.ifelse(x > 0, tv.exp(x), x))
>>> with tv.profile("count") as p:
...     _ = f(1.0), f(2.0), f(-1.0)
>>> [(arm.name, arm.taken) for arm in p.functions[0].conditions[0].arms]
[('then', 2), ('else', 1)]
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from thunkvm.profile.condition_rows import ArmRow, ConditionRow, RegionRow
from thunkvm.profile.difference import FunctionChange, NodeChange, ProfileDifference
from thunkvm.profile.file_format import ProfileFileError
from thunkvm.profile.live import LiveProfile
from thunkvm.profile.live import profile as record_all
from thunkvm.profile.loop_rows import LoopRow
from thunkvm.profile.record import Profile
from thunkvm.profile.rows import CallRow, Event, FunctionRecord, GroupRow, NodeRow, Overheads


class _Callable(ModuleType):
    """A module that is called: ``with tv.profile() as p``."""

    def __call__(self, kind: Any = "time") -> LiveProfile:
        """Return a profile of all functions that are called in a block."""
        return record_all(kind)


sys.modules[__name__].__class__ = _Callable
if TYPE_CHECKING:
    from thunkvm.profile.live import profile as profile
else:
    #: The module itself, as `thunkvm` has it.
    profile = sys.modules[__name__]

__all__ = [
    "ArmRow", "CallRow", "ConditionRow", "Event", "FunctionChange", "FunctionRecord", "GroupRow",
    "LiveProfile", "LoopRow", "NodeChange", "NodeRow", "Overheads", "Profile", "ProfileDifference",
    "ProfileFileError", "RegionRow",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]
