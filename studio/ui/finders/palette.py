"""Command palette popup, and the shortcut list for changing keys."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from studio.ui.actions.action import Action, ActionEntry, Scope
from studio.ui.actions.actions import Actions
from studio.ui.actions.bindings import key_of
from studio.ui.actions.table import ACTIONS, action_text, synonyms
from studio.ui.finders.finder import Finder
from studio.ui.language import translator
from studio.ui.look.theme import px, ui_font
from studio.ui.look.words import say
from studio.ui.widgets.painting import key_hint_width, paint_key_hint
from studio.ui.widgets.row_painter import SECOND, ItemPainter

_tr = translator("Palette")

_KEY_EVENTS = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
_MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class _ActionFinder(Finder[ActionEntry]):
    """Finder of actions whose words contain every typed word.

    Enabled actions come first, of these the ones matched by name. With `keys_only` it is the list of keys
    instead, in table order, with every key of an action.
    """

    def __init__(
        self, name: str, words: tuple[str, str], actions: Actions, window: QWidget, *, keys_only: bool
    ) -> None:
        super().__init__(name, *words, window)
        self._actions = actions
        self._keys_only = keys_only

    def search(self, text: str) -> None:
        words = text.casefold().split()
        found = [entry for entry in ACTIONS if self._fits(entry, words)]
        if not self._keys_only:
            found.sort(key=lambda entry: (self._is_off(entry), not self._is_named(entry, words)))
        self.show_found(found)

    def run(self, row: ActionEntry) -> None:
        if not self._is_off(row):
            self.close_finder()
            self._actions[row.id].trigger()

    def words_of(self, row: ActionEntry) -> str:
        reason = self._actions.reason(row.id)
        return f"{self._words(row)}: {reason}" if reason else self._words(row)

    def accessible_text(self, row: ActionEntry) -> str:
        return ", ".join(filter(None, (self._words(row), self._keys(row), self._reason(row))))

    def paint_row(self, painter: ItemPainter, row: ActionEntry) -> None:
        off, keys = self._is_off(row), self._keys(row)
        token = "off" if off else "muted"
        if row.icon:
            painter.icon(row.icon, token, gap=8)
        else:
            painter.left += px(24)
        if keys:
            middle = painter.rect.top() + painter.rect.height() / 2
            paint_key_hint(painter.painter, painter.right, middle, keys, text=token, as_is=True)
            painter.right -= key_hint_width(keys, as_is=True) + px(8)
        ink = "off" if off else "text"
        painter.text(self._words(row), ink, ui_font(13, 500), elide=Qt.TextElideMode.ElideMiddle)
        painter.text(self._reason(row), "muted", ui_font(SECOND))

    def _is_off(self, entry: ActionEntry) -> bool:
        return bool(self._actions.reason(entry.id))

    def _is_named(self, entry: ActionEntry, search: list[str]) -> bool:
        """Return whether its name matches, not only a synonym."""
        name = f"{action_text(entry)} {self._actions.text(entry)}".casefold()
        return all(word in name for word in search)

    def _fits(self, entry: ActionEntry, search: list[str]) -> bool:
        text = f"{action_text(entry)} {self._actions.text(entry)} {synonyms(entry)}".casefold()
        if self._keys_only:
            text = f"{text} {' '.join(entry.keys)} {self._keys(entry)}".casefold()
            return all(word in text for word in search)
        return entry.id != "palette" and all(word in text for word in search)

    def _words(self, entry: ActionEntry) -> str:
        """Return its current text, in the list of keys the permanent one."""
        return action_text(entry) if self._keys_only else self._actions.text(entry)

    def _reason(self, entry: ActionEntry) -> str:
        """Return why it is off; the list of keys adds its scope."""
        reason = self._actions.reason(entry.id)
        if self._keys_only and not reason and entry.scope is Scope.REVIEW:
            return QCoreApplication.translate("Actions", "available only in the queue, diff and plan")
        return reason

    def _keys(self, entry: ActionEntry) -> str:
        shown = dict.fromkeys(map(self._actions.bindings.hint, self._actions.bindings.keys(entry)))
        return ", ".join(shown) if self._keys_only else next(iter(shown), "")


_OF_TEXT = (Action.GO_TO_FILE, Action.FIND_ACROSS)
"""Commands that look for the typed text, listed after those that it names."""


class Palette(_ActionFinder):
    """Search box: commands by name, then files and lines with the text."""

    text_wanted = Signal(object, str)
    """Emitted with an action of `_OF_TEXT`, once it was run, and the text."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        words = _tr("Search commands, files and lines"), _tr("Commands")
        super().__init__("palette", words, actions, window, keys_only=False)

    def search(self, text: str) -> None:
        super().search(text)
        if text.strip():
            named = [row for row in self.found.rows if row.id not in _OF_TEXT]
            of_text = sorted(
                (entry for entry in ACTIONS if entry.id in _OF_TEXT), key=lambda row: _OF_TEXT.index(row.id)
            )
            self.show_found([*named, *of_text])

    def run(self, row: ActionEntry) -> None:
        text = self.field.text().strip()
        super().run(row)
        if row.id in _OF_TEXT and text and self.isHidden():
            self.text_wanted.emit(row.id, text)

    def _words(self, entry: ActionEntry) -> str:
        text = self.field.text().strip()
        if entry.id not in _OF_TEXT or not text:
            return super()._words(entry)
        words = _tr("Find files: {text}") if entry.id is Action.GO_TO_FILE else _tr("Find lines: {text}")
        return say(words, text=text)


class KeysList(_ActionFinder):
    """List of all commands with their keys; F2 changes a key."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__(
            "keys-list", (_tr("Search keys"), _tr("Keyboard shortcuts")), actions, window, keys_only=True
        )
        self._changing: ActionEntry | None = None
        self.field.installEventFilter(self)
        self._show_usual_hint()

    def search(self, text: str) -> None:
        self._changing = None
        super().search(text)
        self._show_usual_hint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() not in _KEY_EVENTS:
            return super().eventFilter(watched, event)
        if self._changing is None:
            is_f2 = event.key() == Qt.Key.Key_F2
            if is_f2 and event.type() is QEvent.Type.KeyPress:
                self._begin()
            return is_f2 or super().eventFilter(watched, event)
        event.accept()
        if event.type() is QEvent.Type.KeyPress and event.key() not in _MODIFIERS:
            self._record_key(event)
        return True

    def _begin(self) -> None:
        entry = self.current()
        if entry is None:
            return
        fixed = self._actions.bindings.why_fixed(entry)
        if fixed:
            self.show_note(fixed)
            return
        self._changing = entry
        words = _tr("Press the new key for “{command}”, Esc to cancel or Delete to restore the default.")
        self.show_note(say(words, command=action_text(entry)))

    def _record_key(self, event: QKeyEvent) -> None:
        entry, bindings = self._changing, self._actions.bindings
        if entry is None:
            return
        if event.key() == Qt.Key.Key_Escape:
            self._changing = None
            self._show_usual_hint()
        elif event.key() == Qt.Key.Key_Delete:
            self._changing = None
            bindings.reset_keys(entry)
            self._show_usual_hint()
        else:
            key = key_of(QKeySequence(event.keyCombination()))
            reason = bindings.why_not(entry, key)
            if reason:
                self.show_note(reason)
                return
            self._changing = None
            bindings.choose(entry, key)
            self._show_usual_hint()
        self.list.viewport().update()

    def _show_usual_hint(self) -> None:
        self.show_note(
            _tr(
                "Press F2 to change a command's key. In a text field, press Ctrl+Enter to submit "
                "your text or Esc to close."
            )
        )
