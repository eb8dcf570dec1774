"""Cells of a notebook are changed by their ids, and every other byte of the notebook stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import DoesNotMatch
from studio.engine.draft import CellChange, CellEdit
from studio.engine.propose.notebook_cells import apply_cell_edits

NOTEBOOK = """{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Zählen\\n",
    "\\n",
    "Ein Versuch."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "load",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1\\n"
     ]
    }
   ],
   "source": [
    "print(1)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"""
REPLACE, INSERT, DELETE = CellChange.REPLACE, CellChange.INSERT, CellChange.DELETE


def refused(text: str, *edits: CellEdit) -> tuple[str, str, str]:
    with pytest.raises(DoesNotMatch) as caught:
        apply_cell_edits(text, edits, "a.ipynb")
    (problem,) = caught.value.problems
    return problem.code, problem.message, problem.hint


def test_a_cell_s_source_is_replaced_and_nothing_else() -> None:
    new = apply_cell_edits(NOTEBOOK, [CellEdit(REPLACE, "load", "x = 2\nprint(x)\n")], "a.ipynb")
    wanted = '   "source": [\n    "x = 2\\n",\n    "print(x)\\n"\n   ]\n'
    assert new == NOTEBOOK.replace('   "source": [\n    "print(1)"\n   ]\n', wanted)


def test_a_cell_is_put_behind_another_one_with_an_id_of_its_own() -> None:
    edit = CellEdit(INSERT, "intro", "import os", "code")
    new = json.loads(apply_cell_edits(NOTEBOOK, [edit], "a.ipynb"))["cells"]
    assert [cell["id"] for cell in new[::2]] == ["intro", "load"]
    assert list(new[1]) == ["cell_type", "execution_count", "id", "metadata", "outputs", "source"]
    assert (new[1]["source"], new[1]["execution_count"], new[1]["outputs"]) == (["import os"], None, [])
    assert apply_cell_edits(NOTEBOOK, [edit], "a.ipynb") == apply_cell_edits(NOTEBOOK, [edit], "a.ipynb")


def test_a_cell_without_a_name_before_it_is_the_first_one() -> None:
    new = json.loads(apply_cell_edits(NOTEBOOK, [CellEdit(INSERT, "", "# Top", "markdown")], "a.ipynb"))
    assert new["cells"][0]["source"] == ["# Top"]
    assert "outputs" not in new["cells"][0]


def test_a_cell_is_deleted() -> None:
    new = json.loads(apply_cell_edits(NOTEBOOK, [CellEdit(DELETE, "intro")], "a.ipynb"))
    assert [cell["id"] for cell in new["cells"]] == ["load"]


def test_a_cell_of_another_type_has_what_that_type_has() -> None:
    new = json.loads(apply_cell_edits(NOTEBOOK, [CellEdit(REPLACE, "load", "Text", "markdown")], "a.ipynb"))
    assert new["cells"][1] == {"cell_type": "markdown", "id": "load", "metadata": {}, "source": ["Text"]}
    new = json.loads(apply_cell_edits(NOTEBOOK, [CellEdit(REPLACE, "intro", "x", "code")], "a.ipynb"))
    assert (new["cells"][0]["outputs"], new["cells"][0]["execution_count"]) == ([], None)


def test_cells_without_ids_are_called_by_their_number() -> None:
    plain = json.dumps({"cells": [{"cell_type": "raw", "source": "a"}, {"cell_type": "raw", "source": "b"}]})
    assert apply_cell_edits(plain, [CellEdit(REPLACE, "cell-1", "c")], "a") == plain.replace('"b"', '"c"')
    code, message, _hint = refused(plain, CellEdit(REPLACE, "cell-2", "c"))
    assert (code, message) == ("cell.not_found", "Cell edit 1 of a.ipynb: no cell has the id “cell-2”.")


def test_an_id_that_is_not_there_is_refused_with_those_that_are() -> None:
    code, message, hint = refused(NOTEBOOK, CellEdit(REPLACE, "cell-0", "x", line=7))
    assert code == "cell.not_found"
    assert message == "Cell edit 1 of a.ipynb (line 7 of the text): no cell has the id “cell-0”."
    assert hint.startswith("Its cells are “intro”, “load”. ")


def test_an_id_that_is_there_twice_is_refused() -> None:
    twice = NOTEBOOK.replace('"load"', '"intro"')
    code, message, _hint = refused(twice, CellEdit(DELETE, "intro"))
    assert (code, message) == (
        "cell.not_unique",
        "Cell edit 1 of a.ipynb: 2 cells have the id “intro”.",
    )


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "{}", '{"cells": 1}', '{"cells": [1]}', '{"a":' * 99_999, "1" * 5000]
)
def test_what_is_no_notebook_is_refused(text: str) -> None:
    code, message, _hint = refused(text, CellEdit(DELETE, "a"))
    assert (code, message) == ("notebook.not_written_again", "a.ipynb is not a Jupyter notebook with cells.")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"metadata": {},\n "nbformat"', '"metadata": { },\n "nbformat"'),
        ('"nbformat": 4,', '"nbformat": 4.00,'),
        ('"nbformat": 4,', '"nbformat": 4, "nbformat": 4,'),
        ("Zählen", "Z\\u00e4hlen ü"),
        ("}\n", "}\n\n"),
    ],
)
def test_a_notebook_that_is_not_written_again_to_the_same_bytes_is_refused(old: str, new: str) -> None:
    code, message, hint = refused(NOTEBOOK.replace(old, new), CellEdit(DELETE, "intro"))
    assert code == "notebook.not_written_again"
    assert message.startswith("a.ipynb has unusual JSON formatting")
    assert hint == "Give the whole notebook as content, or a diff of it."


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    JSON,
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.booleans(),
    st.sampled_from(["", "\n"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_change_and_its_opposite_leave_the_very_same_bytes(
    beside: Any, indent: int | str | None, escapes: bool, end: str, line_end: str
) -> None:
    notebook = {"cells": [{"id": "a", "source": "one", "x": beside}], "metadata": beside}
    text = (json.dumps(notebook, indent=indent, ensure_ascii=escapes) + end).replace("\n", line_end)
    there = apply_cell_edits(text, [CellEdit(REPLACE, "a", "two")], "a.ipynb", line_end=line_end)
    assert there != text
    assert apply_cell_edits(there, [CellEdit(REPLACE, "a", "one")], "a.ipynb", line_end=line_end) == text
