"""One table of ways out of a project, and one of everything the engine can do there.

An attack is laid out beside a folder that holds a secret; an operation is what the engine offers, and the
same without a root, by names alone. The second proves that the first would have been an escape.
"""

from __future__ import annotations

import hashlib
import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.engine.disk import Batch, DiskChange, image_at
from studio.engine.root import ProjectRoot, Unseen
from studio.journal.file_image import FileImage
from studio.system import syscalls

SECRET = b"the secret that no one beneath the root may ever see\n"
OUTSIDE = "project-evil"
"""Beside the project, and its name begins like it."""

_NEW = b"written by an operation\n"
_FOLDERS = ("vault", "empty")
_LIMIT = 1 << 20
_LONG_NAME = "d" * 247


@dataclass(frozen=True, slots=True)
class Ground:
    """A project and the folder outside, laid out anew for one try."""

    project: Path
    outside: Path


def lay_ground(folder: Path) -> Ground:
    """A project with a few files, and beside it what must stay as it is."""
    ground = Ground(folder / "project", folder / OUTSIDE)
    for base in (ground.project, ground.outside):
        for name in _FOLDERS:
            (base / name).mkdir(parents=True)
    (ground.project / "own.txt").write_bytes(b"own\n")
    (ground.outside / "secret.txt").write_bytes(SECRET)
    (ground.outside / "secret.txt").chmod(0o640)
    (ground.outside / "vault/inner.txt").write_bytes(SECRET)
    return ground


def lay_inside(folder: Path) -> Ground:
    """A project that itself holds what the operations need, so that each of them works in it."""
    ground = lay_ground(folder)
    (ground.project / "secret.txt").write_bytes(SECRET)
    (ground.project / "secret.txt").chmod(0o640)
    (ground.project / "vault/inner.txt").write_bytes(SECRET)
    return ground


@dataclass(frozen=True, slots=True)
class Attack:
    """`lay(ground, leaf)` makes what the attack needs and gives the path that leads to `leaf` outside.

    `last`: the last component is itself a link, which an operation on names does not follow. `leads_out`:
    an unguarded operation gets out; else the path only must not confuse. `prepares`: the folder that holds
    the path is the project's own, so that a result may be laid there before the path is refused.
    """

    name: str
    lay: Callable[[Ground, str], str]
    last: bool = False
    leads_out: bool = True
    prepares: bool = False


def _climbing(ground: Ground, leaf: str) -> str:
    return f"../{OUTSIDE}/{leaf}"


def _climbing_later(ground: Ground, leaf: str) -> str:
    return f"vault/../../{OUTSIDE}/{leaf}"


def _climbing_oddly(ground: Ground, leaf: str) -> str:
    return f"./vault/.//../../{OUTSIDE}/{leaf}"


def _absolute(ground: Ground, leaf: str) -> str:
    return str(ground.outside / leaf)


def _through_proc(ground: Ground, leaf: str) -> str:
    return f"/proc/self/root/{ground.outside.relative_to('/') / leaf}"


def _magic_link(ground: Ground, leaf: str) -> str:
    (ground.project / "magic").symlink_to("/proc/self/root")
    return f"magic/{ground.outside.relative_to('/') / leaf}"


def _first_link(ground: Ground, leaf: str) -> str:
    (ground.project / "first").symlink_to(ground.outside)
    return f"first/{leaf}"


def _relative_middle_link(ground: Ground, leaf: str) -> str:
    (ground.project / "vault/middle").symlink_to(f"../../{OUTSIDE}")
    return f"vault/middle/{leaf}"


def _last_link(ground: Ground, leaf: str) -> str:
    (ground.project / "alias").symlink_to(ground.outside / leaf)
    return "alias"


def _relative_last_link(ground: Ground, leaf: str) -> str:
    (ground.project / "vault/alias").symlink_to(f"../../{OUTSIDE}/{leaf}")
    return "vault/alias"


def _chain(ground: Ground, leaf: str) -> str:
    """As many links as the system follows."""
    for number in range(40):
        target = f"chain{number + 1}" if number < 39 else ground.outside
        (ground.project / f"chain{number}").symlink_to(target)
    return f"chain0/{leaf}"


def _too_long_a_chain(ground: Ground, leaf: str) -> str:
    for number in range(45):
        target = f"chain{number + 1}" if number < 44 else ground.outside
        (ground.project / f"chain{number}").symlink_to(target)
    return f"chain0/{leaf}"


def _loop(ground: Ground, leaf: str) -> str:
    (ground.project / "loop").symlink_to("loop")
    return f"loop/{leaf}"


def _inner_link(ground: Ground, leaf: str) -> str:
    """One that stays inside is not followed either; all that an operation needs lies there."""
    real = ground.project / "real"
    for name in _FOLDERS:
        (real / name).mkdir(parents=True)
    for name in ("secret.txt", "vault/inner.txt"):
        (real / name).write_bytes(SECRET)
        (real / name).chmod(0o640)
    (ground.project / "inside").symlink_to("real")
    return f"inside/{leaf}"


def _path_max_chain(ground: Ground, leaf: str) -> str:
    """Beyond PATH_MAX resolve() gives up and a prefix check passes."""
    handle = os.open(ground.project, os.O_RDONLY)
    for number in range(16):
        os.mkdir(_LONG_NAME, dir_fd=handle)
        os.symlink(_LONG_NAME, f"s{number}", dir_fd=handle)
        below = os.open(_LONG_NAME, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.symlink("../" * 16 + f"../{OUTSIDE}", "escape", dir_fd=handle)
    os.close(handle)
    return "/".join(f"s{number}" for number in range(16)) + f"/escape/{leaf}"


def _nul(ground: Ground, leaf: str) -> str:
    return f"own.txt\0/../../{OUTSIDE}/{leaf}"


def _root_itself(ground: Ground, leaf: str) -> str:
    return "."


def _file_as_folder(ground: Ground, leaf: str) -> str:
    return f"own.txt/{leaf}"


def _trailing_slash(ground: Ground, leaf: str) -> str:
    (ground.project / "slash").symlink_to(ground.outside)
    return f"slash/{leaf}/"


def _slash_alone(ground: Ground, leaf: str) -> str:
    return "/"


def _slash_before(ground: Ground, leaf: str) -> str:
    """Never taken for a name beneath the root: who means that says so."""
    return f"/{leaf}"


ATTACKS = (
    Attack("climbing", _climbing),
    Attack("climbing later", _climbing_later),
    Attack("climbing oddly", _climbing_oddly),
    Attack("absolute", _absolute),
    Attack("through /proc", _through_proc),
    Attack("magic link", _magic_link),
    Attack("first component a link", _first_link),
    Attack("relative link in the middle", _relative_middle_link),
    Attack("last component a link", _last_link, last=True),
    Attack("relative link at the end", _relative_last_link, last=True),
    Attack("chain of 40 links", _chain),
    Attack("chain of 45 links", _too_long_a_chain, leads_out=False),
    Attack("loop", _loop, leads_out=False),
    Attack("link to inside", _inner_link, leads_out=False),
    Attack("chain beyond PATH_MAX", _path_max_chain),
    Attack("NUL in the middle", _nul, leads_out=False),
    Attack("root itself", _root_itself, leads_out=False, prepares=True),
    Attack("file as folder", _file_as_folder, leads_out=False),
    Attack("slash alone", _slash_alone, leads_out=False),
    Attack("slash before", _slash_before, leads_out=False),
    Attack("trailing slash", _trailing_slash, leads_out=False),
)


@dataclass(frozen=True, slots=True)
class Act:
    """One thing the engine can do at a path; what it saw there comes back as bytes.

    `leaf` is what it needs outside, `unguarded` the same by names alone. `follows`: by names alone it
    follows a link in the last component. `reads`: the escape is what it sees, else what it changes.
    """

    name: str
    leaf: str
    guarded: Callable[[ProjectRoot, str], bytes]
    unguarded: Callable[[str], bytes]
    follows: bool
    reads: bool = False


_known: dict[str, bytes] = {}


def _image(data: bytes, mode: int = 0o640) -> FileImage:
    sha256 = hashlib.sha256(data).hexdigest()
    _known[sha256] = data
    return FileImage(sha256, len(data), mode)


def _beside(path: str) -> str:
    above, slash, _ = path.rpartition("/")
    return f"{above}{slash}.exacta-00000000-0000-0000-0000-000000000000-1.tmp"


def carry_out(root: ProjectRoot, *disk_changes: DiskChange) -> bytes:
    """As the leaf does: prepared, committed, finished; after a failure put back."""
    batch = Batch(root, disk_changes, _known.__getitem__)
    try:
        batch.prepare()
        batch.commit()
    except BaseException:
        with suppress(Exception):
            batch.abort()
        raise
    batch.finish()
    return b"done"


def placement(
    path: str,
    before: FileImage | bytes | None,
    after: FileImage | bytes | None,
    *,
    root: ProjectRoot | None = None,
) -> DiskChange:
    """A path on its way between two images, given as bytes or whole; modes are those at `root`, or 0640."""
    state = root.state(path) if root is not None else None
    mode = 0o640 if state is None else state.mode
    ends = [_image(end, mode) if isinstance(end, bytes) else end for end in (before, after)]
    return DiskChange(path, ends[0], ends[1], _beside(path))


def _create(root: ProjectRoot, path: str) -> bytes:
    return carry_out(root, DiskChange(path, None, _image(_NEW), _beside(path)))


def _replace(root: ProjectRoot, path: str) -> bytes:
    return carry_out(root, DiskChange(path, _image(SECRET), _image(_NEW), _beside(path), path))


def _change_mode(root: ProjectRoot, path: str) -> bytes:
    return carry_out(root, DiskChange(path, _image(SECRET), _image(SECRET, 0o600), _beside(path), path))


def _delete(root: ProjectRoot, path: str) -> bytes:
    return carry_out(root, DiskChange(path, _image(SECRET), None, _beside(path)))


def _move_from(root: ProjectRoot, path: str) -> bytes:
    moved = DiskChange("moved.txt", None, _image(SECRET), _beside("moved.txt"), path)
    return carry_out(root, moved, DiskChange(path, _image(SECRET), None, _beside(path)))


def _move_to(root: ProjectRoot, path: str) -> bytes:
    own = root.state("own.txt")
    assert own is not None
    moved = DiskChange(path, None, _image(b"own\n", own.mode), _beside(path), "own.txt")
    return carry_out(root, moved, DiskChange("own.txt", _image(b"own\n", own.mode), None, _beside("own.txt")))


def _make_folder(root: ProjectRoot, path: str) -> bytes:
    return carry_out(root, DiskChange(path, None, FileImage(None, 0, 0o755)))


def _remove_folder(root: ProjectRoot, path: str) -> bytes:
    return carry_out(root, DiskChange(path, FileImage(None, 0, 0o755), None))


def _state(root: ProjectRoot, path: str) -> bytes:
    state = root.state(path)
    return b"" if state is None else str(state.inode).encode()


def _digest(root: ProjectRoot, path: str) -> bytes:
    found = root.digest(path)
    return b"" if found is None else found[0].encode()


def _image_at(root: ProjectRoot, path: str) -> bytes:
    found = image_at(root, path)
    return b"" if found is None else (found.sha256 or "").encode()


def _list(root: ProjectRoot, path: str) -> bytes:
    return "\n".join(entry.path for entry in root.list_folder(path)).encode()


def _walk(root: ProjectRoot, path: str) -> bytes:
    entries = [entry for entry in root.walk(path) if not isinstance(entry, Unseen)]
    return "\n".join(entry.path for entry in entries).encode()


def _open_folder(root: ProjectRoot, path: str) -> bytes:
    with root.folder(path) as handle:
        return "\n".join(listed(handle)).encode()


def _open_parent(root: ProjectRoot, path: str) -> bytes:
    with root.parent(path) as (handle, name):
        return "\n".join(listed(handle)).encode() + name


def _plain_write(path: str) -> bytes:
    Path(path).write_bytes(_NEW)
    return b""


def _plain_new(path: str) -> bytes:
    """As programs do that look first and then write."""
    assert not Path(path).is_file()
    return _plain_write(path)


def _plain_remove(path: str) -> bytes:
    Path(path).unlink()
    return b""


def _plain_move_away(path: str) -> bytes:
    Path(path).rename(Path(path + ".moved"))
    return b""


def _plain_move_in(path: str) -> bytes:
    own = Path(f"{path}.own")
    own.write_bytes(b"own\n")
    own.rename(path)
    return b""


def _plain_mode(path: str) -> bytes:
    Path(path).chmod(0o600)
    return b""


def _plain_mkdir(path: str) -> bytes:
    Path(path).mkdir()
    return b""


def _plain_rmdir(path: str) -> bytes:
    Path(path).rmdir()
    return b""


def _plain_listing(path: str) -> bytes:
    return "\n".join(listed(path)).encode()


def _plain_parent(path: str) -> bytes:
    return _plain_listing(str(Path(path).parent))


def _plain_digest(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest().encode()


def _plain_state(path: str) -> bytes:
    return str(Path(path).stat().st_ino).encode()


ACTS = (
    Act("read", "secret.txt", lambda r, p: r.read(p, _LIMIT)[0], lambda p: Path(p).read_bytes(), True, True),
    Act(
        "read bytes",
        "secret.txt",
        lambda r, p: r.read_bytes(p, _LIMIT),
        lambda p: Path(p).read_bytes(),
        True,
        True,
    ),
    Act("digest", "secret.txt", _digest, _plain_digest, True, True),
    Act("image", "secret.txt", _image_at, _plain_digest, True, True),
    Act("state", "secret.txt", _state, _plain_state, True, True),
    Act("list", "vault", _list, _plain_listing, True, True),
    Act("walk", "vault", _walk, _plain_listing, True, True),
    Act("open folder", "vault", _open_folder, _plain_listing, True, True),
    Act("open parent", "vault/inner.txt", _open_parent, _plain_parent, False, True),
    Act("create", "new.txt", _create, _plain_new, True),
    Act("replace", "secret.txt", _replace, _plain_write, True),
    Act("mode", "secret.txt", _change_mode, _plain_mode, True),
    Act("delete", "secret.txt", _delete, _plain_remove, False),
    Act("move from", "secret.txt", _move_from, _plain_move_away, False),
    Act("move to", "new.txt", _move_to, _plain_move_in, False),
    Act("make folder", "new", _make_folder, _plain_mkdir, False),
    Act("remove folder", "empty", _remove_folder, _plain_rmdir, False),
)


def told(ground: Ground) -> frozenset[bytes]:
    """What nobody beneath the root may learn of the outside: bytes, hash, inode, names."""
    secret = ground.outside / "secret.txt"
    return frozenset(
        {
            SECRET,
            hashlib.sha256(SECRET).hexdigest().encode(),
            str(secret.stat().st_ino).encode() if secret.exists() else SECRET,
            b"inner.txt",
        }
    )


def listed(folder: int | str) -> list[str]:
    """The names in a folder, given as handle or path."""
    with os.scandir(folder) as found:
        return [entry.name for entry in found]


def shape(folder: Path) -> dict[str, tuple[int, int, int, int, bytes]]:
    """Every entry of a folder: mode, inode, links (not of folders, which count those in them), time of
    change (of files), bytes; no link is followed.

    By handles alone: a path in here may be longer than the system takes.
    """
    found: dict[str, tuple[int, int, int, int, bytes]] = {}
    pending = [(os.open(folder, os.O_RDONLY), "")]
    while pending:
        handle, above = pending.pop()
        for name in sorted(listed(handle)):
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
            data, changed, links = b"", 0, status.st_nlink
            if stat.S_ISDIR(status.st_mode):
                links = 0
                pending.append((os.open(name, os.O_RDONLY, dir_fd=handle), f"{above}{name}/"))
            elif stat.S_ISLNK(status.st_mode):
                data = os.fsencode(os.readlink(name, dir_fd=handle))
            else:
                with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=handle), "rb") as stream:
                    data, changed = stream.read(), status.st_mtime_ns
            found[above + name] = (status.st_mode, status.st_ino, links, changed, data)
        os.close(handle)
    return found


@contextmanager
def opening(way: str) -> Iterator[None]:
    """One of both ways to open beneath a folder: "openat2", or "components" as if the kernel had none."""

    def no_openat2(*_: object) -> int:
        raise syscalls.Unsupported

    with pytest.MonkeyPatch.context() as patch:
        if way == "components":
            patch.setattr(syscalls, "open_beneath", no_openat2)
        yield


def handles() -> int:
    """How many handles this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@contextmanager
def no_handle_left() -> Iterator[None]:
    """A call that leaves a handle open leaks one at each try."""
    before = handles()
    yield
    assert handles() == before, "a handle was left open"


@contextmanager
def few_handles(spare: int) -> Iterator[None]:
    """Let the process open `spare` files more, whatever numbers are free."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    listed = list(Path("/proc/self/fd").iterdir())
    taken = {int(number.name) for number in listed if number.is_symlink()}  # not the listing's own
    free = [number for number in range(max(taken) + spare + 2) if number not in taken]
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
