"""Runs that stand out: where most of a node's time is that of one run."""

from __future__ import annotations

from thunkvm.profile.rows import SHORTEST, NodeRow

#: The share of a node's time from which one run stands out, and how many times its even share.
SHARE, TIMES = 0.5, 1.5


def standout(node: NodeRow) -> float | None:
    """Return the share of a node's time that its longest run took; None where none stands out.

    Examples
    --------
    >>> from thunkvm.profile import NodeRow
    >>> from thunkvm.profile.standout import standout
    >>> standout(NodeRow(index=0, op="exp", runs=9, self_time=1.0, first=0.8, max=0.03))
    0.8
    >>> print(standout(NodeRow(index=0, op="exp", runs=9, self_time=0.9, first=0.1, max=0.1)))
    None
    """
    if node.runs < 2 or node.self_time < SHORTEST:
        return None
    share = min(1.0, max(node.first or 0.0, node.max or 0.0) / node.self_time)
    return share if share >= max(SHARE, TIMES / node.runs) else None


def standout_text(node: NodeRow) -> str:
    """Return ``"one run was 80% of this, the first"``; empty where none stands out.

    Examples
    --------
    >>> from thunkvm.profile import NodeRow
    >>> from thunkvm.profile.standout import standout_text
    >>> standout_text(NodeRow(index=0, op="exp", runs=9, self_time=1.0, first=0.8, max=0.03))
    'one run was 80% of this, the first'
    """
    share = standout(node)
    if share is None:
        return ""
    is_first = (node.first or 0.0) >= (node.max or 0.0)
    return f"one run was {100 * share:.0f}% of this" + ", the first" * is_first
