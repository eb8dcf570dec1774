"""Names of all window actions, and the row type of their table."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import NamedTuple


class Action(StrEnum):
    """Every action of the window; its value is its name in settings.

    Each has a row in the table or a button of its own.
    """

    __hash__ = str.__hash__  # Enum's own is Python code, and each press looks up hundreds

    OPEN = "open"
    SWITCH_PROJECT = "switch_project"
    PASTE = "paste"
    REPAIR = "repair"
    SUBMIT_FILE = "submit_file"
    DEMO = "demo"
    APPLY = "apply"
    STOP = "stop"
    UNDO_LAST = "undo_last"
    CLOSE_WINDOW = "close_window"
    QUIT = "quit"
    COPY = "copy"
    FIND = "find"
    FIND_ACROSS = "find_across"
    FIND_NEXT = "find_next"
    FIND_PREVIOUS = "find_previous"
    GO_TO_LINE = "go_to_line"
    PALETTE = "palette"
    MENU_BAR = "menu_bar"
    GO_TO_FILE = "go_to_file"
    UNIFIED = "unified"
    WHITE_SPACE = "white_space"
    IGNORE_SPACE = "ignore_space"
    FOLDS = "folds"
    WRAP = "wrap"
    COMPARE_IMAGES = "compare_images"
    TEXT = "text"
    ZOOM_IN = "zoom_in"
    ZOOM_OUT = "zoom_out"
    ZOOM_RESET = "zoom_reset"
    CODE_FONT = "code_font"
    LEFT_COLUMN = "left_column"
    QUEUE_FILTER = "queue_filter"
    QUEUE_ORDER = "queue_order"
    QUEUE_PATH = "queue_path"
    QUEUE_ALL = "queue_all"
    FACTS = "facts"
    DOCK = "dock"
    DOCK_1 = "dock_1"
    DOCK_2 = "dock_2"
    DOCK_3 = "dock_3"
    DOCK_4 = "dock_4"
    JOURNAL = "journal"
    NEW_SNAPSHOT = "new_snapshot"
    RESCAN_OBSERVED = "look_again"
    PROBLEMS = "problems"
    COMMENTS = "comments"
    KEEP_ALL_OBSERVED = "keep_all_observed"
    NEXT_PANE = "next_pane"
    PREVIOUS_PANE = "previous_pane"
    BACK = "back"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"
    SYSTEM = "system"
    COLOUR_BLIND = "colour_blind"
    APPROVE_STEP = "approve_step"
    REJECT_STEP = "reject_step"
    REVOKE_DECISION = "take_back"
    REBASE = "rebase"
    PREVIEW_AGAIN = "preview_again"
    DISCARD_STALE = "discard_stale"
    RESOLVE_WITH_DISK = "settle_disk"
    RESOLVE_WITH_PROPOSED = "settle_proposed"
    RESOLVE_WITH_BOTH = "settle_both"
    SHOW_BASE = "show_base"
    USE_RESULT = "use_result"
    TOGGLE_HUNK = "toggle_hunk"
    ONLY_THIS = "only_this"
    OTHER_END = "other_end"
    EDIT = "edit"
    DROP_EDIT = "drop_edit"
    USE_TEXT = "use_text"
    DISCARD_TEXT = "forget_text"
    RESTORE_TEXT = "put_back_text"
    COMMENT = "comment"
    COMPARE_ROUND = "compare_round"
    LINES = "lines"
    NOTE = "note"
    MARK_VIEWED = "mark_viewed"
    NEXT_STEP = "next_step"
    PREVIOUS_STEP = "previous_step"
    NEXT_UNVIEWED = "next_unviewed"
    NEXT_UNDECIDED = "next_undecided"
    NEXT_PLAN = "next_plan"
    PREVIOUS_PLAN = "previous_plan"
    NEXT_CHANGE = "next_change"
    PREVIOUS_CHANGE = "previous_change"
    READ_ON = "read_on"
    READ_FILE = "read_file"
    BROWSE_FOLDER = "browse_folder"
    READ_BASE = "read_base"
    READ_RESULT = "read_result"
    OPEN_IN_EDITOR = "open_in_editor"
    SHOW_IN_FOLDER = "show_in_folder"
    READ_EARLIER = "read_earlier"
    READ_LATER = "read_later"
    READ_BACK = "read_back"
    APPROVE_UNDECIDED = "approve_undecided"
    REJECT_PLAN = "reject_plan"
    REVIEW_CHANGES = "review_changes"
    PROPOSE_APPROVED = "propose_approved"
    DISMISS = "dismiss"
    PREVIEW_ROLLBACK = "preview_rollback"
    REQUEST_CHANGES = "request_changes"
    ALLOW_CALL = "allow_call"
    DENY_CALL = "deny_call"
    COPY_REPLY = "copy_reply"
    COPY_MESSAGE = "copy_message"
    COPY_TYPED = "copy_typed"
    COPY_PATH = "copy_path"
    GATES = "gates"
    DIAGNOSTICS = "diagnostics"
    ASK_AGENT = "ask_agent"
    RUN_COMMAND = "run_command"
    TRY_PLAN = "try_plan"
    TICK_KIND = "tick_kind"
    PREVIEW_RESULT = "look_now"
    STOP_COMMAND = "stop_command"
    SETTINGS = "settings"
    RULES = "rules"
    ALLOW_FOLDER = "allow_folder"
    CONNECT_AGENTS = "connect_agents"
    TRUST = "trust"
    FIRST_STEPS = "first_steps"
    DOCUMENTATION = "documentation"
    KEYS = "keys"
    LETTERS = "letters"
    FINISH_EDIT = "finish_edit"
    ROLL_BACK = "roll_back"
    DISCARD_UNDO = "discard_undo"
    PREVIEW_RESTORE = "preview_restore"
    RESTORE = "restore"
    DELETE_SNAPSHOT = "delete_snapshot"
    PREVIEW_REVERT = "preview_revert"
    KEEP_OBSERVED = "keep_observed"
    START_COMMAND = "start_command"
    START_TRIAL = "start_trial"


# One row of the table, from which menus, toolbar, palette and keys are made.


def is_letter(key: str) -> bool:
    """Return whether a key types a character in a text field."""
    return len(key.removeprefix("Shift+")) == 1


class Scope(Enum):
    """Where an action's keys work."""

    WINDOW = "everywhere"
    REVIEW = "queue, diff and plan, never in a text field"


class Needs(Enum):
    """What an action needs to do anything."""

    NOTHING = "nothing"
    PROJECT = "an open project"
    DIFF = "a step on the page"
    LINES = "lines on the page"


class Trait(Enum):
    """Flag of an action; its value is the field's name."""

    DECIDES = "decides"
    ASKS = "asks"
    TOGGLE = "toggle"
    SECTION = "section"


class Menu(Enum):
    FILE = "File"
    EDIT = "Edit"
    VIEW = "View"
    GO = "Go"
    DECIDE = "Decide"
    HUNK = "Hunk"
    AGENTS = "Agents"
    HELP = "Help"

    def entry(
        self, action: Action, text: str, keys: str, icon: str, synonyms: str, *traits: Trait | Scope | Needs
    ) -> ActionEntry:
        """Return a row of this menu; `keys` are separated by spaces.

        Letters work in the review panes only, other keys everywhere unless `traits` has another scope.
        """
        every = tuple(keys.split())
        scope = Scope.REVIEW if Scope.REVIEW in traits or any(map(is_letter, every)) else Scope.WINDOW
        needs = next((trait for trait in traits if isinstance(trait, Needs)), Needs.PROJECT)
        flags = {trait.value: True for trait in traits if isinstance(trait, Trait)}
        return ActionEntry(action, text, self, every, icon, scope, needs=needs, synonyms=synonyms, **flags)


class ActionEntry(NamedTuple):
    """One row of the table.

    `keys` are portable key sequences, the first one is shown. `decides`: the action records a decision, so a
    repeated key never triggers it. `asks`: it opens a field, so that what is typed after it is text.
    `section` starts a new group in its menu. `synonyms` are other words by which the palette finds it.
    """

    id: Action
    text: str
    menu: Menu
    keys: tuple[str, ...] = ()
    icon: str = ""
    scope: Scope = Scope.WINDOW
    decides: bool = False
    asks: bool = False
    toggle: bool = False
    section: bool = False
    needs: Needs = Needs.PROJECT
    synonyms: str = ""
