"""The format of saved profiles.

Examples
--------
>>> from thunkvm.profile import Profile
>>> from thunkvm.profile.storage import FORMAT
>>> FORMAT.text(Profile(kind="count"))
'{"format": "thunkvm-profile", "version": 1, "kind": "count"}'
"""

from __future__ import annotations

from thunkvm.profile.file_format import Format
from thunkvm.profile.record import Profile
from thunkvm.profile.references import profile_faults

FORMAT = Format(
    what="profile",
    writer="Profile.save",
    head={"format": "thunkvm-profile", "version": 1},
    rows=Profile,
    faults=profile_faults,
)
