"""Pages of the reference: every public name by its family, from docstrings and the registry."""

from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import thunkvm as tv
from thunkvm import _core
from thunkvm._src.arrays import catalog

MODULES = ("fft", "nn", "optimize", "random", "testing")


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
    """Return the directive that documents a value."""
    if inspect.ismodule(value):
        return f".. automodule:: {path}\n"
    kind = "autoclass" if inspect.isclass(value) else "autofunction"
    return f".. {kind}:: {path}\n" if callable(value) else f".. autodata:: {path}\n"


def page(title: str, prefix: str, names: list[str], of: Any) -> str:
    """Return a page of the reference."""
    head = title if title.startswith("tv.") else title[0].upper() + title[1:]
    body = "\n".join(entry(f"{prefix}.{name}", getattr(of, name)) for name in names)
    return f"{head}\n{'=' * len(head)}\n\n{body}\n"


def write(app: Sphinx) -> None:
    """Write the pages into ``reference/``."""
    place = Path(app.srcdir) / "reference"
    place.mkdir(exist_ok=True)
    pages = {
        family.replace(" ", "-").lower(): page(family, "thunkvm", names, tv)
        for family, names in families().items()
    }
    for name in MODULES:
        if module := getattr(tv, name, None):
            public = [
                each for each in module.__all__ if not inspect.ismodule(getattr(module, each))
            ]
            pages[f"tv-{name}"] = page(f"tv.{name}", f"thunkvm.{name}", public, module)
    toc = "\n".join(f"   {name}" for name in pages)
    pages["index"] = f"Reference\n=========\n\n.. toctree::\n   :maxdepth: 1\n\n{toc}\n"
    for name, text in pages.items():
        path = place / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the reference before its pages are read."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
