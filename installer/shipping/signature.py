"""A detached signature of the checksums, by a key that somebody names; none is ever made for a release."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from system_packages import Problem, captured

from shipping.checksums import NAME, SIGNATURE
from shipping.outcome import Outcome, State, Unavailable
from shipping.source import Source

VARIABLE = "STUDIO_RELEASE_KEY"
"""Names the key where the release command is not told one: an id in the keyring of whoever runs it, or a
file that holds a secret key."""

_TRIAL = "Trial of a signature <trial@example.invalid>"


def build(_source: Source, into: Path) -> list[Outcome]:
    """Sign the checksums with the key that is named, and verify it. Raises Problem, and Unavailable where no
    key is named."""
    key = os.environ.get(VARIABLE, "")
    if not key:
        raise Unavailable(f"No key is named: the checksums are not signed. Name one: --key, or {VARIABLE}.")
    _require()
    if Path(key).is_file():
        with _keyring() as home:
            _gpg(["--batch", "--import", key], home)
            return [_signed(into, None, home)]
    return [_signed(into, key, None)]


def try_out(_source: Source, into: Path) -> list[Outcome]:
    """Sign a copy with a key made for this and thrown away, and verify it. Raises Problem."""
    _require()
    with _keyring() as home:
        made = home / "trial"
        made.mkdir()
        sums = into / NAME
        (made / NAME).write_bytes(sums.read_bytes() if sums.is_file() else b"no checksums were made\n")
        _gpg(["--batch", "--passphrase", "", "--quick-generate-key", _TRIAL, "ed25519", "sign", "1d"], home)
        _signed(made, None, home)
    words = "with a key that was thrown away: signed, verified"
    return [Outcome("signature", State.TESTED, words)]


def _signed(folder: Path, key: str | None, home: Path | None) -> Outcome:
    """Without --batch: the person's own agent may ask for the passphrase of their own key. Raises Problem,
    also where what was signed does not verify."""
    chosen = ["--local-user", key] if key is not None else []
    words = [*chosen, "--yes", "--armor", "--output", str(folder / SIGNATURE), "--detach-sign"]
    _gpg([*words, str(folder / NAME)], home)
    verify = ["gpg", "--batch", "--verify", folder / SIGNATURE, folder / NAME]
    if captured(verify, _of(home)).returncode:
        raise Problem("gpg does not verify the signature that was just made.")
    words_of_it = "a detached signature of the checksums, verified"
    return Outcome("signature", State.BUILT, words_of_it, folder / SIGNATURE)


@contextmanager
def _keyring() -> Iterator[Path]:
    """A keyring of its own, whose agent ends and whose keys are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="exacta-key-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        try:
            yield home
        finally:
            captured(["gpgconf", "--kill", "all"], _of(home))


def _require() -> None:
    if shutil.which("gpg") is None or shutil.which("gpgconf") is None:
        raise Unavailable("gpg is not on the path. Install it: sudo apt-get install gnupg")


def _gpg(words: list[str], home: Path | None) -> None:
    done = subprocess.run(["gpg", *words], env=_of(home), stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        raise Problem(f"gpg can't sign: {said[-1]}")


def _of(home: Path | None) -> dict[str, str] | None:
    return None if home is None else {**os.environ, "GNUPGHOME": str(home)}
