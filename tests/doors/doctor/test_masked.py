"""Settings that a client is tried with hold no key of their user's."""

from __future__ import annotations

import pytest

from studio.extras.masking import masked

KEY = "hunter222"
SETTINGS = """{"env": {"OPENAI_KEY": "hunter222", "DB": "postgres://u:hunter222@h/x"}, // theirs
 "args": ["--api-key", "hunter222", "--token=hunter222"], "headers": {"X-Mine": "hunter222"},
 "hook": "curl -H 'Authorization: Bearer hunter222'", "other": "kept", "max_tokens": 5}
"""
CONFIG = """api_key = "hunter222" # theirs
env_key = "MINE"
since = 2026-01-01

[a.http_headers]
b = "hunter222"
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("settings.json", SETTINGS),
        ("config.toml", CONFIG),
        (".env", "export OPENAI_API_KEY=hunter222\nMY_KEY=hunter222\nA=kept\n"),
        ("AGENTS.md", "The token: kept\n"),
    ],
)
def test_each_key_is_a_dummy_and_all_else_stays(name: str, text: str) -> None:
    assert masked(name, text.encode()).decode() == text.replace(KEY, "scripted")
