"""Conversion of an overlay's differences into plan steps.

Each path is in one step, with its base from the underlying tree. Only the tree of differences is walked, and
folders of the base that were moved or covered: the cost is that of the changes. Files are given as exact
bytes, text or not.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from studio.engine.draft import DraftBase, DraftStep
from studio.engine.filesystem.content import Content
from studio.engine.filesystem.overlay_tree import (
    Base,
    BaseRecord,
    Layer,
    Moved,
    Node,
    Origin,
    Whiteout,
    Written,
    joined,
)
from studio.engine.plan import Operation, Problem
from studio.engine.root import EntryKind
from studio.names import show_name
from studio.values import Value

_EXECUTABLE = 0o100


def steps_of(base: Base, top: Layer) -> tuple[DraftStep, ...]:
    """Return the steps, sorted by the path that each is about."""
    differences = _Differences(base)
    differences.collect_folder(top, "", beneath_file=False)
    return tuple(sorted(_Steps(differences).all(), key=lambda step: step.to or step.path))


class _File(Value):
    """A file of the overlay that differs from the base.

    `origin` is where it came from; `beneath_file` is set when the base has a file in the place of a parent
    folder.
    """

    path: str
    node: Moved | Written
    origin: Origin | None
    beneath_file: bool


class _Differences(Struct):
    """Collected differences: changed files, new folders, and removed base paths."""

    base: Base
    files: dict[str, _File] = field(default_factory=dict[str, _File])
    folders: dict[str, bool] = field(default_factory=dict[str, bool])
    present: set[str] = field(default_factory=set[str])
    gone: list[str] = field(default_factory=list[str])

    def collect_folder(self, layer: Layer, path: str, *, beneath_file: bool) -> None:
        """Collect the differences in a folder of the overlay."""
        at_home = layer.base == path
        hidden = () if at_home else self._record_hidden(path)
        for name, node in layer.entries.values():
            place = joined(path, name)
            if not isinstance(node, Whiteout):
                self._collect_node(node, place, layer.base, name, beneath_file=beneath_file)
            elif at_home:
                self.gone.append(place)
        if not at_home and layer.base is not None:
            self._collect_moved(layer.base, path, frozenset(layer.entries), beneath_file=beneath_file)
        self._add_gone(hidden)

    def _collect_node(
        self, node: Node, path: str, above: str | None, name: str, *, beneath_file: bool
    ) -> None:
        """Collect an entry of a folder whose base folder is `above`."""
        self.present.add(self.base.key(path))
        if isinstance(node, Written):
            origin = node.origin or self._find_origin(None if above is None else joined(above, name), path)
            self.files[path] = _File(path, node, origin, beneath_file)
            self._add_gone(self._record_hidden(path))
        elif isinstance(node, Layer):
            if node.base != path:
                self._add_folder(path, beneath_file=beneath_file)
            self.collect_folder(node, path, beneath_file=beneath_file or self._is_file_in_base(path))
        elif isinstance(node, Moved):
            state = self.base.state(node.path)
            if state is None or state.kind is not EntryKind.FOLDER:
                self.files[path] = _File(path, node, Origin(node.path, copied=False), beneath_file)
                return
            self._add_folder(path, beneath_file=beneath_file)
            hidden = self._record_hidden(path)
            inner = beneath_file or self._is_file_in_base(path)
            self._collect_moved(node.path, path, frozenset(), beneath_file=inner)
            self._add_gone(hidden)

    def _collect_moved(self, place: str, path: str, own: frozenset[str], *, beneath_file: bool) -> None:
        """Collect what the base has in `place`, now at `path`, except `own`."""
        for name in self.names(place):
            if self.base.key(name) not in own:
                moved = Moved(joined(place, name))
                self._collect_node(moved, joined(path, name), place, name, beneath_file=beneath_file)

    def _find_origin(self, natural: str | None, path: str) -> Origin | None:
        """Return the base file that was changed inside a moved folder."""
        record = None if natural in (None, path) else self.base.record_at(natural or "")
        return Origin(record.path, copied=False) if record is not None and record.is_file else None

    def _add_folder(self, path: str, *, beneath_file: bool) -> None:
        record = self.base.record_at(path)
        if record is None or not record.is_folder:
            self.folders[path] = beneath_file

    def _is_file_in_base(self, path: str) -> bool:
        record = self.base.record_at(path)
        return record is not None and record.is_file

    def _record_hidden(self, path: str) -> tuple[str, ...]:
        """Record and return the paths in a covered base folder."""
        record = self.base.record_at(path)
        if record is None or not record.is_folder:
            return ()
        hidden = tuple(joined(path, name) for name in self.names(path))
        for place in hidden:
            self.base.record(place)
        return hidden

    def _add_gone(self, hidden: tuple[str, ...]) -> None:
        self.gone += (place for place in hidden if self.base.key(place) not in self.present)

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names of everything in a folder of the base."""
        entries = self.base.entries(folder)
        yield from entries.files
        yield from entries.folders
        yield from (name for name, _ in entries.others)


class _Steps:
    """Builder of the steps for all differences."""

    def __init__(self, differences: _Differences) -> None:
        self._found = differences
        self._base = differences.base
        self._moves = self._match_sources()

    def all(self) -> Iterator[DraftStep]:
        found = self._found
        for file in found.files.values():
            record = self._base.record_at(file.path)
            if record is not None and record.is_file and not file.beneath_file:
                yield from self._compare_with_base(file, record)
            else:
                yield self._build_new(file)
        with_content = {
            path[:end] for path in (*found.files, *found.folders) for end in _parent_offsets(path)
        }
        for path, beneath_file in found.folders.items():
            record = None if beneath_file else self._base.record_at(path)
            if record is None or record.state is None:
                if path not in with_content:
                    yield DraftStep(Operation.MKDIR, path)
            elif record.is_file and path in with_content:
                yield _with_base_state(record, DraftStep(Operation.DELETE, path))
            else:
                yield _type_change(path)
        sources = set(self._moves.values())
        for path in found.gone:
            if path not in sources:
                record = self._base.record_at(path)
                yield _with_base_state(record, DraftStep(Operation.DELETE, path))

    def _match_sources(self) -> dict[str, str]:
        """Return for each moved file its source path.

        Sources are paths of the base at which nothing else is now.
        """
        sources: dict[str, str] = {}
        used: set[str] = set()
        for file in sorted(self._found.files.values(), key=lambda file: isinstance(file.node, Written)):
            origin, record = file.origin, self._base.record_at(file.path)
            if origin is None or origin.copied or file.beneath_file:
                continue
            if record is not None and record.state is not None:
                continue  # it replaces a file: that is its own step, the old path another
            if origin.path not in used and self._base.key(origin.path) not in self._found.present:
                sources[file.path] = origin.path
                used.add(origin.path)
        return sources

    def _compare_with_base(self, file: _File, record: BaseRecord) -> Iterator[DraftStep]:
        """Yield the step for an existing base file, if it differs."""
        content, mode = self._read_content(file)
        before = record.state.mode if record.state is not None else mode
        executable = bool(mode & _EXECUTABLE) if (mode ^ before) & _EXECUTABLE else None
        if content.sha256 != record.sha256:
            yield _with_base_state(
                record, DraftStep(Operation.MODIFY, file.path, exact=bytes(content), executable=executable)
            )
        elif executable is not None:
            yield _with_base_state(record, DraftStep(Operation.MODE, file.path, executable=executable))

    def _build_new(self, file: _File) -> DraftStep:
        """Return the move, copy or create step for a new file."""
        source = self._moves.get(file.path)
        origin = file.origin
        record = None if origin is None else self._base.record_at(origin.path)
        sha256 = None if record is None else record.sha256
        if isinstance(file.node, Moved):
            op = Operation.MOVE if source is not None else Operation.COPY
            return _with_base_state(record, DraftStep(op, file.node.path, file.path))
        content, mode = self._read_content(file)
        is_same = sha256 is not None and content.sha256 == sha256
        before = record.state.mode if record is not None and record.state is not None else 0
        executable = bool(mode & _EXECUTABLE) if (mode ^ before) & _EXECUTABLE else None
        exact = None if is_same else bytes(content)
        if source is not None:
            step = DraftStep(Operation.MOVE, source, file.path, exact=exact, executable=executable)
        elif origin is not None and is_same:
            step = DraftStep(Operation.COPY, origin.path, file.path, executable=executable)
        else:
            executable = True if mode & _EXECUTABLE else None
            step = DraftStep(Operation.CREATE, file.path, exact=bytes(content), executable=executable)
            record = self._base.record_at(file.path)
        return _with_base_state(record, step)

    def _read_content(self, file: _File) -> tuple[Content, int]:
        if isinstance(file.node, Written):
            return file.node.file.content, file.node.file.mode
        record = self._base.record(file.node.path)
        mode = record.state.mode if record.state is not None else 0
        return self._base.content(file.node.path), mode


def _with_base_state(record: BaseRecord | None, step: DraftStep) -> DraftStep:
    """Return the step with the base state recorded for its path.

    That is a hash, and the bytes if they were kept.
    """
    if record is None:
        return step
    made_on = None
    if record.content is not None and record.state is not None:
        made_on = DraftBase(bytes(record.content), record.state.mode)
    elif record.state is None:
        made_on = DraftBase(None)
    return replace(step, base_sha256=record.sha256, made_on=made_on)


def _parent_offsets(path: str) -> Iterator[int]:
    """Yield the offsets at which the parent folders end in a path."""
    return (at for at, character in enumerate(path) if character == "/")


def _type_change(path: str) -> DraftStep:
    problem = Problem(
        "path.type_change",
        f"{show_name(path)} would be an empty folder where the project has a file.",
        "Propose the deletion first, and the folder after it has been applied.",
    )
    return DraftStep(Operation.MKDIR, path, problems=(problem,))
