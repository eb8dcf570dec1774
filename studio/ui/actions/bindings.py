"""Keyboard shortcuts of actions: defaults, the user's changes, and single-letter keys."""

from __future__ import annotations

import json

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence

from studio.ui.actions.action import ActionEntry, Scope, is_letter
from studio.ui.actions.key_positions import letters_in_hand
from studio.ui.actions.table import ACTIONS, action_text, shown_key
from studio.ui.language import translator
from studio.ui.look.words import say
from studio.ui.settings import Settings
from studio.ui.widgets.painting import set_key_hints

_tr = translator("Bindings")

_KEYS, _LETTERS = "keys", "letters"
_OFF = "off"

_FIXED = frozenset({"back", "use_result", "rebase", "show_base", "read_on", "read_back"})
"""Actions whose keys banners and texts use too, where they can't be changed."""

_NEVER = frozenset(
    "Return Enter Esc Tab Backtab Space Backspace Del Up Down Left Right Home End PgUp PgDown".split()
)
_WHOLE_PLAN = frozenset({"approve_undecided", "reject_plan"})
_WRITES = frozenset({"apply", "undo_last"})
_FOR_TEXT = frozenset({"Ctrl+X", "Ctrl+V", "Ctrl+A", "Ctrl+Z", "Ctrl+Y", "Ctrl+Shift+Z"})


class Bindings(QObject):
    """The user's key bindings, shared by all windows."""

    changed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._user_keys: dict[str, str] = {}
        self._typed: dict[str, str] = {}
        self._read(settings.text(_KEYS))
        self._notify()

    @property
    def letters(self) -> bool:
        """Whether single-letter keys are enabled."""
        return self._settings.text(_LETTERS) != _OFF

    def set_letters(self, on: bool) -> None:
        """Enable or disable single-letter keys.

        Users of speech input, or whose hands slip, type letters unintentionally.
        """
        self._settings.store_text(_LETTERS, "" if on else _OFF)
        self._notify()

    def keys(self, entry: ActionEntry) -> tuple[str, ...]:
        """Return the current keys of an action."""
        chosen = self._user_keys.get(entry.id)
        keys = (chosen,) if chosen is not None else entry.keys
        return tuple(key for key in keys if self.letters or not is_letter(key))

    def hint(self, key: str) -> str:
        """Return a key as hints show it, in the layout in hand."""
        shown = shown_key(key)
        typed = letters_in_hand(self._typed).get(key[-1], "") if is_letter(key) else ""
        return shown[:-1] + typed.upper() if typed else shown

    def note_layout(self, letter: str, typed: str) -> None:
        """Show in hints what a Latin letter's key types.

        Nothing means that it types the letter itself: a Latin layout is in hand again.
        """
        if not typed and self._typed:
            self._typed = {}
        elif typed and self._typed.get(letter) != typed:
            unlike = letters_in_hand(self._typed).get(letter, typed) != typed
            self._typed = {**({} if unlike else self._typed), letter: typed}
        else:
            return
        self._notify()

    def why_fixed(self, entry: ActionEntry) -> str:
        """Return why an action's key can't be changed, or ""."""
        if entry.id in _WHOLE_PLAN:
            return _tr("Commands that approve or reject whole plans can't have keys.")
        return (
            _tr("This key is fixed because banners and messages refer to it.") if entry.id in _FIXED else ""
        )

    def why_not(self, entry: ActionEntry, key: str) -> str:
        """Return why a key can't be assigned to an action, or ""."""
        if self.why_fixed(entry):
            return self.why_fixed(entry)
        bare = key.removeprefix("Shift+")
        if bare in _NEVER:
            return say(_tr("{key} can't be bound to a command."), key=shown_key(key))
        if key in _FOR_TEXT:
            return say(_tr("{key} is reserved for text fields."), key=shown_key(key))
        if entry.id in _WRITES and not key.startswith(("Ctrl+", "Alt+")):
            return _tr("Keys for commands that write files must include Ctrl or Alt.")
        if entry.scope is Scope.WINDOW and is_letter(key):
            return _tr("This command works even while you type. Choose a key with Ctrl or Alt.")
        holder = next((each for each in ACTIONS if each is not entry and key in self._every(each)), None)
        if holder is not None:
            words = _tr("{key} is already used by “{command}”.")
            return say(words, command=action_text(holder), key=shown_key(key))
        return ""

    def choose(self, entry: ActionEntry, key: str) -> None:
        """Assign a key as an action's only one, if it is valid."""
        if not self.why_not(entry, key):
            self._user_keys[entry.id] = key
            self._store_keys()

    def reset_keys(self, entry: ActionEntry) -> None:
        """Restore an action's default keys.

        Another action that was assigned one of them gets its own defaults back.
        """
        if self._user_keys.pop(entry.id, None) is not None:
            for each in ACTIONS:
                if each is not entry and self._user_keys.get(each.id) in entry.keys:
                    del self._user_keys[each.id]
            self._store_keys()

    def _read(self, stored: str) -> None:
        """Load the stored bindings, checked: anyone can write the settings file."""
        try:
            chosen = json.loads(stored) if stored else {}
        except ValueError:
            return
        for entry in ACTIONS:
            key = chosen.get(entry.id) if isinstance(chosen, dict) else None
            if isinstance(key, str) and key_of(QKeySequence(key)) == key and not self.why_not(entry, key):
                self._user_keys[entry.id] = key

    def _every(self, entry: ActionEntry) -> tuple[str, ...]:
        """Return an action's keys, including disabled letters."""
        chosen = self._user_keys.get(entry.id)
        return (chosen,) if chosen is not None else entry.keys

    def _store_keys(self) -> None:
        self._settings.store_text(_KEYS, json.dumps(self._user_keys) if self._user_keys else "")
        self._notify()

    def _notify(self) -> None:
        hints: dict[str, str] = {}
        for entry in ACTIONS:
            now = self.keys(entry)
            shown = self.hint(now[0]) if now else ""
            if entry.keys and shown != shown_key(entry.keys[0]):
                hints[shown_key(entry.keys[0])] = shown
        set_key_hints(hints)
        self.changed.emit()


def key_of(pressed: QKeySequence) -> str:
    """Return a pressed key in the table's notation."""
    return pressed.toString(QKeySequence.SequenceFormat.PortableText)
