"""Sphinx's settings for the site; `docs/make_site.py` calls it."""

import re

from pygments.lexers.configs import IniLexer

from photocol import __version__

project = "photocol"
version = release = __version__
copyright = "the authors of photocol, Apache-2.0 or MIT"  # noqa: A001 (Sphinx's name)
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = f"photocol {__version__}"
html_show_sphinx = False
html_show_search_summary = False  # it asks for pages, which a browser refuses to a page that is a file
html_theme_options = {"navigation_with_keys": True}
highlight_language = "none"
suppress_warnings = ["toc.excluded", "toc.not_readable", "toc.duplicate_entry", "myst.header"]


def _as_text(_app, _what, _name, _object, _options, lines):
    """Docstrings are Markdown here; reStructuredText needs two backticks for code."""
    lines[:] = [re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line) for line in lines]


def setup(app):
    """Called by Sphinx."""
    app.add_lexer("conf", IniLexer)
    app.connect("autodoc-process-docstring", _as_text)
