"""The stations we know, read from stations.toml."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

STATIONS_FILE = Path(__file__).resolve().parents[2] / "stations.toml"


@dataclass(frozen=True)
class Station:
    key: str
    name: str
    latitude: float
    longitude: float
    datum: float
    alert_above: float


@dataclass(frozen=True)
class Settings:
    timeout: float = 10.0
    keep_days: int = 90


def stations(file: Path = STATIONS_FILE) -> dict[str, Station]:
    """All stations by their key."""
    with file.open("rb") as source:
        tables = tomllib.load(source)
    return {key: Station(key=key, **table) for key, table in tables.items()}
