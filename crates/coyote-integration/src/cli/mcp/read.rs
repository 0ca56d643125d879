//! `coyote mcp read <server> <uri>`: text as text, a file as its path, all pages in one process.
//!
//! Pages after the first come from the version that was read, so a resource crosses the wire once (S28).

use super::item::{Item, SpilledItem, TextPage, items};
use crate::cli::{
    exit::{Failed, Failure, Status},
    host::Host,
    out_file::OutFile,
    pairs,
    session::Session,
};
use mcp_meta::Verb;
use mcp_render::{CEILING_BYTES, Code, ErrorShape};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Read a resource
///
/// Text is printed as it is; a binary is kept as a file, whose path is printed. With --json the answer is exactly what a
/// model gets; with --all too, one page a line.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ReadArgs {
    /// The server
    server: String,

    /// The URI, a template, or `spill:` and a SHA-256
    uri: String,

    /// Values of a template's variables
    #[arg(value_name = "KEY=VALUE")]
    arguments: Vec<String>,

    /// Only lines that match this regular expression, with two lines of context
    #[arg(long, value_name = "RE", allow_hyphen_values = true)]
    pattern: Option<String>,

    /// Byte offset of the page; with --pattern, of the filtered text
    #[arg(long, value_name = "N")]
    offset: Option<u64>,

    /// The most text bytes of a page
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,

    /// Only this one of several contents, counted from 0
    #[arg(long, value_name = "N")]
    item: Option<u64>,

    /// Follow all pages
    #[arg(long)]
    all: bool,

    /// Write the text or the blob to this file; all of it, unless --offset or --max-bytes is given
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    output: Option<PathBuf>,

    /// Print the JSON that a model gets
    #[arg(long)]
    json: bool,
}

impl ReadArgs {
    pub(in crate::cli) fn server(&self) -> &str {
        &self.server
    }

    pub(in crate::cli) const fn json(&self) -> bool {
        self.json
    }

    pub(in crate::cli) async fn run(self, host: &Host) -> Result<Status, Failed> {
        let arguments = self.arguments()?;
        let file = self.output.as_deref().map(OutFile::create).transpose()?;
        let session = host.open(&self.server).await?;
        let all = self.all || (file.is_some() && self.offset.is_none() && self.max_bytes.is_none());
        let mut reading = Reading { session: &session, host, arguments, all, file, item: self.item };
        if self.json { reading.json(self.offset).await } else { reading.plain(self.offset).await }
    }

    /// What every page asks for.
    fn arguments(&self) -> Result<Map<String, Value>, Failure> {
        let values = pairs::strings(&self.arguments)?;
        let mut arguments = Map::new();
        arguments.insert("uri".to_owned(), self.uri.clone().into());
        if !values.is_empty() {
            arguments.insert("arguments".to_owned(), values.into());
        }
        if let Some(pattern) = &self.pattern {
            arguments.insert("pattern".to_owned(), pattern.clone().into());
        }
        // Fewer pages when all are wanted; the ceiling bounds each (S25).
        let whole = self.all || self.output.is_some();
        if let Some(max_bytes) = self.max_bytes.map(Value::from).or_else(|| whole.then(|| json!(CEILING_BYTES))) {
            arguments.insert("max_bytes".to_owned(), max_bytes);
        }
        Ok(arguments)
    }
}

/// One read, page by page.
struct Reading<'a> {
    session: &'a Session,
    host: &'a Host,
    arguments: Map<String, Value>,
    all: bool,
    file: Option<OutFile>,
    item: Option<u64>,
}

impl Reading<'_> {
    async fn ask(&self, offset: Option<u64>, item: Option<u64>) -> Result<Value, Failed> {
        let mut arguments = self.arguments.clone();
        for (key, value) in [("offset", offset), ("item", item)] {
            if let Some(value) = value {
                arguments.insert(key.to_owned(), value.into());
            }
        }
        self.session.call(Verb::Read, arguments.into()).await
    }

    /// One page, or each page of each item, as JSON.
    async fn json(&mut self, offset: Option<u64>) -> Result<Status, Failed> {
        let answer = self.ask(offset, self.item).await?;
        self.host.report.json(&answer, false);
        if self.all {
            for (next, item) in continuations(&answer, self.item) {
                let mut next = Some(next);
                while let Some(offset) = next.filter(|_| !self.host.report.reader_is_gone()) {
                    let page = self.ask(Some(offset), item).await?;
                    self.host.report.json(&page, false);
                    next = next_page(&page, offset)?;
                }
            }
        }
        Ok(Status::of_answer(&answer))
    }

    /// Text to stdout or to the file; talk to stderr.
    async fn plain(&mut self, offset: Option<u64>) -> Result<Status, Failed> {
        let answer = self.ask(offset, self.item).await?;
        let several = answer.is_array();
        if several && self.file.is_some() {
            return Err(Failed::from(one_item_only(&answer)));
        }
        for (index, item) in (0_u64..).zip(items(&answer)) {
            let item_index = if several { Some(index) } else { self.item };
            self.show(item, several.then_some(index), item_index).await?;
        }
        if let Some(file) = self.file.take() {
            file.finish()?;
        }
        Ok(Status::of_answer(&answer))
    }

    async fn show(&mut self, item: Item<'_>, header: Option<u64>, index: Option<u64>) -> Result<(), Failed> {
        if let (Some(number), Some(line)) = (header, header_of(&item)) {
            self.host.report.note(format!("item {number}: {line}"));
        }
        match item {
            Item::Text(page) => self.text(page, index, header.is_some()).await,
            Item::Spilled(spill) => self.spilled(&spill),
            Item::Failed { uri, code, error } => {
                self.lost(uri, code, error);
                Ok(())
            }
            Item::Omitted { items, note } => self.omitted(items, note).await,
        }
    }

    async fn text(&mut self, first: TextPage<'_>, index: Option<u64>, several: bool) -> Result<(), Failed> {
        self.put(first.text)?;
        self.notes(&first);
        let (mut next, mut last) = (first.next_offset, first.text.to_owned());
        while let Some(offset) = next.filter(|_| self.all && !self.host.report.reader_is_gone()) {
            let answer = self.ask(Some(offset), index).await?;
            if let Some(Item::Text(page)) = items(&answer).first() {
                self.put(page.text)?;
                self.notes(page);
                page.text.clone_into(&mut last);
            }
            next = next_page(&answer, offset)?;
        }
        if self.file.is_none() {
            self.end(&last, several);
        }
        if let Some(offset) = next.filter(|_| !self.all) {
            let total = first.total_bytes;
            self.host
                .report
                .note(format!("{total} bytes in all; go on with `--offset {offset}`, or take all with `--all`"));
        }
        Ok(())
    }

    fn put(&mut self, text: &str) -> Result<(), Failure> {
        if let Some(file) = &mut self.file {
            return file.write(text.as_bytes());
        }
        self.host.report.data(text);
        Ok(())
    }

    /// A single item's bytes are a pipe's to have as they are; several are told apart by lines.
    fn end(&self, text: &str, several: bool) {
        if several && !text.is_empty() && !text.ends_with('\n') {
            self.host.report.data("\n");
        } else {
            self.host.report.end_of_data(text);
        }
    }

    fn notes(&self, page: &TextPage<'_>) {
        page.note.iter().for_each(|note| self.host.report.note(note));
    }

    fn spilled(&mut self, spill: &SpilledItem<'_>) -> Result<(), Failed> {
        let Some(path) = spill.path else {
            let note = spill.note.unwrap_or("The cache directory could not be written");
            return Err(Failed::from(not_kept(note)));
        };
        match &mut self.file {
            Some(file) => file.copy(Path::new(path))?,
            None => self.host.report.print(path),
        }
        self.host.report.note(format!("binary: {}", spill.summary()));
        spill.note.iter().for_each(|note| self.host.report.note(note));
        Ok(())
    }

    /// An item that could not be taken is told; its siblings are shown (S30).
    fn lost(&mut self, uri: &str, code: &str, error: &str) {
        self.host.report.failure(format!("{uri}: {error} ({code})"));
        // Nothing was written, so nothing takes the file's place.
        drop(self.file.take());
    }

    async fn omitted(&mut self, omitted: Vec<u64>, note: &str) -> Result<(), Failed> {
        if !self.all {
            self.host.report.note(note);
            return Ok(());
        }
        for index in omitted {
            let answer = self.ask(None, Some(index)).await?;
            for item in items(&answer) {
                Box::pin(self.show(item, Some(index), Some(index))).await?;
            }
        }
        Ok(())
    }
}

/// What follows the first answer: the next page of each text, and items that were omitted.
fn continuations(answer: &Value, item: Option<u64>) -> Vec<(u64, Option<u64>)> {
    let mut next = Vec::new();
    for (index, part) in (0_u64..).zip(items(answer)) {
        let index = if answer.is_array() { Some(index) } else { item };
        match part {
            Item::Text(page) => next.extend(page.next_offset.map(|offset| (offset, index))),
            Item::Omitted { items, .. } => next.extend(items.into_iter().map(|index| (0, Some(index)))),
            Item::Spilled(_) | Item::Failed { .. } => {}
        }
    }
    next
}

/// Where the page after `page` starts. A page that does not advance would be asked for ever.
fn next_page(page: &Value, offset: u64) -> Result<Option<u64>, Failure> {
    let next = match items(page).first() {
        Some(Item::Text(page)) => page.next_offset,
        _ => None,
    };
    match next {
        Some(next) if next <= offset => Err(Failure::call(ErrorShape {
            tool_call_error: format!("The page at offset {offset} does not advance"),
            code: Code::InvalidResponse,
            hint: "This is a defect of coyote; read the rest with `--offset`".to_owned(),
            closest: Vec::new(),
        })),
        next => Ok(next),
    }
}

/// What stands over an item of several; the note on omitted items speaks for itself.
fn header_of(item: &Item<'_>) -> Option<String> {
    let of = |uri: &str, mime_type: Option<&str>| format!("{uri} ({})", mime_type.unwrap_or("no mime type"));
    match item {
        Item::Text(page) => Some(format!("{}, {} bytes", of(page.uri, page.mime_type), page.total_bytes)),
        Item::Spilled(spill) => Some(of(spill.uri, spill.mime_type)),
        Item::Failed { uri, .. } => Some((*uri).to_owned()),
        Item::Omitted { .. } => None,
    }
}

fn one_item_only(answer: &Value) -> Failure {
    let count: usize =
        items(answer).iter().map(|item| if let Item::Omitted { items, .. } = item { items.len() } else { 1 }).sum();
    Failure::usage(
        format!("The resource has {count} items; one file holds one"),
        format!("Choose one with `--item`, 0 to {}", count.saturating_sub(1)),
    )
}

fn not_kept(note: &str) -> Failure {
    Failure::call(ErrorShape {
        tool_call_error: format!("The binary could not be kept: {note}"),
        code: Code::SpillFailed,
        hint: "Make room in the cache directory, or make it writable; `coyote --info` shows it".to_owned(),
        closest: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
