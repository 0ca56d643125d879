//! A file by its URL: one bounded GET, which the user asked for by writing the URL.

use super::{Attached, InputFault};
use mcp_catalog::deadline;
use mcp_render::ATTACHED_FILE_BYTES;

/// Gets what is at `url`.
pub(super) async fn fetch(url: &str) -> Result<Attached, InputFault> {
    let failed = |why: String| InputFault {
        sentence: format!("`{url}` cannot be attached: {why}"),
        hint: "Save it to a file and attach that".to_owned(),
        remote: true,
    };
    let told = |error: reqwest::Error| failed(chain(&error.without_url()));
    let client = client().map_err(told)?;
    let mut answer = client.get(url).send().await.map_err(told)?.error_for_status().map_err(told)?;
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(told)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ATTACHED_FILE_BYTES {
            return Err(failed(format!("it holds more than {ATTACHED_FILE_BYTES} bytes, the limit for one file")));
        }
    }
    Ok(Attached { name: url.to_owned(), bytes })
}

fn client() -> reqwest::Result<reqwest::Client> {
    // reqwest has no provider of its own here; a second installation changes nothing.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().timeout(deadline::FETCH).build()
}

/// An error and its causes: reqwest's own sentence does not say why.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
