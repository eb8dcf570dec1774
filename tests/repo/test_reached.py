"""Every name of the program is used in it: what tests alone reach is deleted, or has a reason here.

By name: two functions of one name pass where one of them is used.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

REASONS = {
    "called by the library whose class it is": """
        GatedClient.read_text_file GatedClient.write_text_file GatedClient.request_permission
        GatedClient.session_update _Http.daemon_threads _Http.handle_error _Handler.do_POST _Handler.do_GET
        _Handler.do_HEAD _Handler.log_message _Handler.on_any_event Parser.print_help _MissingObjects.read_cb
        _MissingObjects.read_header_cb _MissingObjects.read_prefix_cb _MissingObjects.exists_cb
        _MissingObjects.exists_prefix_cb _MissingObjects.refresh_cb
        InotifyTree.on_event InotifyTree.on_watch_deleted InotifyTree.on_queue_overflow
        _OpenHow._fields_ BlameGutter.mouseMoveEvent CheckBox.hitButton
        ConflictView.mouseMoveEvent DiffCanvas.mouseDoubleClickEvent DiffCanvas.mouseMoveEvent
        DiffText.addSelection DiffText.characterRect DiffText.offsetAtPoint DiffText.removeSelection
        DiffText.scrollToSubstring DiffText.selectionCount
        MainWindow.dragEnterEvent MainWindow.dropEvent Notifications._on_action OverviewMap.mouseMoveEvent
        ProjectModel.canFetchMore ProjectModel.fetchMore ProjectModel.hasChildren
        QueueModel.hasChildren QueueView.keyboardSearch QueueView.mouseDoubleClickEvent
        QueueView.scrollContentsBy TableHeader.paintSection TableView.keyboardSearch
        TableView.mouseDoubleClickEvent DiffCanvas.mouseReleaseEvent""",
    "for programs that embed the engine: the specifications and the contract name it": """
        ActionStatus.success BulkItem.success FileOperationResult.success FileOperationResult.backup_path
        FileContentResult.last_modified FileSystemSecurityPolicy.blocked_directories
        FileSystemSecurityPolicy.allowed_extensions FileSystemSecurityPolicy.blocked_extensions
        FileSystemTool.create_directory FileAlreadyExistsError PathTraversalError RollbackEntry.existed
        RollbackEntry.original_content RollbackEntry.original_hash RollbackEntry.post_hash
        OverlayFilesystem.base_changes ByteWriter.write_all
        StreamWriter.write_all SnapshotableFilesystem ReadResult.total_lines
        CreateMode.CREATE_OR_REPLACE FileContent.total_size FileDeleted.deleted_count FileJournal
        MockFSDaemon PosixFSDaemon WindowsFSDaemon Daemon.shut_down Daemon.wait_for_status
        Daemon.wait_for_failure apply_strict read_unified tool_schemas""",
    "looked up by the name of a command, a field or an answer": """
        completion fs ToolResult.is_error SandboxBase.is_overlay SandboxBase.has_laid
        Task.private_bytes Task.private_files Answer.root_errno LauncherEvent.STARTED Method.DELTA
        CellChange.REPLACE""",
    "what a test reads off something that is painted, or measures": """
        Content.part_count DiffView.special_title DiffView.whitespace DrawnLine.slices_laid_out
        FolderPane.says PaneHeader.has_focus_line ResultEditor.says RulePreview.is_trying""",
}
"""Why a name that nothing of ours uses is there."""


def test_every_name_is_used_or_has_a_reason() -> None:
    defined, used = set[str](), Counter[str]()
    for file in (ROOT / "studio").rglob("*.py"):
        tree = ast.parse(file.read_bytes())
        defined.update(_defined(tree, ""))
        used.update(_used(tree))
    unused = {name for name in defined if not used[name.rpartition(".")[2]]}
    reasons = " ".join(REASONS.values()).split()
    assert sorted(unused - set(reasons)) == [], "tests alone reach it: delete it"
    assert sorted(set(reasons) - unused) == [], "it is used, or gone: no reason is needed"


def _defined(node: ast.AST, around: str) -> Iterator[str]:
    """Functions, classes, constants and fields, those of a class behind its name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if not child.name.startswith("__"):
                yield around + child.name
        elif isinstance(child, ast.ClassDef):
            yield around + child.name
            yield from _defined(child, f"{child.name}.")
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            names = (target.id for target in targets if isinstance(target, ast.Name))
            yield from (around + name for name in names if not name.startswith("__"))


def _used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.id if isinstance(node, ast.Name) else node.attr
