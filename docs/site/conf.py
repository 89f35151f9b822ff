"""The site: Sphinx over the pages of this folder, and a reference made from the package."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import thunkvm

sys.path.insert(0, str(Path(__file__).parent))
for name in ("thunkvm", "matplotlib"):  # Sphinx shows all that is told
    logging.getLogger(name).setLevel(logging.WARNING)

project = "thunkvm"
author = "the thunkvm developers"
release = version = thunkvm.__version__
extensions = [
    "myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx.ext.viewcode", "reference", "links",
    "sphinx_gallery.gen_gallery", "sphinx_copybutton",
]  # fmt: skip
exclude_patterns = ["site", "gallery"]
default_role = "py:obj"  # of docstrings; links.py has the rest
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. "  # examples are copied without prompts and output
copybutton_prompt_is_regexp = True
myst_enable_extensions = ["colon_fence"]
numpydoc_show_class_members = False
# Types in docstrings are sentences, and name NumPy's.
numpydoc_xref_param_type = False
autodoc_typehints = "none"
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",  # where the pages are made
    "filename_pattern": r"\.py$",  # all programs run
    "within_subsection_order": "ExampleTitleSortKey",
    "nested_sections": False,
    "capture_repr": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "doc_module": ("thunkvm",),
    "reference_url": {"thunkvm": None},  # names in programs lead to the reference
}
html_theme = "furo"
pygments_dark_style = "monokai"  # the theme's own underlines names of modules
html_title = "thunkvm"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
highlight_options = {"python": {"stripnl": True}}  # an example ends with an empty line
