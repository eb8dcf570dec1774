"""Table of all window actions: names, menus, keys, icons, palette synonyms."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from studio.ui.actions.action import Action, ActionEntry, Menu, Needs, Scope, Trait

_REVIEW = Scope.REVIEW
_DECIDES, _ASKS, _TOGGLE, _SECTION = Trait.DECIDES, Trait.ASKS, Trait.TOGGLE, Trait.SECTION
_ALWAYS, _DIFF, _LINES = Needs.NOTHING, Needs.DIFF, Needs.LINES

_file, _edit, _view, _go = Menu.FILE.entry, Menu.EDIT.entry, Menu.VIEW.entry, Menu.GO.entry
_decide, _hunk, _agents, _help = Menu.DECIDE.entry, Menu.HUNK.entry, Menu.AGENTS.entry, Menu.HELP.entry

ACTIONS: tuple[ActionEntry, ...] = (
    _file(Action.OPEN, "Open project…", "Ctrl+O", "open", "folder switch repository", _ALWAYS),
    _file(
        Action.SWITCH_PROJECT,
        "Switch project…",
        "Ctrl+Shift+O",
        "folder",
        "recent window other waits",
        _ASKS,
        _ALWAYS,
    ),
    _file(Action.PASTE, "Paste plan", "Ctrl+Shift+V", "paste", "import clipboard insert diff patch"),
    _file(Action.REPAIR, "Repair pasted text", "", "merge", "mend fix correct"),
    _file(Action.SUBMIT_FILE, "Import plan…", "", "file", "import diff patch load"),
    _file(Action.DEMO, "Try the demo project", "", "plan", "example tutorial sample", _ALWAYS),
    _file(
        Action.APPLY,
        "Apply plan",
        "Ctrl+Shift+Return Ctrl+Shift+Enter",
        "apply",
        "write save",
        _DECIDES,
        _SECTION,
    ),
    _file(Action.STOP, "Stop", "", "cross", "cancel applying noting abort"),
    _file(Action.UNDO_LAST, "Undo last", "Ctrl+Alt+Z", "undo", "revert roll back history", _DECIDES),
    _file(
        Action.NEW_SNAPSHOT,
        "New snapshot…",
        "",
        "plus",
        "keep whole state backup checkpoint",
        _ASKS,
        _SECTION,
    ),
    _file(Action.CLOSE_WINDOW, "Close window", "Ctrl+W", "", "exit", _SECTION, _ALWAYS),
    _file(Action.QUIT, "Quit", "Ctrl+Q", "", "exit", _ALWAYS),
    _edit(Action.COPY, "Copy without +/− signs", "Ctrl+C", "copy", "clipboard", _REVIEW, _DIFF),
    _edit(Action.FIND, "Find on this page…", "Ctrl+F", "find", "search", _ASKS),
    _edit(Action.FIND_NEXT, "Find next", "F3", "", "search again"),
    _edit(Action.FIND_PREVIOUS, "Find previous", "Shift+F3", "", "search again"),
    _edit(
        Action.FIND_ACROSS,
        "Find in plans, project and history…",
        "Ctrl+Shift+F",
        "find",
        "search grep everywhere all files",
        _ASKS,
    ),
    _go(Action.GO_TO_LINE, "Go to line…", "Ctrl+G", "", "jump number", _ASKS),
    _edit(
        Action.PALETTE,
        "Search commands, files and lines",
        "Ctrl+Shift+P",
        "find",
        "commands actions",
        _ASKS,
        _SECTION,
        _ALWAYS,
    ),
    _go(Action.GO_TO_FILE, "Go to file…", "Ctrl+P", "file", "open jump find read path", _ASKS),
    _go(Action.READ_FILE, "View file with blame", "O", "observed", "blame annotate author open origin"),
    _go(
        Action.BROWSE_FOLDER,
        "Browse folder",
        "Shift+O",
        "folder",
        "directory list files hidden pattern around",
    ),
    _go(Action.READ_BASE, "View file before this step", "", "file", "base before old original left side"),
    _go(Action.READ_RESULT, "View file after this step", "", "file", "result after new right side whole"),
    _go(Action.OPEN_IN_EDITOR, "Open in editor", "Ctrl+E", "edit", "external code line vscode visual"),
    _go(Action.SHOW_IN_FOLDER, "Show in folder", "", "folder", "reveal files explorer finder browse"),
    _go(Action.READ_EARLIER, "Go back", "Alt+Left", "", "previous history"),
    _go(Action.READ_LATER, "Go forward", "Alt+Right", "", "forward next history"),
    _edit(
        Action.SETTINGS,
        "Settings…",
        "Ctrl+,",
        "settings",
        "preferences options configuration limits undo notifications",
        _ASKS,
        _SECTION,
        _ALWAYS,
    ),
    _edit(
        Action.RULES,
        "File rules…",
        "",
        "denied",
        "settings allow deny pattern secrets which files try",
        _ASKS,
        _ALWAYS,
    ),
    _edit(
        Action.ALLOW_FOLDER,
        "Allow this folder…",
        "",
        "folder",
        "settings rules denied refused open permit packages bin",
        _ASKS,
    ),
    _edit(Action.TRUST, "Trust studio.yaml…", "", "look-out", "settings studio.yaml widen allow"),
    _view(Action.UNIFIED, "Unified", "U", "unified", "inline side by side split", _TOGGLE, _DIFF),
    _view(
        Action.WHITE_SPACE,
        "Show whitespace",
        "W",
        "white-space",
        "invisible spaces tabs line ends",
        _TOGGLE,
        _DIFF,
    ),
    _view(
        Action.IGNORE_SPACE,
        "Ignore whitespace",
        "Alt+W",
        "white-space",
        "ignore whitespace indentation blank lines hide",
        _TOGGLE,
        _LINES,
    ),
    _view(Action.FOLDS, "Fold unchanged lines", "F", "fold", "collapse expand", _TOGGLE, _DIFF),
    _view(Action.WRAP, "Wrap long lines", "Alt+Z", "wrap", "soft word", _TOGGLE, _DIFF),
    _view(Action.COMPARE_IMAGES, "Next image comparison mode", "I", "image", "picture difference"),
    _view(Action.TEXT, "Show diff as accessible text", "F7 Shift+F7", "", "screen reader", _TOGGLE, _LINES),
    _view(Action.ZOOM_IN, "Increase code size", "Ctrl++ Ctrl+=", "", "zoom font size", _SECTION, _DIFF),
    _view(Action.ZOOM_OUT, "Decrease code size", "Ctrl+-", "", "zoom font size", _DIFF),
    _view(Action.ZOOM_RESET, "Reset code size", "Ctrl+0", "", "zoom font size", _DIFF),
    _view(Action.CODE_FONT, "Code font…", "", "", "settings preferences monospace typeface", _ASKS, _ALWAYS),
    _view(Action.LEFT_COLUMN, "Queue and files", "Ctrl+B", "", "sidebar settings panel", _TOGGLE, _SECTION),
    _view(Action.QUEUE_FILTER, "Filter queue…", "", "filter", "search hide only"),
    _view(Action.QUEUE_ORDER, "Sort queue…", "", "sort", "order by largest"),
    _view(Action.QUEUE_PATH, "Filter queue by path…", "Ctrl+Alt+F", "find", "search files", _ASKS),
    _view(Action.QUEUE_ALL, "Clear queue filter", "", "", "clear filter reset"),
    _view(Action.FACTS, "Facts", "F4", "", "details warnings information sidebar", _TOGGLE),
    _view(Action.DOCK, "Dock", "Ctrl+J", "", "history find terminal", _TOGGLE),
    _view(Action.DOCK_1, "History", "Alt+1", "", "dock applied snapshots restore backup"),
    _view(Action.DOCK_2, "Outside changes", "Alt+2", "observed", "dock observed unseen others"),
    _view(Action.DOCK_3, "Find", "Alt+3", "", "dock search everywhere"),
    _view(Action.DOCK_4, "Terminal", "Alt+4", "", "dock agents commands"),
    _view(Action.JOURNAL, "Journal", "", "", "log entries requests faults"),
    _view(Action.RESCAN_OBSERVED, "Scan for outside changes", "", "", "rescan refresh note"),
    _view(Action.PROBLEMS, "Problems", "", "", "refused stale failed errors warnings"),
    _view(Action.COMMENTS, "Comments on this plan", "", "", "threads said lines rounds"),
    _go(Action.NEXT_PANE, "Next pane", "F6", "", "focus", _SECTION),
    _go(Action.PREVIOUS_PANE, "Previous pane", "Shift+F6", "", "focus"),
    _go(Action.BACK, "Back", "Esc", "", "escape cancel close", _ALWAYS),
    _view(Action.LIGHT, "Light", "", "", "theme settings appearance colours", _TOGGLE, _SECTION, _ALWAYS),
    _view(Action.DARK, "Dark", "", "", "theme settings appearance colours night", _TOGGLE, _ALWAYS),
    _view(
        Action.CONTRAST, "High contrast", "", "", "theme settings appearance accessibility", _TOGGLE, _ALWAYS
    ),
    _view(Action.SYSTEM, "Follow system", "", "", "theme settings appearance automatic", _TOGGLE, _ALWAYS),
    _view(
        Action.COLOUR_BLIND,
        "Colour-blind friendly",
        "",
        "",
        "theme settings appearance accessibility",
        _TOGGLE,
        _ALWAYS,
    ),
    _decide(Action.APPROVE_STEP, "Approve step", "A", "check", "accept yes ok", _DECIDES),
    _decide(Action.REJECT_STEP, "Reject…", "R", "cross", "refuse decline no deny", _DECIDES, _ASKS),
    _decide(Action.REVOKE_DECISION, "Undo decision", "Z", "undo", "undo decision", _DECIDES),
    _decide(Action.REBASE, "Rebase", "B", "merge", "merge stale conflict", _DECIDES, _SECTION),
    _decide(Action.PREVIEW_AGAIN, "Preview again", "P", "observed", "refresh reload stale", _DECIDES),
    _decide(Action.DISCARD_STALE, "Discard step", "", "cross", "drop", _DECIDES),
    _hunk(Action.RESOLVE_WITH_DISK, "Use version on disk", "1", "", "ours mine conflict"),
    _hunk(Action.RESOLVE_WITH_PROPOSED, "Use proposed version", "2", "", "theirs conflict"),
    _hunk(Action.RESOLVE_WITH_BOTH, "Use both versions", "3", "", "conflict merge"),
    _hunk(Action.SHOW_BASE, "Show base", "B", "", "ancestor conflict", _TOGGLE),
    _hunk(
        Action.USE_RESULT,
        "Use this result",
        "Ctrl+Return Ctrl+Enter",
        "check",
        "resolve conflict",
        _REVIEW,
        _DECIDES,
    ),
    _hunk(
        Action.TOGGLE_HUNK, "Include or exclude hunk or line", "X", "minus", "exclude include stage", _SECTION
    ),
    _hunk(
        Action.ONLY_THIS, "Include only this hunk or line", "Shift+X", "minus", "exclude others stage alone"
    ),
    _go(
        Action.OTHER_END,
        "Go to matching moved block",
        "M",
        "copy",
        "moved cut paste where from to",
        _LINES,
    ),
    _hunk(Action.EDIT, "Edit result", "E", "edit", "change modify", _ASKS),
    _hunk(Action.DROP_EDIT, "Revert to proposed result", "", "undo", "revert reset discard", _REVIEW),
    _hunk(Action.USE_TEXT, "Use draft", "", "edit", "draft unsent", _DECIDES),
    _hunk(Action.DISCARD_TEXT, "Discard draft", "", "cross", "draft discard", _DECIDES),
    _hunk(Action.RESTORE_TEXT, "Restore draft", "", "undo", "draft restore"),
    _hunk(Action.COMMENT, "Comment on line", "C", "comment", "annotate", _ASKS),
    _hunk(
        Action.COMPARE_ROUND,
        "Compare with last viewed version",
        "D",
        "side-by-side",
        "version previous revision round difference last",
        _TOGGLE,
    ),
    _hunk(Action.LINES, "Select individual lines", "L", "lines", "partial stage select", _TOGGLE, _DIFF),
    _decide(Action.NOTE, "Add note", "N", "comment", "comment message", _ASKS),
    _decide(Action.MARK_VIEWED, "Viewed", "V", "observed", "seen read", _TOGGLE),
    _decide(Action.KEEP_ALL_OBSERVED, "Keep all outside changes…", "", "check", "accept outside", _ASKS),
    _go(Action.NEXT_STEP, "Next step", "J", "down", "file forward", _SECTION),
    _go(Action.PREVIOUS_STEP, "Previous step", "K", "up", "file back"),
    _go(Action.NEXT_UNVIEWED, "Next unviewed step", "Shift+J", "down", "unread"),
    _go(Action.NEXT_PLAN, "Next plan", "Ctrl+Down", "down", "other proposal"),
    _go(Action.NEXT_UNDECIDED, "Next undecided step", "G", "down", "open pending go"),
    _go(Action.PREVIOUS_PLAN, "Previous plan", "Ctrl+Up", "up", "other proposal"),
    _go(Action.NEXT_CHANGE, "Next change", "Alt+Down", "next-change", "hunk forward", _LINES),
    _go(Action.PREVIOUS_CHANGE, "Previous change", "Alt+Up", "previous-change", "hunk back", _LINES),
    _go(Action.READ_ON, "Page down", "Space", "", "page down scroll", _REVIEW, _DIFF),
    _go(Action.READ_BACK, "Page up", "Shift+Space", "", "page up scroll", _REVIEW, _DIFF),
    _decide(
        Action.TICK_KIND,
        "Select similar steps…",
        "S",
        "filter",
        "select several group translations all alike folder",
        _SECTION,
    ),
    _decide(
        Action.APPROVE_UNDECIDED, "Approve undecided…", "", "approved", "accept all yes everything", _DECIDES
    ),
    _decide(Action.REJECT_PLAN, "Reject plan…", "", "rejected", "refuse decline", _DECIDES, _ASKS),
    _decide(Action.TRY_PLAN, "Try plan…", "T", "terminal", "test build check run sandbox", _ASKS),
    _decide(
        Action.REVIEW_CHANGES,
        "Review changes",
        "Ctrl+Shift+R",
        "side-by-side",
        "git diff head working tree files again",
        _SECTION,
    ),
    _decide(
        Action.PROPOSE_APPROVED, "Propose approved changes", "", "plan", "commits branch merge cherry-pick"
    ),
    _decide(Action.DISMISS, "Dismiss plan", "", "cross", "remove delete close archive", _DECIDES),
    _decide(Action.PREVIEW_ROLLBACK, "Roll back…", "", "rolled-back", "revert undo history"),
    _edit(Action.COPY_PATH, "Copy file path", "", "copy", "name clipboard"),
    _decide(Action.COPY_MESSAGE, "Copy commit message", "", "copy", "git version control"),
    _decide(Action.REQUEST_CHANGES, "Request changes…", "Shift+R", "comment", "send back", _DECIDES, _ASKS),
    _decide(
        Action.ALLOW_CALL, "Allow tool call", "", "check", "command shell call permit", _DECIDES, _SECTION
    ),
    _decide(Action.DENY_CALL, "Deny tool call…", "", "cross", "command shell call refuse", _DECIDES, _ASKS),
    _decide(Action.COPY_REPLY, "Copy reply for the agent", "Y", "copy", "answer agent"),
    _agents(Action.ASK_AGENT, "Ask an agent…", "", "agent", "talk chat acp", _ASKS),
    _agents(Action.RUN_COMMAND, "Run a command…", "", "terminal", "sandbox shell execute", _ASKS, _SECTION),
    _agents(Action.PREVIEW_RESULT, "Propose command's changes now", "", "", "propose sandbox"),
    _agents(Action.STOP_COMMAND, "Stop command", "", "cross", "end kill cancel"),
    _agents(
        Action.CONNECT_AGENTS,
        "Connect agents…",
        "",
        "agent",
        "settings gate prove doctor hook disconnect claude codex gemini",
        _SECTION,
        _ALWAYS,
    ),
    _agents(Action.GATES, "Agent gate status", "", "gate", "lamp doctor proof connect", _ALWAYS),
    _decide(Action.COPY_TYPED, "Copy my text", "", "copy", "reason comment"),
    _help(
        Action.FIRST_STEPS,
        "First steps",
        "",
        "plan",
        "begin welcome tutorial tour connect rules demo",
        _ALWAYS,
    ),
    _help(Action.DOCUMENTATION, "Documentation", "", "file", "manual guide pages errors how", _ALWAYS),
    _help(Action.MENU_BAR, "Open menu bar", "F10", "", "menus keyboard", _ALWAYS),
    _help(
        Action.KEYS,
        "Keyboard shortcuts",
        "F1",
        "keyboard",
        "shortcuts bindings settings keyboard hotkeys",
        _ASKS,
        _ALWAYS,
    ),
    _help(Action.LETTERS, "Single-letter shortcuts", "", "", "settings shortcuts single", _TOGGLE, _ALWAYS),
    _help(
        Action.DIAGNOSTICS,
        "Diagnostics…",
        "",
        "info",
        "fault bundle log crash report bug doctor support versions",
        _SECTION,
        _ALWAYS,
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
