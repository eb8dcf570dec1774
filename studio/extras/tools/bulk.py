"""Several file operations in one call: changes all or none, reads individually."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from studio.engine.filesystem import BackedFilesystem
from studio.engine.filesystem.policy_backing import make_overlay
from studio.errors import ApplyStopped, NeedsPerson, StudioError, UsageError
from studio.extras.tools.changes import Changes
from studio.extras.tools.context import CONFIRM_HINT, ToolContext
from studio.extras.tools.operations import BULK, DELETE, MOVE, WRITE, Operation, operation_named
from studio.extras.tools.results import BulkItem, BulkResult, FileOperationError, FileOperationResult
from studio.extras.tools.schemas import checked_arguments
from studio.extras.tools.shapes import Shaped, as_json
from studio.extras.tools.written_changes import too_many, write_changes
from studio.values import Value

Progress = Callable[[int, int], None]
"""Callback with the number of finished operations, and of all."""

Run = Callable[[Operation, Mapping[str, object]], Shaped]


class _Call(Value):
    operation: Operation
    arguments: Mapping[str, object]


class _Outcome(Value):
    """Result or error of one of the calls."""

    call: _Call
    result: Shaped | None = None
    error: StudioError | None = None


class Bulk:
    """Operations of one call.

    `run` executes one, `run_over` does so in another context.
    """

    def __init__(
        self, context: ToolContext, changes: Changes, run: Run, run_over: Callable[[ToolContext], Run]
    ) -> None:
        self._context = context
        self._changes = changes
        self._run = run
        self._run_over = run_over

    def carry_out(
        self,
        operations: Sequence[Mapping[str, object]],
        *,
        confirm: bool,
        progress: Progress | None,
        cancel: threading.Event | None,
    ) -> BulkResult:
        """Execute the operations; see `FileSystemTool.bulk`."""
        calls = [_parse_call(entry) for entry in operations]
        at_most = self._context.policy.max_files_per_operation
        changes = sum(call.operation.changes for call in calls)
        if changes and len(calls) > at_most:
            raise too_many(len(calls), at_most)
        truncated = len(calls) > at_most
        del calls[at_most:]

        def told(run: Run) -> list[_Outcome]:
            outcomes: list[_Outcome] = []
            for call in calls:
                if cancel is not None and cancel.is_set():
                    raise ApplyStopped("tool.cancelled", "It was cancelled; nothing was changed.", "")
                outcomes.append(_run_call(run, call))
                if progress is not None:
                    progress(len(outcomes), len(calls))
            return outcomes

        if not changes:
            return BulkResult(tuple(_build_item(outcome) for outcome in told(self._run)), truncated)
        with self._changes.call(BULK.name) as effect:
            if self._context.proposals is not None:
                outcomes, backups = told(self._run), dict[str, str]()
            else:
                self._check_confirmed(calls, confirm=confirm)
                outcomes, backups = self._run_atomically(told, calls, at_most)
        items = [_build_item(outcome, effect.plan, effect.state, backups) for outcome in outcomes]
        return BulkResult(tuple(items), truncated, plan=effect.plan, state=effect.state)

    def _run_atomically(
        self, evaluate: Callable[[Run], list[_Outcome]], calls: Sequence[_Call], at_most: int
    ) -> tuple[list[_Outcome], dict[str, str]]:
        """Try everything in an overlay first, so that a refusal changes nothing."""
        files = self._context.files
        if not isinstance(files, BackedFilesystem):
            raise UsageError(
                "tool.no_layer", "These files can't be changed atomically.", "Change them one by one."
            )
        layer = make_overlay(files)
        outcomes = evaluate(self._run_over(replace(self._context, filesystem=layer)))
        backups: set[str] = set()
        if self._context.writes_at_once:
            backups = {
                self._context.path(str(call.arguments["file_path"]))
                for call in calls
                if call.operation is WRITE and call.arguments.get("create_backup", True)
            }
        return outcomes, write_changes(files, layer.changes(), backups=backups, at_most=at_most)

    def _check_confirmed(self, calls: Sequence[_Call], *, confirm: bool) -> None:
        if confirm or not (
            self._context.writes_at_once and self._context.policy.require_confirmation_for_delete
        ):
            return
        for call in calls:
            replaces = call.operation is MOVE and call.arguments.get("overwrite") is True
            if (replaces or call.operation is DELETE) and call.arguments.get("confirm") is not True:
                raise NeedsPerson(
                    "tool.confirm",
                    "Files would be deleted or replaced, and this can't be undone here.",
                    CONFIRM_HINT,
                )


def _parse_call(entry: Mapping[str, object]) -> _Call:
    """Parse an operation.

    Raises UsageError for an unknown one, or a nested bulk.
    """
    operation = operation_named(str(entry.get("operation", "")))
    if operation is BULK:
        raise UsageError("tool.argument", "A bulk holds no other bulk.", "List its operations one by one.")
    arguments = {name: value for name, value in entry.items() if name != "operation"}
    return _Call(operation, checked_arguments(operation, arguments))


def _run_call(run: Run, call: _Call) -> _Outcome:
    """Execute a call and return its result or error.

    A failed change raises, a failed read is an outcome.
    """
    try:
        return _Outcome(call, run(call.operation, call.arguments))
    except StudioError as error:
        if call.operation.changes:
            raise
        return _Outcome(call, error=error)


def _build_item(
    outcome: _Outcome,
    plan: str | None = None,
    state: str = "done",
    backups: Mapping[str, str] | None = None,
) -> BulkItem:
    name, result = outcome.call.operation.name, outcome.result
    if outcome.error is not None or result is None:
        error = None if outcome.error is None else FileOperationError.of(outcome.error)
        return BulkItem(name, success=False, error=error)
    if isinstance(result, FileOperationResult):
        backup = (backups or {}).get(result.path)
        result = replace(result, plan=plan, state=state, backup_path=backup)
    return BulkItem(name, success=True, result=as_json(result))
