"""A project's sandbox, in which commands change only a layer over it."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from stat import S_IMODE
from tempfile import gettempdir
from typing import Final

from studio.engine.disk.run_lock import RunLock
from studio.engine.root.project_root import ProjectRoot
from studio.extras.confined.messages import SandboxBase, Task
from studio.extras.sandbox.container import Container
from studio.extras.sandbox.copy import copy_project, copy_size, open_top
from studio.extras.sandbox.launch import BoundedOutput, Ends, Handles, Launch, OutputCallback
from studio.extras.sandbox.layer_files import LayerFilesystem
from studio.extras.sandbox.mounts import build_mounts, variables_for
from studio.extras.sandbox.overlay_files import write_into_layer, write_lower_layer
from studio.extras.sandbox.refusals import (
    LayerMethodRefused,
    NoLayerMethod,
    NoSpaces,
    SandboxRefused,
    bubblewrap,
    check_room,
    moved,
    no_bubblewrap,
    sentences,
)
from studio.extras.sandbox.values import (
    LAYER_METHODS,
    Command,
    CopySize,
    Layer,
    LayerKind,
    Outcome,
    OverriddenFile,
    Spaces,
    Way,
)
from studio.limits import (
    SANDBOX_DISK_SPARE_BYTES,
    SANDBOX_FILE_BYTES,
    SANDBOX_OPEN_FILES_UP_TO,
    SANDBOX_PRIVATE_BYTES,
    SANDBOX_PRIVATE_FILES_UP_TO,
    SANDBOX_PROCESSES_UP_TO,
)
from studio.program.app_folders import project_key, state_directory
from studio.program.work_folder import WorkFolder
from studio.system.closing import Closing

if sys.platform != "win32":
    import resource

_NOTHING: Final = Handles()
_PLACE: Final = "sandbox"


class Sandbox(Closing):
    """One layer over a project, for commands that run one after another.

    Each command sees the changes of those before. Closing it discards the layer and all changes.

    `since_ns` is when the layer was started, in nanoseconds of the system clock; `way` and `spaces` are the
    ones in use.

    `filesystem` are the files that commands see: it writes to the layer, and reads what commands wrote.

    While it is open no process may write to the project: it is a run of the project's `RunLock`, and a
    command ends when a writer asks for that lock.
    """

    def __init__(
        self,
        root: Path,
        *,
        hide: Iterable[str] = (),
        overrides: Iterable[OverriddenFile] = (),
        ways: Iterable[Way] = LAYER_METHODS,
        spaces: Iterable[Spaces] = tuple(Spaces),
        announce: Callable[[CopySize], None] | None = None,
        identity: str | None = None,
        state: Path | None = None,
        has_files: bool = False,
        container: str = "",
    ) -> None:
        """Create the layer by the first way and namespaces that work.

        `hide` names what commands must not see, by absolute or project-relative paths. Commands see `laid` in
        place of the project's entries. `announce` gets the size of a plain copy before it is made, and may
        raise to forbid it. `identity` is that of the folder when it was opened before, `state` its state
        folder if not the usual one. `has_files`: `filesystem` is used, for which bubblewrap works on a copy.
        With `container`, an image or a root folder, commands run in a container of podman; `has_files` has no
        effect.

        Raises SandboxRefused where no way works, TimedOut while the project is being written to, NotFound,
        Refused or an OSError.
        """
        self._hide, self._overridden = tuple(hide), tuple(overrides)
        self._announce = announce
        self._has_files = has_files and not container
        self._files: LayerFilesystem | None = None
        self._one_at_a_time = threading.Lock()
        self._ready: Launch | None = None
        self._image = container
        self._container: Container | None = None
        with ExitStack() as resources:
            self._root = resources.enter_context(ProjectRoot(root))
            if identity not in (None, self._root.identity):
                raise moved()
            self._lock = RunLock(state or state_directory() / project_key(self._root.path))
            with ExitStack() as running:
                running.enter_context(self._lock.running())
                self.since_ns = time.time_ns()
                self.way, self._run_folder, self.layer = self._create_layer(
                    resources, tuple(ways), tuple(spaces)
                )
                self._written_ns = self._lock.last_write_ns()
                # Release the lock before the layer is removed: no one should wait for a million deletions.
                self._running = running.pop_all()
                resources.callback(self._running.close)
            resources.callback(self._end_prepared)
            if self._has_files:
                self._files = resources.enter_context(self._open_files(self.layer, self._ready))
            self._resources = resources.pop_all()

    @property
    def filesystem(self) -> LayerFilesystem:
        """The project's files as commands see them.

        A write is visible to commands at once. Raises SandboxRefused where the sandbox was opened without
        `has_files`.
        """
        if self._files is None:
            raise SandboxRefused(
                "sandbox.files", "This sandbox has no files.", "Open it with has_files, without a container."
            )
        return self._files

    def run(
        self,
        command: Command,
        *,
        stdin: int | None = None,
        output: int | None = None,
        on_output: OutputCallback | None = None,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Run a command until all processes that it started have ended.

        It reads nothing, or the file descriptor `stdin`. Its output is kept and passed to `on_output` as it
        arrives, except for standard output that goes to the file descriptor `output`. Raises SandboxRefused
        where it was not run, or an OSError.
        """
        if not self._root.is_path_unchanged():
            raise moved()
        collected = BoundedOutput(command.output_bytes)
        with self._one_at_a_time, self._start_launcher(Handles(stdin, output)) as launch:
            ends = Ends(command.seconds, cancel, self._lock.is_asked_to_stop)
            task = self._build_task(command)
            if self._container is not None:
                task = self._container.task(task, command, has_input=stdin is not None)
            ended, limits_memory = launch.run(task, collected, on_output, ends), launch.limits_memory
        lacking = ended.lacking
        if self._container is not None:
            # podman opens the project by its name, a moment after we looked.
            if not self._root.is_path_unchanged():
                raise moved()
            limits_memory = self._container.has_limits
            lacking = () if limits_memory else ("cpu",)
        return Outcome(
            argv=command.argv,
            exit=ended.exit,
            signal=ended.signal,
            seconds=ended.seconds,
            way=self.way,
            network=command.network,
            not_enforced=sentences(lacking, network=command.network, limits_memory=limits_memory),
            output=collected.value,
            cut_at=collected.cut_at,
            left_out_bytes=collected.left_out_bytes,
            ended_by=ended.ended_by,
        )

    def pause(self) -> None:
        """Unlock the project until `resume`; meanwhile no command may run."""
        self._running.close()

    def resume(self) -> bool:
        """Lock the project again; return whether nobody wrote to it meanwhile.

        Otherwise the layer is over another project, and only `close` may follow. Raises TimedOut while the
        project is being written to, or Refused.
        """
        self._running.enter_context(self._lock.running())
        return self._lock.last_write_ns() == self._written_ns

    def close(self) -> None:
        """Discard the layer and unlock the project."""
        self._resources.close()

    def _create_layer(
        self, resources: ExitStack, methods: tuple[Way, ...], spaces: tuple[Spaces, ...]
    ) -> tuple[Way, Path, Layer]:
        """Create the layer with the first namespaces that work."""
        if self._image:
            return self._create_for_container(resources)
        refused: NoSpaces | None = None
        for each in spaces:
            program = bubblewrap() if each is Spaces.BUBBLEWRAP else ""
            if program is None:
                continue
            self.spaces, self._bubblewrap = each, os.fsencode(program)
            try:
                return self._create_in_namespaces(resources, methods)
            except NoSpaces as error:
                refused = error
            except NoLayerMethod:
                if refused is None:
                    raise
        raise refused or no_bubblewrap()

    def _create_for_container(self, resources: ExitStack) -> tuple[Way, Path, Layer]:
        folder = resources.enter_context(WorkFolder("run", state_directory() / _PLACE))
        check_room(folder, SANDBOX_DISK_SPARE_BYTES)
        self.spaces, self._bubblewrap = Spaces.OWN, b""
        self._container = Container(self._image, self._root.path, folder)
        layer = self._create_overlay(folder, folder / "upper")
        self._ready = Launch(self._build_base(folder, layer), _NOTHING)
        return Way.CONTAINER, folder, layer

    def _create_in_namespaces(
        self, resources: ExitStack, methods: tuple[Way, ...]
    ) -> tuple[Way, Path, Layer]:
        """Create the layer by the first way that works.

        Its folder is in the state folder or the temporary one, and is removed by `resources`.
        """
        refusals: list[LayerMethodRefused] = []
        for method in methods:
            if self._has_files and self._bubblewrap and method is Way.NAMESPACE:
                continue  # its overlay can be reached from inside only
            for place in (state_directory() / _PLACE, Path(gettempdir())):
                with ExitStack() as tried:
                    folder = tried.enter_context(WorkFolder("run", place))
                    try:
                        check_room(place, SANDBOX_DISK_SPARE_BYTES)
                        layer = self._create_by(method, folder)
                        self._ready = self._start_launch(folder, layer, _NOTHING)
                    except LayerMethodRefused as error:
                        refusals.append(error)
                        continue
                    resources.enter_context(tried.pop_all())
                    return method, folder, layer
        raise NoLayerMethod(refusals)

    def _create_by(self, method: Way, folder: Path) -> Layer:
        (folder / "stage").mkdir()
        if method is not Way.NAMESPACE:
            if method is Way.COPY:
                self._announce_copy(folder)
            layer = copy_project(self._root.handle, folder / "copy", shares_blocks=method is Way.REFLINK)
            with open_top(layer.path) as copy:
                write_into_layer(copy, self._overridden)
            return layer
        return self._create_overlay(folder, folder / "laid")

    def _create_overlay(self, folder: Path, laid: Path) -> Layer:
        """Create an overlay's folders; `laid` gets what is laid over the project."""
        if self._overridden:
            write_lower_layer(self._root.handle, laid, self._overridden)
        (folder / "work").mkdir()
        upper = folder / "upper"
        upper.mkdir(exist_ok=True)
        # The overlay's root gets its mode and times from this folder.
        status = os.fstat(self._root.handle)
        os.utime(upper, ns=(status.st_atime_ns, status.st_mtime_ns))
        upper.chmod(S_IMODE(status.st_mode) & 0o777)
        return Layer(LayerKind.OVERLAY, upper)

    def _announce_copy(self, folder: Path) -> None:
        size = copy_size(self._root.handle)
        check_room(folder.parent, size.bytes + SANDBOX_DISK_SPARE_BYTES)
        if self._announce is not None:
            self._announce(size)

    def _open_files(self, layer: Layer, prepared: Launch | None) -> LayerFilesystem:
        project = self._root.path
        hidden = [(project / Path(name).expanduser()).resolve() for name in self._hide]
        place = layer.path
        if prepared is not None and prepared.files >= 0:
            place = Path(f"/proc/self/fd/{prepared.files}")
        return LayerFilesystem(project, place, (path for path in hidden if project in path.parents))

    def _build_base(self, folder: Path, layer: Layer) -> SandboxBase:
        device, _, inode = self._root.identity.partition(":")
        return {
            "project": os.fsencode(self._root.path),
            "identity": (int(device), int(inode)),
            "run": os.fsencode(folder),
            "is_overlay": layer.kind is LayerKind.OVERLAY,
            "has_laid": bool(self._overridden),
            "handles": [],
            "has_files": self._has_files and layer.kind is LayerKind.OVERLAY,
            "bubblewrap": self._bubblewrap,
            "container": [] if self._container is None else self._container.removal,
        }

    @contextmanager
    def _start_launcher(self, handles: Handles) -> Generator[Launch]:
        """Yield the prepared launcher, or a new one to inherit these descriptors."""
        launch, self._ready = self._ready, None
        if launch is not None and handles != _NOTHING:
            launch.close()
            launch = None
        with launch or self._start_launch(self._run_folder, self.layer, handles) as ready:
            yield ready

    def _start_launch(self, folder: Path, layer: Layer, handles: Handles) -> Launch:
        files = self._files if layer.kind is LayerKind.OVERLAY else None
        if files is not None:
            # Two overlays with one upper folder do not see each other's changes.
            files.release()
        launch = Launch(self._build_base(folder, layer), handles)
        if files is not None:
            files.follow(launch.files)
        return launch

    def _build_task(self, command: Command) -> Task:
        folder = PurePosixPath(command.folder)
        if folder.is_absolute() or ".." in folder.parts:
            raise SandboxRefused(
                "sandbox.folder",
                f"{command.folder} is no folder of the project.",
                "Specify the path from the root.",
            )
        root = self._root.path
        return {
            "argv": [os.fsencode(word) for word in command.argv],
            "folder": os.fsencode(root / folder),
            "variables": variables_for(command.variables),
            "has_network": command.network,
            "mounts": build_mounts(
                root,
                hide=self._hide,
                logins=command.logins,
                contents=command.login_contents,
                network=command.network,
            ),
            "private_bytes": SANDBOX_PRIVATE_BYTES,
            "private_files": SANDBOX_PRIVATE_FILES_UP_TO,
            "processes": SANDBOX_PROCESSES_UP_TO,
            "limits": _read_limits(),
            "given": -1,
            "output": -1,
            "errors": -1,
        }

    def _end_prepared(self) -> None:
        if self._ready is not None:
            self._ready.close()


def _read_limits() -> list[tuple[int, int]]:
    return [
        # 1, not 0: with 0 the kernel would still pipe a core dump to a program outside.
        (resource.RLIMIT_CORE, 1),
        (resource.RLIMIT_FSIZE, SANDBOX_FILE_BYTES),
        (resource.RLIMIT_NPROC, SANDBOX_PROCESSES_UP_TO),
        (resource.RLIMIT_NOFILE, SANDBOX_OPEN_FILES_UP_TO),
    ]
