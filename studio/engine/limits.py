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
"""Largest file that a plan may read or write (R36, 10 MiB); the window shows a diff of two such
files whole (Q17). Can be set."""

STEPS_UP_TO: Final = 1000
"""Most steps of one plan, a folder delete counted in files (R36). Can be set."""

SUBMISSION_BYTES: Final = 64 * 1024 * 1024
"""Largest text of one submission: six files of the largest size fit, a bomb does not."""

UNPACKED_BYTES: Final = 256 * 1024 * 1024
"""Most bytes that a plan's binary patches unpack to, blocks and results: four full submissions, no bomb."""

OWN_STEPS_UP_TO: Final = 20_000
"""Steps of one plan that studio itself makes of a folder, a snapshot or a command."""

TREE_BYTES: Final = 256 * 1024 * 1024
"""Bytes that one plan made of a folder may bring."""

# A million files in one folder took 18 s and 230 MiB before their plan was refused; so many take 2 s.
TREE_ENTRIES_UP_TO: Final = 200_000
"""Entries that a folder which is made a plan may have beyond those of the project, ignored ones too."""

HUNKS_UP_TO: Final = 100_000
"""Most hunks that one plan's text may hold; nobody reads a thousandth of them (contract 8). Can be set."""

# One wrong diff of 100,000 hunks took 183 s to be judged, and made a reply of 39 MB.
STEP_PROBLEMS_UP_TO: Final = 100
"""Most problems kept of one step; those behind them are counted, and not made."""

PLAN_PROBLEMS_UP_TO: Final = 1000
"""Most problems kept of one text, or of all steps of a plan beyond one for each; more helps nobody."""

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

ASKED_LINES_UP_TO: Final = 200
"""Longest command that is asked about at a terminal, in lines of the question."""

MESSAGE_CHARACTERS: Final = 20_000
"""Of what an agent says around its changes; the rest is cut off, and that is said."""

REASON_CHARACTERS: Final = 4000
"""Longest reason of a step; the rest is cut."""

EDITS_UP_TO: Final = 1000
"""Most edits (old, new) of one step of a plan; each costs one search through the file."""

CONFIGURATION_BYTES: Final = 64 * 1024
"""Largest configuration file; a hand writes a few hundred lines, and reading this much takes a second."""

HOME_FILE_BYTES: Final = 32 * 1024 * 1024
"""Largest file of an agent that an entry is put into; one client keeps its history in such a file."""

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

WINDOW_POLL_SECONDS: Final = 0.8
"""How often the window looks at the store without being rung (design 7)."""

CANCEL_LOOK_SECONDS: Final = 0.05
"""How soon a wait that is rung by a bell sees that it was cancelled."""

SOCKET_PATH_BYTES: Final = 100
"""Longest path of the bell's socket: systems allow 104 to 108 bytes with the final zero."""

BELL_MESSAGE_BYTES: Final = 8192
"""Longest message of the bell: a word and a path."""

INBOX_LOOK_SECONDS: Final = 1.0
"""How often the inbox is looked at; what stayed as it was from one look to the next is written to the end."""

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

JOURNAL_FLUSH_ENTRIES: Final = 100
"""With every so many entries a journal in a file is flushed to the disk, unless it is told otherwise."""

JOURNAL_POLL_SECONDS: Final = 0.05
"""How often who follows a journal looks whether another process has written."""

CHUNK_SILENCE_SECONDS: Final = 30.0
"""How long the next chunk of a write may take before it is given up (C32)."""

SHOWN_REPLY_CHARACTERS: Final = 20_000
"""Characters that the preview of a pasted text shows of the agent's answer; a label of 600,000 held the
window for 2.5 s. Copy takes all of it."""

SHOWN_NAME_CHARACTERS: Final = 160
"""Longest name in a sentence; of a longer one the middle is left out."""

REFUSED_NAME_CHARACTERS: Final = 200
"""Longest name kept of a refused step; the rest is cut."""

NAMED_FILES_UP_TO: Final = 5
"""Files that a sentence about several of them names."""

# As many as Linux follows before it answers ELOOP.
LINKS_UP_TO: Final = 40
"""Most links of one path that are followed, as the system itself does."""

WINDOWS_PATH_UNITS: Final = 259
"""Most UTF-16 units of a path that every Windows program takes: MAX_PATH without its final zero (Q60)."""

FACT_PATH_UNITS: Final = 200
"""UTF-16 units of a whole path from which on it comes near what Windows takes (R28)."""

GIT_CONFIG_BYTES: Final = 1024 * 1024
"""Largest git configuration read; git's own files are far smaller."""

GIT_CONFIGS_BYTES: Final = 4 * GIT_CONFIG_BYTES
"""Most that is read of all of them together; a second goes by for it."""

GIT_CONFIGS_UP_TO: Final = 50
"""Most configuration files of git that are followed through includes."""

# A list made for it, of far more, took half a minute at each check.
GIT_PLACES_UP_TO: Final = 2000
"""Most files that git's configuration may name."""

GIT_COMMAND_FOLDERS_UP_TO: Final = 4
"""Most folders that one command in it is followed into."""

GIT_DATA_SECONDS: Final = 5.0
"""How long reading the user's git data may take; 50,000 files take a fraction of a second."""

FACT_PLACES_UP_TO: Final = 20
"""Places of one kind of fact in a file; more help nobody, the last fact counts the rest."""

FACT_PLACES_COUNTED: Final = 10_000
"""Where the counting of them ends: what has more is not reviewed by hand."""

LONG_LINE_CHARACTERS: Final = 10_000
"""From here on a line is shown in slices, its far end is easily missed, and a fact says so."""

FACT_FILE_BYTES: Final = 1024 * 1024
"""From here on a fact tells a reviewer how large the file is."""

FACT_CHANGED_LINES: Final = 2000
"""More changed lines than anybody reads in one go; a fact says so."""

MISMATCHES_UP_TO: Final = 2
"""Changes of one path in a row that did not match, after which one that fits carries a fact (R142)."""

EXCERPT_LINES: Final = 10
"""Lines shown before and after each place at which a diff did not match."""

EXCERPTS_UP_TO: Final = 5
"""Such places, and problems, that an agent is shown."""

EXCERPT_LINE_CHARACTERS: Final = 300
"""Longest line in them; the rest is cut."""

NEAREST_LINES_UP_TO: Final = 200
"""Lines of an edit's old text that are looked for, to find the place that is nearest to it."""

REPAIRED_TEXT_BYTES: Final = 4 * 1024 * 1024
"""Largest diff that can't be read for which a repair is looked for."""

REPAIR_BYTES: Final = 128 * 1024 * 1024
"""How much text of files is looked through for repairs of one plan; each look at a text counts."""

OTHER_PLACES_UP_TO: Final = 10
"""Other places listed for a hunk that does not match where it says."""

QUOTED_CHARACTERS: Final = 120
"""How much of a line a message quotes; the whole line is in the Mismatch."""

NAMED_REPAIRS_UP_TO: Final = 3
"""Different repairs that the window names for one text; the rest is counted."""

NAMED_LINES_UP_TO: Final = 10
"""Lines that the sentence about several entries for one path names."""

SECOND_READER_BYTES: Final = 4 * 1024 * 1024
"""Above this size the second reader would cost more than a second; a fact says that it did not read."""

SECOND_READER_CHARACTERS: Final = 200
"""How much of what the second reader says is quoted."""

JSON_DEPTH: Final = 32
"""Deepest nesting of JSON that is read; a plan needs five levels."""

PREFIX_CHARACTERS: Final = 4
"""Shortest beginning of a plan's id that names it (contract 3)."""

EDITOR_LINES_AROUND: Final = 2000
"""Lines before and behind the current one that are edited of a larger file."""

# Measured: to wrap a line without blanks takes Qt's text editor 0.4 s for 100 kB, 5 s for 400 kB.
EDITOR_LINE_CHARACTERS: Final = 20_000
"""Longest line of them; an editor lays a line out as a whole, and a longer one would hold it up."""

GLOB_ALTERNATIVES_UP_TO: Final = 256
"""Most patterns that the braces of one may stand for."""

SEARCH_EXPRESSION_CHARACTERS: Final = 4096
"""Longest regular expression of a search."""

SEARCH_NESTED_UP_TO: Final = 50
"""Deepest nesting of groups in it."""

SEARCH_REPEATS_UP_TO: Final = 1000
"""Most times that it may repeat a part."""

SEARCH_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line of a file that is still searched."""

SEARCH_WHOLE_BYTES: Final = 32 * 1024 * 1024
"""The largest file that is held as a whole to be searched, unless it lies on disk."""

# An expression such as (a+)+b takes longer than anybody lives,
# and nothing but the end of its process stops Python's matcher.
SEARCH_SECONDS: Final = 10.0
"""How long an expression may take over one file, or one part of a large one; an honest one takes
milliseconds."""

ASKED_FILES_UP_TO: Final = 10
"""Files that a question at the terminal names."""

ASKED_DANGERS_UP_TO: Final = 20
"""Dangers and warnings that it names."""

ASKED_SETTINGS_UP_TO: Final = 20
"""Settings that the question about trust names."""

PRINTED_FILES_UP_TO: Final = 20
"""Files of a rollback that the command line prints one by one."""

PRINTED_GOING_UP_TO: Final = 5
"""Plans whose undo goes that the command line names."""

PRINTED_ENTRIES_UP_TO: Final = 200
"""How many of the newest entries of the journal the command line lists."""

SHOWN_PROBLEMS_UP_TO: Final = 10
"""Problems of a plan, or of a step, that the window shows; more are counted: nobody reads a thousand."""

LEFT_OUT_NAMED_UP_TO: Final = 1000
"""Of what is left out of a folder, because git ignores it or a rule denies it, so many paths are named."""

SHOWN_LEFT_OUT_UP_TO: Final = 12
"""So many of these the window names; a last line counts the others."""

SHOWN_WARNINGS_UP_TO: Final = 8
"""Look-outs that the window spells out; a last one counts the others."""

CARD_FACTS_UP_TO: Final = 3
"""Facts that a card above a diff names."""

CARD_COMPARED_BYTES: Final = 2_000_000
"""Bytes up to which a diff is looked at for “only white space differs”."""

NAMED_STEPS_UP_TO: Final = 5
"""Steps not looked at yet that the page of a plan names."""

NAMED_LOST_UP_TO: Final = 3
"""Files that can't be rolled back any more, which the question about discarding undo names."""

RECENT_PROJECTS_SHOWN: Final = 6
"""Projects opened last that the start page lists."""

RECENT_PROJECTS_UP_TO: Final = 50
"""Projects opened last that are remembered."""

FOUND_FILES_UP_TO: Final = 60
"""Files that Go to file lists."""

HITS_UP_TO: Final = 10_000
"""After so many hits a search in a diff stops; the count then says “more than”."""

IMAGE_BYTES: Final = 64 * 1024 * 1024
"""Largest picture file that is decoded."""

IMAGE_PIXELS: Final = 50_000_000
"""Larger images are not decoded: a file of 400 kB can ask for gigabytes. Qt takes eight bytes for each pixel
where it makes an image smaller, so that 50 megapixels, which few cameras have, are 400 MB."""

# Qt's text editor takes half a second for 100,000 lines before it paints the first, and 5 s for a million.
READ_TEXT_BYTES: Final = 1024 * 1024
"""How much of a text the page for reading a file shows."""

READ_BINARY_BYTES: Final = 32 * 1024
"""How much of what is no text it shows as bytes."""

SPOKEN_LINE_CHARACTERS: Final = 10_000
"""Characters of one line that are read out; the rest is counted."""

SPOKEN_LINES_UP_TO: Final = 20
"""Lines of each side of a conflict that are said to those who do not see them."""

OPENED_ROWS_UP_TO: Final = 2000
"""Rows of a fold beside a conflict that one press shows: each is made at once."""

COLOURED_BYTES: Final = 32 * 1024 * 1024
"""Bytes of one side above which code stays without colours."""

COLOURED_LINE_CHARACTERS: Final = 5000
"""A block with a longer line stays without colours: lexers are regular expressions."""

ROLLBACK_ROWS_SHOWN: Final = 8
"""Files of a rollback that its table shows before it scrolls."""

RESTORE_ROWS_AT_ONCE: Final = 200
"""Paths of a restored snapshot that are listed at once; thousands follow when they are put into words."""

INTERRUPTED_FILES_SHOWN: Final = 6
"""Files that the strip about an interrupted apply names."""

UNDONE_DECISIONS_UP_TO: Final = 100
"""Decisions since the last write that can be taken back one after the other; each is small."""

BEGUN_LINE_CHARACTERS: Final = 60
"""Characters of a begun line by which a person knows it again."""

LAID_OUT_LINES_UP_TO: Final = 5000
"""Changed lines of a hunk up to which its rows are laid out one by one before any is left out."""

JOURNAL_ROWS_AT_ONCE: Final = 200
"""Entries of the journal that the window reads at once."""

JOURNAL_FILTER_PAGES: Final = 25
"""So often a filter of the journal reads on by itself for something to show; scrolling looks further."""

DECODED_EDGE_PIXELS: Final = 2400
"""Larger images are shown smaller."""

COLOUR_SECONDS: Final = 2.0
"""Of the processor, after which a lexer counts as too slow for its file: its code stays without colours."""

ROLLED_BACK_NAMES_UP_TO: Final = 1000
"""Names that are tried for the copy beside a file that changed."""

FILESYSTEM_READ_BYTES: Final = 32 * 1024 * 1024
"""Most bytes that one read of a file tool gives (R94, Q64)."""

FILESYSTEM_WRITE_CHARACTERS: Final = 32 * 1024 * 1024
"""Most characters that one write of a file tool takes (R94)."""

FILESYSTEM_WRITE_BYTES: Final = 32 * 1024 * 1024
"""Most bytes that one write of a file tool takes (R94, T15)."""

FILESYSTEM_MATCHES_UP_TO: Final = 1000
"""Matches that one search of a file tool gives without a limit of its own (R113)."""

TOOL_FILES_UP_TO: Final = STEPS_UP_TO
"""Most items of one listing of a file tool, and most operations of one bulk (R36, Q35). Can be set."""

TOOL_OPERATIONS_UP_TO: Final = 20_000
"""Most operations that one bulk may list; how many are carried out can be set, and is far less."""

BACKUP_NAMES_UP_TO: Final = 1000
"""Names that are tried for the copy beside a file that a tool replaces."""

PAIRED_LINES_UP_TO: Final = 40_000
"""Most pairs of lines that are compared for one diff; the changes after that stand in order."""

PAIRED_IN_CHANGE_UP_TO: Final = 2_500
"""Most pairs of lines of one change, 50 old and 50 new ones; a larger change stands in order."""

WORD_MARKED_CHARACTERS: Final = 2000
"""Characters per line that are compared word by word; of longer lines only the middle that differs is."""

TITLE_PATH_CHARACTERS: Final = 80
"""Of a path that stands for the title of a diff that has none; its end is shown."""

WINDOWS_LONG_PATH_UNITS: Final = 32_766
"""Most UTF-16 units of a path with the long-path prefix, without its final zero."""

WINDOWS_NAME_UNITS: Final = 255
"""Most UTF-16 units of one name on NTFS."""
