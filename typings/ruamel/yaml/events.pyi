from ruamel.yaml.error import StringMark

class Event:
    start_mark: StringMark

class NodeEvent(Event):
    anchor: str | None

class AliasEvent(NodeEvent): ...

class ScalarEvent(NodeEvent):
    tag: object | None
    value: str
    style: str | None

class CollectionStartEvent(NodeEvent):
    tag: object | None

class SequenceStartEvent(CollectionStartEvent): ...
class MappingStartEvent(CollectionStartEvent): ...
class SequenceEndEvent(Event): ...
class MappingEndEvent(Event): ...
class DocumentStartEvent(Event): ...
