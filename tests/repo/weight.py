"""What the program weighs: python -m tests.repo.weight [FOLDER]

Tokens without comments, docstrings, blank lines and layout, as Python 3.11 counts them (3.12 takes formatted
strings apart); beside them files, the sizes of modules and functions, and how much is explained.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

_LAYOUT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
        tokenize.INDENT,
        tokenize.NEWLINE,
        tokenize.NL,
    }
)
_SMALL, _LARGE = 60, 900


@dataclass
class Weight:
    """What was counted in a tree of modules."""

    tokens: int = 0
    explained: int = 0
    """Lines of docstrings and comments."""
    modules: list[int] = field(default_factory=list[int])
    """Lines of each."""
    functions: list[int] = field(default_factory=list[int])

    def add(self, source: str) -> None:
        """Count one module."""
        tree = ast.parse(source)
        texts = {
            (node.lineno, node.col_offset): node.value.value.count("\n") + 1
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        }
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                self.explained += 1
            elif token.type == tokenize.STRING and token.start in texts:
                self.explained += texts[token.start]
            elif token.type not in _LAYOUT:
                self.tokens += 1
        self.modules.append(source.count("\n"))
        self.functions += [
            (node.end_lineno or node.lineno) - node.lineno + 1
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]

    def __str__(self) -> str:
        small = sum(lines < _SMALL for lines in self.modules)
        large = sum(lines > _LARGE for lines in self.modules)
        longest = sorted(self.functions)[len(self.functions) * 99 // 100] if self.functions else 0
        words = self.explained * 1000 / max(1, self.tokens)
        return (
            f"{self.tokens:,} tokens, {sum(self.modules):,} lines in {len(self.modules)} files "
            f"({small} under {_SMALL} lines, {large} over {_LARGE}); 99 of 100 functions have at most "
            f"{longest} lines; {words:.1f} lines of words to 1,000 tokens"
        )


def weight_of(folder: Path) -> Weight:
    """All modules below a folder."""
    weight = Weight()
    for file in sorted(folder.rglob("*.py")):
        weight.add(file.read_text(encoding="utf-8"))
    return weight


if __name__ == "__main__":
    print(weight_of(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "studio"))
