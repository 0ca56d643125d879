//! A scenario on the stage: one message after the other, each played or plainly answered.

use super::{
    act::{Act, Leave, On, Play},
    diary::Pen,
    text,
    voice::{FILLING, Names, Voice},
};
use serde_json::Value;
use std::{
    collections::{HashMap, VecDeque},
    env,
    io::{self, BufRead, BufReader, BufWriter, StdoutLock, Write},
    process::{Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel},
    thread,
    time::Duration,
};

/// The argument with which a server becomes its own heir.
pub(super) const HEIR: &str = "--heir";
/// The argument that tells a server that it ignores signals already.
pub(super) const DEAF_TO_SIGNALS: &str = "--deaf-to-signals";

/// A message of the client.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) method: Option<String>,
    /// The id in JSON; of the cancelled request, in a cancellation.
    pub(super) id: String,
    pub(super) token: String,
    pub(super) expects_answer: bool,
}

impl Message {
    /// What is heard is written down.
    pub(super) fn heard(line: &[u8], pen: &mut Pen) -> io::Result<Self> {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        pen.message(line, &value)?;
        let json = |pointer: &str| value.pointer(pointer).map_or_else(|| "null".to_owned(), Value::to_string);
        let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
        let expects_answer = value.get("id").is_some();
        let id = if expects_answer { json("/id") } else { json("/params/requestId") };
        Ok(Self { method, id, token: json("/params/_meta/progressToken"), expects_answer })
    }
}

/// The server while it plays.
#[derive(Debug)]
pub(super) struct Stage {
    plays: Vec<Play>,
    pen: Pen,
    /// Taken when reading begins.
    ear: Option<SyncSender<Vec<u8>>>,
    input: Receiver<Vec<u8>>,
    output: Voice<BufWriter<StdoutLock<'static>>>,
    /// Heard while an act went on, and not yet played for.
    waiting: VecDeque<Message>,
    seen: HashMap<String, u64>,
}

/// Whether the show goes on.
enum Flow {
    On,
    Over(ExitCode),
}

impl Stage {
    /// A server that plays `plays` and writes into the diary.
    pub(super) fn new(plays: Vec<Play>, pen: Pen) -> Self {
        let (ear, input) = sync_channel(0);
        let output = Voice::plain(BufWriter::with_capacity(FILLING, io::stdout().lock()));
        Self { plays, pen, ear: Some(ear), input, output, waiting: VecDeque::new(), seen: HashMap::new() }
    }

    /// Begins to read, once. Nothing is read before: a program that replaces itself at its start leaves all that the
    /// client has written to its successor.
    fn listen(&mut self) {
        // Nobody waits in the channel but one line, so a server that does not listen fills its pipe.
        let Some(sender) = self.ear.take() else { return };
        thread::spawn(move || {
            let mut stdin = BufReader::new(io::stdin());
            let mut line = Vec::new();
            while stdin.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
    }

    /// Plays until the client has gone or the scenario ends.
    pub(super) fn run(mut self) -> io::Result<ExitCode> {
        if let Flow::Over(status) = self.event(On::Start)? {
            return Ok(status);
        }
        self.listen();
        while let Some(message) = self.next()? {
            if let Flow::Over(status) = self.message(&message)? {
                return Ok(status);
            }
            self.output.flush()?;
        }
        match self.event(On::Eof)? {
            Flow::On => Ok(ExitCode::SUCCESS),
            Flow::Over(status) => Ok(status),
        }
    }

    fn event(&mut self, on: On) -> io::Result<Flow> {
        let Some(acts) = self.take(on) else { return Ok(Flow::On) };
        let mut names = Names::none();
        let flow = self.perform(&acts, "", &mut names)?;
        self.output.flush()?;
        Ok(flow)
    }

    fn message(&mut self, message: &Message) -> io::Result<Flow> {
        let Some(method) = message.method.as_deref() else { return Ok(Flow::On) };
        let seen = self.seen.entry(method.to_owned()).or_default();
        let mut names = Names { id: message.id.clone(), token: message.token.clone(), nth: *seen, turn: 0 };
        *seen += 1;
        let acts = match self.plays.iter_mut().find(|play| fits(play, method)) {
            Some(play) => begin(play),
            None if message.expects_answer => vec![Act::Plain],
            None => Vec::new(),
        };
        self.perform(&acts, method, &mut names)
    }

    fn take(&mut self, on: On) -> Option<Vec<Act>> {
        self.plays.iter_mut().find(|play| play.on == on && play.times != Some(0)).map(begin)
    }

    fn perform(&mut self, acts: &[Act], method: &str, names: &mut Names) -> io::Result<Flow> {
        for act in acts {
            if let Flow::Over(status) = self.act(act, method, names)? {
                return Ok(Flow::Over(status));
            }
        }
        Ok(Flow::On)
    }

    fn act(&mut self, act: &Act, method: &str, names: &mut Names) -> io::Result<Flow> {
        match act {
            Act::Plain => self.output.line(&plain(method), names)?,
            Act::Line(text) => self.output.line(text, names)?,
            Act::Bytes(bytes) => self.output.bytes(bytes, names)?,
            Act::Trickle(text) => self.output.trickle(text, names)?,
            Act::Fill(byte, count) => self.output.fill(*byte, *count)?,
            Act::FillForEver(byte) => loop {
                self.output.fill(*byte, u64::MAX)?;
            },
            Act::Times(count, acts) => {
                for turn in 0..*count {
                    names.turn = turn;
                    if let Flow::Over(status) = self.perform(acts, method, names)? {
                        return Ok(Flow::Over(status));
                    }
                }
            }
            Act::UntilHeard(acts) => {
                while !self.hears_something()? {
                    self.perform(acts, method, names)?;
                    self.output.flush()?;
                }
            }
            Act::Hear => self.hear_answer()?,
            Act::Wait(time) => self.wait(*time)?,
            Act::Complain(lines) => complain(*lines)?,
            Act::Echo => self.echo()?,
            Act::Heir => self.leave_heir()?,
            Act::IgnoreSignals => return ignore_signals(),
            Act::Leave(leave) => return self.leave(*leave),
            Act::Head(_) => return Err(io::Error::other("a head stands in HTTP only")),
        }
        Ok(Flow::On)
    }

    fn wait(&mut self, time: Duration) -> io::Result<()> {
        self.output.flush()?;
        thread::sleep(time);
        Ok(())
    }

    /// The next message; `None` when the client has gone.
    fn next(&mut self) -> io::Result<Option<Message>> {
        if let Some(message) = self.waiting.pop_front() {
            return Ok(Some(message));
        }
        match self.input.recv() {
            Ok(line) => self.heard(&line).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn heard(&mut self, line: &[u8]) -> io::Result<Message> {
        Message::heard(line, &mut self.pen)
    }

    fn hears_something(&mut self) -> io::Result<bool> {
        match self.input.try_recv() {
            Ok(line) => {
                let message = self.heard(&line)?;
                self.waiting.push_back(message);
                Ok(true)
            }
            Err(TryRecvError::Empty) => Ok(false),
            Err(TryRecvError::Disconnected) => Ok(true),
        }
    }

    fn hear_answer(&mut self) -> io::Result<()> {
        self.output.flush()?;
        while let Ok(line) = self.input.recv() {
            let message = self.heard(&line)?;
            if message.method.is_none() {
                break;
            }
            self.waiting.push_back(message);
        }
        Ok(())
    }

    fn echo(&mut self) -> io::Result<()> {
        while let Ok(line) = self.input.recv() {
            self.heard(&line)?;
            self.output.raw(&line)?;
            self.output.flush()?;
        }
        Ok(())
    }

    fn leave_heir(&mut self) -> io::Result<()> {
        self.output.flush()?;
        let heir = Command::new(env::current_exe()?).arg(HEIR).spawn()?;
        self.pen.process(heir.id())
    }

    fn leave(&mut self, leave: Leave) -> io::Result<Flow> {
        self.output.flush()?;
        let stays = || {
            let mut sleep = Command::new("sleep");
            sleep.arg("60");
            sleep
        };
        match leave {
            Leave::Exit(status) => Ok(Flow::Over(ExitCode::from(status))),
            Leave::Killed => {
                Command::new("sh").args(["-c", "kill -9 $PPID"]).status()?;
                Err(io::Error::other("still there after being killed"))
            }
            Leave::ClosesStdout => become_another(stays().stdout(Stdio::null())),
            Leave::ClosesStdin => become_another(stays().stdin(Stdio::null())),
            Leave::Freezes => become_another(&mut stays()),
            Leave::HangsUp => Err(io::Error::other("only an HTTP connection is hung up")),
        }
    }
}

pub(super) fn begin(play: &mut Play) -> Vec<Act> {
    play.times = play.times.map(|left| left.saturating_sub(1));
    play.acts.clone()
}

pub(super) fn fits(play: &Play, method: &str) -> bool {
    play.times != Some(0) && matches!(play.on, On::Method(own) if own == method)
}

/// What a good server answers.
pub(super) fn plain(method: &str) -> String {
    match text::plain_result(method) {
        Some(result) => text::reply(&result),
        None => r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#.to_owned(),
    }
}

pub(super) fn complain(lines: u64) -> io::Result<()> {
    let mut stderr = BufWriter::new(io::stderr().lock());
    for number in 0..lines {
        writeln!(stderr, "warning {number}: nothing is as it should be, and this line says so at some length")?;
    }
    stderr.flush()
}

/// Ignored signals stay ignored in the program that a shell becomes.
fn ignore_signals() -> io::Result<Flow> {
    if env::args().any(|arg| arg == DEAF_TO_SIGNALS) {
        return Ok(Flow::On);
    }
    let script = "trap '' TERM HUP INT; exec \"$0\" \"$@\"";
    let own = env::args_os().skip(1);
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(env::current_exe()?).args(own).arg(DEAF_TO_SIGNALS);
    become_another(&mut shell)
}

/// Replaces this program; the process stays.
#[cfg(unix)]
fn become_another(command: &mut Command) -> io::Result<Flow> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_another(_command: &mut Command) -> io::Result<Flow> {
    Err(io::ErrorKind::Unsupported.into())
}
