"""Links from names in code's letters to the reference.

In a docstring `while_loop` is a link. In a page, where single backticks are code, `tv.while_loop`
and `tv.while_loop(...)` are, and `f.explain()`, since all pages call a function f. Code that names
nothing of the reference stays code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

#: A name of the package, at the beginning of a piece of code.
NAME = re.compile(r"(?:tv|thunkvm)\.(\w+(?:\.\w+)*)")
#: A member of a function.
MEMBER = re.compile(r"f\.(\w+)")
#: What holds code that is no link: headings, links, and the heads of entries.
NO_LINKS = (nodes.title, nodes.reference, addnodes.pending_xref, addnodes.desc_signature)


def entry_of(env: BuildEnvironment, path: str) -> tuple[str, Any] | None:
    """Return the entry of a name, or of what it is a part of: of `config` for `config.mode`."""
    objects = env.domains.python_domain.objects
    while path:
        full = f"thunkvm.{path}"
        if full in objects:
            return full, objects[full]
        path = path.rpartition(".")[0]
    return None


def path_of(env: BuildEnvironment, code: str) -> str | None:
    """Return the name of the package that a page's code begins with; None if there is none."""
    if named := NAME.match(code):
        return named[1]
    member = MEMBER.match(code)
    path = f"Function.{member[1]}" if member else ""
    return path if f"thunkvm.{path}" in env.domains.python_domain.objects else None


def link(app: Sphinx, page: str, path: str, code: nodes.Node) -> nodes.reference | None:
    """Return a link around a piece of code to the entry of a name; None where there is none."""
    found = entry_of(app.env, path)
    if found is None:
        return None
    full, entry = found
    return make_refnode(app.builder, page, entry.docname, entry.node_id, code, full)


def own_names(node: nodes.Node) -> set[str]:
    """Return the names of the entries around a node, and of their parameters."""
    names: set[str] = set()
    while node := node.parent:
        if isinstance(node, addnodes.desc):
            head = node[0]
            names.add(head.get("fullname", "").rpartition(".")[2])
            for each in head.findall(addnodes.desc_parameter):
                names |= {name.astext() for name in each.findall(addnodes.desc_sig_name)}
    return names


def leave_own_names(app: Sphinx, document: nodes.document) -> None:
    """Make code of what a docstring says of its own parameters: `where` of `sum`."""
    for node in list(document.findall(addnodes.pending_xref)):
        if node["reftype"] == "obj" and node["reftarget"] in own_names(node):
            node.replace_self(node.children)


def link_rest(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, code: nodes.Node
) -> nodes.reference | None:
    """Link a name of the package that a docstring of one of its modules has."""
    if node["reftype"] != "obj":
        return None
    named = NAME.fullmatch(node["reftarget"])
    return link(app, node["refdoc"], named[1] if named else node["reftarget"], code)


def link_code(app: Sphinx, document: nodes.document, page: str) -> None:
    """Link the code of a page that begins with a name of the package."""
    for code in list(document.findall(nodes.literal)):
        path = path_of(app.env, code.astext())
        parent = code.parent
        while path and parent is not None:
            path = None if isinstance(parent, NO_LINKS) else path
            parent = parent.parent
        made = link(app, page, path, code.deepcopy()) if path else None
        if made is not None:
            code.replace_self(made)


def leave_out_compiled_modules(app: Sphinx) -> list[Any]:
    """Take modules without Python source from the index of sources, which has no pages of them."""
    sources = getattr(app.env, "_viewcode_modules", {})
    for name in [name for name, source in sources.items() if not source]:
        del sources[name]
    return []


def setup(app: Sphinx) -> dict[str, bool]:
    """Link names once all pages are read."""
    app.connect("doctree-read", leave_own_names)
    app.connect("missing-reference", link_rest)
    app.connect("doctree-resolved", link_code)
    app.connect("html-collect-pages", leave_out_compiled_modules, priority=100)  # before viewcode
    return {"parallel_read_safe": True, "parallel_write_safe": True}
