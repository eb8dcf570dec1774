"""A detached signature of the checksums, by a key that somebody names; none is ever made for a release."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from system_packages import Problem, captured

from shipping.checksums import NAME
from shipping.parts import Outcome, Source, State, Unavailable

VARIABLE = "STUDIO_RELEASE_KEY"
"""Names the key where the release command is not told one: an id in the keyring of whoever runs it, or a
file that holds a secret key."""


def build(_source: Source, into: Path) -> list[Outcome]:
    """Sign the checksums with the key that is named, and verify it. Raises Problem, and Unavailable where no
    key is named."""
    key = os.environ.get(VARIABLE, "")
    if not key:
        raise Unavailable(f"No key is named: the checksums are not signed. Name one: --key, or {VARIABLE}.")
    if shutil.which("gpg") is None:
        raise Unavailable("gpg is not on the path. Install it: sudo apt-get install gnupg")
    if not Path(key).is_file():
        return [_signed(into, dict(os.environ), "--local-user", key)]
    # A keyring of its own, whose agent ends and whose keys are gone afterwards.
    with tempfile.TemporaryDirectory(prefix="exacta-key-", ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "GNUPGHOME": folder}
        try:
            _gpg(environment, "--batch", "--import", key)
            return [_signed(into, environment)]
        finally:
            captured(["gpgconf", "--kill", "all"], environment)


def _signed(folder: Path, environment: dict[str, str], *key: str) -> Outcome:
    """Without --batch: the person's own agent may ask for the passphrase of their own key. Raises Problem,
    also where what was signed does not verify."""
    sums, signature = folder / NAME, folder / f"{NAME}.asc"
    _gpg(environment, *key, "--yes", "--armor", "--output", str(signature), "--detach-sign", str(sums))
    if captured(["gpg", "--batch", "--verify", signature, sums], environment).returncode:
        raise Problem("gpg does not verify the signature that was just made.")
    return Outcome("signature", State.BUILT, "a detached signature of the checksums, verified", signature)


def _gpg(environment: dict[str, str], *words: str) -> None:
    done = subprocess.run(["gpg", *words], env=environment, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        raise Problem(f"gpg can't sign: {said[-1]}")
