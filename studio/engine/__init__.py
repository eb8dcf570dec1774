"""Engine for reviewed file changes: plans, policy, diffs; names load lazily.

It uses neither Qt nor the network. Other packages import its names from here; the first access to one loads
its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.apply.gateway import ApplyRefused as ApplyRefused, Drifted as Drifted
    from studio.engine.apply.progress import ApplyControl as ApplyControl
    from studio.engine.apply.retention import RetentionReport as RetentionReport, UndoLoss as UndoLoss
    from studio.engine.branch.leaf import Leaf as Leaf, LeafSettings as LeafSettings
    from studio.engine.branch.posix import PosixFS as PosixFS, PosixFSConfig as PosixFSConfig
    from studio.engine.config import (
        Config as Config,
        ConfigRefused as ConfigRefused,
        ProjectFile as ProjectFile,
        ReviewCommandLine as ReviewCommandLine,
        Setting as Setting,
        has_own_rules as has_own_rules,
        user_review as user_review,
    )
    from studio.engine.config.effective import DEFAULT_EXTENSIONS as DEFAULT_EXTENSIONS
    from studio.engine.config.levels import command_words as command_words
    from studio.engine.config.schema import (
        PROJECT_FOLDERS as PROJECT_FOLDERS,
        SETTINGS as SETTINGS,
        SettingKey as SettingKey,
        SettingKind as SettingKind,
    )
    from studio.engine.diff import (
        Change as Change,
        DiffRefused as DiffRefused,
        FileDiff as FileDiff,
        FilePatch as FilePatch,
        choose as choose,
        compute as compute,
        decode_diff as decode_diff,
        format_binary as format_binary,
        format_unified as format_unified,
        merge_typed as merge_typed,
        parse_hunks as parse_hunks,
        parse_unified as parse_unified,
    )
    from studio.engine.diff.named_only import AS_PROSE as AS_PROSE, NAMED_ONLY as NAMED_ONLY
    from studio.engine.diff.other_forms import unsupported_diff as unsupported_diff, word_diff as word_diff
    from studio.engine.disk.outside_files import (
        check_new_file as check_new_file,
        check_place as check_place,
        new_file as new_file,
    )
    from studio.engine.draft import (
        CellChange as CellChange,
        CellEdit as CellEdit,
        DraftStep as DraftStep,
        ExcludedPath as ExcludedPath,
        PlanDraft as PlanDraft,
        TextEdit as TextEdit,
    )
    from studio.engine.filesystem import (
        Filesystem as Filesystem,
        InMemoryFilesystem as InMemoryFilesystem,
        WriteMode as WriteMode,
    )
    from studio.engine.filesystem.refusals import bad_text as bad_text
    from studio.engine.history import (
        CommitMessage as CommitMessage,
        DriftResolution as DriftResolution,
        HistoryEntry as HistoryEntry,
        RollbackFile as RollbackFile,
        RollbackPreview as RollbackPreview,
        Turn as Turn,
    )
    from studio.engine.observed_change import ObservedChange as ObservedChange, ObservedState as ObservedState
    from studio.engine.plan import (
        Decision as Decision,
        Dismissal as Dismissal,
        Fact as Fact,
        HunkChoice as HunkChoice,
        HunkRange as HunkRange,
        LineComment as LineComment,
        Operation as Operation,
        PersonSource as PersonSource,
        Plan as Plan,
        PlanState as PlanState,
        Problem as Problem,
        ProblemList as ProblemList,
        Severity as Severity,
        Step as Step,
        StepDecision as StepDecision,
        StepState as StepState,
        Verdict as Verdict,
    )
    from studio.engine.policy import (
        BUILT_IN as BUILT_IN,
        BuiltInRule as BuiltInRule,
        PathVerdict as PathVerdict,
        Policy as Policy,
        PolicyLimits as PolicyLimits,
        RuleSet as RuleSet,
        folder_to_allow as folder_to_allow,
    )
    from studio.engine.policy.hints import default_hint as default_hint
    from studio.engine.project.context import Person as Person
    from studio.engine.project.file_list import file_paths as file_paths
    from studio.engine.propose.path_conflicts import PathConflict as PathConflict
    from studio.engine.proposer import (
        PlanPreview as PlanPreview,
        Proposer as Proposer,
        StepContents as StepContents,
    )
    from studio.engine.review.edited_result import with_result as with_result
    from studio.engine.review.editor_text import EditableText as EditableText
    from studio.engine.review.rebase import RebasePreview as RebasePreview
    from studio.engine.risks.origin import is_lock_file as is_lock_file
    from studio.engine.root import (
        TreeEntry as TreeEntry,
        check_root as check_root,
        find_project_above as find_project_above,
        find_root as find_root,
    )
    from studio.engine.root.foreign_file import read_foreign_file as read_foreign_file
    from studio.engine.root.git_discovery import main_checkout as main_checkout
    from studio.engine.session import (
        CallState as CallState,
        EventKind as EventKind,
        Session as Session,
        SessionEvent as SessionEvent,
        SessionState as SessionState,
        ToolCall as ToolCall,
    )
    from studio.engine.store.unsaved_input import UnsentKind as UnsentKind, UnsentText as UnsentText
    from studio.engine.trial import Trial as Trial, TrialResults as TrialResults

_MODULES: Final = {
    "studio.engine.apply.gateway": "ApplyRefused Drifted",
    "studio.engine.apply.progress": "ApplyControl",
    "studio.engine.apply.retention": "RetentionReport UndoLoss",
    "studio.engine.branch.leaf": "Leaf LeafSettings",
    "studio.engine.branch.posix": "PosixFS PosixFSConfig",
    "studio.engine.config": (
        "Config ConfigRefused ProjectFile ReviewCommandLine Setting has_own_rules user_review"
    ),
    "studio.engine.config.effective": "DEFAULT_EXTENSIONS",
    "studio.engine.config.levels": "command_words",
    "studio.engine.config.schema": "PROJECT_FOLDERS SETTINGS SettingKey SettingKind",
    "studio.engine.diff": (
        "Change DiffRefused FileDiff FilePatch choose compute decode_diff format_binary format_unified "
        "merge_typed parse_hunks parse_unified"
    ),
    "studio.engine.diff.named_only": "AS_PROSE NAMED_ONLY",
    "studio.engine.diff.other_forms": "unsupported_diff word_diff",
    "studio.engine.disk.outside_files": "check_new_file check_place new_file",
    "studio.engine.draft": "CellChange CellEdit DraftStep ExcludedPath PlanDraft TextEdit",
    "studio.engine.filesystem": "Filesystem InMemoryFilesystem WriteMode",
    "studio.engine.filesystem.refusals": "bad_text",
    "studio.engine.history": "CommitMessage DriftResolution HistoryEntry RollbackFile RollbackPreview Turn",
    "studio.engine.observed_change": "ObservedChange ObservedState",
    "studio.engine.plan": (
        "Decision Dismissal Fact HunkChoice HunkRange LineComment Operation PersonSource Plan PlanState "
        "Problem ProblemList Severity Step StepDecision StepState Verdict"
    ),
    "studio.engine.policy": "BUILT_IN BuiltInRule PathVerdict Policy PolicyLimits RuleSet folder_to_allow",
    "studio.engine.policy.hints": "default_hint",
    "studio.engine.project.context": "Person",
    "studio.engine.project.file_list": "file_paths",
    "studio.engine.propose.path_conflicts": "PathConflict",
    "studio.engine.proposer": "PlanPreview Proposer StepContents",
    "studio.engine.review.edited_result": "with_result",
    "studio.engine.review.editor_text": "EditableText",
    "studio.engine.review.rebase": "RebasePreview",
    "studio.engine.risks.origin": "is_lock_file",
    "studio.engine.root": "TreeEntry check_root find_project_above find_root",
    "studio.engine.root.foreign_file": "read_foreign_file",
    "studio.engine.root.git_discovery": "main_checkout",
    "studio.engine.session": "CallState EventKind Session SessionEvent SessionState ToolCall",
    "studio.engine.store.unsaved_input": "UnsentKind UnsentText",
    "studio.engine.trial": "Trial TrialResults",
}
"""The names above by module."""


__getattr__ = late_names(__name__, _MODULES)
