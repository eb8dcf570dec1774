"""Running a sandboxed command in bubblewrap, where direct namespace creation is forbidden.

Some distributions' AppArmor allows namespaces to that program alone. It builds the same view as `View` and
enforces less: no Landlock, which would forbid bubblewrap itself to mount, and no limit on processes and
private files (`sandbox.enforced`).
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import select
import stat

from studio.extras.confined.call_filter import call_filter
from studio.extras.confined.opening import ATTEMPTS, open_path, silence
from studio.extras.confined.reports import Step, report
from studio.system import isolation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.extras.confined.messages import Mount, SandboxBase, Task

_FOLDER = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_STATUS, _ERRORS, _TELLS, _HEARS = 6, 7, 8, 9
"""File descriptors of the shell that becomes the command.

A reader of bubblewrap's status; the command's errors; where the shell reports that it is ready, or the errno
of why the command can't run; and where it waits for the start.

Without a reader of the status, bubblewrap 0.8.0 ends once we are killed, and its child waits for it forever.
"""

_BEGIN = f"""
command -v "$1" >/dev/null || {{ echo {errno.ENOENT} >&{_TELLS}; exit; }}
echo >&{_TELLS}
read -r word <&{_HEARS} && exec "$@" 2>&{_ERRORS} {_STATUS}<&- {_ERRORS}>&- {_TELLS}>&- {_HEARS}<&-
"""
_FAILED = 127
_SEALED = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_SPACES = b"--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try"
_ENDS = b"--die-with-parent --new-session --cap-drop ALL"


def check(base: SandboxBase) -> None:
    """Check that bubblewrap can build this ground. Raises OSError if not."""
    words = _Words(base)
    words.add(*_SPACES.split(), *_ENDS.split(), b"--ro-bind", b"/", b"/")
    words.add(b"--size", b"4096", b"--tmpfs", b"/tmp")
    words.show_project(base["project"])
    child = os.fork()
    if child == 0:
        try:
            silence()
            _become(base, words, {}, [b"/bin/sh", b"-c", b":"])
        finally:
            os._exit(_FAILED)
    _, status = os.waitpid(child, 0)
    words.close()
    if status != 0:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def run(request_pipe: int, base: SandboxBase, task: Task) -> None:
    """Run a command to its end, or until `request_pipe` has no writer.

    Reports how it ended.
    """
    for unenforced in ("bubblewrap", *(() if call_filter() else ("calls",))):
        report("lacks", unenforced)
    for attempt in range(ATTEMPTS):
        errors = os.memfd_create("errors", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        watch = _launch(request_pipe, base, task, errors)
        watch.follow()
        if not watch.has_failed:
            break
        if attempt == ATTEMPTS - 1:
            text = os.pread(errors, 4096, 0).decode(errors="replace").strip()
            report("refused", "bubblewrap", errno.EPERM, " ".join(text.rpartition("\n")[2].split()))
        os.close(errors)


def _launch(request_pipe: int, base: SandboxBase, task: Task, errors: int) -> _Watch:
    with Step("view"):
        words = _Words(base)
        status_read, status_write = os.pipe()
        start_read, start_write = os.pipe()
        go_read, go_write = os.pipe()
        words.describe(task, status_write)
    child = os.fork()
    if child == 0:
        try:
            _start(base, task, words, (errors, status_read, start_write, go_read))
        finally:
            os._exit(_FAILED)
    for handle in (status_write, start_write, go_read):
        os.close(handle)
    words.close()
    return _Watch(child, request_pipe, (status_read, start_read, go_write), base["handles"], errors)


def _start(base: SandboxBase, task: Task, words: _Words, pipes: tuple[int, int, int, int]) -> None:
    """Become bubblewrap.

    `pipes` are the files for its errors and its status, and the two of the shell.
    """
    errors, status_write, *shells = pipes
    # A process that waits for bubblewrap's message when bubblewrap is killed ends with this group.
    os.setpgid(0, 0)
    stdin = task["given"] if task["given"] >= 0 else os.open("/dev/null", os.O_RDONLY)
    for number, handle in enumerate((stdin, task["output"], errors)):
        os.dup2(handle, number)
    for handle in base["handles"]:
        os.set_inheritable(handle, False)
    # A file may have a number that another needs.
    moved = [
        fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _HEARS + 1)
        for each in (status_write, task["errors"], *shells)
    ]
    for handle, number in zip(moved, (_STATUS, _ERRORS, _TELLS, _HEARS), strict=True):
        os.dup2(handle, number)
    isolation.leave_keyring()
    for number, value in task["limits"]:
        # This limit counts the user's other processes: bubblewrap itself could not start.
        if number != resource.RLIMIT_NPROC:
            isolation.limit_resource(number, value)
    # Killed first when memory runs out.
    handle = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(handle, b"1000")
    os.close(handle)
    _become(base, words, task["variables"], [b"/bin/sh", b"-c", _BEGIN.encode(), b"sh", *task["argv"]])


def _become(base: SandboxBase, words: _Words, variables: dict[bytes, bytes], command: list[bytes]) -> None:
    isolation.reset_signals()
    program = base["bubblewrap"]
    os.execve(program, [program, b"--args", b"%d" % words.written(), b"--", *command], variables)


class _Watch:
    """Watches bubblewrap's processes until they end or are no longer wanted."""

    def __init__(
        self, child: int, request_pipe: int, pipes: tuple[int, int, int], commands: list[int], errors: int
    ) -> None:
        self._child, self._request_pipe, self._commands, self._errors = child, request_pipe, commands, errors
        self._status_read, self._start_read, self._go_write = pipes
        self._report = b""
        self._first = -1
        self._has_started = self._is_unstarted = False
        self.has_failed = False
        """Whether it ended before the command started, and we did not end it."""

    def follow(self) -> None:
        ended = os.pidfd_open(self._child)
        waiting = select.poll()
        for handle, events in (
            (ended, select.POLLIN),
            (self._status_read, select.POLLIN),
            (self._start_read, select.POLLIN),
            (self._request_pipe, 0),
        ):
            waiting.register(handle, events)
        is_over = is_unwanted = False
        while not is_over:
            found = dict(waiting.poll())
            if self._status_read in found and not self._read():
                waiting.unregister(self._status_read)
            if self._start_read in found:
                waiting.unregister(self._start_read)
                line = os.read(self._start_read, 16)
                if line.strip():
                    self._is_unstarted = True
                    report("unstarted", int(line))
                elif line:
                    self._start_command()
            # The first process can't be killed before its number is received, a moment later.
            if self._request_pipe in found and b"\n" in self._report:
                is_unwanted = True
                self._kill()
                waiting.unregister(self._request_pipe)
            is_over = ended in found
        self._end(is_unwanted=is_unwanted)

    def _read(self) -> bool:
        """Read bubblewrap's status; return whether more may follow."""
        part = os.read(self._status_read, 4096)
        self._report += part
        if self._first < 0 and b"\n" in self._report:
            self._first = self._open_first(_number(self._report, b"child-pid"))
        return bool(part)

    def _open_first(self, number: int) -> int:
        """Return a pidfd of the first process inside.

        -1 where it has ended already, or is hidden from us.
        """
        try:
            handle = os.pidfd_open(number)
            # By now the number may belong to another process.
            if _status(number)[1] == b"%d" % self._child:
                return handle
            os.close(handle)
        except OSError:
            pass
        return -1

    def _start_command(self) -> None:
        """Start the command once everything inside is bound to end with us.

        That holds once the first process waits for the others.
        """
        # Its number was written before the start message, and yet
        # may be seen after it: poll checks one file after the other.
        while b"\n" not in self._report and self._read():
            pass
        number = _number(self._report, b"child-pid")
        try:
            while _status(number)[0] != b"S":
                select.poll().poll(1)
        except OSError:
            # /proc is hidden from us, or the process has ended: no command may start that could outlive us.
            self._kill()
            return
        report("started")
        self._has_started = True
        # Only the command may hold these: a reader of its output sees its end by that.
        for handle in self._commands:
            os.close(handle)
        # The first process inside has it open, and the command may open that process's files.
        fcntl.fcntl(self._errors, fcntl.F_ADD_SEALS, _SEALED)
        os.write(self._go_write, b"\n")

    def _kill(self) -> None:
        """Kill everything inside, through the first process or bubblewrap.

        The first process ends with bubblewrap.
        """
        if self._first >= 0:
            isolation.kill(self._first)
        else:
            os.kill(self._child, 9)

    def _end(self, *, is_unwanted: bool) -> None:
        # It may have been killed before it reported the process that waits for it.
        if self._first < 0 and os.getpgid(self._child) == self._child:
            os.killpg(self._child, 9)
        os.waitpid(self._child, 0)
        if self._first >= 0:
            # Bubblewrap alone may have been killed. It is over only when every process inside has ended.
            isolation.kill(self._first)
            waiting = select.poll()
            waiting.register(self._first, select.POLLIN)
            waiting.poll()
        while self._read():
            pass
        exit_code = _number(self._report, b"exit-code")
        if is_unwanted:
            return
        if exit_code >= 0 and self._has_started:
            report("exit", exit_code)
        self.has_failed = not self._has_started and not self._is_unstarted


class _Words:
    """Command line of bubblewrap, with the file descriptors that it names."""

    def __init__(self, base: SandboxBase) -> None:
        self._base = base
        self._words: list[bytes] = []
        self._handles: list[int] = []
        self._top = os.open(b"/", _FOLDER | os.O_DIRECTORY)

    def add(self, *words: bytes) -> None:
        self._words += words

    def written(self) -> int:
        """Return a file descriptor from which bubblewrap reads the whole command line."""
        return self._data_handle(b"".join(word + b"\0" for word in self._words))

    def close(self) -> None:
        for handle in (*self._handles, self._top):
            os.close(handle)

    def describe(self, task: Task, status_write: int) -> bytes:
        """Add the arguments for a task; return the system call filter.

        The filter is empty where none is known for this machine.
        """
        self.add(*_SPACES.split(), *_ENDS.split())
        if not task["has_network"]:
            self.add(b"--unshare-net")
        self.add(b"--json-status-fd", b"%d" % self._duplicate_handle(status_write))
        program = call_filter()
        if program:
            self.add(b"--seccomp", b"%d" % self._data_handle(program))
        self.add(b"--ro-bind", b"/", b"/")
        closed = [b"/proc", b"/dev"]
        for mount in task["mounts"]:
            if mount["what"] == "project":
                self.show_project(mount["path"])
            elif mount["what"] != "copied" and self._is_there(mount, task["mounts"]):
                self._mount_path(mount, task)
                if mount["what"] == "empty":
                    closed.append(mount["path"])
        self.add(b"--proc", b"/proc")
        for mount in task["mounts"]:
            if mount["what"] == "copied":
                data = b"%d" % self._data_handle(mount["content"])
                self.add(b"--perms", b"%04o" % mount["mode"], b"--file", data, mount["path"])
        # Last: what is visible inside a hidden folder needed a mount point there.
        for path in closed:
            self.add(b"--remount-ro", path)
        self.add(b"--chdir", task["folder"])
        return program

    def show_project(self, path: bytes) -> None:
        """Mount the layer at the project's path.

        Raises OSError where another folder has taken the project's path.
        """
        run = self._base["run"]
        if not self._base["is_overlay"]:
            self.add(b"--bind", run + b"/copy", path)
            return
        project = open_path(self._top, self._base["project"])
        status = os.fstat(project)
        os.close(project)
        if (status.st_dev, status.st_ino) != self._base["identity"]:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        self.add(b"--overlay-src", self._base["project"])
        if self._base["has_laid"]:
            self.add(b"--overlay-src", run + b"/laid")
        self.add(b"--overlay", run + b"/upper", run + b"/work", path)

    def _mount_path(self, mount: Mount, task: Task) -> None:
        path = mount["path"]
        if path == b"/dev":
            self.add(b"--dev", path)
        elif mount["what"] == "blank":
            self.add(b"--ro-bind-data", b"%d" % self._data_handle(mount["content"]), path)
        elif mount["what"] == "shown":
            source = open_path(self._top, mount["source"])
            self.add(b"--ro-bind-fd", b"%d" % self._duplicate_handle(source), path)
            os.close(source)
        else:
            size = b"%d" % task["private_bytes"]
            self.add(b"--perms", b"%04o" % mount["mode"], b"--size", size, b"--tmpfs", path)

    def _is_there(self, mount: Mount, mounts: list[Mount]) -> bool:
        """Return whether a path to hide exists, or is to be created.

        bubblewrap creates whatever is missing, in the project's layer too.
        """
        if mount["is_made"]:
            return True
        path = mount["path"]
        for outer in sorted(mounts, key=lambda each: len(each["path"]), reverse=True):
            if not path.startswith(outer["path"] + b"/"):
                continue
            inner = path[len(outer["path"]) + 1 :]
            if outer["what"] == "project":
                return self._is_in_layer(inner)
            if outer["what"] == "shown":
                path = outer["source"] + b"/" + inner
            break
        try:
            os.close(open_path(self._top, path))
        except OSError:
            return False
        return True

    def _is_in_layer(self, path: bytes) -> bool:
        run = self._base["run"]
        if not self._base["is_overlay"]:
            return bool(_find_in_layer(run + b"/copy", path))
        tops = (run + b"/upper", run + b"/laid", self._base["project"])
        found = (_find_in_layer(top, path) for top in tops)
        return bool(next((each for each in found if each is not None), False))

    def _data_handle(self, data: bytes) -> int:
        """Return a file descriptor from which these bytes can be read."""
        handle = os.memfd_create("exacta")
        remaining = data
        while remaining:
            remaining = remaining[os.write(handle, remaining) :]
        os.lseek(handle, 0, os.SEEK_SET)
        duplicate = self._duplicate_handle(handle)
        os.close(handle)
        return duplicate

    def _duplicate_handle(self, handle: int) -> int:
        """Duplicate a file descriptor for bubblewrap, above the shell's numbers."""
        duplicate = fcntl.fcntl(handle, fcntl.F_DUPFD, _HEARS + 1)
        self._handles.append(duplicate)
        return duplicate


def _find_in_layer(top: bytes, path: bytes) -> bool | None:
    """Return whether a layer has a path; None without an entry.

    False where the layer hides it by a whiteout or an opaque folder, and behind a link.
    """
    is_alone = False
    for at in _steps(top, path):
        try:
            status = os.lstat(at)
        except OSError:
            return False if is_alone else None
        if stat.S_ISLNK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and status.st_rdev == 0):
            return False
        try:
            is_alone = is_alone or os.getxattr(at, b"user.overlay.opaque", follow_symlinks=False) == b"y"
        except OSError:
            continue
    return True


def _steps(top: bytes, path: bytes) -> Iterator[bytes]:
    at = top
    for name in path.split(b"/"):
        at += b"/" + name
        yield at


def _number(status: bytes, name: bytes) -> int:
    """Return a number from bubblewrap's status, -1 if missing."""
    _, has_name, rest = status.partition(b'"%s": ' % name)
    digits = rest.lstrip()[:12].split(b" ")[0].strip(b",}\n")
    return int(digits) if has_name and digits else -1


def _status(number: int) -> list[bytes]:
    """Return the state and the parent of a process. Raises OSError."""
    handle = os.open(f"/proc/{number}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, 512).rpartition(b")")[2].split()[:2]
    finally:
        os.close(handle)
