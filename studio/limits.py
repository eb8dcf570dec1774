"""All size, length and time limits, each with its default and reason.

`*_BYTES` are in bytes, `*_SECONDS` in seconds, `*_UP_TO` a number of the things named. "Can be set" marks
what a user may set under `limits:` of the configuration; the rest is fixed.
"""

from __future__ import annotations

from typing import Final

# Linux, macOS and NTFS allow as much.
SEGMENT_BYTES: Final = 255
"""Longest file or folder name, in UTF-8 bytes. Can be set."""

# No real project comes near it.
PATH_DEPTH: Final = 64
"""Most segments of a proposed path. Can be set."""

PATH_BYTES: Final = 4095
"""Longest relative path in UTF-8 bytes: PATH_MAX without its final zero."""

# The window shows a diff of two such files whole.
FILE_BYTES: Final = 10 * 1024 * 1024
"""Largest file that a plan may read or write. Can be set."""

# A folder delete counts as many steps as it has files.
STEPS_UP_TO: Final = 1000
"""Most steps of one plan. Can be set."""

# Four full submissions fit, a decompression bomb does not.
UNPACKED_BYTES: Final = 256 * 1024 * 1024
"""Most unpacked bytes of a plan's binary patches, blocks and results."""

OWN_STEPS_UP_TO: Final = 20_000
"""Most steps of a plan generated from a folder, snapshot or command."""

TREE_BYTES: Final = 256 * 1024 * 1024
"""Most bytes of a plan made from a folder."""

# A million files in one folder took 18 s and 230 MiB before their plan was refused; this many take 2 s.
TREE_ENTRIES_UP_TO: Final = 200_000
"""Most entries of a proposed folder beyond the project's, ignored ones included."""

# No one reads a thousandth of this many.
HUNKS_UP_TO: Final = 100_000
"""Most hunks of one plan's text. Can be set."""

# An invalid diff of 100,000 hunks took 183 s to check, and made a reply of 39 MB.
STEP_PROBLEMS_UP_TO: Final = 100
"""Most problems stored of one step; further ones are only counted."""

# In addition to the first problem of each step of a plan.
PLAN_PROBLEMS_UP_TO: Final = 1000
"""Most problems stored of one text or plan."""

STEP_FACTS_UP_TO: Final = 100
"""Most facts stored of one step; further ones are counted."""

# In addition to the first of every kind of each step.
PLAN_FACTS_UP_TO: Final = 10_000
"""Most facts stored of all steps of a plan together."""

FACT_KINDS_UP_TO: Final = 50
"""Upper bound of the number of fact kinds."""

# A name in a message may be as long as a path.
PROBLEM_CHARACTERS: Final = 2000
"""Longest message of a problem or fact; the rest is cut."""

CLOSED_PLANS_UP_TO: Final = 200
"""Most refused, withdrawn and failed plans that the window reads, newest first."""

TITLE_CHARACTERS: Final = 200
"""Longest plan title; the rest is cut."""

AGENT_CHARACTERS: Final = 80
"""Longest agent name; the rest is cut."""

SESSION_NAME_CHARACTERS: Final = 200
"""Longest session name given by an agent; the rest is cut."""

MESSAGE_CHARACTERS: Final = 20_000
"""Longest message of an agent about its changes; cuts are marked."""

# A handwritten file has a few hundred lines; to parse this much takes a second.
CONFIGURATION_BYTES: Final = 64 * 1024
"""Largest configuration file."""

# One client stores its history in its configuration file.
HOME_FILE_BYTES: Final = 32 * 1024 * 1024
"""Largest configuration file of an agent that we edit."""

CONFIGURATION_DEPTH: Final = 32
"""Deepest nesting of a configuration file; the known keys need three levels."""

PATTERN_CHARACTERS: Final = 1024
"""Longest pattern of a file rule."""

PATTERNS_UP_TO: Final = 2000
"""Most patterns of one list of file rules."""

# More would block the window for a frame.
DIFF_IN_PROCESS_BYTES: Final = 256 * 1024
"""Most bytes of both sides to compare in this process."""

# 10 MiB of ordinary text take a second.
DIFF_SECONDS: Final = 10.0
"""Time to search for the smallest difference."""

# Of larger files it shows the hunk with the lines around it.
EDITOR_BYTES: Final = 2 * 1024 * 1024
"""Largest file that Edit result shows whole."""

LOCK_TIMEOUT_SECONDS: Final = 5.0
"""Timeout for the project's writer lock or a locked target."""

# Measured: 10 files take 6 ms one by one and 10 ms with their file system, 200 files 48 ms and 22 ms.
FLUSH_EACH_UP_TO: Final = 8
"""Most files of a plan flushed singly, not with their file system."""

# Larger contents are files beside the database.
BLOB_INLINE_UP_TO: Final = 256 * 1024
"""Largest content in bytes that is stored in the database."""

BLOB_TRANSACTION_BYTES: Final = 8 * 1024 * 1024
"""Most content bytes of one transaction, so other writers wait briefly."""

KEPT_CONTENT_BYTES: Final = 32 * 1024 * 1024
"""Most result bytes cached from an apply's check to its write."""

# As long as for the writer lock.
STORE_BUSY_SECONDS: Final = 5.0
"""Timeout of a statement while another process writes to the store."""

# A larger store is checked in part.
STORE_CHECK_UP_TO: Final = 64 * 1024 * 1024
"""Largest store in bytes that is fully checked when opened."""

# No limit by default, because people come back after lunch; an approval then is valid until something
# changes.
APPROVAL_MINUTES: Final = 0
"""Minutes an approval is valid, 0 for no limit. Can be set."""

APPROVAL_MINUTES_UP_TO: Final = 240
"""Most minutes to which the validity of approvals may be set."""

RETENTION_PLANS: Final = 10
"""Newest plans whose undo is kept whatever their age. Can be set."""

RETENTION_DAYS: Final = 7
"""Days for which every plan's undo is kept. Can be set."""

RETENTION_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes of kept undo; the oldest goes first. Can be set."""

# Names and blocks of the files that an apply writes need them.
DISK_SPARE_BYTES: Final = 64 * 1024
"""Free bytes that an apply leaves on a disk."""

WAIT_POLL_SECONDS: Final = 0.25
"""Poll interval of a waiting command, besides notifications."""

CANCEL_LOOK_SECONDS: Final = 0.05
"""Delay until a wait for notifications sees that it was cancelled."""

# Systems allow 104 to 108 bytes with the final zero.
SOCKET_PATH_BYTES: Final = 100
"""Longest path of a notify socket."""

BELL_MESSAGE_BYTES: Final = 8192
"""Longest message on a notify socket: a word and a path."""

LOG_BYTES: Final = 1024 * 1024
"""Size at which the log file is archived."""

LOG_FILES: Final = 3
"""Log files kept besides the current one."""

# The contents of all undo kept by default fit, unpacked.
EXPORT_BYTES: Final = 4 * 1024 * 1024 * 1024
"""Largest journal export that is read."""

# Two contents of the largest size in base64, and an entry, fit.
EXPORT_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line of an export."""

EXPORT_CONTENT_BYTES: Final = 23 * 1024 * 1024
"""Largest content in an export line; larger ones stay in store."""

# Each content takes some 200 bytes of memory.
EXPORT_CONTENTS_UP_TO: Final = 1_000_000
"""Most contents of one export that a replay indexes."""

JOURNAL_BATCH_UP_TO: Final = 1000
"""Most entries that are read from a journal at once."""

READS_AT_ONCE_UP_TO: Final = 200
"""Most reads of a session in one batch of journal entries."""

READS_KEPT_SECONDS: Final = 2.0
"""Longest delay of a batch of recorded reads, checked at reads."""

JOURNAL_FLUSH_ENTRIES: Final = 100
"""Entries after which a journal file is flushed to disk by default."""

JOURNAL_POLL_SECONDS: Final = 0.05
"""Poll interval of a journal's followers for writes by other processes."""

CHUNK_SILENCE_SECONDS: Final = 30.0
"""Timeout for the next chunk of a write."""

SHOWN_NAME_CHARACTERS: Final = 160
"""Longest name in a message; longer ones lose their middle."""

REFUSED_NAME_CHARACTERS: Final = 200
"""Longest name stored of a refused step; the rest is cut."""

NAMED_FILES_UP_TO: Final = 5
"""Files named in a message about several of them."""

# As many as Linux follows before ELOOP.
LINKS_UP_TO: Final = 40
"""Most links followed on one path."""

# MAX_PATH without its final zero.
WINDOWS_PATH_UNITS: Final = 259
"""Longest path for any Windows program, in UTF-16 units."""

FACT_PATH_UNITS: Final = 200
"""UTF-16 units from which a whole path is near the Windows limit."""

# Twice the largest lock file of a monorepo; TOML of this size is read in seconds.
LOCK_FILE_BYTES: Final = 4 * 1024 * 1024
"""Largest lock file of which the changed packages are counted."""

GIT_CONFIG_BYTES: Final = 1024 * 1024
"""Largest git configuration file read; git's own are far smaller."""

GIT_CONFIGS_BYTES: Final = 4 * GIT_CONFIG_BYTES
"""Most bytes read of all configuration files together, in about a second."""

GIT_CONFIGS_UP_TO: Final = 50
"""Most configuration files of git, followed through includes."""

# A generated list of far more took half a minute at each check.
GIT_PLACES_UP_TO: Final = 2000
"""Most files that git's configuration may name."""

GIT_COMMAND_FOLDERS_UP_TO: Final = 4
"""Most folders into which one git command is followed."""

# 50,000 files take a fraction of a second.
GIT_DATA_SECONDS: Final = 5.0
"""Timeout for reading the user's git data."""

FACT_PLACES_UP_TO: Final = 20
"""Reported places of a fact kind in a file; others counted."""

FACT_PLACES_COUNTED: Final = 10_000
"""Most places counted; no one reviews more by hand."""

# The far end of a long line is easily missed.
LONG_LINE_CHARACTERS: Final = 10_000
"""Length from which a line is shown in slices, with a fact."""

FACT_FILE_BYTES: Final = 1024 * 1024
"""File size from which a fact reports it."""

FACT_CHANGED_LINES: Final = 2000
"""Changed lines from which a fact reports that they are many."""

MISMATCHES_UP_TO: Final = 2
"""Mismatches in a row after which a matching change gets a fact."""

EXCERPT_LINES: Final = 10
"""Lines shown before and after each place of a mismatch."""

EXCERPTS_UP_TO: Final = 5
"""Most places of mismatches, and problems, in a reply to an agent."""

EXCERPT_LINE_CHARACTERS: Final = 300
"""Longest excerpt line; the rest is cut."""

NEAREST_LINES_UP_TO: Final = 200
"""Lines of an edit's old text used to find the nearest place."""

# Each search of a text counts.
REPAIR_BYTES: Final = 128 * 1024 * 1024
"""Search budget for repairs of one plan, in bytes of file text."""

OTHER_PLACES_UP_TO: Final = 10
"""Other places listed for a hunk that does not match where stated."""

QUOTED_CHARACTERS: Final = 120
"""Characters of a line quoted in a message; Mismatch has all."""

NAMED_LINES_UP_TO: Final = 10
"""Lines named in the message about several entries for one path."""

# More would take longer than a second.
SECOND_READER_BYTES: Final = 4 * 1024 * 1024
"""Largest text for the second reader; a fact reports skipping it."""

SECOND_READER_CHARACTERS: Final = 200
"""Characters quoted of the second reader's message."""

PREFIX_CHARACTERS: Final = 4
"""Shortest prefix of a plan's id that is accepted."""

EDITOR_LINES_AROUND: Final = 2000
"""Lines before and after the current one for editing a larger file."""

# Measured: to wrap a line without blanks takes Qt's text editor 0.4 s for 100 kB, 5 s for 400 kB.
EDITOR_LINE_CHARACTERS: Final = 20_000
"""Longest editable line; an editor lays out lines as a whole."""

GLOB_ALTERNATIVES_UP_TO: Final = 256
"""Most patterns that the braces of one may expand to."""

SEARCH_EXPRESSION_CHARACTERS: Final = 4096
"""Longest regular expression of a search."""

SEARCH_NESTED_UP_TO: Final = 50
"""Deepest nesting of groups in a search expression."""

SEARCH_REPEATS_UP_TO: Final = 1000
"""Most repetitions of a part of a search expression."""

SEARCH_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest searchable line of a file."""

SEARCH_WHOLE_BYTES: Final = 32 * 1024 * 1024
"""Largest file searched in memory as a whole, unless on disk."""

# An expression such as (a+)+b takes practically forever, and nothing but the end of its process stops
# Python's matcher. A harmless one takes milliseconds.
SEARCH_SECONDS: Final = 10.0
"""Timeout of an expression for one file, or a large one's part."""

PRINTED_ENTRIES_UP_TO: Final = 200
"""Newest journal entries that the command line lists."""

# Excluded are paths that git ignores or a rule denies.
LEFT_OUT_NAMED_UP_TO: Final = 1000
"""Excluded paths of a folder that are named."""

ROLLED_BACK_NAMES_UP_TO: Final = 1000
"""Names tried for the copy beside a file that changed."""

FILESYSTEM_READ_BYTES: Final = 32 * 1024 * 1024
"""Most bytes returned by one read of a file tool."""

FILESYSTEM_WRITE_CHARACTERS: Final = 32 * 1024 * 1024
"""Most characters accepted by one write of a file tool."""

FILESYSTEM_WRITE_BYTES: Final = 32 * 1024 * 1024
"""Most bytes accepted by one write of a file tool."""

FILESYSTEM_MATCHES_UP_TO: Final = 1000
"""Matches returned by a file tool's search without its own limit."""

TOOL_FILES_UP_TO: Final = STEPS_UP_TO
"""Most items of a file tool's listing or bulk. Can be set."""

# The number carried out can be set, and is far less.
TOOL_OPERATIONS_UP_TO: Final = 20_000
"""Most operations that one bulk may list."""

BACKUP_NAMES_UP_TO: Final = 1000
"""Names tried for the copy beside a file that a tool replaces."""

PAIRED_LINES_UP_TO: Final = 40_000
"""Most line pairs compared for one diff; later changes pair in order."""

# The lines of a larger change pair in order.
PAIRED_IN_CHANGE_UP_TO: Final = 2_500
"""Most line pairs of one change, 50 old and 50 new ones."""

WORD_MARKED_CHARACTERS: Final = 2000
"""Longest line compared word by word; of longer ones only the middle."""

# Without the final zero.
WINDOWS_LONG_PATH_UNITS: Final = 32_766
"""Longest path with the long-path prefix, in UTF-16 units."""

WINDOWS_NAME_UNITS: Final = 255
"""Longest name on NTFS, in UTF-16 units."""

# Requests of agents, and replies to them.

CALL_CHARACTERS: Final = 100_000
"""Longest command, or tool arguments, that an agent may ask to run."""

CALLS_KEPT_UP_TO: Final = 1_000
"""Ended tool calls that are kept, the newest."""

SESSION_EVENTS_UP_TO: Final = 20_000
"""Events kept of a session, the newest."""

EVENT_CHARACTERS: Final = 100_000
"""Longest text of one event of a session; the rest is cut."""

EVENT_ITEMS_UP_TO: Final = 200
"""Most list items in an event, such as paths; others are cut."""

EVENTS_AT_ONCE: Final = 500
"""Events of a session that are read at once."""

# Error reports.

# Watching a project, observed changes, and snapshots.

WATCH_COALESCE_SECONDS: Final = 0.05
"""Time for which changes on disk are collected before they are reported."""

WATCH_POLL_SECONDS: Final = 5.0
"""Scan interval for unwatched parts, and for the project's folder itself."""

# No watcher sees a change through a hard link in another folder, or a disk that was mounted.
WATCH_RESCAN_SECONDS: Final = 300.0
"""Scan interval for everything, watched or not."""

WATCH_PATHS_UP_TO: Final = 10_000
"""Most changed paths collected; more are reported as folders or everything."""

OBSERVED_CLOSED_UP_TO: Final = 2000
"""Decided observed changes that are kept, the newest."""

GROUPED_FROM: Final = 10
"""Changes seen together from which they are one named row."""

GROUPED_SECONDS: Final = 3.0
"""Longest pause within a burst."""

HINT_SECONDS: Final = 60.0
"""Age up to which an allowed command or write is a hint."""

HINTED_WORDS_UP_TO: Final = 80
"""Characters of a command in a hint beside a change."""

REVIEW_SECONDS: Final = 60.0
"""Time limit of one question to git that a review asks."""

GIT_SECONDS: Final = 60.0
"""Age of changes that may be attributed to a git operation."""

OBSERVED_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes of snapshots and the baseline. Can be set."""

OBJECTS_COUNTED_SECONDS: Final = 60.0
"""Time for which the size of this process's snapshots is cached."""

HASHES_KEPT_AFTER_FILES: Final = 1_000
"""Files read after which their hashes are saved for other processes."""

NAMED_LOSSES_UP_TO: Final = 3
"""Paths named whose baseline bytes are gone; others are counted."""

SNAPSHOT_LOCK_SECONDS: Final = 120.0
"""Timeout for another process's snapshot or scan."""

SNAPSHOT_TAG_CHARACTERS: Final = 200
"""Longest tag of a snapshot."""

# Reading a project: authors of lines, and search.

# Older authors are unknown.
BLAMED_STEPS_UP_TO: Final = 2_000
"""Steps of a file followed back for the authors of its lines."""

BLAMED_SECONDS: Final = 10.0
"""Time limit for finding the authors of lines; older ones are unknown."""

LISTED_CHANGES_UP_TO: Final = 500
"""Plans listed beside a file that they wrote."""

PRECEDENTS_UP_TO: Final = 5_000
"""Newest decisions counted as precedents for such files."""

SEARCH_HITS_UP_TO: Final = 2_000
"""Lines at which a search through plans and project ends."""

SEARCH_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Bytes of plans searched before the first results are reported."""

SEARCH_KEPT_BYTES: Final = 16 * 1024 * 1024
"""Contents of plans kept in memory for the next letter of a search."""

LISTED_ENTRIES_UP_TO: Final = 2_000
"""Entries of a folder shown to a person; more are only mentioned."""

MOVED_BYTES_UP_TO: Final = 64 * 1024 * 1024
"""Bytes of a plan's files up to which moved code is detected."""

MOVED_PLACES_UP_TO: Final = 50
"""Most places of a removed line that may begin a moved block."""

TOUCHED_FILES_UP_TO: Final = 500
"""Files listed that a rule would affect; all are counted."""

OPENED_FILES_UP_TO: Final = 5_000
"""Files listed that an allowed folder would open; all are counted."""

# The search can be asked to continue.
JOURNAL_SEARCHED_AT_ONCE: Final = 20_000
"""Journal entries that one search reads before it answers."""

JOURNAL_FOUND_AT_ONCE: Final = 200
"""Matching entries at which one search of the journal stops."""

GIT_FOLDERS_UP_TO: Final = 100_000
"""Most bin or packages folders of a commit for opening any."""

# Commands in the sandbox.

SANDBOX_SECONDS: Final = 600.0
"""Default time limit of a command."""

SANDBOX_WATCHED_SECONDS: Final = 24 * 60 * 60.0
"""Time limit of a command that a person started and can stop."""

SANDBOX_OUTPUT_BYTES: Final = 1024 * 1024
"""Kept output of a command, half from each end."""

SANDBOX_PRIVATE_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes in a command's own home and temporary folders, in memory."""

SANDBOX_PRIVATE_FILES_UP_TO: Final = 200_000
"""Most files and folders in a command's home and temporary folders."""

# A sparse file of a terabyte fills the disk of the process that copies it.
SANDBOX_FILE_BYTES: Final = 4 * 1024 * 1024 * 1024
"""Largest file that a command may write."""

SANDBOX_LOGIN_BYTES: Final = 16 * 1024 * 1024
"""Largest login file that is copied for a command."""

SANDBOX_MEMORY_SHARE: Final = 0.75
"""Share of the machine's memory for a command's processes, where limitable."""

# Builds on large machines take hundreds.
SANDBOX_PROCESSES_UP_TO: Final = 4096
"""Most processes and threads of one command."""

SANDBOX_OPEN_FILES_UP_TO: Final = 16_384
"""Most open files of one process of a command."""

# Measured on the disk with the command's changes.
SANDBOX_DISK_SPARE_BYTES: Final = 512 * 1024 * 1024
"""Free disk bytes below which a command is ended."""

SANDBOX_DISK_SPARE_FILES: Final = 10_000
"""Free inodes below which a command is ended."""

SANDBOX_START_SECONDS: Final = 20.0
"""Timeout for preparing a command's view of the machine."""

SANDBOX_END_SECONDS: Final = 10.0
"""Timeout for ending all processes of a command."""

SANDBOX_LOOK_SECONDS: Final = 0.05
"""Poll interval for cancellation, timeout and a full disk."""

SANDBOX_STOP_SECONDS: Final = 30.0
"""Time that an apply waits for running commands, and they for it."""

TRIALS_UP_TO: Final = 10
"""Outcomes of `try` kept with one plan."""

TRIAL_OUTPUT_BYTES: Final = 64 * 1024
"""Output kept of a `try` command."""

TRIAL_TESTS_UP_TO: Final = 5
"""Tests named that a plan itself changes, beside a `try` outcome."""
