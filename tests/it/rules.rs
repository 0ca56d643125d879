//! Every risk of the design and every rule of the contracts, with its proof (style.md 24).
//!
//! It proves nothing itself. `cargo xtask tidy` reads the table and fails when a rule has no row, when a row names no test,
//! or when a named test does not exist anywhere in the workspace or is ignored. A name is a test function's; `doc:PATH`
//! stands for the examples in the documentation of that file.

use Proof::{Accepted, Later, Tests};

/// What proves a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Tests that fail when the rule is broken.
    Tests(&'static [&'static str]),
    /// The issue that brings the tests.
    Later(u32),
    /// Why nothing has to hold.
    Accepted(&'static str),
}

/// R1–R15, then S1–S47.
const RULES: &[(&str, Proof)] = &[
    (
        "R1",
        Tests(&[
            "an_item_with_neither_text_nor_blob_leaves_its_sibling_alone",
            "text_beside_a_blob_is_an_error_item_unless_one_is_empty",
            "every_item_of_a_read_has_its_place",
            "any_result_is_taken_or_refused",
        ]),
    ),
    (
        "R2",
        Tests(&[
            "the_pages_of_a_large_text_are_the_text",
            "pages_at_any_offset_and_size_concatenate_to_the_original",
            "a_page_smaller_than_a_character_returns_that_character",
        ]),
    ),
    (
        "R3",
        Tests(&[
            "a_hostile_key_and_mime_type_stay_inside_the_spill_tree",
            "spills_of_hostile_names_and_mime_strings_stay_inside_the_tree",
            "eviction_takes_the_oldest_first_and_only_over_the_bound",
            "a_spill_is_private_named_by_its_hash_and_written_once",
        ]),
    ),
    (
        "R4",
        Tests(&[
            "every_verb_means_the_same_on_both_chains_and_none_falls_through_to_invoke",
            "read_and_prompt_route_to_themselves_on_both_chains_and_never_reach_invoke",
            "a_bogus_name_ends_in_the_invoke_arms_refusal_on_both_chains_and_no_server_is_asked",
            "every_verb_reaches_its_own_method",
        ]),
    ),
    ("R5", Later(5)),
    (
        "R6",
        Tests(&[
            "a_server_that_declares_nothing_keeps_its_tools",
            "the_functions_of_a_server_follow_from_its_capabilities",
        ]),
    ),
    (
        "R7",
        Accepted("Inline base64 helps a context without files no more than a path does; text is paged and filtered"),
    ),
    ("R8", Accepted("A listing is asked for per call and bounded by S11; a cache would be a feature, not a repair")),
    ("R9", Tests(&["an_audience_is_shown_in_search_and_in_a_read_after_it"])),
    ("R10", Accepted("There are no background jobs; every meta-function is one bounded request in the foreground")),
    (
        "R11",
        Tests(&[
            "every_prefix_of_the_table_is_looked_for",
            "a_literal_of_any_kind_is_found",
            "a_literal_among_the_arguments_of_a_macro_is_found",
            "pieces_that_make_a_prefix_are_found",
            "a_beginning_that_waits_for_its_verb_is_found",
            "a_constant_that_is_compared_is_found",
            "a_constant_that_is_stripped_or_replaced_is_found",
            "a_constant_that_is_formatted_is_found",
            "xtask_is_audited_like_everybody_else",
        ]),
    ),
    ("R12", Later(4)),
    ("R13", Later(6)),
    ("R14", Later(6)),
    (
        "R15",
        Tests(&[
            "a_delegates_own_server_has_its_functions_and_is_in_no_registry",
            "a_delegate_with_an_agent_only_server_gets_what_that_server_declared_and_the_registry_knows_nothing_of_it",
            "features_come_from_the_handshakes_of_the_runtimes_own_servers",
        ]),
    ),
    (
        "S1",
        Tests(&[
            "the_verbs_stand_in_the_order_of_the_contract",
            "every_parameter_of_the_table_is_read",
            "the_schemas_are_those_of_the_design",
            "the_declarations_of_a_whole_server",
        ]),
    ),
    (
        "S2",
        Tests(&[
            "a_users_own_tool_called_mcp_reader_is_no_meta_function",
            "a_name_without_prefix_and_server_part_is_no_meta_function",
            "a_server_part_that_holds_a_prefix_is_kept_whole",
            "a_name_taken_apart_is_the_name_put_together",
        ]),
    ),
    (
        "S3",
        Tests(&[
            "every_key_has_five_accepted_names",
            "two_long_keys_that_share_their_first_51_characters_have_names_of_their_own",
            "a_key_with_spaces_dots_or_slashes_still_has_functions",
            "a_key_that_fits_is_kept_and_any_other_is_cut_and_hashed",
            "a_users_own_tool_keeps_its_name_and_the_function_is_skipped_with_a_warning_naming_both",
            "the_second_of_two_keys_with_one_name_is_skipped_with_a_warning_naming_both",
        ]),
    ),
    (
        "S4",
        Tests(&[
            "the_functions_of_a_server_follow_from_its_capabilities",
            "a_server_that_declares_nothing_keeps_its_tools",
            "an_undeclared_kind_is_not_asked_and_asking_for_it_says_so",
        ]),
    ),
    (
        "S5",
        Tests(&[
            "a_setting_is_expanded_in_order_and_each_server_once",
            "only_known_servers_are_enabled_and_none_twice",
        ]),
    ),
    (
        "S6",
        Tests(&[
            "a_function_that_was_not_declared_is_refused_before_any_server_is_asked",
            "an_undeclared_name_is_refused_on_both_chains_before_the_server_is_asked",
            "a_call_starts_no_other_server",
            "functions_are_the_declarations_that_a_model_gets_and_one_server_is_started",
        ]),
    ),
    (
        "S7",
        Tests(&[
            "a_hidden_tool_answers_exactly_like_a_missing_one",
            "an_allowlist_in_mcp_json_hides_tools",
            "a_further_layer_never_shows_a_hidden_tool",
        ]),
    ),
    (
        "S8",
        Tests(&[
            "a_servers_instructions_end_the_description_of_its_search_function",
            "the_servers_own_words_end_the_search_description_and_no_other",
        ]),
    ),
    (
        "S9",
        Tests(&[
            "text_beside_a_blob_is_an_error_item_unless_one_is_empty",
            "an_entry_that_is_broken_json_inside_costs_that_entry_alone",
            "a_result_is_a_range_of_its_frame",
            "a_frame_of_66_mebibytes_is_read_within_1_3_times_its_size",
        ]),
    ),
    (
        "S10",
        Tests(&[
            "a_broken_reply_fails_its_call_at_once_and_the_next_call_works",
            "noise_on_stdout_is_no_answer_and_is_never_answered",
            "a_broken_reply_ends_the_request_that_it_names_and_no_other",
            "a_broken_reply_without_an_id_is_only_counted_when_several_requests_are_in_flight",
            "a_banner_before_the_handshake_is_noise",
            "every_hostile_server_is_survived",
        ]),
    ),
    (
        "S11",
        Tests(&[
            "an_endless_cursor_costs_at_most_200_requests_a_kind",
            "a_cursor_ends_the_list_with_a_note",
            "a_list_stops_at_ten_thousand_items",
            "an_empty_cursor_is_a_cursor_like_any_other",
            "a_null_cursor_ends_the_list",
            "a_page_that_fails_keeps_the_pages_before_it",
            "a_whole_listing_has_30_seconds_and_each_page_what_is_left",
            "every_hostile_server_is_survived",
        ]),
    ),
    (
        "S12",
        Tests(&[
            "a_call_without_an_answer_times_out_and_the_server_is_told",
            "progress_restarts_the_clock",
            "progress_for_ever_ends_at_half_an_hour",
            "every_request_has_the_deadline_of_its_kind",
            "the_servers_entry_sets_the_deadline_of_calls_reads_and_prompts_only",
            "a_handshake_without_an_answer_says_how_long_it_waited",
        ]),
    ),
    (
        "S13",
        Tests(&[
            "a_cancelled_call_tells_the_server_and_keeps_the_connection",
            "a_dropped_call_tells_the_server",
            "a_signal_cancels_the_call_at_the_server_and_leaves_no_process",
            "one_call_that_fails_costs_the_others_nothing",
        ]),
    ),
    (
        "S14",
        Tests(&[
            "servers_start_at_once",
            "a_bad_server_is_a_row_and_the_others_work",
            "one_bad_server_never_blocks_the_others",
        ]),
    ),
    ("S15", Later(3)),
    (
        "S16",
        Tests(&[
            "a_frame_of_97_mebibytes_fails_that_call_alone",
            "a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_too_large",
            "nothing_longer_than_the_limit_is_kept",
            "every_hostile_server_is_survived",
        ]),
    ),
    (
        "S17",
        Tests(&[
            "initialize_asks_for_the_newest_revision_that_has_it_and_declares_nothing",
            "an_unknown_protocol_revision_is_refused",
            "requests_of_the_servers_own_are_refused_and_a_ping_is_answered",
            "a_server_that_asks_for_input_is_an_error_with_its_question",
            "an_unknown_result_type_is_not_taken_for_a_result",
            "a_page_that_is_read_again_says_when_the_resource_has_changed",
            "every_hostile_server_is_survived",
        ]),
    ),
    (
        "S18",
        Tests(&[
            "a_server_inherits_the_environment_but_not_the_env_file",
            "what_a_server_writes_to_stderr_is_in_the_log_alone",
            "no_process_is_left_when_the_program_ends",
            "a_signal_cancels_the_call_at_the_server_and_leaves_no_process",
            "a_server_runs_in_a_session_of_its_own",
            "a_workspace_server_inherits_only_the_listed_names",
        ]),
    ),
    (
        "S19",
        Tests(&[
            "every_code_has_its_sentence_its_hint_and_its_exit_status",
            "every_code_is_written_as_s19_lists_it",
            "every_code_has_an_exit_status_in_each_phase",
            "an_unknown_uri_is_not_found_whatever_the_server_calls_it",
            "a_known_uri_that_cannot_be_read_is_the_servers_error",
            "an_error_answer_is_the_servers_own_words_cut_to_4_kib",
        ]),
    ),
    (
        "S20",
        Tests(&[
            "one_bad_tool_schema_costs_that_tool_alone",
            "a_bad_optional_field_is_dropped_and_a_missing_name_is_the_uri",
            "an_empty_array_where_an_object_belongs_is_an_empty_object",
            "a_tool_whose_name_no_model_may_see_is_skipped",
            "every_entry_of_a_page_is_an_item_or_is_counted",
        ]),
    ),
    (
        "S21",
        Tests(&[
            "of_two_tools_with_one_name_the_first_is_kept_and_the_second_counted",
            "three_pages_of_each_of_the_four_lists_are_six_items_each",
        ]),
    ),
    (
        "S22",
        Tests(&[
            "an_empty_query_lists_every_kind_in_order",
            "words_are_split_at_case_changes_and_punctuation_and_names_weigh_more",
            "results_are_paged_by_offset_and_top_k",
            "nothing_found_and_could_not_look_differ",
            "a_long_description_is_cut_at_600_bytes",
            "no_words_mean_everything",
        ]),
    ),
    (
        "S23",
        Tests(&[
            "each_kind_is_described_in_its_shape",
            "an_unknown_id_is_answered_with_the_closest",
            "a_schema_over_the_ceiling_is_a_marker_with_the_full_copy_kept",
        ]),
    ),
    (
        "S24",
        Tests(&[
            "an_audience_is_shown_in_search_and_in_a_read_after_it",
            "the_audience_of_the_last_listing_is_told_and_a_read_never_lists_for_it",
        ]),
    ),
    (
        "S25",
        Tests(&[
            "escaping_counts_and_no_answer_passes_the_ceiling",
            "no_answer_exceeds_its_ceiling_after_escaping",
            "no_tool_result_exceeds_its_ceiling_after_escaping",
            "no_flattened_prompt_exceeds_its_ceiling_and_no_label_is_forged",
            "the_calls_of_one_reply_share_what_a_reply_may_hold",
        ]),
    ),
    (
        "S26",
        Tests(&[
            "a_text_page_has_its_paging_keys_before_its_text",
            "a_page_smaller_than_a_character_returns_that_character",
            "a_page_past_the_end_is_empty_and_says_how_long_the_text_is",
        ]),
    ),
    (
        "S27",
        Tests(&[
            "a_pattern_gives_matching_lines_with_two_lines_of_context",
            "a_pattern_that_cannot_be_used_is_refused_before_the_server_is_asked",
            "the_filter_equals_a_naive_reference",
            "every_match_of_a_pattern_is_printed_once",
        ]),
    ),
    (
        "S28",
        Tests(&[
            "ten_mebibytes_in_pages_of_fifty_kibibytes_cross_the_wire_once",
            "a_read_from_the_start_always_asks_the_server",
            "a_page_that_is_read_again_says_when_the_resource_has_changed",
            "a_page_store_is_the_hosts_to_share",
            "the_least_recently_used_goes_first",
        ]),
    ),
    ("S29", Tests(&["a_blob_that_is_utf8_is_paged_as_text", "content_with_a_nul_is_binary"])),
    (
        "S30",
        Tests(&[
            "base64_is_decoded_leniently",
            "what_is_no_base64_is_an_error_item_beside_its_sibling",
            "a_blob_of_61_mebibytes_is_a_too_large_item_beside_its_sibling",
            "text_beside_a_blob_is_an_error_item_unless_one_is_empty",
            "one_item_is_read_by_its_index_and_a_wrong_index_is_told_the_count",
            "items_that_do_not_fit_are_named_by_index_and_size",
            "empty_contents_are_an_empty_resource",
        ]),
    ),
    (
        "S31",
        Tests(&[
            "a_long_text_has_a_marker_at_its_head_and_can_be_read_to_its_end",
            "structured_content_over_the_ceiling_is_a_marker_with_the_full_copy_kept",
        ]),
    ),
    (
        "S32",
        Tests(&[
            "a_spill_is_private_named_by_its_hash_and_written_once",
            "a_disk_that_takes_nothing_leaves_the_metadata_and_the_code",
            "a_link_in_place_of_the_file_is_replaced_and_never_followed",
            "eviction_follows_no_link_and_touches_only_spills",
            "eviction_never_takes_a_file_of_an_answer_being_built",
        ]),
    ),
    (
        "S33",
        Tests(&[
            "a_blob_without_a_mime_type_is_spilled_as_bin",
            "a_mime_type_is_compared_by_its_essence_and_reported_as_given",
            "a_claimed_and_a_detected_mime_type_are_both_told",
            "an_extension_comes_from_the_fixed_table_by_lower_cased_essence",
        ]),
    ),
    (
        "S34",
        Tests(&[
            "a_long_text_has_a_marker_at_its_head_and_can_be_read_to_its_end",
            "a_server_without_a_read_function_reads_its_spills_back_through_describe",
            "a_spill_of_another_server_is_not_found",
            "a_stored_file_is_read_back_by_its_hash_from_its_own_server_only",
        ]),
    ),
    (
        "S35",
        Tests(&[
            "an_image_is_spilled_and_no_base64_reaches_the_answer",
            "a_link_is_one_line_and_is_never_followed",
            "an_unknown_block_is_one_line_with_its_type_and_size",
            "text_that_mirrors_the_structured_content_is_dropped",
            "a_failing_tool_keeps_all_its_blocks",
            "no_content_is_said_to_be_none",
        ]),
    ),
    (
        "S36",
        Tests(&[
            "messages_become_one_block_with_labelled_parts_in_order",
            "a_body_cannot_forge_a_label",
            "labels_cannot_be_forged_and_the_body_can_be_recovered",
            "nothing_but_text_is_lost_of_a_prompt",
            "the_bytes_of_a_body_are_kept",
            "a_prompt_over_the_ceiling_is_cut_and_kept_whole",
            "an_empty_prompt_is_said_to_be_empty",
        ]),
    ),
    (
        "S37",
        Tests(&[
            "a_uri_arrives_byte_for_byte_and_only_the_server_is_asked",
            "a_uri_from_the_command_line_arrives_byte_for_byte",
            "a_template_is_expanded",
            "a_template_that_cannot_be_expanded_is_explained_and_nothing_is_sent",
            "a_known_template_without_arguments_lists_its_variables",
            "a_uri_with_a_brace_that_is_no_template_is_sent_as_given",
        ]),
    ),
    (
        "S38",
        Tests(&[
            "numbers_may_come_as_text_and_null_is_absent",
            "arguments_may_be_an_object_or_its_json_text",
            "scalars_become_strings_and_null_is_dropped",
            "a_list_or_an_object_as_a_prompt_argument_is_refused_by_its_key",
            "an_empty_object_is_sent_whenever_a_prompt_declares_arguments",
        ]),
    ),
    (
        "S39",
        Tests(&[
            "wrong_arguments_are_named_with_what_is_accepted",
            "every_failure_has_its_sentence_and_a_next_step",
            "every_code_has_a_next_step_for_every_verb",
            "a_command_that_fails_says_why_and_what_to_do",
        ]),
    ),
    ("S40", Later(4)),
    ("S41", Later(5)),
    ("S42", Later(6)),
    ("S43", Later(6)),
    ("S44", Later(6)),
    ("S45", Later(6)),
    (
        "S46",
        Tests(&[
            "hostile_text_is_escaped_in_json_and_kept_in_a_pipe",
            "shown_text_holds_no_control_or_bidi_character",
            "joiners_stay_between_two_visible_characters_only",
            "a_name_with_control_and_bidi_characters_stays_as_it_is_on_the_wire",
            "a_pipe_gets_the_servers_own_bytes_and_a_terminal_gets_them_escaped",
            "what_a_server_wrote_is_escaped_in_the_log",
        ]),
    ),
    ("S47", Later(5)),
];

#[test]
fn the_table_has_every_rule_once_and_in_order() {
    let expected: Vec<String> = (1..=15).map(|n| format!("R{n}")).chain((1..=47).map(|n| format!("S{n}"))).collect();
    let found: Vec<&str> = RULES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_proof_of_a_rule_says_something_once() {
    for (rule, proof) in RULES {
        match proof {
            Tests(names) => {
                let mut sorted = names.to_vec();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), names.len(), "{rule} names a test twice");
            }
            Later(issue) => assert!(*issue > 0, "{rule} names no issue"),
            Accepted(reason) => assert!(reason.contains(' '), "{rule} gives no reason"),
        }
    }
}
