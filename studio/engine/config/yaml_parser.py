"""Parser for configuration text: strict YAML subset and JSON, with line numbers.

JSON is read by the same parser. Refused: duplicate keys, anchors, tags, several documents, deep nesting. A
plain word is text unless it is null, true, false or a whole number, whatever the %YAML line declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from studio.engine.config.nodes import ConfigRefused, Node, Scalar, format_location
from studio.limits import CONFIGURATION_BYTES, CONFIGURATION_DEPTH
from studio.names import show_name

_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]{1,18}")
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def parse_text(data: bytes, file: str) -> Node:
    """Parse a configuration text into its one mapping.

    Raises ConfigRefused that names file and line.
    """
    if len(data) > CONFIGURATION_BYTES:
        raise ConfigRefused(
            "config.too_large",
            f"{file} has more than {CONFIGURATION_BYTES} bytes, the limit for a configuration file.",
            "Reduce the size of the configuration.",
            file=file,
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refusal("config.not_utf8", file, line, "the text is not UTF-8", "Save it as UTF-8.") from error
    root = _Parser(text, file).parse()
    if root is None or root.value is None:
        return Node({}, 1)
    if not isinstance(root.value, Mapping):
        raise _refusal("config.syntax", file, root.line, "a mapping is expected", 'Write "key: value" lines.')
    return root


class _Parser:
    """Builds the tree from parse events, so that YAML creates no objects."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._depth = 0

    def parse(self) -> Node | None:
        events = YAML(typ="safe", pure=True).parse(self._text)
        root: Node | None = None
        documents = 0
        try:
            for event in events:
                if isinstance(event, DocumentStartEvent):
                    documents += 1
                    if documents > 1:
                        raise self._error_at_event(event, "it has more than one document")
                elif isinstance(event, NodeEvent):
                    root = self._node(event, events)
        except MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            raise self._syntax_error(line, error.problem or "it can't be read") from error
        except YAMLError as error:
            raise self._syntax_error(None, "it contains a character that YAML does not allow") from error
        except (RecursionError, ValueError, OverflowError) as error:
            raise self._syntax_error(None, "it can't be read") from error
        return root

    def _node(self, event: Event, events: Iterator[Event]) -> Node:
        assert isinstance(event, NodeEvent)
        # A few lines of nested references expand to billions of values.
        if isinstance(event, AliasEvent) or event.anchor is not None:
            raise self._error_at_event(event, "anchors and aliases are not supported")
        if isinstance(event, (ScalarEvent, CollectionStartEvent)) and event.tag is not None:
            raise self._error_at_event(event, "tags are not supported")
        if isinstance(event, ScalarEvent):
            return Node(self._scalar(event), _line(event))
        self._depth += 1
        if self._depth > CONFIGURATION_DEPTH:
            raise self._error_at_event(event, f"it is nested deeper than {CONFIGURATION_DEPTH} levels")
        if isinstance(event, MappingStartEvent):
            node = Node(self._mapping(events), _line(event))
        else:
            node = Node(tuple(self._sequence(events)), _line(event))
        self._depth -= 1
        return node

    def _mapping(self, events: Iterator[Event]) -> Mapping[str, Node]:
        found: dict[str, Node] = {}
        for event in events:
            if isinstance(event, MappingEndEvent):
                break
            if not isinstance(event, ScalarEvent) or event.anchor is not None or event.tag is not None:
                raise self._error_at_event(event, "a key must be plain text")
            key = self._join_surrogates(event)
            # Parsers differ on which of two equal keys wins: a
            # person may have read, and trusted, the other one.
            if key in found:
                raise self._error_at_event(
                    event, f'the key "{show_name(key)}" is duplicated', "config.duplicate"
                )
            found[key] = self._node(next(events), events)
        return found

    def _sequence(self, events: Iterator[Event]) -> Iterator[Node]:
        for event in events:
            if isinstance(event, SequenceEndEvent):
                return
            yield self._node(event, events)

    def _scalar(self, event: ScalarEvent) -> Scalar:
        text = self._join_surrogates(event)
        if event.style:
            return text
        if text in _WORDS:
            return _WORDS[text]
        return int(text) if _WHOLE_NUMBER.fullmatch(text) else text

    def _join_surrogates(self, event: ScalarEvent) -> str:
        """Return the text with JSON surrogate pairs joined.

        Raises ConfigRefused for a lone surrogate.
        """
        try:
            return event.value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as error:
            raise self._error_at_event(event, "it contains half of a surrogate pair") from error

    def _error_at_event(self, event: Event, problem: str, code: str = "config.syntax") -> ConfigRefused:
        return _refusal(code, self._file, _line(event), problem, "Use plain YAML or JSON.")

    def _syntax_error(self, line: int | None, problem: str) -> ConfigRefused:
        return _refusal("config.syntax", self._file, line, show_name(problem), "Use plain YAML or JSON.")


def _line(event: Event) -> int:
    return event.start_mark.line + 1


def _refusal(code: str, file: str, line: int | None, problem: str, hint: str) -> ConfigRefused:
    return ConfigRefused(code, f"{format_location(file, line)}: {problem}.", hint, file=file, line=line)
