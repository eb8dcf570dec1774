"""Check that proposed file content is text in the file's existing encoding.

A change never converts a file's encoding implicitly. ASCII may become UTF-8, its superset, and a UTF-8 byte
order mark may come and go with the first line, where a diff shows it.
"""

from __future__ import annotations

from studio.errors import Refused
from studio.names import show_name
from studio.text import NotText, TextForm, describe, first_bad_byte


def check_new_text(result: bytes, path: str, setting: str | None = None) -> TextForm:
    """Return the form of a new file's content.

    `setting` is the configured encoding. Raises Refused: `text.binary`; `text.not_encodable` where the bytes
    are not valid in the configured encoding; `text.undecodable` where the encoding is unknown.
    """
    form = describe(result, setting, path=path)
    if not isinstance(form, NotText):
        return form
    if form.reason == "binary":
        raise _binary_refusal(form, path)
    if setting is not None:
        raise _not_encodable(path, form.sentence)
    raise Refused(
        "text.undecodable",
        f"The proposed content of {show_name(path)} can't be read: {form.sentence}",
        "Send the text as UTF-8, or have its encoding named under encodings in the configuration.",
        path=path,
    )


def check_own_form(result: bytes, own: TextForm | NotText, path: str, setting: str | None = None) -> TextForm:
    """Return the form of a result in the encoding of its file.

    An empty result may have any. `own` is the file's form, `setting` the configured encoding. Raises Refused
    `text.binary`, or `text.not_encodable` for another encoding.
    """
    form = describe(result, setting, path=path)
    if isinstance(form, NotText):
        if form.reason == "binary":
            raise _binary_refusal(form, path)
        raise _not_encodable(path, _explain_failure(result, own, form))
    if result and isinstance(own, TextForm) and not _is_of_form(form, own):
        raise _not_encodable(path, f"It would be {_show_form(form)}, and the file is {_show_form(own)}.")
    return form


def check_not_binary(result: bytes, path: str, setting: str | None = None) -> TextForm | NotText:
    """Return the form of a result given as bytes, in any encoding.

    Raises Refused `text.binary`.
    """
    form = describe(result, setting, path=path)
    if isinstance(form, NotText) and form.reason == "binary":
        raise _binary_refusal(form, path)
    return form


def _is_of_form(form: TextForm, own: TextForm) -> bool:
    if own.is_utf16:
        return (form.encoding, form.bom) == (own.encoding, own.bom)
    # ASCII is the same in every encoding but UTF-16.
    return form.encoding in ("ascii", own.encoding, "utf-8" if own.encoding == "ascii" else "ascii")


def _explain_failure(result: bytes, own: TextForm | NotText, form: NotText) -> str:
    """Return the offending line and byte, if the file's encoding is known.

    Else the sentence of the detection.
    """
    if isinstance(own, NotText):
        return form.sentence
    wanted = "utf-8" if own.encoding == "ascii" else own.encoding
    offset = first_bad_byte(result, wanted)
    if offset is None or own.is_utf16:
        return form.sentence
    line = result.count(b"\n", 0, offset) + 1
    return f"Line {line} has the byte 0x{result[offset]:02X}, which is not {wanted} there."


def _show_form(form: TextForm) -> str:
    return f"{form.encoding} with a byte order mark" if form.bom else form.encoding


def _binary_refusal(form: NotText, path: str) -> Refused:
    return Refused(
        "text.binary",
        f"The proposed content of {show_name(path)} is binary: {form.sentence}",
        ("Provide exact bytes: as content_base64 in a JSON plan, or in a diff from git diff --binary."),
        path=path,
    )


def _not_encodable(path: str, why: str) -> Refused:
    return Refused(
        "text.not_encodable",
        f"The new content of {show_name(path)} is no text in the file's own encoding. {why}",
        "Send new lines as UTF-8 text, with characters that the file's encoding has; "
        "what encoding a file has can be said under encodings in the configuration.",
        path=path,
    )
