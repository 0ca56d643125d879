//! A model stand-in: an HTTP server in this process that speaks the four wire formats of models, scripted per request.
//!
//! It knows nothing of the crates under test, so that no mistake of theirs can hide in it. What it got is kept in a
//! journal: every request's path, headers and body, and whether the client hung up before the answer's end.
#![expect(clippy::indexing_slicing, reason = "indexing a JSON value reads null where nothing is")]

mod answer;
mod encode;
mod http;
mod request;

pub use answer::{Answer, Ending, Gate};
pub use request::Request;

use http::{Delivery, list, read_request, refuse, send};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// Chat completions over SSE.
    OpenAi,
    /// Messages over SSE.
    Anthropic,
    /// `streamGenerateContent` over SSE.
    Gemini,
    /// `/api/chat` over NDJSON.
    Ollama,
}

impl Api {
    /// All four.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The `type` of a client in config.yaml.
    pub const fn client_type(self) -> &'static str {
        match self {
            Self::OpenAi => "openai-compatible",
            Self::Anthropic => "claude",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    const fn base_path(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "/v1",
            Self::Gemini => "/v1beta",
            Self::Ollama => "",
        }
    }
}

type Script = dyn FnMut(&Request) -> Answer + Send;

struct Shared {
    api: Api,
    script: Mutex<Box<Script>>,
    journal: Mutex<Vec<Request>>,
    offered: Mutex<Vec<String>>,
}

impl Shared {
    fn journal(&self) -> MutexGuard<'_, Vec<Request>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running stand-in. It ends when it is dropped.
pub struct ModelServer {
    shared: Arc<Shared>,
    port: u16,
    task: JoinHandle<()>,
}

impl ModelServer {
    /// Answers request after request with these. A request beyond them gets status 500, which says so.
    pub async fn start(api: Api, answers: impl IntoIterator<Item = Answer>) -> anyhow::Result<Self> {
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        Self::answering(api, move |_| {
            answers.pop_front().unwrap_or_else(|| Answer::status(500, "The script has no further answer"))
        })
        .await
    }

    /// Answers each request with what `script` makes of it.
    pub async fn answering(api: Api, script: impl FnMut(&Request) -> Answer + Send + 'static) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let script: Mutex<Box<Script>> = Mutex::new(Box::new(script));
        let shared = Arc::new(Shared { api, script, journal: Mutex::default(), offered: Mutex::default() });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { shared, port, task })
    }

    /// The models that it lists; a stand-in that was told none has no list.
    pub fn offer(&self, names: &[&str]) {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        *self.shared.offered.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// The `api_base` of a client that talks to it.
    pub fn api_base(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.shared.api.base_path())
    }

    /// Its address alone, as `OLLAMA_HOST` has it.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A config.yaml whose one client, `stand-in`, has the one model `stand-in:m`, which is the default.
    pub fn config_yaml(&self) -> String {
        format!(
            "model: stand-in:m\nclients:\n- type: {}\n  name: stand-in\n  api_base: {}\n  api_key: key-of-the-stand-in\n  \
             models:\n  - name: m\n",
            self.shared.api.client_type(),
            self.api_base()
        )
    }

    /// The journal: what was asked, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.journal().clone()
    }

    /// Waits until the client of request `index` has hung up before the answer's end; false when it has not within
    /// `patience`.
    pub async fn hung_up(&self, index: usize, patience: Duration) -> bool {
        let seen = async {
            while !self.shared.journal().get(index).is_some_and(|request| request.hung_up) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(patience, seen).await.is_ok()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // A connection ends with the server: the set is dropped with this task.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, Arc::clone(&shared)));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let Ok(Some(request)) = read_request(&mut stream, shared.api).await else { return };
    if request.is_listing() {
        let names = shared.offered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !names.is_empty() {
            list(&mut stream, shared.api, &names).await;
            return;
        }
    }
    if !request.is_chat() {
        // A probe for a server, or a path that the format does not have.
        refuse(&mut stream).await;
        return;
    }
    let answer = {
        let mut script = shared.script.lock().unwrap_or_else(PoisonError::into_inner);
        (*script)(&request)
    };
    let index = {
        let mut journal = shared.journal();
        journal.push(request.clone());
        journal.len() - 1
    };
    if send(&mut stream, &answer, &request).await == Delivery::HungUp
        && let Some(entry) = shared.journal().get_mut(index)
    {
        entry.hung_up = true;
    }
}
