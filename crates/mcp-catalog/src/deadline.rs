//! Every deadline of the house (S12, S15, S18). Byte limits stand in `mcp-render/src/limits.rs`.

use std::time::Duration;

/// `initialize` and the whole start of a server.
pub const HANDSHAKE: Duration = Duration::from_secs(30);
/// One listing of one kind, all pages (S11).
pub const LISTING: Duration = Duration::from_secs(30);
/// `resources/read`.
pub const READ: Duration = Duration::from_mins(1);
/// `prompts/get`.
pub const PROMPT: Duration = Duration::from_mins(1);
/// `tools/call`.
pub const CALL: Duration = Duration::from_mins(2);
/// The cap on a request whose clock progress keeps restarting.
pub const TOTAL: Duration = Duration::from_mins(30);
/// A local tool's run, unless `tool_timeout` says otherwise.
pub const LOCAL_TOOL: Duration = Duration::from_mins(30);
/// A completion, and the listings that only improve an error (S19, S37).
pub const QUICK: Duration = Duration::from_secs(2);
/// One listing of a kind that was not declared: `doctor` asks for it, and for nothing that depends on it (S4).
pub const UNDECLARED: Duration = Duration::from_secs(5);
/// A start that a user waits for, when nothing else starts beside it.
pub const SLOW_START: Duration = Duration::from_secs(5);
/// How long the last words of a server that did not start may take to arrive.
pub const LAST_WORDS: Duration = Duration::from_millis(100);
/// How long a table of servers waits for counts once the last of them has started or failed.
pub const COUNTS: Duration = Duration::from_millis(800);
/// How long a first request waits for servers that are still starting (S14).
pub const LATE_START: Duration = Duration::from_secs(3);
/// Between closing stdin, SIGTERM and SIGKILL of one server while `coyote` runs (S18).
pub const GRACE: Duration = Duration::from_secs(3);
/// The same when `coyote` exits.
pub const GRACE_AT_EXIT: Duration = Duration::from_millis(500);
/// The same after Ctrl-C or SIGTERM.
pub const GRACE_AT_SIGNAL: Duration = Duration::from_millis(250);
/// How long a model or a call has to end by itself once the user stopped a turn; what is left is dropped, which cancels
/// too (S13).
pub const HANDING_BACK: Duration = Duration::from_millis(150);
/// How long a file that is attached by its URL may take.
pub const FETCH: Duration = Duration::from_secs(30);
/// How often a line that moves does so.
pub const TICK: Duration = Duration::from_millis(100);
/// How often the line editor looks whether something is to be shown, while no key comes.
pub const LOOK: Duration = Duration::from_millis(10);
/// Between a server's hanging up and its process being seen to end, which tells why.
pub const HANG_UP: Duration = Duration::from_millis(900);
/// Until a killed process that is still there is given up: it hangs in the kernel (S18).
pub const REAPING: Duration = Duration::from_secs(2);
/// How long no second try to connect again is made after a first one that failed; each further one doubles it (S15).
pub const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest such pause.
pub const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// A stream of a server over HTTP that stood for so long may be opened again at once.
pub const LASTING_STREAM: Duration = Duration::from_secs(10);
/// The pause before a stream that did not last is opened for the third time; each further one doubles it.
pub const STREAM_FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest such pause.
pub const STREAM_LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long a person may take for a login (S47).
pub const LOGIN: Duration = Duration::from_mins(5);
/// How long the system's store of secrets may take, which may ask a person to unlock it (S47).
pub const VAULT: Duration = Duration::from_secs(20);
/// How long the browser's request to the landing of a login may take.
pub const LANDING_REQUEST: Duration = Duration::from_secs(5);
/// Until the connection to a model's provider stands, where a client sets no `connect_timeout`.
pub const MODEL_CONNECT: Duration = Duration::from_secs(10);
/// The longest silence of a model: before its first word and between two, where a client sets no `read_timeout`. A model
/// that thinks, or is being loaded, says nothing for minutes.
pub const MODEL_SILENCE: Duration = Duration::from_mins(5);
/// A whole reply of a model that is not streamed, where a client sets no `read_timeout`.
pub const MODEL_WHOLE: Duration = Duration::from_mins(10);
/// How long a provider may take to list its models.
pub const MODEL_NAMES: Duration = Duration::from_secs(10);
/// The pause before a request to a model is sent again for the first time; each further one doubles it.
pub const MODEL_FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest such pause of our own.
pub const MODEL_LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// The longest pause that a provider's `retry-after` may ask for; a longer one ends the request.
pub const MODEL_RETRY_AFTER: Duration = Duration::from_mins(1);
/// How long a local Ollama may take to accept a connection when it is looked for.
pub const OLLAMA_CONNECT: Duration = Duration::from_millis(300);
/// How long it may take to list its models.
pub const OLLAMA_LIST: Duration = Duration::from_secs(2);
