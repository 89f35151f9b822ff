"""The one error of graph files."""

from __future__ import annotations


class GraphFileError(ValueError):
    """A graph file is no file of a graph, or not one that this program can read.

    Examples
    --------
    >>> import os, tempfile
    >>> import thunkvm as tv
    >>> path = os.path.join(tempfile.mkdtemp(), "model.tv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("a poem")
    >>> tv.load(path)
    Traceback (most recent call last):
        ...
    thunkvm.GraphFileError: model.tv: it is no zip file, or damaged
    """

    __module__ = "thunkvm"


__all__ = ["GraphFileError"]
