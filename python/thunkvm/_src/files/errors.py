"""The one error of graph files."""

from __future__ import annotations


class GraphFileError(ValueError):
    """A graph file is no file of a graph, or not one that this program can read."""

    __module__ = "thunkvm"


__all__ = ["GraphFileError"]
