"""Drawings of graphs as files: in DOT, and as SVG by Graphviz.

Examples
--------
>>> from thunkvm._core import Drawing
>>> drawing = Drawing()
>>> arm = drawing.frame(label="only if c")
>>> drawing.arrow(drawing.box(label="x"), drawing.box(arm, label="exp"))
>>> print(drawing.to_dot())
digraph G {
subgraph cluster_0 {
label="only if c";
1;
}
0 [label="x"];
1 [label="exp"];
0->1 ;
}
"""

from __future__ import annotations

import shutil
import subprocess
from os import PathLike, fspath

from thunkvm._src.saving import save_text


def to_svg(dot: str) -> str:
    """Return a drawing as SVG, laid out by Graphviz.

    Raises
    ------
    RuntimeError
        If Graphviz's ``dot`` is not installed, or does not draw it.
    """
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(
            "SVG needs the program dot of Graphviz, which is not on the PATH: install the "
            "package graphviz of your system (apt-get install graphviz), or write DOT with to_dot."
        )
    drawn = subprocess.run(
        [program, "-Tsvg"], input=dot, capture_output=True, text=True, check=False
    )
    if drawn.returncode:
        raise RuntimeError(f"{program} could not draw the graph: {drawn.stderr.strip()}")
    return drawn.stdout


def save(dot: str, path: str | PathLike[str]) -> None:
    """Write a drawing to a file, in the format that the end of its name says.

    Raises
    ------
    ValueError
        If the name ends in neither ``.dot``, ``.gv`` nor ``.svg``.
    RuntimeError
        If it is to be SVG, and Graphviz's ``dot`` is not installed.
    """
    name = fspath(path)
    if not name.endswith((".dot", ".gv", ".svg")):
        raise ValueError(f"to_dot: the file {name!r} has to end in .dot, .gv or .svg")
    save_text(path, to_svg(dot) if name.endswith(".svg") else dot + "\n")


__all__ = ["save", "to_svg"]
