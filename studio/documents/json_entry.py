"""Insert, change and remove one entry in JSON; keep all else.

Every other character stays. An addition comes last in its object or list, so that no existing element changes
its index.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from studio.documents.json_spans import (
    Child,
    Key,
    Node,
    Shape,
    Spot,
    Trace,
    Unreadable,
    child_at,
    comments_end,
    ends_in_line_comment,
    newline_of,
    read_spans,
)

_BLANKS = " \t\r\n"
_UNIT = "  "


def read(text: str) -> object:
    """Return a text's value, an empty object for a blank text.

    Raises Unreadable.
    """
    return read_spans(text).value if text.strip(_BLANKS) else {}


def find(text: str, spot: Spot) -> dict[Key, object]:
    """Return the spot's member, or its list's elements, by key.

    Raises Unreadable, also where a value of another kind is in the way.
    """
    if not text.strip(_BLANKS):
        return {}
    chain = _chain(text, spot)
    if len(chain) <= len(spot.keys):
        return {}
    if spot.name is None:
        return {index: child.node.value for index, child in enumerate(chain[-1].children)}
    found = child_at(chain[-1], spot.name)
    return {} if found is None else {spot.name: found.node.value}


def put(text: str, spot: Spot, value: object) -> tuple[str, Trace]:
    """Return the text with one more entry, and its removal trace.

    Raises Unreadable.
    """
    if not text.strip(_BLANKS):
        newline = newline_of(text)
        return _render_value(_nested(spot, 0, value), _UNIT, "", newline) + newline, Trace(-1, text)
    chain = _chain(text, spot)
    depth = len(chain) - 1
    key = (*spot.keys, spot.name)[depth]
    updated, inner = _insert_child(text, chain[0], chain[-1], key, _nested(spot, depth + 1, value))
    return updated, Trace(depth, inner)


def change(text: str, spot: Spot, key: Key, value: object) -> str:
    """Return the text with another value for the entry. Raises Unreadable."""
    chain = _chain(text, spot)
    child = child_at(chain[-1], key)
    assert child is not None, "it was found before"
    indent = _own_line(text, chain[-1], child)
    new = (
        json.dumps(value, ensure_ascii=False)
        if indent is None
        else _render_value(value, _unit(text, chain[0]), indent, newline_of(text))
    )
    return text[: child.node.start] + new + text[child.node.end :]


def remove(text: str, spot: Spot, key: Key, trace: Trace | None) -> str:
    """Return the text without the entry and the containers made for it.

    Those with other content stay. Where nothing else changed the result is the exact text from before. Raises
    Unreadable.
    """
    chain = _chain(text, spot)
    path: tuple[Key, ...] = (*spot.keys, key)
    level, lowest = len(spot.keys), len(spot.keys) if trace is None else trace.depth
    while level > lowest and len(chain[max(level, 0)].children) == 1:
        level -= 1
    container = chain[max(level, 0)]
    if trace is not None and trace.inner is not None and level == lowest:
        before = trace.inner
        if level >= 0:
            before = text[: container.start + 1] + trace.inner + text[container.end - 1 :]
        if _is_reversible(before, spot, _value_at(container, path[max(level, 0) :]), text):
            return before
    return _remove_child(text, container, path[max(level, 0)])


def rewrite(text: str, value: object) -> str:
    """Return the text with the strings of this value. Raises Unreadable."""
    for node, new in reversed(list(_differing(read_spans(text), value))):
        text = text[: node.start] + json.dumps(new, ensure_ascii=False) + text[node.end :]
    return text


def _differing(node: Node, value: Any) -> Iterator[tuple[Node, object]]:
    if node.shape is Shape.SCALAR and node.value != value:
        yield node, value
    for index, child in enumerate(node.children):
        yield from _differing(child.node, value[index if child.key is None else child.key])


def _is_reversible(before: str, spot: Spot, value: object, text: str) -> bool:
    try:
        return put(before, spot, value)[0] == text
    except Unreadable:
        return False


def _value_at(node: Node, path: Sequence[Key]) -> object:
    for key in path:
        child = child_at(node, key)
        assert child is not None, "it was found before"
        node = child.node
    return node.value


def _chain(text: str, spot: Spot) -> list[Node]:
    """Return the existing values on the path to the spot, outermost first."""
    chain = [read_spans(text)]
    for depth in range(len(spot.keys) + 1):
        node = chain[-1]
        is_list = depth == len(spot.keys) and spot.name is None
        if node.shape is not (Shape.ARRAY if is_list else Shape.OBJECT):
            subject = f"the value of {spot.keys[depth - 1]}" if depth else "the whole"
            raise Unreadable.at(text, node.start, f"{subject} is no {'list' if is_list else 'object'}")
        child = child_at(node, spot.keys[depth]) if depth < len(spot.keys) else None
        if child is None:
            break
        chain.append(child.node)
    return chain


def _nested(spot: Spot, depth: int, value: object) -> object:
    """Return the entry within its new containers, from `depth` keys on."""
    if depth > len(spot.keys):
        return value
    if depth == len(spot.keys):
        return [value] if spot.name is None else {spot.name: value}
    return {spot.keys[depth]: _nested(spot, depth + 1, value)}


def _insert_child(
    text: str, root: Node, container: Node, key: str | None, value: object
) -> tuple[str, str | None]:
    """Return the text with one more child, and the container's old content.

    The latter is None unless the container was empty.
    """
    if not container.children:
        return _insert_first_child(text, root, container, key, value)
    newline, unit = newline_of(text), _unit(text, root)
    last = container.children[-1]
    value_end = last.node.end if last.comma is None else last.comma + 1
    line_end = len(text) if (found := text.find("\n", value_end)) < 0 else found
    line_end = min(line_end, container.end - 1)
    at = comments_end(text, value_end, line_end)
    indent = _own_line(text, container, last)
    if indent is None and not ends_in_line_comment(text, value_end, at):
        gap, new = " ", _render_member(key, json.dumps(value, ensure_ascii=False))
    else:
        indent = _indent(text, container.start) + unit if indent is None else indent
        gap, new = newline + indent, _render_member(key, _render_value(value, unit, indent, newline))
    comma, trailing = ("", ",") if last.comma is not None else (",", "")
    end = last.node.end
    return text[:end] + comma + text[end:at] + gap + new + trailing + text[at:], None


def _insert_first_child(
    text: str, root: Node, container: Node, key: str | None, value: object
) -> tuple[str, str]:
    inner = text[container.start + 1 : container.end - 1]
    at = comments_end(text, container.start + 1, container.end - 1)
    rest = text[at : container.end - 1]
    if root.children and "\n" not in text.strip(_BLANKS):
        new = _render_member(key, json.dumps(value, ensure_ascii=False))
        return text[:at] + new + text[at:], inner
    newline, outer, unit = newline_of(text), _indent(text, container.start), _unit(text, root)
    new = _render_member(key, _render_value(value, unit, outer + unit, newline))
    tail = "" if "\n" in rest else newline + outer
    return f"{text[:at]}{newline}{outer}{unit}{new}{tail}{text[at:]}", inner


def _remove_child(text: str, container: Node, key: Key) -> str:
    child = child_at(container, key)
    assert child is not None, "it was found before"
    index = container.children.index(child)
    previous = container.children[index - 1] if index else None
    gap_start = container.start + 1
    if previous is not None and previous.comma is not None:
        gap_start = previous.comma + 1
    start = gap_start + len(text[gap_start : child.start].rstrip(_BLANKS))
    pieces: list[tuple[int, int]] = [(start, child.node.end)]
    if child.comma is not None:
        pieces.append((child.comma, child.comma + 1))
    elif previous is not None and previous.comma is not None:
        pieces.insert(0, (previous.comma, previous.comma + 1))
    end = pieces[-1][1] if child.comma is not None else child.node.end
    if ends_in_line_comment(text, gap_start, child.start) and text[end : end + 1] not in ("\n", "\r"):
        # What follows must not become part of that comment.
        pieces[pieces.index((start, child.node.end))] = (child.start, child.node.end)
    for first, last in reversed(pieces):
        text = text[:first] + text[last:]
    return text


def _render_member(key: str | None, rendered: str) -> str:
    return rendered if key is None else f"{json.dumps(key, ensure_ascii=False)}: {rendered}"


def _render_value(value: object, unit: str, indent: str, newline: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return f"{newline}{indent}".join(lines)


def _own_line(text: str, container: Node, child: Child) -> str | None:
    """Return a child's indentation, None if it does not begin its line."""
    start = text.rfind("\n", container.start, child.start) + 1
    before = text[start : child.start]
    return before if start > container.start and not before.strip(" \t") else None


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Node) -> str:
    """Return the indentation of one level, as the outermost value has it."""
    if not root.children:
        return _UNIT
    indent = _own_line(text, root, root.children[0])
    return (indent or "").removeprefix(_indent(text, root.start)) or _UNIT
