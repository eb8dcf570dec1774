"""Fills the web page with a day's tides."""

import json
from collections.abc import Iterable
from html import escape
from pathlib import Path

from tidewatch.config import Station
from tidewatch.tides import Tide

TEMPLATE = Path(__file__).resolve().parents[2] / "web" / "index.html"


def render(station: Station, tides: Iterable[Tide]) -> str:
    """The page as HTML; the tides go in as JSON that web/app.js draws."""
    values = [{"at": tide.at.isoformat(), "metres": tide.metres, "high": tide.high} for tide in tides]
    # "<" would end the script element early.
    data = json.dumps(values).replace("<", "\\u003c")
    page = TEMPLATE.read_text("utf-8")
    return page.replace("{{ station }}", escape(station.name)).replace("{{ tides }}", data)
