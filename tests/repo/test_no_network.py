"""The program opens no connection by itself: no update check, no telemetry."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
REACHING = re.compile(
    r"(socket|socketserver|ssl|http|urllib|ftplib|smtplib|poplib|imaplib|nntplib|telnetlib|xmlrpc|webbrowser"
    r"|requests|httpx\w*|aiohttp|websockets|PySide6\.Qt(Network\w*|WebSockets|WebEngine\w*))(\..+)?"
)
"""Modules by which a program reaches another machine."""
NAMED = re.compile(rf"\b{REACHING.pattern}")

ALLOWED = {
    "studio/program/notify_socket.py: socket": "the app's own bell, a socket of the file system",
    "studio/doors/agents/model_server.py: socket": "listens on loopback, for an agent that was started here",
    "studio/doors/agents/model_server.py: http": "the same",
    "studio/doors/agents/model_server.py: http.server": "the same",
    "studio/doors/agents/opencode_server.py: http.client": "asks opencode's own server on loopback",
}
OPENED_ADDRESS = re.compile(r"https?://(?!127\.0\.0\.1|localhost|\{)")


def imported(file: Path) -> set[str]:
    found: set[str] = set()
    source = file.read_text(encoding="utf-8")
    if not NAMED.search(source):
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return {name for name in found if REACHING.fullmatch(name)}


def test_no_module_reaches_another_machine() -> None:
    found = {
        f"{file.relative_to(ROOT).as_posix()}: {name}"
        for file in (ROOT / "studio").rglob("*.py")
        for name in imported(file)
    }
    modules = {each for each in found if each.rpartition(".")[2].islower()}  # not what is taken from them
    assert modules == set(ALLOWED)
    assert not {each for each in found if "PySide6" in each}


def test_what_listens_or_asks_does_so_on_loopback() -> None:
    for name in ("model_server.py", "opencode_server.py"):
        assert "127.0.0.1" in (ROOT / "studio/doors/agents" / name).read_text(encoding="utf-8")


def test_no_address_is_named_to_be_opened() -> None:
    found = [
        f"{file.relative_to(ROOT).as_posix()}:{number}"
        for file in (ROOT / "studio").rglob("*.py")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if OPENED_ADDRESS.search(line)
    ]
    assert found == []
