"""Parser of the format `plan`: a JSON object with title and steps.

What can't be read as a plan refuses the whole text; a wrong step becomes invalid and does not affect the
others. Problems have 1-based lines and columns of the submitted text.
"""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from studio.engine import (
    DiffRefused,
    DraftStep,
    FilePatch,
    Operation,
    PlanDraft,
    PolicyLimits,
    Problem,
    ProblemList,
    TextEdit,
    parse_hunks,
)
from studio.formats.count_checks import USUAL_LIMITS, check_plan
from studio.formats.folding import fold
from studio.formats.json_text import (
    JsonError,
    JsonObject,
    JsonValue,
    convert_decode_error,
    parse_json,
    whole_text,
)
from studio.formats.limits import EDITS_UP_TO, REASON_CHARACTERS
from studio.formats.reply_text import Positions
from studio.limits import PLAN_PROBLEMS_UP_TO, STEP_PROBLEMS_UP_TO
from studio.names import show_name
from studio.text.encodings import NAME_ONE, name_of
from studio.values import Value

NAME: Final = "plan"

_PLAN_KEYS = ("schema", "title", "agent", "steps")
_NO_BASE64 = re.compile("[^A-Za-z0-9+/]")
_SHA256 = re.compile("[0-9a-f]{64}")
_ALWAYS = frozenset({"op", "path", "reason"})
_ASKED_FOR = (
    "Use only these keys: op, path, to, base_sha256, content, content_base64, encoding, bom, edits,"
    " patch, executable, reason."
)
# An agent can't approve its own plan; a plan that tries is reported, and not read without these keys.
_NOT_YOURS = frozenset({"state", "decision", "decided_sha256", "approved", "verdict"})


class _Shape(Value):
    """The keys that an operation requires and accepts.

    `allowed_keys` includes those that all operations accept.
    """

    needed: frozenset[str]
    allowed_keys: frozenset[str]


def _shape(needed: str, also: str) -> _Shape:
    return _Shape(frozenset(needed.split()), _ALWAYS | frozenset(needed.split()) | frozenset(also.split()))


_SHAPES: Mapping[Operation, _Shape] = {
    Operation.CREATE: _shape("", "content content_base64 encoding bom executable"),
    Operation.MODIFY: _shape("", "content content_base64 encoding edits patch base_sha256 executable"),
    Operation.APPEND: _shape("content", "encoding base_sha256"),
    Operation.DELETE: _shape("", "base_sha256"),
    Operation.MOVE: _shape("to", "edits patch base_sha256 executable"),
    Operation.COPY: _shape("to", "edits patch base_sha256 executable"),
    Operation.MKDIR: _shape("", ""),
    Operation.MODE: _shape("executable", "base_sha256"),
}
_CHANGES = ("content", "content_base64", "edits", "patch")


def read_plan(data: bytes, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Parse a plan; report bad content in `problems`.

    Raises Refused for more steps or hunks than `limits`, before the plan is read.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem("plan.not_utf8", "The plan is not UTF-8 text.", "Send it as UTF-8.", line=line)
        return PlanDraft(NAME, (), problems=(problem,))
    try:
        check_plan(text, limits)
    except json.JSONDecodeError as error:
        return PlanDraft(NAME, (), problems=(_no_json(Positions(text), convert_decode_error(error)),))
    places = Positions(text)
    try:
        root = parse_json(text)
    except JsonError as error:
        return PlanDraft(NAME, (), problems=(_no_json(places, error),))
    return _PlanReader(places).read(root)


def _no_json(places: Positions, error: JsonError) -> Problem:
    hint = "Send one JSON object and nothing else."
    return places.problem("plan.syntax", f"The plan is not JSON: {error.message}.", hint, error.position)


class _PlanReader:
    def __init__(self, places: Positions) -> None:
        self._places = places
        self._problems = ProblemList(PLAN_PROBLEMS_UP_TO)

    def read(self, root: JsonValue) -> PlanDraft:
        steps: tuple[DraftStep, ...] = ()
        title = agent = ""
        if isinstance(root.value, JsonObject):
            plan = root.value
            self._check_keys(plan, _PLAN_KEYS, "a plan")
            self._check_schema(plan)
            title = self._text(plan, "title", needed_at=root.position).strip()
            agent = self._text(plan, "agent").strip()
            steps = self._steps(plan, root.position)
        else:
            self._add("plan.type", "The plan is not a JSON object.", "Begin with {.", root.position)
        problems = self._problems.listed()
        return PlanDraft(
            NAME, () if problems else fold(steps), whole_text(title), whole_text(agent), problems
        )

    def _check_schema(self, plan: JsonObject) -> None:
        schema = plan.members.get("schema")
        if schema is not None and (schema.value != 1 or type(schema.value) is not int):
            self._add(
                "plan.schema", "Only schema 1 plans are supported.", 'Write "schema": 1.', schema.position
            )

    def _steps(self, plan: JsonObject, position: int) -> tuple[DraftStep, ...]:
        items = plan.members.get("steps")
        if items is None:
            self._add("plan.missing_key", 'The plan has no "steps".', "List at least one step.", position)
        elif not isinstance(items.value, tuple):
            self._add("plan.type", '"steps" is not a list.', "Write [{...}, ...].", items.position)
        elif not items.value:
            self._add("plan.no_steps", "The plan has no steps.", "List at least one step.", items.position)
        else:
            return tuple(_StepReader(self._places).read(item) for item in items.value)
        return ()

    def _text(self, plan: JsonObject, key: str, needed_at: int | None = None) -> str:
        found = plan.members.get(key)
        if found is None:
            if needed_at is not None:
                self._add("plan.missing_key", f'The plan has no "{key}".', "Provide it as text.", needed_at)
            return ""
        if not isinstance(found.value, str):
            self._add("plan.type", f'"{key}" is not text.', 'Write it in quotes: "...".', found.position)
            return ""
        if needed_at is not None and not found.value.strip():
            self._add(
                "plan.value", f'"{key}" is empty.', "Describe the change in a few words.", found.position
            )
        return found.value

    def _check_keys(self, found: JsonObject, allowed: tuple[str, ...], what: str) -> None:
        _check_keys(self._problems, self._places, found, frozenset(allowed), what)

    def _add(self, code: str, message: str, hint: str, position: int) -> None:
        if self._problems.room > 0:
            self._problems.add(self._places.problem(code, message, hint, position))
        else:
            self._problems.count(1)


class _StepReader:
    """Parser of one step; every problem makes it invalid, none stops parsing."""

    def __init__(self, places: Positions) -> None:
        self._places = places
        self._problems = ProblemList(STEP_PROBLEMS_UP_TO)

    def read(self, item: JsonValue) -> DraftStep:
        if not isinstance(item.value, JsonObject):
            self._add(
                "step.type",
                "The step is not a JSON object.",
                'Use {"op": ..., "path": ...}.',
                item.position,
            )
            return DraftStep(
                Operation.MODIFY, "", problems=self._problems.listed(), line=self._places.line(item.position)
            )
        step = item.value
        op = self._operation(step, item.position)
        self._check_shape(step, op, item.position)
        path = self._text(step, "path") or ""
        if "path" not in step.members:
            self._missing("path", item.position)
        to = self._text(step, "to")
        content = self._content(step)
        edits = self._edits(step)
        patch = self._patch(step, op or Operation.MODIFY, path, to)
        draft = DraftStep(
            op=op or Operation.MODIFY,
            path=path,
            to=to,
            base_sha256=self._base(step),
            content=content,
            encoding=self._encoding(step),
            exact=self._exact(step),
            edits=edits,
            patch=patch,
            executable=self._flag(step, "executable"),
            reason=whole_text(self._text(step, "reason") or "")[:REASON_CHARACTERS],
            line=self._places.line(item.position),
        )
        return replace(draft, problems=self._problems.listed())

    def _operation(self, step: JsonObject, position: int) -> Operation | None:
        found = step.members.get("op")
        if found is None:
            self._missing("op", position)
            return None
        for operation in Operation:
            if found.value == operation.value:
                return operation
        names = ", ".join(operation.value for operation in Operation)
        self._add("step.op", '"op" is not a known operation.', f"Use one of: {names}.", found.position)
        return None

    def _check_shape(self, step: JsonObject, op: Operation | None, position: int) -> None:
        allowed = frozenset[str]().union(*(shape.allowed_keys for shape in _SHAPES.values()))
        _check_keys(self._problems, self._places, step, allowed, "a step")
        if op is None:
            return
        shape = _SHAPES[op]
        for key in step.members:
            if key in allowed and key not in shape.allowed_keys:
                self._add(
                    "step.key",
                    f'"{op.value}" steps don\'t take "{key}".',
                    _key_hint(op, key),
                    step.key_positions[key],
                )
        for key in sorted(shape.needed - step.members.keys()):
            self._missing(key, position)
        changes = [key for key in _CHANGES if key in step.members and key in shape.allowed_keys]
        if len(changes) > 1:
            self._add(
                "step.key",
                f"{' and '.join(changes)} are given together.",
                "Specify one of them.",
                step.key_positions[changes[1]],
            )
        if op is Operation.MODIFY and not changes:
            self._add(
                "step.missing_key",
                "The step has no change.",
                "Provide content, content_base64, edits or patch.",
                position,
            )
        if op is Operation.CREATE and not changes:
            self._missing("content", position)
        for key in ("encoding", "bom"):
            if "content_base64" in changes and key in step.members:
                self._add(
                    "step.key",
                    f'"{key}" is about text; "content_base64" gives the bytes themselves.',
                    "Remove it.",
                    step.key_positions[key],
                )

    def _content(self, step: JsonObject) -> bytes | None:
        text = self._text(step, "content")
        data = None if text is None else self._bytes(text, step.members["content"].position)
        mark = self._flag(step, "bom")
        return codecs.BOM_UTF8 + data if mark and data is not None else data

    def _encoding(self, step: JsonObject) -> str | None:
        """Return the encoding of the file.

        It is None for "utf-8", the encoding of the plan itself, which leaves it open.
        """
        label = self._text(step, "encoding")
        name = None if label is None else name_of(label)
        if label is not None and name is None:
            position = step.members["encoding"].position
            self._add(
                "step.encoding", f'"{show_name(label[:80])}" is not a known encoding.', NAME_ONE, position
            )
        return None if name == "utf-8" else name

    def _exact(self, step: JsonObject) -> bytes | None:
        """Decode `content_base64`, accepting only the canonical spelling."""
        text = self._text(step, "content_base64")
        if text is None:
            return None
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            data = None
        if data is not None and base64.b64encode(data).decode() == text:
            return data
        self._add(
            "step.base64",
            f'"content_base64" is not base64: {_wrong_with(text)}.',
            "Write it with A-Z, a-z, 0-9, + and / in one piece, filled up with = to a multiple of four.",
            step.members["content_base64"].position,
        )
        return None

    def _edits(self, step: JsonObject) -> tuple[TextEdit, ...]:
        items = step.members.get("edits")
        if items is None:
            return ()
        if not isinstance(items.value, tuple) or not items.value:
            self._add(
                "step.type",
                '"edits" is not a list of edits.',
                'Use [{"old": ..., "new": ...}].',
                items.position,
            )
            return ()
        if len(items.value) > EDITS_UP_TO:
            self._add(
                "step.value",
                f"The step has {len(items.value)} edits; the limit is {EDITS_UP_TO}.",
                "Provide the whole content, or a patch.",
                items.position,
            )
            return ()
        return tuple(edit for item in items.value if (edit := self._edit(item)) is not None)

    def _edit(self, item: JsonValue) -> TextEdit | None:
        if not isinstance(item.value, JsonObject):
            self._add(
                "step.type",
                "The edit is not a JSON object.",
                'Use {"old": ..., "new": ...}.',
                item.position,
            )
            return None
        edit = item.value
        _check_keys(self._problems, self._places, edit, frozenset({"old", "new"}), "an edit")
        for key in ("old", "new"):
            if key not in edit.members:
                self._missing(key, item.position)
        old, new = self._text(edit, "old"), self._text(edit, "new")
        if old is None or new is None:
            return None
        if not old:
            self._add(
                "step.value", 'An edit has an empty "old".', "Give text that occurs once.", item.position
            )
        self._bytes(old, item.position)
        self._bytes(new, item.position)
        return TextEdit(old, new)

    def _patch(self, step: JsonObject, op: Operation, path: str, to: str | None) -> FilePatch | None:
        text = self._text(step, "patch")
        if text is None:
            return None
        position = step.members["patch"].position
        data = self._bytes(text, position)
        if data is None:
            return None
        line = self._places.line(position)
        try:
            hunks = parse_hunks(data)
        except DiffRefused as error:
            for problem in error.problems:
                inside = f"Line {problem.line} of the patch: " if problem.line else "The patch: "
                self._problems.add(
                    replace(problem, message=f"{inside}{problem.message}", line=line, column=None)
                )
            return None
        return FilePatch(op, path, to if to is not None else path, hunks, line=line, is_text=True)

    def _base(self, step: JsonObject) -> str | None:
        found = self._text(step, "base_sha256")
        if found is not None and not _SHA256.fullmatch(found):
            self._add(
                "step.value",
                '"base_sha256" is not a SHA-256 hash.',
                "Use 64 lowercase hex digits, or omit it.",
                step.members["base_sha256"].position,
            )
            return None
        return found

    def _flag(self, step: JsonObject, key: str) -> bool | None:
        found = step.members.get(key)
        if found is None or isinstance(found.value, bool):
            return None if found is None else bool(found.value)
        self._add("step.type", f'"{key}" is not true or false.', "Use true or false.", found.position)
        return None

    def _text(self, found: JsonObject, key: str) -> str | None:
        value = found.members.get(key)
        if value is None or isinstance(value.value, str):
            return None if value is None else str(value.value)
        self._add("step.type", f'"{key}" is not text.', 'Write it in quotes: "...".', value.position)
        return None

    def _bytes(self, text: str, position: int) -> bytes | None:
        try:
            return text.encode()
        except UnicodeEncodeError:
            self._add(
                "step.half_character",
                "The text contains an unpaired surrogate.",
                "Use the complete character; send binary data as content_base64.",
                position,
            )
            return None

    def _missing(self, key: str, position: int) -> None:
        self._add("step.missing_key", f'The step has no "{key}".', _ASKED_FOR, position)

    def _add(self, code: str, message: str, hint: str, position: int) -> None:
        if self._problems.room > 0:
            self._problems.add(self._places.problem(code, message, hint, position))
        else:
            self._problems.count(1)


def _check_keys(
    problems: ProblemList, places: Positions, found: JsonObject, allowed: frozenset[str], what: str
) -> None:
    """Report each unknown key, and each that is given twice."""
    unknown = [key for key in found.members if key not in allowed]
    reported = unknown[: problems.room]
    for key in reported:
        shown = show_name(key[:80])
        hint = "A plan can't decide about itself." if key in _NOT_YOURS else "Remove it."
        message = f'"{shown}" is not a key of {what}.'
        problems.add(places.problem("plan.unknown_key", message, hint, found.key_positions[key]))
    problems.count(len(unknown) - len(reported))
    twice = found.duplicates[: problems.room]
    for key, position in twice:
        message = f'"{show_name(key[:80])}" is duplicated.'
        problems.add(places.problem("plan.duplicate_key", message, "Include every key once.", position))
    problems.count(len(found.duplicates) - len(twice))


def _wrong_with(text: str) -> str:
    """Return why a text is no base64, for a sentence's end."""
    odd = _NO_BASE64.search(text.rstrip("="))
    if odd is not None:
        kind = "white space" if odd[0].isspace() else f"the character {odd[0]!a}"
        return f"{kind} at character {odd.start() + 1}"
    if len(text) % 4:
        return f"its {len(text)} characters are no multiple of four"
    if text.endswith("==="):
        return "it ends with too many ="
    return "bits after its last byte are set"


def _key_hint(op: Operation, key: str) -> str:
    if key == "bom":
        return "A changed file keeps its own byte order mark."
    if key == "base_sha256" and op is Operation.CREATE:
        return "A created file has no base; use modify for one that is there."
    names = ", ".join(sorted(_SHAPES[op].allowed_keys - _ALWAYS))
    return f"It takes {names}." if names else "It accepts only op, path and reason."
