from collections.abc import Iterator
from typing import Literal

from ruamel.yaml.events import Event
from ruamel.yaml.nodes import Node

class YAML:
    def __init__(self, *, typ: Literal["safe"], pure: bool) -> None: ...
    def parse(self, stream: str) -> Iterator[Event]: ...
    def compose(self, stream: str) -> Node | None: ...
