"""Mount namespace of a sandboxed command: writable project layer, other files read-only.

The rest is read-only or hidden. Nothing is changed on disk outside of this run's folder. Mount points are
opened as handles, and no link on the way is followed.
"""

from __future__ import annotations

import errno
import os

from studio.extras.confined.opening import ATTEMPTS, open_path
from studio.system import isolation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from studio.extras.confined.messages import Mount, SandboxBase, Task

_PATH_FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = _PATH_FLAGS | os.O_DIRECTORY
_CONFINED = isolation.NO_SETUID | isolation.NO_DEVICES

_DEVICES = (b"full", b"null", b"random", b"tty", b"urandom", b"zero")
_LINKS = (
    (b"fd", b"/proc/self/fd"),
    (b"ptmx", b"pts/ptmx"),
    (b"stderr", b"/proc/self/fd/2"),
    (b"stdin", b"/proc/self/fd/0"),
    (b"stdout", b"/proc/self/fd/1"),
)


class View:
    """The mounts of the namespace.

    Creating one detaches this process from all other mount namespaces and prepares the project's layer, of
    which `files` is another handle, if requested. Raises OSError, as its methods do.
    """

    def __init__(self, base: SandboxBase) -> None:
        isolation.isolate_mounts()
        self._base = base
        self.files = -1
        self._top = os.open(b"/", _FOLDER)
        # Relative names from here on: no mount option has to contain a path.
        os.chdir(base["run"])
        self._layer = self._overlay() if base["is_overlay"] else isolation.clone_mount(-100, b"copy")
        isolation.restrict_mount(self._layer, _CONFINED)

    def make(self, task: Task) -> list[str]:
        """Build the command's view; return what could not be enforced.

        The names are those of `sandbox.enforced`.
        """
        processes, unenforced = self._mount_processes(task["processes"])
        terminals = isolation.create_detached_mount(
            b"devpts", {b"mode": b"0620", b"ptmxmode": b"0666"}, isolation.NO_SETUID | isolation.NO_PROGRAMS
        )
        devices = {name: isolation.clone_mount(-100, b"/dev/" + name) for name in _DEVICES}
        mounts = [mount for mount in task["mounts"] if mount["what"] != "copied"]
        trees = [self._clone_tree(mount) for mount in mounts]
        private = self._private_mounts(task, mounts)
        holders = [mount for mount in mounts if mount["what"] == "empty" and _holds_another(mount, mounts)]
        for mount, tree in zip(mounts, private, strict=True):
            # Before it is attached: the kernel detaches it when another namespace removes what is beneath,
            # and then refuses to change it (EINVAL, Linux 6.18).
            if mount["what"] in ("empty", "blank") and mount not in holders:
                isolation.restrict_mount(tree, isolation.READ_ONLY)
        isolation.restrict_mount(self._top, isolation.READ_ONLY | _CONFINED)
        mounted = [
            self._attach_tree(mount, tree if tree >= 0 else private_tree)
            for mount, tree, private_tree in zip(mounts, trees, private, strict=True)
        ]
        # Last: what is visible inside a hidden folder needed a mount point there.
        for mount, tree in zip(mounts, mounted, strict=True):
            if mount in holders:
                isolation.restrict_mount(tree, isolation.READ_ONLY, with_all=False)
            os.close(tree)
        for mount in task["mounts"]:
            if mount["what"] == "copied":
                self._write_copy(mount)
        self._make_devices(devices, terminals)
        isolation.attach_mount(processes, self._open(b"/proc"))
        return unenforced

    def _overlay(self) -> int:
        """Return a detached overlay: the project below, its changes above."""
        project = self._open(self._base["project"])
        status = os.fstat(project)
        if (status.st_dev, status.st_ino) != self._base["identity"]:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        laid_layer = b"laid:" if self._base["has_laid"] else b""
        lower = b"lowerdir=%s/proc/self/fd/%d,upperdir=upper,workdir=work" % (laid_layer, project)
        layer = self._mounted_overlay(lower, has_files=self._base["has_files"])
        os.close(project)
        return layer

    def _mounted_overlay(self, folders: bytes, *, has_files: bool = False) -> int:
        """Return a detached overlay of these folders.

        With `has_files` another one, in which nothing of the command's view is mounted, is in `files`.
        """
        isolation.mount(b"overlay", b"stage", b"userxattr,index=off,nfs_export=off," + folders)
        overlay = isolation.clone_mount(-100, b"stage")
        if has_files:  # to clone the detached one needs Linux 6.15
            self.files = isolation.clone_mount(-100, b"stage")
            isolation.restrict_mount(self.files, _CONFINED)
        isolation.unmount(b"stage")
        return overlay

    def _mount_processes(self, most: int) -> tuple[int, list[str]]:
        """Return a read-only /proc of this namespace, and limits not enforced."""
        flags = _CONFINED | isolation.NO_PROGRAMS
        processes = isolation.create_detached_mount(b"proc", {}, flags)
        # A process that may create a user namespace would be root in it.
        _write(processes, b"sys/user/max_user_namespaces", b"0")
        unenforced: list[str] = []
        try:
            _write(processes, b"sys/kernel/pid_max", b"%d" % most)
        except OSError:  # before Linux 6.14 the limit is that of the whole machine
            if os.geteuid() == 0:
                unenforced.append("processes")
        # Killed first when memory runs out.
        _write(processes, b"self/oom_score_adj", b"1000")
        isolation.restrict_mount(processes, isolation.READ_ONLY)
        return processes, unenforced

    def _clone_tree(self, mount: Mount) -> int:
        """Return the detached mount for a place, -1 for a private one."""
        if mount["what"] == "project":
            return self._layer
        if mount["what"] != "shown":
            return -1
        source = self._open(mount["source"])
        try:
            # Through an overlay a socket is another inode: no process listens on it, nor will later.
            tree = self._mounted_overlay(b"lowerdir=/proc/self/fd/%d:stage" % source)
        except OSError:  # a file, folders of a kind that no overlay takes, or something is mounted in there
            tree = isolation.clone_mount(source, b"", with_all=True)
        os.close(source)
        isolation.restrict_mount(tree, isolation.READ_ONLY | _CONFINED)
        return tree

    def _private_mounts(self, task: Task, mounts: list[Mount]) -> list[int]:
        """Return private mounts for places, on one tmpfs; -1 for others."""
        size, files = b"%d" % task["private_bytes"], b"%d" % task["private_files"]
        memory = isolation.create_detached_mount(
            b"tmpfs", {b"size": size, b"nr_inodes": files, b"mode": b"0755"}, _CONFINED
        )
        stage = os.open(b"stage", _FOLDER)
        isolation.attach_mount(memory, stage)
        found = [self._private_mount(memory, b"%d" % number, mount) for number, mount in enumerate(mounts)]
        isolation.unmount(b"stage")
        return found

    def _private_mount(self, memory: int, name: bytes, mount: Mount) -> int:
        kind = mount["what"]
        if kind in ("project", "shown"):
            return -1
        if kind == "blank":
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444, dir_fd=memory)
            os.write(handle, mount["content"])
            os.close(handle)
        else:
            os.mkdir(name, dir_fd=memory)
            os.chmod(name, mount["mode"], dir_fd=memory)
        return isolation.clone_mount(memory, name)

    def _attach_tree(self, mount: Mount, tree: int) -> int:
        """Mount a tree at its place, if that exists; return the tree."""
        is_folder = mount["what"] in ("private", "empty", "project") or _is_folder(tree)
        for attempt in range(ATTEMPTS):
            try:
                target = self._open(mount["path"], is_made=mount["is_made"], is_folder=is_folder)
            except OSError:
                if mount["is_made"]:
                    raise
                return tree  # what does not exist needs no hiding
            try:
                isolation.attach_mount(tree, target)
            except FileNotFoundError:
                # Removed since it was opened: another file may have its path by now (Linux 6.18).
                if attempt == ATTEMPTS - 1:
                    raise
            else:
                break
            finally:
                os.close(target)
        return tree

    def _write_copy(self, mount: Mount) -> None:
        """Write a private file that programs can replace.

        It is no mount: those can only be written to in place.
        """
        parent, _, name = mount["path"].rpartition(b"/")
        folder = self._open(parent, is_made=True)
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, dir_fd=folder)
        os.close(folder)
        remaining = mount["content"]
        while remaining:
            remaining = remaining[os.write(handle, remaining) :]
        os.fchmod(handle, mount["mode"])
        os.close(handle)

    def _make_devices(self, devices: dict[bytes, int], terminals: int) -> None:
        """Fill the private /dev, then make it read-only."""
        folder = self._open(b"/dev")
        for name, device in devices.items():
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=folder))
            target = os.open(name, _PATH_FLAGS, dir_fd=folder)
            isolation.restrict_mount(device, isolation.NO_SETUID | isolation.NO_PROGRAMS)
            isolation.attach_mount(device, target)
            os.close(target)
            os.close(device)
        for name, leads_to in _LINKS:
            os.symlink(leads_to, name, dir_fd=folder)
        os.mkdir(b"pts", dir_fd=folder)
        isolation.attach_mount(terminals, self._open(b"/dev/pts"))
        isolation.restrict_mount(folder, isolation.READ_ONLY, with_all=False)
        os.close(folder)

    def _open(self, path: bytes, *, is_made: bool = False, is_folder: bool = True) -> int:
        return open_path(self._top, path, is_made=is_made, is_folder=is_folder)


def _holds_another(mount: Mount, mounts: list[Mount]) -> bool:
    return any(other["path"].startswith(mount["path"] + b"/") for other in mounts)


def _is_folder(handle: int) -> bool:
    return os.fstat(handle).st_mode & 0o170000 == 0o040000


def _write(folder: int, path: bytes, text: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(handle, text)
    finally:
        os.close(handle)
