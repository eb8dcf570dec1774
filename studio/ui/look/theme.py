"""Theme of the application: colour tokens, fonts, measures, Qt style rules.

No colour is written anywhere else. Widgets request tokens while they paint, so that a change of theme only
needs a repaint; a widget that caches what it painted drops the cache on `QEvent.PaletteChange`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QGuiApplication,
    QPalette,
    QStyleHints,
)
from PySide6.QtWidgets import QApplication, QStyle

_TOKENS: Mapping[str, tuple[str, str, str]] = {
    # token: light, dark, high contrast
    "window": ("#E9EBED", "#22262A", "#000000"),
    "panel": ("#F5F6F7", "#1E2225", "#000000"),
    "content": ("#FFFFFF", "#181B1E", "#000000"),
    "field": ("#FFFFFF", "#14171A", "#000000"),
    "band": ("#EDF0F3", "#252A2F", "#1A1A1A"),
    "void": ("#F1F2F4", "#1F2327", "#0D0D0D"),
    "border": ("#D3D7DB", "#343A40", "#B8B8B8"),
    "edge": ("#7D858E", "#727C86", "#FFFFFF"),
    "text": ("#1B2127", "#DEE3E8", "#FFFFFF"),
    "muted": ("#56606A", "#9CA7B2", "#E0E0E0"),
    "off": ("#6B747D", "#8A949E", "#BFBFBF"),
    "accent": ("#1B5FA6", "#7DB5EE", "#FFD84A"),
    "accentFill": ("#1B5FA6", "#2F74BB", "#FFD84A"),
    "accentHover": ("#174F8B", "#3477BE", "#FFE27A"),
    "accentPress": ("#123F70", "#245C96", "#E0BC30"),
    "onAccent": ("#FFFFFF", "#FFFFFF", "#000000"),
    "select": ("#D3E3F4", "#263B50", "#3D3400"),
    "selectOff": ("#E0E4E8", "#2E3439", "#262626"),
    "hover": ("#E6EAEE", "#2A2F34", "#262626"),
    "ok": ("#1E7038", "#6CC686", "#6BFF93"),
    "bad": ("#B3261E", "#F28B82", "#FF9A9A"),
    "warn": ("#8A5300", "#E3B04B", "#FFD84A"),
    "observed": ("#6A45A8", "#BC9DF0", "#E0B8FF"),
    "warnBg": ("#FBF1DA", "#332A16", "#000000"),
    "badBg": ("#FBEAE8", "#2C1F1F", "#000000"),
    "infoBg": ("#E6EFF8", "#1F2C3A", "#000000"),
    "okBg": ("#E6F3E9", "#1B2E21", "#000000"),
    "addBg": ("#E5F4E8", "#16291B", "#00260D"),
    "addWord": ("#BFE5C8", "#1E472B", "#005A1F"),
    "addSign": ("#1E7038", "#6CC686", "#6BFF93"),
    "delBg": ("#FBEAE8", "#311C1B", "#330000"),
    "delWord": ("#F8D0CB", "#5E2623", "#7A0000"),
    "delSign": ("#B3261E", "#F28B82", "#FF9A9A"),
    "lineNo": ("#626C76", "#87919B", "#D0D0D0"),
    "curBar": ("#1B5FA6", "#7DB5EE", "#FFD84A"),
    "code": ("#1B2127", "#DEE3E8", "#FFFFFF"),
    "kw": ("#7A2E8E", "#DDB6F0", "#F0B8FF"),
    "str": ("#8A3B00", "#E8B27A", "#FFCC8A"),
    "num": ("#0B5A8A", "#8CC4F0", "#9AD8FF"),
    "com": ("#4F5861", "#B2BBC3", "#C8C8C8"),
    "fn": ("#1F4FA0", "#9BBDF5", "#B0D0FF"),
}

_COLOUR_BLIND: Mapping[str, tuple[str, str, str]] = {
    "addBg": ("#DFF1F4", "#10282D", "#002830"),
    "addWord": ("#B4E0E7", "#154650", "#00566A"),
    "addSign": ("#00616F", "#62C4D4", "#5CE8FF"),
    "delBg": ("#FCEDDD", "#33220F", "#331B00"),
    "delWord": ("#F9D7B2", "#5C390D", "#7A4300"),
    "delSign": ("#9A4300", "#F3A95B", "#FFB74D"),
    "ok": ("#00616F", "#62C4D4", "#5CE8FF"),
    "bad": ("#9A4300", "#F3A95B", "#FFB74D"),
}

_COLUMNS: Mapping[str, int] = {"light": 0, "dark": 1, "contrast": 2}

THEME_NAMES: tuple[str, ...] = tuple(_COLUMNS)
"""Names that `set_theme` accepts besides "system"."""

_REFERENCE_SIZE = 13
"""Size of the UI font in pixels to which all unscaled measures refer."""

FUSION = ("-style", "fusion")
"""Arguments for QApplication: setting the style from Python costs 5 ms before the first paint."""

_CODE_SIZE = 12
_CODE_LINE = 19


class Theme(NamedTuple):
    """One column of the token table: "light", "dark" or "contrast"."""

    name: str
    colour_blind: bool
    tokens: Mapping[str, str]

    def color(self, token: str) -> QColor:
        """Return the colour of a token; raises KeyError for an unknown one."""
        return QColor(self.tokens[token])


@cache
def make_theme(name: str, *, colour_blind: bool = False) -> Theme:
    """Return the theme of a name; raises KeyError for an unknown name.

    Names are "light", "dark" and "contrast".
    """
    column = _COLUMNS[name]
    tokens = {token: values[column] for token, values in _TOKENS.items()}
    if colour_blind:
        tokens.update({token: values[column] for token, values in _COLOUR_BLIND.items()})
    return Theme(name, colour_blind, tokens)


class _Current:
    """Current theme and font size of all windows."""

    theme: Theme = make_theme("light")
    family: str = ""
    code_family: str = ""
    size: int = _REFERENCE_SIZE


def theme() -> Theme:
    """Return the current theme."""
    return _Current.theme


@cache
def color(token: str) -> QColor:
    """Return the current colour of a token.

    The value is shared: copy it before changing it.
    """
    return _Current.theme.color(token)


def set_theme(app: QApplication, name: str, *, colour_blind: bool = False) -> Theme:
    """Apply a theme to the application; "system" follows the desktop.

    The other names are "light", "dark" and "contrast". Raises KeyError for any other.
    """
    if name == "system":
        name = _system_theme()
    _Current.theme = make_theme(name, colour_blind=colour_blind)
    color.cache_clear()
    _adopt_font(app)
    # Not setColorScheme: without a desktop, as on the offscreen platform, it has no effect (PySide6 6.11.3).
    app.setPalette(_palette(_Current.theme))
    app.setStyleSheet(_style_sheet(_Current.theme))
    return _Current.theme


def _system_theme() -> str:
    hints = QGuiApplication.styleHints()
    if _wants_contrast(hints):
        return "contrast"
    return "dark" if hints.colorScheme() is Qt.ColorScheme.Dark else "light"


def _wants_contrast(hints: QStyleHints) -> bool:
    """Return whether the desktop requests high contrast (reported from Qt 6.10)."""
    accessibility = getattr(hints, "accessibility", None)
    if accessibility is None:
        return False
    return accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast


def follow_desktop(changed: Callable[[], object]) -> None:
    """Call back whenever the desktop's colours or contrast change."""
    hints = QGuiApplication.styleHints()
    hints.colorSchemeChanged.connect(changed)
    accessibility = getattr(hints, "accessibility", None)
    if accessibility is not None:
        accessibility().contrastPreferenceChanged.connect(changed)


def is_motion_wanted() -> bool:
    """Return whether the desktop allows animations, such as the input guard's line."""
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0


def _adopt_font(app: QApplication) -> None:
    """Use the desktop's font, at least at the reference size."""
    if _Current.family:
        return
    info = QFontInfo(app.font())
    _Current.family = info.family()
    _Current.size = max(_REFERENCE_SIZE, info.pixelSize())
    px.cache_clear()
    ui_font.cache_clear()
    app.setFont(ui_font())


@cache
def px(length: float) -> int:
    """Scale a length in unscaled pixels to the font; at least 1.

    Unscaled pixels are logical pixels at a 13 px UI font.
    """
    return max(1, round(length * _Current.size / _REFERENCE_SIZE))


@cache
def ui_font(size: float = _REFERENCE_SIZE, weight: int = 400) -> QFont:
    """Return the interface font at a size of the scale.

    The sizes are 11, 12, 13, 14, 15, 17 and 22.

    Sizes are 11, 12, 13, 14, 15, 17 and 22. The value is shared: copy it before changing it.
    """
    font = QFont(_Current.family) if _Current.family else QFont()
    font.setPixelSize(px(size))
    font.setWeight(QFont.Weight(weight))
    return font


def set_code_family(family: str) -> None:
    """Set the font of code; "" is the system's fixed-width one."""
    _Current.code_family = family


def code_family() -> str:
    """Return the font family chosen for code, "" for the system's own."""
    return _Current.code_family


def code_font(zoom: float = 1.0, family: str | None = None) -> QFont:
    """Return the fixed-width code font, without ligatures, to keep columns aligned.

    `family` overrides the chosen one. The value is shared: copy it before changing it.
    """
    family = _Current.code_family if family is None else family
    return _shared_code_font(family, max(6, round(px(_CODE_SIZE) * zoom)))


@cache
def _shared_code_font(family: str, pixels: int) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if family:
        font.setFamily(family)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setKerning(False)
    font.setPixelSize(pixels)
    for feature in ("liga", "calt", "dlig"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def code_line_height(font: QFont) -> int:
    """Return the line height of code, in pixels.

    It is the line spacing x 1.2, but at least 19/12 of the font size.
    """
    spacing = QFontMetricsF(font).lineSpacing() * 1.2
    return math.ceil(max(spacing, font.pixelSize() * _CODE_LINE / _CODE_SIZE) - 0.01)


def _palette(current: Theme) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    tokens = {
        role.Window: "window",
        role.WindowText: "text",
        role.Base: "content",
        role.AlternateBase: "panel",
        role.Text: "text",
        role.Button: "window",
        role.ButtonText: "text",
        role.BrightText: "bad",
        role.ToolTipBase: "field",
        role.ToolTipText: "text",
        role.PlaceholderText: "muted",
        role.Highlight: "select",
        role.HighlightedText: "text",
        role.Link: "accent",
        role.LinkVisited: "accent",
        role.Accent: "accent",
        role.Light: "content",
        role.Midlight: "hover",
        role.Mid: "border",
        role.Dark: "border",
        role.Shadow: "edge",
    }
    for palette_role, token in tokens.items():
        palette.setColor(palette_role, current.color(token))
    for palette_role in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, palette_role, current.color("off"))
    palette.setColor(QPalette.ColorGroup.Inactive, role.Highlight, current.color("selectOff"))
    return palette


def _style_sheet(current: Theme) -> str:
    """Return the QSS, which replaces Fusion's gradients by tokens."""
    values = dict(current.tokens)
    values.update({f"px{length}": f"{px(length)}px" for length in (2, 3, 4, 6, 8, 10, 12, 16, 24, 28)})
    # A focused field has a border wider by 1 px; its text must not move.
    values["fieldTop"], values["fieldLeft"] = f"{px(3) - 1}px", f"{px(6) - 1}px"
    values["buttonFace"] = current.tokens["field" if current.name == "light" else "band"]
    return _SHEET % values


_SHEET = """
QToolTip { background: %(field)s; color: %(text)s; border: 1px solid %(edge)s; padding: %(px4)s; }
QMenuBar { background: %(window)s; color: %(text)s; border: none; padding: 0 %(px8)s; }
QMenuBar::item { background: transparent; padding: %(px4)s %(px8)s; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: %(hover)s; }
QMenu { background: %(panel)s; color: %(text)s; border: 1px solid %(edge)s; padding: %(px4)s 0; }
QMenu::item { padding: %(px4)s %(px24)s %(px4)s %(px28)s; background: transparent; }
QMenu::item:selected { background: %(select)s; }
QMenu::item:disabled { color: %(off)s; }
QMenu::icon { left: %(px8)s; }
QMenu::separator { height: 1px; background: %(border)s; margin: %(px4)s 0; }
QLineEdit, QPlainTextEdit, QTextEdit {
    background: %(field)s; color: %(text)s; border: 1px solid %(edge)s; border-radius: 3px;
    padding: %(px3)s %(px6)s; selection-background-color: %(select)s; selection-color: %(text)s;
    placeholder-text-color: %(muted)s;
}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus {
    border: 2px solid %(accent)s; padding: %(fieldTop)s %(fieldLeft)s;
}
QLineEdit:disabled, QPlainTextEdit:disabled { color: %(off)s; background: %(panel)s; }
QPushButton, QComboBox {
    background: %(buttonFace)s; color: %(text)s; border: 1px solid %(edge)s; border-radius: 3px;
    padding: %(px3)s %(px10)s; min-height: %(px16)s;
}
QComboBox::drop-down { border: none; width: %(px24)s; }
QPushButton:hover, QComboBox:hover { background: %(hover)s; }
QPushButton:pressed { background: %(selectOff)s; }
QPushButton:focus, QComboBox:focus { border: 2px solid %(accent)s; }
QPushButton:disabled, QComboBox:disabled { color: %(off)s; background: %(window)s; border-color: %(border)s; }
QToolButton { background: transparent; border: none; border-radius: 3px; padding: %(px4)s; color: %(text)s; }
QToolButton:hover { background: %(hover)s; }
QToolButton:pressed { background: %(selectOff)s; }
QToolButton:disabled { color: %(off)s; }
QComboBox QAbstractItemView {
    background: %(panel)s; color: %(text)s; border: 1px solid %(edge)s;
    selection-background-color: %(select)s; selection-color: %(text)s;
}
QAbstractItemView {
    background: %(panel)s; color: %(text)s; border: none; outline: none;
    selection-background-color: %(select)s; selection-color: %(text)s;
}
QHeaderView { background: %(panel)s; border: none; }
QHeaderView::section {
    background: %(panel)s; color: %(muted)s; border: none; border-bottom: 1px solid %(border)s;
    padding: %(px3)s %(px8)s; font-weight: 400;
}
QTabWidget::pane { border: none; border-top: 1px solid %(border)s; }
QTabBar { background: %(window)s; border: none; }
QTabBar::tab {
    background: transparent; color: %(muted)s; border: none; border-top: 2px solid transparent;
    padding: %(px6)s %(px12)s;
}
QTabBar::tab:selected { background: %(panel)s; color: %(text)s; border-top: 2px solid %(edge)s; }
QTabBar::tab:hover:!selected { background: %(hover)s; }
QTabBar#dock-tabs::tab { padding: %(px2)s %(px12)s; }
QTabBar#dock-tabs[closed="true"]::tab:selected {
    background: transparent; color: %(muted)s; border-top: 2px solid transparent;
}
QProgressBar {
    background: %(field)s; border: 1px solid %(edge)s; border-radius: 2px; text-align: center;
    max-height: %(px6)s;
}
QProgressBar::chunk { background: %(accentFill)s; }
QStatusBar { background: %(window)s; color: %(text)s; border: none; border-top: 1px solid %(border)s; }
QStatusBar::item { border: none; }
QSplitter::handle { background: %(border)s; }
QScrollArea, QStackedWidget { background: transparent; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: %(px10)s; margin: 0; border: none; }
QScrollBar:horizontal { background: transparent; height: %(px10)s; margin: 0; border: none; }
QScrollBar::handle { background: %(edge)s; border: 3px solid transparent; border-radius: 2px; }
QScrollBar::handle:vertical { min-height: %(px24)s; background: %(edge)s; margin: 0 %(px2)s; }
QScrollBar::handle:horizontal { min-width: %(px24)s; background: %(edge)s; margin: %(px2)s 0; }
QScrollBar::handle:hover { background: %(muted)s; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; background: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
