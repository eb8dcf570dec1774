"""Numeric limits of the UI as constants: shown items, sizes, intervals.

Units as in `studio.limits`.
"""

from __future__ import annotations

from typing import Final

WINDOW_POLL_SECONDS: Final = 0.8
"""Poll interval of the window, besides notifications."""

# A label of 600,000 blocked the window for 2.5 s. Copy takes all of it.
SHOWN_REPLY_CHARACTERS: Final = 20_000
"""Characters of the agent's answer in the preview of a pasted text."""

TYPED_PLAN_BYTES: Final = 1_000_000
"""Bytes of a pasted text that can be edited; of a larger one the start is shown."""

NAMED_REPAIRS_UP_TO: Final = 3
"""Different repairs of one text that the window names."""

SHOWN_PROBLEMS_UP_TO: Final = 10
"""Problems of a plan or step that the window shows."""

SHOWN_LEFT_OUT_UP_TO: Final = 12
"""Excluded paths that the window names; a last line counts the others."""

SHOWN_WARNINGS_UP_TO: Final = 8
"""Warnings that the window spells out; a last one counts the others."""

CARD_FACTS_UP_TO: Final = 3
"""Facts named on a card above a diff."""

CARD_COMPARED_BYTES: Final = 2_000_000
"""Largest diff in bytes checked for "only white space differs"."""

STEPS_WITHOUT_FOLDERS: Final = 30
"""Steps up to which the queue lists a plan without its folders."""

NAMED_STEPS_UP_TO: Final = 5
"""Steps not viewed yet that the page of a plan names."""

NAMED_LOST_UP_TO: Final = 3
"""Files named in the question about discarding undo."""

RECENT_PROJECTS_SHOWN: Final = 6
"""Recent projects on the start page."""

RECENT_PROJECTS_UP_TO: Final = 50
"""Recent projects remembered."""

FOUND_FILES_UP_TO: Final = 60
"""Files that Go to file lists."""

HITS_UP_TO: Final = 10_000
"""Hits at which a diff search stops and shows "more than"."""

IMAGE_BYTES: Final = 64 * 1024 * 1024
"""Largest picture file that is decoded."""

# Qt takes eight bytes for each pixel where it makes an image smaller, so that 50 megapixels, which few
# cameras have, are 400 MB.
IMAGE_PIXELS: Final = 50_000_000
"""Most pixels of a decoded image; 400 kB may need gigabytes."""

# Qt's text editor takes half a second for 100,000 lines before it paints the first, and 5 s for a million.
READ_TEXT_BYTES: Final = 1024 * 1024
"""Bytes of a text that the file page shows."""

READ_BINARY_BYTES: Final = 32 * 1024
"""Bytes that the file page shows of what is not text."""

SPOKEN_LINE_CHARACTERS: Final = 10_000
"""Characters of one line for a screen reader; the rest is counted."""

SPOKEN_LINES_UP_TO: Final = 20
"""Lines of each conflict side for a screen reader."""

# All rows are created at once.
OPENED_ROWS_UP_TO: Final = 2000
"""Rows of a fold beside a conflict that one click shows."""

COLOURED_BYTES: Final = 32 * 1024 * 1024
"""Bytes of one side above which code has no syntax highlighting."""

SHOWN_AROUND_CHARACTERS: Final = 200
"""Characters shown around each change of a very long line."""

# A file of 30 kB takes 2 ms.
NAMED_AT_ONCE_BYTES: Final = 64 * 1024
"""Largest side whose definitions are found before its hunks are painted."""

COLOURED_LINE_CHARACTERS: Final = 5000
"""Longest line of a highlighted block, as lexers are regular expressions."""

ROLLBACK_ROWS_SHOWN: Final = 8
"""Files of a rollback that its table shows before it scrolls."""

RESTORE_ROWS_AT_ONCE: Final = 200
"""Paths of a restored snapshot listed at once; formatting thousands is slow."""

INTERRUPTED_FILES_SHOWN: Final = 6
"""Files named in the banner about an interrupted apply."""

UNDONE_DECISIONS_UP_TO: Final = 100
"""Decisions since the last write that can be undone one by one."""

BEGUN_LINE_CHARACTERS: Final = 60
"""Characters of a draft line by which a person recognises it."""

LAID_OUT_LINES_UP_TO: Final = 5000
"""Changed lines of a hunk up to which each gets a row."""

DECODED_EDGE_PIXELS: Final = 2400
"""Longest edge at which an image is shown unscaled."""

COLOUR_SECONDS: Final = 2.0
"""Processor time after which a lexer is too slow and highlighting stops."""

FAULTS_LOGGED: Final = 20
"""Uncaught exceptions logged within `FAULT_SECONDS`; more are counted."""

FAULT_SECONDS: Final = 60.0
"""Time after which `FAULTS_LOGGED` faults are logged again."""

FAULT_CHARACTERS: Final = 20_000
"""Characters of a fault's traceback that are shown, from its end."""

OBSERVED_COUNTED_UP_TO: Final = 200
"""New observed changes at a time whose lines the window counts."""

SPACE_COMPARED_UP_TO: Final = 20_000
"""Changed lines of a hunk up to which white-space changes are detected."""

READ_PLACES_UP_TO: Final = 100
"""Reading positions kept for going back."""

SEARCH_ROWS_SHOWN: Final = 500
"""Rows of search results shown; more are counted."""

# The screen is updated between two batches.
MOVED_BATCH_BYTES: Final = 1024 * 1024
"""Bytes of files compared at once to detect moved code."""

CONFIGURATION_PROBLEMS_NAMED: Final = 5
"""Configuration problems named above the settings."""

WIDENED_SETTINGS_NAMED: Final = 3
"""Widened settings named for a project's own file; the page lists all."""

# Our own file, with every text, has less than a tenth of it.
TRANSLATION_BYTES: Final = 4 * 1024 * 1024
"""Largest translation file of the window."""

SANDBOX_SHOWN_BYTES: Final = 64 * 1024
"""Newest part of 50 ms of output that the window shows."""

TRIALS_SHOWN_UP_TO: Final = 3
"""Newest `try` outcomes that the window shows with a plan."""

SHOWN_OUTPUT_LINES_UP_TO: Final = 10_000
"""Newest output lines of a command that the window shows."""

RECENT_COMMANDS_UP_TO: Final = 20
"""Recent commands, and programs with their arguments, remembered."""
