"""The exact change of one path as a diff that reads back to it."""

from __future__ import annotations

from studio.engine.diff import compute, decode_diff, format_binary, format_unified
from studio.engine.plan import FileImage
from studio.engine.proposer import StepContents

Sides = tuple[FileImage | None, FileImage | None]
"""What is at a path before a change, and after it."""


def change_diff(
    paths: tuple[str, str], sides: Sides, contents: StepContents, *, copied: bool = False, for_people: bool
) -> str:
    """The change from the first path to the second. Of what is binary people get git's one sentence about
    it: nobody reads base 85, and a terminal would scroll for minutes. Of an unknown encoding they get its
    lines, with U+FFFD for each byte that can't be shown."""
    old, new = sides
    base, result = contents.base, contents.result
    old_path = paths[0] if old is not None else None
    new_path = paths[1] if new is not None else None
    old_mode = int(old.git_mode, 8) if old is not None else None
    new_mode = int(new.git_mode, 8) if new is not None else None
    if contents.forms.are_text or (for_people and contents.forms.have_lines):
        diff = compute(base or b"", result or b"", setting=contents.setting)
        text = format_unified(diff, old_path, new_path, old_mode=old_mode, new_mode=new_mode, copied=copied)
    elif for_people and base != result:
        names = (f"a/{old_path}" if old_path else "/dev/null", f"b/{new_path}" if new_path else "/dev/null")
        return "Binary files {} and {} differ\n".format(*names)
    elif (base is None) is not (old is None) or (result is None) is not (new is None):
        return ""  # its undo was discarded, and the bytes with it
    else:
        text = format_binary(base, result, *paths, old_mode=old_mode, new_mode=new_mode, copied=copied)
    return decode_diff(text, contents.form)
