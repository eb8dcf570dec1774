class StringMark:
    index: int
    line: int
    column: int

class YAMLError(Exception): ...

class MarkedYAMLError(YAMLError):
    problem: str | None
    problem_mark: StringMark | None
    context_mark: StringMark | None
