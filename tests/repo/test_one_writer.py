"""Only one module writes project files.

Every call in `studio` that could change a file is found in the syntax tree, and must stand in a module of
WRITERS. The search is by name, so it also catches what only looks like writing: such a call is spelled
differently, or its module is listed with the reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

WRITERS = {
    "studio/engine/disk/files.py": "the one writer of project files",
    "studio/engine/disk/folders.py": "the one writer of project folders",
    "studio/engine/disk/streaming.py": "the one writer, of one file as a stream",
    "studio/system/own_files.py": "the app's own folders and files, in its own places",
    "studio/system/tree_removal.py": "removes folders of our processes, whatever is in them",
    "studio/system/isolation.py": "system calls by which a process of ours confines itself",
    "studio/extras/confined/launcher.py": "says who it is in its own name space, to the kernel",
    "studio/extras/confined/container.py": "a byte into a pipe of its own; podman's own files go nowhere",
    "studio/extras/confined/reports.py": "answers into a pipe",
    "studio/extras/confined/first_process.py": "answers into a pipe",
    "studio/extras/confined/view.py": "private folders in memory, and settings of its own name space",
    "studio/extras/confined/opening.py": "places for mounts, in private folders in memory",
    "studio/extras/confined/bubblewrap.py": "words in memory, a pipe, and a number to the kernel",
    "studio/extras/sandbox/control_group.py": "groups of the kernel around a command, under /sys",
    "studio/extras/sandbox/container.py": "what a container mounts, in the folder of a run",
    "studio/extras/sandbox/copy.py": "the copy of a project, in the folder of a run",
    "studio/engine/disk/run_lock.py": "when a writer last stopped the runs, in the state folder",
    "studio/extras/sandbox/layer_files.py": "the layer over a project, in the folder of a run",
    "studio/extras/sandbox/overlay_files.py": "what is laid over a project, in the folder of a run",
    "studio/extras/sandbox/sandbox.py": "the folder of a run",
    "studio/extras/sandbox/escape_trial.py": "a project to try the ways on, in the state folder",
    "studio/engine/snapshot_store/object_folder.py": "removes objects of snapshots, in our own folder",
    "studio/system/syscalls.py": "the system calls that the standard library lacks, used by disk",
    "studio/engine/root/opening.py": "opens beneath the root with the flags it is given; creates nothing",
    "studio/system/child_process.py": "starts processes of our own, which read, or confine others",
    "studio/engine/filesystem/grep.py": "starts ripgrep, which only reads",
    "studio/engine/filesystem/content.py": "an unnamed temporary file for what is too large for memory",
    "studio/extras/tools/tool.py": "the filesystem it was given: a session's layer, or a caller's own files",
    "studio/extras/tools/written_changes.py": "a caller's own files, through the filesystem it was given",
    "studio/branch/file_journal.py": "a journal of its own in a file that an embedding program names",
    "studio/program/notify_socket.py": "the app's own socket, in the user's runtime folder",
    "studio/engine/store/database.py": "the app's own database, in the state folder",
    "studio/engine/store/blobs.py": "stored bytes, in the state folder",
    "studio/engine/store/presence.py": "locks in the state folder that say who is there",
    "studio/engine/store/forgetting.py": "deletes a store in the state folder, for a person who said so",
    "studio/program/rotating_file.py": "the app's own log, in the state folder",
    "studio/engine/disk/outside_files.py": "what a command makes for its user: new files outside of projects",
    "studio/extras/home_files.py": "removes what is kept in the state folder",
    "studio/program/work_folder.py": "folders of our processes in the system's temporary one",
    "studio/ui/settings.py": "what the window remembers, in the state folder",
    "studio/ui/app/application.py": "starts the demo as a process of its own",
    "studio/ui/review/reading.py": "starts the person's own editor",
    "studio/doors/cli/console/person.py": "asks at the terminal device",
    "studio/doors/doctor/gate_proof.py": "the temporary folder in which an agent is tried",
    "studio/doors/doctor/trial.py": "starts the agent's own program there, in a project made for it",
    "studio/doors/doctor/user_settings_trial.py": "what a try is asked, and a folder in the sandbox",
    "studio/doors/clients/claude_code.py": "its settings in the home that it is tried in",
    "studio/doors/clients/cline.py": "its settings in the home that it is tried in",
    "studio/doors/clients/codex.py": "its settings in the home that it is tried in",
    "studio/doors/clients/gemini.py": "its settings in the home that it is tried in",
    "studio/doors/clients/opencode.py": "its settings in the home that it is tried in",
    "studio/doors/clients/qwen.py": "its settings in the home that it is tried in",
    "studio/doors/acp/agent_process.py": "starts an agent, which writes through its client or asks",
    "studio/doors/acp/sandboxed_process.py": "says into a pipe what an agent in the sandbox is asked",
    "studio/ui/agents/agent_process.py": "starts what talks with an agent, as a process of its own",
    "studio/ui/agents/doctor_runner.py": "starts what proves a gate, as a process of its own",
    "studio/doors/agents/server_process.py": "starts an agent, which is told to write no project",
    "studio/doors/agents/aider.py": "a prompt in a temporary folder",
    "studio/doors/agents/continue_cli.py": "settings for one run in a temporary folder",
    "studio/doors/agents/opencode.py": "a shell in a temporary folder, and what it may run",
    "studio/doors/demo.py": "makes a fresh project where there was none, and removes such a one",
}
"""Every module that may hold a writing call, and why it may."""

READING_FLAGS = frozenset(
    {"O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "O_PATH", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"}
)

WRITING_METHODS = frozenset(
    """
    chmod create_subprocess_exec create_subprocess_shell hardlink_to lchmod link_to mkdir rename
    rmdir symlink_to touch truncate unlink write_bytes write_text
    """.split()
)
"""Of pathlib.Path, in the main, and of asyncio; `replace` and `open` need a look at their arguments."""

WRITING_OS_CALLS = frozenset(
    """
    chflags chmod chown copy_file_range fchmod fchown ftruncate lchmod lchown link makedirs mkdir
    mkfifo mknod posix_fallocate pwrite pwritev remove removedirs removexattr rename renames replace
    rmdir sendfile setxattr symlink system truncate unlink utime write writev
    """.split()
)

WRITING_MODULES = frozenset({"ctypes", "shutil", "sqlite3", "subprocess", "tempfile"})
"""Modules that can change files in more ways than one; the harmless parts are named."""

WRITING_CLASSES = frozenset(
    """
    QFile QFileDialog QImageWriter QLocalServer QLockFile QMediaRecorder QPdfWriter QPicture QPrinter
    QProcess QSaveFile QSettings QSharedMemory QStorageInfo QSvgGenerator QTemporaryDir QTemporaryFile
    QTextDocumentWriter QDir
    """.split()
)
"""Of Qt, what can make or change files; to make one, or to call it by its name, is writing."""

HARMLESS = frozenset(
    {
        "QDir.homePath",
        "QFileDialog",  # chooses; with the option ReadOnly it makes, renames and deletes nothing
        "QImageWriter.supportedImageFormats",
        "ctypes.util",
        "shutil.disk_usage",
        "shutil.get_terminal_size",
        "shutil.which",
        "tempfile.gettempdir",
    }
)


def writing_calls(source: str) -> list[str]:
    """`line: call` for every call of `source` that could change a file."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Attribute | ast.Call) and could_write(node, constants)
    ]


def could_write(node: ast.AST, constants: dict[str, ast.expr]) -> bool:
    if isinstance(node, ast.ImportFrom):
        return any(is_writing_name(f"{node.module}.{alias.name}") for alias in node.names)
    if isinstance(node, ast.Attribute):
        # Not only calls: `function = os.rename` is as good.
        name = dotted(node)
        if name.startswith(("sqlite3.", "ctypes.")):
            return name in ("sqlite3.connect", "ctypes.CDLL")
        return is_writing_name(name)
    if not isinstance(node, ast.Call):
        return False
    name = dotted(node.func)
    method = name.rpartition(".")[2]
    if name == "os.open":
        return ast.unparse(node.args[0]) != "os.devnull" and not only_reads(node.args[1], constants)
    if name in ("open", "io.open", "os.fdopen", "Path.open"):
        return has_writing_mode(node, 1)
    if name.rpartition(".")[0] in WRITING_CLASSES or name in WRITING_CLASSES:
        return name not in HARMLESS
    if isinstance(node.func, ast.Attribute) and (is_protocol(node.func.value) or is_memory(node.func.value)):
        return False
    if isinstance(node.func, ast.Attribute) and method == "save":
        # Of Qt's pictures; QPainter.save() takes nothing. A picture may be saved into memory.
        return bool(node.args) and not is_memory(node.args[0])
    if isinstance(node.func, ast.Attribute) and method == "open":
        # A class with a method of that name, as Workspace.open(root), opens no file by mode.
        return not name[0].isupper() and has_writing_mode(node, 0)
    if isinstance(node.func, ast.Attribute) and method == "replace":
        # Path.replace(target) takes one argument, str.replace at least two, datetime.replace none by place.
        return len(node.args) == 1 and not node.keywords
    return isinstance(node.func, ast.Attribute) and method in WRITING_METHODS


def dotted(node: ast.expr) -> str:
    """As ast.unparse, which is slow for what is asked of every call: a name, or names behind dots."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ast.unparse(node)


def is_protocol(receiver: ast.expr) -> bool:
    """Whether a call goes to a Filesystem, or to what holds its files. Those that reach a disk are modules of
    WRITERS themselves, and tests/repo/test_host_filesystem.py says who may make one."""
    name = ast.unparse(receiver).rpartition(".")[2].lstrip("_")
    return name in ("self", "backing", "filesystem")


def is_memory(receiver: ast.expr) -> bool:
    """Whether a QBuffer is meant, by the one name that it is given."""
    return isinstance(receiver, ast.Name) and receiver.id == "buffer"


def is_writing_name(name: str) -> bool:
    module, _, rest = name.partition(".")
    if module == "os":
        return rest in WRITING_OS_CALLS
    return module in WRITING_MODULES and bool(rest) and name not in HARMLESS


def has_writing_mode(call: ast.Call, place: int) -> bool:
    mode = call.args[place] if len(call.args) > place else None
    for keyword in call.keywords:
        if keyword.arg == "mode":
            mode = keyword.value
    # Qt's own word for reading.
    if mode is None or ast.unparse(mode).endswith("OpenModeFlag.ReadOnly"):
        return False
    return not (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and not set("wax+") & set(mode.value)
    )


def only_reads(flags: ast.expr, constants: dict[str, ast.expr], depth: int = 0) -> bool:
    """Whether the flags of os.open are made of names that can't create or change a file."""
    if isinstance(flags, ast.BinOp):
        left, right = only_reads(flags.left, constants, depth), only_reads(flags.right, constants, depth)
        return left and (right or is_removal(flags))
    if isinstance(flags, ast.Attribute):
        return flags.attr in READING_FLAGS
    if isinstance(flags, ast.Name) and flags.id in READING_FLAGS:
        return True
    if isinstance(flags, ast.Call) and ast.unparse(flags.func) == "getattr":
        # Flags that a system may lack: getattr(os, "O_CLOEXEC", 0)
        return isinstance(flags.args[1], ast.Constant) and flags.args[1].value in READING_FLAGS
    if isinstance(flags, ast.Name) and flags.id in constants and depth < 5:
        return only_reads(constants[flags.id], constants, depth + 1)
    return False


def is_removal(flags: ast.BinOp) -> bool:
    return isinstance(flags.op, ast.BitAnd) and isinstance(flags.right, ast.UnaryOp)


def modules() -> Iterator[str]:
    for file in sorted((ROOT / "studio").rglob("*.py")):
        yield file.relative_to(ROOT).as_posix()


def test_no_module_writes_unlisted() -> None:
    found = [
        f"{module}:{call}"
        for module in modules()
        if module not in WRITERS
        for call in writing_calls((ROOT / module).read_text(encoding="utf-8"))
    ]
    assert not found, "Writing calls outside WRITERS:\n" + "\n".join(found)


@pytest.mark.parametrize("module", WRITERS)
def test_listed_module_does_write(module: str) -> None:
    """An entry that is no longer needed would let a later call through unseen."""
    assert writing_calls((ROOT / module).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "open('a', 'w')",
        "open('a', mode='ab')",
        "open('a', mode)",
        "path.open('r+')",
        "path.open(mode='x')",
        "Path.open(path, 'w')",
        "os.fdopen(handle, 'wb')",
        "os.open('a', os.O_WRONLY | os.O_CREAT)",
        "os.open('a', flags)",
        "os.open('a', getattr(os, 'O_CREAT', 0))",
        "FLAGS = os.O_RDWR\nos.open('a', FLAGS, dir_fd=folder)",
        "path.write_text('x')",
        "path.replace(other)",
        "os.replace('a', 'b')",
        "change = os.rename",
        "from os import unlink",
        "from shutil import copytree",
        "shutil.move('a', 'b')",
        "tempfile.mkstemp()",
        "subprocess.run(['rm', 'a'])",
        "os.write(handle, b'')",
        "ctypes.CDLL(None)",
        "sqlite3.connect('a')",
        "path.unlink(missing_ok=True)",
        "(root / 'a').mkdir()",
        "picture.save('a.png')",
        "window.grab().save(str(file))",
        "QSettings('a', QSettings.Format.IniFormat)",
        "QSaveFile(name)",
        "QFile.remove('a')",
        "QProcess.startDetached('rm', ['a'])",
    ],
)
def test_writing_call_is_found(source: str) -> None:
    assert writing_calls(source)


@pytest.mark.parametrize(
    "source",
    [
        "open('a')",
        "open('a', 'rb')",
        "path.open(encoding='utf-8')",
        "Workspace.open(root)",
        "os.open(os.devnull, os.O_WRONLY)",
        "os.open('a', os.O_RDONLY | os.O_NOFOLLOW)",
        "FLAGS = os.O_RDONLY | os.O_DIRECTORY\nos.open('a', FLAGS & ~os.O_NOFOLLOW)",
        "os.open('a', os.O_RDONLY | O_DIRECTORY | getattr(os, 'O_CLOEXEC', 0))",
        "text.replace('a', 'b')",
        "moment.replace(microsecond=0)",
        "dataclasses.replace(step, state=state)",
        "shutil.which('git')",
        "items.remove(item)",
        "def f(connection: sqlite3.Connection) -> ctypes.c_int: ...",
        "stream.write(b'')",
        "self._filesystem.mkdir('a')",
        "self.base.backing.open(path)",
        "self.write_bytes(path, data)",
        "painter.save()",
        "picture.save(buffer, 'png')",
        "buffer.open(QBuffer.OpenModeFlag.WriteOnly)",
        "QImageWriter.supportedImageFormats()",
    ],
)
def test_reading_call_is_not_found(source: str) -> None:
    assert not writing_calls(source)
