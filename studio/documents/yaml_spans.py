"""YAML parser (ruamel.yaml) that returns values with their character offsets.

Offsets count characters from 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from studio.documents.json_spans import Shape, Unreadable
from studio.values import Value

if TYPE_CHECKING:
    from ruamel.yaml import nodes

_TAG = "tag:yaml.org,2002:"
_SHAPES = {"map": Shape.OBJECT, "seq": Shape.ARRAY}
_WHOLE_NUMBER = re.compile("-?(?:0|[1-9][0-9]{0,17})")
_WORDS = {"true": True, "false": False}


class Node(Value):
    """A YAML value.

    `tag` is its type, short where YAML defines it, `text` that of a scalar; `is_named`: it has an anchor, and
    may be used in other places, too.
    """

    tag: str
    text: str
    start: int
    end: int
    column: int
    line: int
    is_flow: bool
    is_named: bool
    children: tuple[Child, ...]

    @property
    def shape(self) -> Shape:
        return _SHAPES.get(self.tag, Shape.SCALAR)

    @property
    def is_left_out(self) -> bool:
        """Whether the value is empty, as after the colon of `key:`."""
        return self.tag == "null" and self.start == self.end


class Child(Value):
    """A member with its key, or an element, whose key is None."""

    key: Node | None
    node: Node

    @property
    def start(self) -> int:
        return (self.key or self.node).start

    @property
    def end(self) -> int:
        """The end offset of its last value, without comments after it.

        The parser's own offset includes them.
        """
        children = self.node.children
        if children and not self.node.is_flow:
            return children[-1].end
        # For the parser an empty value is where the next token begins.
        return self.key.end if self.key is not None and self.node.is_left_out else self.node.end

    def is_called(self, name: str) -> bool:
        """Return whether it is the member of that name."""
        return self.key is not None and self.key.shape is Shape.SCALAR and self.key.text == name


Canonical = tuple[Any, ...]
"""A value as written: type and content; an alias has its anchor's index."""


def read_yaml(text: str) -> Node | None:
    """Return the outermost value, None for blanks and comments alone.

    Raises Unreadable.
    """
    import ruamel.yaml.error

    try:
        root = ruamel.yaml.YAML(typ="safe", pure=True).compose(text)
        return None if root is None else _convert_node(root, {})
    except ruamel.yaml.error.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable.at(text, mark.index if mark else 0, error.problem or "this is no YAML") from error
    except (ruamel.yaml.error.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable("it is no YAML") from error


def value_of(node: Node) -> object:
    """Return a value as Python data.

    A scalar of any type but text, true, false, null and an integer in plain decimal form is its text.
    """
    if node.shape is Shape.ARRAY:
        return [value_of(child.node) for child in node.children]
    if node.shape is Shape.OBJECT:
        return {_text(child): value_of(child.node) for child in node.children}
    if node.tag == "null":
        return None
    if node.tag == "int" and _WHOLE_NUMBER.fullmatch(node.text):
        return int(node.text)
    return _WORDS.get(node.text.lower(), node.text) if node.tag == "bool" else node.text


def _text(child: Child) -> str:
    if child.key is None or child.key.shape is not Shape.SCALAR:
        raise Unreadable("a key of the entry is no text")
    return child.key.text


def meaning(
    node: Node,
    keys: tuple[str, ...] | None,
    without: Node | None = None,
    named_nodes: list[Node] | None = None,
) -> Canonical:
    """Return the canonical form of a value without the child `without`.

    Empty values on the path of `keys` count as missing.
    """
    named_nodes = [] if named_nodes is None else named_nodes
    if node.is_named:
        if any(node is each for each in named_nodes):
            return ("again", [node is each for each in named_nodes].index(True))
        named_nodes.append(node)
    if node.shape is Shape.SCALAR and not node.children:
        return (node.tag, node.text)
    found: list[Canonical] = []
    for child in node.children:
        is_on_way = bool(keys) and child.is_called(keys[0])
        if child.node is without or (is_on_way and child.node.is_left_out):
            continue
        key = () if child.key is None else meaning(child.key, None, without, named_nodes)
        value = meaning(child.node, keys[1:] if keys and is_on_way else None, without, named_nodes)
        if not is_on_way or is_some(value):
            found.append((key, value))
    return (node.tag, *found)


def is_some(canonical: Canonical) -> bool:
    """Return whether a canonical form has any content."""
    return len(canonical) > 1


def _convert_node(node: nodes.Node, converted: dict[int, Node | None]) -> Node:
    from ruamel.yaml.nodes import CollectionNode, MappingNode, ScalarNode, SequenceNode

    if id(node) in converted:
        before = converted[id(node)]
        if before is None:
            raise ValueError("it holds itself")
        return before
    converted[id(node)] = None
    children: list[Child] = []
    if isinstance(node, MappingNode):
        children = [
            Child(_convert_node(key, converted), _convert_node(each, converted)) for key, each in node.value
        ]
    elif isinstance(node, SequenceNode):
        children = [Child(None, _convert_node(each, converted)) for each in node.value]
    result = converted[id(node)] = Node(
        tag=str(node.tag).removeprefix(_TAG),
        text=node.value if isinstance(node, ScalarNode) else "",
        start=node.start_mark.index,
        end=node.end_mark.index,
        column=node.start_mark.column,
        line=node.start_mark.line,
        is_flow=isinstance(node, CollectionNode) and bool(node.flow_style),
        is_named=node.anchor is not None,
        children=tuple(children),
    )
    return result
