"""Boxes, frames around them, and arrows: drawings in DOT, and as SVG by Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from os import PathLike, fspath

from thunkvm import _core
from thunkvm._src.saving import save_text


@dataclass(slots=True)
class Drawing:
    """A picture of a graph; attributes are those of Graphviz.

    Attributes
    ----------
    every_box : dict of str to str
        The attributes of boxes that have no others.
    frames, boxes : list of (int or None, dict of str to str)
        The frame around each, and its attributes.
    arrows : list of (int, int, dict of str to str)
        The box that each comes from, the box that it leads to, and its attributes.

    Examples
    --------
    >>> from thunkvm._src.views.drawing import Drawing
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

    every_box: dict[str, str] = field(default_factory=dict)
    frames: list[tuple[int | None, dict[str, str]]] = field(default_factory=list)
    boxes: list[tuple[int | None, dict[str, str]]] = field(default_factory=list)
    arrows: list[tuple[int, int, dict[str, str]]] = field(default_factory=list)

    def frame(self, around: int | None = None, **attributes: str) -> int:
        """Draw a frame, within another one if given."""
        self.frames.append((around, attributes))
        return len(self.frames) - 1

    def box(self, frame: int | None = None, **attributes: str) -> int:
        """Draw a box, in a frame if given."""
        self.boxes.append((frame, attributes))
        return len(self.boxes) - 1

    def arrow(self, start: int, end: int, **attributes: str) -> None:
        """Draw an arrow from one box to another."""
        self.arrows.append((start, end, attributes))

    def to_dot(self) -> str:
        """Return the drawing in DOT."""
        return _core.dot_text(self.every_box, self.frames, self.boxes, self.arrows).rstrip()


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


__all__ = ["Drawing", "save", "to_svg"]
