"""Secrets in new text: keys, tokens and passwords by their form (requirements 2.3).

Strict enough that ordinary code is left alone: a form alone is not enough where people write examples.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from studio.engine.plan import Fact, Severity
from studio.engine.risks.runs import Run

_PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|fake|mock|change.?me|place.?holder|replace|redacted|your|insert|secret|passw"
    r"|token|test|foo|bar|xxx|\*\*\*|\.\.\.|1234567|abcdef|none|null|undefined|user|default"
)
_NOT_LITERAL = re.compile(r"[\s${}<>()\[\]%]|::|//")


@dataclass(frozen=True, slots=True)
class _Form:
    """How one sort of secret looks.

    A line is searched with `pattern` only if it holds one of `markers` (lower-case bytes); group 1 is the
    secret itself, which `accept` may still turn down. `by_name`: the name beside the value gave it away.
    """

    what: str
    markers: tuple[bytes, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool]
    by_name: bool = False

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.by_name else Severity.DANGER


def _any(_: str) -> bool:
    return True


def _is_no_sample_key(value: str) -> bool:
    """AWS ends the keys of its own documents like this."""
    return not value.endswith("EXAMPLE")


def _is_varied(value: str) -> bool:
    """Upper case, lower case and digits, as keys have that a machine made."""
    return all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]"))


def _is_random(value: str) -> bool:
    """A machine's choice: letters and digits, no words of an example, about as mixed as dice make it."""
    if _NOT_LITERAL.search(value) or _PLACEHOLDER.search(value):
        return False
    if not re.search("[0-9]", value) or not re.search("[A-Za-z]", value):
        return False
    return _bits_per_character(value) >= 3.0


def _is_password(value: str) -> bool:
    """A person's choice: at least three of lower case, upper case, digits and signs, and no example."""
    if _NOT_LITERAL.search(value) or _PLACEHOLDER.search(value):
        return False
    return sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^\w.:/\\-]")) >= 3


def _is_no_example(value: str) -> bool:
    return not (_NOT_LITERAL.search(value) or _PLACEHOLDER.search(value)) and len(set(value)) > 3


def _bits_per_character(value: str) -> float:
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


_QUOTED = r"""["']?\s*(?:=>|:=|=|:)\s*(?:[bru]{0,2}["']([^"'\s]{%d,200})["']|"""
_OPEN = r"""(?<=[=:])\s{0,4}([^"'\s,;()]{%d,200})\s*$)"""
_KEY_HEADER = (b"-----begin",)

_FORMS = (
    _Form(
        "a private key",
        _KEY_HEADER,
        re.compile(
            r"(-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)(?:\\[rn]|\s)*[A-Za-z0-9+/=]{40}"
        ),
        _any,
    ),
    _Form(
        "a login for a web service",
        (b"authorization",),
        re.compile(r"""(?i)\bauthorization["']?\s*[:=,]\s*["']?(?:bearer|basic)\s+([\w.~+/=-]{16,2000})"""),
        _is_random,
    ),
    _Form("a key of an AI service", (b"sk-",), re.compile(r"(?<![\w-])(sk-[\w-]{20,200})"), _is_varied),
    _Form(
        "a GitHub token",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
        re.compile(r"(?<!\w)(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})"),
        _is_varied,
    ),
    _Form("a GitLab token", (b"glpat-",), re.compile(r"(?<!\w)(glpat-[\w-]{20,100})"), _is_varied),
    _Form("a Slack token", (b"xox",), re.compile(r"(?<!\w)(xox[abeprs]-[A-Za-z0-9-]{10,250})"), _is_random),
    _Form(
        "an AWS access key",
        (b"akia", b"asia"),
        re.compile(r"(?<!\w)((?:AKIA|ASIA)[A-Z0-9]{16})(?!\w)"),
        _is_no_sample_key,
    ),
    _Form("a Google key", (b"aiza",), re.compile(r"(?<!\w)(AIza[\w-]{35})(?!\w)"), _is_varied),
    _Form("a Stripe key", (b"_live_",), re.compile(r"(?<!\w)([sr]k_live_[A-Za-z0-9]{20,200})"), _is_varied),
    _Form("an npm token", (b"npm_",), re.compile(r"(?<!\w)(npm_[A-Za-z0-9]{36})(?!\w)"), _is_varied),
    _Form("a PyPI token", (b"pypi-",), re.compile(r"(?<!\w)(pypi-[\w-]{60,500})"), _is_varied),
    _Form(
        "a signed login token",
        (b"eyj",),
        re.compile(r"(?<![\w-])(eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{16,4000})"),
        _any,
    ),
    _Form(
        "a password in an address",
        (b"://",),
        re.compile(
            r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'`]{1,64}:([^\s/@\"'`]{6,100})@[\w.-]+"
        ),
        _is_no_example,
    ),
    _Form(
        "a key or token",
        (b"api_key", b"apikey", b"api-key", b"secret", b"token", b"private_key", b"access_key", b"accesskey"),
        re.compile(
            r"(?i)(?:api[_-]?key|secret(?:[_-]?(?:key|token))?|token|private[_-]?key|access[_-]?key)"
            + _QUOTED % 16
            + _OPEN % 16
        ),
        _is_random,
        by_name=True,
    ),
    _Form(
        "a password",
        (b"password", b"passwd", b"passphrase"),
        re.compile(r"(?i)(?:password|passwd|passphrase)" + _QUOTED % 8 + _OPEN % 8),
        _is_password,
        by_name=True,
    ),
)
# Names of types (AWS::ApiGateway::ApiKey) and the marks of pages are no secrets.
_HARMLESS_NAME = re.compile(r"(?i)(?:::[\w.-]{0,40}|(?:next|page|continuation)[_-]?)$")
_NAME_CHARACTERS = 44


def secret_facts(runs: Iterable[Run]) -> Iterator[Fact]:
    """One fact for each secret, at its first character; the message never repeats it (R170)."""
    for run in runs:
        lowered = run.raw.lower()
        for form in _FORMS:
            for line, text in _lines_with(run, lowered, form.markers):
                for match in form.pattern.finditer(text):
                    if not _is_secret(form, match):
                        continue
                    column = match.start(match.lastindex or 0) + 1
                    message = f"This line looks like it holds a secret: {form.what}."
                    yield Fact("secret", form.severity, message, "result", line, column)


def _is_secret(form: _Form, match: re.Match[str]) -> bool:
    start = match.start()
    if form.by_name and _HARMLESS_NAME.search(match.string[max(0, start - _NAME_CHARACTERS) : start]):
        return False
    return form.accept(match[match.lastindex or 0])


def _lines_with(run: Run, lowered: bytes, markers: tuple[bytes, ...]) -> Iterator[tuple[int, str]]:
    """Number and text of each line that holds a marker, with the line after it where a key goes on there."""
    lines: dict[int, int] = {}
    for marker in markers:
        end = 0
        while (position := lowered.find(marker, end)) >= 0:
            start = lowered.rfind(b"\n", end, position) + 1 or end
            end = lowered.find(b"\n", position) + 1 or len(lowered)
            lines[start] = end
    counted, number = 0, run.first_line
    for start, end in sorted(lines.items()):
        number += lowered.count(b"\n", counted, start)
        counted = start
        last = end
        if markers == _KEY_HEADER:
            last = lowered.find(b"\n", end) + 1 or len(lowered)
        yield number, run.raw[start:last].decode(run.encoding, "replace")
