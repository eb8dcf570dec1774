"""What a name says, what stands beside it, and what a replacement takes from the file on disk."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Fact, Operation, Severity, Step, StepState
from studio.engine.risks import TargetContext, Writer, facts_of, naming
from studio.engine.root import EntryKind, FileState
from studio.journal.file_image import FileImage

CYRILLIC_A, ZWSP = "\u0430", "\u200b"
ROOT, SELF = Writer(0, frozenset({0})), Writer(1000, frozenset({1000, 50}))


def step_of(path: str, op: Operation = Operation.CREATE) -> Step:
    image = FileImage("0" * 64, 2, 0o644)
    is_new = op in (Operation.CREATE, Operation.MKDIR)
    source = path if op not in (Operation.MOVE, Operation.COPY) else "from.txt"
    return Step(
        1,
        "id",
        op,
        source,
        None if source == path else path,
        StepState.PENDING,
        None if is_new else image,
        None if op is Operation.DELETE else image,
    )


def told(kind: str, step: Step, around: TargetContext, result: bytes | None = b"x\n") -> list[Fact]:
    base = b"x\n" if step.base else None
    return [fact for fact in facts_of(step, base, result, around=around) if fact.kind == kind]


def name_facts(path: str, kind: str = "name_lookalike") -> list[Fact]:
    return told(kind, step_of(path), TargetContext())


# Names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (f"src/p{CYRILLIC_A}yment.py", "mixes scripts"),
        ("\u0441\u043e\u0440\u0443.txt", "resembles “copy”"),
        ("src/\u0455\u0441\u043e\u0440\u0435/a.py", "resembles “scope”"),
        ("\U0001d41a\U0001d41d\U0001d426\U0001d422\U0001d427.py", "is parsed as “admin”"),
        ("re\u0430dme.md", "mixes scripts"),
    ],
)
def test_names_that_look_like_others_are_told_of(path: str, words: str) -> None:
    (fact,) = name_facts(path)
    assert fact.severity is Severity.WARNING
    assert words in fact.message
    assert fact.message.startswith("In the name, ")


@pytest.mark.parametrize(
    "path",
    [
        "plain/name.py",
        "\u0434\u043e\u043a\u0443\u043c\u0435\u043d\u0442\u044b/\u0441\u043e\u0440.txt",
        "\u03b1\u03b2\u03b3.md",
        "\u65e5\u672c\u8a9e.md",
        "gr\u00f6\u00dfe.py",
        "\u0421\u041f\u0411.txt",
        "v1-\u0438\u0442\u043e\u0433.txt",
    ],
)
def test_names_of_one_script_are_left_alone(path: str) -> None:
    assert [fact for fact in name_facts(path) if fact.severity is not Severity.NOTE] == []


@pytest.mark.parametrize(
    ("name", "other", "severity", "words"),
    [
        ("makefile", "Makefile", Severity.WARNING, "differs in case: some systems treat both as one file"),
        ("\u00fcber.md", "u\u0308ber.md", Severity.WARNING, "in another Unicode form: some systems"),
        (f"a{ZWSP}b.py", "ab.py", Severity.DANGER, "differs in a character that can't be seen: the two are"),
        (f"p{CYRILLIC_A}y.py", "pay.py", Severity.DANGER, "visually similar: the two are hard to tell apart"),
        ("pay.py", f"p{CYRILLIC_A}y.py", Severity.DANGER, "visually similar"),
        ("\uff41b.py", "ab.py", Severity.DANGER, "visually similar"),
        ("Stra\u00dfe", "strasse", Severity.WARNING, "differs in case"),
    ],
)
def test_twins_beside_a_new_name_are_told_of(name: str, other: str, severity: Severity, words: str) -> None:
    """Another file whose name differs only by case, composition, invisible characters or look."""
    for path, folder in ((name, ""), (f"deep/er/{name}", "deep/er"), (f"{name}/inner.txt", "")):
        (fact,) = told("name_twin", step_of(path), TargetContext(beside={folder: [other, "else"]}))
        assert fact.severity is severity
        assert words in fact.message
        assert ZWSP not in fact.message


def test_a_twin_of_an_existing_file_is_less_grave() -> None:
    around = TargetContext(beside={"": ["Readme.md", "README.md", f"README{ZWSP}.md"]})
    (fact,) = told("name_twin", step_of("README.md", Operation.MODIFY), around)
    assert fact.severity in (Severity.NOTE, Severity.WARNING)
    same = TargetContext(beside={"": ["README.md"]})
    assert told("name_twin", step_of("README.md", Operation.MODIFY), same) == []


def test_many_names_beside_each_other_are_looked_at_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of a thousand files in one folder compares each with all, not by looking at all."""
    names = frozenset(f"part{number}.py" for number in range(1000))
    looked_at: list[str] = []
    look_of = naming.folded

    def counted(name: str) -> str:
        looked_at.append(name)
        return look_of(name)

    monkeypatch.setattr(naming, "folded", counted)
    around = TargetContext(beside={"": names})
    assert [told("name_twin", step_of(name), around) for name in names] == [[]] * len(names)
    assert len(names) <= len(looked_at) <= 4 * len(names)


@pytest.mark.parametrize("other", ["ab.py2", "a_b.py", "ba.py", "\u00e0b.py", "", "ab"])
def test_other_names_are_no_twins(other: str) -> None:
    assert told("name_twin", step_of("ab.py"), TargetContext(beside={"": [other]})) == []


@given(st.text(min_size=1, max_size=8), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_a_twin_is_seen_from_both_sides(name: str, others: list[str]) -> None:
    name = name.replace("/", "")
    for other in (each.replace("/", "") for each in others):
        if name and other:
            one = told("name_twin", step_of(name), TargetContext(beside={"": [other]}))
            back = told("name_twin", step_of(other), TargetContext(beside={"": [name]}))
            assert len(one) == len(back)


@pytest.mark.parametrize(
    ("units", "words"),
    [
        (199, None),
        (200, "Windows limit of 259"),
        (259, "Windows limit of 259"),
        (260, "many Windows programs"),
        (400, "many"),
    ],
)
def test_the_length_of_the_whole_path_is_told_of(units: int, words: str | None) -> None:
    """200 to 259; what lies beyond."""
    root = "/a/folder/project"
    path = "n" * (units - len(root) - 1)
    found = told("path_length", step_of(path), TargetContext(root=root))
    assert [words is not None and words in fact.message for fact in found] == [True] * (words is not None)
    assert all(f"has {units} characters" in fact.message for fact in found)


def test_the_length_counts_as_windows_does_and_for_new_names_only() -> None:
    path = "\U0001f600" * 100
    assert told("path_length", step_of(path), TargetContext())
    assert told("path_length", step_of(path, Operation.MOVE), TargetContext())
    assert told("path_length", step_of(path, Operation.MKDIR), TargetContext(), None)
    assert told("path_length", step_of(path, Operation.MODIFY), TargetContext()) == []
    assert told("path_length", step_of("\u00e9" * 199), TargetContext()) == []


# The file on disk ---------------------------------------------------------------------------------------


def on_disk(*, links: int = 1, mode: int = 0o644, user: int = 1000, group: int = 1000) -> FileState:
    return FileState(EntryKind.FILE, 2, mode, 1, 2, links, user, group, 0, 0)


MODIFY = step_of("a.sh", Operation.MODIFY)


def test_other_names_of_the_file_keep_the_old_bytes() -> None:
    (fact,) = told("hard_link", MODIFY, TargetContext(on_disk(links=2)))
    assert fact.message == "a.sh has another name (hard link), which keeps the old bytes."
    (fact,) = told("hard_link", step_of("a.sh", Operation.DELETE), TargetContext(on_disk(links=4)), None)
    assert fact.message == "a.sh has 3 other names (hard link), which keep the old bytes."
    assert told("hard_link", step_of("b.sh", Operation.COPY), TargetContext(on_disk(links=2))) == []


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (0o4755, "its owner"),
        (0o2755, "its group"),
        (0o6711, "its owner and its group"),
        (0o4644, ""),
        (0o1777, ""),
    ],
)
def test_programs_with_rights_of_their_own_are_a_danger(mode: int, words: str) -> None:
    found = told("privileged", MODIFY, TargetContext(on_disk(mode=mode), writer=ROOT))
    assert [fact.severity for fact in found] == [Severity.DANGER] * bool(words)
    assert all(f"with the rights of {words}, whoever" in fact.message for fact in found)


def test_file_capabilities_are_a_danger_and_lost_to_all_but_root() -> None:
    around = TargetContext(on_disk(), ["security.capability"], writer=SELF)
    assert told("privileged", MODIFY, around)
    assert "security.capability" in told("attributes_lost", MODIFY, around)[0].message
    kept = TargetContext(on_disk(), ["security.capability"], writer=ROOT)
    assert told("attributes_lost", MODIFY, kept) == []


def test_a_foreign_owner_can_be_kept_by_root_alone() -> None:
    other = on_disk(user=33, group=33)
    found = told("owner_lost", MODIFY, TargetContext(other, writer=SELF))
    assert ["(id 33)" in fact.message for fact in found] == [True, True]
    assert told("owner_lost", MODIFY, TargetContext(other, writer=ROOT)) == []
    assert told("owner_lost", MODIFY, TargetContext(other)) == []
    assert told("owner_lost", MODIFY, TargetContext(on_disk(group=50), writer=SELF)) == []
    assert told("owner_lost", step_of("b", Operation.COPY), TargetContext(other, writer=SELF)) == []


def test_attributes_are_lost_where_the_file_system_takes_none() -> None:
    names = ["user.a", "user.b", "user.c", "user.d", "system.posix_acl_access", "security.selinux"]
    found = told("attributes_lost", MODIFY, TargetContext(on_disk(), names, False, SELF))
    assert [fact.message for fact in found] == [
        "The access list of a.sh can't be kept; others may read or change it.",
        "Attributes of a.sh can't be kept: user.a, user.b, user.c and 1 more.",
    ]
    assert told("attributes_lost", MODIFY, TargetContext(on_disk(), names, True, SELF)) == []


def test_a_plain_rename_keeps_everything() -> None:
    move = step_of("b.sh", Operation.MOVE)
    around = TargetContext(on_disk(user=33), ["user.a"], False, SELF)
    assert told("owner_lost", move, around) == told("attributes_lost", move, around) == []


def test_what_is_no_file_or_not_there_says_nothing() -> None:
    folder = FileState(EntryKind.FOLDER, 0, 0o6755, 1, 2, 9, 33, 33, 0, 0)
    for around in (TargetContext(folder, writer=SELF), TargetContext(None, ["user.a"], False, SELF)):
        kinds = {fact.kind for fact in facts_of(MODIFY, b"x\n", b"x\n", around=around)}
        assert kinds == set()
