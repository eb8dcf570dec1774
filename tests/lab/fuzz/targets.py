"""What is fuzzed, by name: properties that the test run tries on few examples and a long run on many."""

from __future__ import annotations

from collections.abc import Mapping

TARGETS: Mapping[str, tuple[str, ...]] = {
    "text": (
        "tests.text.test_form:test_describe_never_fails_and_text_round_trips",
        "tests.text.test_form:test_diff_text_round_trips_any_bytes",
        "tests.text.test_form:test_utf16_text_round_trips",
        "tests.text.test_form:test_display_never_raises",
        "tests.text.test_form:test_lines_split_at_lf_only",
        "tests.text.test_form:test_line_ending_is_what_counting_says",
        "tests.text.test_edits:test_a_change_of_one_word_leaves_all_bytes_around_it",
        "tests.text.test_edits:test_a_created_file_holds_the_text_as_given",
    ),
    "diff": (
        "tests.engine.diff.test_unified:test_any_bytes_are_read_or_refused",
        "tests.engine.diff.test_unified:test_any_bytes_as_bare_hunks",
        "tests.engine.diff.test_unified:test_reading_in_bulk_and_telling_line_by_line_judge_alike",
        "tests.engine.diff.test_unified:test_quoting_is_undone",
        "tests.engine.diff.test_unified:test_unquoting_never_fails_otherwise",
        "tests.engine.diff.test_apply:test_what_is_computed_applies_to_the_result",
        "tests.engine.diff.test_apply:test_it_applies_to_another_base_only_where_its_lines_stand",
        "tests.engine.diff.test_apply:test_mutations_are_refused",
        "tests.engine.diff.test_apply:test_other_places_are_all_that_fit",
        "tests.engine.diff.test_apply:test_windows_1252_targets_through_utf8",
        "tests.engine.diff.test_apply_series:test_a_series_leaves_what_its_last_one_made_or_is_refused",
    ),
    "apply-patch": (
        "tests.formats.test_apply_patch:test_what_is_printed_is_read_back",
        "tests.formats.test_apply_patch:test_any_lines_are_read_without_an_exception",
    ),
    "search-replace": (
        "tests.formats.test_search_replace:test_what_is_printed_is_read_back",
        "tests.formats.test_search_replace:test_any_lines_are_read_without_an_exception",
    ),
    "binary": (
        "tests.engine.diff.test_binary_patch:test_any_lines_of_that_form_are_read_or_refused",
        "tests.engine.diff.test_binary_patch:test_any_delta_is_carried_out_or_refused",
        "tests.engine.diff.test_binary_patch:test_a_damaged_patch_is_refused_or_git_makes_the_same_of_it",
        "tests.engine.diff.test_binary_patch:test_what_git_writes_is_read_to_the_same_bytes",
        "tests.engine.diff.test_binary_patch:test_what_is_written_here_is_read_here_and_by_git",
    ),
    "compute": (
        "tests.engine.diff.test_compute:test_changes_and_hunks_are_consistent",
        "tests.engine.diff.test_worker:test_the_coarse_difference_is_a_difference",
        "tests.engine.diff.test_pairing:test_parts_cover_their_change_in_order",
        "tests.extras.diff_view.test_words:test_spans_are_ascending_disjoint_and_apart",
    ),
    "select": (
        "tests.engine.diff.test_select:test_all_is_the_result_and_none_the_base",
        "tests.engine.diff.test_select:test_a_part_and_then_the_rest_is_the_result",
        "tests.engine.diff.test_select:test_hunks_are_independent",
        "tests.engine.diff.test_select:test_lines_are_counted",
        "tests.engine.diff.test_select:test_a_part_and_its_rest_keep_the_file_s_form",
    ),
    "merge": (
        "tests.engine.diff.test_merge:test_an_unchanged_side_gives_the_other",
        "tests.engine.diff.test_merge:test_both_sides_count_alike",
        "tests.engine.diff.test_merge:test_changes_that_keep_apart_all_go_in",
    ),
    "file-action": (
        "tests.formats.test_file_action:test_what_is_printed_is_read_back",
        "tests.formats.test_file_action:test_any_words_of_the_grammar_are_read_or_refused",
    ),
    "tool-block": (
        "tests.formats.test_tool_block:test_what_is_printed_is_read_back",
        "tests.formats.test_tool_block:test_any_words_of_the_grammar_are_read_or_refused",
    ),
    "repairs": (
        "tests.engine.propose.test_repairs:test_a_damaged_diff_is_repaired_to_the_very_same_result",
        "tests.engine.propose.test_repairs:test_a_damaged_edit_is_repaired_to_the_very_same_result",
        "tests.engine.propose.test_repairs:test_any_edit_has_no_repair_or_one_that_matches",
        "tests.engine.propose.test_repairs:test_what_a_repair_makes_is_alike_what_was_asked_for",
        "tests.engine.propose.test_repairs:test_any_diff_has_no_repair_or_one_that_matches",
        "tests.formats.test_repairs:test_counts_that_are_too_small_are_counted_anew",
        "tests.formats.test_repairs:test_empty_lines_get_their_blank_back",
        "tests.formats.test_repairs:test_a_first_blank_that_all_lines_lost_is_put_back_or_left",
        "tests.formats.test_repairs:test_a_mark_before_every_line_is_taken_off",
        "tests.formats.test_repairs:test_any_bytes_are_repaired_or_refused",
    ),
    "exports": (
        "tests.engine.branch.test_export_file:test_any_bytes_are_read_or_refused",
        "tests.engine.branch.test_export_file:test_a_damaged_byte_is_found_or_changes_nothing",
        "tests.engine.branch.test_export_file:test_lines_left_out_moved_or_doubled_are_found",
        "tests.engine.branch.test_export_file:test_a_field_of_another_kind_is_found",
        "tests.engine.branch.test_export_file:test_a_chain_that_holds_makes_no_entry_of_what_is_none",
    ),
    "patterns": (
        "tests.engine.patterns.test_properties:test_a_list_answers_as_the_slow_matcher_does",
        "tests.engine.patterns.test_properties:test_of_several_lists_the_first_that_holds_decides",
        "tests.engine.patterns.test_properties:test_any_text_is_a_pattern_or_refused",
    ),
    "paths": (
        "tests.text.test_names:test_what_is_taken_stays_inside_on_every_system",
        "tests.text.test_names:test_shown_names_hide_nothing",
        "tests.text.test_names:test_keys_are_stable",
        "tests.engine.test_door_names:test_lexical_agrees_with_a_second_reading",
        "tests.engine.test_door_names:test_lexical_is_stable_and_stays_inside",
        "tests.engine.test_door_names:test_what_is_strict_is_lexical_and_branch_as_it_stands",
        "tests.engine.test_door_names:test_a_tool_path_means_what_the_standard_library_says",
        "tests.engine.test_door_names:test_windows_reads_its_spelling_as_the_same_path",
        "tests.engine.root.test_jail_properties:test_no_operation_goes_where_the_table_does_not",
        "tests.engine.root.test_jail_properties:test_what_a_parser_takes_is_plain_for_the_handles",
    ),
    "tool-calls": (
        "tests.formats.test_tool_calls:test_what_is_written_as_calls_is_read_back",
        "tests.formats.test_tool_calls:test_any_bytes_are_read_or_refused",
        "tests.formats.test_tool_calls:test_any_call_is_read_or_refused",
        "tests.engine.propose.test_notebook_cells:test_a_change_and_its_opposite_leave_the_very_same_bytes",
    ),
    "fences": (
        "tests.formats.test_fences:test_what_is_written_in_fences_is_read_back",
        "tests.formats.test_fences:test_any_bytes_are_read_or_refused",
    ),
    "replies": (
        "tests.formats.test_any_words:test_every_block_lies_behind_the_one_before",
        "tests.formats.test_any_words:test_any_words_are_read_or_refused",
        "tests.formats.test_unified:test_a_diff_says_the_same_wherever_it_stands",
        "tests.formats.test_unified:test_any_bytes_around_a_diff_are_read_or_refused",
        "tests.formats.test_unified:test_no_line_of_a_hunk_is_taken_for_words",
    ),
    "policy": (
        "tests.engine.policy.test_properties:test_every_text_has_an_answer_and_always_the_same",
        "tests.engine.policy.test_properties:test_no_spelling_of_a_locked_path_is_allowed",
        "tests.engine.policy.test_properties:test_a_level_that_only_denies_allows_nothing",
    ),
    "configuration": (
        "tests.engine.config.test_properties:test_any_file_is_read_or_refused_by_name_and_line",
        "tests.engine.config.test_properties:test_what_nobody_trusts_widens_nothing",
    ),
    "risks": (
        "tests.engine.risks.test_risks:test_no_content_breaks_the_search",
        "tests.engine.risks.test_risks:test_a_turning_control_is_found_wherever_it_hides",
        "tests.engine.risks.test_risks:test_plain_text_without_digits_raises_no_warning_but_length",
        "tests.engine.risks.test_kinds:test_no_surroundings_break_it_and_every_kind_is_registered",
        "tests.engine.risks.test_naming:test_a_twin_is_seen_from_both_sides",
    ),
    "observed": (
        "tests.extras.observed.test_observed:test_what_is_told_is_how_the_project_differs_from_the_baseline",
        "tests.extras.snapshots.test_snapshots:test_a_random_state_comes_back_whatever_happened_since",
    ),
    "searching": (
        "tests.engine.filesystem.test_globbing:test_matching_agrees_with_one_expression_for_the_whole_path",
        "tests.engine.filesystem.test_globbing:test_braces_are_as_good_as_any_of_the_patterns",
        "tests.engine.filesystem.test_globbing:test_any_text_is_a_pattern_or_refused",
        "tests.engine.filesystem.test_grep_pattern:test_a_search_finds_what_looking_at_each_line_finds",
        "tests.engine.filesystem.test_grep_pattern:test_a_limit_cuts_the_end_off",
        "tests.engine.filesystem.test_grep_pattern:test_every_matching_line_holds_the_needle",
        "tests.engine.filesystem.test_grep_pattern:test_any_text_is_an_expression_or_refused",
        "tests.engine.filesystem.test_grep_host:test_ripgrep_names_every_file_with_a_match",
    ),
}
"""Each property as module and function: a Hypothesis test that takes no fixture."""
