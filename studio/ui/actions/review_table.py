"""The actions of the Review menu: deciding, choosing, and moving from step to step (look.md 8)."""

from __future__ import annotations

from studio.ui.actions.action import Action
from studio.ui.actions.entry import ActionEntry, Menu, Needs, Scope

_DONE_KEYS = ("Ctrl+Return", "Ctrl+Enter")

REVIEW_ACTIONS: tuple[ActionEntry, ...] = (
    ActionEntry(
        Action.APPROVE_STEP,
        "Approve step",
        Menu.REVIEW,
        ("A",),
        "check",
        Scope.REVIEW,
        decides=True,
        synonyms="accept",
    ),
    ActionEntry(
        Action.REJECT_STEP,
        "Reject…",
        Menu.REVIEW,
        ("R",),
        "cross",
        Scope.REVIEW,
        decides=True,
        asks=True,
        synonyms="refuse decline",
    ),
    ActionEntry(
        Action.TAKE_BACK,
        "Take back",
        Menu.REVIEW,
        ("Z",),
        "undo",
        Scope.REVIEW,
        decides=True,
        synonyms="undo decision",
    ),
    ActionEntry(
        Action.REBASE,
        "Rebase",
        Menu.REVIEW,
        ("B",),
        "merge",
        Scope.REVIEW,
        decides=True,
        section=True,
        synonyms="merge",
    ),
    ActionEntry(
        Action.PREVIEW_AGAIN, "Preview again", Menu.REVIEW, ("P",), "observed", Scope.REVIEW, decides=True
    ),
    ActionEntry(
        Action.DISCARD_STALE, "Discard step", Menu.REVIEW, (), "cross", decides=True, synonyms="drop"
    ),
    ActionEntry(Action.SETTLE_DISK, "Keep what is on disk", Menu.REVIEW, ("1",), "", Scope.REVIEW),
    ActionEntry(Action.SETTLE_PROPOSED, "Take what is proposed", Menu.REVIEW, ("2",), "", Scope.REVIEW),
    ActionEntry(Action.SETTLE_BOTH, "Take both", Menu.REVIEW, ("3",), "", Scope.REVIEW),
    ActionEntry(Action.SHOW_BASE, "Show base", Menu.REVIEW, ("B",), "", Scope.REVIEW, toggle=True),
    ActionEntry(
        Action.USE_RESULT, "Use this result", Menu.REVIEW, _DONE_KEYS, "check", Scope.REVIEW, decides=True
    ),
    ActionEntry(
        Action.TOGGLE_HUNK,
        "Leave out or take in",
        Menu.REVIEW,
        ("X",),
        "minus",
        Scope.REVIEW,
        section=True,
        synonyms="exclude include stage",
    ),
    ActionEntry(
        Action.ONLY_THIS,
        "Only this hunk or line",
        Menu.REVIEW,
        ("Shift+X",),
        "minus",
        Scope.REVIEW,
        synonyms="exclude others stage alone",
    ),
    ActionEntry(
        Action.EDIT,
        "Edit the result",
        Menu.REVIEW,
        ("E",),
        "edit",
        Scope.REVIEW,
        asks=True,
        synonyms="change modify",
    ),
    ActionEntry(Action.DROP_EDIT, "Back to the proposed result", Menu.REVIEW, (), "undo", Scope.REVIEW),
    ActionEntry(Action.USE_TEXT, "Use the text you began", Menu.REVIEW, (), "edit", decides=True),
    ActionEntry(Action.FORGET_TEXT, "Forget the text you began", Menu.REVIEW, (), "cross", decides=True),
    ActionEntry(Action.PUT_BACK_TEXT, "Put the forgotten text back", Menu.REVIEW, (), "undo"),
    ActionEntry(
        Action.COMMENT,
        "Comment on a line",
        Menu.REVIEW,
        ("C",),
        "comment",
        Scope.REVIEW,
        asks=True,
        synonyms="annotate",
    ),
    ActionEntry(
        Action.COMPARE_ROUND, "Compare with the last round", Menu.REVIEW, (), "side-by-side", toggle=True
    ),
    ActionEntry(
        Action.LINES,
        "Choose single lines",
        Menu.REVIEW,
        ("L",),
        "lines",
        Scope.REVIEW,
        toggle=True,
        needs=Needs.DIFF,
    ),
    ActionEntry(Action.NOTE, "Add a note", Menu.REVIEW, ("N",), "comment", Scope.REVIEW, asks=True),
    ActionEntry(
        Action.MARK_VIEWED,
        "Viewed",
        Menu.REVIEW,
        ("V",),
        "observed",
        Scope.REVIEW,
        toggle=True,
        synonyms="seen read",
    ),
    ActionEntry(Action.KEEP_ALL_OBSERVED, "Keep all observed changes…", Menu.REVIEW, (), "check", asks=True),
    ActionEntry(Action.NEXT_STEP, "Next step", Menu.REVIEW, ("J",), "down", Scope.REVIEW, section=True),
    ActionEntry(Action.PREVIOUS_STEP, "Previous step", Menu.REVIEW, ("K",), "up", Scope.REVIEW),
    ActionEntry(
        Action.NEXT_UNVIEWED, "Next step not viewed", Menu.REVIEW, ("Shift+J",), "down", Scope.REVIEW
    ),
    ActionEntry(
        Action.NEXT_PLAN, "Next plan", Menu.REVIEW, ("Ctrl+Down",), "down", synonyms="other proposal"
    ),
    ActionEntry(
        Action.PREVIOUS_PLAN, "Previous plan", Menu.REVIEW, ("Ctrl+Up",), "up", synonyms="other proposal"
    ),
    ActionEntry(
        Action.NEXT_CHANGE, "Next change", Menu.REVIEW, ("Alt+Down",), "next-change", needs=Needs.LINES
    ),
    ActionEntry(
        Action.PREVIOUS_CHANGE,
        "Previous change",
        Menu.REVIEW,
        ("Alt+Up",),
        "previous-change",
        needs=Needs.LINES,
    ),
    ActionEntry(Action.READ_ON, "Read on", Menu.REVIEW, ("Space",), "", Scope.REVIEW, needs=Needs.DIFF),
    ActionEntry(
        Action.READ_BACK, "Read back", Menu.REVIEW, ("Shift+Space",), "", Scope.REVIEW, needs=Needs.DIFF
    ),
    ActionEntry(
        Action.APPROVE_UNDECIDED,
        "Approve undecided…",
        Menu.REVIEW,
        (),
        "approved",
        decides=True,
        section=True,
        synonyms="accept all",
    ),
    ActionEntry(
        Action.REJECT_PLAN,
        "Reject plan…",
        Menu.REVIEW,
        (),
        "rejected",
        decides=True,
        asks=True,
        synonyms="refuse decline",
    ),
    ActionEntry(
        Action.TRY_PLAN,
        "Try…",
        Menu.REVIEW,
        ("T",),
        "terminal",
        Scope.REVIEW,
        asks=True,
        synonyms="test build check run sandbox",
    ),
    ActionEntry(
        Action.DISMISS, "Dismiss plan", Menu.REVIEW, (), "cross", decides=True, synonyms="remove delete"
    ),
    ActionEntry(
        Action.PREVIEW_ROLLBACK, "Roll back…", Menu.REVIEW, (), "rolled-back", synonyms="revert undo"
    ),
    ActionEntry(
        Action.COPY_MESSAGE, "Copy commit message", Menu.REVIEW, (), "copy", synonyms="git version control"
    ),
)
