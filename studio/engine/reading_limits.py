"""Limits of reading a project: who wrote its lines, and what is searched in it."""

from __future__ import annotations

from typing import Final

BLAMED_STEPS_UP_TO: Final = 2_000
"""So many steps that wrote a file are gone back through for who wrote its lines; older ones are not known."""

BLAMED_SECONDS: Final = 10.0
"""After so long what was not reached yet is not known."""

LISTED_CHANGES_UP_TO: Final = 500
"""So many of the plans that wrote a file are listed beside it."""

PRECEDENTS_UP_TO: Final = 5_000
"""So many of the newest decisions are counted for what was decided of such files before."""

SPACE_COMPARED_UP_TO: Final = 20_000
"""Changed lines of a hunk up to which it is found out whether white space alone differs."""

READ_PLACES_UP_TO: Final = 100
"""So many places that were read can be gone back to."""

SEARCH_HITS_UP_TO: Final = 2_000
"""A search through plans and project ends after so many lines."""

SEARCH_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Bytes of plans that are looked through before the first of what they hold is told."""

SEARCH_ROWS_SHOWN: Final = 500
"""Rows of what was found; of more the number is told."""

LISTED_ENTRIES_UP_TO: Final = 2_000
"""Files and folders of a folder that a person is shown; of more it is said that there are."""

MOVED_BYTES_UP_TO: Final = 64 * 1024 * 1024
"""Bytes of a plan's files up to which code that it moves is looked for."""

MOVED_BATCH_BYTES: Final = 1024 * 1024
"""Bytes of files that are compared for it at once: what is on screen is coloured in between."""

MOVED_PLACES_UP_TO: Final = 50
"""A line that is removed at more places begins no block that moved."""

CONFIGURATION_PROBLEMS_NAMED: Final = 5
"""So many things that are wrong with a configuration are named above the settings."""

WIDENED_SETTINGS_NAMED: Final = 3
"""So many settings are named that a project's own file would widen; the page lists all."""

TOUCHED_FILES_UP_TO: Final = 500
"""So many files are listed that a rule would touch; all are counted."""

OPENED_FILES_UP_TO: Final = 5_000
"""So many files are listed that an allowed folder would open; all are counted."""

JOURNAL_SEARCHED_AT_ONCE: Final = 20_000
"""Entries of the journal that one search looks through before it answers; it can be asked to look on."""

JOURNAL_FOUND_AT_ONCE: Final = 200
"""Entries that fit up to which one search of the journal looks."""

TRANSLATION_BYTES: Final = 4 * 1024 * 1024
"""Largest file of translations of the window; ours, with every text, has less than a tenth of it."""

GIT_FOLDERS_UP_TO: Final = 100_000
"""Most folders called bin or packages that a commit may have for any of them to be opened."""
