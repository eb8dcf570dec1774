"""Edits of Jupyter notebook cells that preserve all other bytes.

A notebook is JSON, which can be written in many ways. One that doesn't serialize to the very same bytes would
change in other places, so its cells can't be edited here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

from studio.engine.diff import DoesNotMatch
from studio.engine.draft import CellChange, CellEdit
from studio.engine.plan import Problem, ProblemList
from studio.limits import NAMED_LINES_UP_TO, STEP_PROBLEMS_UP_TO
from studio.names import show_name

_INDENT = re.compile(r"[\[{]\n([ \t]*)")
_NUMBERED: Final = re.compile(r"cell-(0|[1-9][0-9]{0,6})")
"""Agents' names for cells without ids: their numbers from 0.

Cells have ids since nbformat 4.5.
"""
_ID_CHARACTERS = 8
_ID_SINCE = (4, 5)
_WHOLE_CONTENT = "Give the whole notebook as content, or a diff of it."

_Cell = dict[str, Any]


def apply_cell_edits(text: str, edits: Sequence[CellEdit], path: str, *, line_end: str = "\n") -> str:
    """Return the notebook after the edits, in its original JSON style.

    Edits are made one after the other. Raises DoesNotMatch for a text that is no notebook or does not
    serialize to the same text, and with one problem for each edit whose cell is missing or ambiguous.
    """
    plain = text.replace(line_end, "\n") if line_end != "\n" else text
    notebook = _parse_notebook(plain)
    write = _find_serializer(plain, notebook) if notebook is not None else None
    if notebook is None or write is None:
        shown = show_name(path)
        why = (
            f"{shown} is not a Jupyter notebook with cells."
            if notebook is None
            else (
                f"{shown} has unusual JSON formatting, so changing one cell would change other bytes as well."
            )
        )
        problem = Problem("notebook.not_written_again", why, _WHOLE_CONTENT, at="target")
        raise DoesNotMatch((problem,), (), path)
    worked = _WorkedOn(notebook, path)
    for number, edit in enumerate(edits, start=1):
        worked.put(number, edit)
    if problems := worked.problems.listed():
        raise DoesNotMatch(problems, (), path)
    return write(notebook).replace("\n", line_end)


def _parse_notebook(text: str) -> dict[str, Any] | None:
    try:
        notebook: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells: Any = cast("dict[str, Any]", notebook).get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cast("list[Any]", cells)):
        return None
    return cast("dict[str, Any]", notebook)


def _find_serializer(text: str, notebook: dict[str, Any]) -> Callable[[Any], str] | None:
    """Return a serializer that reproduces the text exactly, None without one.

    It varies indentation, escapes and the last line end.
    """
    found = _INDENT.match(text)
    indent = found[1] if found is not None else None
    end = "\n" if text.endswith("\n") else ""
    for escapes in (False, True):
        for separators in ((",", ": "),) if found else ((", ", ": "), (",", ":")):
            dump = partial(json.dumps, ensure_ascii=escapes, indent=indent, separators=separators)
            try:
                if dump(notebook) + end == text:
                    return lambda value, dump=dump: dump(value) + end
            except RecursionError:
                return None
    return None


class _WorkedOn:
    """A notebook while its cells are edited."""

    def __init__(self, notebook: dict[str, Any], path: str) -> None:
        self.problems = ProblemList(STEP_PROBLEMS_UP_TO)
        self._cells: list[_Cell] = notebook["cells"]
        self._path = path
        version = (notebook.get("nbformat"), notebook.get("nbformat_minor"))
        is_numbered = all(isinstance(part, int) for part in version)
        self._wants_ids = is_numbered and cast("tuple[int, int]", version) >= _ID_SINCE
        self._lists_lines = any(isinstance(cell.get("source"), list) for cell in self._cells)

    def put(self, number: int, edit: CellEdit) -> None:
        """Make one edit, or record why its cell can't be found."""
        if edit.change is CellChange.INSERT and not edit.cell_id and (edit.number or 0) <= len(self._cells):
            self._insert_cell(edit.number or 0, edit)
            return
        at = self._find_cell(number, edit)
        if at is None:
            return
        if edit.change is CellChange.DELETE:
            del self._cells[at]
        elif edit.change is CellChange.INSERT:
            self._insert_cell(at + 1, edit)
        else:
            self._replace_cell(self._cells[at], edit)

    def _find_cell(self, number: int, edit: CellEdit) -> int | None:
        if edit.number is not None and not edit.cell_id:
            if edit.number < len(self._cells):
                return edit.number
            reason = (
                f"cell {edit.number} does not exist; the notebook has {len(self._cells)}, counted from 0."
            )
            self._add_problem(number, edit, "cell.not_found", reason)
            return None
        places = [index for index, cell in enumerate(self._cells) if cell.get("id") == edit.cell_id]
        if len(places) == 1:
            return places[0]
        if places:
            self._add_problem(
                number, edit, "cell.not_unique", f"{len(places)} cells have the id {_cell_label(edit)}."
            )
            return None
        cell_ids = [str(cell["id"]) for cell in self._cells if "id" in cell]
        found = _NUMBERED.fullmatch(edit.cell_id)
        if found is not None and not cell_ids and int(found[1]) < len(self._cells):
            return int(found[1])
        self._add_problem(
            number, edit, "cell.not_found", f"no cell has the id {_cell_label(edit)}.", cell_ids
        )
        return None

    def _replace_cell(self, cell: _Cell, edit: CellEdit) -> None:
        cell["source"] = self._format_source(edit.source, cell.get("source"))
        if edit.cell_type in ("", cell.get("cell_type")):
            return
        cell["cell_type"] = edit.cell_type
        if edit.cell_type == "code":
            cell.setdefault("execution_count", None)
            cell.setdefault("outputs", [])
        else:
            cell.pop("execution_count", None)
            cell.pop("outputs", None)

    def _insert_cell(self, at: int, edit: CellEdit) -> None:
        cell: _Cell = {"cell_type": edit.cell_type}
        if edit.cell_type == "code":
            cell["execution_count"] = None
        if self._wants_ids:
            cell["id"] = self._create_id(at, edit.source)
        cell["metadata"] = {}
        if edit.cell_type == "code":
            cell["outputs"] = []
        cell["source"] = self._format_source(edit.source, [] if self._lists_lines or not self._cells else "")
        self._cells.insert(at, cell)

    def _create_id(self, at: int, source: str) -> str:
        """Return a reproducible id, derived from place and source."""
        cell_ids = {cell.get("id") for cell in self._cells}
        digest = hashlib.sha256(f"{at}\n{source}".encode("utf-8", "surrogatepass")).hexdigest()
        while digest[:_ID_CHARACTERS] in cell_ids:
            digest = hashlib.sha256(digest.encode()).hexdigest()
        return digest[:_ID_CHARACTERS]

    def _format_source(self, source: str, before: Any) -> str | list[str]:
        """Return a cell's source as before: a string or its lines."""
        return re.findall(r"[^\n]*\n|[^\n]+", source) if isinstance(before, list) else source

    def _add_problem(
        self, number: int, edit: CellEdit, code: str, reason: str, candidates: Sequence[str] = ()
    ) -> None:
        where = f" (line {edit.line} of the text)" if edit.line is not None else ""
        ids = ", ".join(f"“{show_name(name)}”" for name in candidates[:NAMED_LINES_UP_TO])
        more = ", …" if len(candidates) > NAMED_LINES_UP_TO else ""
        hint = f"Its cells are {ids}{more}. " if ids else ""
        message = f"Cell edit {number} of {show_name(self._path)}{where}: {reason}"
        problem = Problem(
            code, message, f"{hint}Read the notebook again and name a cell that is there.", at="target"
        )
        self.problems.add(problem)


def _cell_label(edit: CellEdit) -> str:
    return f"“{show_name(edit.cell_id)}”"
