"""Table of all window actions: names, menus, keys, icons, palette synonyms."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from studio.ui.actions.action import Action, ActionEntry, Menu, Needs, Scope
from studio.ui.actions.review_table import REVIEW_ACTIONS
from studio.ui.actions.view_table import VIEW_ACTIONS

_APPLY_KEYS = ("Ctrl+Shift+Return", "Ctrl+Shift+Enter")

ACTIONS: tuple[ActionEntry, ...] = (
    ActionEntry(
        Action.OPEN,
        "Open project…",
        Menu.FILE,
        ("Ctrl+O",),
        "open",
        needs=Needs.NOTHING,
        synonyms="folder switch repository",
    ),
    ActionEntry(
        Action.SWITCH_PROJECT,
        "Switch project…",
        Menu.FILE,
        ("Ctrl+Shift+O",),
        "folder",
        needs=Needs.NOTHING,
        asks=True,
        synonyms="recent window other waits",
    ),
    ActionEntry(
        Action.PASTE,
        "Paste plan",
        Menu.FILE,
        ("Ctrl+Shift+V",),
        "paste",
        synonyms="import clipboard insert diff patch",
    ),
    ActionEntry(Action.REPAIR, "Repair the pasted text", Menu.FILE, (), "merge", synonyms="mend fix correct"),
    ActionEntry(Action.SUBMIT_FILE, "Import plan…", Menu.FILE, (), "file", synonyms="import diff patch load"),
    ActionEntry(
        Action.DEMO,
        "Try the demo project",
        Menu.FILE,
        (),
        "plan",
        needs=Needs.NOTHING,
        synonyms="example tutorial sample",
    ),
    ActionEntry(
        Action.APPLY,
        "Apply plan",
        Menu.FILE,
        _APPLY_KEYS,
        "apply",
        decides=True,
        section=True,
        synonyms="write save",
    ),
    ActionEntry(Action.STOP, "Stop", Menu.FILE, (), "cross", synonyms="cancel applying noting abort"),
    ActionEntry(
        Action.UNDO_LAST,
        "Undo last",
        Menu.FILE,
        ("Ctrl+Alt+Z",),
        "undo",
        decides=True,
        synonyms="revert roll back history",
    ),
    ActionEntry(
        Action.NEW_SNAPSHOT,
        "New snapshot…",
        Menu.FILE,
        (),
        "plus",
        asks=True,
        section=True,
        synonyms="keep whole state backup checkpoint",
    ),
    ActionEntry(
        Action.CLOSE_WINDOW,
        "Close window",
        Menu.FILE,
        ("Ctrl+W",),
        section=True,
        needs=Needs.NOTHING,
        synonyms="exit",
    ),
    ActionEntry(Action.QUIT, "Quit", Menu.FILE, ("Ctrl+Q",), needs=Needs.NOTHING, synonyms="exit"),
    ActionEntry(
        Action.COPY,
        "Copy without +/− signs",
        Menu.EDIT,
        ("Ctrl+C",),
        "copy",
        Scope.REVIEW,
        needs=Needs.DIFF,
        synonyms="clipboard",
    ),
    ActionEntry(
        Action.FIND, "Find on this page…", Menu.EDIT, ("Ctrl+F",), "find", asks=True, synonyms="search"
    ),
    ActionEntry(Action.FIND_NEXT, "Find next", Menu.EDIT, ("F3",), synonyms="search again"),
    ActionEntry(Action.FIND_PREVIOUS, "Find previous", Menu.EDIT, ("Shift+F3",), synonyms="search again"),
    ActionEntry(
        Action.FIND_ACROSS,
        "Find in plans, project and history…",
        Menu.EDIT,
        ("Ctrl+Shift+F",),
        "find",
        asks=True,
        synonyms="search grep everywhere all files",
    ),
    ActionEntry(Action.GO_TO_LINE, "Go to line…", Menu.GO, ("Ctrl+G",), asks=True, synonyms="jump number"),
    ActionEntry(
        Action.PALETTE,
        "Search commands, files and lines",
        Menu.EDIT,
        ("Ctrl+Shift+P",),
        "find",
        section=True,
        needs=Needs.NOTHING,
        asks=True,
        synonyms="commands actions",
    ),
    ActionEntry(
        Action.GO_TO_FILE,
        "Go to file…",
        Menu.GO,
        ("Ctrl+P",),
        "file",
        asks=True,
        synonyms="open jump find read path",
    ),
    ActionEntry(
        Action.READ_FILE,
        "View file with blame",
        Menu.GO,
        ("O",),
        "observed",
        Scope.REVIEW,
        synonyms="blame annotate author open origin",
    ),
    ActionEntry(
        Action.BROWSE_FOLDER,
        "Browse folder",
        Menu.GO,
        ("Shift+O",),
        "folder",
        Scope.REVIEW,
        synonyms="directory list files hidden pattern around",
    ),
    ActionEntry(
        Action.READ_BASE,
        "View file before the step",
        Menu.GO,
        (),
        "file",
        synonyms="base before old original left side",
    ),
    ActionEntry(
        Action.READ_RESULT,
        "View file after the step",
        Menu.GO,
        (),
        "file",
        synonyms="result after new right side whole",
    ),
    ActionEntry(
        Action.OPEN_IN_EDITOR,
        "Open in editor",
        Menu.GO,
        ("Ctrl+E",),
        "edit",
        synonyms="external code line vscode visual",
    ),
    ActionEntry(
        Action.SHOW_IN_FOLDER,
        "Show in folder",
        Menu.GO,
        (),
        "folder",
        synonyms="reveal files explorer finder browse",
    ),
    ActionEntry(
        Action.READ_EARLIER,
        "Go back",
        Menu.GO,
        ("Alt+Left",),
        synonyms="previous history",
    ),
    ActionEntry(
        Action.READ_LATER,
        "Go forward",
        Menu.GO,
        ("Alt+Right",),
        synonyms="forward next history",
    ),
    ActionEntry(
        Action.SETTINGS,
        "Settings…",
        Menu.EDIT,
        ("Ctrl+,",),
        "settings",
        section=True,
        needs=Needs.NOTHING,
        asks=True,
        synonyms="preferences options configuration limits undo notifications",
    ),
    ActionEntry(
        Action.RULES,
        "Rules for files…",
        Menu.EDIT,
        (),
        "denied",
        needs=Needs.NOTHING,
        asks=True,
        synonyms="settings allow deny pattern secrets which files try",
    ),
    ActionEntry(
        Action.ALLOW_FOLDER,
        "Allow this folder…",
        Menu.EDIT,
        (),
        "folder",
        asks=True,
        synonyms="settings rules denied refused open permit packages bin",
    ),
    ActionEntry(
        Action.TRUST,
        "Trust studio.yaml…",
        Menu.EDIT,
        (),
        "look-out",
        synonyms="settings studio.yaml widen allow",
    ),
    *VIEW_ACTIONS,
    *REVIEW_ACTIONS,
    ActionEntry(
        Action.REQUEST_CHANGES,
        "Request changes…",
        Menu.DECIDE,
        ("Shift+R",),
        "comment",
        Scope.REVIEW,
        decides=True,
        asks=True,
        synonyms="send back",
    ),
    ActionEntry(
        Action.ALLOW_CALL,
        "Allow tool call",
        Menu.DECIDE,
        (),
        "check",
        decides=True,
        section=True,
        synonyms="command shell call permit",
    ),
    ActionEntry(
        Action.DENY_CALL,
        "Deny tool call…",
        Menu.DECIDE,
        (),
        "cross",
        decides=True,
        asks=True,
        synonyms="command shell call refuse",
    ),
    ActionEntry(
        Action.COPY_REPLY,
        "Copy reply for the agent",
        Menu.DECIDE,
        ("Y",),
        "copy",
        Scope.REVIEW,
        synonyms="answer agent",
    ),
    ActionEntry(
        Action.ASK_AGENT,
        "Ask an agent…",
        Menu.AGENTS,
        (),
        "agent",
        asks=True,
        synonyms="talk chat acp",
    ),
    ActionEntry(
        Action.RUN_COMMAND,
        "Run a command…",
        Menu.AGENTS,
        (),
        "terminal",
        asks=True,
        section=True,
        synonyms="sandbox shell execute",
    ),
    ActionEntry(
        Action.PREVIEW_RESULT, "Propose the command's changes now", Menu.AGENTS, synonyms="propose sandbox"
    ),
    ActionEntry(
        Action.STOP_COMMAND, "Stop the command", Menu.AGENTS, (), "cross", synonyms="end kill cancel"
    ),
    ActionEntry(
        Action.CONNECT_AGENTS,
        "Connect agents…",
        Menu.AGENTS,
        (),
        "agent",
        section=True,
        needs=Needs.NOTHING,
        synonyms="settings gate prove doctor hook disconnect claude codex gemini",
    ),
    ActionEntry(
        Action.GATES,
        "Gates of connected agents",
        Menu.AGENTS,
        (),
        "gate",
        needs=Needs.NOTHING,
        synonyms="lamp doctor proof connect",
    ),
    ActionEntry(Action.COPY_TYPED, "Copy what I typed", Menu.DECIDE, (), "copy", synonyms="reason comment"),
    ActionEntry(
        Action.FIRST_STEPS,
        "First steps",
        Menu.HELP,
        (),
        "plan",
        needs=Needs.NOTHING,
        synonyms="begin welcome tutorial tour connect rules demo",
    ),
    ActionEntry(
        Action.DOCUMENTATION,
        "Documentation",
        Menu.HELP,
        (),
        "file",
        needs=Needs.NOTHING,
        synonyms="manual guide pages errors how",
    ),
    ActionEntry(
        Action.KEYS,
        "Keys",
        Menu.HELP,
        ("F1",),
        "keyboard",
        needs=Needs.NOTHING,
        asks=True,
        synonyms="shortcuts bindings settings keyboard hotkeys",
    ),
    ActionEntry(
        Action.LETTERS,
        "Single-letter keys",
        Menu.HELP,
        toggle=True,
        needs=Needs.NOTHING,
        synonyms="settings shortcuts single",
    ),
    ActionEntry(
        Action.DIAGNOSTICS,
        "Diagnostics…",
        Menu.HELP,
        (),
        "info",
        section=True,
        needs=Needs.NOTHING,
        synonyms="fault bundle log crash report bug doctor support versions",
    ),
)


_KEY_SIGNS = {"Return": "↵", "Enter": "↵", "Up": "↑", "Down": "↓", "Left": "←", "Right": "→"}


def shown_key(keys: str) -> str:
    """Return a key sequence as a key hint shows it."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    before, plus, key = native.rpartition("+")
    return before + plus + _KEY_SIGNS.get(key, key)


def action_text(entry: ActionEntry) -> str:
    """Return the entry's text in the user's language."""
    return QCoreApplication.translate("Actions", entry.text)


def synonyms(entry: ActionEntry) -> str:
    """Return the entry's palette synonyms in the user's language."""
    return QCoreApplication.translate("Actions", entry.synonyms)
