"""Inbox scanner: proposal files become plans, answer files report the decisions.

A record is written before each action on a text, and every action can be repeated: after a kill the next
process continues from there.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Final, cast

from msgspec.structs import asdict, replace

from studio.doors.outcomes import outcome_of
from studio.engine import Plan, PlanDraft
from studio.errors import NotFound, StudioError
from studio.extras.home_files import (
    read_stored_file,
    remove_stored_file,
    stored_file_path,
    write_stored_file,
)
from studio.extras.inbox_folder import ANSWER, Arrival, InboxFolder
from studio.formats.limits import SUBMISSION_BYTES
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.journal.file_image import sha256
from studio.names import show_name
from studio.program.log_file import LOGGER
from studio.values import Value
from studio.workspace import Workspace

DOOR: Final = "inbox"


class NewsKind(Enum):
    """What became of a text.

    LEFT means that it was not taken; there is only a message.
    """

    PROPOSED = "proposed"
    REFUSED = "refused"
    DECIDED = "decided"
    LEFT = "left"


class News(Value):
    """An event about the text originally called `name`.

    `answer` is the name of the answer's file, "" where none was written.
    """

    kind: NewsKind
    name: str
    message: str
    answer: str = ""
    plan: Plan | None = None


class Inbox:
    """One project's side of an inbox, driven by calls of `scan`."""

    def __init__(self, workspace: Workspace, folder: InboxFolder) -> None:
        self._workspace = workspace
        self._folder = folder
        self._records = Records(workspace.key)
        self._open = {record.claim: record for record in self._records.all(folder.path)}
        self._earlier = frozenset(self._open)
        self._limits = workspace.config.limits
        self._version = -1
        self._seen: frozenset[Arrival] = frozenset()
        self._skipped: frozenset[Arrival] = frozenset()

    def scan(self) -> Iterator[News]:
        """Take texts unchanged since the last scan, and answer decided ones.

        Raises as `InboxFolder.check`, ConfigRefused, Refused where the store can't be used, or FileError;
        what was claimed before is resumed by the next start.
        """
        self._folder.check()
        self._limits = self._workspace.config.limits
        version = self._workspace.data_version()
        if version != self._version:  # also true at the first scan
            self._version = version
            for record in tuple(self._open.values()):
                yield from self._advance(record)
        arrivals = self._folder.arrivals()
        for arrival in arrivals:
            if arrival in self._seen and arrival not in self._skipped:
                yield from self._claim_text(arrival)
        self._seen = frozenset(arrivals)
        self._skipped &= self._seen

    def unsettled(self) -> Iterator[News]:
        """Yield news of texts too recently changed to be taken."""
        for arrival in self._folder.arrivals():
            if arrival not in self._skipped:
                message = f"{show_name(arrival.name)} is still being written and was not imported."
                yield News(NewsKind.LEFT, arrival.name, message)

    def _claim_text(self, arrival: Arrival) -> Iterator[News]:
        free = self._folder.free_name(arrival.name)
        record = Record(uuid.uuid4().hex, str(self._folder.path), arrival.name, free)
        self._write_record(record)
        try:
            is_claimed = self._folder.claim(arrival.name, record.claim)
        except StudioError as error:
            self._delete_record(record)
            self._skipped |= {arrival}
            yield News(NewsKind.LEFT, arrival.name, f"{error.message} {error.hint}")
            return
        if is_claimed:
            yield from self._advance(record)
        else:
            self._delete_record(record)  # removed by its author meanwhile

    def _advance(self, record: Record) -> Iterator[News]:
        """Advance a text as far as possible from its current state."""
        is_claimed = self._folder.is_claimed(record.claim)
        if record.plan:
            try:
                plan = self._workspace.proposer.plan(record.plan)
            except NotFound:  # a person deleted its store
                self._delete_record(record)
                return
            if is_claimed or plan.state.is_decided:
                yield from self._answer_plan(record, plan)
        elif is_claimed:
            yield from self._propose(record)
        else:
            self._delete_record(record)  # killed before the text was claimed

    def _propose(self, record: Record) -> Iterator[News]:
        plan = self._earlier_plan(record)
        if plan is None:
            try:
                draft = self._read(record)
            except StudioError as error:
                yield from self._refuse_text(record, error)
                return
            try:
                plan = self._propose_draft(record, draft)
            except StudioError as error:
                if error.retryable or error.registry.startswith("ST-"):
                    raise  # the store failed, not the text
                yield from self._refuse_text(record, error)
                return
        record = replace(record, plan=plan.id)
        self._write_record(record)
        yield from self._answer_plan(record, plan)

    def _earlier_plan(self, record: Record) -> Plan | None:
        """Return the plan that a killed process made of a text.

        It is found by its session's name.
        """
        if record.claim not in self._earlier:
            return None
        proposer = self._workspace.proposer
        for session in proposer.sessions():
            if session.door == DOOR and session.name == record.claim and session.plans:
                return proposer.plan(session.plans[-1])
        return None

    def _read(self, record: Record) -> PlanDraft:
        data = self._folder.read(record.claim, SUBMISSION_BYTES, record.name)
        text = SubmittedText(data, shown=show_name(record.name), file_name=record.name)
        agent = show_name(record.name.partition(".")[0])
        options = SubmissionOptions(usual_agent=agent, project=self._workspace.root_path)
        return read_submission([text], options, limits=self._limits)

    def _propose_draft(self, record: Record, draft: PlanDraft) -> Plan:
        proposer = self._workspace.proposer
        session = proposer.open_session(draft.agent, DOOR, name=record.claim)
        try:
            return proposer.propose(draft, session=session)
        finally:
            proposer.close_session(session)

    def _answer_plan(self, record: Record, plan: Plan) -> Iterator[News]:
        kind = NewsKind.DECIDED if record.answers else NewsKind.PROPOSED
        outcome = outcome_of(plan, self._workspace.proposer.reply(plan.id))
        answer, why = self._answer(record, outcome.text, is_last=plan.state.is_decided)
        message = why or f"“{plan.title}” is {plan.state.words}."
        yield News(kind, record.name, message, answer, plan)

    def _refuse_text(self, record: Record, error: StudioError) -> Iterator[News]:
        message = f"{error.message} {error.hint}"
        answer, why = self._answer(record, f"Nothing was proposed. {message}\n", is_last=True)
        yield News(NewsKind.REFUSED, record.name, f"{message} {why}".rstrip(), answer)

    def _answer(self, record: Record, text: str, *, is_last: bool) -> tuple[str, str]:
        """Write the answer; return its file name and any error.

        The file name is "" where it could not be written. The text itself is moved beside the answer.
        """
        data = text.encode("utf-8", "backslashreplace")
        record = replace(record, answers=(*record.answers, sha256(data)))
        self._write_record(record)
        answer, why = record.free + ANSWER, ""
        try:
            if record.claim in self._earlier:
                self._folder.sweep(record.claim, record.answers)
            self._folder.write_answer(record.claim, record.free, data, record.answers)
        except StudioError as error:
            answer, why = "", f"{error.message} {error.hint}"
        self._folder.archive_claim(record.claim, record.free)
        if is_last:
            self._delete_record(record)
        return answer, why

    def _write_record(self, record: Record) -> None:
        self._records.write(record)
        self._open[record.claim] = record

    def _delete_record(self, record: Record) -> None:
        self._records.drop(record)
        self._open.pop(record.claim, None)


# Records of texts taken from the inbox and not yet finally answered.
#
# They are in the state folder, where no agent writes: a record has the original name of a claimed text, and
# which answers are our own.

_ENDING = ".json"


class Record(Value):
    """The state of one text.

    `claim` is its name in our folder, `name` the original one, `free` the final one. `plan` is the id of its
    plan, "" until there is one; `answers` are the SHA-256 of all answers that may have been written, in
    order.
    """

    claim: str
    inbox: str
    name: str
    free: str
    plan: str = ""
    answers: tuple[str, ...] = ()


class Records:
    """The records of one project."""

    def __init__(self, project_key: str) -> None:
        self._folder = f"inbox/{project_key}"

    def all(self, inbox: Path) -> Iterator[Record]:
        """Yield the records of one inbox.

        An unreadable one is logged and skipped. Raises FileError.
        """
        folder = stored_file_path(self._folder)
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        for name in names:
            if not name.endswith(_ENDING):
                continue
            try:
                record = _read(read_stored_file(f"{self._folder}/{name}"))
            except (StudioError, ValueError, KeyError) as error:
                LOGGER.warning("a record of the inbox can't be read: %s: %s", name, error)
                continue
            if record.inbox == str(inbox):
                yield record

    def write(self, record: Record) -> None:
        """Write a record durably and as a whole. Raises FileError."""
        # ASCII with escapes also preserves a name that is not UTF-8.
        write_stored_file(self._name(record), json.dumps(asdict(record)).encode("ascii"))

    def drop(self, record: Record) -> None:
        """Delete a record. Raises FileError."""
        remove_stored_file(self._name(record))

    def _name(self, record: Record) -> str:
        return f"{self._folder}/{record.claim}{_ENDING}"


def _read(data: bytes | None) -> Record:
    """Parse a record. Raises ValueError or KeyError for anything else."""
    parsed: Any = json.loads(data or b"null")
    if not isinstance(parsed, dict):
        raise ValueError("it is not a record")
    fields = cast("dict[str, Any]", parsed)
    claim, inbox, name, free, plan = (str(fields[key]) for key in ("claim", "inbox", "name", "free", "plan"))
    return Record(claim, inbox, name, free, plan, tuple(map(str, fields["answers"])))
