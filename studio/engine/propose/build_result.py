"""Draft step's result bytes, from original bytes plus patch or edits."""

from __future__ import annotations

from msgspec.structs import replace

from studio.engine.diff import apply_series, apply_with_facts
from studio.engine.diff.line_endings import with_line_ends_of
from studio.engine.draft import DraftStep
from studio.engine.plan import Fact, Operation, Severity
from studio.engine.propose.notebook_cells import apply_cell_edits
from studio.engine.propose.text_edits import apply_text_edits
from studio.errors import Undecodable
from studio.limits import FILE_BYTES
from studio.names import show_name
from studio.text import (
    Forms,
    NotText,
    TextForm,
    by_name,
    decode_text,
    describe,
    encode_text,
    form_on_bytes,
)
from studio.text.encoding_check import check_new_text, check_not_binary, check_own_form
from studio.values import Value

_ENCODING_ADAPTED = "encoding_adapted"
_NAME_ENCODING = (
    "Set its encoding in the step of a JSON plan or under encodings in the configuration, or "
    "provide a diff of the file's bytes."
)
_GIVE_BYTES = "Provide exact bytes: as content_base64 in a JSON plan, or in a diff from git diff --binary."


class Built(Value):
    """Exact result of a step, with facts about how it was made.

    `forms` is how both sides are text, where that had to be detected.
    """

    result: bytes
    facts: tuple[Fact, ...] = ()
    forms: Forms | None = None


def build_new(draft: DraftStep, setting: str | None = None, *, at_most: int = FILE_BYTES) -> Built:
    """Build the content of a created file.

    It is in the encoding `setting` that the project configures for it; a binary patch makes no more than
    `at_most` bytes. A diff may hold bytes of any encoding where none is configured. Raises Refused for a
    patch that is not a creation, for text that is binary, and for text that can't be written in that
    encoding.
    """
    exact = _exact_bytes(draft, b"", at_most)
    if exact is not None:
        return Built(exact)
    setting = draft.encoding or setting
    if draft.patch is not None:
        applied = apply_series(b"", (draft.patch, *draft.following), setting)
        built = Built(applied.result, applied.facts)
    else:
        built = _encode_new_content(_apply_edits(draft), setting)
    if setting is None and draft.patch is not None and not draft.patch.is_text:
        form = check_not_binary(built.result, draft.path)
    else:
        form = check_new_text(built.result, draft.path, setting)
    return _add_encoding_fact(draft, replace(built, forms=Forms(None, form)))


def _encode_new_content(content: bytes, setting: str | None) -> Built:
    """Convert a new file's UTF-8 text to the configured encoding."""
    form = describe(b"", setting)
    if isinstance(form, NotText) or form.encoding in ("ascii", "utf-8"):
        return Built(content)
    try:
        result = encode_text(content.decode("utf-8"), form)
    except UnicodeDecodeError:
        return Built(content)
    if result == content:
        return Built(content)
    message = f"The text was written in the encoding that the project names for the file, {form.encoding}."
    return Built(result, (Fact(_ENCODING_ADAPTED, Severity.NOTE, message),))


def build_changed(draft: DraftStep, base: bytes, setting: str | None, *, at_most: int = FILE_BYTES) -> Built:
    """Build the content after a modify, append, move or copy.

    `setting` is the encoding that the project configures for the file; a binary patch makes no more than
    `at_most` bytes. A file in no known encoding is changed bytewise, where no new text has to be encoded.
    Raises Refused when an edit or patch does not match, a character does not exist in the file's encoding, or
    text is to be put into what is not text.
    """
    exact = _exact_bytes(draft, base, at_most)
    if exact is not None:
        return Built(exact)
    if not _changes_bytes(draft):
        return Built(base)
    source = "the plan" if draft.encoding else "the project's settings"
    setting = draft.encoding or setting
    own = describe(base, setting, source=source)
    form = by_name(own, base, setting, draft.path)
    if isinstance(form, NotText):
        if draft.encoding is not None:
            raise _encoding_mismatch(draft, draft.encoding, form)
        return _build_from_bytes(draft, base, form, setting)
    if draft.patch is not None and draft.patch.hunks:
        applied = apply_series(base, (draft.patch, *draft.following), setting, form=own)
        built = Built(applied.result, applied.facts)
    elif draft.cells:
        built = _build_notebook(draft, base, form)
    elif draft.edits and draft.content is None:
        built = _build_edited(draft, base, form)
    else:
        built = _build_replaced(draft, base, form)
    built = replace(built, forms=Forms(own, _detect_result_form(draft, built, form, setting)))
    return _add_encoding_fact(draft, built)


def _add_encoding_fact(draft: DraftStep, built: Built) -> Built:
    """Add the fact that the step named the encoding.

    Readers of the file can't know it otherwise.
    """
    if draft.encoding is None:
        return built
    message = f"The text was written as {draft.encoding}, which the plan names for the file."
    named = Fact(_ENCODING_ADAPTED, Severity.NOTE, message)
    others = (fact for fact in built.facts if fact.kind != _ENCODING_ADAPTED)
    return Built(built.result, (named, *others))


def _encoding_mismatch(draft: DraftStep, name: str, form: NotText) -> Undecodable:
    return Undecodable(
        "text.uneditable",
        f"{show_name(draft.path)} can't be read as {name}: {form.sentence}",
        "Specify the file's encoding, or omit encoding and provide ASCII text or exact bytes.",
        path=draft.path,
    )


def _detect_result_form(
    draft: DraftStep, built: Built, own: TextForm, setting: str | None
) -> TextForm | NotText:
    """Return how the result is text.

    Raises Refused for bytes that are not in the encoding of the file.
    """
    is_adapted = any(fact.kind == _ENCODING_ADAPTED for fact in built.facts)
    if own.guessed and draft.patch is not None and not draft.patch.is_text and not is_adapted:
        # The diff's bytes contradict the guess, which is no reason to refuse them.
        form = check_not_binary(built.result, draft.path, setting)
        if isinstance(form, NotText):
            return form
    return check_own_form(built.result, own, draft.path, setting)


def _build_from_bytes(draft: DraftStep, base: bytes, form: NotText, setting: str | None) -> Built:
    """Change a file in no known encoding by its bytes.

    Raises Refused for a binary file, and for new text beyond ASCII that is given as characters.
    """
    is_diff = draft.patch is not None and bool(draft.patch.hunks)
    if draft.cells or not (form.has_lines or (is_diff and form.reason == "undecodable")):
        message = f"{show_name(draft.path)} can't be edited: {form.sentence}"
        raise Undecodable("text.uneditable", message, _GIVE_BYTES, path=draft.path)
    if not _has_ascii_alone(draft):
        message = f"{show_name(draft.path)} has an unknown encoding, so only ASCII text can be added."
        raise Undecodable("text.uneditable", f"{message} {form.sentence}", _NAME_ENCODING, path=draft.path)
    if draft.patch is not None and is_diff:
        applied = apply_series(base, (draft.patch, *draft.following), setting, form=form)
        built = Built(applied.result, applied.facts)
    elif draft.edits and draft.content is None:
        built = _build_edited(draft, base, form_on_bytes(base))
    else:
        built = _build_replaced(draft, base, form_on_bytes(base))
    return replace(built, forms=Forms(form, check_not_binary(built.result, draft.path, setting)))


def _has_ascii_alone(draft: DraftStep) -> bool:
    """Return whether all text of a step is ASCII.

    The lines of a diff are bytes already.
    """
    if draft.patch is not None:
        patches = (patch for patch in draft.patches if patch.is_text)
        return all(hunk.body.isascii() for patch in patches for hunk in patch.hunks)
    texts = (text for edit in draft.edits for text in (edit.old, edit.new, *edit.after))
    return (draft.content or b"").isascii() and all(map(str.isascii, texts))


def _changes_bytes(draft: DraftStep) -> bool:
    """Return whether a draft changes bytes, not just name or mode."""
    if draft.content is not None or draft.edits or draft.cells:
        return True
    return draft.patch is not None and bool(draft.patch.hunks)


def _exact_bytes(draft: DraftStep, base: bytes, at_most: int) -> bytes | None:
    """Return the result of a step that gives exact bytes, else None."""
    if draft.exact is not None:
        return draft.exact
    if draft.patch is not None and draft.patch.binary is not None:
        return apply_with_facts(base, draft.patch, at_most=at_most).result
    return None


def _apply_edits(draft: DraftStep) -> bytes:
    """Return the proposed content with the edits that follow it applied.

    Raises DoesNotMatch.
    """
    content = draft.content or b""
    if not draft.edits:
        return content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    return apply_text_edits(text, draft.edits, draft.path).text.encode("utf-8")


def _build_replaced(draft: DraftStep, base: bytes, form: TextForm) -> Built:
    text = _decode_proposed(draft)
    if draft.ends_like_file and form.final_newline and not text.endswith("\n"):
        text += "\n"
    is_appended = draft.op is Operation.APPEND
    adapted = form.with_line_ends(text) if is_appended else with_line_ends_of(text, base, form)
    facts = () if adapted is text else (_line_ends_adapted(form),)
    if is_appended:
        added = encode_text(adapted, form)[len(form.bom) :]
        if added and base.endswith(added):
            facts = (*facts, _already_there(draft.path))
        return Built(base + added, facts)
    return Built(encode_text(adapted, form), facts)


def _already_there(path: str) -> Fact:
    """Return the fact that the appended text is there already.

    It is no refusal, because a log may well have a line twice.
    """
    return Fact(
        "append_repeats", Severity.WARNING, f"{show_name(path)} already ends with the text to append."
    )


def _decode_proposed(draft: DraftStep) -> str:
    """Decode the content; proposals are UTF-8 whatever the file's encoding."""
    data = _apply_edits(draft)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Undecodable(
            "text.not_utf8",
            f"The proposed content of {show_name(draft.path)} is not UTF-8 at byte {error.start}.",
            "Send the text as UTF-8; the file keeps its own encoding.",
            path=draft.path,
            data=data,
            start=error.start,
        ) from error


def _build_edited(draft: DraftStep, base: bytes, form: TextForm) -> Built:
    is_crlf = form.line_ending == "CRLF"
    edits = [
        replace(edit, old=form.with_line_ends(edit.old), new=form.with_line_ends(edit.new))
        for edit in draft.edits
    ]
    line_end = "\r\n" if is_crlf else "\n"
    edited = apply_text_edits(decode_text(base, form), edits, draft.path, line_end=line_end)
    is_adapted = edited.has_adapted_ends or any(
        one.new is not other.new for one, other in zip(edits, draft.edits, strict=True)
    )
    facts = (_line_ends_adapted(form),) if is_adapted else ()
    return Built(encode_text(edited.text, form), (*facts, *edited.facts))


def _build_notebook(draft: DraftStep, base: bytes, form: TextForm) -> Built:
    text = decode_text(base, form)
    if form.line_ending == "mixed":
        # JSON strings contain no raw line ends, so that all of them are between its values.
        cells = apply_cell_edits(text.replace("\r\n", "\n"), draft.cells, draft.path)
        return Built(encode_text(with_line_ends_of(cells, base, form), form))
    line_end = "\r\n" if form.line_ending == "CRLF" else "\n"
    return Built(encode_text(apply_cell_edits(text, draft.cells, draft.path, line_end=line_end), form))


def _line_ends_adapted(form: TextForm) -> Fact:
    sentence = "The proposed text had LF line ends; they were adapted to CRLF like the rest of the file."
    if form.line_ending != "CRLF":
        sentence = (
            "The proposed text had LF line ends and the file has several kinds. Lines that stay keep theirs, "
            "new ones have that of the line before."
        )
    return Fact("line_endings_adapted", Severity.NOTE, sentence)
