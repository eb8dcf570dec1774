"""The queue with 2,000 files and the tree of 50,000, until a person can use them."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeView

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation, PersonSource
from studio.engine.root import ProjectRoot
from studio.ui.look.theme import set_theme
from studio.ui.plan.pane import PlanPane
from studio.ui.queue.panel import QueuePanel
from studio.ui.review.desk import Desk
from studio.ui.review.queue_state import CachedPlans, QueueState, read_queue_state
from studio.ui.runner import Runner
from studio.ui.tree.model import ProjectModel
from studio.ui.tree.panel import TreeView
from studio.workspace import Person, Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.trees import make_tree

STEPS = 2000
USABLE_MS = 100.0
_WIDTH, _HEIGHT = 300, 600
_PAGE_WIDTH = 860


def _app() -> None:
    app = QApplication.instance() or QApplication(["panels", "-platform", "offscreen"])
    assert isinstance(app, QApplication)
    set_theme(app, "light")


def large_plan(root: Path, steps: int) -> Workspace:
    """A project whose one plan makes that many files."""
    config = Path(os.environ["STUDIO_CONFIG_DIR"])
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.yaml").write_text(f"limits: {{steps: {steps}}}\n")
    root.mkdir()
    workspace = Workspace.open(root)
    drafts = [
        DraftStep(Operation.CREATE, f"part_{at // 50}/module_{at}.py", content=b"a\n") for at in range(steps)
    ]
    workspace.proposer.propose(PlanDraft("plan", tuple(drafts), "Much"))
    return workspace


def _queue(folder: Path, pairs: int) -> Comparison:
    """From the answer of the store until a key has moved through the painted queue."""
    _app()
    workspace = large_plan(folder / "project", STEPS)
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "somebody"))
    desk = Desk(Runner(immediate=True), workspace, reviewer)
    queue = QueuePanel(desk)
    queue.resize(_WIDTH, _HEIGHT)
    queue.show()
    snapshot = read_queue_state(workspace, CachedPlans())
    assert len(snapshot.plans[0].steps) == STEPS
    owns: list[float] = []

    def ours() -> float:
        desk.queue._apply_state(QueueState())
        QApplication.processEvents()
        started, own = time.perf_counter(), time.thread_time()
        desk.queue._apply_state(snapshot)
        queue.view.viewport().repaint()
        before = desk.queue.current_step
        QTest.keyClick(queue.view, Qt.Key.Key_Down)
        queue.view.viewport().repaint()
        taken = (time.perf_counter() - started) * 1000
        owns.append((time.thread_time() - own) * 1000)
        assert desk.queue.current_step is not before
        return taken

    mine, other = compare(ours, lambda: USABLE_MS, pairs)
    desk.close()
    queue.close()
    queue.deleteLater()
    desk.deleteLater()
    QApplication.processEvents()
    workspace.close()
    legs = {"of it the window's own thread": tuple(owns[1:])}
    return Comparison(f"a queue of {STEPS} files, used", "100 ms", mine, other, 1.0, legs=legs)


def _plan_tree(folder: Path, pairs: int) -> Comparison:
    """From the store's answer until a folder was ticked by a key in the painted tree."""
    _app()
    workspace = large_plan(folder / "project", STEPS)
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "somebody"))
    desk = Desk(Runner(immediate=True), workspace, reviewer)
    queue, page = QueuePanel(desk), PlanPane(desk)
    queue.resize(_WIDTH, _HEIGHT)
    page.resize(_PAGE_WIDTH, _HEIGHT)
    queue.show()
    page.show()
    snapshot = read_queue_state(workspace, CachedPlans())
    (plan,) = snapshot.plans
    owns: list[float] = []

    def ours() -> float:
        desk.queue._apply_state(QueueState())
        QApplication.processEvents()
        started, own = time.perf_counter(), time.thread_time()
        desk.queue._apply_state(snapshot)
        desk.select(plan.id, None)
        queue.view.viewport().repaint()
        queue.view.setCurrentIndex(queue.model.fold_of(plan.id, "part_0/"))
        QTest.keyClick(queue.view, Qt.Key.Key_Space)
        queue.view.viewport().repaint()
        taken = (time.perf_counter() - started) * 1000
        owns.append((time.thread_time() - own) * 1000)
        assert queue.model.rowCount(queue.model.index_of(plan.id)) == STEPS + -(-STEPS // 50)
        assert len(desk.ticked.steps) == 50
        desk.ticked.clear()
        return taken

    mine, other = compare(ours, lambda: USABLE_MS, pairs)
    desk.close()
    for widget in (queue, page):
        widget.close()
        widget.deleteLater()
    desk.deleteLater()
    QApplication.processEvents()
    workspace.close()
    legs = {"of it the window's own thread": tuple(owns[1:])}
    return Comparison(f"a plan's tree of {STEPS} files, used", "100 ms", mine, other, 1.0, legs=legs)


def _tree(folder: Path, pairs: int) -> Comparison:
    """From the listing of the top folder to the painted tree, its widget made meanwhile."""
    _app()
    root = folder / "tree"
    make_tree(root)

    def shown(view: QTreeView) -> None:
        view.resize(_WIDTH, _HEIGHT)
        view.show()
        view.grab()

    def closed(view: QTreeView) -> None:
        view.close()
        view.deleteLater()
        QApplication.processEvents()

    with ProjectRoot(root) as project:
        # The window lists folders on another thread.
        list_folder = cache(project.list_folder)

        def ours() -> float:
            started = time.perf_counter()
            model = ProjectModel(lambda path, then: then(list_folder(path)))
            view = TreeView(model)
            model.setParent(view)
            model.load()
            shown(view)
            taken = (time.perf_counter() - started) * 1000
            assert model.rowCount() > 1
            closed(view)
            return taken

        def empty() -> float:
            started = time.perf_counter()
            view = QTreeView()
            view.setHeaderHidden(True)
            shown(view)
            taken = (time.perf_counter() - started) * 1000
            closed(view)
            return taken

        mine, other = compare(ours, empty, pairs)
    return Comparison("the project's tree", "an empty QTreeView", mine, other, 2.0)


QUEUE = Benchmark("queue", "a plan of 2,000 files, from the store's answer to a key in the queue", _queue)
PLAN_TREE = Benchmark("plan-tree", "the tree of a plan of 2,000 files, until a folder is ticked", _plan_tree)
TREE = Benchmark("tree", "the tree of a project of 50,000 files to its first paint", _tree)
