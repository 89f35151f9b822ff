"""The record of functions' calls, as one value: `Profile`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

from thunkvm._src.completion import names
from thunkvm._src.saving import save_text
from thunkvm.profile.rows import CallRow, FunctionRecord, Kind

if TYPE_CHECKING:
    import pandas

    from thunkvm.profile.difference import ProfileDifference


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The records of functions.

    Attributes
    ----------
    functions : tuple of FunctionRecord
        The functions that were called.
    kind : {"count", "time", "trace", "memory"}
        How much was recorded.
    clock_cost : float
        Seconds that one reading of the clock takes; it is subtracted from the times already.

    Examples
    --------
    >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
    >>> exp = NodeRow(index=0, op="exp", runs=2, self_time=0.5)
    >>> p = Profile(functions=(FunctionRecord(name="f", nodes=(exp,)),), kind="time")
    >>> p.merge(p).functions[0].nodes[0].runs
    4
    """

    functions: tuple[FunctionRecord, ...] = ()
    kind: Kind = "time"
    clock_cost: float = 0.0

    @property
    def calls(self) -> tuple[CallRow, ...]:
        """The calls of all functions, function by function."""
        return tuple(call for function in self.functions for call in function.calls)

    def __getattr__(self, name: str) -> NoReturn:
        """Name the method that stands for one that there is no longer."""
        from thunkvm._src.teaching.elsewhere import answers, no_name

        told = answers("profiles").get(name, "")
        public = [known for known in dir(Profile) if known[0] != "_"]
        raise AttributeError(no_name("a profile", name, public, told), name=name, obj=self)

    def __str__(self) -> str:
        """Return the tables as plain text; ``rich.print(p)`` prints them in colour."""
        from thunkvm.profile.sections import profile_sections
        from thunkvm.profile.text import plain

        return plain(profile_sections(self))

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """Yield the tables for rich."""
        from thunkvm.profile.sections import profile_sections
        from thunkvm.profile.text import rich_tables

        yield from rich_tables(profile_sections(self), options.max_width)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the profile to a file that `load` reads.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        self.to_json(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Profile:
        """Read a profile that `save` wrote.

        Raises
        ------
        ProfileFileError
            If the file is no profile, is cut off or damaged, or is of an unknown version.
        """
        from thunkvm.profile.storage import FORMAT

        return FORMAT.load(path)

    def __reduce__(self) -> tuple[Callable[..., Profile], tuple[str]]:
        """Return how to make the profile again: of the text that `save` writes."""
        from thunkvm.profile.storage import FORMAT

        return _read_profile, (FORMAT.text(self),)

    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the profile as JSON, as `save` does; return the text if there is no path."""
        from thunkvm.profile.storage import FORMAT

        return _write_text(FORMAT.text(self), path)

    def to_pandas(self, rows: str = "nodes") -> pandas.DataFrame:
        """Return one of the tables as a pandas DataFrame.

        Parameters
        ----------
        rows : {"nodes", "arms", "calls", "groups", "overheads"}
            What has a row. That of a node has most fields of `NodeRow` as columns, its name as
            ``node``, and ``mean``, ``gflops`` and ``gb_per_second``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from thunkvm.profile.frames import to_pandas

        return to_pandas(self, rows)

    def to_csv(self, path: str | PathLike[str] | None = None, rows: str = "nodes") -> str | None:
        """Write one of the tables as CSV; return the text if there is no path.

        Parameters
        ----------
        path : path, optional
            The file to write.
        rows : {"nodes", "arms", "calls", "groups", "overheads"}
            What has a row, as in `to_pandas`.

        Examples
        --------
        >>> from thunkvm.profile import FunctionRecord, Overheads, Profile
        >>> f = FunctionRecord(name="f", mode="vm", overheads=Overheads(arguments=0.5))
        >>> print(Profile(functions=(f,)).to_csv(rows="overheads")[:42])
        function,mode,row,value
        f,vm,arguments,0.5
        """
        from thunkvm.profile.frames import to_csv

        return _write_text(to_csv(self, rows), path)

    def to_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Write the trace for Perfetto (ui.perfetto.dev) and chrome://tracing: a track a thread.

        Raises
        ------
        ValueError
            If the profile has no events: those of kind ``"trace"`` have them.
        """
        from thunkvm.profile.chrome_trace import chrome_trace

        save_text(path, json.dumps(chrome_trace(self)))

    def to_collapsed(self, path: str | PathLike[str]) -> None:
        """Write collapsed stacks (function; arms; node), which flame graphs are made from."""
        from thunkvm.profile.stacks import collapsed_stacks

        save_text(path, collapsed_stacks(self))

    def to_dot(self, path: str | PathLike[str]) -> None:
        """Write the graphs in DOT: coloured by self time, arms framed, never-run nodes dashed."""
        from thunkvm.profile.dot import to_dot

        save_text(path, to_dot(self) + "\n")

    def to_svg(self, path: str | PathLike[str]) -> None:
        """Write the same drawn by Graphviz.

        Raises
        ------
        RuntimeError
            If Graphviz's ``dot`` is not installed.
        """
        from thunkvm._src.views.drawing import to_svg
        from thunkvm.profile.dot import to_dot

        save_text(path, to_svg(to_dot(self)))

    def html(self, path: str | PathLike[str]) -> None:
        """Write one HTML page with all that is known: it opens from a file and asks no network.

        It has tables that sort and search, the graph in boxes that fold, and the branches with
        their shares. It has the timeline, and the lines of the user's files, which are copied into
        the page.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from thunkvm.profile.html import page

        save_text(path, page(self))

    def __dir__(self) -> list[str]:
        """Return the names that are not the package's own."""
        return names(self)

    def _repr_html_(self) -> str:
        from thunkvm._src.views.notebook import picture
        from thunkvm.profile.dot import to_dot
        from thunkvm.profile.sections import profile_sections
        from thunkvm.profile.text import html_sections

        nodes = sum(len(function.nodes) for function in self.functions)
        drawn = picture(lambda: to_dot(self), nodes)
        tables = html_sections(profile_sections(self))
        rest = "<p>p.html(path) writes a page with the timeline, too</p>"
        return drawn + tables + rest

    def merge(self, *others: Profile) -> Profile:
        """Return this profile and others added up.

        Counts and times of the same function add up, functions that are not the same stand side
        by side. A function is the same if its name, mode and nodes are.

        Raises
        ------
        ValueError
            If a profile is of another kind.
        """
        from thunkvm.profile.merging import merge

        return merge(self, *others)

    def diff(self, after: Profile) -> ProfileDifference:
        """Return the change of each row from this profile to another.

        Parameters
        ----------
        after : Profile
            A second run, another mode, or another version of the functions.

        Examples
        --------
        >>> from thunkvm.profile import FunctionRecord, NodeRow, Profile
        >>> def run(seconds):
        ...     node = NodeRow(index=0, op="exp", file="a.py", line=3, runs=1, self_time=seconds)
        ...     return Profile(functions=(FunctionRecord(name="f", nodes=(node,)),))
        >>> run(0.5).diff(run(2.0)).functions[0].nodes[0].time_change
        1.5
        """
        from thunkvm.profile.difference import diff

        return diff(self, after)


def _read_profile(text: str) -> Profile:
    """Return the profile of a pickle or a deep copy."""
    from thunkvm.profile.storage import FORMAT

    return FORMAT.parse(text, "the pickled profile")


def _write_text(text: str, path: str | PathLike[str] | None) -> str | None:
    """Write a text to a file; return it where there is none."""
    if path is None:
        return text
    save_text(path, text)
    return None
