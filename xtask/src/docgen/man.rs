//! The man page `coyote.1`, of the same description of the command line as the reference page.
//!
//! One page for the whole program: subcommands have their help, and the manual.

use crate::tree::Tree;
use anyhow::Result;

pub(super) fn page(_: &Tree) -> Result<String> {
    let mut text = Vec::new();
    // A date would change with the day, and the version is in the page.
    clap_mangen::Man::new(coyote_integration::command()).title("COYOTE").manual("coyote").render(&mut text)?;
    Ok(String::from_utf8(text)?)
}
