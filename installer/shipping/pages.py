"""What is wrong with a built site: links to nowhere, pages that no link leads to, requests to others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

INDEX = "index.html"
MADE = frozenset({"genindex.html", "search.html"})
"""Pages of Sphinx's own; the sidebar's search leads to the one, nothing needs to lead to the other."""

_FOREIGN = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
_ASKED_IN_FILES = {
    ".css": re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]*)", re.IGNORECASE),
    ".js": re.compile(r"[\"'`]((?:(?:https?|wss?):)?//(?!www\.w3\.org/)[\w.-]+\.[a-z]+)", re.IGNORECASE),
}
"""How a style or a script would ask another host; the name space of SVG is only a name."""

_REFERENCES = frozenset({"href", "src", "srcset", "action", "data", "poster"})


@dataclass
class Page(HTMLParser):
    """The anchors of a page, what it refers to, and what of that is asked for as soon as it is opened."""

    anchors: set[str] = field(default_factory=set)
    references: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in _REFERENCES:
                self.references.append(value)
                if tag != "a":
                    self.asked.append(value)


def faults(folder: Path) -> list[str]:
    """All that is wrong, one sentence each."""
    pages = {file.relative_to(folder).as_posix(): read(file) for file in sorted(folder.rglob("*.html"))}
    if INDEX not in pages:
        return [f"there is no {INDEX}"]
    found: list[str] = []
    leads: dict[str, set[str]] = {}
    for name, page in pages.items():
        leads[name] = set()
        for reference in page.references:
            split = urlsplit(reference)
            if split.scheme or split.netloc:
                continue
            path = normpath(join(dirname(name), unquote(split.path))) if split.path else name
            anchor = unquote(split.fragment)
            leads[name].add(path)
            if not (folder / path).is_file():
                found.append(f"{name} refers to {reference}, which is not there")
            elif anchor and path in pages and anchor not in pages[path].anchors:
                found.append(f"{name} refers to {reference}, and {path} has no such place")
    reached, waiting = {INDEX}, [INDEX]
    while waiting:
        new = leads[waiting.pop()].intersection(pages) - reached
        reached |= new
        waiting += new
    found += [f"{name} is reached by no link" for name in sorted(set(pages) - reached - MADE)]
    found += _foreign(folder, pages)
    if not (folder / "searchindex.js").is_file():
        found.append("there is no index to search in")
    return found


def read(file: Path) -> Page:
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def _foreign(folder: Path, pages: dict[str, Page]) -> Iterator[str]:
    """What would be asked of another host by a page, a style or a script; a link asks when it is pressed."""
    for name, page in pages.items():
        yield from (f"{name} asks another host: {each}" for each in page.asked if _FOREIGN.match(each))
    for file in sorted(folder.rglob("*")):
        pattern = _ASKED_IN_FILES.get(file.suffix)
        if pattern is not None:
            for match in pattern.finditer(file.read_text(encoding="utf-8")):
                yield f"{file.relative_to(folder).as_posix()} asks another host: {match[1]}"
