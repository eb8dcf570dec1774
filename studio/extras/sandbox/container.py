"""Command line of podman for a sandboxed command: image, limits, mounts."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from stat import S_ISDIR
from typing import Any, Final

import msgspec

from studio.extras.confined.messages import Mount, Task
from studio.extras.sandbox.refusals import SandboxRefused
from studio.extras.sandbox.values import Command
from studio.limits import SANDBOX_END_SECONDS, SANDBOX_MEMORY_SHARE
from studio.program.app_folders import own_directories

if sys.platform != "win32":
    import resource

    _ULIMITS: Final = {
        resource.RLIMIT_CORE: "core",
        resource.RLIMIT_FSIZE: "fsize",
        resource.RLIMIT_NPROC: "nproc",
        resource.RLIMIT_NOFILE: "nofile",
    }

_HOME: Final = "/run/home"
_LOGINS: Final = "/run/logins"
_PRIVATE: Final = ("tmp", "var/tmp", "run", "run/home")
_LOCALE: Final = ("COLORTERM", "LANG", "LANGUAGE", "LC_ALL", "NO_COLOR", "TERM", "TZ")
_INIT: Final = Path("/usr/libexec/podman/catatonit")
_WITH_LOGINS: Final = f'cp -a {_LOGINS}/. "$HOME" && exec "$@"'
OVERLAY_PARAMETERS: Final = Path("/sys/module/overlay/parameters")
_CGROUPS: Final = Path("/sys/fs/cgroup")
_CALLS: Final = (Path("/etc/containers/seccomp.json"), Path("/usr/share/containers/seccomp.json"))
"""Where podman's own list of allowed system calls is, the user's first."""
_TRACES: Final = {"ptrace": 1, "process_vm_readv": 0, "process_vm_writev": 0}
"""Calls on a process, and which argument names it: the first process must not be changed."""
_LIMITED_CALLS: Final = frozenset(
    ("clone", "clone3", "io_uring_setup", "setns", "socket", "unshare", *_TRACES)
)
"""Calls of podman's list that need limits: they make name spaces or unusual sockets, or change others."""
_NAME_SPACES: Final = 0x7E02_0000
_FAMILIES: Final = (1, 2, 10, 16)
"""Of sockets: local, IPv4, IPv6, and netlink, by which programs ask for the machine's addresses."""
_SEPARATORS: Final = frozenset(':,\\"\n')


class Container:
    """The container that a sandbox starts for each command.

    `image` is the name of an image of this machine, or with a slash, a dot or ~ at its beginning the path of
    a root folder. `has_limits` is whether memory, CPU and processes are limited.
    """

    def __init__(self, image: str, project: Path, run: Path) -> None:
        """Prepare containers over the project, which mount files of `run`.

        Raises SandboxRefused.
        """
        found = shutil.which("podman")
        if found is None:
            raise SandboxRefused(
                "sandbox.podman", "Nothing was run: podman is not installed.", "Install podman."
            )
        _check_overlays()
        self._podman, self._project, self._run = found, project, run
        self._name = f"exacta-{run.name}"
        self._root = _root_folder(image, project)
        self._image = image
        self.has_limits = os.geteuid() == 0 or _has_delegated_limits()
        (run / "calls.json").write_bytes(msgspec.json.encode(_call_list()))
        (run / "empty").mkdir(mode=0o555)
        (run / "blank").touch(mode=0o444)

    @property
    def removal(self) -> list[bytes]:
        """The command that kills and removes the container, if there is one."""
        words = (self._podman, "--log-level=fatal", "rm", "--force", "--ignore", "--time=0", self._name)
        return [os.fsencode(word) for word in words]

    def task(self, task: Task, command: Command, *, has_input: bool) -> Task:
        """Return the task with podman as its command.

        `has_input` is whether the command has a standard input.
        """
        (self._run / "pid").unlink(missing_ok=True)
        argv = task["argv"]
        volumes = list(self._volumes(task["mounts"], command))
        if command.logins:
            argv = [b"/bin/sh", b"-c", _WITH_LOGINS.encode(), b"sh", *argv]
        words = [
            self._podman,
            "--log-level=fatal",
            *_runtime(),
            "run",
            "--rm",
            f"--name={self._name}",
            f"--pidfile={self._run}/pid",
            # Ends it where every process of ours was killed.
            f"--timeout={int(command.seconds + SANDBOX_END_SECONDS)}",
            "--pull=never",
            "--log-driver=none",
            "--http-proxy=false",
            *(() if command.network else ("--network=none",)),
            "--cap-drop=all",
            "--security-opt=no-new-privileges",
            "--security-opt=label=disable",
            f"--security-opt=seccomp={self._run}/calls.json",
            "--oom-score-adj=1000",
            "--user=0:0",
            "--read-only",
            "--read-only-tmpfs=false",
            *self._limits(task),
            *(f"--tmpfs=/{path}:rw,exec,size={task['private_bytes']},mode=1777" for path in _PRIVATE),
            f"--env=HOME={_HOME}",
            *(f"--env={name}" for name in (*_LOCALE, *command.variables)),
            *(["--init"] if _INIT.exists() else []),
            *(["--interactive"] if has_input else []),
            *volumes,
            f"--workdir={os.fsdecode(task['folder'])}",
            *(["--rootfs", f"{self._root}:O"] if self._root else ["--entrypoint=", self._image]),
        ]
        variables = {**os.environ, **command.variables}
        return {
            **task,
            "argv": [*map(os.fsencode, words), *argv],
            "variables": {os.fsencode(name): os.fsencode(value) for name, value in variables.items()},
        }

    def _limits(self, task: Task) -> Iterator[str]:
        for number, value in task["limits"]:
            most = resource.getrlimit(number)[1]
            least = value if most == resource.RLIM_INFINITY else min(value, most)
            yield f"--ulimit={_ULIMITS[number]}={least}:{least}"
        yield f"--shm-size={task['private_bytes']}"
        if self.has_limits:
            memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * SANDBOX_MEMORY_SHARE
            yield f"--memory={int(memory)}"
            yield f"--cpus={max(1, (os.cpu_count() or 1) - 1)}"
            yield f"--pids-limit={task['processes']}"

    def _volumes(self, mounts: Sequence[Mount], command: Command) -> Iterator[str]:
        """Yield the project's overlay, what hides its hidden paths, and the logins."""
        layer = f"O,upperdir={self._run}/upper,workdir={self._run}/work"
        yield _volume(self._project, self._project, layer)
        home, logins = Path.home().resolve(), self._run / "logins"
        wanted = {home / os.path.normpath(name) for name in command.logins}
        for mount in mounts:
            path = Path(os.fsdecode(mount["path"]))
            is_login = not wanted.isdisjoint((path, *path.parents))
            inside = Path(_HOME, path.relative_to(home)) if is_login else path
            if mount["what"] in ("empty", "blank") and (is_login or self._is_in_project(path)):
                yield _volume(self._run / mount["what"], inside, "ro")
            elif mount["what"] == "shown" and is_login:
                yield _volume(path, inside, "ro")
            elif mount["what"] == "copied" and is_login:
                copy = logins / path.relative_to(home)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(mount["content"])
                copy.chmod(mount["mode"])
        if command.logins:
            logins.mkdir(exist_ok=True)
            yield _volume(logins, Path(_LOGINS), "ro")

    def _is_in_project(self, path: Path) -> bool:
        """Return whether it is in the project, and not removed.

        podman would create what a whiteout hides.
        """
        if path == self._project or not path.is_relative_to(self._project):
            return False
        inner = path.relative_to(self._project)
        return not any((self._run / "upper" / each).is_char_device() for each in (inner, *inner.parents))


def _root_folder(image: str, project: Path) -> Path | None:
    """Return the root folder that is meant, None for an image's name."""
    if not image.startswith(("/", ".", "~")):
        if image.startswith("-") or not image:
            raise SandboxRefused(
                "sandbox.image", f"{image} is no name of an image.", "Name an image or a root folder."
            )
        return None
    root = Path(image).expanduser().resolve()
    hint = "Name a folder with a system of its own, such as mmdebstrap makes."
    try:
        status = root.stat()
    except OSError:
        status = None
    if status is None or not S_ISDIR(status.st_mode):
        raise SandboxRefused("sandbox.root_folder", f"{root} is not a folder.", hint)
    if status.st_uid != os.geteuid():
        raise SandboxRefused("sandbox.root_folder", f"The root folder {root} belongs to another user.", hint)
    inside = [each for each in (project, Path.home(), *own_directories()) if each.is_relative_to(root)]
    if inside:
        raise SandboxRefused("sandbox.root_folder", f"The root folder {root} contains {inside[0]}.", hint)
    return root


def _call_list() -> dict[str, Any]:
    """Return podman's allowed system calls, without the dangerous ones."""
    file = next(filter(Path.is_file, _CALLS), None)
    if file is None:
        raise SandboxRefused(
            "sandbox.calls",
            f"Nothing was run: podman's list of system calls is missing ({_CALLS[-1]}).",
            "Install the package containers-common, or golang-github-containers-common.",
        )
    found: dict[str, Any] = msgspec.json.decode(file.read_bytes())
    rules: list[dict[str, Any]] = [
        {**rule, "names": [name for name in rule["names"] if name not in _LIMITED_CALLS]}
        for rule in found["syscalls"]
    ]
    rules.append(_allowed("clone", "SCMP_CMP_MASKED_EQ", _NAME_SPACES))
    rules += [_allowed("socket", "SCMP_CMP_EQ", family) for family in _FAMILIES]
    rules += [_allowed(name, "SCMP_CMP_NE", 1, argument) for name, argument in _TRACES.items()]
    return {**found, "syscalls": [rule for rule in rules if rule["names"]]}


def _allowed(name: str, comparison: str, value: int, argument: int = 0) -> dict[str, Any]:
    condition = {"index": argument, "value": value, "valueTwo": 0, "op": comparison}
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": [condition]}


def _volume(source: Path, target: Path, options: str) -> str:
    for path in (source, target):
        if _SEPARATORS & set(str(path)):
            raise SandboxRefused(
                "sandbox.mount_name",
                f"A container can't mount {path}: its path has a colon, a comma, a backslash or a quote.",
                "Rename the folder, or run the command without a container.",
            )
    return f"--volume={source}:{target}:{options}"


def _runtime() -> Iterator[str]:
    """Yield the option for runc where crun would refuse the machine's cgroups.

    crun 1.8.1: "cgroups in hybrid mode not supported".
    """
    if (_CGROUPS / "unified").is_dir() and shutil.which("runc"):
        yield "--runtime=runc"


def _has_delegated_limits() -> bool:
    """Return whether systemd lets this user limit memory, CPU and processes."""
    user = os.geteuid()
    service = _CGROUPS / f"user.slice/user-{user}.slice/user@{user}.service"
    try:
        found = (service / "cgroup.controllers").read_text("ascii").split()
    except OSError:
        return False
    return {"cpu", "memory", "pids"} <= set(found)


def _check_overlays() -> None:
    """Refuse overlays whose upper folder has only parts of changed files.

    An overlay of an ordinary user's container never uses these features (userxattr).
    """
    for name in ("metacopy", "redirect_dir"):
        try:
            is_on = (OVERLAY_PARAMETERS / name).read_text("ascii").strip() == "Y"
        except OSError:
            continue
        if is_on and os.geteuid() == 0:
            raise SandboxRefused(
                "sandbox.overlays",
                f"Nothing was run: overlays of this kernel use {name}, so changes can't be read.",
                f"Write N to {OVERLAY_PARAMETERS / name}.",
            )
