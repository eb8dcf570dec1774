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

# What agents may ask for and are told at their doors.

CALL_CHARACTERS: Final = 100_000
"""Longest command, or arguments of a tool, that an agent may ask a person for."""

HOOK_WAIT_SECONDS: Final = 85_000
"""How long a hook waits for a person: less than a day, at which its client would kill it."""

TRIAL_SECONDS: Final = 60.0
"""How long a client may take for one try of its gate."""

CALLS_KEPT_UP_TO: Final = 1_000
"""Of calls that ended so many are kept, the newest."""

AGENT_WAIT_SECONDS: Final = 50
"""How long an agent's call waits for a decision unless it says so: many clients give a call up after 60."""

AGENT_WAIT_SECONDS_UP_TO: Final = 86_400
"""Longest that one call may wait; a plan waits as long as it has to."""

AGENT_PROGRESS_SECONDS: Final = 5.0
"""How often an agent that waits hears that nothing was decided yet."""

AGENT_CALLS_AT_ONCE: Final = 8
"""Calls of one agent that are carried out side by side; more come after them."""

AGENT_WAITS_AT_ONCE: Final = 128
"""Calls of one agent that wait for decisions side by side; each holds a thread."""

OUTCOME_CHARACTERS: Final = 100_000
"""Characters of what an agent is told at once about a plan: a model's room is small."""

AGENT_START_SECONDS: Final = 60.0
"""How long an agent may take to say who it is, and to begin a session."""

AGENT_STOP_SECONDS: Final = 10.0
"""How long an agent may take to end a turn that was stopped; then it is ended itself."""

AGENT_END_SECONDS: Final = 3.0
"""How long an agent may take to end once nobody talks with it any more."""

AGENT_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest message of an agent."""

SESSION_EVENTS_UP_TO: Final = 20_000
"""Of what was said and done in a session so much is kept, the newest."""

EVENT_CHARACTERS: Final = 100_000
"""Longest text of one event of a session; the rest is cut."""

EVENT_ITEMS_UP_TO: Final = 200
"""Most items of a list in an event, such as the paths that a tool is used on; the rest is cut."""

EVENTS_AT_ONCE: Final = 500
"""Events of a session that are read in one go."""

AGENT_COMMAND_BYTES: Final = 30_000
"""Of what a command of an agent prints in the sandbox so much is kept and told: a model's room is small."""

# What is told when something broke.

FAULTS_LOGGED: Final = 20
"""Exceptions that nobody caught are logged up to this number within `FAULT_SECONDS`; more are counted."""

FAULT_SECONDS: Final = 60.0
"""After which as many faults are logged again."""

FAULT_CHARACTERS: Final = 20_000
"""Of a fault's traceback that are shown, from its end."""

# Watching a project, what is observed in it, and its snapshots.

WATCH_COALESCE_SECONDS: Final = 0.05
"""How long changes on disk are gathered before they are told on."""

WATCH_POLL_SECONDS: Final = 5.0
"""How often it is told to look at what can't be watched, and looked whether the project's folder is there."""

WATCH_RESCAN_SECONDS: Final = 300.0
"""How often it is told to look at everything although it is watched: no watcher sees a change through a hard
link elsewhere, or a disk that was mounted."""

WATCH_PATHS_UP_TO: Final = 10_000
"""Most paths of changes on disk that are gathered; more are told as their folders, or as everything."""

OBSERVED_CLOSED_UP_TO: Final = 2000
"""Observed changes that are kept after a person decided them; older ones are forgotten."""

GROUPED_FROM: Final = 10
"""So many changes that were seen together are one row, with a name."""

GROUPED_SECONDS: Final = 3.0
"""A burst goes on as long as no pause in it is longer."""

HINT_SECONDS: Final = 60.0
"""What was allowed or written so short a time before a change is named beside it."""

HINTED_WORDS_UP_TO: Final = 80
"""Characters of a command that such a hint names."""

GIT_SECONDS: Final = 60.0
"""Changes that git made are looked for among those first seen so short a time before it said so."""

OBSERVED_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes that snapshots, and the baseline of observed changes, may take. Can be set."""

OBJECTS_COUNTED_SECONDS: Final = 60.0
"""For so long it is remembered how many bytes snapshots take, as far as this process makes them."""

HASHES_KEPT_AFTER_FILES: Final = 1_000
"""So many files that were read are known to the next process at once, fewer when this one ends."""

NAMED_LOSSES_UP_TO: Final = 3
"""So many paths are named of which the baseline's bytes are gone; of others the number."""

SNAPSHOT_LOCK_SECONDS: Final = 120.0
"""How long a call waits for a snapshot, or a look at the project, of another process."""

SNAPSHOT_TAG_CHARACTERS: Final = 200
"""Most characters of a snapshot's tag."""

WATCH_PULSE_SECONDS: Final = 0.5
"""So often who tells of changes looks whether others noted any; a change on the disk tells at once."""

OBSERVED_COUNTED_UP_TO: Final = 200
"""Of so many new observed changes at a time the window counts the lines."""

# Reading a project: who wrote its lines, and what is searched in it.

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

# Commands in the sandbox.

SANDBOX_SECONDS: Final = 600.0
"""How long a command may run unless it is said otherwise."""

SANDBOX_WATCHED_SECONDS: Final = 24 * 60 * 60.0
"""How long one may run that a person has begun in the window, where they can stop it."""

SANDBOX_SHOWN_BYTES: Final = 64 * 1024
"""Of what a command prints within 50 ms the window shows so much, the newest."""

SANDBOX_OUTPUT_BYTES: Final = 1024 * 1024
"""Of what a command prints so much is kept, half of it from the beginning and half from the end."""

SANDBOX_PRIVATE_BYTES: Final = 1024 * 1024 * 1024
"""What a command may write to its own home and temporary folders together: they lie in memory."""

SANDBOX_PRIVATE_FILES_UP_TO: Final = 200_000
"""Files and folders in all of these together."""

# A file of a terabyte with nothing in it fills the disk of whoever copies it.
SANDBOX_FILE_BYTES: Final = 4 * 1024 * 1024 * 1024
"""Largest file that a command may write."""

SANDBOX_LOGIN_BYTES: Final = 16 * 1024 * 1024
"""Largest file of a login that a command is given a copy of."""

SANDBOX_MEMORY_SHARE: Final = 0.75
"""Of the machine's memory all processes of a command may take so much together, where that can be limited."""

SANDBOX_PROCESSES_UP_TO: Final = 4096
"""Processes and threads of one command at a time; builds on large machines take hundreds."""

SANDBOX_OPEN_FILES_UP_TO: Final = 16_384
"""Files that one process of a command may hold open."""

SANDBOX_DISK_SPARE_BYTES: Final = 512 * 1024 * 1024
"""A command is ended when it has left less than this of the disk on which its changes lie."""

SANDBOX_DISK_SPARE_FILES: Final = 10_000
"""It is ended, too, when fewer files than this can be made there any more."""

SANDBOX_START_SECONDS: Final = 20.0
"""How long the process around a command may take to make what the command will see."""

SANDBOX_END_SECONDS: Final = 10.0
"""How long the end of all processes of a command may take, once they are being ended."""

SANDBOX_LOOK_SECONDS: Final = 0.05
"""How soon a running command is ended that was cancelled, ran out of time or filled the disk."""

SANDBOX_STOP_SECONDS: Final = 30.0
"""How long an apply waits for the commands that work on the project, and these for an apply."""

TRIALS_UP_TO: Final = 10
"""Outcomes of `try` that are kept with one plan."""

TRIAL_OUTPUT_BYTES: Final = 64 * 1024
"""Of what such a command prints so much is kept."""

TRIAL_TESTS_UP_TO: Final = 5
"""So many of the tests that a plan changes itself are named beside what was tried."""

TRIALS_SHOWN_UP_TO: Final = 3
"""So many of them the window shows with a plan, the newest."""

SHOWN_OUTPUT_LINES_UP_TO: Final = 10_000
"""Of what a command prints the window shows so many lines, the newest."""

RECENT_COMMANDS_UP_TO: Final = 20
"""Commands run last that are remembered, and programs with what they were given."""
