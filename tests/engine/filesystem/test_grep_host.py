"""A search beneath a folder: one result with ripgrep and without, and an end for what has none."""

from __future__ import annotations

import errno
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.filesystem import grep, grep_worker, grep_workers
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Lines, Search, find_candidate_files, search_beneath, search_texts
from studio.engine.filesystem.grep_pattern import read_expression
from studio.engine.filesystem.grep_worker import Job, search_files
from studio.engine.filesystem.grep_workers import SearchTooSlow, shared_workers
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.searching import find_lines, lines_by_opening
from studio.engine.root import ProjectRoot
from studio.errors import BackendGone, FileError, InternalError
from studio.system import child_process

CATASTROPHIC = "(a+)+$"
BAIT = b"a" * 64 + b"b\n"


@pytest.fixture
def backing(project: Path) -> Iterator[HostBacking]:
    with ProjectRoot(project) as root:
        yield HostBacking(root)


@pytest.fixture
def rg() -> Path:
    """The ripgrep that the tests need; `installer/dev.py` names its package."""
    found = shutil.which("rg")
    assert found, "these tests need ripgrep (rg)"
    return Path(found)


@pytest.fixture
def without_rg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grep, "find_ripgrep", lambda root: None)


def search(text: str, *, glob: str | None = None, limit: int = 1000) -> Search:
    return Search(read_expression(text), None if glob is None else Glob(glob), limit)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        file = folder / os.fsdecode(path.encode("utf-8", "surrogateescape"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


ODD_FILES = {
    "a.txt": b"word\n",
    "a-b/c.txt": b"no\r\nword\r\nword again\r\n",
    "a/b.txt": b"WORD\n  word\n",
    "a/.hidden/.word": b"word\n",
    ".git/config": b"word\n",
    "node_modules/x/y.js": b"a word\n",
    "ignored.log": b"word\n",
    ".gitignore": b"*.log\nnode_modules/\n",
    ".rgignore": b"a.txt\n",
    "empty": b"",
    "binary.bin": b"word\n\0",
    "late_nul.bin": b"word\n" + b"x\n" * 8192 + b"\0",
    "image.png": b"\x89PNG\r\n\x1a\nword\n",
    "latin1.txt": b"word \xe9\n",
    "bom8.txt": b"\xef\xbb\xbfword\n",
    "bom16.txt": "word\n".encode("utf-16"),
    "unended.txt": b"a\nword",
    "-rf": b"word\n",
    "sp ace ": b"word\n",
    "\u00fcml\u00e4ut.txt": "w\u00f6rd word\n".encode(),
    "odd\udcff.txt": b"word\n",
    "odd\udcfe/inner.txt": b"word\n",
    "blank.txt": b"\nno\n",
    "new\nline.txt": b"word\n",
}
EXPECTED = [
    "-rf .git/config a-b/c.txt a-b/c.txt a.txt a/.hidden/.word a/b.txt bom8.txt ignored.log late_nul.bin",
    "new\nline.txt|node_modules/x/y.js|sp ace |unended.txt|\u00fcml\u00e4ut.txt",
]
EXPRESSIONS = [
    "word",
    r"\bword\b",
    "^word",
    "word$",
    "(?i)word",
    r"w\w+d$",
    r"\s+word",
    "wor[a-e]|again",
    r"^\s*w.rd",
    r"(?<=a )word",
    "^\ufeff?word",
    r"[^x\s]ord",
    "w\u00f6rd",
    r"^$",
    "x*",
]


def test_the_same_files_in_the_same_order(backing: HostBacking, project: Path, rg: Path) -> None:
    """Sorted by path; nothing is left out for what a project or the user ignores; what is no text is."""
    write(project, ODD_FILES)
    found = find_lines(backing, "", search("word"))
    expected = EXPECTED[0].split() + EXPECTED[1].split("|")
    assert [match.path for match in found] == expected
    assert [entry.path for entry in found.unseen] == ["odd\udcfe/inner.txt", "odd\udcff.txt"]
    assert found.unseen[1].reason == "odd\\udcff.txt has matches, but its name is not UTF-8."
    crlf = [match for match in found if match.path == "a-b/c.txt"]
    assert [(match.line_number, match.line_content) for match in crlf] == [(2, "word"), (3, "word again")]
    bom = next(match for match in found if match.path == "bom8.txt")
    assert (bom.line_content, bom.match_start, bom.match_end) == ("\ufeffword", 1, 5)


def test_ripgrep_changes_nothing_but_the_time(
    backing: HostBacking, project: Path, rg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, ODD_FILES)
    (project / "link.txt").symlink_to("a.txt")
    (project / "away").symlink_to("a", target_is_directory=True)
    os.mkfifo(project / "pipe")

    def found() -> list[list[Lines]]:
        return [
            [
                backing.lines_beneath("", search(text)),
                backing.lines_beneath("a", search(text)),
                backing.lines_beneath("", search(text, glob="**/*.{txt,js}")),
                backing.lines_beneath("", search(text, limit=3)),
            ]
            for text in EXPRESSIONS
        ]

    with_rg = found()
    monkeypatch.setattr("studio.engine.filesystem.grep.find_ripgrep", lambda root: None)
    for text, fast, slow in zip(EXPRESSIONS, with_rg, found(), strict=True):
        assert fast == slow, text
        assert fast[0].lines, text
        # And so for a backing that knows no faster way. It has no names that are not UTF-8 to search.
        assert lines_by_opening(backing, "", search(text)).lines == fast[0].lines, text


BITS = st.text("ab \t_1\r-\u0130k\u212a\u00e9\u0660\x1c\x85", max_size=6)
PIECES = st.sampled_from(
    [
        r"\d",
        r"\w+",
        r"\s",
        r"\W",
        r"\D?",
        r"\S*",
        "[^a]",
        r"[^\w]",
        r"[\d-]+",
        "(a|k)",
        "a{1,2}",
        r"\b",
        "$",
        "^",
        ".",
    ]
)
ROUGH = st.tuples(
    st.sampled_from(["", "(?i)"]), st.lists(st.one_of(BITS.map(re.escape), PIECES), min_size=1, max_size=4)
).map(lambda parts: parts[0] + "".join(parts[1]))


@settings(max_examples=60)
@given(ROUGH, st.lists(BITS, min_size=1, max_size=5))
def test_ripgrep_names_every_file_with_a_match(text: str, lines: list[str]) -> None:
    """It may name others, never fewer: the files are one line each."""
    compiled = re.compile(text)
    with TemporaryDirectory() as folder, ProjectRoot(Path(folder)) as root:
        matching: set[str] = set()
        for number, line in enumerate(lines):
            for end in ("\n", "\r\n", ""):
                name = f"{number}{len(end)}"
                (Path(folder) / name).write_bytes((line + end).encode())
                searched = line.removesuffix("\r") if end == "\n" else line
                if (line or end) and compiled.search(searched):
                    matching.add(name)
        named = find_candidate_files(root, "", search(text))
    assert named is None or matching <= set(named)


def test_ripgrep_of_the_project_itself_is_not_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nor one that depends on the folder we stand in, nor one reached through a link into the project."""
    (project / "bin").mkdir()
    program = project / "bin" / "rg"
    program.write_text('#!/bin/sh\ntouch "$0.ran"\n')
    program.chmod(0o755)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "rg").symlink_to(program)
    monkeypatch.chdir(project / "bin")
    monkeypatch.setattr(grep, "sys", type("Elsewhere", (), {"executable": "/nowhere/python"}))
    for path in (str(project / "bin"), ".", "", f"{tmp_path / 'links'}", f"./bin{os.pathsep}bin"):
        monkeypatch.setenv("PATH", path)
        assert grep.find_ripgrep(project) is None
    monkeypatch.setenv("PATH", str(project / "bin"))
    assert grep.find_ripgrep(tmp_path / "another") == program


@pytest.mark.parametrize(
    "script",
    ["exit 2", "echo 'a: Permission denied' >&2; exit 0", "exit 139"],
    ids=["it failed", "it could not see all", "it crashed"],
)
def test_an_odd_answer_of_ripgrep_is_not_used(
    backing: HostBacking, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    program = tmp_path / "rg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr("studio.engine.filesystem.grep.find_ripgrep", lambda root: program)
    write(project, {"a.txt": b"word\n"})
    assert find_candidate_files(backing.project, "", search("word")) is None
    assert len(find_lines(backing, "", search("word"))) == 1


def test_an_answer_of_ripgrep_leads_nowhere_else(
    backing: HostBacking, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it names is opened beneath the root: links and ways out have no matches."""
    program = tmp_path / "rg"
    names = r"./a.txt\0./link.txt\0../outside.txt\0/etc/passwd\0./gone.txt\0./away/outside.txt\0"
    program.write_text(f"#!/bin/sh\nprintf '{names}'\n")
    program.chmod(0o755)
    monkeypatch.setattr("studio.engine.filesystem.grep.find_ripgrep", lambda root: program)
    (tmp_path / "outside.txt").write_bytes(b"word\n")
    write(project, {"a.txt": b"word\n"})
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "away").symlink_to(tmp_path, target_is_directory=True)
    found = find_lines(backing, "", search("word"))
    assert [match.path for match in found] == ["a.txt"]


# What does not end


@pytest.mark.parametrize("with_content", [False, True])
def test_an_expression_without_end_is_ended(
    backing: HostBacking, project: Path, monkeypatch: pytest.MonkeyPatch, with_content: bool
) -> None:
    monkeypatch.setattr(grep_workers, "SEARCH_SECONDS", 0.3)
    write(project, {"a.txt": b"harmless\n", "b.txt": BAIT + b"aaa\n", "c.txt": b"aaa\n"})
    wanted = search(CATASTROPHIC)
    with pytest.raises(SearchTooSlow) as ended:
        if with_content:
            search_texts([("b.txt", BAIT)], wanted)
        else:
            find_lines(backing, "", wanted)
    assert isinstance(ended.value, TimeoutError)
    assert ended.value.code == "grep.too_slow"
    assert '"(a+)+$" took longer than 0.3 seconds on ' in ended.value.message
    # The next search has processes of its own.
    monkeypatch.setattr(grep_workers, "SEARCH_SECONDS", 30.0)
    assert [match.path for match in find_lines(backing, "", search("(a+)b|ha+"))] == ["a.txt", "b.txt"]


def test_ripgrep_spares_files_that_would_take_for_ever(
    backing: HostBacking, project: Path, rg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells in no time that they have no match; only the time without it differs."""
    monkeypatch.setattr(grep_workers, "SEARCH_SECONDS", 30.0)
    write(project, {"b.txt": BAIT, "c.txt": b"aaa\n"})
    assert [match.path for match in find_lines(backing, "", search(CATASTROPHIC))] == ["c.txt"]


def test_one_file_is_named_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grep_workers, "SEARCH_SECONDS", 0.2)
    with pytest.raises(SearchTooSlow, match=r"on dir/b\.txt\."):
        search_texts([("dir/b.txt", BAIT)], search(CATASTROPHIC))


def test_a_search_that_goes_on_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file takes less than the limit, all of them more."""
    slow = b"a" * 18 + b"b\naa\n"  # some hundredths of a second
    search_texts([("00", slow)], search(CATASTROPHIC))  # starts a process
    started = time.monotonic()
    search_texts([("00", slow)], search(CATASTROPHIC))
    monkeypatch.setattr(grep_workers, "SEARCH_SECONDS", 16 * (time.monotonic() - started))
    found = search_texts([(f"{number:02d}", slow) for number in range(64)], search(CATASTROPHIC))
    assert len(found.lines) == 64


def test_threads_search_one_after_the_other() -> None:
    found: list[Lines] = []
    threads = [
        threading.Thread(target=lambda: found.append(search_texts([("a", b"aab\n")], search("a+b"))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Lines((("a", (1, "aab", 0, 3)),))] * 4


def test_processes_are_kept_and_given_back() -> None:
    first = search_texts([("a", b"aab\n")], search("a+b"))
    second = search_texts([("a", b"aab\n")], search("a+b"))
    assert first == second == Lines((("a", (1, "aab", 0, 3)),))
    shared_workers().close()
    assert search_texts([("a", b"aab\n")], search("a+b")) == first


def test_a_process_that_ends_of_itself_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    shared_workers().close()
    monkeypatch.setattr(child_process, "SEARCHING", child_process.Service("sys", "exit", ""))
    with pytest.raises(InternalError, match="ended unexpectedly"):
        search_texts([("a", b"aab\n")], search("a+b"))


def test_a_process_that_can_not_be_started_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shared_workers().close()
    monkeypatch.setattr(child_process.sys, "executable", str(tmp_path / "none"))
    with pytest.raises(FileError, match="The search can't begin") as failed:
        search_texts([("a", b"aab\n")], search("a+b"))
    assert isinstance(failed.value, OSError)


# Many files


def test_many_files_come_in_order_and_stop_when_there_are_enough(
    backing: HostBacking, project: Path, without_rg: None
) -> None:
    for number in range(700):
        (project / f"{number:04d}.txt").write_text(f"number {number}\nx\nnumber again\n")
    found = find_lines(backing, "", search(r"num\w+", limit=1000))
    assert len(found) == 1000 and found.truncated
    assert found[-1].path == "0499.txt"
    whole = find_lines(backing, "", search(r"num\w+", limit=1400))
    assert len(whole) == 1400 and not whole.truncated
    assert whole[:1000] == found
    assert find_lines(backing, "", search("number", limit=1000)) == found


def test_contents_at_hand_are_searched_like_files() -> None:
    files = [(f"{number:03d}", b"x" * number + b"\naab\n") for number in range(200)]
    for text in ("aab", "a+b"):
        found = search_texts(files, search(text, limit=150))
        assert [path for path, _ in found.lines] == [path for path, _ in files[:150]]
        assert {line for _, line in found.lines} == {(2, "aab", 0, 3)}


def test_a_search_of_one_file(backing: HostBacking, project: Path) -> None:
    write(project, {"a.txt": b"word\nword\n", "b.txt": b"word\n"})
    assert [match.line_number for match in find_lines(backing, "a.txt", search("word"))] == [1, 2]
    assert find_lines(backing, "a.txt", search("word", glob="*.py")) == ()
    assert find_lines(backing, "missing", search("word")) == ()


# Files and folders that change while they are searched


def job(paths: list[str], root: str = "", identity: str = "") -> Job:
    return Job(expression="word", root=root, identity=identity, paths=paths, sizes=[], limit=10, seconds=60)


def test_what_changed_since_it_was_listed_has_no_matches(backing: HostBacking, project: Path) -> None:
    """Gone, a folder by now, a file on the way, a link on the way, a pipe: none is an error."""
    write(project, {"a.txt": b"word\n", "z.txt": b"word\n", "file": b"word\n"})
    (project / "folder.txt").mkdir()
    (project / "link").symlink_to(project, target_is_directory=True)
    os.mkfifo(project / "pipe")
    paths = ["a.txt", "file/b.txt", "folder.txt", "gone.txt", "gone/b.txt", "link/a.txt", "pipe", "z.txt"]
    answer = search_files(backing.project.handle, job(paths))
    assert [number for number, _ in answer["found"]] == [0, 7]
    assert answer["errors"] == []


def test_a_root_that_is_another_folder_by_now_ends_the_search(
    backing: HostBacking, project: Path, without_rg: None, tmp_path: Path
) -> None:
    write(project, {"a.txt": b"wood\n"})
    project.rename(tmp_path / "moved")
    project.mkdir()
    write(project, {"a.txt": b"wood\n"})
    with pytest.raises(FileNotFoundError, match="The search ended"):
        search_beneath(backing.project, ["a.txt"], search("wo+d"))


@pytest.mark.parametrize("number", [errno.EIO, errno.ENODEV])
def test_a_disk_that_fails_ends_the_search(
    backing: HostBacking, project: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """What it holds is not known then; "no matches" would be a lie."""
    write(project, {"a.txt": b"word\n"})

    def fail(handle: int, size: int) -> bytes:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(grep_worker.os, "read", fail)
        answer = search_files(backing.project.handle, job(["a.txt"]))
        assert answer["errors"] == [(0, number)]
        with pytest.raises(FileError, match=r"a\.txt was not searched") as failed:
            search_beneath(backing.project, ["a.txt"], search("word"))
    assert isinstance(failed.value, BackendGone) == (number == errno.ENODEV)
