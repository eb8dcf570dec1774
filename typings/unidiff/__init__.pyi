"""The part of unidiff that the second reader uses."""

class Hunk:
    source_start: int
    source_length: int
    target_start: int
    target_length: int
    @property
    def added(self) -> int: ...
    @property
    def removed(self) -> int: ...

class PatchedFile(list[Hunk]):
    source_file: str
    target_file: str

class PatchSet(list[PatchedFile]):
    def __init__(self, f: str, encoding: str | None = None, metadata_only: bool = False) -> None: ...
