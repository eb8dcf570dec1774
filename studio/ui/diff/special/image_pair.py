"""Comparison of an image before and after: side by side, or difference."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.diff.bars.headings import SideHeadings
from studio.ui.diff.special.image_canvas import ComparisonMode, ImageCanvas, Pair
from studio.ui.diff.special.image_difference import find_difference
from studio.ui.diff.special.images import decode_pair
from studio.ui.look.theme import px
from studio.ui.look.words import say, size
from studio.ui.widgets import ElidedLabel, HairLine, Surface, ToolIcon, column_of, row_of

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.ui.diff.special.image_difference import ImageDifference
    from studio.ui.diff.special.images import DecodedImage
    from studio.ui.runner import Runner


class ImagePair(Surface):
    """Two images, decoded asynchronously; the difference is computed on demand."""

    was_painted = Signal(str)
    """Emitted with `stands_for` of `show_images` once the pair has been painted."""
    mode_changed = Signal()
    """Emitted when the comparison mode, or whether there is one, changes."""
    described = Signal()
    """Emitted when the description changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("image-pair")
        self._request = 0
        self._pair: Pair | None = None
        self._sides: tuple[bytes | None, bytes | None] = (None, None)
        self._names = (self.tr("Before"), self.tr("After this step"))
        self._awaiting_paint = ""
        self._runner: Runner | None = None
        self._mode = ComparisonMode.BESIDE
        self._difference: ImageDifference | None = None
        self._is_difference_requested = False
        self._bar = Surface("panel", self)
        self._bar.setFixedHeight(px(30))
        self._line = HairLine(self)
        self.sentence = ElidedLabel(parent=self._bar, size=12, token="muted")
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.mode_buttons = {
            ComparisonMode.BESIDE: ToolIcon("side-by-side", self.tr("Side by side"), toggle=True, key="I"),
            ComparisonMode.DIFFERENCE: ToolIcon(
                "difference", self.tr("Differences only"), toggle=True, key="I"
            ),
        }
        self._canvas = ImageCanvas(self)
        self._lay_out()
        for mode, button in self.mode_buttons.items():
            button.setObjectName(f"image-{mode.value}")
            button.clicked.connect(partial(self._choose_mode, mode))
        self._canvas.was_painted.connect(self._report_painted)

    def _lay_out(self) -> None:
        inside = row_of((self.sentence, 1), parent=self._bar, margins=(px(12), 0, px(10), 0), spacing=px(2))
        for button in self.mode_buttons.values():
            inside.addWidget(button)
        self.headings = SideHeadings(self)
        column_of(self._bar, self._line, self.headings, (self._canvas, 1), parent=self)

    def show_images(
        self, base: bytes | None, result: bytes | None, stands_for: str, runner: Runner | None
    ) -> None:
        """Show these bytes as images, None for a side that is missing."""
        self._awaiting_paint, self._runner = stands_for, runner
        if self._sides == (base, result) and self._pair is not None:
            self._canvas.update()
            return
        self._forget((base, result))
        if runner is not None:
            runner.compute(decode_pair, base, result, then=partial(self._show_pair, self._request))

    def name_sides(self, before: str, after: str) -> None:
        """Rename the sides, as for a rollback preview."""
        self._names = (before, after)
        self._describe()

    def clear_images(self) -> None:
        """Release the images."""
        self._forget((None, None))

    def why_not_comparable(self) -> str:
        """Return why the images can't be compared, "" if they can."""
        if None in self._sides:
            return self.tr("There is only one image, so there is nothing to compare.")
        if self._pair is None:
            return self.tr("The images are still loading.")
        if any(image is None or image.picture is None for image in self._pair):
            return self.tr("An image can't be shown, so there is nothing to compare.")
        return ""

    def current_mode(self) -> ComparisonMode:
        """Return the current comparison mode."""
        return ComparisonMode.BESIDE if self.why_not_comparable() else self._mode

    def next_mode(self) -> None:
        """Switch between side by side and difference."""
        self._choose_mode(
            ComparisonMode.DIFFERENCE
            if self.current_mode() is ComparisonMode.BESIDE
            else ComparisonMode.BESIDE
        )

    def _choose_mode(self, mode: ComparisonMode, _checked: bool = False) -> None:
        if not self.why_not_comparable():
            self._mode = mode
        self._show_mode()

    def _forget(self, sides: tuple[bytes | None, bytes | None]) -> None:
        self._request += 1
        self._sides, self._pair = sides, None
        self._difference, self._is_difference_requested = None, False
        self._canvas.show_pair(None)
        self._show_mode()

    def _show_pair(self, request: int, pair: Pair) -> None:
        if request == self._request:
            self._pair = pair
            self._canvas.show_pair(pair)
            self._show_mode()

    def _show_mode(self) -> None:
        mode, reason = self.current_mode(), self.why_not_comparable()
        for each, button in self.mode_buttons.items():
            button.setChecked(each is mode)
            button.set_reason(reason)
        if mode is ComparisonMode.DIFFERENCE:
            self._ask_difference()
        self._canvas.show_mode(mode)
        self._describe()
        self.mode_changed.emit()

    def _ask_difference(self) -> None:
        before, after = self._pair or (None, None)
        if self._is_difference_requested or self._runner is None or before is None or after is None:
            return

        self._is_difference_requested = True
        take, fail = self._show_difference, self._show_no_difference
        request = self._request
        self._runner.compute(
            find_difference, before, after, then=partial(take, request), failed=partial(fail, request)
        )

    def _show_difference(self, request: int, difference: ImageDifference) -> None:
        if request == self._request:
            self._difference = difference
            self._canvas.show_difference(difference)
            self._describe()

    def _show_no_difference(self, request: int, error: StudioError) -> None:
        if request == self._request:
            self._is_difference_requested = False
            self.sentence.setText(error.message)

    def _describe(self) -> None:
        before, after = self._pair or (None, None)
        texts = (
            self._heading(self._names[0], before, self._sides[0], self.tr("no such file")),
            self._heading(self._names[1], after, self._sides[1], self.tr("file deleted")),
        )
        # The difference belongs to both sides, so there is one heading.
        self.headings.show_texts(
            (" → ".join(texts),) if self.current_mode() is ComparisonMode.DIFFERENCE else texts, 0
        )
        words = [self._difference_words(before, after), self._mode_words()]
        words += [image.reason for image in (before, after) if image is not None and image.reason]
        self.sentence.setText(" · ".join(dict.fromkeys(part for part in words if part)))
        for widget in (self._bar, self._line):
            widget.setVisible(bool(self.sentence.text()))
        described = ". ".join((*texts, self.sentence.text()))
        for widget in (self, self._canvas):
            widget.setAccessibleName(self.tr("Image"))
            widget.setAccessibleDescription(described)
        self.described.emit()

    @staticmethod
    def _heading(name: str, image: DecodedImage | None, data: bytes | None, missing: str) -> str:
        if data is None:
            return f"{name} · {missing}"
        measures = f"{image.width} × {image.height}, " if image is not None and image.width else ""
        return f"{name} · {measures}{size(len(data))}"

    def _difference_words(self, before: DecodedImage | None, after: DecodedImage | None) -> str:
        if before is None or after is None or before.picture is None or after.picture is None:
            return ""
        wider, higher = after.width - before.width, after.height - before.height
        words: list[str] = []
        if wider:
            template = self.tr("{n} pixels wider") if wider > 0 else self.tr("{n} pixels narrower")
            words.append(say(template, n=abs(wider)))
        if higher:
            template = self.tr("{n} pixels taller") if higher > 0 else self.tr("{n} pixels shorter")
            words.append(say(template, n=abs(higher)))
        return " · ".join(words) or self.tr("Same dimensions")

    def _mode_words(self) -> str:
        """Return a sentence on how much differs, "" in other modes."""
        if self.current_mode() is not ComparisonMode.DIFFERENCE:
            return ""
        found = self._difference
        if found is None:
            return self.tr("Comparing pixels…")
        if not found.differing:
            return self.tr("No pixels differ")
        words = self.tr("{n} of {all} pixels differ, all within a {w} × {h} area at {x}, {y}")
        if found.is_reduced:
            words = self.tr(
                "In the scaled-down images, {n} of {all} pixels differ, all within a {w} "
                "× {h} area at {x}, {y}"
            )
        return say(
            words,
            n=found.differing, all=found.pixels,
            w=str(found.area.width()), h=str(found.area.height()),
            x=str(found.area.x()), y=str(found.area.y()),
        )  # fmt: skip

    def _report_painted(self) -> None:
        if self._awaiting_paint and self._pair is not None:
            said, self._awaiting_paint = self._awaiting_paint, ""
            self.was_painted.emit(said)
