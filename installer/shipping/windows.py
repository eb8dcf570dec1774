"""The installer for Windows. The program for it is packed on Windows alone: elsewhere the script is compiled
around a stand-in, which proves no more than that it compiles, and is thrown away.

STUDIO_WINDOWS_CERTIFICATE names a certificate with its key (.p12, its password in
STUDIO_WINDOWS_CERTIFICATE_PASSWORD, which may be empty): then the installer is signed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from system_packages import run_quietly

from shipping import payload
from shipping.outcome import Outcome, State
from shipping.payload_contents import version_numbers
from shipping.source import Source

CERTIFICATE = "STUDIO_WINDOWS_CERTIFICATE"
_OPENED_BY = "STUDIO_WINDOWS_CERTIFICATE_PASSWORD"
PROGRAMS = ("studio.exe", "Exacta Studio.exe")
WHY_UNTRIED = (
    "compiled around a stand-in, and nothing shipped: the program for Windows is packed on Windows, by this "
    "same command"
)


def build(source: Source, into: Path) -> list[Outcome]:
    """The installer, made on Windows; elsewhere what can be known of it without."""
    if sys.platform == "win32":
        with tempfile.TemporaryDirectory(prefix="exacta-windows-") as work:
            folder = payload.freeze(source, Path(work))
            installer = into / f"exacta-studio-{source.version}-windows-x64.exe"
            words = compile_script(source, folder, installer)
        return [Outcome("Windows installer", State.BUILT, words, installer)]
    with tempfile.TemporaryDirectory(prefix="exacta-windows-") as work:
        installer = Path(work, "exacta-studio-stand-in.exe")
        words = compile_script(source, stand_in(Path(work, "payload")), installer)
        said = contents_of(installer)
        missing = [name for name in (*PROGRAMS, "path.ps1", "Uninstall.exe") if name not in said]
    if missing:
        return [Outcome("Windows installer", State.FAILED, f"in it there is no {', '.join(missing)}")]
    return [Outcome("Windows installer", State.UNTRIED, f"{WHY_UNTRIED}; {words}")]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """It was made on Windows, and is tried there by hand: installing is a person's own decision."""
    del source, into
    return [Outcome("Windows installer", State.UNTRIED, "install it by hand, as docs/porting.md says")]


def stand_in(folder: Path) -> Path:
    """A folder with the names that the program's has, and nothing in them that runs."""
    (folder / "_internal").mkdir(parents=True)
    for name in (*PROGRAMS, "_internal/stand-in"):
        (folder / name).write_bytes(b"This is a stand-in, and no program.\n")
    return folder


def compile_script(source: Source, folder: Path, installer: Path) -> str:
    """Compile the installer around a folder, and sign it where a certificate is given; says which. Raises
    Problem."""
    own = source.folder / "installer/windows"
    icon = installer.with_suffix(".ico")
    payload.draw(source, icon)
    told = {
        "VERSION": source.version,
        "NUMBERS": numbers_of(source.version),
        "PAYLOAD": folder,
        "ICON": icon,
        "LICENCE": source.folder / "LICENSE",
        "PATH_SCRIPT": own / "path.ps1",
        "OUTPUT": installer,
    }
    run_quietly(
        [
            *(payload.tool("makensis", "nsis"), "-V2", "-WX"),
            *(f"-D{name}={value}" for name, value in told.items()),
            str(own / "studio.nsi"),
        ],
        os.environ | {"SOURCE_DATE_EPOCH": str(source.epoch)},
    )
    icon.unlink()
    certificate = os.environ.get(CERTIFICATE)
    if not certificate:
        return f"not signed: no {CERTIFICATE}"
    sign(installer, certificate, os.environ.get(_OPENED_BY, ""))
    return "signed"


def sign(file: Path, certificate: str, password: str) -> None:
    """Sign a program of Windows in its place. Raises Problem."""
    signed = file.with_suffix(".signed")
    with tempfile.NamedTemporaryFile("w", prefix="exacta-", suffix=".pass") as secret:
        # In a file: what stands on a command line, every user of the machine can read.
        secret.write(password)
        secret.flush()
        run_quietly(
            [
                *(payload.tool("osslsigncode", "osslsigncode"), "sign", "-h", "sha256"),
                *("-pkcs12", certificate, "-readpass", secret.name, "-n", "Exacta Studio"),
                *_time_stamp(),
                *("-in", str(file), "-out", str(signed)),
            ]
        )
    signed.replace(file)


def numbers_of(version: str) -> str:
    """The four numbers by which Windows compares installers."""
    return ".".join(map(str, version_numbers(version)))


def _time_stamp() -> list[str]:
    """Who says when it was signed, where named: without, a signature ends with its certificate."""
    server = os.environ.get("STUDIO_WINDOWS_TIME_STAMPS")
    return ["-ts", server] if server else []


def contents_of(installer: Path) -> str:
    """What an unpacker finds in it."""
    words = [payload.tool("7z", "p7zip-full"), "l", str(installer)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
