"""Detection of keys, tokens and passwords in text by pattern and entropy.

Strict enough to spare ordinary code: a form alone is not enough where people write examples.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from studio.engine.plan import Fact, Severity
from studio.engine.risks.added_lines import Run
from studio.values import Value

_PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|fake|mock|change.?me|place.?holder|replace|redacted|your|insert|secret|passw"
    r"|token|test|foo|bar|xxx|\*\*\*|\.\.\.|23456|bcdefg|none|null|undefined|user|default"
)
_NOT_LITERAL = re.compile(r"[\s${}<>()\[\]%]|::|//")


class _Form(Value):
    """Form of one sort of secret.

    A line is searched with `pattern` only if it holds one of `markers` (lower-case bytes); group 1 is the
    secret itself, which `accept` may still reject. `by_name`: the name beside the value gave it away.
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
    """Return whether it is no sample key of AWS's documentation."""
    return not value.endswith("EXAMPLE")


def _is_varied(value: str) -> bool:
    """Return whether it has both cases and digits, as generated keys."""
    return all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]"))


def _is_random(value: str) -> bool:
    """Return whether a value appears to be random.

    It has letters and digits, no words of an example, and at least 3 bits of entropy for each character.
    """
    if _NOT_LITERAL.search(value) or _PLACEHOLDER.search(value):
        return False
    if not re.search("[0-9]", value) or not re.search("[A-Za-z]", value):
        return False
    return _measure_entropy(value) >= 3.0


def _is_password(value: str) -> bool:
    """Return whether a value appears to be a password.

    It has at least three of lower case, upper case, digits and signs, and is no example.
    """
    if _NOT_LITERAL.search(value) or _PLACEHOLDER.search(value):
        return False
    return sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^\w.:/\\-]")) >= 3


def _is_no_example(value: str) -> bool:
    return not (_NOT_LITERAL.search(value) or _PLACEHOLDER.search(value)) and len(set(value)) > 3


def _measure_entropy(value: str) -> float:
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


_QUOTED = r"""["']?\s*(?:=>|:=|=|:)\s*(?:[bru]{0,2}["']([^"'\s]{%d,200})["']|"""
_OPEN = r"""(?<=[=:])\s{0,4}([^"'\s,;()]{%d,200})[^\S\n]*(?:\n|$))"""
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
        "a web service login",
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
    _Form(
        "a password",
        (b"password=", b"passwd=", b"passphrase="),
        # As in a .env file or a shell script: a name in capitals is unambiguous, so a plain word is accepted.
        re.compile(
            r"""(?<![a-z])(?:PASSWORD|PASSWD|PASSPHRASE)=["']?([^\s"'`#;,()&|]{6,200})["']?\s*(?:#.*)?$"""
        ),
        lambda value: _is_no_example(value) and not _is_password(value),
        by_name=True,
    ),
)
# Names of types (AWS::ApiGateway::ApiKey) and pagination tokens are not secrets.
_HARMLESS_NAME = re.compile(r"(?i)(?:::[\w.-]{0,40}|(?:next|page|continuation)[_-]?)$")
_NAME_CHARACTERS = 44
_REACH_BEFORE = 200
"""Bytes before a marker that a form may still match."""
_REACH_AFTER = 16_000
"""Bytes searched behind a marker.

The longest secret fits in behind the end of the next stride.
"""
_STRIDE = 3_000
"""Bytes skipped before the next marker of a line is searched."""


class Secret(Value):
    """Apparent secret in a text, characters `start` to before `end` (0-based)."""

    what: str
    start: int
    end: int


def secrets_in(text: str) -> tuple[Secret, ...]:
    """Return all apparent secrets in a text, for refusal or redaction.

    One place may be found in two forms. `what` names the sort and never the secret.
    """
    lowered = text.lower().encode("utf-8", "replace")
    found = (
        Secret(form.what, *match.span(match.lastindex or 0))
        for form in _find_forms(lowered)
        for match in _find_matches(form, text)
    )
    return tuple(sorted(found, key=lambda secret: (secret.start, secret.end)))


def secret_facts(runs: Iterable[Run]) -> Iterator[Fact]:
    """Yield one fact for each secret, at its first character.

    What several forms find is reported by the first one. The message never repeats the secret.
    """
    scanned = tuple(runs)
    # Most texts have no marker of most forms, so each form is checked once and not for every run.
    forms = _find_forms(b"".join(run.raw for run in scanned).lower())
    if not forms:
        return
    for run in scanned:
        lowered = run.raw.lower()
        found: set[tuple[int, int]] = set()
        for form in forms:
            for block in _yield_blocks(run, lowered, form.markers):
                for match in _find_matches(form, block.text):
                    column = block.column + match.start(match.lastindex or 0)
                    if (block.line, column) in found:
                        continue
                    found.add((block.line, column))
                    message = f"This line may contain a secret: {form.what}."
                    yield Fact("secret", form.severity, message, "result", block.line, column)


def _find_forms(lowered: bytes) -> list[_Form]:
    """Return the forms with a marker in a text of lower case."""
    found: list[_Form] = []
    for form in _FORMS:
        for marker in form.markers:
            if marker in lowered:
                found.append(form)
                break
    return found


def _find_matches(form: _Form, text: str) -> Iterator[re.Match[str]]:
    for match in form.pattern.finditer(text):
        start = match.start()
        name = text[max(0, start - _NAME_CHARACTERS) : start]
        if not (form.by_name and _HARMLESS_NAME.search(name)) and form.accept(match[match.lastindex or 0]):
            yield match


class _TextBlock(Value):
    """Text to search, with the 1-based line and column of its start."""

    line: int
    column: int
    text: str


def _yield_blocks(run: Run, lowered: bytes, markers: tuple[bytes, ...]) -> Iterator[_TextBlock]:
    """Yield each line with a marker, joined with a key's following line.

    Of a very long line only the parts around its markers; what no form could reach from them is excluded.
    """
    counted_to, number = 0, run.first_line
    for start, end in _merge_windows(_find_windows(lowered, markers)):
        number += lowered.count(b"\n", counted_to, start)
        counted_to = start
        line_start = lowered.rfind(b"\n", 0, start) + 1
        before = run.raw[line_start:start].decode(run.encoding, "replace")
        yield _TextBlock(number, len(before) + 1, run.raw[start:end].decode(run.encoding, "replace"))


def _find_windows(lowered: bytes, markers: tuple[bytes, ...]) -> Iterator[tuple[int, int]]:
    """Yield the byte range to search for each marker, within its line."""
    for marker in markers:
        search = 0
        while (position := lowered.find(marker, search)) >= 0:
            earliest, latest = max(0, position - _REACH_BEFORE), min(len(lowered), position + _REACH_AFTER)
            start = lowered.rfind(b"\n", earliest, position) + 1 or earliest
            while start < position and lowered[start] & 0xC0 == 0x80:  # never inside a UTF-8 character
                start += 1
            end = lowered.find(b"\n", position, latest) + 1
            search = end or position + _STRIDE
            if markers == _KEY_HEADER and end:
                end = lowered.find(b"\n", end, latest) + 1
            yield start, end or latest


def _merge_windows(windows: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the windows in order, with overlaps merged."""
    first, last = -1, -1
    for start, end in sorted(windows):
        if start >= last:
            if last > 0:
                yield first, last
            first, last = start, end
        last = max(last, end)
    if last > 0:
        yield first, last
