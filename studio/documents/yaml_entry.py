"""Insert, change and remove one entry in YAML; keep all else.

Every other character stays. Positions come from the library's parser, which also parses the result: an edit
that would change the meaning of anything else is refused. So nothing more has to be known of YAML here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from studio.documents.json_spans import Key, Shape, Spot, Trace, Unreadable, newline_of
from studio.documents.yaml_spans import Canonical, Child, Node, is_some, meaning, read_yaml, value_of

_UNIT: Final = "  "
_MERGE: Final = "<<"
_PLAIN: Final = re.compile("[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS: Final = frozenset("true false null yes no on off y n".split())
"""Words that some YAML parser does not read as text."""

Chain = Sequence[Node | None]
"""The existing values on the path to a spot, outermost first; None for an empty one."""


def find(text: str, spot: Spot) -> dict[Key, object]:
    """Return the spot's member, or its list's elements, by key.

    Raises Unreadable, also where a value of another kind is in the way.
    """
    chain = _chain(text, spot)
    if len(chain) <= len(spot.keys):
        return {}
    found: dict[Key, object] = {}
    for index, child in enumerate(_children(chain[-1])):
        if spot.name is None:
            found[index] = value_of(child.node)
        elif child.is_called(spot.name):
            found[spot.name] = value_of(child.node)
    return found


def put(text: str, spot: Spot, value: object) -> tuple[str, Trace]:
    """Return the text with one more entry, and its removal trace.

    Raises Unreadable.
    """
    chain = _chain(text, spot)
    depth = len(chain) - 1
    updated, separator = _insert_child(text, chain, spot, value)
    index = len(_children(chain[-1])) if depth == len(spot.keys) else 0
    _check(updated, spot, index if spot.name is None else spot.name, _rest(text, spot, None))
    return updated, Trace(depth, separator)


def change(text: str, spot: Spot, key: Key, value: object) -> str:
    """Return the text with another value for the entry. Raises Unreadable."""
    container = _chain(text, spot)[-1]
    child = _child_at(container, key)
    in_place = child.node.shape is Shape.SCALAR and not child.node.is_left_out and not _members(value)
    if container is not None and (container.is_flow or in_place):
        # Replaced in place, so that a comment after it stays as well.
        updated = text[: child.node.start] + json.dumps(value, ensure_ascii=False) + text[child.node.end :]
    else:
        start, end = _lines(text, child)
        indent = text[start : child.start].replace("-", " ")
        indent = indent if child.key is not None else text[start : text.index("-", start)]
        updated = text[:start] + _join_lines(text, _block(spot.name, value, indent)) + text[end:]
    _check(updated, spot, key, _rest(text, spot, key))
    return updated


def remove(text: str, spot: Spot, key: Key, trace: Trace | None) -> str:
    """Return the text without the entry and the containers made for it.

    Those with other content stay. Where nothing else changed the result is the exact text from before. Raises
    Unreadable.
    """
    chain = _chain(text, spot)
    path: tuple[Key, ...] = (*spot.keys, key)
    level, lowest = len(spot.keys), len(spot.keys) if trace is None else trace.depth
    while level > lowest and len(_children(chain[level])) == 1:
        level -= 1
    expected = _rest(text, spot, key)
    for updated in _removal_candidates(
        text, chain[level], path[level], "" if trace is None else trace.inner or ""
    ):
        if _has_meaning(updated, spot, None, expected):
            return updated
    raise Unreadable("the entry can't be taken out without changing anything else")


def _chain(text: str, spot: Spot) -> Chain:
    """Return the existing values on the path to the spot, outermost first.

    Raises Unreadable where one is of another kind, or has an anchor.
    """
    root = read_yaml(text)
    chain = [None if root is None or root.is_left_out else root]
    for depth in range(len(spot.keys) + 1):
        node = chain[-1]
        shape = Shape.ARRAY if depth == len(spot.keys) and spot.name is None else Shape.OBJECT
        subject = f"the value of {spot.keys[depth - 1]}" if depth else "the whole"
        if node is not None and node.shape is not shape:
            kind = "list" if shape is Shape.ARRAY else "mapping"
            raise Unreadable.at(text, node.start, f"{subject} is no {kind}")
        if node is not None and node.is_named:
            raise Unreadable.at(text, node.start, f"{subject} has a name, and may stand in other places")
        if depth == len(spot.keys):
            break
        children = _children(node)
        members = [child for child in children if child.is_called(spot.keys[depth])]
        if len(members) > 1:
            raise Unreadable.at(text, members[1].start, f"the key {spot.keys[depth]} stands there twice")
        if not members and any(child.is_called(_MERGE) for child in children):
            raise Unreadable(f"{subject} is merged with another mapping")
        if not members:
            break
        chain.append(None if members[0].node.is_left_out else members[0].node)
    return chain


def _children(node: Node | None) -> Sequence[Child]:
    return () if node is None else node.children


def _child_at(node: Node | None, key: Key) -> Child:
    children = _children(node)
    if isinstance(key, int):
        return children[key]
    return next(child for child in children if child.is_called(key))


def _insert_child(text: str, chain: Chain, spot: Spot, value: object) -> tuple[str, str]:
    """Return the text with one more child, and the glue before it.

    The glue is the line ending that an unended last line needed.
    """
    depth = len(chain) - 1
    container = chain[-1]
    keys = (*spot.keys[depth:], spot.name)
    if container is not None and container.is_flow:
        new = json.dumps(_nested(keys, value), ensure_ascii=False)[1:-1]
        children = container.children
        at = children[-1].node.end if children else container.start + 1
        return f"{text[:at]}{', ' if children else ''}{new}{text[at:]}", ""
    parent = next((node for node in reversed(chain) if node is not None), None)
    if container is not None:
        at, indent = _line_end(text, Child(None, container).end), container.column
    elif parent is None:
        at, indent = len(text), 0
    else:
        at = _line_end(text, _child_at(parent, spot.keys[depth - 1]).end)
        indent = parent.column + len(_UNIT)
    separator = "" if not at or text[at - 1] == "\n" else newline_of(text)
    return text[:at] + separator + _join_lines(text, _lines_of(keys, value, " " * indent)) + text[
        at:
    ], separator


def _nested(keys: Sequence[str | None], value: object) -> object:
    for key in reversed(keys):
        value = [value] if key is None else {key: value}
    return value


def _lines_of(keys: Sequence[str | None], value: object, indent: str) -> Iterator[str]:
    """Yield the lines of the entry and the containers made for it."""
    for key in keys[:-1]:
        yield f"{indent}{_key(key or '')}:"
        indent += _UNIT
    yield from _block(keys[-1], value, indent)


def _block(name: str | None, value: object, indent: str) -> Iterator[str]:
    """Yield the lines of a value after a dash or a name.

    A mapping is below its name; a scalar or a list is beside it.
    """
    members = _members(value)
    if not members:
        yield f"{indent}{'-' if name is None else f'{_key(name)}:'} {_scalar(value)}"
        return
    if name is not None:
        yield f"{indent}{_key(name)}:"
    for index, (key, each) in enumerate(members.items()):
        first = "- " if name is None and not index else _UNIT
        yield f"{indent}{first}{_key(key)}: {_scalar(each)}"


def _members(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _key(name: str) -> str:
    """Return a key as written in YAML, quoted if needed."""
    return name if _PLAIN.fullmatch(name) and name not in _WORDS else json.dumps(name, ensure_ascii=False)


def _scalar(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _join_lines(text: str, lines: Iterator[str]) -> str:
    newline = newline_of(text)
    return "".join(f"{line}{newline}" for line in lines)


def _removal_candidates(text: str, container: Node | None, key: Key, separator: str) -> Iterator[str]:
    """Yield candidates for the text without a child, best first."""
    assert container is not None, "it was found before"
    child = _child_at(container, key)
    if not container.is_flow:
        start, end = _lines(text, child)
        if separator and text[:start].endswith(separator):
            yield text[: start - len(separator)] + text[end:]
        yield text[:start] + text[end:]
        return
    children = container.children
    index = children.index(child)
    if index:
        yield text[: children[index - 1].node.end] + text[child.node.end :]
    elif len(children) > 1:
        yield text[: child.start] + text[children[1].start :]
    yield text[: child.start] + text[child.node.end :]


def _lines(text: str, child: Child) -> tuple[int, int]:
    """Return the offsets of all lines of a child in block style.

    What follows it in the last line is included.
    """
    return text.rfind("\n", 0, child.start) + 1, _line_end(text, child.end)


def _line_end(text: str, at: int) -> int:
    """Return the offset after the line in which a value ends.

    A value that ended with its line includes the line ending.
    """
    if at and text[at - 1] == "\n":
        return at
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _check(text: str, spot: Spot, key: Key, expected: Canonical) -> None:
    if not _has_meaning(text, spot, key, expected):
        raise Unreadable("the entry can't stand beside what is there")


def _has_meaning(text: str, spot: Spot, key: Key | None, expected: Canonical) -> bool:
    try:
        return _rest(text, spot, key) == expected
    except Unreadable:
        return False


def _rest(text: str, spot: Spot, key: Key | None) -> Canonical:
    """Return all that the text means without the entry.

    Without a `key`, all of it.
    """
    chain = _chain(text, spot)
    if chain[0] is None:
        return ()
    entry = None
    if key is not None:
        if key not in find(text, spot):
            raise Unreadable("the entry is not there")
        entry = _child_at(chain[-1], key).node
    try:
        found = meaning(chain[0], spot.keys, entry)
    except RecursionError as error:
        raise Unreadable("values are nested too deep") from error
    return found if is_some(found) else ()
