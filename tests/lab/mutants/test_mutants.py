"""The tool that damages code: what it changes, and that its copies run the changed code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.mutants.__main__ import main, read_equal
from tests.lab.mutants.copies import CHECKOUT, Copy, modules
from tests.lab.mutants.mutants import mutants_of

SOURCE = '''
"""A module."""

def choose(numbers, limit=3):
    """Not this."""
    if sys.platform == "win32":
        return 1 + 2
    found: list[int] = []
    for number in numbers:
        if number < limit and not found:
            found.append(number)
            continue
    assert found is not None
    raise ValueError(found)
'''


def test_signs_words_and_statements_are_changed(tmp_path: Path) -> None:
    (tmp_path / "choose.py").write_text(SOURCE)
    changes = [mutant.name.partition(": ")[2] for mutant in mutants_of(tmp_path, "choose.py")]
    assert sorted(changes) == sorted(
        [
            "raise ValueError(found) => pass",
            "number < limit and not found => (not (number < limit and (not found)))",
            "number < limit and not found => (number < limit or not found)",
            "number < limit => (number <= limit)",
            "not found => (found)",
            "found.append(number) => pass",
            "continue => break",
            "found is not None => (found is None)",
        ]
    )


def test_every_change_is_code_with_a_name_of_its_own() -> None:
    found = [mutant for file in modules(CHECKOUT) for mutant in mutants_of(CHECKOUT, file)]
    assert len({mutant.name for mutant in found}) == len(found) > 3000
    for mutant in found[:: len(found) // 100]:
        ast.parse(mutant.applied((CHECKOUT / mutant.file).read_bytes()))


def test_what_is_known_to_be_equal_is_there() -> None:
    names = {mutant.name for file in modules(CHECKOUT) for mutant in mutants_of(CHECKOUT, file)}
    equal = read_equal()
    assert equal.keys() <= names
    assert all(equal.values())


@pytest.fixture
def copy() -> Iterator[Copy]:
    copy = Copy.make()
    yield copy
    copy.remove()


def test_a_copy_tells_who_reaches_what(copy: Copy) -> None:
    functions = copy.watch()
    assert copy.test(["-p", "tests.lab.mutants.watching", "tests/engine/policy/test_rules.py"], 60) == 0, (
        copy.told()
    )
    reached = {functions[int(number)] for number, _ in copy.found("reached")}
    assert ("studio/engine/policy/rules.py", "Policy.check") in reached
    assert all(name.startswith("tests/engine/policy/test_rules.py::") for _, name in copy.found("times"))


def test_a_damaged_copy_fails_and_a_mended_one_does_not(copy: Copy) -> None:
    file = "studio/engine/policy/rules.py"
    mutant = next(each for each in mutants_of(CHECKOUT, file) if each.after == "return None")
    copy.damage(mutant, 1_000_000_001)
    assert copy.test(["-x", "tests/engine/policy/test_rules.py"], 60) == 1, copy.told()
    copy.mend(mutant, 1_000_000_002)
    assert copy.test(["-x", "tests/engine/policy/test_rules.py"], 60) == 0, copy.told()


def test_a_sample_that_was_kept_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, reach = tmp_path / "sample", tmp_path / "reach"
    reach.write_text('{"tests": [], "seconds": {}}')
    monkeypatch.setattr(Copy, "make", lambda: Copy(tmp_path / "copy"))
    words = ["--all", "--reach", str(reach), "--sample", str(sample)]
    main(["3", *words, "--only", "studio/ui/"])
    names = sample.read_text().splitlines()
    assert len(names) == 3
    sample.write_text(sample.read_text() + "studio/ui/gone.py gone: 1 => 2\n")
    capsys.readouterr()
    main(["5", *words])
    printed = capsys.readouterr().out
    assert "1 mutants of" in printed
    assert all(f"unreached {name[:160]}\n" in printed for name in names)
