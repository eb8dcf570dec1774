"""Files whose names Windows reserves, and other spellings of a path, at the doors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine, plan_text, set_configuration

NAMES = [
    "drivers/aux.c",
    "cassettes/2027-03-04T05:06:07.yaml",
    "man/Foo::Bar.3pm",
    "units/dev-disk-by\\x2duuid.mount",
    "ends/dot.",
    "ends/blank ",
    "C:notes",
]
SOME_NAMES = ["drivers/aux.c", "units/dev-disk-by\\x2duuid.mount", "ends/blank "]
"""For what asks the same of each name, which the engine's tests of names do."""
REFUSED = {"name.reserved", "name.stream", "name.backslash", "name.trailing_dot_or_space", "name.drive"}


def write(project: Path, name: str, text: str = "one\n") -> Path:
    place = project / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def quoted(name: str) -> str:
    """The name as git writes it in a header."""
    return f'"{name}"'.replace("\\", "\\\\") if "\\" in name else name


def diff(name: str) -> str:
    a, b = quoted(f"a/{name}"), quoted(f"b/{name}")
    return f"diff --git {a} {b}\n--- {a}\t\n+++ {b}\t\n@@ -1 +1 @@\n-one\n+two\n"


def patch(name: str) -> str:
    return f"*** Begin Patch\n*** Update File: {name}\n@@\n-one\n+two\n*** End Patch\n"


def blocks(name: str) -> str:
    return f"{name}\n```\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n"


def plan(name: str) -> str:
    return plan_text({"op": "modify", "path": name, "edits": [{"old": "one", "new": "two"}]}).decode()


TEXTS = {"plan": plan, "diff": diff, "patch": patch, "blocks": blocks}


def steps_of(studio: CommandLine, text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = studio("submit", stdin=text.encode()).json["steps"]
    return found


def codes(step: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in step["problems"]]


def test_a_file_that_has_a_reserved_name_is_changed_and_restored(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    places = [write(project, name) for name in NAMES]
    found = studio("submit", stdin="".join(map(diff, NAMES)).encode()).json
    assert [(step["path"], step["problems"]) for step in found["steps"]] == [(name, []) for name in NAMES]
    assert studio("approve", found["plan"], "--apply").code == 0
    assert [place.read_text() for place in places] == ["two\n"] * len(NAMES)
    assert studio("rollback", found["plan"]).code == 0
    assert [place.read_text() for place in places] == ["one\n"] * len(NAMES)


def test_it_is_deleted_and_moved_to_a_better_name(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    places = [write(project, name) for name in NAMES]
    better = [f"better/{number}.txt" for number in range(len(NAMES))]
    moves = [{"op": "move", "path": name, "to": to} for name, to in zip(NAMES, better, strict=True)]
    for steps, left in (([{"op": "delete", "path": name} for name in NAMES], []), (moves, better)):
        found = studio.submit(*steps)
        assert [codes(each) for each in found["steps"]] == [[]] * len(NAMES)
        assert studio("approve", found["plan"], "--apply").code == 0
        assert not any(place.exists() for place in places)
        assert [(project / name).read_text() for name in left] == ["one\n"] * len(left)
        assert studio("rollback", found["plan"]).code == 0
        assert [place.read_text() for place in places] == ["one\n"] * len(NAMES)


def test_a_new_one_is_refused_in_each_way(studio: CommandLine, project: Path) -> None:
    sources = [f"{number}.txt" for number in range(len(NAMES))]
    for source in sources:
        write(project, source)
    pairs = list(zip(sources, NAMES, strict=True))
    for steps in (
        [{"op": "create", "path": name, "content": "x\n"} for name in NAMES],
        [{"op": "move", "path": source, "to": name} for source, name in pairs],
        [{"op": "copy", "path": source, "to": name} for source, name in pairs],
        [{"op": "mkdir", "path": name} for name in NAMES],
        [{"op": "modify", "path": name, "content": "x\n"} for name in NAMES],
        [{"op": "delete", "path": name} for name in NAMES],
    ):
        found = studio.submit(*steps)["steps"]
        assert len(found) == len(NAMES)
        for (problem,) in (each["problems"] for each in found):
            assert problem["code"] in REFUSED
            assert problem["hint"].endswith("; on Linux a file that already has it can be changed.")


def test_a_new_file_in_a_folder_with_a_reserved_name_is_new(studio: CommandLine, project: Path) -> None:
    write(project, "con/old.txt")
    create, change = studio.submit(
        {"op": "create", "path": "con/new.txt", "content": "x\n"},
        {"op": "modify", "path": "con/old.txt", "content": "x\n"},
    )["steps"]
    assert (codes(create), codes(change)) == (["name.reserved"], [])


def test_a_folder_with_a_reserved_name_is_deleted_file_by_file(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    write(project, "aux/a:b.txt")
    write(project, "aux/c.txt")
    found = studio.submit({"op": "delete", "path": "aux"})
    assert [step["path"] for step in found["steps"]] == ["aux/a:b.txt", "aux/c.txt", "aux"]
    assert studio("approve", found["plan"], "--apply").code == 0
    assert not (project / "aux").exists()


def test_a_diff_renames_it_and_changes_it(studio: CommandLine, project: Path, allow_review: None) -> None:
    write(project, "t/10:00.txt")
    text = (
        "diff --git a/t/10:00.txt b/t/10-00.txt\nsimilarity index 50%\n"
        "rename from t/10:00.txt\nrename to t/10-00.txt\n"
        "--- a/t/10:00.txt\n+++ b/t/10-00.txt\n@@ -1 +1 @@\n-one\n+two\n"
    )
    found = studio("submit", stdin=text.encode()).json
    assert studio("approve", found["plan"], "--apply").code == 0
    assert (project / "t/10-00.txt").read_text() == "two\n" and not (project / "t/10:00.txt").exists()


def test_an_approval_is_void_once_the_file_is_gone(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    place = write(project, "aux.c")
    found = studio.submit({"op": "modify", "path": "aux.c", "content": "two\n"})
    assert studio("approve", found["plan"]).code == 0
    place.unlink()
    assert studio("apply", found["plan"]).code != 0
    assert not place.exists()


def test_a_backslash_of_another_system_changes_no_other_file(studio: CommandLine, project: Path) -> None:
    write(project, "src/a.py")
    for text in (plan("src\\a.py"), diff("src\\a.py"), patch("src\\a.py")):
        (step,) = steps_of(studio, text)
        assert codes(step) == ["name.backslash"] and step["path"] == "src\\a.py"
    write(project, "src\\a.py")
    (step,) = steps_of(studio, plan("src\\a.py"))
    assert (codes(step), step["path"]) == ([], "src\\a.py")


@pytest.mark.parametrize(
    "name", [".git::$INDEX_ALLOCATION/x", ".git./x", ".git /x", "GIT~1/x", "studio.yaml."]
)
def test_what_is_locked_on_windows_stays_locked_where_it_exists(
    studio: CommandLine, project: Path, name: str
) -> None:
    write(project, name)
    for step in ({"op": "modify", "path": name, "content": "x\n"}, {"op": "delete", "path": name}):
        assert codes(studio.submit(step)["steps"][0]) == ["policy.denied"]
    (verdict,) = studio("check", name).json["verdicts"]
    assert (verdict["allowed"], verdict["level"]) == (False, "locked")


def test_check_answers_as_a_proposal_would(studio: CommandLine, project: Path) -> None:
    verdicts = studio("check", *NAMES).json["verdicts"]
    assert [verdict["level"] for verdict in verdicts] == ["name"] * len(NAMES)
    for name in NAMES:
        write(project, name)
    assert studio("check", *NAMES).code == 0


@pytest.mark.parametrize("form", TEXTS)
def test_another_spelling_is_shown_as_the_path_it_names(
    studio: CommandLine, project: Path, form: str
) -> None:
    write(project, "src/a.py")
    (step,) = steps_of(studio, TEXTS[form](".//src/.//a.py"))
    assert (step["path"], step["problems"]) == ("src/a.py", [])


@pytest.mark.parametrize("form", ["plan", "patch", "blocks"])
def test_an_absolute_path_in_the_project_is_shown_relative(
    studio: CommandLine, project: Path, tmp_path: Path, form: str
) -> None:
    write(project, "src/a.py")
    (tmp_path / "other").symlink_to(project)
    for spelled in (f"{project}/src/a.py", f"{project}//src/./a.py", f"{tmp_path}/other/src/a.py"):
        (step,) = steps_of(studio, TEXTS[form](spelled))
        assert (step["path"], step["problems"]) == ("src/a.py", [])


def test_an_absolute_diff_names_the_file_in_the_project(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    place = write(project, "src/a.py")
    text = f"--- {place}\n+++ {place}\n@@ -1 +1 @@\n-one\n+two\n"
    found = studio("submit", stdin=text.encode()).json
    assert [(step["path"], step["problems"]) for step in found["steps"]] == [("src/a.py", [])]
    assert studio("approve", found["plan"], "--apply").code == 0
    assert place.read_text() == "two\n"


@pytest.mark.parametrize(
    ("spelled", "code"),
    [
        ("../a.py", "name.climbs"),
        ("src/../a.py", "name.climbs"),
        ("./../project/a.py", "name.climbs"),
        ("{project}/../a.py", "name.absolute"),
        ("{project}/src/../a.py", "name.absolute"),
        ("{project}-other/a.py", "name.absolute"),
        ("/{project}/a.py", "name.unc"),
        ("src/", "name.empty_component"),
        ("a\x00.py", "name.control"),
    ],
)
def test_what_leads_out_or_through_two_dots_is_refused(
    studio: CommandLine, project: Path, spelled: str, code: str
) -> None:
    write(project, "a.py")
    step = {"op": "create", "path": spelled.format(project=project), "content": "x\n"}
    assert codes(studio.submit(step)["steps"][0]) == [code]


def test_locked_files_stay_locked_in_other_spellings(studio: CommandLine, project: Path) -> None:
    for path in ("./.git/config", ".//studio.yaml", "bin/./x", f"{project}/.git/config", "a/..//.git/x"):
        (step,) = studio.submit({"op": "create", "path": path, "content": "x\n"})["steps"]
        assert step["state"] == "invalid"
        assert not studio("check", path).json["verdicts"][0]["allowed"]


def test_two_spellings_of_one_file_are_one_step(studio: CommandLine, project: Path) -> None:
    write(project, "a.py", "one\nthree\n")
    edits = [("./a.py", "one", "two"), ("a.py", "three", "four")]
    steps = [{"op": "modify", "path": path, "edits": [{"old": o, "new": n}]} for path, o, n in edits]
    (step,) = studio.submit(*steps)["steps"]
    assert (step["path"], step["added"]) == ("a.py", 2)


def test_check_shows_the_path_it_judged(studio: CommandLine, project: Path) -> None:
    said = studio("check", "./src//a.py", f"{project}/b.py").json
    assert [verdict["path"] for verdict in said["verdicts"]] == ["src/a.py", "b.py"]


@pytest.mark.parametrize("name", SOME_NAMES)
def test_tools_read_list_change_and_delete_it(studio: CommandLine, project: Path, name: str) -> None:
    write(project, name)
    folder = str(Path(name).parent)
    assert studio("fs", "read", name).json["content"] == "one\n"
    assert name in [item["path"] for item in studio("fs", "list", folder).json["items"]]
    assert [match["path"] for match in studio("fs", "search", "one").json["matches"]] == [name]
    for words in (
        ("write", name, "--content", "two\n"),
        ("append", name, "--content", "two\n"),
        ("move", name, "better.txt"),
        ("copy", name, "copy.txt"),
        ("delete", name),
    ):
        said = studio("fs", *words).json
        assert said["state"] == "pending", words
        (step,) = studio("show", said["plan"]).json["steps"]
        assert (step["path"], step["problems"]) == (name, [])


@pytest.mark.parametrize("name", SOME_NAMES)
def test_tools_make_no_new_one(studio: CommandLine, project: Path, name: str) -> None:
    write(project, "a.txt")
    for words in (
        ("write", name, "--content", "x\n"),
        ("mkdir", name),
        ("move", "a.txt", name),
        ("copy", "a.txt", name),
        ("read", name),
    ):
        error = studio("fs", *words).error
        assert error["code"] in REFUSED, words
        assert error["hint"].endswith("; on Linux a file that already has it can be changed.")


@pytest.mark.parametrize("name", [".git::$INDEX_ALLOCATION/x", ".git./x", "a\\.git\\x", "studio.yaml:x"])
def test_tools_neither_read_nor_list_what_is_locked(studio: CommandLine, project: Path, name: str) -> None:
    write(project, name)
    assert studio("fs", "read", name).code != 0
    assert studio("fs", "delete", name).code != 0
    assert studio("fs", "search", "one").json["matches"] == []
    assert [item["path"] for item in studio("fs", "list", ".").json["items"] if item["type"] == "file"] == []


@pytest.mark.parametrize("spelled", ["./src//./a.py", "{project}/./src//a.py"])
def test_tools_show_the_path_they_read(studio: CommandLine, project: Path, spelled: str) -> None:
    write(project, "src/a.py")
    said = studio("fs", "read", spelled.format(project=project)).json
    assert (said["path"], said["content"]) == ("src/a.py", "one\n")


def test_tools_read_an_allowed_folder_above(studio: CommandLine, project: Path, tmp_path: Path) -> None:
    write(tmp_path, "shared/a.txt")
    assert studio("fs", "read", "../shared/a.txt").error["code"] == "name.climbs"
    set_configuration('tool_configuration: {file_system: {allowed_directories: ["../shared"]}}')
    assert studio("fs", "read", "../shared//./a.txt").json["path"] == f"{tmp_path}/shared/a.txt"
    for path in ("../shared/../project/studio.yaml", "../other/a.txt"):
        assert studio("fs", "read", path).error["code"] == "name.climbs"
    (step,) = studio.submit({"op": "modify", "path": "../shared/a.txt", "content": "x\n"})["steps"]
    assert codes(step) == ["name.climbs"]


@pytest.mark.parametrize("words", [("read", "link"), ("read", "in/a.txt"), ("list", "in"), ("write", "link")])
def test_tools_name_where_a_link_leads(studio: CommandLine, project: Path, words: tuple[str, str]) -> None:
    write(project, "real/a.txt")
    (project / "link").symlink_to("real/a.txt")
    (project / "in").symlink_to("real")
    error = studio("fs", *words, stdin=b"x\n").error
    real = "real/a.txt" if words[1] == "link" else "real"
    assert error["code"] == "path.link"
    assert "lead" in error["message"] and error["hint"].endswith(
        f"Specify {real} instead; links are never followed."
    )
