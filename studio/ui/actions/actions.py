"""`QAction`s of one window: creation, enabling, shortcuts, disabled reasons, held-key detection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from studio.ui.actions.action import Action, ActionEntry, Scope, is_letter
from studio.ui.actions.bindings import Bindings
from studio.ui.actions.key_guard import KeyGuard
from studio.ui.actions.key_positions import LETTERS
from studio.ui.actions.table import ACTIONS, action_text
from studio.ui.look.icons import icon
from studio.ui.look.words import plain_tip, short_words
from studio.ui.widgets import ToolIcon

_NO_HAND_IS_SO_QUICK_MS = 10


class KeyRepeat(QObject):
    """Detector of held keys, whose repeats must not decide anything.

    X11 reports a held key as release and press at one moment. Qt checks for the press among the events that
    have arrived, and takes a slightly later one for a new press; so the timestamps are compared here.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_repeat = False
        self._released, self._released_at = 0, 0
        window.winId()  # creates the native window, which may not exist before it is shown
        handle = window.windowHandle()
        assert handle is not None
        handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.FocusOut:
            self.is_repeat = False
        elif isinstance(event, QKeyEvent):
            if kind is QEvent.Type.KeyRelease:
                self._released, self._released_at = event.key(), event.timestamp()
                self.is_repeat = False
            else:
                self.is_repeat = event.isAutoRepeat() or self._is_still_held(event)
        return False

    def _is_still_held(self, event: QKeyEvent) -> bool:
        if event.key() != self._released or not self._released_at:
            return False
        return event.timestamp() - self._released_at <= _NO_HAND_IS_SO_QUICK_MS


_ENTRIES = {entry.id: entry for entry in ACTIONS}


class Actions(QObject):
    """The `QAction`s of one window.

    `handlers` maps ids to functions; `reason` returns why an id is off ("" when it is on); `is_momentary`
    whether input is dropped only for this moment.
    """

    triggered = Signal(object)
    was_off = Signal(object, str)
    """Id of a disabled action that was requested, and the reason."""

    def __init__(
        self,
        window: QWidget,
        handlers: Mapping[Action, Callable[[], object]],
        reason: Callable[[Action], str],
        *,
        shown_reasons: Callable[[], Mapping[Action, str]],
        bindings: Bindings,
        is_momentary: Callable[[], bool],
    ) -> None:
        """Create the actions.

        `reason` returns why an action is off now, "" when it is on; `shown_reasons` returns the reasons of
        all actions as of the last change signal.
        """
        super().__init__(window)
        self._window = window
        self.bindings = bindings
        self._reason, self._shown_reasons = reason, shown_reasons
        self._is_momentary = is_momentary
        self._guard: KeyGuard | None = None
        self._review_panes: list[QWidget] = []
        self._review_keys: dict[str, bool] = {}
        """Keys of scope REVIEW, with whether a held one repeats its action."""
        self._shortcuts: list[QShortcut] = []
        self._handlers = dict(handlers)
        self._actions: dict[Action, QAction] = {}
        self._reported: dict[Action, str] = {}
        self._texts: dict[Action, tuple[str, str]] = {}
        self._usual = {entry.id: action_text(entry) for entry in ACTIONS}
        self._keys = KeyRepeat(window)
        for entry in ACTIONS:
            self._actions[entry.id] = self._make(entry, window)
        bindings.changed.connect(self._bind)
        self._bind()
        self.refresh()

    @property
    def handled(self) -> frozenset[Action]:
        """Ids of the actions that have a handler."""
        return frozenset(self._handlers)

    def __getitem__(self, action_id: Action) -> QAction:
        return self._actions[action_id]

    def check(self, states: Mapping[Action, bool]) -> None:
        """Check or uncheck toggles."""
        for action_id, is_checked in states.items():
            self._actions[action_id].setChecked(is_checked)

    def reason(self, action_id: Action) -> str:
        """Return why the action is off now, "" when it is on."""
        return self._reason(action_id)

    def trigger(self, action_id: Action) -> None:
        """Run the action, or report why it is off."""
        reason = self.reason(action_id)
        if reason:
            self._report_off(_ENTRIES[action_id], reason)
            return
        if not self._actions[action_id].isEnabled():
            self.refresh()
        self._actions[action_id].trigger()

    def add_handlers(self, handlers: Mapping[Action, Callable[[], object]]) -> None:
        """Add the handlers of an open project."""
        self._handlers.update(handlers)

    def guard_with(self, guard: KeyGuard) -> None:
        """Install a guard that drops single keys after one that opened nothing."""
        self._guard = guard
        handle = self._window.windowHandle()
        assert handle is not None
        guard.watch(handle, self._answer_off, self._press_at)

    def add_review_pane(self, pane: QWidget) -> None:
        """Enable the keys of scope REVIEW while this pane has focus."""
        self._review_panes.append(pane)
        self._add_review_keys(pane)

    def _bind_review_keys(self) -> None:
        """Listen to the keys of scope REVIEW, and to all letters.

        A letter without an action is one that its position in another layout must not replace.
        """
        keys: dict[str, bool] = dict.fromkeys(LETTERS, True) if self.bindings.letters else {}
        for entry in ACTIONS:
            if entry.scope is Scope.REVIEW:
                for key in self.bindings.keys(entry):
                    keys[key] = keys.get(key, True) and not entry.decides
        if keys == self._review_keys:
            return
        self._review_keys = keys
        for shortcut in self._shortcuts:
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._shortcuts.clear()
        for pane in self._review_panes:
            self._add_review_keys(pane)

    def _add_review_keys(self, pane: QWidget) -> None:
        for key, repeats in self._review_keys.items():
            shortcut = QShortcut(QKeySequence(key), pane)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.setAutoRepeat(repeats)
            for signal in (shortcut.activated, shortcut.activatedAmbiguously):
                signal.connect(partial(self._review_key_pressed, key))
            self._shortcuts.append(shortcut)

    def _review_key_pressed(self, key: str) -> None:
        """Run a key's action as Shift is held.

        On a Hebrew layout Shift and a key type a capital Latin letter: Qt 6.11 then takes X for Shift+X, or
        finds both.
        """
        if is_letter(key) and key[-1].isalpha():
            is_shifted = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
            key = f"Shift+{key[-1]}" if is_shifted else key
            if not is_shifted:
                self.bindings.note_layout(key, "")
        self._press(key)

    def _press_at(self, letter: str, event: QKeyEvent) -> bool:
        """Run the action of a letter's position; return whether there is any."""
        if not self.bindings.letters or not self._is_in_review_pane():
            return False
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not is_shifted:
            self.bindings.note_layout(letter, event.text())
        return self._press(f"Shift+{letter}" if is_shifted else letter)

    def _press(self, key: str) -> bool:
        """Run a key's first enabled action; return whether it has any."""
        entries = [
            entry for entry in ACTIONS if entry.scope is Scope.REVIEW and key in self.bindings.keys(entry)
        ]
        if entries:
            self.trigger(next((entry for entry in entries if not self.reason(entry.id)), entries[0]).id)
        return bool(entries)

    def name(self, action_id: Action, text: str, tip: str) -> None:
        """Set an action's current text and tip, in menus and palette."""
        if self._texts.get(action_id) == (text, tip):
            return
        self._texts[action_id] = text, tip
        action = self._actions[action_id]
        # Qt reads a single & as the mnemonic mark and drops it: a&b would be shown as ab.
        action.setText(short_words(text).replace("&", "&&"))
        self._show_reason(action_id, self._reported.get(action_id, ""))

    def text(self, entry: ActionEntry) -> str:
        """Return the current text of an action."""
        return self._texts[entry.id][0] if entry.id in self._texts else action_text(entry)

    def refresh(self) -> Mapping[Action, str]:
        """Update every action's enabled state and reason, and return the reasons."""
        shown = self._shown_reasons()
        for entry in ACTIONS:
            reason = shown[entry.id]
            if reason == self._reported.get(entry.id):
                continue
            self._reported[entry.id] = reason
            self._show_reason(entry.id, reason)
        return shown

    def _show_reason(self, action_id: Action, reason: str) -> None:
        action = self._actions[action_id]
        sentence = reason or (
            self._texts[action_id][1] if action_id in self._texts else self._usual[action_id]
        )
        action.setEnabled(not reason)
        action.setStatusTip(sentence)
        action.setToolTip(plain_tip(sentence))
        action.setWhatsThis(plain_tip(reason))

    def recolour(self) -> None:
        """Draw the icons again after a change of theme."""
        for entry in ACTIONS:
            if entry.icon:
                self._actions[entry.id].setIcon(icon(entry.icon))

    def _bind(self) -> None:
        """Set the current keys on actions, and update every button."""
        for entry in ACTIONS:
            self._actions[entry.id].setShortcuts([QKeySequence(key) for key in self.bindings.keys(entry)])
        self._bind_review_keys()
        self._actions[Action.LETTERS].setChecked(self.bindings.letters)
        for button in self._window.findChildren(QAbstractButton):
            if isinstance(button, ToolIcon):
                button.update_key()
            else:
                button.updateGeometry()
        self._window.update()

    def _make(self, entry: ActionEntry, window: QWidget) -> QAction:
        action = QAction(action_text(entry), self)
        action.setObjectName(entry.id)
        action.setCheckable(entry.toggle)
        action.setAutoRepeat(not entry.decides)
        action.setMenuRole(QAction.MenuRole.NoRole)
        if entry.scope is Scope.REVIEW:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        else:
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            window.addAction(action)
        action.triggered.connect(partial(self._run, entry.id))
        return action

    def _run(self, action_id: Action, _checked: bool = False) -> None:
        entry = _ENTRIES[action_id]
        if entry.decides and self._keys.is_repeat:
            return
        # A reason may have come up since the last refresh; the engine's guards check after this one.
        reason = self.reason(action_id)
        if reason:
            self.refresh()
            self._report_off(entry, reason)
            return
        self._handlers[action_id]()
        if entry.asks and self._guard is not None and not self._guard.is_typing:
            # Its field opens later, or there was nothing to open: what is typed now is no command.
            self._guard.block_keys()
        self.triggered.emit(action_id)

    def _answer_off(self, key: str) -> bool:
        """Report why a key's actions are off; return whether any is."""
        candidates = [
            entry for entry in ACTIONS if key in self.bindings.keys(entry) and self._is_at_work(entry)
        ]
        reasons = [self.reason(entry.id) for entry in candidates]
        if not candidates or not all(reasons):
            return False
        self._report_off(candidates[0], reasons[0])
        return True

    def _is_at_work(self, entry: ActionEntry) -> bool:
        """Return whether the action's keys work with the current focus.

        A text field has its own keys.
        """
        is_typing = self._guard is not None and self._guard.is_typing
        return entry.scope is Scope.WINDOW or (not is_typing and self._is_in_review_pane())

    def _is_in_review_pane(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and any(
            pane is focused or pane.isAncestorOf(focused) for pane in self._review_panes
        )

    def _report_off(self, entry: ActionEntry, reason: str) -> None:
        """Report why the action is off, and hold single keys.

        What is typed next was meant for what it would have opened. A decision dropped only for a moment, as
        the second of two quick ones, holds back no other key.
        """
        is_momentary = entry.decides and self._is_momentary()
        if self._guard is not None and (entry.asks or not is_momentary):
            self._guard.block_keys()
        self.was_off.emit(entry.id, reason)
