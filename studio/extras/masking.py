"""Replacement of secrets in copied agent settings, for sandboxed test runs."""

from __future__ import annotations

import re
from typing import Final, cast

from studio import documents
from studio.engine.config.secrets import SENSITIVE_NAME
from studio.engine.risks.credentials import secrets_in

DUMMY: Final = "scripted"
_NAME: Final = rf"(?:(?i:{SENSITIVE_NAME}|headers|cookies?)|[A-Z0-9]_(?:KEY|PAT|PASS|AUTH|DSN))"
"""Pattern of names whose value, or each value in it, is secret."""
_IS_NAME: Final = re.compile(f"{_NAME}$")
_ASSIGNED: Final = re.compile(
    rf"({_NAME}\s*[:=]\s*(?i:bearer\s+|basic\s+)?)(?:\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|[^\s\"'$&,;]+)"
)
_SENT: Final = re.compile(r"((?i:\bbearer|\bbasic)\s+)[\w+/=.~-]{8,}")
_IN_ADDRESS: Final = re.compile(r"(://[^\s/:@]*:)[^\s/@]+(?=@)")


def masked(name: str, data: bytes) -> bytes:
    """Return the file with its secrets replaced. Raises Unreadable."""
    text = _mask_known_keys(data.decode("utf-8", "surrogateescape"))
    if name.endswith(".env"):
        text = _mask_text(text)
    data = text.encode("utf-8", "surrogateescape")
    if not name.endswith((".json", ".jsonc", ".toml")):
        return data
    return documents.rewrite(name, data, _mask_value(documents.read(name, data)))


def _mask_value(value: object, *, is_secret: bool = False) -> object:
    if isinstance(value, str):
        return DUMMY if is_secret and value else _mask_text(value)
    if isinstance(value, list):
        items = cast("list[object]", value)
        options = [False, *(_is_option(item) for item in items)]
        return [
            _mask_value(item, is_secret=is_secret or is_next)
            for item, is_next in zip(items, options, strict=False)
        ]
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return {
            key: _mask_value(each, is_secret=is_secret or bool(_IS_NAME.search(key))) for key, each in members
        }
    return value


def _is_option(word: object) -> bool:
    return isinstance(word, str) and word.startswith("-") and bool(_IS_NAME.search(word))


def _mask_text(text: str) -> str:
    for pattern in (_ASSIGNED, _SENT, _IN_ADDRESS):
        text = pattern.sub(rf"\g<1>{DUMMY}", text)
    return _mask_known_keys(text)


def _mask_known_keys(text: str) -> str:
    """Replace all text that has the form of a known key."""
    for secret in {text[found.start : found.end] for found in secrets_in(text)}:
        text = text.replace(secret, DUMMY)
    return text
