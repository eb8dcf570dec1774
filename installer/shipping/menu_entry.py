"""What desktops and software centres on Linux show of the program: the same of every package."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

ID = "org.exacta.Studio"


def filled(text: str, **fields: object) -> str:
    """A template with its fields, each between two @."""
    for name, value in fields.items():
        text = text.replace(f"@{name.upper()}@", str(value))
    return text


def metainfo(linux: Path, version: str, epoch: int) -> str:
    """What software centres show; `linux` is the folder of the template."""
    template = (linux / f"{ID}.metainfo.xml").read_text("utf-8")
    return filled(template, version=version, date=f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d}")


def put(linux: Path, share: Path, version: str, epoch: int) -> None:
    """Write the entry in menus and what software centres show below a folder such as /usr/share."""
    for place, text in (
        (f"applications/{ID}.desktop", (linux / f"{ID}.desktop").read_text("utf-8")),
        (f"metainfo/{ID}.metainfo.xml", metainfo(linux, version, epoch)),
    ):
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        (share / place).write_text(text, "utf-8")
