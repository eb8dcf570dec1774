"""The project tree: lazy rows, chains, what plans would make, badges and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.observed_change import ObservedChange
from studio.engine.plan import Operation, PlanState, StepState
from studio.journal.file_image import FileImage
from studio.ui.look.theme import color, set_theme
from studio.ui.review.observed import ObservedRow
from studio.ui.review.reading import FileLocation
from studio.ui.tree import TreePanel
from studio.ui.tree.badges import Badge, Badges, FolderBadge, badges_of, origins_of
from studio.ui.tree.model import ProjectModel, Role
from tests.ui.panels.conftest import NOW

pytestmark = pytest.mark.usefixtures("qapp")


@dataclass(frozen=True)
class Listed:
    path: str
    is_folder: bool
    is_link: bool = False


class Disk:
    """Folders made of file paths; answers like the workspace and counts what it was asked."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = set(paths)
        self.asked: list[str] = []

    def list_folder(self, folder: str, then: Callable[[Any], object]) -> None:
        self.asked.append(folder)
        start = f"{folder}/" if folder else ""
        names: dict[str, bool] = {}
        for path in self.paths:
            if path.startswith(start):
                first, slash, _ = path.removeprefix(start).partition("/")
                names[first] = names.get(first, False) or bool(slash)
        rows = [Listed(start + name, is_folder) for name, is_folder in names.items()]
        then(tuple(sorted(rows, key=lambda row: (not row.is_folder, row.path))))


def make_model(disk: Disk) -> ProjectModel:
    model = ProjectModel(disk.list_folder)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.load()
    return model


def names(model: ProjectModel, parent: QModelIndex | None = None) -> list[str]:
    parent = parent or QModelIndex()
    return [model.index(row, 0, parent).data() for row in range(model.rowCount(parent))]


def look_everywhere(model: ProjectModel, parent: QModelIndex | None = None) -> set[str]:
    """Open every folder; the paths of all files that then have a row."""
    parent = parent or QModelIndex()
    if model.canFetchMore(parent):
        model.fetchMore(parent)
    found: set[str] = set()
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        if index.data(Role.FOLDER):
            found |= look_everywhere(model, index)
        else:
            found.add(index.data(Role.PATH))
    return found


def test_folders_come_first_and_git_is_not_listed() -> None:
    model = make_model(Disk(["b.py", "A.md", "src/x.py", "docs/a.md", "docs/b.md", ".git/config"]))
    assert names(model) == ["docs", "src", "A.md", "b.py"]


def test_a_chain_of_lone_folders_is_one_row() -> None:
    model = make_model(Disk(["src/tidewatch/a.py", "src/tidewatch/b.py", "x/y/z/only.txt"]))
    assert names(model) == ["src/tidewatch", "x/y/z"]
    top = model.index(0, 0)
    model.fetchMore(top)
    assert names(model, top) == ["a.py", "b.py"]
    assert model.index_of("src/tidewatch/b.py").data() == "b.py"


def test_folders_are_listed_when_looked_into_not_before() -> None:
    disk = Disk([f"top/mid{n}/deep{n}/f{m}.py" for n in range(3) for m in range(2)] + ["top/x.py"])
    model = ProjectModel(disk.list_folder)
    model.load()
    assert disk.asked == ["", "top"], "one level ahead, to know where a chain ends"
    model.fetchMore(model.index(0, 0))
    assert "top/mid0" in disk.asked
    assert len(disk.asked) == len(set(disk.asked))


def test_a_change_on_disk_touches_single_rows() -> None:
    disk = Disk(["src/a.py", "src/b.py", "docs/x.md", "docs/y.md"])
    model = make_model(disk)
    look_everywhere(model)
    resets, removed, inserted = (
        QSignalSpy(signal) for signal in (model.modelReset, model.rowsRemoved, model.rowsInserted)
    )
    disk.paths -= {"src/b.py"}
    disk.paths |= {"src/c.py"}
    model.reload()
    assert look_everywhere(model) == {"src/a.py", "src/c.py", "docs/x.md", "docs/y.md"}
    assert (resets.count(), removed.count(), inserted.count()) == (0, 1, 1)


def test_a_folder_that_went_is_not_asked_for_again() -> None:
    disk = Disk(["src/a.py", "gone/deep/b.py", "gone/c.py"])
    model = make_model(disk)
    look_everywhere(model)
    disk.paths = {"src/a.py"}
    disk.asked.clear()
    model.reload()
    assert "gone" not in disk.asked and "gone/deep" not in disk.asked
    assert names(model) == ["src"]


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


def tree_of(chosen: Iterable[str]) -> set[str]:
    """Those paths that can stand beside each other: no file is a folder of another."""
    return {f"{path}.f" for path in chosen}


@settings(max_examples=60, deadline=None)
@given(st.sets(paths), st.sets(paths), st.sets(paths), st.sets(paths))
def test_rows_are_always_disk_and_proposals(
    first: set[str], second: set[str], proposed: set[str], later: set[str]
) -> None:
    disk = Disk(tree_of(first))
    model = make_model(disk)
    for on_disk, plans in ((first, proposed), (second, later), (second, set[str]())):
        disk.paths = tree_of(on_disk)
        model.reload()
        model.set_badges(Badges(proposed=dict.fromkeys(tree_of(plans), False)))
        assert look_everywhere(model) == tree_of(on_disk) | tree_of(plans)
        fresh = make_model(Disk(disk.paths))
        fresh.set_badges(Badges(proposed=dict.fromkeys(tree_of(plans), False)))
        assert look_everywhere(fresh) == look_everywhere(model)
        assert shape(fresh) == shape(model), "the way here leaves no trace"


def shape(model: ProjectModel, parent: QModelIndex | None = None) -> list[Any]:
    parent = parent or QModelIndex()
    rows = [model.index(row, 0, parent) for row in range(model.rowCount(parent))]
    return [(index.data(), shape(model, index)) for index in rows]


def test_the_gravest_state_stands_beside_a_path(samples: SimpleNamespace) -> None:
    stale = samples.step(1, "src/a.py", StepState.STALE)
    pending = samples.step(1, "src/a.py", plan="b")
    refused = samples.step(2, "src/deep/b.py", StepState.INVALID, plan="b")
    one = replace(samples.readme(), id="1", steps=(stale,))
    two = replace(samples.readme(), id="2", steps=(pending, refused))
    badges = badges_of((two, one))
    assert badges.files["src/a.py"].style.word == "stale"
    assert (badges.files["src/a.py"].plan_id, badges.files["src/a.py"].step) == ("1", 1)
    assert badges.folders["src"].count == 2
    assert badges.folders["src"].gravest.style.word == "refused"
    assert badges.folders["src/deep"].count == 1


def test_what_others_wrote_stands_between_stale_and_pending(samples: SimpleNamespace) -> None:
    """Both names of a move have it."""
    stale, pending = samples.step(1, "a.py", StepState.STALE), samples.step(2, "b.py")
    image = FileImage("0" * 64, 1, 0o644)
    rows = [
        ObservedRow(key, (ObservedChange(key, Operation.MOVE, key, to, image, image, NOW),))
        for key, to in (("a.py", None), ("b.py", None), ("old/c.py", "new/c.py"))
    ]
    badges = badges_of((replace(samples.readme(), steps=(stale, pending)),), rows)
    words = {path: badge.style.word for path, badge in badges.files.items()}
    assert words == {
        "a.py": "stale", "b.py": "outside change",
        "old/c.py": "outside change", "new/c.py": "outside change",
    }  # fmt: skip
    assert badges.files["new/c.py"].observed == "old/c.py" and badges.folders["new"].count == 1


def test_a_click_on_what_others_wrote_shows_it(panel: TreePanel, desk: Any, qtbot: QtBot) -> None:
    image = FileImage("0" * 64, 1, 0o644)
    change = ObservedChange("c", Operation.MODIFY, "pyproject.toml", None, image, image, NOW)
    desk.observed.rows = (ObservedRow("row", (change,)),)
    desk.observed.changed.emit()
    index = panel.model.index_of("pyproject.toml")
    qtbot.waitUntil(lambda: isinstance(index.data(Role.BADGE), Badge))
    panel.view.scrollTo(index)
    QTest.mouseClick(
        panel.view.viewport(), Qt.MouseButton.LeftButton, pos=panel.view.visualRect(index).center()
    )
    assert desk.observed.shown_row is not None and desk.observed.shown_row.key == "row"


def test_what_a_plan_makes_is_new_and_has_a_row(samples: SimpleNamespace) -> None:
    badges = badges_of((samples.retry(),))
    assert badges.files["src/tidewatch/backoff.py"].style.word == "new"
    assert badges.files["docs/guide.md"].style.word == "new"
    assert badges.files["docs/usage.md"].style.word == "pending"
    model = make_model(Disk(["docs/usage.md"]))
    model.set_badges(badges)
    found = look_everywhere(model)
    assert {"src/tidewatch/backoff.py", "docs/guide.md"} <= found
    assert ".github/workflows/release.yml" not in found, "a refused path gets no row"


def test_closed_plans_and_rejected_steps_have_no_badge(samples: SimpleNamespace) -> None:
    done = replace(samples.readme(), state=PlanState.COMPLETED)
    rejected = replace(samples.readme(), id="r", steps=(samples.step(1, "a.py", StepState.REJECTED),))
    assert badges_of((done, rejected)) == Badges()
    delete = replace(samples.readme(), steps=(samples.step(1, "a.py", op=Operation.DELETE),))
    assert badges_of((delete,)).proposed == {}


def test_only_rows_that_look_different_are_told(samples: SimpleNamespace) -> None:
    model = make_model(Disk(["src/tidewatch/fetch.py", "src/tidewatch/config.py", "docs/usage.md"]))
    model.set_badges(badges_of((samples.retry(),)))
    look_everywhere(model)
    told = QSignalSpy(model.dataChanged)
    model.set_badges(badges_of((samples.retry(),)))
    assert told.count() == 0
    model.set_badges(badges_of((samples.with_step(samples.retry(), 1, state=StepState.STALE),)))
    paths = {told.at(row)[0].data(Role.PATH) for row in range(told.count())}
    assert paths == {"src/tidewatch/fetch.py", "src/tidewatch"}
    everything = QSignalSpy(model.appearance_changed)
    many = tuple(samples.step(number, f"f{number}.py") for number in range(1, 300))
    model.set_badges(badges_of((replace(samples.readme(), steps=many),)))
    assert everything.count() == 1


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication, desk: Any, samples: SimpleNamespace) -> TreePanel:
    set_theme(qapp, "light")
    disk = Disk(
        [f"src/tidewatch/{name}.py" for name in ("alerts", "config", "fetch", "store")]
        + [".env", "pyproject.toml", "docs/usage.md", "node_modules/x.js"]
    )
    desk.project.list_folder = disk.list_folder
    desk.denied = frozenset({".env", "node_modules/file"})
    desk.disk = disk
    panel = TreePanel(desk)
    qtbot.addWidget(panel)
    panel.resize(304, 400)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def click(panel: TreePanel, index: QModelIndex, x: int = 100) -> None:
    row = panel.view.visualRect(index)
    spot = panel.view.viewport().mapTo(panel, QPoint(x, row.center().y()))
    QTest.mouseClick(panel.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)


def test_the_current_steps_file_is_revealed(
    panel: TreePanel, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    desk.select(samples.retry().id, 1)
    qtbot.waitUntil(lambda: panel.view.currentIndex().data(Role.PATH) == "src/tidewatch/fetch.py")
    assert panel.view.isExpanded(panel.model.index_of("src/tidewatch"))
    row = panel.view.visualRect(panel.view.currentIndex())
    shown = panel.view.viewport().grab().toImage()
    assert shown.pixelColor(2, row.center().y()) == color("selectOff")


def test_a_click_on_a_file_selects_its_step(panel: TreePanel, desk: Any, samples: SimpleNamespace) -> None:
    panel.view.expand(panel.model.index_of("src/tidewatch"))
    click(panel, panel.model.index_of("src/tidewatch/store.py"))
    assert desk.asked[-1] == ("select", samples.retry().id, 7)
    click(panel, panel.model.index_of("src/tidewatch/alerts.py"))
    assert desk.asked[-1] == ("read", FileLocation("src/tidewatch/alerts.py")), "no step is about this file"


def test_keys_fold_search_and_go(panel: TreePanel, desk: Any, samples: SimpleNamespace) -> None:
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.model.index_of("src/tidewatch"))
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    assert panel.view.isExpanded(panel.view.currentIndex())
    QTest.keyClicks(panel.view, "sto")
    assert panel.view.currentIndex().data(Role.PATH) == "src/tidewatch/store.py"
    QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert desk.asked[-1] == ("select", samples.retry().id, 7)


def test_the_chevron_folds_without_choosing(panel: TreePanel, desk: Any) -> None:
    index = panel.model.index_of("src/tidewatch")
    before = panel.view.isExpanded(index)
    click(panel, index, x=15)
    assert panel.view.isExpanded(index) is not before
    assert not any(asked[0] == "select" for asked in desk.asked)


def test_denied_names_and_counts_are_known(panel: TreePanel, desk: Any) -> None:
    assert panel.model.index_of(".env").data(Role.DENIED) is True
    assert panel.model.index_of("node_modules").data(Role.DENIED) is True
    assert panel.model.index_of("pyproject.toml").data(Role.DENIED) is False
    assert panel.header.detail.text().startswith("tidewatch · ")
    badge = panel.model.index_of("docs").data(Role.BADGE)
    assert isinstance(badge, FolderBadge) and badge.count == 2


def test_who_created_a_file_is_known_from_the_history(
    panel: TreePanel, desk: Any, samples: SimpleNamespace
) -> None:
    """A move takes it along, a rollback and a delete take it away; what was there before has nobody."""

    def step(op: Operation, path: str, to: str | None = None, *, is_new: bool = False) -> SimpleNamespace:
        image = FileImage("0" * 64, 1, 0o644)
        base = None if is_new else image
        result = None if op is Operation.DELETE else image
        applied = StepState.APPLIED
        return SimpleNamespace(
            op=op, path=path, to=to, target=to or path, base=base, result=result, state=applied
        )

    def applied(*steps: SimpleNamespace, agent: str = "codex", rolls_back: str | None = None) -> Any:
        plan = SimpleNamespace(agent=agent, title="New files", steps=steps)
        return SimpleNamespace(plan=plan, written=steps, rolls_back=rolls_back)

    create, move, delete = Operation.CREATE, Operation.MOVE, Operation.DELETE
    history = (
        applied(step(delete, "gone.py"), step(move, "a.py", "pyproject.toml"), agent="claude"),
        applied(step(create, "back.py", is_new=True), rolls_back="1"),
        applied(step(create, "a.py", is_new=True), step(create, "gone.py", is_new=True)),
        applied(step(Operation.MODIFY, "README.md"), agent=""),
    )
    words = "created by codex in “New files”"
    assert origins_of(history) == {"pyproject.toml": words}
    desk.history = history
    desk.history_changed.emit()
    index = panel.model.index_of("pyproject.toml")
    assert words in index.data(Qt.ItemDataRole.ToolTipRole)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == f"pyproject.toml, {words}"
    assert panel.model.row(index).origin == words
    desk.history = ()
    desk.history_changed.emit()
    assert not index.data(Qt.ItemDataRole.ToolTipRole)


def test_a_changed_rule_is_shown_at_once(
    panel: TreePanel, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(paths: Iterable[str], then: Callable[[Any], object], _plan: object = None) -> None:
        then(tuple(SimpleNamespace(path=path, allowed=path != "pyproject.toml") for path in paths))

    monkeypatch.setattr(desk, "check_paths", check)
    desk.rules_changed.emit()
    assert panel.model.index_of(".env").data(Role.DENIED) is False
    assert panel.model.index_of("pyproject.toml").data(Role.DENIED) is True


def test_a_new_state_repaints_the_badge(panel: TreePanel, desk: Any, samples: SimpleNamespace) -> None:
    panel.view.expand(panel.model.index_of("src/tidewatch"))
    desk.show(samples.with_step(samples.retry(), 1, state=StepState.STALE))
    badge = panel.model.index_of("src/tidewatch/fetch.py").data(Role.BADGE)
    assert isinstance(badge, Badge) and badge.style.word == "stale"


def test_only_what_plans_speak_about(panel: TreePanel, desk: Any) -> None:
    QTest.mouseClick(panel.only_badged, Qt.MouseButton.LeftButton)
    shown = look_everywhere(panel.model)
    assert "src/tidewatch/alerts.py" not in shown and "src/tidewatch/fetch.py" in shown
    QTest.mouseClick(panel.only_badged, Qt.MouseButton.LeftButton)
    assert "src/tidewatch/alerts.py" in look_everywhere(panel.model)


def test_files_that_appear_on_disk_appear_here(panel: TreePanel, desk: Any, qtbot: QtBot) -> None:
    desk.disk.paths.add("NEWS.md")
    desk.queue.tree_changed.emit()
    qtbot.waitUntil(lambda: panel.model.index_of("NEWS.md").isValid())


def test_what_takes_the_keyboard_has_a_name(panel: TreePanel, nameless: Any) -> None:
    assert nameless(panel) == []


def test_a_folder_that_a_step_makes_has_a_badge(samples: SimpleNamespace) -> None:
    """As a file would; a folder with files in it says how many."""
    made = replace(
        samples.step(1, "docs/pictures", StepState.PENDING),
        op=Operation.MKDIR, base=None, result=FileImage(None, 0, 0o755),
    )  # fmt: skip
    model = make_model(Disk(["docs/usage.md"]))
    model.set_badges(badges_of((replace(samples.readme(), id="m", steps=(made,)),)))
    look_everywhere(model)
    assert model.index_of("docs/pictures").data(Role.BADGE).style.word == "new"
    assert model.index_of("docs").data(Role.BADGE).count == 1


def test_no_file_is_current_in_the_place_of_one_that_went(panel: TreePanel, desk: Any, qtbot: QtBot) -> None:
    """Qt makes a neighbour current; the tree would say that the step is about that one."""
    gone = "src/tidewatch/alerts.py"
    panel.view.expand(panel.model.index_of("src/tidewatch"))
    panel.view.setCurrentIndex(panel.model.index_of(gone))
    desk.disk.paths.discard(gone)
    desk.queue.tree_changed.emit()
    qtbot.waitUntil(lambda: not panel.model.index_of(gone).isValid())
    assert not panel.view.currentIndex().isValid()
    assert not panel.view.selectedIndexes()


def test_rows_that_come_above_the_current_file_leave_it_in_view(
    panel: TreePanel, desk: Any, qtbot: QtBot
) -> None:
    panel.view.setCurrentIndex(panel.model.index_of("pyproject.toml"))
    area = panel.view.viewport().rect()
    assert area.contains(panel.view.visualRect(panel.view.currentIndex()))
    desk.disk.paths |= {f"a{number:02d}.py" for number in range(30)}
    desk.queue.tree_changed.emit()
    qtbot.waitUntil(lambda: panel.model.index_of("a29.py").isValid())
    qtbot.waitUntil(lambda: panel.view.verticalScrollBar().value() > 0)
    assert area.contains(panel.view.visualRect(panel.view.currentIndex()))
