from ruamel.yaml.error import StringMark

class Node:
    tag: str
    value: object
    start_mark: StringMark
    end_mark: StringMark
    anchor: str | None

class ScalarNode(Node):
    value: str

class CollectionNode(Node):
    flow_style: bool | None

class SequenceNode(CollectionNode):
    value: list[Node]

class MappingNode(CollectionNode):
    value: list[tuple[Node, Node]]
