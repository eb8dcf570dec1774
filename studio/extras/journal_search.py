"""Full-text search in the journal, newest entries first, in batches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from studio.engine.store.journal import EVERY_ENTRY, JournalFilter, JournalRow, StoredJournal
from studio.journal.entries import RECORD_TYPES, Entry, FileFault
from studio.limits import JOURNAL_BATCH_UP_TO, JOURNAL_FOUND_AT_ONCE, JOURNAL_SEARCHED_AT_ONCE
from studio.values import Value

_SEARCHED = ("correlation_id", "path", "to", "message", "who", "session", "plan_id")
"""Fields that are searched; contents and their hashes are not."""


class JournalFound(Value):
    """Matching entries, each request with its replies, the latest first.

    `before` is where to continue, None when the whole journal was searched.
    """

    rows: tuple[JournalRow, ...]
    before: int | None


def find(
    journal: StoredJournal,
    words: str,
    titles: Mapping[str, str],
    before: int | None = None,
    only: JournalFilter = EVERY_ENTRY,
) -> JournalFound:
    """Return filtered entries that contain every word, at positions below `before`.

    Without `before` all are searched, without words all are found. Words may be in type, path, ids, the title
    of the plan (`titles` by id), or in the message of a fault. Case does not matter.
    """
    terms = words.casefold().split()
    scanned = 0
    found: list[int] = []
    while scanned < JOURNAL_SEARCHED_AT_ONCE and len(found) < JOURNAL_FOUND_AT_ONCE:
        limit = min(JOURNAL_BATCH_UP_TO, JOURNAL_SEARCHED_AT_ONCE - scanned)
        texts = journal.texts(before, limit=limit, only=only)
        for text in texts:
            before, scanned = text.position, scanned + 1
            if _may_have_all_terms(text.plan_id, text.step_id, text.entry, terms, titles):
                found.append(text.position)
                if len(found) == JOURNAL_FOUND_AT_ONCE:
                    break
        else:
            if len(texts) < limit:
                return JournalFound(_exchanges(journal, found, terms, titles), None)
    return JournalFound(_exchanges(journal, found, terms, titles), before if before != 1 else None)


def _may_have_all_terms(
    plan_id: str, step_id: str, entry: str, terms: Sequence[str], titles: Mapping[str, str]
) -> bool:
    """Return whether the stored text has all words, before parsing it."""
    if "\\" in entry:
        try:
            entry = json.dumps(json.loads(entry), ensure_ascii=False)
        except ValueError:
            return True  # parsing it reports that it is damaged
    text = f"{plan_id} {step_id} {titles.get(plan_id, '')} {entry}".casefold()
    return all(word in text for word in terms)


def _exchanges(
    journal: StoredJournal, positions: Sequence[int], terms: Sequence[str], titles: Mapping[str, str]
) -> tuple[JournalRow, ...]:
    rows = [row for row in journal.at(positions) if _has_all_terms(row, terms, titles)]
    every = {row.position: row for row in rows}
    request_ids: dict[str, set[str]] = {}
    for row in rows:
        if not isinstance(row.entry, RECORD_TYPES):
            request_ids.setdefault(row.plan_id, set()).add(row.entry.correlation_id)
    for plan_id, names in request_ids.items():
        every |= {row.position: row for row in journal.exchanges(plan_id, sorted(names))}
    return tuple(every[position] for position in sorted(every, reverse=True))


def _has_all_terms(row: JournalRow, terms: Sequence[str], titles: Mapping[str, str]) -> bool:
    text = " ".join(
        [row.plan_id, row.step_id, titles.get(row.plan_id, ""), *_searched_texts(row.entry)]
    ).casefold()
    return all(word in text for word in terms)


def _searched_texts(entry: Entry) -> list[str]:
    fields = [str(getattr(entry, name, "")) for name in _SEARCHED]
    kind = [entry.fault_kind.value] if isinstance(entry, FileFault) else []
    return [type(entry).__name__, *kind, *fields]
