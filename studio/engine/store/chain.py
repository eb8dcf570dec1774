"""Hash chain of a journal: computation and verification of row hashes.

By the first rule a hash covers the entry alone, by the second its time, plan and step as well. A store that
was created under the first rule has one entry from which on the second holds; it is part of the chain.
"""

from __future__ import annotations

import hashlib

from studio.journal.entries import JournalUpgraded, canonical_json, from_json
from studio.values import Value

FIRST_RULE, SECOND_RULE = 1, 2
EXPORT_VERSION = str(SECOND_RULE)
"""Schema version of exports that may contain rows by the second rule."""

_UPGRADE_BEGINS = f'{{"$type":"{JournalUpgraded.__name__}"'.encode()


class ChainReport(Value):
    """Result of verifying a chain.

    The number of valid entries from the start, the position of the first damaged one, and the reason.
    `covered_from` is the first position whose hash covers time, plan and step, None where there is none.
    """

    entries: int
    damaged_at: int | None = None
    covered_from: int | None = None
    why: str = ""


class Link(Value):
    """A row as stored.

    `text` is the canonical JSON of its entry, `stored` its hash, `rule` the rule it claims, if it does.
    """

    position: int
    written: str
    plan_id: str
    step_id: str
    text: bytes
    stored: object
    rule: object = None


class Chain:
    """Verifier of rows, which must start at the first."""

    def __init__(self) -> None:
        self.position = 0
        self.covered_from: int | None = None
        self._previous = b""
        self._first_rule_only = False

    def mark_first_rule_only(self) -> None:
        """Note that a version without the second rule wrote these rows."""
        self._first_rule_only = True

    def find_break(self, row: Link) -> str:
        """Check the next row; return why it does not follow, or "".

        The reason is a clause.
        """
        expected = self.position + 1
        if row.position != expected:
            return f"it has position {row.position}, and {expected} comes next"
        upgraded = _parse_upgrade_position(row.text)
        if upgraded is not None and (upgraded != expected or not self._may_change):
            return "the rule of the hashes can't change there"
        by_second = link(self._previous, row.written, row.plan_id, row.step_id, row.text)
        begins = upgraded is not None or (expected == 1 and self._may_change and row.stored == by_second)
        rule, hashed = SECOND_RULE, by_second
        if not begins and self.covered_from is None:
            rule, hashed = FIRST_RULE, hashlib.sha256(self._previous + row.text).digest()
        if row.stored != hashed or row.rule not in (None, rule):
            return "it was changed, or one before it is missing"
        self.covered_from = expected if begins else self.covered_from
        self.position, self._previous = expected, hashed
        return ""

    @property
    def _may_change(self) -> bool:
        return self.covered_from is None and not self._first_rule_only

    def report(self, why: str = "") -> ChainReport:
        """Return the result so far.

        `why` is the reason for which the next row is damaged, if it is.
        """
        return ChainReport(self.position, self.position + 1 if why else None, self.covered_from, why)


def link(previous: bytes, written: str, plan_id: str, step_id: str, text: bytes) -> bytes:
    """Return a row's hash by the second rule.

    SHA-256 over the previous hash (empty for the first row), the row's time, plan and step, and the canonical
    JSON of its entry.
    """
    about = canonical_json([written, plan_id, step_id])
    return hashlib.sha256(b"%b%b\n%b" % (previous, about.encode(), text)).digest()


def _parse_upgrade_position(text: bytes) -> int | None:
    """Return the first position of the second rule that an entry names.

    0 for an invalid one; None for an entry of another type.
    """
    if not text.startswith(_UPGRADE_BEGINS):
        return None
    try:
        entry = from_json(text.decode())
    except ValueError:
        return 0
    if not isinstance(entry, JournalUpgraded) or entry.schema_version != EXPORT_VERSION:
        return 0
    return entry.from_position
