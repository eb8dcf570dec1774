"""Re-exports of shared widgets: buttons, check boxes, labels, banners, layout helpers."""

from studio.ui.widgets.buttons import RING, Button, ButtonKind, CheckBox, PressedBySpace, ToolIcon
from studio.ui.widgets.labels import ChangeCounts, ElidedLabel, KeyHint, Label
from studio.ui.widgets.surfaces import (
    STRETCH,
    STYLE_GAP,
    Banner,
    BannerKind,
    CountBar,
    HairLine,
    PaneHeader,
    Surface,
    column_of,
    row_of,
)

__all__ = [
    "RING",
    "STRETCH",
    "STYLE_GAP",
    "Banner",
    "BannerKind",
    "Button",
    "ButtonKind",
    "ChangeCounts",
    "CheckBox",
    "CountBar",
    "ElidedLabel",
    "HairLine",
    "KeyHint",
    "Label",
    "PaneHeader",
    "PressedBySpace",
    "Surface",
    "ToolIcon",
    "column_of",
    "row_of",
]
