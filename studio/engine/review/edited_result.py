"""Step with a reviewer-edited result, validated for size and text encoding.

An edit is part of the decision on its step; no plan is made for it.
"""

from __future__ import annotations

from msgspec.structs import replace

from studio.engine.diff.step_hunks import with_diff
from studio.engine.plan import Step
from studio.engine.policy import Policy
from studio.engine.policy.hints import place_of
from studio.engine.review.decision_errors import nothing_chosen
from studio.engine.risks import byte_facts
from studio.errors import Refused
from studio.journal.file_image import sha256
from studio.names import show_name
from studio.text import Forms, NotText, TextForm, decode_text, detect_forms, encode_text
from studio.text.encoding_check import check_not_binary, check_own_form


def with_result(
    step: Step,
    base: bytes | None,
    content: bytes,
    setting: str | None = None,
    *,
    forms: Forms | None = None,
) -> Step:
    """Return the step with `content` as its result.

    Size, counts, hunks and facts are those of the new result; facts about the proposal's bytes are dropped.
    `setting` is the project's encoding for the path, `forms` how both are text, where that is known. Takes
    time for large content.
    """
    assert step.result is not None
    image = replace(step.result, sha256=sha256(content), size=len(content))
    facts = tuple(fact for fact in step.facts if not fact.is_about_bytes)
    forms = forms or detect_forms(base, content, setting)
    new = with_diff(replace(step, result=image, facts=facts), base, content, setting, forms=forms)
    return replace(new, facts=(*new.facts, *byte_facts(new, base, content, setting=setting, forms=forms)))


def check_result(policy: Policy, step: Step, content: bytes, forms: Forms, setting: str | None) -> None:
    """Check edited content for a target, by its plan's rules.

    `forms` are those of the file it will replace and of the proposal. Raises Refused: it is too large, no
    text in the form of that file, has a byte order mark that neither has, or does not survive being decoded
    and encoded again.
    """
    verdict = policy.check_size(step.target, len(content))
    if verdict is not None and not verdict.allowed:
        raise Refused(
            "policy.denied",
            f"{show_name(step.target)}: {verdict.reason}.",
            f"Make it smaller, or raise limits.file_bytes in {place_of(verdict.level)}.",
            path=step.target,
        )
    if not forms.are_text and forms.have_lines:
        # Chosen lines of a change of exact bytes in an unknown encoding.
        check_not_binary(content, step.path, setting)
        return
    form = check_own_form(content, own_form(forms), step.path, setting)
    sides = (forms.base, forms.result)
    if content and form.bom not in {side.bom for side in sides if isinstance(side, TextForm)}:
        raise Refused(
            "result.mark",
            (f"The new content of {show_name(step.target)} has another byte order mark than the file."),
            "Preserve the file's byte order mark.",
            path=step.target,
        )
    if encode_text(decode_text(content, form), form) != content:
        raise Refused(
            "result.round_trip",
            f"The new content of {show_name(step.target)} can't be stored exactly, byte for byte.",
            "Edit the file outside, and discard the step.",
            path=step.target,
        )


def own_form(forms: Forms) -> TextForm | NotText:
    """Return the form of the replaced file, or the proposal's without one."""
    own = forms.base or forms.result
    assert own is not None
    return own


def check_not_empty(step: Step, base: bytes, content: bytes) -> None:
    """Check that a step with this result would change something.

    Raises UsageError.
    """
    if content == base and not step.op.has_target and step.mode_change is None:
        raise nothing_chosen(step)
