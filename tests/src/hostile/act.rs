//! What a hostile server can do, as data.
//!
//! In every text `$ID` stands for the id of the message that is played for (of the cancelled request, in a cancellation),
//! `$TOKEN` for its progress token, `$N` for the number of earlier messages of that method, `$I` for the turn of the
//! innermost repetition.

use std::time::Duration;

/// What is done instead of the plain answer, and when.
#[derive(Debug, Clone)]
pub struct Play {
    /// When.
    pub on: On,
    /// How often; without a bound when absent.
    pub times: Option<u64>,
    /// What, in order. Nothing at all is an act, too: no answer.
    pub acts: Vec<Act>,
}

/// When a play begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Before anything is read.
    Start,
    /// At a message of this method.
    Method(&'static str),
    /// When stdin ends.
    Eof,
}

/// One act.
#[derive(Debug, Clone)]
pub enum Act {
    /// The plain answer.
    Plain,
    /// The head of an HTTP answer: its status and its headers, a line each. What follows is the body as it is; without a
    /// head, every line is an event of a stream.
    Head(String),
    /// A line.
    Line(String),
    /// Bytes as they are, with no line end.
    Bytes(Vec<u8>),
    /// A line, every byte written by itself.
    Trickle(String),
    /// So many of this byte, with no line end.
    Fill(u8, u64),
    /// This byte for ever.
    FillForEver(u8),
    /// Acts in turn, so many times.
    Times(u64, Vec<Act>),
    /// Acts in turn, until the client says something.
    UntilHeard(Vec<Act>),
    /// Wait until the client has answered a request of this server.
    Hear,
    /// Wait.
    Wait(Duration),
    /// So many lines on stderr.
    Complain(u64),
    /// Write back every line that is read, for ever.
    Echo,
    /// A process of its own that holds on to stdin and stdout.
    Heir,
    /// Take no notice of SIGTERM, SIGHUP and SIGINT from now on. Only at the start.
    IgnoreSignals,
    /// Go.
    Leave(Leave),
}

/// A way to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// The process ends with this status.
    Exit(u8),
    /// The process is killed.
    Killed,
    /// The process lives on with its stdout closed, and reads nothing.
    ClosesStdout,
    /// The process lives on with its stdin closed, and writes nothing.
    ClosesStdin,
    /// The process lives on, and neither reads nor writes.
    Freezes,
    /// The HTTP connection ends; the server takes the next one.
    HangsUp,
}
