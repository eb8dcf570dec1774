"""Small damage to code: where one sign, word or statement of a function can be changed, and into what."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file: of the bytes from `start` to `end` these become `after`."""

    file: str
    function: str
    line: int
    start: int
    end: int
    after: str
    name: str
    """Says what is changed, also after lines before it have moved."""

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def functions_of(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    """The functions of a module that are not within another one, with their qualified names."""
    pending: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    while pending:
        prefix, node = pending.pop(0)
        if isinstance(node, _Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            pending += [(f"{prefix}{node.name}.", each) for each in node.body]


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """All that is known to change in the functions of a module, `file` beneath `root`."""
    source = (root / file).read_bytes()
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found: list[Mutant] = []
    names: Counter[str] = Counter()
    for function, node in functions_of(ast.parse(source)):
        for part, after in _changes(node):
            assert part.end_lineno is not None and part.end_col_offset is not None
            start = lines[part.lineno - 1] + part.col_offset
            end = lines[part.end_lineno - 1] + part.end_col_offset
            name = f"{file} {function}: {_line(source[start:end].decode())} => {_line(after)}"
            names[name] += 1
            name += f" #{names[name]}" if names[name] > 1 else ""
            found.append(Mutant(file, function, part.lineno, start, end, after, name))
    return found


def _changes(function: _Function) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Each part of a function that can be changed, with what comes in its place."""
    pending: list[ast.AST] = list(function.body)
    if _is_docstring(function.body[0]):
        del pending[0]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.AnnAssign):
            pending += [node.value] if node.value is not None else []
            continue
        if isinstance(node, ast.If) and _is_about_system(node.test):
            pending += node.orelse  # what another system does no test here can tell
            continue
        if isinstance(node, ast.expr):
            yield from _changed_expression(node)
        elif isinstance(node, ast.stmt):
            yield from _changed_statement(node)
        pending += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.arguments)]


def _changed_expression(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            changed = ast.Compare(node.left, [_COMPARED[type(operator)]()], node.comparators)
            yield node, f"({ast.unparse(changed)})"
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(other, node.values))})"
        case ast.UnaryOp(op=ast.Not()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.BinOp() if type(node.op) in _COMPUTED:
            changed = ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
            yield node, f"({ast.unparse(changed)})"
        case ast.Constant(value=bool()):
            yield node, str(not node.value)
        case ast.Constant(value=int() as number):
            yield node, str(number + 1)
        case ast.IfExp():
            yield node.test, f"(not ({ast.unparse(node.test)}))"
        case _:
            pass


def _changed_statement(node: ast.stmt) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    match node:
        case ast.If() | ast.While():
            yield node.test, f"(not ({ast.unparse(node.test)}))"
        case ast.Return(value=ast.expr() as value) if not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield node, "return None"
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.Delete() | ast.AugAssign():
            yield node, "pass"
        case ast.Break():
            yield node, "continue"
        case ast.Continue():
            yield node, "break"
        case _:
            pass


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_about_system(test: ast.expr) -> bool:
    text = ast.unparse(test)
    return "sys.platform" in text or "os.name" in text or "IS_WINDOWS" in text


def _line(text: str) -> str:
    return " ".join(text.split())
