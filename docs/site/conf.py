"""The site: Sphinx over the pages of this folder, and a reference made from the package."""

from __future__ import annotations

import sys
from pathlib import Path

import thunkvm

sys.path.insert(0, str(Path(__file__).parent))

project = "thunkvm"
author = "the thunkvm developers"
release = version = thunkvm.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx.ext.viewcode", "reference"]
exclude_patterns = ["site"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
numpydoc_show_class_members = False
# Types in docstrings are sentences, and name NumPy's.
numpydoc_xref_param_type = False
autodoc_typehints = "none"
html_theme = "furo"
html_title = "thunkvm"
html_static_path: list[str] = []
