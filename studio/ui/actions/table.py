"""The one table of actions: menus, toolbar, palette and shortcuts are made from it (look.md 8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence


class Scope(Enum):
    """Where an action's keys work."""

    WINDOW = "everywhere"
    REVIEW = "queue, diff and plan, never in a text field"


class Menu(Enum):
    FILE = "File"
    EDIT = "Edit"
    VIEW = "View"
    REVIEW = "Review"
    AGENTS = "Agents"
    HELP = "Help"


@dataclass(frozen=True, slots=True)
class ActionEntry:
    """One row of the table.

    `keys` are portable key sequences, the first one is shown. `decides`: the action records a
    decision, so a repeated key never triggers it. `asks`: it opens a field, so that what is typed after it is
    text. `section` starts a new group in its menu.
    """

    id: str
    text: str
    menu: Menu
    keys: tuple[str, ...] = ()
    icon: str = ""
    scope: Scope = Scope.WINDOW
    decides: bool = False
    asks: bool = False
    toggle: bool = False
    section: bool = False
    needs_project: bool = True


_DONE_KEYS = ("Ctrl+Return", "Ctrl+Enter")
_APPLY_KEYS = ("Ctrl+Shift+Return", "Ctrl+Shift+Enter")

ACTIONS: tuple[ActionEntry, ...] = (
    ActionEntry("open", "Open a project…", Menu.FILE, ("Ctrl+O",), "open", needs_project=False),
    ActionEntry("paste", "Paste plan", Menu.FILE, ("Ctrl+Shift+V",), "paste"),
    ActionEntry("submit_file", "Take in a plan file…", Menu.FILE, (), "file"),
    ActionEntry("demo", "Try the demo project", Menu.FILE, (), "plan", needs_project=False),
    ActionEntry("apply", "Apply plan", Menu.FILE, _APPLY_KEYS, "apply", decides=True, section=True),
    ActionEntry("stop", "Stop applying", Menu.FILE, (), "cross"),
    ActionEntry("undo_last", "Undo last", Menu.FILE, ("Ctrl+Alt+Z",), "undo", decides=True),
    ActionEntry("close_window", "Close window", Menu.FILE, ("Ctrl+W",), section=True, needs_project=False),
    ActionEntry("quit", "Quit", Menu.FILE, ("Ctrl+Q",), needs_project=False),
    ActionEntry("copy", "Copy without signs", Menu.EDIT, ("Ctrl+C",), "copy", Scope.REVIEW),
    ActionEntry("find", "Find on this page…", Menu.EDIT, ("Ctrl+F",), "find", asks=True),
    ActionEntry("find_next", "Find next", Menu.EDIT, ("F3",)),
    ActionEntry("find_previous", "Find previous", Menu.EDIT, ("Shift+F3",)),
    ActionEntry("go_to_line", "Go to line…", Menu.EDIT, ("Ctrl+G",), asks=True),
    ActionEntry(
        "palette",
        "Find a command",
        Menu.EDIT,
        ("Ctrl+Shift+P",),
        "find",
        section=True,
        needs_project=False,
        asks=True,
    ),
    ActionEntry("go_to_file", "Go to a file…", Menu.EDIT, ("Ctrl+P",), "file", asks=True),
    ActionEntry("unified", "One column", Menu.VIEW, ("U",), "unified", Scope.REVIEW, toggle=True),
    ActionEntry("white_space", "White space", Menu.VIEW, ("W",), "white-space", Scope.REVIEW, toggle=True),
    ActionEntry("folds", "Fold unchanged lines", Menu.VIEW, ("F",), "fold", Scope.REVIEW, toggle=True),
    ActionEntry("wrap", "Wrap long lines", Menu.VIEW, ("Alt+Z",), "wrap", toggle=True),
    ActionEntry("compare_images", "Compare images in another way", Menu.VIEW, ("I",), "image", Scope.REVIEW),
    ActionEntry("text", "Diff as accessible text", Menu.VIEW, ("F7", "Shift+F7"), toggle=True),
    ActionEntry("zoom_in", "Larger code", Menu.VIEW, ("Ctrl++", "Ctrl+="), section=True),
    ActionEntry("zoom_out", "Smaller code", Menu.VIEW, ("Ctrl+-",)),
    ActionEntry("zoom_reset", "Code at its usual size", Menu.VIEW, ("Ctrl+0",)),
    ActionEntry("code_font", "Font for code…", Menu.VIEW, needs_project=False, asks=True),
    ActionEntry("left_column", "Queue and project", Menu.VIEW, ("Ctrl+B",), toggle=True, section=True),
    ActionEntry("queue_filter", "Filter the queue…", Menu.VIEW, (), "filter"),
    ActionEntry("queue_order", "Sort the queue…", Menu.VIEW, (), "sort"),
    ActionEntry("queue_path", "Filter the queue by path…", Menu.VIEW, ("Ctrl+Shift+F",), "find", asks=True),
    ActionEntry("queue_all", "Hide nothing in the queue", Menu.VIEW),
    ActionEntry("facts", "Facts", Menu.VIEW, ("F4",), toggle=True),
    ActionEntry("dock", "Dock", Menu.VIEW, ("Ctrl+J",), toggle=True),
    ActionEntry("dock_1", "First tab of the dock", Menu.VIEW, ("Alt+1",)),
    ActionEntry("dock_2", "Second tab of the dock", Menu.VIEW, ("Alt+2",)),
    ActionEntry("dock_3", "Third tab of the dock", Menu.VIEW, ("Alt+3",)),
    ActionEntry("dock_4", "Fourth tab of the dock", Menu.VIEW, ("Alt+4",)),
    ActionEntry("next_pane", "Next pane", Menu.VIEW, ("F6",), section=True),
    ActionEntry("previous_pane", "Previous pane", Menu.VIEW, ("Shift+F6",)),
    ActionEntry("back", "Back", Menu.VIEW, ("Esc",), needs_project=False),
    ActionEntry("light", "Light", Menu.VIEW, section=True, toggle=True, needs_project=False),
    ActionEntry("dark", "Dark", Menu.VIEW, toggle=True, needs_project=False),
    ActionEntry("contrast", "High contrast", Menu.VIEW, toggle=True, needs_project=False),
    ActionEntry("system", "As the desktop", Menu.VIEW, toggle=True, needs_project=False),
    ActionEntry("colour_blind", "Colour-blind-safe", Menu.VIEW, toggle=True, needs_project=False),
    ActionEntry("approve_step", "Approve step", Menu.REVIEW, ("A",), "check", Scope.REVIEW, decides=True),
    ActionEntry(
        "reject_step", "Reject…", Menu.REVIEW, ("R",), "cross", Scope.REVIEW, decides=True, asks=True
    ),
    ActionEntry("take_back", "Take back", Menu.REVIEW, ("Z",), "undo", Scope.REVIEW, decides=True),
    ActionEntry("rebase", "Rebase", Menu.REVIEW, ("B",), "merge", Scope.REVIEW, decides=True, section=True),
    ActionEntry(
        "preview_again", "Preview again", Menu.REVIEW, ("P",), "observed", Scope.REVIEW, decides=True
    ),
    ActionEntry("discard_stale", "Discard step", Menu.REVIEW, (), "cross", decides=True),
    ActionEntry("settle_disk", "Keep what is on disk", Menu.REVIEW, ("1",), "", Scope.REVIEW),
    ActionEntry("settle_proposed", "Take what is proposed", Menu.REVIEW, ("2",), "", Scope.REVIEW),
    ActionEntry("settle_both", "Take both", Menu.REVIEW, ("3",), "", Scope.REVIEW),
    ActionEntry("show_base", "Show base", Menu.REVIEW, ("B",), "", Scope.REVIEW, toggle=True),
    ActionEntry(
        "use_result", "Use this result", Menu.REVIEW, _DONE_KEYS, "check", Scope.REVIEW, decides=True
    ),
    ActionEntry(
        "toggle_hunk", "Leave out or take in", Menu.REVIEW, ("X",), "minus", Scope.REVIEW, section=True
    ),
    ActionEntry("edit", "Edit the result", Menu.REVIEW, ("E",), "edit", Scope.REVIEW, asks=True),
    ActionEntry("drop_edit", "Back to the proposed result", Menu.REVIEW, (), "undo", Scope.REVIEW),
    ActionEntry("use_text", "Use the text you began", Menu.REVIEW, (), "edit", decides=True),
    ActionEntry("forget_text", "Forget the text you began", Menu.REVIEW, (), "cross", decides=True),
    ActionEntry("put_back_text", "Put the forgotten text back", Menu.REVIEW, (), "undo"),
    ActionEntry("comment", "Comment on a line", Menu.REVIEW, ("C",), "comment", Scope.REVIEW, asks=True),
    ActionEntry("compare_round", "Compare with the last round", Menu.REVIEW, (), "side-by-side", toggle=True),
    ActionEntry("lines", "Choose single lines", Menu.REVIEW, ("L",), "lines", Scope.REVIEW, toggle=True),
    ActionEntry("note", "Add a note", Menu.REVIEW, ("N",), "comment", Scope.REVIEW, asks=True),
    ActionEntry("mark_viewed", "Viewed", Menu.REVIEW, ("V",), "observed", Scope.REVIEW, toggle=True),
    ActionEntry("next_step", "Next step", Menu.REVIEW, ("J",), "down", Scope.REVIEW, section=True),
    ActionEntry("previous_step", "Previous step", Menu.REVIEW, ("K",), "up", Scope.REVIEW),
    ActionEntry("next_unviewed", "Next step not viewed", Menu.REVIEW, ("Shift+J",), "down", Scope.REVIEW),
    ActionEntry("next_change", "Next change", Menu.REVIEW, ("Alt+Down",), "next-change"),
    ActionEntry("previous_change", "Previous change", Menu.REVIEW, ("Alt+Up",), "previous-change"),
    ActionEntry("read_on", "Read on", Menu.REVIEW, ("Space",), "", Scope.REVIEW),
    ActionEntry("read_back", "Read back", Menu.REVIEW, ("Shift+Space",), "", Scope.REVIEW),
    ActionEntry(
        "approve_undecided", "Approve undecided…", Menu.REVIEW, (), "approved", decides=True, section=True
    ),
    ActionEntry("reject_plan", "Reject plan…", Menu.REVIEW, (), "rejected", decides=True, asks=True),
    ActionEntry("dismiss", "Dismiss plan", Menu.REVIEW, (), "cross", decides=True),
    ActionEntry("preview_rollback", "Roll back…", Menu.REVIEW, (), "rolled-back"),
    ActionEntry(
        "request_changes",
        "Ask for changes…",
        Menu.AGENTS,
        ("Shift+R",),
        "comment",
        Scope.REVIEW,
        decides=True,
        asks=True,
    ),
    ActionEntry("copy_reply", "Copy reply for the agent", Menu.AGENTS, ("Y",), "copy", Scope.REVIEW),
    ActionEntry("copy_typed", "Copy what I typed", Menu.REVIEW, (), "copy"),
    ActionEntry("keys", "Keys", Menu.HELP, ("F1",), "keyboard", needs_project=False, asks=True),
    ActionEntry("letters", "Keys of one letter", Menu.HELP, toggle=True, needs_project=False),
)


_KEY_SIGNS = {"Return": "↵", "Enter": "↵", "Up": "↑", "Down": "↓", "Left": "←", "Right": "→"}


def shown_key(keys: str) -> str:
    """A key sequence as a key hint shows it."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    before, plus, key = native.rpartition("+")
    return before + plus + _KEY_SIGNS.get(key, key)


def action_text(entry: ActionEntry) -> str:
    """The entry's words in the user's language."""
    return QCoreApplication.translate("Actions", entry.text)
