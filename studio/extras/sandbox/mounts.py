"""Mounts for a sandboxed command (tools, logins, hidden secrets), and environment variables.

The home is an empty private folder. Into it come, read-only, the tool folders that PATH names, and the logins
that were asked for: a file as a copy, because agents write to their login files and beside them, a folder
read-only. Known secrets are hidden in these, too. Every place where programs are known to listen is hidden: a
socket accepts connections through a read-only mount.

A command gets the variables of `_PASSED_ON` and those its caller sets, and no others. A name does not show
what is secret (DATABASE_URL is), so nothing is passed on because its name seems harmless; and what leads out
of the sandbox (DBUS_SESSION_BUS_ADDRESS, SSH_AUTH_SOCK, DISPLAY) is not on the list.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.extras.confined.messages import Mount, What
from studio.extras.sandbox.refusals import SandboxRefused
from studio.limits import SANDBOX_LOGIN_BYTES
from studio.program.app_folders import account_home, own_directories

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
"""Folders with the homes of system accounts."""
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
"""Paths in a home that are never made available."""
_LOGINS: Final = """
    .claude .claude.json .codex .gemini .qwen .opencode .config/opencode .local/share/opencode .cline
    .continue .aider.conf.yml .config/github-copilot
""".split()
"""Paths in a home where agents store logins: available only on request."""

_BESIDE: Final[Mapping[str, Sequence[str]]] = {
    ".cargo/bin": (".rustup",),
    ".local/bin": (".local/lib", ".local/share/claude", ".local/share/pipx", ".local/share/uv"),
}
"""Folders that a PATH folder's programs need and PATH does not name."""
_SHARED: Final = (".local", ".config", ".cache", *_LOGINS)
"""Hidden folders that hold more than one tool."""
_MARKS: Final = ("pyvenv.cfg", "conda-meta")


def variables_for(variables: Mapping[str, str]) -> dict[bytes, bytes]:
    """Return a command's environment, including the caller's variables."""
    passed = {
        name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith(_LOCALE)
    }
    passed.setdefault("PATH", os.defpath)
    return {os.fsencode(name): os.fsencode(value) for name, value in {**passed, **variables}.items()}


def build_mounts(
    project: Path,
    *,
    hide: Iterable[str],
    logins: Iterable[str],
    contents: Mapping[str, bytes],
    network: bool,
) -> list[Mount]:
    """Return all mounts for a command on this project, outermost first.

    Relative paths in `hide` are relative to the project; `contents` replace the bytes of files in `logins`.

    Raises SandboxRefused for an invalid login, a known secret, or a file that is too large.
    """
    hidden = [(project / Path(name).expanduser()).resolve() for name in hide]
    found: dict[bytes, Mount] = {}
    for place in _yield_mounts(project, hidden, logins, contents, network=network):
        before = found.get(place["path"])
        # A private folder hides the original as well as an empty one does.
        if before is None or before["what"] != "private" or place["what"] != "empty":
            found[place["path"]] = place
    project_paths = {os.fsencode(path) for path in (project, *hidden)}
    mounts: dict[bytes, Mount] = {}
    for path, place in sorted(found.items(), key=lambda each: each[0].count(b"/")):
        parent = _find_containing(path, mounts)
        is_there = parent is None or parent["what"] == "shown" or place["is_made"]
        if place["what"] == "copied":
            # Outside of a private folder the original is visible, and no file can be created.
            is_there = parent is not None and parent["what"] == "private"
        if path in project_paths or (is_there and (parent is None or parent["what"] != "project")):
            mounts[path] = place
    return list(mounts.values())


def _find_containing(path: bytes, mounts: Mapping[bytes, Mount]) -> Mount | None:
    """Return the innermost mount that contains a path."""
    while path:
        path = path.rpartition(b"/")[0]
        if path in mounts:
            return mounts[path]
    return None


def _yield_mounts(
    project: Path,
    hidden: Iterable[Path],
    logins: Iterable[str],
    contents: Mapping[str, bytes],
    *,
    network: bool,
) -> Iterator[Mount]:
    for name, mode in _WRITABLE.items():
        if (folder := Path("/", name).resolve()).is_dir():
            yield _make_mount(folder, "private", mode=mode)
    yield _make_mount(Path("/dev", "shm"), "private", mode=_FOR_ALL, is_made=True)
    homes = _list_homes()
    for home in homes:
        yield _make_mount(home, "private", mode=0o700, is_made=True)
    for home in homes:
        yield from _mount_home_files(home, logins if home == homes[0] else (), contents)
    if network:
        yield from _mount_resolver()
    system = map(Path, (*_SYSTEM_SECRETS, *_SOCKET_FOLDERS))
    for path in (*system, *own_directories(), *_find_listening_sockets(), *hidden):
        yield from _mount_hidden(path)
    yield _make_mount(project, "project", is_made=True)


def _make_mount(
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


def _mount_home_files(home: Path, logins: Iterable[str], contents: Mapping[str, bytes]) -> Iterator[Mount]:
    names = {_login_path(home, name): name for name in logins}
    requested = list(names)
    for path in (*_find_tool_folders(home), *requested):
        if not os.access(path, os.R_OK):  # unlike exists(), this is False where a parent folder is closed
            continue
        if path in names and path.is_file():
            content = contents.get(names[path])
            content = read_login(path) if content is None else content
            mode = 0o600 | path.stat().st_mode & stat.S_IXUSR
            yield _make_mount(path, "copied", content=content, mode=mode, is_made=True)
        else:
            yield _make_mount(path, "shown", source=path.resolve(), is_made=True)
    for name in (*_SECRETS, *_LOGINS):
        path = home / name
        if path not in requested and not any(path in each.parents for each in requested):
            yield from _mount_hidden(path)


def _list_homes() -> list[Path]:
    """Return the environment's home and the account's; never the root folder."""
    homes = dict.fromkeys((Path.home().resolve(), account_home()))
    return [home for home in homes if home.is_dir() and len(home.parts) > 1 and not _is_systems(home)]


def _is_systems(home: Path) -> bool:
    return any(str(folder) in _NO_HOMES for folder in (home, *home.parents))


def _login_path(home: Path, name: str) -> Path:
    relative = Path(os.path.normpath(name))
    path = home / relative
    if relative.is_absolute() or ".." in relative.parts or relative == Path():
        raise SandboxRefused(
            "sandbox.login",
            f"{name} is no file or folder of your home.",
            "Specify it relative to that folder: .codex",
        )
    real = path.resolve()
    secrets = [above / secret for secret in _SECRETS for above in (home, home.resolve())]
    if any(secret in (each, *each.parents) for secret in secrets for each in (path, real)):
        raise SandboxRefused(
            "sandbox.secret",
            f"{name} is never handed to a command: it holds keys or passwords.",
            "Pass the value to the command in an environment variable.",
        )
    return path


def read_login(login: Path) -> bytes:
    """Return the bytes of a login file.

    Raises SandboxRefused where it is too large, or OSError.
    """
    with login.open("rb") as file:
        content = file.read(SANDBOX_LOGIN_BYTES + 1)
    if len(content) > SANDBOX_LOGIN_BYTES:
        raise SandboxRefused(
            "sandbox.login_size",
            f"{login} is not passed to a command: it has more than {SANDBOX_LOGIN_BYTES} bytes.",
            "Move it away, or run the command without this login.",
        )
    return content


def _find_tool_folders(home: Path) -> Iterator[Path]:
    """Yield the home's folders on PATH, with what their programs need."""
    for entry in dict.fromkeys(os.environ.get("PATH", os.defpath).split(os.pathsep)):
        folder = Path(os.path.normpath(entry))
        if home not in folder.parents or not os.access(folder, os.R_OK):
            continue
        tool = folder.parent
        is_tool = tool != home and _is_tool(tool, home)
        names = _BESIDE.get(folder.relative_to(home).as_posix(), ())
        yield from (tool if is_tool else folder, *(home / name for name in names))


def _is_tool(folder: Path, home: Path) -> bool:
    """Return whether the whole folder belongs to one tool.

    This is judged by its name and by marker files.
    """
    if any(os.access(folder / mark, os.R_OK) for mark in _MARKS):
        return True
    return folder.relative_to(home).parts[0].startswith(".") and folder.name not in _SHARED


def _mount_resolver() -> Iterator[Mount]:
    """Yield resolv.conf where it is in a hidden folder."""
    with suppress(OSError):
        file = Path("/etc/resolv.conf").resolve(strict=True)
        if Path("/run") in file.parents:
            yield _make_mount(file, "blank", content=file.read_bytes(), is_made=True)


def _find_listening_sockets() -> Iterator[Path]:
    """Yield the sockets of programs that listen on this machine.

    Every socket in a folder in which one was bound, by the kernel's list: it may have been renamed since.
    """
    folders: dict[Path, None] = {}
    relative: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc/net/unix").read_bytes().splitlines()[1:]:
            number, *names = os.fsdecode(line).split(maxsplit=7)[6:]
            for name in map(Path, names):
                if name.is_absolute():
                    folders[name.parent] = None
                elif not names[0].startswith("@"):  # abstract sockets have no file
                    relative[f"socket:[{number}]"] = name.parent
    for folder in (*folders, *(_find_relative_sockets(relative) if relative else ())):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                    yield Path(entry.path)


def _find_relative_sockets(relative: Mapping[str, Path]) -> Iterator[Path]:
    """Yield the folders of sockets bound by relative names, for live processes."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process ended, or belongs to another user
            for handle in (process / "fd").iterdir():
                with suppress(OSError):  # closed meanwhile
                    folder = relative.get(str(handle.readlink()))
                    if folder is not None:
                        yield (process / "cwd").readlink() / folder


def _mount_hidden(path: Path) -> Iterator[Mount]:
    """Yield the mounts that hide a path and its link target.

    A link to a folder on the way may be seen as a folder.
    """
    for each in dict.fromkeys((path, path.resolve())):
        with suppress(OSError):
            mode = each.lstat().st_mode
            if stat.S_ISDIR(mode):
                yield _make_mount(each, "empty", mode=0o555)
            elif not stat.S_ISLNK(mode):
                yield _make_mount(each, "blank")
