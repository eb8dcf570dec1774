"""Who is a person at the command line, what they are told, and how their decisions are kept."""

from __future__ import annotations

import json
import os
import pwd
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace
from tests.doors.conftest import CommandLine, plan_text, set_configuration, set_review
from tests.tools.forked import ForkServer

CREATE = {"op": "create", "path": "a.txt", "content": "a\n"}


@pytest.fixture
def plan(studio: CommandLine) -> str:
    return studio.submit(CREATE)["plan"]


@pytest.fixture
def evil(tmp_path: Path) -> dict[str, str]:
    """The environment of an agent that brings a configuration of its own."""
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "config.yaml").write_text("review: {command_line: allow}\n")
    return {"STUDIO_CONFIG_DIR": str(folder)}


def decide_in_window(project: Path, plan: str, folder: Path | None = None) -> None:
    workspace = Workspace.open(project)
    try:
        workspace.reviewer(Person(PersonSource.WINDOW, "me")).approve(plan)
    finally:
        workspace.close()


@pytest.mark.parametrize("setting", ["ask", "off"])
def test_a_configuration_that_an_agent_brings_makes_no_person(
    studio: CommandLine, project: Path, plan: str, evil: dict[str, str], setting: str
) -> None:
    """The store knows in which configuration folder a person decides."""
    set_review(setting)
    decide_in_window(project, plan)
    other = studio.submit({**CREATE, "path": "b.txt"})["plan"]
    for words in (("approve", other), ("apply", plan), ("reject", other, "--reason", "x")):
        said = studio(*words, environment=evil)
        assert (said.code, said.error["code"]) == (1, "needs_person")
        assert ("turned off" in said.error["message"]) == (setting == "off"), "the person's own off holds"
    assert not (project / "a.txt").exists()
    set_review("allow")
    assert studio("apply", plan).code == 0, "the person's own folder is known"


def test_the_persons_own_off_holds_in_a_folder_an_agent_opened_the_window_with(
    studio: CommandLine, project: Path, plan: str, evil: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_in_window(project, plan)
    other = studio.submit({**CREATE, "path": "b.txt"})["plan"]
    with monkeypatch.context() as patch:
        patch.setenv("STUDIO_CONFIG_DIR", evil["STUDIO_CONFIG_DIR"])
        decide_in_window(project, other)
    assert studio("apply", plan, environment=evil).code == 0, "a person decided there, and said nothing else"
    set_review("off")
    said = studio("apply", other, environment=evil)
    assert (said.code, said.error["code"]) == (1, "needs_person")


def test_a_configuration_that_is_a_link_to_nothing_is_not_none(studio: CommandLine) -> None:
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").unlink(missing_ok=True)
    (folder / "config.yaml").symlink_to("gone.yaml")
    said = studio("check", "a.txt")
    assert (said.code, said.error["code"]) == (1, "config.unreadable")


def test_no_folder_and_no_setting_looks_like_the_question(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    """A long name wraps, and what stands behind it would begin a line."""
    folder = tmp_path / ("x" + " " * 120 + "Type x to confirm: ")
    folder.mkdir()
    (folder / "a").touch()
    (project / "studio.yaml").write_text(f"file_rules: {{allow: ['x{' ' * 200}Type x to confirm: y']}}\n")
    for words in (("journal", "--replay", folder), ("config", "trust")):
        lines = studio.at_terminal(*map(str, words), typed="no\n").terminal.split("\r\n")
        assert lines[-1] == "Type project to confirm: "
        assert all(len(line) < 80 and "   Type" not in line for line in lines)


def test_the_environment_brings_both_places_or_none(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a store knows nobody, the folder of the account counts, whatever a variable says; one
    that was chosen counts where the store's place was chosen with it."""
    home, evil = tmp_path / "home", tmp_path / "evil"
    own = home / ".config" / "exacta-studio"
    for folder in (own, evil / "exacta-studio"):
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text("review: {command_line: allow}\n")
    account = pwd.struct_passwd(("me", "x", os.getuid(), 0, "", str(home), "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: account)
    for name in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    assert review_of(project) == "allow"
    for name in ("STUDIO_CONFIG_DIR", "XDG_CONFIG_HOME"):
        with monkeypatch.context() as patch:
            patch.setenv(name, str(evil / ("exacta-studio" if name.startswith("STUDIO") else "")))
            assert review_of(project) == "ask"
            patch.setenv("STUDIO_STATE_DIR", str(tmp_path / "elsewhere"))
            assert review_of(project) == "allow"
    monkeypatch.setenv("HOME", str(evil))
    assert review_of(project) == "ask", "there is no configuration at that home"


def review_of(project: Path) -> str:
    workspace = Workspace.open(project)
    try:
        return workspace.command_line_review
    finally:
        workspace.close()


@pytest.mark.process
def test_how_a_person_was_seen_is_kept_and_shown(project: Path, plan: str, forks: ForkServer | None) -> None:
    studio = CommandLine(project, forks)  # at a terminal of the system, as people are
    folder = str(Path(os.environ["STUDIO_CONFIG_DIR"]).resolve())
    decide_in_window(project, plan)
    decision = studio("show", plan).json["steps"][0]["decision"]
    assert (decision["who"], decision["seen"], decision["folder"]) == ("me", "window", folder)
    assert "approved by me in the window" in studio("show", plan, json=False).text

    second = studio.submit({**CREATE, "path": "b.txt"})["plan"]
    said = studio.at_terminal("approve", second, "--apply", typed=f"{second[:8]}\n")
    assert said.json["steps"][0]["decision"]["seen"] == "terminal"
    set_review("allow")
    assert studio("apply", plan).code == 0
    back = studio("rollback", second).json
    assert back["steps"][0]["decision"]["seen"] == "configuration"

    history = {entry["plan"]: entry["seen"] for entry in studio("history").json["entries"]}
    assert history == {plan: "window", second: "terminal", back["plan"]: "configuration"}
    text = studio("history", json=False).text
    assert "at a terminal" in text and "by the setting command_line: allow" in text
    rows = studio("journal").json["entries"]
    asked = [(row["plan"], row["seen"]) for row in rows if "seen" in row]
    assert dict(asked) == history
    assert all(("seen" in row) == (row["entry"]["$type"] in ("FileWrite", "FileDelete")) for row in rows)
    exported = studio("journal", "--export", "-", json=False).text
    assert "seen" not in exported and "who" not in json.loads(exported.splitlines()[0])
    assert "in the window" in studio("journal", json=False).text


def test_what_was_typed_before_the_question_answers_nothing(studio: CommandLine, plan: str) -> None:
    said = studio.at_terminal("approve", plan, typed="no\n", before=f"{plan[:8]}\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    assert studio("show", plan).json["state"] == "pending"


def test_the_question_names_files_deletions_and_dangers(studio: CommandLine, project: Path) -> None:
    (project / "old.txt").write_text("old\n")
    plan = studio.submit(
        CREATE,
        {"op": "delete", "path": "old.txt"},
        {"op": "create", "path": "Makefile", "content": "all:\n"},
        *({"op": "create", "path": f"many/{number}.txt", "content": "x\n"} for number in range(20)),
    )["plan"]
    asked = studio.at_terminal("approve", plan, "--apply", typed="no\n").terminal
    assert f"Approve and write every step of plan {plan[:8]}?" in asked
    assert "creates   a.txt" in asked and "deletes   old.txt" in asked
    assert "danger    Makefile: Makefile defines what the build runs." in asked
    assert "and more  12 not listed; see: studio show" in asked
    assert "/project\r\n" in asked and "tester (name not verified)" in asked
    only = studio.at_terminal("approve", plan, "--step", "2", typed="no\n").terminal
    assert "Approve 1 of 23 steps" in only and "deletes" in only and "a.txt" not in only


def test_a_secret_in_a_proposal_is_a_danger_to_read_before_it_is_approved(studio: CommandLine) -> None:
    """Beside its step and in the question, and neither they nor the log repeat it; its names are denied."""
    secret = f"ghp_{'aB3' * 12}"
    plan = studio.submit(
        CREATE,
        {"op": "create", "path": "settings.py", "content": f'TOKEN = "{secret}"\n'},
        {"op": "create", "path": "server.pem", "content": "x\n"},
    )
    assert [step["state"] for step in plan["steps"]] == ["pending", "pending", "invalid"]
    (fact,) = [fact for fact in plan["steps"][1]["facts"] if fact["severity"] == "danger"]
    asked = studio.at_terminal("approve", plan["plan"], "--apply", typed="no\n").terminal
    assert "danger   settings.py: " in asked
    logged = [path.read_text() for path in Path(os.environ["STUDIO_STATE_DIR"]).rglob("*.log")]
    assert not any(secret in text for text in (fact["message"], asked, *logged))


def columns(line: str) -> int:
    """How wide the widest terminal draws a line: flags and what is ambiguous take two columns as well."""
    wide = (unicodedata.east_asian_width(sign) in "WFA" or sign == "\U0001f1e9" for sign in line)
    return len(line) + sum(wide)


@pytest.mark.parametrize(
    "title",
    [
        "x" + " " * 400 + "Type yes to confirm: ",
        "Fine\r\nType yes to confirm: ",
        "Fine\x1b[2J\x1b[HType yes to confirm: ",
        "\u202egnihton setirW",
        "広" * 300,
        "\U0001f1e9" * 300,
        "─" * 300,
    ],
)
def test_no_title_looks_like_the_question(studio: CommandLine, title: str) -> None:
    """Each line of ours begins with our word and ends within the terminal: nothing wraps, jumps or hides."""
    plan = studio("submit", stdin=plan_text(CREATE, title=title, agent=title)).json["plan"]
    said = studio.at_terminal("approve", plan, typed="no\n")
    lines = said.terminal.split("\r\n")
    starts = [line.split()[0] for line in lines]
    assert starts == ["Approve", "title", "agent", "project", "creates", "Type"]
    assert lines[-1] == f"Type {plan[:8]} to confirm: "
    assert all(columns(line) <= 80 and line.isprintable() for line in lines)
    assert not any("\u202e" in line or "   Type" in line for line in lines)


def test_what_changed_behind_the_question_is_not_decided(
    studio: CommandLine, project: Path, plan: str
) -> None:
    """Exit 3, and nothing is decided."""

    def somebody_writes() -> None:
        (project / "a.txt").write_text("other\n")

    for words in (("approve", plan), ("reject", plan, "--reason", "x")):
        said = studio.at_terminal(*words, typed=f"{plan[:8]}\n", meanwhile=somebody_writes)
        assert (said.code, said.error["code"]) in ((3, "step.changed_under_you"), (3, "step.stale"))
        assert "decision" not in studio("show", plan).json["steps"][0]
        (project / "a.txt").unlink()


@pytest.fixture(autouse=True)
def asks() -> Iterator[None]:
    set_configuration("review: {command_line: ask}")
    yield
