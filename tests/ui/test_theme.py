"""One table of tokens: contrast, palette, and no colour anywhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from studio.resources import resource
from studio.ui.look.icons import icon, pixmap
from studio.ui.look.theme import (
    THEME_NAMES,
    Theme,
    code_font,
    code_line_height,
    color,
    make_theme,
    px,
    set_theme,
    theme,
    ui_font,
)

VARIANTS = [(name, blind) for name in THEME_NAMES for blind in (False, True)]
SURFACES = ("window", "panel", "content", "field", "band", "warnBg", "badBg", "infoBg", "okBg", "hover")
LINES = ("content", "addBg", "addWord", "delBg", "delWord", "warnBg", "infoBg", "select")
CODE = ("code", "kw", "str", "num", "com", "fn")


@pytest.fixture(autouse=True)
def light_again(qapp: QApplication) -> Iterator[None]:
    yield
    set_theme(qapp, "light")


def luminance(value: QColor) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(value.redF()) + 0.7152 * linear(value.greenF()) + 0.0722 * linear(value.blueF())


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lowest(shown: Theme, ink: str, surfaces: tuple[str, ...]) -> float:
    return min(contrast(shown.color(ink), shown.color(surface)) for surface in surfaces)


@pytest.mark.parametrize(("name", "blind"), VARIANTS)
def test_text_can_be_read_on_every_surface(name: str, blind: bool) -> None:
    shown = make_theme(name, colour_blind=blind)
    for ink in ("text", "muted", "accent", "ok", "bad", "warn", "observed"):
        assert lowest(shown, ink, SURFACES) >= 4.5, ink
    for ink in CODE:
        assert lowest(shown, ink, LINES) >= 4.5, ink
    assert round(lowest(shown, "off", ("window", "panel", "content")), 1) >= 4
    assert lowest(shown, "lineNo", ("content", "addBg", "delBg")) >= 4.5
    assert lowest(shown, "addSign", ("addBg", "panel")) >= 4.5
    assert lowest(shown, "delSign", ("delBg", "panel")) >= 4.5
    assert lowest(shown, "edge", ("window", "panel", "content", "band")) >= 3
    assert contrast(shown.color("onAccent"), shown.color("accentFill")) >= 4.5


def test_colour_blind_variant_keeps_added_and_removed_apart_in_blue_and_yellow() -> None:
    for name in THEME_NAMES:
        usual, safe = make_theme(name), make_theme(name, colour_blind=True)
        changed = {token for token in usual.tokens if usual.tokens[token] != safe.tokens[token]}
        assert changed == {"addBg", "addWord", "addSign", "delBg", "delWord", "delSign", "ok", "bad"}
        # The blue part is what red-green blindness leaves: it must differ clearly.
        assert abs(safe.color("addBg").blue() - safe.color("delBg").blue()) >= 20


def test_no_colour_is_written_anywhere_else() -> None:
    package = Path(__file__).parents[2] / "studio"
    written = re.compile(
        r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}['\"]|QColor\(\s*[\d'\"]|GlobalColor\.(?!transparent)"
    )
    found = [
        f"{path.relative_to(package)}:{number}"
        for path in package.rglob("*.py")
        if path.name != "theme.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if written.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(("name", "blind"), VARIANTS)
def test_a_theme_reaches_palette_and_style_sheet(qapp: QApplication, name: str, blind: bool) -> None:
    shown = set_theme(qapp, name, colour_blind=blind)
    assert theme() is shown
    assert (shown.name, shown.colour_blind) == (name, blind)
    palette = qapp.palette()
    assert palette.color(QPalette.ColorRole.Window) == color("window")
    assert palette.color(QPalette.ColorRole.Text) == color("text")
    disabled = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    assert disabled == color("off")
    used = set(re.findall(r"#[0-9a-fA-F]{6}", qapp.styleSheet()))
    assert used <= set(shown.tokens.values())
    assert "gradient" not in qapp.styleSheet()
    assert qapp.style().name().lower() in ("fusion", "stylesheet", "")


def test_unknown_names_are_refused(qapp: QApplication) -> None:
    with pytest.raises(KeyError):
        set_theme(qapp, "sepia")
    with pytest.raises(KeyError):
        color("pink")


def test_system_means_the_desktops_choice(qapp: QApplication) -> None:
    wanted = "dark" if qapp.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"
    assert set_theme(qapp, "system").name == wanted


@pytest.mark.parametrize(
    ("contrast", "wanted"),
    [(Qt.ContrastPreference.HighContrast, "contrast"), (Qt.ContrastPreference.NoPreference, "dark")],
)
def test_a_desktop_of_high_contrast_is_followed(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, contrast: Qt.ContrastPreference, wanted: str
) -> None:
    """Who set the desktop to high contrast is asked nothing again."""
    accessibility = SimpleNamespace(contrastPreference=lambda: contrast)
    hints = SimpleNamespace(accessibility=lambda: accessibility, colorScheme=lambda: Qt.ColorScheme.Dark)
    monkeypatch.setattr(QGuiApplication, "styleHints", lambda: hints)
    assert set_theme(qapp, "system").name == wanted


def test_measures_follow_the_font(qapp: QApplication) -> None:
    set_theme(qapp, "light")
    assert QFontInfo(qapp.font()).pixelSize() == px(13) >= 13
    assert px(0.1) == 1
    assert ui_font(22).pixelSize() > ui_font(17).pixelSize() > ui_font(11).pixelSize()
    assert ui_font(13, 600).weight() is QFont.Weight.DemiBold


def test_code_stands_on_a_grid(qapp: QApplication) -> None:
    set_theme(qapp, "light")
    font = code_font()
    metrics = QFontMetricsF(font)
    assert metrics.horizontalAdvance("i" * 40) == pytest.approx(metrics.horizontalAdvance("W" * 40))
    assert code_line_height(font) >= metrics.lineSpacing() * 1.2 - 1
    assert code_font(2.0).pixelSize() == 2 * font.pixelSize()


ICONS = sorted(path.stem for path in resource("icons").glob("*.svg"))


@pytest.mark.parametrize("name", ICONS)
def test_icons_are_drawn_in_the_colour_of_their_token(qapp: QApplication, name: str) -> None:
    set_theme(qapp, "light")
    drawn = pixmap(name, "accent", 32, ratio=2.0).toImage()
    assert drawn.width() == 2 * px(32)
    opaque = [
        drawn.pixelColor(x, y)
        for x in range(drawn.width())
        for y in range(drawn.height())
        if drawn.pixelColor(x, y).alpha() == 255
    ]
    assert opaque
    if name != "studio":
        wanted = color("accent")
        # Where strokes meet, blending rounds by a step.
        assert all(
            abs(seen.red() - wanted.red())
            + abs(seen.green() - wanted.green())
            + abs(seen.blue() - wanted.blue())
            <= 6
            for seen in opaque
        )


def test_icons_that_the_code_names_exist(qapp: QApplication) -> None:
    package = Path(__file__).parents[2] / "studio" / "ui"
    named = re.compile(
        r"""(?:paint_icon\(painter, |ToolIcon\(|icon=|SpecialPanel\(\s*|[^_]icon\()"([a-z][a-z-]*)\""""
    )
    names = {
        name for path in package.rglob("*.py") for name in named.findall(path.read_text(encoding="utf-8"))
    }
    assert names
    assert names <= set(ICONS)


def test_an_icon_follows_the_theme_and_greys_out(qapp: QApplication) -> None:
    set_theme(qapp, "dark")
    made = icon("approved", "ok")
    normal = made.pixmap(px(16)).toImage()
    disabled = made.pixmap(px(16), made.Mode.Disabled).toImage()
    assert normal != disabled
    set_theme(qapp, "light")
    assert icon("approved", "ok").pixmap(px(16)).toImage() != normal


def test_a_missing_icon_is_an_error(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        pixmap("no-such-icon")


def test_text_in_a_field_stays_where_it_is_when_the_field_takes_the_keyboard(
    qapp: QApplication, qtbot: QtBot
) -> None:
    set_theme(qapp, "light")
    both = QWidget()
    qtbot.addWidget(both)
    fields = QLineEdit("Harbour", both), QLineEdit("Harbour", both)
    for place, field in enumerate(fields):
        field.setGeometry(10, 10 + 40 * place, 200, 28)
    both.show()
    qtbot.waitExposed(both)
    fields[0].setFocus()
    qtbot.waitUntil(fields[0].hasFocus)
    fields[0].setReadOnly(True)  # Without the cursor both look the same inside.
    inside = fields[0].rect().adjusted(3, 3, -3, -3)
    assert fields[0].grab(inside).toImage() == fields[1].grab(inside).toImage()
