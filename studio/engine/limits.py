"""Every size, length and time limit, each with its default and why.

`*_BYTES` count bytes, `*_SECONDS` seconds, `*_UP_TO` a number of the things named. What a user may set
(contract 8, `limits:`) is marked so; the rest is fixed.
"""

from __future__ import annotations

from typing import Final

SEGMENT_BYTES: Final = 255
"""Longest name of a file or folder, in UTF-8 bytes: what Linux, macOS and NTFS take (C8). Can be set."""

PATH_DEPTH: Final = 64
"""Most segments of a proposed path; no real project comes near it (C8). Can be set."""

PATH_BYTES: Final = 4095
"""Longest relative path in UTF-8 bytes: PATH_MAX without its final zero (Q60)."""

FILE_BYTES: Final = 10 * 1024 * 1024
"""Largest file that a plan may read or write (R36, 10 MiB). Can be set."""

STEPS_UP_TO: Final = 1000
"""Most steps of one plan, a folder delete counted in files (R36). Can be set."""

SUBMISSION_BYTES: Final = 64 * 1024 * 1024
"""Largest text of one submission: six files of the largest size fit, a bomb does not."""

UNPACKED_BYTES: Final = 256 * 1024 * 1024
"""Most bytes that the binary patches of one plan unpack to, blocks and results: four submissions full of
them, and no bomb."""

HUNKS_UP_TO: Final = 100_000
"""Most hunks that one plan's text may hold; nobody reads a thousandth of them (contract 8). Can be set."""

# One wrong diff of 100,000 hunks took 183 s to be judged, and made a reply of 39 MB.
STEP_PROBLEMS_UP_TO: Final = 100
"""Most problems kept of one step; those behind them are counted, and not made."""

PLAN_PROBLEMS_UP_TO: Final = 1000
"""Most problems kept of one text, or of all steps of a plan together (beyond one for each step); more helps
nobody to mend it, and everybody who lists plans would carry them along."""

STEP_FACTS_UP_TO: Final = 100
"""Most facts kept of one step; those behind them are counted."""

PLAN_FACTS_UP_TO: Final = 10_000
"""Most facts kept of all steps of a plan together, beyond the first of every kind of each step."""

FACT_KINDS_UP_TO: Final = 50
"""More kinds of fact than there are."""

PROBLEM_CHARACTERS: Final = 2000
"""Longest sentence of a problem or fact: a name in it may be as long as a path; the rest is cut."""

LISTED_PROBLEMS_UP_TO: Final = 10
"""Problems of one step, or of none, that a list of plans prints; the plan itself shows the others."""

LISTED_HUNKS_UP_TO: Final = 100
"""Hunks of one step that a list of plans prints; the plan itself shows the others."""

CLOSED_PLANS_UP_TO: Final = 200
"""Most refused, withdrawn and failed plans that the window reads, the newest ones."""

TITLE_CHARACTERS: Final = 200
"""Longest title of a plan; the queue shows one line of it, the rest is cut."""

AGENT_CHARACTERS: Final = 80
"""Longest name of an agent; the rest is cut."""

SESSION_NAME_CHARACTERS: Final = 200
"""Longest name that an agent gives its session; the rest is cut."""

REASON_CHARACTERS: Final = 4000
"""Longest reason of a step; the rest is cut."""

EDITS_UP_TO: Final = 1000
"""Most edits (old, new) of one step of a plan; each costs one search through the file."""

CONFIGURATION_BYTES: Final = 64 * 1024
"""Largest configuration file; a hand writes a few hundred lines, and reading this much takes a second."""

CONFIGURATION_DEPTH: Final = 32
"""Deepest nesting of a configuration file; the known keys need three levels."""

PATTERN_CHARACTERS: Final = 1024
"""Longest pattern of a file rule."""

PATTERNS_UP_TO: Final = 2000
"""Most patterns of one list of file rules."""

DIFF_IN_PROCESS_BYTES: Final = 256 * 1024
"""Most bytes of both sides that are compared where they are; more would hold up the window for a frame."""

DIFF_SECONDS: Final = 10.0
"""How long a comparison may look for the smallest difference; 10 MiB of ordinary text take a second."""

DIFF_SHOWN_BYTES: Final = 10 * 1024 * 1024
"""Largest side of a diff that the window shows whole (Q17); as large as the largest file of a plan."""

DIFF_LINE_SLICE_BYTES: Final = 10_000
"""Longest part of one line that is laid out at once; longer lines are shown in slices (design 8)."""

EDITOR_BYTES: Final = 2 * 1024 * 1024
"""Largest file that Edit result shows whole; of larger ones the hunk and its surroundings (design 8)."""

LOCK_TIMEOUT_SECONDS: Final = 5.0
"""How long a call waits for the project's writer lock or for a locked target (C40)."""

# Measured: 10 files take 6 ms one by one and 10 ms with their file system, 200 files 48 ms and 22 ms.
FLUSH_EACH_UP_TO: Final = 8
"""Files of one plan that are flushed one by one; more are flushed with their file system (design 5)."""

BLOB_INLINE_UP_TO: Final = 256 * 1024
"""Largest content in bytes that lies in the database; larger ones lie beside it (design 7)."""

BLOB_TRANSACTION_BYTES: Final = 8 * 1024 * 1024
"""Most content that one transaction writes, so that no other writer waits for content (design 5)."""

KEPT_CONTENT_BYTES: Final = 32 * 1024 * 1024
"""Most bytes of results that an apply keeps in memory from checking them to writing them."""

STORE_BUSY_SECONDS: Final = 5.0
"""How long a statement waits for another process that writes to the store; as long as for a lock (C40)."""

STORE_CHECK_UP_TO: Final = 64 * 1024 * 1024
"""Largest store in bytes that is checked whole when it is opened; a larger one only in part."""

APPROVAL_MINUTES: Final = 0
"""Minutes for which an approval counts; 0: until something changes, for people come back after lunch (C49).
Can be set."""

APPROVAL_MINUTES_UP_TO: Final = 240
"""Most minutes to which that may be set (C49)."""

RETENTION_PLANS: Final = 10
"""Newest plans whose undo is kept whatever their age (R152, design 7). Can be set."""

RETENTION_DAYS: Final = 7
"""Days for which every plan's undo is kept (design 7). Can be set."""

RETENTION_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes that kept undo may take; at the cap the oldest goes first (Q27). Can be set."""

DISK_SPARE_BYTES: Final = 64 * 1024
"""What an apply leaves free on a disk: room for the names and blocks that its files need besides."""

WAIT_POLL_SECONDS: Final = 0.25
"""How often a waiting command looks at the store without being rung (design 7)."""

WINDOW_POLL_SECONDS: Final = 2.0
"""How often the window looks at the store without being rung (design 7)."""

CANCEL_LOOK_SECONDS: Final = 0.05
"""How soon a wait that is rung by a bell sees that it was cancelled."""

SOCKET_PATH_BYTES: Final = 100
"""Longest path of the bell's socket: systems allow 104 to 108 bytes with the final zero."""

BELL_MESSAGE_BYTES: Final = 8192
"""Longest message of the bell: a word and a path."""

WATCH_COALESCE_SECONDS: Final = 0.1
"""How long changes on disk are gathered before they are told on."""

LOG_BYTES: Final = 1024 * 1024
"""Size at which the log file is put aside and a new one begun."""

LOG_FILES: Final = 3
"""Log files kept besides the current one."""

EXPORT_BYTES: Final = 4 * 1024 * 1024 * 1024
"""Largest export of a journal that is read: the contents of all undo that is kept by default, unpacked."""

EXPORT_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line of it: two contents of the largest size in base64, and an entry."""

EXPORT_CONTENT_BYTES: Final = 23 * 1024 * 1024
"""Largest content that a line of an export carries; larger ones stay in the store."""

EXPORT_CONTENTS_UP_TO: Final = 1_000_000
"""Most contents of one export that a replay looks up; where each lies takes some 200 bytes of memory."""

JOURNAL_BATCH_UP_TO: Final = 1000
"""Most entries that are read from a journal at once."""

READS_AT_ONCE_UP_TO: Final = 200
"""Most reads of a session that are gathered before they are written into the journal."""

READS_KEPT_SECONDS: Final = 2.0
"""How long the first of them waits for that, at the next read."""

JOURNAL_POLL_SECONDS: Final = 0.05
"""How often who follows a journal looks whether another process has written."""

CHUNK_SILENCE_SECONDS: Final = 30.0
"""How long the next chunk of a write may take before it is given up (C32)."""
