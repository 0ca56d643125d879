//! Every byte and count limit of the house, named so that messages can cite them (S11, S16, S25, OQ2).
//!
//! Nothing else defines a byte limit; deadlines stand in `mcp-catalog/src/deadline.rs`.

/// A text page when the call names no size: 50 KiB (D3).
pub const PAGE_DEFAULT_BYTES: usize = 51_200;
/// The most that one answer may hold, in serialised JSON bytes: 200 KiB (S25).
pub const CEILING_BYTES: usize = 204_800;
/// The lowest ceiling a host may set (S25).
pub const CEILING_MIN_BYTES: usize = 4_096;
/// What the calls of one model reply share (S25).
pub const REPLY_SHARED_BYTES: usize = 614_400;
/// What each call of a crowded reply gets (S25).
pub const REPLY_MIN_SHARE_BYTES: usize = 25_600;
/// The largest decoded blob: 50 MiB (D3, OQ2).
pub const BLOB_DECODED_MAX_BYTES: usize = 50 << 20;
/// The most that the spill tree holds before old files go: 512 MiB (D3, OQ2).
pub const SPILL_TREE_MAX_BYTES: u64 = 512 << 20;
/// The longest stretch of a server's own words in a message (S19).
pub const SERVER_TEXT_MAX_BYTES: usize = 4_096;
/// The longest metadata string (a URI, a name, a mime type) in an answer (§4).
pub const METADATA_STRING_MAX_BYTES: usize = 4_096;
/// A URI that is made from a template and its arguments.
pub const EXPANDED_URI_MAX_BYTES: usize = 1 << 20;
/// The longest description in a search item (S22).
pub const DESCRIPTION_MAX_BYTES: usize = 600;
/// The longest stretch of a server's instructions shown to a model (S8).
pub const INSTRUCTIONS_MAX_BYTES: usize = 1_024;
/// The longest filter pattern (S27).
pub const PATTERN_MAX_BYTES: usize = 4_096;
/// The largest compiled filter pattern: 1 MiB (S27).
pub const PATTERN_COMPILED_MAX_BYTES: usize = 1 << 20;
/// Lines shown before and after a match (D4).
pub const FILTER_CONTEXT_LINES: usize = 2;
/// Room kept for the marker that names omitted items (S30).
pub const OMITTED_RESERVE_BYTES: usize = 2_048;
/// A page beside others is shrunk to fit only while this much room is left for its text; below, its item is named as
/// omitted (S30).
pub const PAGE_SHRUNK_MIN_BYTES: usize = 4_096;
/// The least that a text block is cut to, its marker included; blocks without room for it are omitted (S31).
pub const BLOCK_SHARE_MIN_BYTES: usize = 1_536;
/// A workspace's own `mcp.json`: far above what a person writes.
pub const WORKSPACE_FILE_MAX_BYTES: usize = 1 << 20;
/// How much of a `Retry-After` header is shown.
pub const RETRY_AFTER_MAX_BYTES: usize = 64;
/// The longest request that the landing of a login reads: 16 KiB (S47).
pub const LANDING_REQUEST_MAX_BYTES: u64 = 16 << 10;
/// The longest frame on any transport: 96 MiB (S16).
pub const FRAME_MAX_BYTES: usize = 96 << 20;
/// How much of the start and of the end of an unreadable frame is searched for its id (S10).
pub const FRAME_GLIMPSE_BYTES: usize = 4_096;
/// Room for one read of a server's stream: a pipe gives 64 KiB at a time, a widened one or a socket more.
pub const STREAM_BUFFER_BYTES: usize = 256 << 10;
/// What the page store keeps: 64 MiB (S28).
pub const PAGE_STORE_MAX_BYTES: usize = 64 << 20;
/// The most pages that one listing follows (S11).
pub const LISTING_MAX_PAGES: usize = 200;
/// The most items that one listing keeps (S11).
pub const LISTING_MAX_ITEMS: usize = 10_000;
/// The most JSON values that are built of one result, and of the schemas of one listing: a value in memory takes many
/// times its bytes on the wire.
pub const JSON_VALUES_MAX: usize = 2_000_000;
/// The longest name or id quoted in a message.
pub const QUOTED_NAME_MAX_BYTES: usize = 120;
/// The longest stretch of raw JSON quoted in a message (C36).
pub const QUOTED_JSON_MAX_BYTES: usize = 300;
/// The longest tool name that is accepted (S20).
pub const TOOL_NAME_MAX_BYTES: usize = 128;
/// Search results when the call names no number (S22).
pub const SEARCH_DEFAULT_ITEMS: usize = 8;
/// The most search results of one call (S22).
pub const SEARCH_MAX_ITEMS: usize = 50;
/// How many close matches an unknown id is answered with (S23).
pub const CLOSEST_ITEMS: usize = 5;

/// What is kept of the output of a local tool, and the largest file that is searched or handed on whole: 16 MiB.
pub const LOCAL_OUTPUT_MAX_BYTES: usize = 16 << 20;
/// How much of the end of a failed local tool's stderr is shown.
pub const STDERR_TAIL_MAX_BYTES: usize = 2_048;
/// The most entries of a directory listing, and the most paths that a pattern finds.
pub const LOCAL_PATHS_MAX_ITEMS: usize = 1_000;
/// The most files that one search in files looks into.
pub const LOCAL_SEARCH_MAX_FILES: usize = 20_000;
/// The most bytes of one file that is attached to a message: 10 MiB.
pub const ATTACHED_FILE_BYTES: usize = 10 << 20;
/// The most bytes of all files of one message: 20 MiB.
pub const ATTACHED_BYTES: usize = 20 << 20;
/// The most files of one glob.
pub const ATTACHED_FILES: usize = 100;
/// The most bytes of a call's arguments that a question about it shows (S40).
pub const ASKED_ARGUMENTS_BYTES: usize = 4_096;

/// When a host's log is put aside: 10 MiB (host.md "Files").
pub const LOG_FILE_MAX_BYTES: u64 = 10 << 20;
/// The longest reply of a model, reasoning and arguments included: 16 MiB.
pub const MODEL_REPLY_BYTES: usize = 16 << 20;
/// The most functions that one reply of a model calls.
pub const MODEL_REPLY_CALLS: usize = 1_000;
/// The most models of a provider that are listed.
pub const MODEL_NAMES_LISTED: usize = 2_000;
/// The longest name among them.
pub const MODEL_NAME_BYTES: usize = 256;
/// The longest stretch of a model provider's own words in an error.
pub const MODEL_ERROR_BYTES: usize = 300;
/// The longest stretch of a reply that is laid out as one block of Markdown, and the longest line: 64 KiB. What goes on
/// beyond it begins a block of its own, and such a line is plain text.
pub const MARKDOWN_BLOCK_BYTES: usize = 64 << 10;

/// The most that is typed ahead while another program has the terminal: 64 KiB. What goes beyond it is read as keys.
pub const TYPED_AHEAD_BYTES: usize = 64 << 10;
/// How deep nested lists and quotes are indented.
pub const MARKDOWN_DEPTH: usize = 12;
/// The longest line of code that is coloured.
pub const HIGHLIGHTED_LINE_BYTES: usize = 2_048;
/// The most of one code block that is coloured: 256 KiB.
pub const HIGHLIGHTED_CODE_BYTES: usize = 256 << 10;
/// How many files a host's log may be, the current one included.
pub const LOG_FILES: usize = 5;
/// The longest message from one agent to another: 16 KiB.
pub const AGENT_MESSAGE_MAX_BYTES: usize = 16 << 10;
/// The most messages that wait to be read in one agent's inbox.
pub const AGENT_INBOX_MAX_ITEMS: usize = 100;
/// How many agents that have ended are kept with what they answered; the oldest that was collected goes first.
pub const AGENTS_KEPT_MAX_ITEMS: usize = 64;

/// How many serialised JSON bytes one answer may hold (S25). Always within `CEILING_MIN_BYTES..=CEILING_BYTES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ceiling(usize);

impl Ceiling {
    /// A ceiling of `bytes`, raised or lowered into the allowed range.
    pub const fn new(bytes: usize) -> Self {
        if bytes < CEILING_MIN_BYTES {
            Self(CEILING_MIN_BYTES)
        } else if bytes > CEILING_BYTES {
            Self(CEILING_BYTES)
        } else {
            Self(bytes)
        }
    }

    /// The share of one of `calls` calls in one model reply (S25): up to 24 share evenly, beyond that each gets
    /// [`REPLY_MIN_SHARE_BYTES`], and none more than this ceiling.
    #[must_use]
    pub const fn shared_by(self, calls: usize) -> Self {
        let calls = if calls == 0 { 1 } else { calls };
        let even = REPLY_SHARED_BYTES / calls;
        let share = if even < REPLY_MIN_SHARE_BYTES { REPLY_MIN_SHARE_BYTES } else { even };
        if share < self.0 { Self::new(share) } else { self }
    }

    /// The ceiling in bytes.
    pub const fn bytes(self) -> usize {
        self.0
    }
}

impl Default for Ceiling {
    fn default() -> Self {
        Self(CEILING_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_one_reply_share_evenly_up_to_24_and_get_25600_bytes_beyond() {
        let share = |calls| Ceiling::default().shared_by(calls).bytes();
        assert_eq!([0, 1, 2, 3].map(share), [204_800; 4]);
        assert_eq!([4, 6, 24].map(share), [153_600, 102_400, 25_600]);
        assert_eq!([25, 1_000, usize::MAX].map(share), [25_600; 3]);
    }

    #[test]
    fn a_share_is_never_more_than_the_hosts_ceiling_and_a_ceiling_never_less_than_4096() {
        assert_eq!(Ceiling::new(10_000).shared_by(30).bytes(), 10_000);
        assert_eq!(Ceiling::new(0).bytes(), CEILING_MIN_BYTES);
        assert_eq!(Ceiling::new(usize::MAX).bytes(), CEILING_BYTES);
    }
}
