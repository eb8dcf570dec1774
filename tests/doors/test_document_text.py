"""Documents are printed as the standard library indents them."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from studio.doors.json_documents import document_text

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_a_document_is_indented_as_json_dumps_does(document: object) -> None:
    assert document_text(document, indent=2) == json.dumps(document, indent=2)
    assert document_text(document) == json.dumps(document)


def test_a_lone_surrogate_is_printed_in_escaped_form() -> None:
    assert document_text({"path": "a\udcff"}, indent=2) == '{\n  "path": "a\\\\udcff"\n}'
