"""The actions of one window: made from the table, on or off with a reason, run by key, menu or button."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from studio.ui.actions.action import Action, ActionEntry, Scope
from studio.ui.actions.bindings import Bindings
from studio.ui.actions.press_guard import PressGuard
from studio.ui.actions.table import ACTIONS, action_text
from studio.ui.look.icons import icon
from studio.ui.look.words import plain_tip, short_words

_NO_HAND_IS_SO_QUICK_MS = 10


class KeyRepeat(QObject):
    """Watches whether a key of one window is held down: its repeats decide nothing (look.md 9.1).

    X11 tells of a held key as release and press at one moment. Qt looks for the press in what has already
    arrived, and takes it for a new one when it comes a little later; so the times are compared here.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_repeat = False
        self._released, self._released_at = 0, 0
        window.winId()  # the window of the system may not exist before it is shown
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
                self.is_repeat = event.isAutoRepeat() or self._never_let_go(event)
        return False

    def _never_let_go(self, event: QKeyEvent) -> bool:
        if event.key() != self._released or not self._released_at:
            return False
        return event.timestamp() - self._released_at <= _NO_HAND_IS_SO_QUICK_MS


_ENTRIES = {entry.id: entry for entry in ACTIONS}


class Actions(QObject):
    """The QActions of one window, made from the table.

    `handlers` gives for each id what it does; `reason` says why an id is off ("" when it is on);
    `is_momentary` whether presses are dropped only for this moment.
    """

    triggered = Signal(str)
    was_off = Signal(str, str)
    """The id of an action that was asked for while it is off, and why it is."""

    def __init__(
        self,
        window: QWidget,
        handlers: Mapping[Action, Callable[[], object]],
        reason: Callable[[Action], str],
        *,
        shown_reasons: Callable[[], Callable[[Action], str]],
        bindings: Bindings,
        is_momentary: Callable[[], bool],
    ) -> None:
        """Make them all.

        `reason` says why an action is off at this moment, "" when it is on; what `shown_reasons` returns says
        the same as of the last change.
        """
        super().__init__(window)
        self._window = window
        self.bindings = bindings
        self._reason, self._shown_reasons = reason, shown_reasons
        self._is_momentary = is_momentary
        self._guard: PressGuard | None = None
        self._review_panes: list[QWidget] = []
        self._handlers = handlers
        self._actions: dict[Action, QAction] = {}
        self._told: dict[Action, str] = {}
        self._named: dict[Action, tuple[str, str]] = {}
        self._usual = {entry.id: action_text(entry) for entry in ACTIONS}
        self._keys = KeyRepeat(window)
        for entry in ACTIONS:
            self._actions[entry.id] = self._make(entry, window)
        bindings.changed.connect(self._bind)
        self._bind()
        self.refresh()

    @property
    def handled(self) -> frozenset[Action]:
        """The ids of the actions for which something is done."""
        return frozenset(self._handlers)

    def __getitem__(self, action_id: Action) -> QAction:
        return self._actions[action_id]

    def reason(self, action_id: Action) -> str:
        """Why the action is off now, "" when it is on."""
        return self._reason(action_id)

    def trigger(self, action_id: Action) -> None:
        """Do it as a key or menu would; while it is off only the reason is said."""
        reason = self.reason(action_id)
        if reason:
            self._say_off(_ENTRIES[action_id], reason)
            return
        if not self._actions[action_id].isEnabled():
            self.refresh()
        self._actions[action_id].trigger()

    def guard_with(self, guard: PressGuard) -> None:
        """Let a guard drop single keys after one that opened nothing."""
        self._guard = guard
        handle = self._window.windowHandle()
        assert handle is not None
        guard.watch(handle, self._answer_off)

    def add_review_pane(self, pane: QWidget) -> None:
        """Let the keys of scope REVIEW work while the focus is in this pane."""
        self._review_panes.append(pane)
        for entry in ACTIONS:
            if entry.scope is Scope.REVIEW:
                pane.addAction(self._actions[entry.id])

    def name(self, action_id: Action, text: str, tip: str) -> None:
        """Let an action say what exactly it would do now, in menus, palette and tips."""
        if self._named.get(action_id) == (text, tip):
            return
        self._named[action_id] = text, tip
        action = self._actions[action_id]
        # Qt takes a single & for the mark of a key and leaves it out: a&b would be called ab.
        action.setText(short_words(text).replace("&", "&&"))
        self._say_why(action_id, self.reason(action_id))

    def text(self, entry: ActionEntry) -> str:
        """What an action is called now."""
        return self._named[entry.id][0] if entry.id in self._named else action_text(entry)

    def refresh(self) -> None:
        """Ask for every action whether it is on, and say why where it is not (R181)."""
        shown = self._shown_reasons()
        for entry in ACTIONS:
            reason = shown(entry.id)
            if reason == self._told.get(entry.id):
                continue
            self._told[entry.id] = reason
            self._say_why(entry.id, reason)

    def _say_why(self, action_id: Action, reason: str) -> None:
        action = self._actions[action_id]
        said = reason or (self._named[action_id][1] if action_id in self._named else self._usual[action_id])
        action.setEnabled(not reason)
        action.setStatusTip(said)
        action.setToolTip(plain_tip(said))
        action.setWhatsThis(plain_tip(reason))

    def recolour(self) -> None:
        """Draw the icons again after a change of theme."""
        for entry in ACTIONS:
            if entry.icon:
                self._actions[entry.id].setIcon(icon(entry.icon))

    def _bind(self) -> None:
        """Let the keys do what they are bound to now, and say so on every button."""
        for entry in ACTIONS:
            self._actions[entry.id].setShortcuts([QKeySequence(key) for key in self.bindings.keys(entry)])
        self._actions[Action.LETTERS].setChecked(self.bindings.letters)
        for button in self._window.findChildren(QAbstractButton):
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
        action.triggered.connect(lambda: self._run(entry.id))
        return action

    def _run(self, action_id: Action) -> None:
        entry = _ENTRIES[action_id]
        if entry.decides and self._keys.is_repeat:
            return
        # A reason may have come up since the last refresh; the guards of the engine are behind this one.
        reason = self.reason(action_id)
        if reason:
            self.refresh()
            self._say_off(entry, reason)
            return
        self._handlers[action_id]()
        if entry.asks and self._guard is not None and not self._guard.is_typing:
            # What it opens comes later, or there was nothing to open: what is typed now is no command.
            self._guard.hold()
        self.triggered.emit(action_id)

    def _answer_off(self, key: str) -> bool:
        """Whether a key that did nothing belongs to actions that are off; then it says why."""
        asked = [entry for entry in ACTIONS if key in self.bindings.keys(entry) and self._is_at_work(entry)]
        reasons = [self.reason(entry.id) for entry in asked]
        if not asked or not all(reasons):
            return False
        self._say_off(asked[0], reasons[0])
        return True

    def _is_at_work(self, entry: ActionEntry) -> bool:
        """Whether the keys of an action work where the focus is; a text field has its own."""
        if entry.scope is Scope.WINDOW:
            return True
        focused = QApplication.focusWidget()
        is_typing = self._guard is not None and self._guard.is_typing
        return not is_typing and any(
            pane is focused or (focused is not None and pane.isAncestorOf(focused))
            for pane in self._review_panes
        )

    def _say_off(self, entry: ActionEntry, reason: str) -> None:
        """Say why it is off; what is typed next was meant for what it would have opened.

        A decision that is dropped for a moment only, as the second of two quick ones, holds up no other key.
        """
        is_momentary = entry.decides and self._is_momentary()
        if self._guard is not None and (entry.asks or not is_momentary):
            self._guard.hold()
        self.was_off.emit(entry.id, reason)
