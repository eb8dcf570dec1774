"""What a command sees beside the project, and the variables that it is given.

The home is an empty folder of its own. Into it come folders of tools that PATH names, to be read, and the
logins that were asked for: of a file a copy, because agents write into the files and folders of their logins,
and a folder to be read. What is known to hold secrets is hidden in these, too. Every place at which programs
listen for others is hidden: a socket takes connections through a mount that is read-only.

Of the variables a command gets those of `_PASSED_ON` and what its caller names, and no other. A name does not
tell what is secret (DATABASE_URL is), so nothing is passed on for not looking like it; and what leads out
of the sandbox (DBUS_SESSION_BUS_ADDRESS, SSH_AUTH_SOCK, DISPLAY) is none of these.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.engine.app_folders import account_home, own_directories
from studio.engine.confined.order import Mount, What
from studio.engine.limits import SANDBOX_LOGIN_BYTES
from studio.engine.sandbox.refusals import SandboxRefused

_PASSED_ON: Final = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR TZ VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT
    NVM_DIR VOLTA_HOME CARGO_HOME RUSTUP_HOME GOROOT GOPATH JAVA_HOME
    """.split()
)
_LOCALE: Final = "LC_"

_FOR_ALL: Final = 0o1777
_WRITABLE: Final = {"tmp": _FOR_ALL, "var/tmp": _FOR_ALL, "run": 0o755, "dev": 0o755}
_NO_HOMES: Final = frozenset("/bin /dev /etc /lib /proc /sbin /sys /usr".split())
"""Where the homes of users lie that are no people."""
_SYSTEM_SECRETS: Final = """
    /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/ssl/private
    /etc/NetworkManager/system-connections
    /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key
""".split()
_SOCKET_FOLDERS: Final = "/var/run /var/lib/lxd /var/lib/incus /var/snap/lxd".split()

_SECRETS: Final = """
    .ssh .gnupg .aws .azure .kube .docker .netrc .git-credentials .pypirc .npmrc .pgpass .password-store
    .cargo/credentials .cargo/credentials.toml .config/gh .config/git/credentials .config/gcloud .config/op
    .config/containers .config/rclone .local/share/keyrings .mozilla .thunderbird .config/google-chrome
    .config/chromium .terraform.d .m2/settings.xml .gradle/gradle.properties .gem/credentials .vault-token
""".split()
"""In a home, what is never handed in."""
_LOGINS: Final = """
    .claude .claude.json .codex .gemini .qwen .opencode .config/opencode .local/share/opencode .cline
    .continue .aider.conf.yml .config/github-copilot
""".split()
"""In a home, what agents keep their logins in: handed in where it was asked for."""

_BESIDE: Final[Mapping[str, Sequence[str]]] = {
    ".cargo/bin": (".rustup",),
    ".local/bin": (".local/lib", ".local/share/claude", ".local/share/pipx", ".local/share/uv"),
}
"""What the programs of a folder need, and PATH does not name."""
_SHARED: Final = (".local", ".config", ".cache", *_LOGINS)
"""Hidden folders that hold more than one tool."""
_MARKS: Final = ("pyvenv.cfg", "conda-meta")


def variables_for(given: Mapping[str, str]) -> dict[bytes, bytes]:
    """The variables of a command, with what its caller gives it."""
    passed = {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith(_LOCALE)
    }
    passed.setdefault("PATH", os.defpath)
    return {os.fsencode(name): os.fsencode(value) for name, value in {**passed, **given}.items()}


def places_around(
    project: Path,
    *,
    hide: Iterable[str],
    logins: Iterable[str],
    contents: Mapping[str, bytes],
    network: bool,
) -> list[Mount]:
    """All places that look otherwise to a command on this project, the outer ones first. Of `hide` a relative
    one is the project's; `contents` are what files of `logins` hold instead.

    Raises SandboxRefused for a login that is none, a known secret, or too large a file.
    """
    hidden = [(project / Path(name).expanduser()).resolve() for name in hide]
    found: dict[bytes, Mount] = {}
    for place in _places(project, hidden, logins, contents, network=network):
        before = found.get(place["path"])
        # A folder of the command's own hides as well as one that is empty.
        if before is None or before["what"] != "private" or place["what"] != "empty":
            found[place["path"]] = place
    wanted = {os.fsencode(path) for path in (project, *hidden)}
    kept: dict[bytes, Mount] = {}
    for path, place in sorted(found.items(), key=lambda each: each[0].count(b"/")):
        around = _around(path, kept)
        is_there = around is None or around["what"] == "shown" or place["is_made"]
        if place["what"] == "copied":
            # Elsewhere it is seen as it is, and no file can be made.
            is_there = around is not None and around["what"] == "private"
        if path in wanted or (is_there and (around is None or around["what"] != "project")):
            kept[path] = place
    return list(kept.values())


def _around(path: bytes, kept: Mapping[bytes, Mount]) -> Mount | None:
    """The innermost of the places that a path lies in."""
    while path:
        path = path.rpartition(b"/")[0]
        if path in kept:
            return kept[path]
    return None


def _places(
    project: Path,
    hidden: Iterable[Path],
    logins: Iterable[str],
    contents: Mapping[str, bytes],
    *,
    network: bool,
) -> Iterator[Mount]:
    for name, mode in _WRITABLE.items():
        if (folder := Path("/", name).resolve()).is_dir():
            yield _place(folder, "private", mode=mode)
    yield _place(Path("/dev", "shm"), "private", mode=_FOR_ALL, is_made=True)
    homes = _homes()
    for home in homes:
        yield _place(home, "private", mode=0o700, is_made=True)
    for home in homes:
        yield from _handed_in(home, logins if home == homes[0] else (), contents)
    if network:
        yield from _resolver()
    system = map(Path, (*_SYSTEM_SECRETS, *_SOCKET_FOLDERS))
    for path in (*system, *own_directories(), *_listening(), *hidden):
        yield from _hidden(path)
    yield _place(project, "project", is_made=True)


def _place(
    path: Path,
    what: What,
    *,
    source: Path | None = None,
    content: bytes = b"",
    mode: int = 0,
    is_made: bool = False,
) -> Mount:
    return {
        "path": os.fsencode(path),
        "what": what,
        "source": os.fsencode(source or ""),
        "content": content,
        "mode": mode,
        "is_made": is_made,
    }


def _handed_in(home: Path, logins: Iterable[str], contents: Mapping[str, bytes]) -> Iterator[Mount]:
    names = {_login(home, name): name for name in logins}
    asked = list(names)
    for path in (*_tools(home), *asked):
        if not os.access(path, os.R_OK):  # unlike exists() it says no where the way there is closed
            continue
        if path in names and path.is_file():
            content = contents.get(names[path])
            content = read_login(path) if content is None else content
            mode = 0o600 | path.stat().st_mode & stat.S_IXUSR
            yield _place(path, "copied", content=content, mode=mode, is_made=True)
        else:
            yield _place(path, "shown", source=path.resolve(), is_made=True)
    for name in (*_SECRETS, *_LOGINS):
        path = home / name
        if path not in asked and not any(path in each.parents for each in asked):
            yield from _hidden(path)


def _homes() -> list[Path]:
    """The home that the environment names, and the account's own; never the whole disk."""
    homes = dict.fromkeys((Path.home().resolve(), account_home()))
    return [home for home in homes if home.is_dir() and len(home.parts) > 1 and not _is_systems(home)]


def _is_systems(home: Path) -> bool:
    return any(str(folder) in _NO_HOMES for folder in (home, *home.parents))


def _login(home: Path, name: str) -> Path:
    relative = Path(os.path.normpath(name))
    path = home / relative
    if relative.is_absolute() or ".." in relative.parts or relative == Path():
        raise SandboxRefused(
            "sandbox.login", f"{name} is no file or folder of your home.", "Name it as from there: .codex"
        )
    real = path.resolve()
    secrets = [above / secret for secret in _SECRETS for above in (home, home.resolve())]
    if any(secret in (each, *each.parents) for secret in secrets for each in (path, real)):
        raise SandboxRefused(
            "sandbox.secret",
            f"{name} is never handed to a command: it holds keys or passwords.",
            "Give the command what it needs by a variable.",
        )
    return path


def read_login(login: Path) -> bytes:
    """What a file of a login holds. Raises SandboxRefused for too large a one, or OSError."""
    with login.open("rb") as file:
        content = file.read(SANDBOX_LOGIN_BYTES + 1)
    if len(content) > SANDBOX_LOGIN_BYTES:
        raise SandboxRefused(
            "sandbox.login_size",
            f"{login} is not handed to a command: it has more than {SANDBOX_LOGIN_BYTES} bytes.",
            "Move it away, or run the command without this login.",
        )
    return content


def _tools(home: Path) -> Iterator[Path]:
    """The folders in the home that programs of PATH lie in, with what they need beside them."""
    for entry in dict.fromkeys(os.environ.get("PATH", os.defpath).split(os.pathsep)):
        folder = Path(os.path.normpath(entry))
        if home not in folder.parents or not os.access(folder, os.R_OK):
            continue
        tool = folder.parent
        is_tool = tool != home and _is_tool(tool, home)
        names = _BESIDE.get(folder.relative_to(home).as_posix(), ())
        yield from (tool if is_tool else folder, *(home / name for name in names))


def _is_tool(folder: Path, home: Path) -> bool:
    """Whether all of the folder belongs to one tool, as far as its name or its marks tell."""
    if any(os.access(folder / mark, os.R_OK) for mark in _MARKS):
        return True
    return folder.relative_to(home).parts[0].startswith(".") and folder.name not in _SHARED


def _resolver() -> Iterator[Mount]:
    """What says how names are found on the network, where it lies in what is hidden."""
    with suppress(OSError):
        file = Path("/etc/resolv.conf").resolve(strict=True)
        if Path("/run") in file.parents:
            yield _place(file, "blank", content=file.read_bytes(), is_made=True)


def _listening() -> Iterator[Path]:
    """Where programs of this machine listen: each socket in a folder in which the kernel says that one was
    bound, because it may have another name by now."""
    folders: dict[Path, None] = {}
    relative: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc/net/unix").read_bytes().splitlines()[1:]:
            number, *names = os.fsdecode(line).split(maxsplit=7)[6:]
            for name in map(Path, names):
                if name.is_absolute():
                    folders[name.parent] = None
                elif not names[0].startswith("@"):  # an abstract one has no file
                    relative[f"socket:[{number}]"] = name.parent
    for folder in (*folders, *(_bound_from(relative) if relative else ())):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                    yield Path(entry.path)


def _bound_from(relative: Mapping[str, Path]) -> Iterator[Path]:
    """The folders of sockets that were bound by relative names, where their programs still are there."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            for handle in (process / "fd").iterdir():
                with suppress(OSError):  # closed meanwhile
                    folder = relative.get(str(handle.readlink()))
                    if folder is not None:
                        yield (process / "cwd").readlink() / folder


def _hidden(path: Path) -> Iterator[Mount]:
    """What a path names, and what it leads to. A folder on the way may be a link that is seen as a folder."""
    for each in dict.fromkeys((path, path.resolve())):
        with suppress(OSError):
            mode = each.lstat().st_mode
            if stat.S_ISDIR(mode):
                yield _place(each, "empty", mode=0o555)
            elif not stat.S_ISLNK(mode):
                yield _place(each, "blank")
