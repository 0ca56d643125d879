//! A scenario on the stage over HTTP: one request a connection, each played for or plainly answered.
//!
//! The acts are those of the other stage. Without a head, what they say becomes a stream of events, a line each; behind a
//! head it is the body as it stands. A play without acts leaves the client waiting for as long as it likes. Streams that
//! the client opens (`GET`) and the end of a session (`DELETE`) are played for by their verb.

use super::{
    act::{Act, Leave, Play},
    diary::Pen,
    play::{Message, begin, complain, fits, plain},
    voice::{FILLING, Names, Voice},
};
use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, ExitCode},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

/// The head of a stream.
const EVENTS: &str = "200 OK\nContent-Type: text/event-stream";
/// How long an act waits for a client that says nothing more.
const PATIENCE: Duration = Duration::from_secs(30);

/// The server while it plays.
#[derive(Debug)]
pub(super) struct WebStage {
    state: Mutex<State>,
    heard: Condvar,
    end: Sender<ExitCode>,
}

#[derive(Debug)]
struct State {
    plays: Vec<Play>,
    pen: Pen,
    seen: HashMap<String, u64>,
    /// How many messages have come.
    messages: u64,
    /// How many answers of the client no act has waited for yet.
    answers: u64,
}

/// Whether the connection goes on.
#[derive(Debug, PartialEq, Eq)]
enum Flow {
    On,
    HungUp,
}

/// One request.
struct Asked {
    verb: String,
    body: Vec<u8>,
}

/// Plays on the loopback address until the scenario ends; says on stdout where it is.
pub(super) fn run(plays: Vec<Play>, pen: Pen, port: u16) -> io::Result<ExitCode> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("{}", listener.local_addr()?.port());
    let (end, ended) = channel();
    let state = Mutex::new(State { plays, pen, seen: HashMap::new(), messages: 0, answers: 0 });
    let web = Arc::new(WebStage { state, heard: Condvar::new(), end });
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let web = Arc::clone(&web);
            // A client that goes away in the middle of something is its own affair.
            thread::spawn(move || drop(web.connection(stream)));
        }
    });
    ended.recv().map_err(io::Error::other)
}

impl WebStage {
    fn connection(&self, stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let Some(asked) = read(&mut reader)? else { return Ok(()) };
        let (method, names, acts) = self.cast(&asked)?;
        if acts.is_empty() {
            // Until the client closes its end.
            let _ = reader.read(&mut [0]);
            return Ok(());
        }
        let mut voice = Voice::plain(BufWriter::with_capacity(FILLING, stream));
        if acts.iter().all(|act| matches!(act, Act::Plain)) && acts.len() == 1 {
            return plainly(&mut voice, &method, &names);
        }
        if !acts.iter().any(|act| matches!(act, Act::Head(_) | Act::Leave(Leave::HangsUp))) {
            head(&mut voice, EVENTS)?;
            voice.as_events();
        }
        let mut names = names;
        self.perform(&acts, &method, &mut names, &mut voice)?;
        voice.flush()
    }

    /// What is played for a request, and by which names.
    fn cast(&self, asked: &Asked) -> io::Result<(String, Names, Vec<Act>)> {
        let mut state = self.lock();
        let message = if asked.verb == "POST" {
            state.messages += 1;
            Message::heard(&asked.body, &mut state.pen)?
        } else {
            state.pen.verb(&asked.verb)?;
            Message {
                method: Some(asked.verb.clone()),
                id: "0".to_owned(),
                token: "0".to_owned(),
                expects_answer: false,
            }
        };
        let method = message.method.unwrap_or_default();
        if method.is_empty() {
            state.answers += 1;
        }
        self.heard.notify_all();
        let seen = state.seen.entry(method.clone()).or_default();
        let names = Names { id: message.id, token: message.token, nth: *seen, turn: 0 };
        *seen += 1;
        let acts = match state.plays.iter_mut().find(|play| fits(play, &method)) {
            Some(play) => begin(play),
            None if message.expects_answer && !method.is_empty() => vec![Act::Plain],
            None => vec![Act::Head(by_itself(&method).to_owned())],
        };
        Ok((method, names, acts))
    }

    fn perform<W: Write>(
        &self,
        acts: &[Act],
        method: &str,
        names: &mut Names,
        voice: &mut Voice<W>,
    ) -> io::Result<Flow> {
        for act in acts {
            if self.act(act, method, names, voice)? == Flow::HungUp {
                return Ok(Flow::HungUp);
            }
        }
        Ok(Flow::On)
    }

    fn act<W: Write>(&self, act: &Act, method: &str, names: &mut Names, voice: &mut Voice<W>) -> io::Result<Flow> {
        match act {
            Act::Plain => voice.line(&plain(method), names)?,
            Act::Head(text) => head(voice, text)?,
            Act::Line(text) => voice.line(text, names)?,
            Act::Bytes(bytes) => voice.bytes(bytes, names)?,
            Act::Trickle(text) => voice.trickle(text, names)?,
            Act::Fill(byte, count) => voice.fill(*byte, *count)?,
            Act::FillForEver(byte) => loop {
                voice.fill(*byte, u64::MAX)?;
            },
            Act::Times(count, acts) => {
                for turn in 0..*count {
                    names.turn = turn;
                    if self.perform(acts, method, names, voice)? == Flow::HungUp {
                        return Ok(Flow::HungUp);
                    }
                }
            }
            Act::UntilHeard(acts) => {
                let before = self.lock().messages;
                while self.lock().messages == before {
                    self.perform(acts, method, names, voice)?;
                    voice.flush()?;
                }
            }
            Act::Hear => {
                voice.flush()?;
                self.hear_answer();
            }
            Act::Wait(time) => {
                voice.flush()?;
                thread::sleep(*time);
            }
            Act::Complain(lines) => complain(*lines)?,
            Act::Echo | Act::Heir | Act::IgnoreSignals => return Err(io::Error::other("no act of a server over HTTP")),
            Act::Leave(leave) => return self.leave(*leave, voice),
        }
        Ok(Flow::On)
    }

    fn hear_answer(&self) {
        let waited = self.heard.wait_timeout_while(self.lock(), PATIENCE, |state| state.answers == 0);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.answers = state.answers.saturating_sub(1);
    }

    fn leave<W: Write>(&self, leave: Leave, voice: &mut Voice<W>) -> io::Result<Flow> {
        voice.flush()?;
        let signal = |name: &str| Command::new("sh").args(["-c", &format!("kill -{name} $PPID")]).status();
        match leave {
            Leave::Exit(status) => drop(self.end.send(ExitCode::from(status))),
            Leave::Killed => drop(signal("KILL")?),
            Leave::Freezes => drop(signal("STOP")?),
            Leave::HangsUp | Leave::ClosesStdin | Leave::ClosesStdout => return Ok(Flow::HungUp),
        }
        // The process leaves in a moment, and the connection is not to end before it does.
        thread::sleep(PATIENCE);
        Ok(Flow::On)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A good answer in one body.
fn plainly<W: Write>(voice: &mut Voice<W>, method: &str, names: &Names) -> io::Result<()> {
    head(voice, "200 OK\nContent-Type: application/json")?;
    voice.line(&plain(method), names)?;
    voice.flush()
}

/// What is answered where there is nothing to say.
fn by_itself(method: &str) -> &'static str {
    match method {
        "GET" => "405 Method Not Allowed\nContent-Length: 0",
        "DELETE" => "200 OK\nContent-Length: 0",
        _ => "202 Accepted\nContent-Length: 0",
    }
}

fn head<W: Write>(voice: &mut Voice<W>, text: &str) -> io::Result<()> {
    let lines = text.lines().map(|line| format!("{line}\r\n")).collect::<Vec<_>>().concat();
    voice.raw(format!("HTTP/1.1 {lines}Connection: close\r\n\r\n").as_bytes())
}

/// `None` when the client has gone before it asked.
fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let Some(verb) = first.split(' ').next().filter(|verb| !verb.is_empty()) else { return Ok(None) };
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Asked { verb: verb.to_owned(), body }))
}
