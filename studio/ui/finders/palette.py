"""The command palette: every action by name, with its key and why it is off (look.md 8)."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.ui.actions.actions import Actions
from studio.ui.actions.bindings import key_of
from studio.ui.actions.entry import ActionEntry, Scope
from studio.ui.actions.table import ACTIONS, action_text, shown_key, synonyms
from studio.ui.finders.finder import ROW_HEIGHT, Finder
from studio.ui.language import translator
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import say
from studio.ui.widgets.row_painter import SECOND, RowPainter
from studio.ui.widgets.strokes import key_hint_width, paint_key_hint

_tr = translator("Palette")

Index = QModelIndex | QPersistentModelIndex

_TOP = QModelIndex()
_ENTRY = Qt.ItemDataRole.UserRole
_REASON = Qt.ItemDataRole.UserRole + 1
_KEYS = Qt.ItemDataRole.UserRole + 2
_WORDS = Qt.ItemDataRole.UserRole + 3
_KEY_EVENTS = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
_MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class _Commands(QAbstractListModel):
    """The actions whose words hold every typed word; possible ones first, of these what is called so.

    `keys_only`: the list of keys instead, in the order of the table; every key of an action is shown.
    """

    def __init__(self, actions: Actions, parent: QObject, *, keys_only: bool) -> None:
        super().__init__(parent)
        self._actions = actions
        self._keys_only = keys_only
        self._entries: tuple[ActionEntry, ...] = ()

    def search(self, text: str) -> None:
        typed = text.casefold().split()
        found = [entry for entry in ACTIONS if self._fits(entry, typed)]
        if not self._keys_only:
            found.sort(key=lambda entry: (self._is_off(entry), not self._is_named(entry, typed)))
        self.beginResetModel()
        self._entries = tuple(found)
        self.endResetModel()

    def _is_off(self, entry: ActionEntry) -> bool:
        return bool(self._actions.reason(entry.id))

    def _is_named(self, entry: ActionEntry, typed: list[str]) -> bool:
        """Whether it is called so, and not only meant by a synonym."""
        said = f"{action_text(entry)} {self._actions.text(entry)}".casefold()
        return all(word in said for word in typed)

    def _fits(self, entry: ActionEntry, typed: list[str]) -> bool:
        said = f"{action_text(entry)} {self._actions.text(entry)} {synonyms(entry)}".casefold()
        if self._keys_only:
            said = f"{said} {' '.join(entry.keys)} {self._keys(entry)}".casefold()
            return all(word in said for word in typed)
        return entry.id != "palette" and all(word in said for word in typed)

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self._entries[index.row()]
        if role == _ENTRY:
            return entry
        if role == _REASON:
            return self._reason(entry)
        if role == _KEYS:
            return self._keys(entry)
        if role == _WORDS:
            return self._words(entry)
        if role == Qt.ItemDataRole.DisplayRole:
            reason = self._actions.reason(entry.id)
            said = self._words(entry)
            return f"{said}: {reason}" if reason else said
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = (self._words(entry), self._keys(entry), self._reason(entry))
            return ", ".join(part for part in said if part)
        return None

    def is_off(self, index: Index) -> bool:
        return self._is_off(self._entries[index.row()])

    def _words(self, entry: ActionEntry) -> str:
        """What it would do now; in the list of keys what the key stands for at all times."""
        return action_text(entry) if self._keys_only else self._actions.text(entry)

    def _reason(self, entry: ActionEntry) -> str:
        """Why it is off; in the list of keys also where the key works."""
        reason = self._actions.reason(entry.id)
        if self._keys_only and not reason and entry.scope is Scope.REVIEW:
            return QCoreApplication.translate("Actions", "in queue, diff and plan")
        return reason

    def _keys(self, entry: ActionEntry) -> str:
        shown = dict.fromkeys(map(shown_key, self._actions.bindings.keys(entry)))
        return ", ".join(shown) if self._keys_only else next(iter(shown), "")


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(200), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: ActionEntry = index.data(_ENTRY)
        reason: str = index.data(_REASON)
        keys: str = index.data(_KEYS)
        model = index.model()
        off = isinstance(model, _Commands) and model.is_off(index)
        painter.save()
        row = found_row(painter, option, index, self.parent())
        token = "off" if off else "muted"
        if entry.icon:
            row.icon(entry.icon, token, gap=8)
        else:
            row.left += px(24)
        if keys:
            middle = option.rect.top() + option.rect.height() / 2
            paint_key_hint(painter, row.right, middle, keys, text=token, as_is=True)
            row.right -= key_hint_width(keys, as_is=True) + px(8)
        said: str = index.data(_WORDS)
        row.text(said, "off" if off else "text", ui_font(13, 500), elide=Qt.TextElideMode.ElideMiddle)
        row.text(reason, "muted", ui_font(SECOND))
        painter.restore()


def found_row(
    painter: QPainter, option: QStyleOptionViewItem, index: Index, view: QObject | None
) -> RowPainter:
    """A painter for a row of a finder, its background done."""
    if isinstance(view, QListView) and view.currentIndex().row() == index.row():
        painter.fillRect(option.rect, color("select"))
        painter.fillRect(option.rect.adjusted(0, 0, px(3) - option.rect.width(), 0), color("accent"))
    return RowPainter(painter, option.rect, left=px(18), right=px(12))


class _ActionFinder(Finder):
    """Finds rows of the table of actions and runs the chosen one."""

    def __init__(
        self, name: str, words: tuple[str, str], actions: Actions, window: QWidget, *, keys_only: bool
    ) -> None:
        super().__init__(name, *words, window)
        self._actions = actions
        self._commands = _Commands(actions, self, keys_only=keys_only)
        self.set_rows(self._commands, _Row(self.list))

    def search(self, text: str) -> None:
        self._commands.search(text)
        self.show_found()

    def run_row(self, index: Index) -> None:
        if not self._commands.is_off(index):
            entry: ActionEntry = index.data(_ENTRY)
            self.close_finder()
            self._actions[entry.id].trigger()


class Palette(_ActionFinder):
    """Every command by name."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        words = _tr("Find a command"), _tr("Commands")
        super().__init__("palette", words, actions, window, keys_only=False)


class KeysList(_ActionFinder):
    """Every command with its keys, and where they work; F2 lets a person choose another key."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__("keys-list", (_tr("Find a key"), _tr("Keys")), actions, window, keys_only=True)
        self._changing: ActionEntry | None = None
        self.field.installEventFilter(self)
        self._say_usual()

    def search(self, text: str) -> None:
        self._changing = None
        super().search(text)
        self._say_usual()

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
            self._take(event)
        return True

    def _begin(self) -> None:
        entry: ActionEntry | None = self.list.currentIndex().data(_ENTRY)
        if entry is None:
            return
        fixed = self._actions.bindings.why_fixed(entry)
        if fixed:
            self.say(fixed)
            return
        self._changing = entry
        words = _tr("Press the new key for “{command}”. Esc leaves it, Delete brings the usual one back.")
        self.say(say(words, command=action_text(entry)))

    def _take(self, event: QKeyEvent) -> None:
        entry, bindings = self._changing, self._actions.bindings
        if entry is None:
            return
        if event.key() == Qt.Key.Key_Escape:
            self._changing = None
            self._say_usual()
        elif event.key() == Qt.Key.Key_Delete:
            self._changing = None
            bindings.use_usual(entry)
            self._say_usual()
        else:
            key = key_of(QKeySequence(event.keyCombination()))
            reason = bindings.why_not(entry, key)
            if reason:
                self.say(reason)
                return
            self._changing = None
            bindings.choose(entry, key)
            self._say_usual()
        self.list.viewport().update()

    def _say_usual(self) -> None:
        self.say(_tr("F2 changes the key of a row. In a text field Ctrl+Enter is done, Esc closes it."))
