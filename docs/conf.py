"""How Sphinx makes the site of these pages; `installer/shipping/site.py` calls it and tells the version."""

from __future__ import annotations

from typing import Any

from docutils import nodes

project = "Exacta Studio"
author = "Exacta Studio"
language = "en"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4

html_theme = "furo"
html_title = "Exacta Studio"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
html_theme_options = {"footer_icons": [], "top_of_page_buttons": []}


def setup(app: Any) -> dict[str, bool]:
    """Give each entry of a list that begins with a word in code that word as its anchor."""
    app.connect("doctree-read", _anchor_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _anchor_entries(app: Any, doctree: nodes.document) -> None:
    """`- **`disk.full`** …` is found as errors.html#disk.full, a setting as settings.html#limits.steps."""
    if app.env.docname not in ("errors", "settings"):
        return
    taken = {place for section in doctree.findall(nodes.section) for place in section["ids"]}
    for paragraph in doctree.findall(nodes.paragraph):
        # MyST begins a paragraph that begins with bold words with an empty text.
        first = next((child for child in paragraph.children if child.astext()), None)
        word = next(first.findall(nodes.literal), None) if isinstance(first, nodes.strong) else None
        if word is not None and word.astext() not in taken:
            paragraph["ids"].append(word.astext())
