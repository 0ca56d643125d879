//! One row of the table, and how it is written down.

use super::act::{Act, Leave, On, Play};

/// One row: what a server does, what it is asked, and what must come of it.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name, which one row a transport has.
    pub name: &'static str,
    /// Where it was seen: a section of the fact sheet, a case of the field, or a rule.
    pub cites: &'static str,
    /// How the server is reached.
    pub transport: Transport,
    /// What the server does that a good one does not.
    pub plays: Vec<Play>,
    /// What it is asked, in order, and what must be answered. Ends with the first handshake that fails.
    pub asks: Vec<(Ask, Expected)>,
    /// The most requests that this may cost it, beside the handshake.
    pub requests: usize,
    /// What the client must have answered to the server's own requests, and nothing else.
    pub answers: Answers,
    /// How long the client waits.
    pub patience: Patience,
    /// What the next call needs.
    pub next: Next,
    /// No other row runs meanwhile, because memory is measured.
    pub alone: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A child process that speaks on its stdin and stdout.
    Stdio,
    /// A server on a port of this machine.
    Http,
}

/// What a client asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Call the tool `t`.
    Invoke,
    /// Call it with an argument of so many bytes.
    InvokeWith(usize),
    /// Read `a://1`.
    Read,
    /// Get the prompt `p`.
    Prompt,
    /// List one kind: at most 50 entries are shown.
    Search(&'static str),
    /// List every kind: eight entries are shown.
    SearchAll,
}

/// What must be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The code of S19; `None` when there is a result.
    pub code: Option<&'static str>,
    /// What stands in the answer's JSON text.
    pub holds: Vec<&'static str>,
    /// What stands nowhere in it.
    pub lacks: Vec<&'static str>,
}

/// What a client must have answered to requests of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// These and no others: id, then `result` and its JSON, or `error` and its code.
    Exactly(Vec<&'static str>),
    /// Some, all of this ending.
    All(&'static str),
}

/// How long a client waits. Only rows in which no answer can come wait for less than [`Patience::Long`], so that no row is
/// decided by how busy a machine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Longer than anything takes.
    Long,
    /// The handshake is given up soon.
    ShortStart,
    /// Requests are given up soon, however much progress is reported.
    ShortCall,
    /// Requests are given up soon unless progress is reported.
    ShortIdle,
}

/// What the next call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing: the connection works on.
    Same,
    /// The server is gone, which the client sees by itself; one reconnect.
    Reconnect,
    /// The server is there and deaf or jammed, which only a person can judge: a forced reconnect.
    Forced,
}

impl Scenario {
    /// Its name in the table and, behind two hyphens, the flag of the server.
    pub fn label(&self) -> String {
        match self.transport {
            Transport::Stdio => self.name.to_owned(),
            Transport::Http => format!("http-{}", self.name),
        }
    }

    /// The same row over HTTP.
    pub(super) fn over_http(self) -> Self {
        Self { transport: Transport::Http, ..self }
    }

    /// A row over stdio in which everything is as it should be.
    pub(super) fn stdio(name: &'static str, cites: &'static str) -> Self {
        Self {
            name,
            cites,
            transport: Transport::Stdio,
            plays: Vec::new(),
            asks: Vec::new(),
            requests: 1,
            answers: Answers::Exactly(Vec::new()),
            patience: Patience::Long,
            next: Next::Same,
            alone: false,
        }
    }

    /// A row whose server plays `acts` for the first call of its tool.
    pub(super) fn call(name: &'static str, cites: &'static str, acts: impl Into<Vec<Act>>) -> Self {
        Self::stdio(name, cites).once(On::Method("tools/call"), acts)
    }

    /// A row whose server plays `acts` for `initialize`.
    pub(super) fn greeting(name: &'static str, cites: &'static str, acts: impl Into<Vec<Act>>) -> Self {
        Self::stdio(name, cites).once(On::Method("initialize"), acts)
    }

    /// A row whose server plays `acts` for every page of its tools, which a client lists.
    pub(super) fn pages(name: &'static str, cites: &'static str, acts: impl Into<Vec<Act>>) -> Self {
        Self::stdio(name, cites).always(On::Method("tools/list"), acts)
    }

    /// The same with a play that happens once.
    pub(super) fn once(self, on: On, acts: impl Into<Vec<Act>>) -> Self {
        self.play(on, Some(1), acts)
    }

    /// The same with a play that happens every time.
    pub(super) fn always(self, on: On, acts: impl Into<Vec<Act>>) -> Self {
        self.play(on, None, acts)
    }

    fn play(mut self, on: On, times: Option<u64>, acts: impl Into<Vec<Act>>) -> Self {
        self.plays.push(Play { on, times, acts: acts.into() });
        self
    }

    /// The tool is called and answers as it should.
    pub(super) fn fine(self) -> Self {
        self.asking(Ask::Invoke, Expected::fine())
    }

    /// The tool is called, and the answer holds all of this.
    pub(super) fn gives(self, holds: impl Into<Vec<&'static str>>) -> Self {
        self.asking(Ask::Invoke, Expected::holding(holds))
    }

    /// The tool is called, and the call fails with this code. A server's own error is looked into, which costs a listing.
    pub(super) fn fails(self, code: &'static str) -> Self {
        let row = if code == "server_error" { self.costing(2) } else { self };
        row.asking(Ask::Invoke, Expected::code(code))
    }

    /// The handshake fails, and the next start is a good one.
    pub(super) fn refused(self) -> Self {
        self.fails("handshake_failed").costing(0).reconnects()
    }

    /// The tools are listed, and the answer holds all of this.
    pub(super) fn lists(self, holds: impl Into<Vec<&'static str>>) -> Self {
        self.asking(Ask::Search("tool"), Expected::holding(holds))
    }

    /// The same with one more thing asked.
    pub(super) fn asking(mut self, ask: Ask, expected: Expected) -> Self {
        self.asks.push((ask, expected));
        self
    }

    /// The same with these things asked and no others.
    pub(super) fn asking_only(mut self, ask: Ask, expected: Expected) -> Self {
        self.asks.clear();
        self.asking(ask, expected)
    }

    /// The same with another bound on requests.
    pub(super) fn costing(self, requests: usize) -> Self {
        Self { requests, ..self }
    }

    /// The same with answers to the server's requests.
    pub(super) fn answered(self, answers: impl Into<Vec<&'static str>>) -> Self {
        Self { answers: Answers::Exactly(answers.into()), ..self }
    }

    /// The same with any number of answers to the server's requests.
    pub(super) fn always_answered(self, ending: &'static str) -> Self {
        Self { answers: Answers::All(ending), ..self }
    }

    /// The same with a client that waits so long.
    pub(super) fn waiting(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The same with a server that is gone afterwards.
    pub(super) fn reconnects(self) -> Self {
        Self { next: Next::Reconnect, ..self }
    }

    /// The same with a connection that works on.
    pub(super) fn same(self) -> Self {
        Self { next: Next::Same, ..self }
    }

    /// Whether the server ends by itself.
    pub fn ends_itself(&self) -> bool {
        fn ends(acts: &[Act]) -> bool {
            acts.iter().any(|act| match act {
                Act::Leave(leave) => matches!(leave, Leave::Exit(_) | Leave::Killed),
                Act::Times(_, acts) | Act::UntilHeard(acts) => ends(acts),
                _ => false,
            })
        }
        self.plays.iter().any(|play| ends(&play.acts))
    }

    /// The same with a server that is of no more use afterwards.
    pub(super) fn jams(self) -> Self {
        Self { next: Next::Forced, ..self }
    }

    /// The same, by itself.
    pub(super) fn alone(self) -> Self {
        Self { alone: true, ..self }
    }
}

impl Expected {
    /// The plain answer.
    pub fn fine() -> Self {
        Self::holding(["fine"])
    }

    /// Whether the client waits in vain, and so cancels.
    pub fn gives_up(&self) -> bool {
        self.code == Some("timeout") || self.holds.contains(&"(timeout)")
    }

    /// A result that holds all of this.
    pub(super) fn holding(holds: impl Into<Vec<&'static str>>) -> Self {
        Self { code: None, holds: holds.into(), lacks: Vec::new() }
    }

    /// A failure.
    pub(super) fn code(code: &'static str) -> Self {
        Self { code: Some(code), holds: Vec::new(), lacks: Vec::new() }
    }

    /// The same without this.
    pub(super) fn lacking(mut self, lacks: impl Into<Vec<&'static str>>) -> Self {
        self.lacks = lacks.into();
        self
    }
}
