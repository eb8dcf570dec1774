"""How often ordinary source files are warned of without reason, over real packages in many languages.

`python -m tests.tools.wrong_warnings` fetches released packages, takes every source file in them as a
proposed create, prints what was warned of, and ends with an error where more than one file in a hundred is
warned of wrongly. Each warning was looked at once: `tests/data/right_warnings.txt` lists those that are
right, with the reason; every other one counts as wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from studio.engine.plan import Fact, Operation, Severity, Step, StepState
from studio.engine.risks import facts_of
from studio.journal.file_image import FileImage
from tests.tools.packages import Unavailable, archive, members

FEWEST_FILES = 800
MOST_WRONG = 0.01

ARCHIVES = (
    "Django-5.1.3.tar.gz",
    "bokeh-3.6.0.tar.gz",
    "cryptography-43.0.3.tar.gz",
    "docutils-0.21.2.tar.gz",
    "flask-3.0.3.tar.gz",
    "gopy-0.7.3.tar.gz",
    "lxml-5.3.0.tar.gz",
    "maturin-1.7.4.tar.gz",
    "psutil-6.1.0.tar.gz",
    "pydantic_core-2.27.0.tar.gz",
    "pygments-2.18.0.tar.gz",
    "zstandard-0.23.0.tar.gz",
)
_SOURCES = frozenset(
    "bat c cc cfg cpp css go graphql h hpp htm html in ini java jinja js json less md mjs php pl po pxd pxi"
    " py pyi pyx rb rs rst scala scss sh sql svg toml ts tsx txt xml xsl yaml yml".split()
)
_JUDGED = Path(__file__).parents[1] / "data" / "right_warnings.txt"


@dataclass(frozen=True, slots=True)
class Warned:
    """One warning of one file. `right` is the reason why it is one; empty where there is none."""

    path: str
    fact: Fact
    right: str


@dataclass(frozen=True, slots=True)
class Judged:
    """Warnings that were looked at and found right: their kind, and the files as a shell pattern."""

    kind: str
    files: str
    reason: str


def is_source(path: str) -> bool:
    """Whether a file is one that people write as text, by its ending."""
    return path.rpartition(".")[2].lower() in _SOURCES


def source_files(names: Iterable[str] = ARCHIVES) -> Iterator[tuple[str, bytes]]:
    """Every source file of the packages, as archive name, slash and path. Raises Unavailable."""
    for name in names:
        for path, data in members(archive(name)):
            if is_source(path):
                yield f"{name.removesuffix('.tar.gz')}/{path}", data


def warnings_of(path: str, data: bytes, judged: Iterable[Judged]) -> list[Warned]:
    """What a reviewer would be warned of if the file were proposed as new."""
    image = FileImage("0" * 64, len(data), 0o644)
    inside = path.partition("/")[2]
    step = Step(1, "step", Operation.CREATE, inside, None, StepState.PENDING, None, image)
    return [
        Warned(path, fact, _reason(path, fact, judged))
        for fact in facts_of(step, None, data)
        if fact.severity is not Severity.NOTE
    ]


def read_judged() -> tuple[Judged, ...]:
    """The warnings that were found right, from their file."""
    lines = _JUDGED.read_text("ascii").splitlines()
    rows = (line.split(" | ") for line in lines if line and not line.startswith("#"))
    return tuple(Judged(kind, files, reason) for kind, files, reason in rows)


def _reason(path: str, fact: Fact, judged: Iterable[Judged]) -> str:
    return next(
        (each.reason for each in judged if each.kind == fact.kind and fnmatchcase(path, each.files)), ""
    )


def main() -> int:
    judged = read_judged()
    languages: Counter[str] = Counter()
    found: list[Warned] = []
    try:
        for path, data in source_files():
            languages[path.rpartition(".")[2].lower()] += 1
            found += warnings_of(path, data, judged)
    except Unavailable as error:
        print(f"{error}; nothing was measured", file=sys.stderr)
        return 1
    files = languages.total()
    for (path, kind, right), count in Counter((w.path, w.fact.kind, w.right) for w in found).items():
        places = f" ({count} places)" if count > 1 else ""
        print(f"{'right' if right else 'WRONG'}: {kind}: {path}{places}{': ' if right else ''}{right}")
    wrong = {each.path for each in found if not each.right}
    print(
        f"files: {files} from {len(ARCHIVES)} packages:",
        *(f"{n} {name}" for name, n in languages.most_common()),
    )
    print(
        "warned of, by kind:",
        *(f"{n} {kind}" for kind, n in Counter(w.fact.kind for w in found).most_common()),
    )
    print(f"files with a warning: {len({each.path for each in found})}")
    print(f"with a wrong one: {len(wrong)} of {files} ({len(wrong) / files:.2%}, at most {MOST_WRONG:.0%})")
    if files < FEWEST_FILES:
        print(f"too few files: at least {FEWEST_FILES} are wanted", file=sys.stderr)
        return 1
    return int(len(wrong) > files * MOST_WRONG)


if __name__ == "__main__":
    sys.exit(main())
