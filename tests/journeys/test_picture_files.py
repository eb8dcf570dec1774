"""A picture changed by a binary patch: looked at in each way, approved, written, compared, taken back."""

from __future__ import annotations

from PySide6.QtCore import QRect

from studio.engine.diff import format_binary
from studio.ui.diff.special.image_canvas import ComparisonMode
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person
from tests.ui.diff.test_special_pages import png

OLD, NEW = png(100, 60), png(100, 60, spot=QRect(46, 28, 8, 4))
DATA = bytes(range(256)) * 8


def propose(harbour: Harbour) -> str:
    """One picture changed, one made, and a file that is neither text nor picture."""
    (harbour.root / "logo.png").write_bytes(OLD)
    harbour.on_write("logo.png")
    file = harbour.texts / "pictures.diff"
    sides = (("logo.png", OLD, NEW), ("new.png", None, NEW), ("tides.bin", None, DATA))
    file.write_bytes(b"".join(format_binary(old, new, name, name) for name, old, new in sides))
    return harbour.agent.submit(file, "New pictures")


def compare(person: Person) -> None:
    """Press each way to compare."""
    images = person.panes.pages.step.diff.card.images
    assert [text.partition(" · ")[2][:8] for text in images.headings.texts()] == ["100 × 60"] * 2
    assert images.sentence.text() == "Same dimensions"
    person.click("image-difference")
    wait_for(lambda: "32 of 6,000 pixels differ" in images.sentence.text(), "what differs")
    person.click("image-beside")
    assert images.current_mode() is ComparisonMode.BESIDE


def on_disk(harbour: Harbour) -> dict[str, bytes]:
    names = ("logo.png", "new.png", "tides.bin")
    return {name: (harbour.root / name).read_bytes() for name in names if (harbour.root / name).exists()}


def test_pictures_are_compared_written_and_taken_back(harbour: Harbour, desktop: Desktop) -> None:
    plan = propose(harbour)
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    compare(person)
    person.click("step-approve_step")
    person.wait_for_step(2)
    images = person.panes.pages.step.diff.card.images
    assert images.isVisible() and "no such file" in images.headings.texts()[0]
    assert images.why_not_comparable() == "There is only one image, so there is nothing to compare."
    person.click("step-approve_step")
    person.wait_for_step(3)
    assert not images.isVisible() and person.panes.pages.step.diff.card.title() == "New binary file"
    person.wait_until_on("approve_step")
    person.click("step-approve_step")
    wait_for(lambda: person.find("toolbar-apply").text() == "Apply 3 files", "every decision")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 3 files from “New pictures”.")
    assert on_disk(harbour) == {"logo.png": NEW, "new.png": NEW, "tides.bin": DATA}
    assert harbour.agent.states(plan) == ["applied"] * 3

    person.open_rollback(0)
    person.click("rollback-write")
    wait_for(lambda: on_disk(harbour) == {"logo.png": OLD}, "the old pictures")
    person.wait_until_said("Rolled back 3 files")
