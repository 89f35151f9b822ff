"""The table of what `thunkvm.testing.check_op` found."""

from __future__ import annotations

from dataclasses import dataclass, field

from thunkvm._src.views.text_table import table

RIGHT, MISSING, WRONG = "right", "missing", "WRONG"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a report.

    Attributes
    ----------
    check : str
        What was looked at.
    result : str
        ``"right"``, ``"missing"`` or ``"WRONG"``.
    text : str
        What is missing or wrong, and what to do.

    Examples
    --------
    >>> import thunkvm as tv
    >>> row = tv.testing.check_op(tv.ops.exp, [[1.0, 2.0]]).rows[0]
    >>> row.check, row.result
    ('make_node', 'right')
    """

    check: str
    result: str
    text: str = ""


class OpError(AssertionError):
    """`check_op` found something wrong; the message is the report.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def square(x):
    ...     return x * x
    >>> wrong = tv.as_op(square, [tv.dscalar], [tv.dscalar], grad=lambda inputs, slopes: slopes)
    >>> try:
    ...     tv.testing.check_op(wrong, [1.5]).raise_if_wrong()
    ... except tv.testing.OpError as error:
    ...     print(str(error).splitlines()[0])
    square: 1 wrong, 4 missing
    """

    __module__ = "thunkvm.testing"


@dataclass(slots=True)
class OpReport:
    """The findings of `check_op`: a table, as text.

    Attributes
    ----------
    op : str
    rows : list of Row

    Examples
    --------
    >>> import thunkvm as tv
    >>> report = tv.testing.check_op(tv.ops.exp, [[1.0, 2.0]])
    >>> report.op, report.ok, report.wrong
    ('<Op exp(x)>', True, [])
    >>> [row.check for row in report.rows if row.check in ("grad", "infer_shape")]
    ['infer_shape', 'grad']
    """

    op: str
    rows: list[Row] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; something may be missing."""
        return not self.wrong

    @property
    def wrong(self) -> list[Row]:
        """The rows of what is wrong."""
        return [row for row in self.rows if row.result == WRONG]

    @property
    def missing(self) -> list[Row]:
        """The rows of what the Op leaves out."""
        return [row for row in self.rows if row.result == MISSING]

    def __bool__(self) -> bool:
        """Return `ok`, so that a test can assert a report."""
        return self.ok

    def __str__(self) -> str:
        """Return the table."""
        return (
            f"{self.op}: {'nothing wrong' if self.ok else f'{len(self.wrong)} wrong'}"
            f"{f', {len(self.missing)} missing' if self.missing else ''}\n"
            + table(
                ["check", "result", "what"],
                [[row.check, row.result, row.text] for row in self.rows],
                left=["check", "result", "what"],
            )
        )

    __repr__ = __str__

    def raise_if_wrong(self) -> OpReport:
        """Raise `OpError` with the report if something is wrong; else return it."""
        if not self.ok:
            raise OpError(str(self))
        return self


__all__ = ["MISSING", "RIGHT", "WRONG", "OpError", "OpReport", "Row"]
