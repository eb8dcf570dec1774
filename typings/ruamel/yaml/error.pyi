class StringMark:
    line: int
    column: int

class YAMLError(Exception): ...

class MarkedYAMLError(YAMLError):
    problem: str | None
    problem_mark: StringMark | None
