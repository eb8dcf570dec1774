"""Detection of placeholder comments that replace removed code, like `# ... unchanged`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from studio.engine.plan import Fact, Severity
from studio.engine.risks.added_lines import Run
from studio.text import diff_text

_CANDIDATE: Final = re.compile(
    r"(?i)\.{3}|…|unchanged|unmodified|omitted|elided|truncated|for brevity|the same\b|as before"
    r"|\b(?:rest|remainder) of\b|\bexisting code\b"
)
"""Expression that any such line matches."""

_CANDIDATE_WORDS: Final = (
    "...",
    "unchanged",
    "unmodified",
    "omitted",
    "elided",
    "truncated",
    "for brevity",
    "the same",
    "as before",
    "rest of",
    "remainder of",
    "existing code",
)
"""Texts of which each candidate in ASCII has one, in lower case."""

_COMMENT: Final = re.compile(r"#|//|/\*|\*|<!--|\{/\*|--|;|%|\"{3}|'{3}|(?i:rem\b)")
_EDGES: Final = re.compile(r"^(?:(?i:rem\b)|[\W_])+|[\W_]+$")
_SENTENCE: Final = re.compile(r"[A-Za-z ,.:;'’()/_`“”\"-]*")
_WORDS_UP_TO: Final = 12

_WHICH: Final = (
    r"(?:existing|previous|prior|remaining|original|unchanged|other|rest|remainder|same|all|more|your|keep"
    r"|additional|everything)"
)
_WHAT: Final = (
    r"(?:code|contents?|lines?|files?|functions?|methods?|class(?:es)?|imports?|implementations?|logic|text"
    r"|sections?|parts?|tests?|cases?|fields?|propert(?:y|ies)|entries|items|styles?|rules?|config(?:uration)?"
    r"|settings?|options|body|elements?|markup|html|document|script|module|component|program|definitions?"
    r"|declarations?|statements?|dependencies|variables|constants|handlers|routes|components|stuff|else)"
)
_STATE: Final = (
    r"(?:unchanged|unmodified|untouched|omitted|elided|truncated|for brevity|not shown|as (?:it )?(?:is|was)"
    r"|as before|(?:the )?same(?: as (?:before|above))?|remains?|stays?|continues|goes here|here|above|below)"
)
# Strings, which re compiles at their first use: a hook rarely needs one, and compiling all three took it 2.5
# ms.
_ELIDED: Final = rf"(?i)\b{_WHICH}\b.*\b{_WHAT}\b|\b{_STATE}$|^{_STATE}\b|^(?:the )?rest\b"
"""Expression for the words beside an ellipsis."""

_BEGINNING: Final = rf"(?i)(?:(?:the|all|and|keep) )*{_WHICH}\b"
"""Expression for the start of a comment that ends with an ellipsis."""

_LEFT_AS_IT_IS: Final = (
    rf"(?i)^(?:\w+ ){{0,2}}(?:existing|remaining|other|rest|remainder|everything)\b(?: of)?.*"
    rf"\b(?:unchanged|unmodified|untouched|omitted|for brevity|(?:remains?|stays?|is|are) the same|as before"
    rf"|goes here|stays? here)\b|^(?:keep )?(?:the |your )?(?:existing|remaining|rest of (?:the |your )?)"
    rf"(?:[ \w]{{0,20}} )??{_WHAT} (?:here|above|below|continues|follows|goes here)$"
)
"""Expression for a comment without an ellipsis."""


def placeholder_facts(
    runs: Iterable[Run], base: bytes, setting: str | None, lines_removed: int
) -> Iterator[Fact]:
    """Yield a danger for each added line that replaces removed code.

    `base` is the file before the step, `setting` its configured encoding; a line that it already holds is no
    placeholder. Nothing is yielded where no line is removed. Models write placeholders where a whole file was
    requested: qwen-code #2575, aider #5236, vscode-copilot-release #4372.
    """
    if not lines_removed:
        return
    for run in runs:
        if not _may_hold_candidate(run.text):
            continue
        for index, line in enumerate(run.text.splitlines()):
            words = line.strip()
            if is_placeholder(words) and words.encode(run.encoding, "replace") not in diff_text(
                base, setting
            ):
                count = "1 line" if lines_removed == 1 else f"{lines_removed:,} lines"
                message = (
                    "This line reads as a placeholder for code to keep, but the change "
                    f"removes {count}. Check that nothing needed is among them."
                )
                column = len(line) - len(line.lstrip()) + 1
                yield Fact("placeholder", Severity.DANGER, message, "result", run.first_line + index, column)


def _may_hold_candidate(text: str) -> bool:
    if not text.isascii():
        return _CANDIDATE.search(text) is not None
    # The expression takes 75 ns for each character, twenty times as long as these.
    lowered = text.lower()
    return any(word in lowered for word in _CANDIDATE_WORDS)


def is_placeholder(line: str) -> bool:
    """Return whether a stripped line is a placeholder for code."""
    if _CANDIDATE.search(line) is None:
        return False
    comment = _COMMENT.match(line)
    body = line[comment.end() :].strip(" \t*-/#!>{}\"';%") if comment else line
    words = _EDGES.sub("", line)
    if not words or len(words.split()) > _WORDS_UP_TO or _SENTENCE.fullmatch(words) is None:
        return False
    begins, ends = re.match(r"[\[(<]*\s*(?:\.{3}|…)", body), re.search(r"(?:\.{3}|…)\s*[\])>]*$", body)
    if not (begins or ends):
        return comment is not None and re.search(_LEFT_AS_IT_IS, words) is not None
    if comment is None and (len(words.split()) < 2 or not (begins and re.match(r"\W*\s", body))):
        # `...rest` spreads a value in JavaScript, and `...` is a statement of Python.
        return False
    if not begins and re.match(_BEGINNING, words) is None:
        return False
    return re.search(_ELIDED, words) is not None
