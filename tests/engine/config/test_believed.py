"""Where there is no project, the account's own configuration alone may say that the command line decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.config import effective, user_review


def write(folder: Path, value: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(f"review: {{command_line: {value}}}\n")


@pytest.mark.parametrize(
    ("own", "brought", "review"),
    [
        ("allow", None, "allow"),
        ("ask", None, "ask"),
        ("off", None, "off"),
        ("ask", "allow", "ask"),
        ("allow", "allow", "ask"),
        ("off", "allow", "off"),
        ("allow", "off", "off"),
    ],
)
def test_what_an_agent_brings_counts_as_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, brought: str | None, review: str
) -> None:
    """Also where the agent chose the place of the stores with it."""
    account, other = tmp_path / "account", tmp_path / "other"
    write(account, own)
    if brought is not None:
        write(other, brought)
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(account if brought is None else other))
    monkeypatch.setattr(effective, "account_config_directory", lambda: account)
    assert user_review() == review


def test_without_an_account_nothing_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "allow")
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(tmp_path))
    monkeypatch.setattr(effective, "account_config_directory", lambda: None)
    assert user_review() == "ask"
