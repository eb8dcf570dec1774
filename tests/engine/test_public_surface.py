"""Everything a door can reach by public names, called: nothing of it decides or writes."""

from __future__ import annotations

import ast
import inspect
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from studio import engine
from studio.engine.history import DriftResolution
from studio.engine.observed_change import ObservedChange
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.propose.layer_draft import LayerChanges
from studio.engine.propose.session_files import SessionFiles
from studio.engine.proposer import Proposer
from studio.engine.session import CallState, EventKind, Session, ToolCall
from studio.engine.store import Store
from studio.errors import StudioError
from studio.extras.commands import Trials, WouldBe
from studio.extras.journal_view import JournalFilter, JournalView
from studio.extras.observed.observed import Observed
from studio.extras.reader import FolderQuery, LineQuery, Reader, SearchPlace
from studio.extras.reviews import Reviews
from studio.extras.sandbox import EndedBy, Outcome, Way
from studio.extras.snapshots import Snapshots
from studio.formats import detect
from studio.values import Value
from studio.workspace import Reviewer, Workspace
from tests.tools import public_names
from tests.tools.inside import context_of

PLAIN = (str, bytes, int, float, bool, datetime, Path, type(None), StudioError)
"""Nothing leads further from these: words, and sentences of what went wrong, which doors catch anyway."""
DOORS = (Proposer, JournalView, Workspace, Snapshots, Observed, Reviews, Trials, Reader)
SOURCE = Path(__file__).parents[2]
OUTSIDE = ("ui", "doors", "formats", "files", "branch")
NAMES_UP_TO = 110
UNDECIDED = {PlanState.PENDING, PlanState.INVALID, PlanState.CANCELLED}
"""What a door's own plans may be afterwards: it may also withdraw them."""

TRIED = Outcome(("true",), 0, None, 0.1, Way.COPY, False, (), b"", 0, 0, EndedBy.ITSELF)
MOST_CALLS = 100_000
MOST_ITEMS = 50

OVERLAY = {"overlay", "tool"}
"""A session's filesystem, whose writes stay in memory, and the tool over it: with tests of their own."""
NEEDS_PERSON = "reviewer"
"""The one way from a workspace to its deciding side: it is given a person."""
SANDBOX = {"sandbox", "session_sandbox"}
"""Where commands run: what these can reach is tried by tests of their own."""
ENDS = {"close", "close_thread", "open"}
"""What of a workspace ends it, or makes another one."""


LATE = sorted(
    ".".join(file.parent.relative_to(SOURCE).parts)
    for file in (SOURCE / "studio").rglob("__init__.py")
    if "ui" not in file.parts  # these tests run without Qt
    and "__getattr__ = late_" in file.read_text(encoding="utf-8")
)
"""Packages whose names are loaded with their modules."""


@pytest.mark.parametrize("package", LATE)
def test_a_late_name_is_no_other_submodule(package: str) -> None:
    """A loaded submodule becomes an attribute of its package, in the place of a function with its name."""
    room = import_module(package)
    folder = Path(str(room.__file__)).parent
    files = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
    typed = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    names = {
        alias.name for node in ast.walk(typed) if isinstance(node, ast.If)
        for each in node.body if isinstance(each, ast.ImportFrom) for alias in each.names
    }  # fmt: skip
    assert names
    for name in names:
        value = getattr(room, name)
        assert name not in {file.stem for file in files} or inspect.ismodule(value), f"{package}.{name}"


def text_of(path: str, content: str, op: str = "modify") -> bytes:
    return json.dumps({"title": path, "steps": [{"op": op, "path": path, "content": content}]}).encode()


@pytest.fixture
def plans(project: Path, workspace: Workspace, reviewer: Reviewer) -> dict[str, Plan]:
    """A plan in each state in which something could be decided, written or taken back."""

    def propose(name: str) -> Plan:
        (project / f"{name}.txt").write_text("old\n")
        return workspace.proposer.propose(detect.read(text_of(f"{name}.txt", "new\n")))

    made = {name: propose(name) for name in ("pending", "approved", "applied", "stale", "drifted")}
    for name in ("approved", "applied", "drifted"):
        reviewer.approve(made[name].id)
    for name in ("applied", "drifted"):
        reviewer.apply(made[name].id)
    for name in ("stale", "drifted"):
        (project / f"{name}.txt").write_text("theirs\n")
    workspace.proposer.refresh()
    return made


class Explorer:
    """Walks public names, and calls what can be called with all it knows for a parameter of that name."""

    def __init__(self, arguments: Mapping[str, tuple[Any, ...]]) -> None:
        self.called: list[str] = []
        self.met: set[type] = set()
        self._arguments = arguments
        self._seen: set[object] = set()

    def explore(self, thing: Any, way: str) -> None:
        allowed = (*PLAIN, *DOORS, Enum, tuple, list, dict, set, frozenset, Value, Iterator, Mapping)
        assert isinstance(thing, allowed), f"{way} leads to a {type(thing).__qualname__}"
        if isinstance(thing, (*PLAIN, Enum)):
            return
        if isinstance(thing, Mapping):
            self._each(thing.items(), way)
        elif isinstance(thing, (tuple, list, set, frozenset, Iterator)):
            self._each(thing, way)
        elif type(thing) not in self.met or isinstance(thing, DOORS):
            self.met.add(type(thing))
            for name in sorted(name for name in dir(thing) if not name.startswith("_")):
                if not (isinstance(thing, Workspace) and name in {NEEDS_PERSON, *OVERLAY, *SANDBOX, *ENDS}):
                    self._member(thing, name, f"{way}.{name}")

    def _each(self, things: Any, way: str) -> None:
        for item in islice(things, MOST_ITEMS):
            self.explore(item, f"{way}[]")

    def _member(self, thing: Any, name: str, way: str) -> None:
        member = getattr(thing, name)
        if not callable(member):
            self.explore(member, way)
            return
        for given in self._ways_to_call(member, way):
            self.called.append(way)
            assert len(self.called) < MOST_CALLS
            try:
                self.explore(member(**given), f"{way}()")
            except (StudioError, NotADirectoryError):
                continue

    def _ways_to_call(self, member: Callable[..., Any], way: str) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = [{}]
        is_of_door = isinstance(getattr(member, "__self__", None), DOORS)
        for parameter in inspect.signature(member).parameters.values():
            if parameter.name not in self._arguments and parameter.default is not parameter.empty:
                assert not is_of_door, f"what is to be given to {way} as {parameter.name}?"
                continue
            assert parameter.name in self._arguments, f"what is to be given to {way} as {parameter.name}?"
            values = self._arguments[parameter.name]
            calls = [{**call, parameter.name: value} for call in calls for value in values]
        return calls


def arguments_for(
    plans: Mapping[str, Plan],
    folder: Path,
    session: Session,
    overlay: SessionFiles,
    call: ToolCall,
    *,
    changes: tuple[ObservedChange, ...],
) -> dict[str, tuple[Any, ...]]:
    ids = tuple(plan.id for plan in plans.values())
    stop = threading.Event()
    stop.set()
    return {
        "after": (0,),
        "closed": ((),),
        "plans": ((),),
        "agent": ("", "tester"),
        "alone": (False, True),
        "exists": (False, True),
        "sha256": (None, "0" * 64),
        "before": (None,),
        "call_id": (call.id,),
        "change": changes,
        "changes": ((), changes),
        "choices": ({},),
        "callback": (lambda _paths: None,),
        "cancel": (stop,),
        "command": ("make all",),
        "content": (b"other\n",),
        "cwd": (str(folder),),
        "events": ([(EventKind.MESSAGE, {"text": "x"})],),
        "export": (None, folder, folder / "no-export"),
        "door": ("mcp",),
        "draft": (detect.read(text_of("made.txt", "made\n", "create")), detect.read(b"{}")),
        "folder": (folder,),
        "found": (LayerChanges(folder, {}, 0, "made by a command"),),
        "format_name": ("", "plan"),
        "count": (1,),
        "id_or_prefix": (*ids, call.id),
        "progress": (None,),
        "other": (None, "kept"),
        "on_part": (None, lambda _plan: None),
        "outcome": (TRIED,),
        "who": ("", "tester"),
        "would_be": tuple(WouldBe(plan_id, {"a": None}, (), (), ()) for plan_id in ids),
        "wanted": ("kept", *(change.id for change in changes)),
        "with_baseline": (False, True),
        "tag": ("kept",),
        "is_stopped": (lambda: False,),
        "limit": (5,),
        "line": (0,),
        "name": ("", "morning"),
        "names": (("pending.txt", "other.txt"),),
        "next_is_rollback": (False, True),
        "next_plan": (None, *ids),
        "number": (1,),
        "only": (JournalFilter(), JournalFilter(is_unanswered=True)),
        "numbers": (None, (1,)),
        "path": ("pending.txt", ""),
        "person": (None,),  # a door has none
        "query": tuple(LineQuery("new", place) for place in (SearchPlace.PLANS, SearchPlace.PROJECT)),
        "folder_query": (FolderQuery(""), FolderQuery("src", "*", is_deep=True)),
        "report": (len,),
        "revisions": ("a..b",),
        "root": (folder,),
        "rows": ((),),
        "overlay": (overlay,),
        "title": ("",),
        "tool": ("Bash",),
        "paths": (("pending.txt", "../out", ".git/config"),),
        "key": ("file_rules.deny",),
        "plan_id": ids,
        "session": (session,),
        "session_id": (session.id,),
        "size": (1,),
        "source": ("", "agent"),
        "state": (None, PlanState.APPROVED),
        "step": (next(iter(plans.values())).steps[0],),
        "steps": (None, (1,)),
        "step_numbers": ((1,),),
        "text": ("a\n",),
        "timeout": (0.01,),
        "waits": (False, True),
        "ways": (None, *({1: way} for way in DriftResolution)),
        "whole": (False, True),
        "words": ("pending", ""),
        "deletes": (False, True),
        "with_contents": (False, True),
    }


def tree(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
    }


def test_nothing_a_door_can_reach_decides_or_writes(
    project: Path, workspace: Workspace, plans: dict[str, Plan], tmp_path: Path
) -> None:
    """Values that can't be changed, and two objects, none of whose methods leads further."""
    replayed = tmp_path / "replayed"
    replayed.mkdir()
    store = Store(workspace.state_folder)
    before, journal = tree(project), store.journal.rows()
    decided = {plan.id: [step.decision for step in plan.steps] for plan in workspace.proposer.plans()}
    session = workspace.proposer.open_session("tester", "mcp")
    overlay = workspace.overlay(session)
    overlay.write("overlaid.txt", "text\n")
    call = workspace.proposer.ask(session, "Bash", command="make")
    workspace.snapshots.create("kept")
    workspace.observed.look()
    (project / "observed.txt").write_bytes(b"seen\n")
    workspace.observed.look()
    changes, before = workspace.observed.open(), tree(project)
    arguments = arguments_for(plans, replayed, session, overlay, call, changes=changes)
    arguments["preview"] = (workspace.snapshots.preview("kept"),)
    explorer = Explorer(arguments)
    explorer.explore(workspace, "workspace")
    for door in (workspace.proposer, workspace.journal):
        explorer.explore(door, type(door).__name__)

    wanted = {f"workspace.proposer.{name}" for name, _ in inspect.getmembers(Proposer, inspect.isfunction)}
    assert {name for name in wanted if "._" not in name} <= set(explorer.called)
    assert {each.state for each in workspace.proposer.calls()} <= {CallState.WAITING, CallState.GONE}
    assert tree(project) == before
    assert changes and workspace.observed.open() == changes, "nothing was kept or taken back"
    assert store.journal.rows() == journal, "no request, and no other entry, was appended"
    for plan in workspace.proposer.plans():
        name = next((name for name, made in plans.items() if made.id == plan.id), "")
        decisions = [step.decision for step in plan.steps]
        assert decisions == decided.get(plan.id, [None] * len(plan.steps))
        is_applied = {step.state for step in plan.steps} == {StepState.APPLIED}
        assert is_applied == (name in ("applied", "drifted"))
        assert plan.state in ({PlanState.COMPLETED} if is_applied else UNDECIDED)
    print(f"{len(explorer.called)} calls of {len(set(explorer.called))} methods on {len(explorer.met)} types")
    store.close()


def test_what_leads_further_is_found(workspace: Workspace, reviewer: Reviewer) -> None:
    """The walk itself fails for a deciding side, a store, and a journal that can be written."""
    store = Store(workspace.state_folder)
    for thing in (reviewer, store, store.journal, store.database, store.plans, context_of(workspace)):
        with pytest.raises(AssertionError, match="leads to"):
            Explorer({}).explore((thing,), "door")
    store.close()


def test_an_argument_that_is_not_known_stops_the_walk(workspace: Workspace) -> None:
    """A new method of a door can't slip past."""
    with pytest.raises(AssertionError, match="what is to be given"):
        Explorer({}).explore(workspace.proposer, "door")


def test_what_programs_call_changes_with_its_table() -> None:
    assert public_names.FILE.read_text(encoding="utf-8") == public_names.text(), (
        "a public name or signature changed: python -m tests.tools.public_names"
    )


def imports_of(tree: ast.AST) -> set[tuple[str | None, str]]:
    """Module and name of every import."""
    found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {(node.module, alias.name) for node in found for alias in node.names}


def taken_of(package: str, tree: ast.AST) -> Iterator[str]:
    """The names that a module takes of a package when it needs them."""
    if ("studio", package) in imports_of(tree):
        attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        yield from (node.attr for node in attributes if ast.unparse(node.value) == package)


def test_the_public_module_has_the_names_that_others_import() -> None:
    """It has few, and a type checker sees those that it hands out."""
    modules = {(module, name) for module, names in vars(engine)["_MODULES"].items() for name in names.split()}
    source = Path(inspect.getfile(engine))
    checked = next(node for node in ast.parse(source.read_text()).body if isinstance(node, ast.If))
    assert imports_of(checked) == modules
    files = (file for room in OUTSIDE for file in (source.parents[1] / room).rglob("*.py"))
    trees = [ast.parse(file.read_text()) for file in files]
    imported = {name for tree in trees for module, name in imports_of(tree) if module == "studio.engine"}
    imported |= {name for tree in trees for name in taken_of("engine", tree)}
    names = {name for _, name in modules}
    assert names == imported
    assert len(modules) == len(names) <= NAMES_UP_TO
    for module, name in modules:
        assert getattr(engine, name) is getattr(import_module(str(module)), name)
