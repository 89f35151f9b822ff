"""How much time checks may take, and how many calls have to go without them for that."""

from __future__ import annotations

from math import ceil

#: So many calls at most go without checks, whatever the sums say: what they say may be wrong.
LONGEST = 100_000


class Allowance:
    """Keeps the calls of a function, on average, within so many times what they take unchecked.

    Parameters
    ----------
    at_most : float
        So many times; more than 1.

    Examples
    --------
    >>> from thunkvm.checking.allowance import Allowance
    >>> allowance = Allowance(20.0)
    >>> allowance.skipped_after(10.0, 0.1)  # a call may take 2 s: 8 s too much
    5
    >>> allowance.add_skipped(2.0)  # what these five took: 8 s were gained
    >>> allowance.skipped_after(10.0, 0.1)  # 8 s are too much now
    6
    """

    def __init__(self, at_most: float) -> None:
        self._at_most = at_most
        self._plain = float("inf")
        self._debt = 0.0
        self._skipped = 0
        self._spent = 0.0

    def add_skipped(self, seconds: float) -> None:
        """Note the seconds of the calls that were skipped since the last one that was not."""
        self._spent = seconds

    def skipped_after(self, seconds: float, plain: float) -> int:
        """Return how many calls are to be skipped now.

        Parameters
        ----------
        seconds : float
            The seconds of the call that ends now, with all checks.
        plain : float
            Its seconds without checks.
        """
        self._plain = min(self._plain, plain)
        allowed = self._at_most * self._plain
        each = plain + (self._spent / self._skipped if self._skipped else 0.0)
        self._debt += seconds + self._spent - allowed * (self._skipped + 1)
        self._debt = max(self._debt, 0.0)
        self._spent = 0.0
        # New thunks of skipped calls are checked too, so that some of them take long.
        gained = max(allowed - each, allowed / 2.0)
        self._skipped = min(ceil(self._debt / gained), LONGEST)
        return self._skipped
