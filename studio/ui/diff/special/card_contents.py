"""Contents of info cards for moves, links, binaries, folders and hidden characters.

A diff is never empty: the card has an icon, a title, and two or three facts.
"""

from __future__ import annotations

from msgspec.structs import replace

from studio.engine import FileDiff, Operation, Severity, Step, StepState
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.text import NotText, TextForm, binary_bytes, has_lines
from studio.ui.diff.model.prepared import form_of
from studio.ui.language import translator
from studio.ui.limits import CARD_COMPARED_BYTES, CARD_FACTS_UP_TO, COLOURED_BYTES
from studio.ui.look.words import counted, say, size
from studio.values import Value

_tr = translator("SpecialPanel")

_UNSEEN_KINDS = frozenset({"bidi", "invisible", "control"})
_GRAVE = (Severity.WARNING, Severity.DANGER)
_Forms = tuple[TextForm | NotText | None, TextForm | NotText | None]
"""Text forms of base and result."""


class Offer(Value):
    """Action of a card: "white_space", "read", "hex", "line", "change" or "whole"."""

    id: str
    icon: str
    words: str
    key: str = ""


class SpecialPanel(Value):
    """Contents of a card; `facts` are pairs of name and value."""

    icon: str
    token: str
    title: str
    sentence: str
    facts: tuple[tuple[str, str], ...]
    above_lines: bool = False
    """Whether the diff follows below the card."""
    line: int = 0
    """Line of the result (from 1) to jump to, 0 for none."""
    offer: Offer | None = None
    is_image: bool = False
    """Whether to show the file as an image instead of the card."""


def special_panel(
    step: Step, diff: FileDiff | None, base: bytes | None, result: bytes | None, setting: str | None = None
) -> SpecialPanel | None:
    """Return the card for a step, None if its diff suffices.

    `setting` is the project's encoding for its path.
    """
    if _is_folder(step):
        return _folder(step)
    if base is None and result is None:
        refused = step.state is StepState.INVALID
        sentence = _tr("This step has no content.")
        if refused:
            sentence = _tr("The content of a refused step is not stored. See the reason above.")
        return SpecialPanel("refused" if refused else "info", "muted", _tr("Nothing to show"), sentence, ())
    forms = form_of(base, setting), form_of(result, setting)
    not_text = next((form for form in forms if isinstance(form, NotText)), None)
    same = base == result
    if step.op in (Operation.MOVE, Operation.COPY) and same:
        return replace(_moved(step), offer=_reading(result, setting))
    if step.has_link_side:
        return _link(step, base, result, above_lines=diff is not None)
    if same and step.mode_change is not None:
        return replace(_mode(step, result), offer=_reading(result, setting))
    if not_text is not None:
        if diff is not None and not diff.is_identical and all(map(has_lines, forms)):
            return _unseen(step) or _unknown(not_text, base, result)
        return _not_text(step, not_text, base, result, setting)
    if diff is None or diff.is_identical:
        return replace(_no_lines(base, result, forms), offer=_reading(result, setting))
    return _unseen(step) or _above_lines(diff, base, result, forms)


def collapsed_panel(step: Step) -> SpecialPanel:
    """Return the card in place of a generated file's diff."""
    messages = {fact.kind: show_name(fact.message) for fact in step.facts}
    name, sum_up = show_name(step.target.rpartition("/")[2]), messages.get("lock_file", "").removesuffix(".")
    sentence = messages.get("generated") or messages.get("vendored", "")
    changed = counted(step.added + step.removed, _tr("{n} line"), _tr("{n} lines"))
    return SpecialPanel(
        "lines", "accent", say(_tr("{file}: {change}"), file=name, change=sum_up or changed), sentence,
        ((_tr("Changes"), f"+{step.added:,} −{step.removed:,}"),),
        offer=Offer("whole", "down", _tr("Show"), "↵"),
    )  # fmt: skip


def _reading(data: bytes | None, setting: str | None) -> Offer | None:
    """Return the offer to show the file itself, None without content."""
    if not data:
        return None
    if isinstance(form_of(data, setting), NotText):
        return Offer("hex", "binary", _tr("Show as hex"))
    return Offer("read", "observed", _tr("View file"))


def _is_folder(step: Step) -> bool:
    images = [image for image in (step.base, step.result) if image is not None]
    return step.op is Operation.MKDIR or (bool(images) and all(image.is_folder for image in images))


def _folder(step: Step) -> SpecialPanel:
    is_deletion = step.op is Operation.DELETE
    title = _tr("Folder deleted") if is_deletion else _tr("New folder")
    sentence = _tr("The empty folder is deleted.") if is_deletion else _tr("An empty folder is created.")
    return SpecialPanel("folder", "accent", title, sentence, ((_tr("Folder"), show_name(step.target)),))


def _moved(step: Step) -> SpecialPanel:
    copied = step.op is Operation.COPY
    facts = [(_tr("From"), show_name(step.path)), (_tr("To"), show_name(step.target))]
    if step.mode_change is not None:
        facts.append((_tr("Mode"), _change(*step.mode_change)))
    if copied:
        return SpecialPanel(
            "copy", "accent", _tr("Copied, content unchanged"),
            _tr("The content is the same, and the original is kept."), tuple(facts),
        )  # fmt: skip
    return SpecialPanel(
        "move", "accent", _tr("Moved, content unchanged"),
        _tr("Only the path changes."), tuple(facts),
    )  # fmt: skip


def _link(step: Step, base: bytes | None, result: bytes | None, *, above_lines: bool) -> SpecialPanel:
    """Return the card of a symbolic link.

    A link's bytes are its target, not lines of a file; nothing follows the link.
    """
    was, is_now = (
        data if image is not None and image.is_link else None
        for image, data in ((step.base, base), (step.result, result))
    )
    if was is not None and is_now is not None:
        title, sentence = _tr("Link target changed"), _tr("Only the link target changes.")
        facts = [(_tr("Old target"), _place(was)), (_tr("Target"), _place(is_now))]
    elif is_now is not None:
        title, sentence = _tr("New link"), _tr("This is a symbolic link. Its target is not read.")
        facts = [(_tr("Target"), _place(is_now))]
    else:
        title, sentence = _tr("Link deleted"), _tr("Only the link is removed, not its target.")
        facts = [(_tr("Old target"), _place(was or b""))]
    if base is None or result is None or (was is not None and is_now is not None):
        return SpecialPanel("move", "accent", title, sentence, tuple(facts))
    if is_now is not None:
        title = _tr("Changed to a link")
        sentence = _tr("The file's content is deleted. The link target is not read.")
    else:
        title, sentence = _tr("Changed to a file"), _tr("Only the link is removed, not its target.")
    # The diff below shows the content of the side that is no link, where that is text.
    return SpecialPanel("move", "warn", title, sentence, tuple(facts), above_lines and base != result)


def _place(link: bytes) -> str:
    return show_name(link.decode("utf-8", "surrogateescape"))


def _mode(step: Step, result: bytes | None) -> SpecialPanel:
    assert step.mode_change is not None
    before, after = step.mode_change
    facts = [(_tr("Mode"), _change(before, after))]
    first_line = (result or b"").partition(b"\n")[0][:80].decode("utf-8", "replace").strip()
    if first_line.startswith("#!"):
        facts.append((_tr("First line"), show_name(first_line)))
    facts.append((_tr("Content"), _tr("unchanged")))
    if after == "100755":
        sentence = _tr("Only the mode changes. The file is now executable.")
        return SpecialPanel("executable", "warn", _tr("Now executable"), sentence, tuple(facts))
    sentence = _tr("Only the mode changes. The file is no longer executable.")
    return SpecialPanel("executable", "accent", _tr("No longer executable"), sentence, tuple(facts))


def _not_text(
    step: Step, form: NotText, base: bytes | None, result: bytes | None, setting: str | None
) -> SpecialPanel:
    facts = [
        (_tr("Type"), _kind(result if result is not None else base)),
        (_tr("Size"), _sizes(base, result)),
        (_tr("SHA-256"), _hashes(step.base, step.result)),
    ]
    if step.op in (Operation.MOVE, Operation.COPY):
        facts.insert(0, (_tr("From"), show_name(step.path)))
    if form.reason == "undecodable":
        sentence = _tr("The encoding is unknown. Approval covers the whole file.")
        facts.append((_tr("Reason"), form.sentence))
        return SpecialPanel(
            "binary", "warn", _tr("Unknown text encoding"), sentence, tuple(facts),
            offer=_reading(result or base, setting),
        )  # fmt: skip
    sentence = _tr("No line diff is available. Approval covers the whole file.")
    title = _tr("Binary file")
    is_image = _is_image(base) or _is_image(result)
    if result is None:
        title, sentence = (
            _tr("Binary file deleted"),
            _tr("The content is stored, so the file can be restored."),
        )
    elif base is None:
        title = _tr("New binary file")
    return SpecialPanel(
        "image" if is_image else "binary", "accent", title, sentence, tuple(facts),
        offer=_reading(result or base, setting), is_image=is_image,
    )  # fmt: skip


def _unknown(form: NotText, base: bytes | None, result: bytes | None) -> SpecialPanel:
    """Return the card for lines in an unknown encoding.

    Their bytes are compared; those that are not ASCII are drawn as boxes.
    """
    sentence = _tr("Lines are compared as bytes. Undecodable bytes are shown as boxes.")
    facts = ((_tr("Size"), _sizes(base, result)), (_tr("Reason"), form.sentence))
    return SpecialPanel("binary", "warn", _tr("Unknown text encoding"), sentence, facts, above_lines=True)


def _no_lines(base: bytes | None, result: bytes | None, forms: _Forms) -> SpecialPanel:
    sizes = (_tr("Size"), _sizes(base, result))
    if base is None:
        return SpecialPanel("file", "accent", _tr("New empty file"), _tr("The file is empty."), (sizes,))
    if result is None:
        sentence = _tr("The file is empty. No content is lost.")
        return SpecialPanel("file", "accent", _tr("Empty file deleted"), sentence, (sizes,))
    if base == result:
        sentence = _tr("The file already has exactly this content.")
        return SpecialPanel("info", "accent", _tr("No changes"), sentence, (sizes,))
    before, after = forms
    facts = [sizes]
    if isinstance(before, TextForm) and isinstance(after, TextForm):
        facts.insert(0, (_tr("Encoding"), _change(_encoding(before), _encoding(after))))
    sentence = _tr("The text stays the same, but its bytes change.")
    return SpecialPanel("white-space", "warn", _tr("Only the encoding changes"), sentence, tuple(facts))


def _unseen(step: Step) -> SpecialPanel | None:
    """Return a warning about invisible or bidirectional characters.

    It is shown above the lines, so that it is read first.
    """
    found = [
        fact
        for fact in step.facts
        if fact.kind in _UNSEEN_KINDS and fact.side == "result" and fact.line and fact.severity in _GRAVE
    ]
    if not found:
        return None
    lines = sorted({fact.line for fact in found if fact.line})
    title = counted(
        len(lines),
        _tr("{n} line has invisible characters"),
        _tr("{n} lines have invisible characters"),
    )
    sentence = _tr("These characters can hide what the code does. They are shown as boxes below.")
    facts = [
        (say(_tr("Line {n}"), n=str(fact.line)), show_name(fact.message)) for fact in found[:CARD_FACTS_UP_TO]
    ]
    if len(found) > CARD_FACTS_UP_TO:
        facts.append(("", _tr("See Facts for more")))
    offer = Offer("line", "next-change", say(_tr("Go to line {n}"), n=str(lines[0])))
    return SpecialPanel("danger", "bad", title, sentence, tuple(facts), True, lines[0], offer)


def _above_lines(
    diff: FileDiff, base: bytes | None, result: bytes | None, forms: _Forms
) -> SpecialPanel | None:
    larger = max(len(diff.base), len(diff.result))
    if larger > COLOURED_BYTES:
        lines = max(len(diff.base_lines), len(diff.result_lines))
        counts = counted(lines, _tr("{n} line"), _tr("{n} lines"))
        title = say(_tr("Large file: {size}, {lines}"), size=size(larger), lines=counts)
        first = diff.hunks[0].changes[0]
        sentence = _tr("Syntax highlighting is off. The first change is on line {n}.")
        sentence = say(sentence, n=str(first.new_first + 1))
        hunks = counted(len(diff.hunks), _tr("{n} hunk"), _tr("{n} hunks"))
        changed = counted(diff.added + diff.removed, _tr("{n} line"), _tr("{n} lines"))
        return SpecialPanel(
            "lines", "accent", title, sentence, ((_tr("Changes"), f"{hunks}, {changed}"),), True,
            offer=Offer("change", "next-change", _tr("Go to first change")),
        )  # fmt: skip
    if base is None or result is None or larger > CARD_COMPARED_BYTES or not _is_only_blank(diff):
        return None
    before, after = forms
    if not isinstance(before, TextForm) or not isinstance(after, TextForm):
        return None
    count = max(diff.added, diff.removed)
    blanks = Offer("white_space", "white-space", _tr("Show whitespace"), "W")
    if _without_ends(diff.base) == _without_ends(diff.result):
        sentence = counted(
            count, _tr("Only {n} line ending changes."),
            _tr("Only {n} line endings change."),
        )  # fmt: skip
        newline = _change(_yes_no(before.final_newline), _yes_no(after.final_newline))
        facts = (
            (_tr("Line endings"), _change(before.line_ending, after.line_ending)),
            (_tr("Final newline"), newline),
        )
        return SpecialPanel(
            "white-space", "accent", _tr("Only line endings differ"), sentence, facts, True, offer=blanks
        )
    sentence = counted(
        count, _tr("{n} line differs only in whitespace."),
        _tr("{n} lines differ only in whitespace."),
    )  # fmt: skip
    ends = _change(before.line_ending, after.line_ending)
    facts = ((_tr("Line endings"), _tr("unchanged") if before.line_ending == after.line_ending else ends),)
    title = _tr("Only whitespace differs")
    return SpecialPanel("white-space", "accent", title, sentence, facts, True, offer=blanks)


def _is_only_blank(diff: FileDiff) -> bool:
    return b"".join(diff.base.split()) == b"".join(diff.result.split())


def _without_ends(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").removesuffix(b"\n")


def _sizes(base: bytes | None, result: bytes | None) -> str:
    if base is None or result is None:
        return size(len(result if result is not None else base or b""))
    return _change(size(len(base)), size(len(result)))


def _hashes(base: FileImage | None, result: FileImage | None) -> str:
    shown = [f"{image.sha256[:8]}…" for image in (base, result) if image is not None and image.sha256]
    return " → ".join(dict.fromkeys(shown))


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _encoding(form: TextForm) -> str:
    name = form.encoding.upper()
    return f"{name} + BOM" if form.bom else name


def _yes_no(yes: bool) -> str:
    return _tr("yes") if yes else _tr("no")


_IMAGES = frozenset(
    {"a PNG image", "a JPEG image", "a GIF image", "a WebP image", "a BMP image", "a Windows icon"}
)
"""Types of binary files that are decoded and shown; the others are only described."""


def _is_image(data: bytes | None) -> bool:
    found = binary_bytes(data or b"")
    return found is not None and found.what in _IMAGES


def _kind(data: bytes | None) -> str:
    found = binary_bytes(data or b"")
    if found is None or not found.what:
        return _tr("unknown")
    return found.what.removeprefix("a ").removeprefix("an ")
