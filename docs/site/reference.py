"""Pages of the reference: every public name by its family, from docstrings and the registry."""

from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import thunkvm as tv
from thunkvm import _core
from thunkvm._src.arrays import catalog

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: The package's modules; each has a page.
MODULES = tuple(name for name in tv.__all__ if inspect.ismodule(getattr(tv, name)))


def families() -> dict[str, list[str]]:
    """Return the package's names by family; every name is in one."""
    of_op = {proto["name"]: proto["family"] for proto in _core.op_protos()}
    found: dict[str, list[str]] = defaultdict(list)
    exposed = {name: of_op[op] for name, op, _ in _core.exposed_ops()}
    for name in tv.__all__:
        if name.startswith("__") or name in MODULES:
            continue
        if name in exposed:
            family = exposed[name]
        elif name in catalog.HOMES:
            family = catalog.HOMES[name].rsplit(".", 1)[1].replace("_", " ")
        else:
            family = family_of(getattr(tv, name))
        found[family].append(name)
    return dict(sorted(found.items()))


def family_of(value: Any) -> str:
    """Return the family of what is no function of arrays: the room that it comes from."""
    module = (getattr(value, "__module__", None) or type(value).__module__).split(".")
    rooms = {"control": "control flow", "derivatives": "derivatives", "calls": "functions"}
    rooms |= {"graph": "graphs", "c": "Ops in C", "checking": "checking", "profile": "profiling"}
    return next((rooms[part] for part in module if part in rooms), "graphs")


def entry(path: str, value: Any) -> str:
    """Return the directive that documents a value; of a class, its members too."""
    if inspect.isclass(value):
        return f".. autoclass:: {path}\n   :members:\n"
    if callable(value):
        return f".. autofunction:: {path}\n"
    return f".. autodata:: {path}\n   :no-value:\n"  # it may be of the machine that makes the site


def page(title: str, body: str) -> str:
    """Return a page."""
    head = title if title.startswith("tv.") else title[0].upper() + title[1:]
    return f"{head}\n{'=' * len(head)}\n\n{body}\n"


def entries(prefix: str, names: list[str], of: Any) -> str:
    """Return the directives that document names of a module."""
    return "\n".join(entry(f"{prefix}.{name}", getattr(of, name)) for name in names)


def page_of_module(name: str) -> str:
    """Return the page of a module of the package: its own text, then its names under a heading.

    The heading is of the level of those that numpydoc makes of the text's parts.
    """
    module = getattr(tv, name)
    path = f"thunkvm.{name}"
    public = [each for each in module.__all__ if not inspect.ismodule(getattr(module, each))]
    heading = "Names\n-----"
    body = f".. automodule:: {path}\n\n{heading}\n\n{entries(path, public, module)}"
    return page(f"tv.{name}", body)


def pages() -> dict[str, str]:
    """Return the pages of the reference by their names."""
    found = {
        family.replace(" ", "-").lower(): page(family, entries("thunkvm", names, tv))
        for family, names in families().items()
    }
    found |= {f"tv-{name}": page_of_module(name) for name in MODULES}
    listed = "\n".join(f"   {name}" for name in found)
    return found | {"index": page("reference", f".. toctree::\n   :maxdepth: 1\n\n{listed}")}


def write(app: Sphinx) -> None:
    """Write the pages into ``reference/``; pages of an earlier package go."""
    place = Path(app.srcdir) / "reference"
    place.mkdir(exist_ok=True)
    made = pages()
    for path in place.glob("*.rst"):
        if path.stem not in made:
            path.unlink()
    for name, text in made.items():
        path = place / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the reference before its pages are read."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
