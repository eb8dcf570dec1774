"""The command line."""

import argparse
import sys
from datetime import date
from pathlib import Path

from tidewatch import __version__
from tidewatch.alerts import alert
from tidewatch.config import stations
from tidewatch.export_csv import export
from tidewatch.fetch import FetchFailed, tides_of
from tidewatch.page import render


COMMANDS = {
    "show": "print the tides",
    "page": "print a web page",
    "export": "write a CSV file",
}


def parser() -> argparse.ArgumentParser:
    known = sorted(stations())
    top = argparse.ArgumentParser(prog="tidewatch", description="Tide tables of North Sea harbours")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(dest="command", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("station", choices=known)
        command.add_argument("--day", type=date.fromisoformat, default=None)
        if name == "export":
            command.add_argument("file", type=Path)
    return top


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    station = stations()[options.station]
    try:
        tides = tides_of(station.key, options.day or date.today())
    except FetchFailed as error:
        print(error, file=sys.stderr)
        return 1
    if options.command == "export":
        print(export(tides, options.file), "lines written")
    elif options.command == "page":
        print(render(station, tides))
    else:
        for tide in tides:
            print(f"{tide.at:%H:%M}  {'high' if tide.high else 'low ':4}  {tide.metres:5.2f} m")
        if warning := alert(station, tides):
            print(warning, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
