//! Renders what a server sent: `cargo run -p mcp-render --example render_a_result [FILE]`.
//!
//! The file stands for one resource. Text comes back page by page, as a model would read it; anything else is spilled, and
//! the answer says where to. Without a file it renders a small log and a picture of its own.

use mcp_render::{
    Body, Ceiling, Content, Filter, PageRequest, Piece, SpillDir, SpillStore, Spiller, json_for_terminal, respond,
    settle,
};
use std::{env, error::Error, fs, path::PathBuf, sync::Arc};

/// A PNG of one pixel, as a server would send it.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

fn main() -> Result<(), Box<dyn Error>> {
    // Spilled files go to <root>/example: one directory a server.
    let root = env::temp_dir().join("mcp-render-example");
    let spiller = Spiller::new(Arc::new(SpillStore::new(root)), SpillDir::new("example")?);

    let contents = match env::args_os().nth(1).map(PathBuf::from) {
        Some(file) => vec![from_file(&file)?],
        None => vec![text("log://app", "start\nERROR disk full\nretry\nstop\n".to_owned()), blob("img://pixel", PIXEL)],
    };
    // The stage that may block: decode, sniff, hash, write. What it gives can be kept for later pages.
    let items = settle(Vec::new(), contents, &spiller);

    // The pure stage: a page of it, under the ceiling.
    let mut page = PageRequest::default();
    loop {
        let answer = respond(&items, &page, Ceiling::default())?;
        println!("{}", json_for_terminal(&answer, true));
        match answer.get("next_offset").and_then(serde_json::Value::as_u64) {
            Some(offset) => page.offset = offset,
            None => break,
        }
    }

    // The same, filtered like `rg -n -C2`.
    let filtered = PageRequest { filter: Some(Filter::parse("(?i)error")?), ..PageRequest::default() };
    match respond(&items, &filtered, Ceiling::default()) {
        Ok(answer) => println!("{}", json_for_terminal(&answer, true)),
        // Only text has lines; the error says so, and what to do.
        Err(error) => println!("{error}"),
    }
    Ok(())
}

fn from_file(file: &std::path::Path) -> Result<Content, Box<dyn Error>> {
    let bytes = fs::read(file)?;
    let uri = format!("file://{}", file.display());
    Ok(match String::from_utf8(bytes) {
        Ok(whole) => text(&uri, whole),
        Err(_) => return Err("This example reads text files; a blob comes from a server as base64".into()),
    })
}

fn text(uri: &str, whole: String) -> Content {
    Content {
        uri: uri.into(),
        mime_type: Some("text/plain".into()),
        audience: vec![],
        body: Body::Text(Piece::Owned(whole)),
    }
}

fn blob(uri: &str, base64: &str) -> Content {
    let body = Body::Blob(Piece::Owned(base64.to_owned()));
    Content { uri: uri.into(), mime_type: Some("image/png".into()), audience: vec![], body }
}
