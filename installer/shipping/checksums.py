"""The SHA-256 of every file that is shipped, and a detached signature of these sums by a key that exists."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from system_packages import Problem, captured, run_quietly

from shipping.parts import Outcome, Source, State, Unavailable

NAME = "SHA256SUMS"
TABLE = "RELEASE.txt"
"""What the release command prints at its end; it is written after the checksums."""
VARIABLE = "STUDIO_RELEASE_KEY"
"""Names the key as --key does: an id in the keyring of whoever runs it, or a file with a secret key."""


def build(_source: Source, into: Path) -> list[Outcome]:
    """Write the checksums of all that is there, and check them. Raises Problem and Unavailable."""
    files = sorted(file.relative_to(into).as_posix() for file in into.rglob("*") if file.is_file())
    if not files:
        raise Problem("Nothing was made that checksums could be of.")
    if shutil.which("sha256sum") is None:
        raise Unavailable("sha256sum is not on the path.")
    (into / NAME).write_text(run_quietly(["sha256sum", *files], folder=into), encoding="utf-8")
    run_quietly(["sha256sum", "--check", "--strict", "--quiet", NAME], folder=into)
    return [Outcome("checksums", State.BUILT, f"of {len(files)} files", into / NAME)]


def sign(_source: Source, into: Path) -> list[Outcome]:
    """Sign the checksums with the named key, and verify that. Raises Problem and Unavailable."""
    key = os.environ.get(VARIABLE, "")
    if not key:
        raise Unavailable(f"No key is named: the checksums are not signed. Name one: --key, or {VARIABLE}.")
    if shutil.which("gpg") is None:
        raise Unavailable("gpg is not on the path. Install it: sudo apt-get install gnupg")
    sums, signature = str(into / NAME), into / f"{NAME}.asc"
    words, environment = ["--local-user", key], dict(os.environ)
    # The keyring for a key in a file, whose agent ends and whose keys are gone afterwards.
    with tempfile.TemporaryDirectory(prefix="exacta-key-", ignore_cleanup_errors=True) as folder:
        try:
            if Path(key).is_file():
                words, environment["GNUPGHOME"] = [], folder
                _gpg(environment, "--batch", "--import", key)
            # Without --batch: the agent may ask for the passphrase.
            _gpg(environment, *words, "--yes", "--armor", "--output", str(signature), "--detach-sign", sums)
            if captured(["gpg", "--batch", "--verify", signature, sums], environment).returncode:
                raise Problem("gpg does not verify the signature that was just made.")
        finally:
            captured(["gpgconf", "--homedir", folder, "--kill", "all"])
    return [Outcome("signature", State.BUILT, "a detached signature of the checksums, verified", signature)]


def _gpg(environment: dict[str, str], *words: str) -> None:
    done = subprocess.run(["gpg", *words], env=environment, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        raise Problem(f"gpg can't sign: {said[-1]}")
