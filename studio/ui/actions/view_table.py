"""Table of the View menu's actions: diff display, zoom, panels, themes."""

from __future__ import annotations

from studio.ui.actions.action import Action, ActionEntry, Menu, Needs, Scope

VIEW_ACTIONS: tuple[ActionEntry, ...] = (
    ActionEntry(
        Action.UNIFIED,
        "One column",
        Menu.VIEW,
        ("U",),
        "unified",
        Scope.REVIEW,
        toggle=True,
        needs=Needs.DIFF,
        synonyms="inline side by side split",
    ),
    ActionEntry(
        Action.WHITE_SPACE,
        "White space",
        Menu.VIEW,
        ("W",),
        "white-space",
        Scope.REVIEW,
        toggle=True,
        needs=Needs.DIFF,
        synonyms="invisible spaces tabs line ends",
    ),
    ActionEntry(
        Action.IGNORE_SPACE,
        "Leave white space out of what is shown",
        Menu.VIEW,
        ("Alt+W",),
        "white-space",
        toggle=True,
        needs=Needs.LINES,
        synonyms="ignore whitespace indentation blank lines hide",
    ),
    ActionEntry(
        Action.FOLDS,
        "Fold unchanged lines",
        Menu.VIEW,
        ("F",),
        "fold",
        Scope.REVIEW,
        toggle=True,
        needs=Needs.DIFF,
        synonyms="collapse expand",
    ),
    ActionEntry(
        Action.WRAP,
        "Wrap long lines",
        Menu.VIEW,
        ("Alt+Z",),
        "wrap",
        toggle=True,
        needs=Needs.DIFF,
        synonyms="soft word",
    ),
    ActionEntry(
        Action.COMPARE_IMAGES,
        "Compare images in the other way",
        Menu.VIEW,
        ("I",),
        "image",
        Scope.REVIEW,
        synonyms="picture difference",
    ),
    ActionEntry(
        Action.TEXT,
        "Diff as accessible text",
        Menu.VIEW,
        ("F7", "Shift+F7"),
        toggle=True,
        needs=Needs.LINES,
        synonyms="screen reader",
    ),
    ActionEntry(
        Action.ZOOM_IN,
        "Larger code",
        Menu.VIEW,
        ("Ctrl++", "Ctrl+="),
        section=True,
        needs=Needs.DIFF,
        synonyms="zoom font size",
    ),
    ActionEntry(
        Action.ZOOM_OUT, "Smaller code", Menu.VIEW, ("Ctrl+-",), needs=Needs.DIFF, synonyms="zoom font size"
    ),
    ActionEntry(
        Action.ZOOM_RESET,
        "Code at its usual size",
        Menu.VIEW,
        ("Ctrl+0",),
        needs=Needs.DIFF,
        synonyms="zoom font size",
    ),
    ActionEntry(
        Action.CODE_FONT,
        "Font for code…",
        Menu.VIEW,
        needs=Needs.NOTHING,
        asks=True,
        synonyms="settings preferences monospace typeface",
    ),
    ActionEntry(
        Action.LEFT_COLUMN,
        "Queue and project",
        Menu.VIEW,
        ("Ctrl+B",),
        toggle=True,
        section=True,
        synonyms="sidebar settings panel",
    ),
    ActionEntry(
        Action.QUEUE_FILTER, "Filter the queue…", Menu.VIEW, (), "filter", synonyms="search hide only"
    ),
    ActionEntry(Action.QUEUE_ORDER, "Sort the queue…", Menu.VIEW, (), "sort", synonyms="order by largest"),
    ActionEntry(
        Action.QUEUE_PATH,
        "Filter the queue by path…",
        Menu.VIEW,
        ("Ctrl+Alt+F",),
        "find",
        asks=True,
        synonyms="search files",
    ),
    ActionEntry(Action.QUEUE_ALL, "Hide nothing in the queue", Menu.VIEW, synonyms="clear filter reset"),
    ActionEntry(
        Action.FACTS,
        "Facts",
        Menu.VIEW,
        ("F4",),
        toggle=True,
        synonyms="details warnings information sidebar",
    ),
    ActionEntry(
        Action.DOCK, "Dock", Menu.VIEW, ("Ctrl+J",), toggle=True, synonyms="history journal problems"
    ),
    ActionEntry(Action.DOCK_1, "First tab of the dock", Menu.VIEW, ("Alt+1",), synonyms="history"),
    ActionEntry(Action.DOCK_2, "Second tab of the dock", Menu.VIEW, ("Alt+2",), synonyms="journal log"),
    ActionEntry(Action.DOCK_3, "Third tab of the dock", Menu.VIEW, ("Alt+3",), synonyms="observed"),
    ActionEntry(Action.OBSERVED, "Observed changes", Menu.VIEW, (), "observed", synonyms="outside unseen"),
    ActionEntry(
        Action.RESCAN_OBSERVED, "Look for changes by others", Menu.VIEW, synonyms="rescan refresh note"
    ),
    ActionEntry(
        Action.PROBLEMS, "Problems", Menu.VIEW, ("Alt+6",), synonyms="refused stale failed errors warnings"
    ),
    ActionEntry(
        Action.COMMENTS, "Comments on this plan", Menu.VIEW, ("Alt+9",), synonyms="threads said lines rounds"
    ),
    ActionEntry(
        Action.SNAPSHOTS, "Snapshots", Menu.VIEW, ("Alt+5",), synonyms="restore whole state backup history"
    ),
    ActionEntry(Action.NEXT_PANE, "Next pane", Menu.VIEW, ("F6",), section=True, synonyms="focus"),
    ActionEntry(Action.PREVIOUS_PANE, "Previous pane", Menu.VIEW, ("Shift+F6",), synonyms="focus"),
    ActionEntry(
        Action.BACK, "Back", Menu.VIEW, ("Esc",), needs=Needs.NOTHING, synonyms="escape cancel close"
    ),
    ActionEntry(
        Action.LIGHT,
        "Light",
        Menu.VIEW,
        section=True,
        toggle=True,
        needs=Needs.NOTHING,
        synonyms="theme settings appearance colours",
    ),
    ActionEntry(
        Action.DARK,
        "Dark",
        Menu.VIEW,
        toggle=True,
        needs=Needs.NOTHING,
        synonyms="theme settings appearance colours night",
    ),
    ActionEntry(
        Action.CONTRAST,
        "High contrast",
        Menu.VIEW,
        toggle=True,
        needs=Needs.NOTHING,
        synonyms="theme settings appearance accessibility",
    ),
    ActionEntry(
        Action.SYSTEM,
        "As the desktop",
        Menu.VIEW,
        toggle=True,
        needs=Needs.NOTHING,
        synonyms="theme settings appearance automatic",
    ),
    ActionEntry(
        Action.COLOUR_BLIND,
        "Colour-blind-safe",
        Menu.VIEW,
        toggle=True,
        needs=Needs.NOTHING,
        synonyms="theme settings appearance accessibility",
    ),
)
