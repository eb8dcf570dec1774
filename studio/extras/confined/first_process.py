"""First process inside the sandbox namespaces: mounts, runs command, reaps processes.

It also reaps processes. By the kernel's rule every other process inside ends with it, whatever they do
against that.
"""

from __future__ import annotations

import marshal
import os
import resource
import select

from studio.extras.confined.call_filter import call_filter
from studio.extras.confined.reports import Step, report
from studio.extras.confined.view import View
from studio.system import isolation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from studio.extras.confined.messages import SandboxBase, Task


def serve(request_pipe: int, alive: int, base: SandboxBase) -> NoReturn:
    """Report readiness, read the command from `request_pipe`, run it, report its end.

    Never returns. `alive` has a writer as long as the launcher lives.
    """
    isolation.control(isolation.END_WITH_PARENT, 9)
    # If the launcher ended before that call, nothing would end us: found by kills at random moments.
    if _is_over(alive):
        os._exit(1)
    with Step("ground"):
        view = View(base)
    # /proc is still that of the requesting process.
    report("ready", *((os.readlink("/proc/self"), view.files) if view.files >= 0 else ()))
    task = marshal.loads(_read(request_pipe, int.from_bytes(_read(request_pipe, 8), "little")))
    if view.files >= 0:
        os.close(view.files)
    _run(task, view)


def _run(task: Task, view: View) -> NoReturn:
    if not task["has_network"]:
        with Step("network"):
            isolation.unshare(isolation.NEW_NETWORK)
            isolation.raise_loopback()
    with Step("view"):
        unenforced = view.make(task)
    with Step("rights"):
        isolation.drop_capabilities()
        isolation.control(isolation.NO_NEW_PRIVILEGES, 1)
        # The command must not read this process's memory.
        isolation.control(isolation.DUMPABLE, 0)
    landlock, program = isolation.landlock_version(), call_filter()
    if landlock < isolation.WRITES_SINCE:
        unenforced.append("pipes")
    if landlock < isolation.SCOPES_SINCE:
        unenforced.append("abstract_sockets")
    if landlock < isolation.SOCKETS_SINCE:
        unenforced.append("sockets")
    if not program:
        unenforced.append("calls")
    for name in unenforced:
        report("lacks", name)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _become(task, writer, program, landlock)
    os.close(writer)
    # A reader of the output sees its end once no process is left to write.
    for handle in {task["given"], task["output"], task["errors"]} - {-1}:
        os.close(handle)
    failed = os.read(reader, 16)
    if failed:
        report("unstarted", int(failed))
    else:
        report("started")
    _reap_children(child, has_started=not failed)


def _become(task: Task, writer: int, program: bytes, landlock: int) -> NoReturn:
    """Become the command, in a forked child; write the errno on failure."""
    try:
        stdin = task["given"] if task["given"] >= 0 else os.open("/dev/null", os.O_RDONLY)
        for number, handle in enumerate((stdin, task["output"], task["errors"])):
            os.dup2(handle, number)
        writer = os.dup2(writer, 3, inheritable=False)
        os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        os.setsid()
        isolation.leave_keyring()
        for number, value in task["limits"]:
            isolation.limit_resource(number, value)
        if landlock >= isolation.WRITES_SINCE:
            writable = [mount["path"] for mount in task["mounts"] if mount["what"] in ("private", "project")]
            isolation.restrict_writes(writable, landlock)
        os.chdir(task["folder"])
        isolation.reset_signals()
        if program:
            isolation.filter_calls(program)
        os.execvpe(task["argv"][0], task["argv"], task["variables"])
    except OSError as error:
        os.write(writer, str(error.errno).encode())
    os._exit(127)


def _reap_children(child: int, *, has_started: bool) -> NoReturn:
    """Wait for the command's end and report it; reap all other processes."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended != child:
            continue
        if has_started:
            if os.WIFSIGNALED(status):
                report("signal", os.WTERMSIG(status))
            else:
                report("exit", os.WEXITSTATUS(status))
        os._exit(0)


def _is_over(alive: int) -> bool:
    waiting = select.poll()
    waiting.register(alive, 0)
    return bool(waiting.poll(0))


def _read(handle: int, length: int) -> bytes:
    found = b""
    while len(found) < length:
        part = os.read(handle, length - len(found))
        if not part:
            os._exit(0)
        found += part
    return found
