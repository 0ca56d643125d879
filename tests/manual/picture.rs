//! The picture in the README: a session as a terminal shows it, drawn as an SVG.
//!
//! It is what the program shows, cell by cell, or the test fails; `PICTURE=write` in the environment draws it anew.

use crate::{
    pages::{page, root},
    rig,
};
use acceptance::terminal::Terminal;
use std::{
    fmt::Write as _,
    fs,
    time::{Duration, Instant},
};
use vt100::{Cell, Color, Screen};

/// Where it is, from the root of the workspace.
const PICTURE: &str = "docs/session.svg";
const SIZE: (u16, u16) = (100, 34);

/// A cell, and the space around all of them, in the picture's units.
const WIDE: u16 = 8;
const HIGH: u16 = 17;
const MARGIN: u16 = 14;

const PAPER: &str = "#15181e";
const INK: &str = "#d5d9e0";

/// The sixteen colours that a terminal chooses itself.
const OWN: [&str; 16] = [
    "#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4", "#7f8691", "#f08d95",
    "#b5d99c", "#f2d79f", "#8ac6f7", "#d9a0ea", "#84d0da", "#ffffff",
];

/// A session without a model of one's own: a search, a call that is asked about, and what Tab offers.
fn session(terminal: &Terminal) {
    terminal.until_idle().unwrap();
    terminal.enter("find sum").unwrap();
    terminal.until_shown("get-sum: Returns the sum of two numbers").unwrap();
    terminal.until_idle().unwrap();
    terminal.enter(r#"call mcp_invoke_everything {"tool":"get-sum","arguments":{"a":2,"b":3}}"#).unwrap();
    terminal.until_shown("? Run?").unwrap();
    terminal.press("y\r").unwrap();
    terminal.until_shown("The sum of 2 and 3 is 5.").unwrap();
    terminal.until_idle().unwrap();
    terminal.press(".prompt everything \t").unwrap();
    terminal.until_shown("A prompt that includes an embedded resource reference").unwrap();
}

/// A colour as the picture names it; `None` is the terminal's own.
fn named(color: Color) -> Option<String> {
    match color {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(index @ 0..=15) => Some(OWN[usize::from(index)].to_owned()),
        Color::Idx(index @ 16..=231) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let cube = index - 16;
            let [red, green, blue] = [cube / 36, cube / 6 % 6, cube % 6].map(level);
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        Color::Idx(index) => {
            let grey = 8 + 10 * (index - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
    }
}

/// How a cell looks: ink, paper, and the rest of a `text`'s attributes.
fn look(cell: &Cell) -> (String, Option<String>, String) {
    let (ink, paper) = (named(cell.fgcolor()), named(cell.bgcolor()));
    let (ink, paper) = if cell.inverse() {
        (Some(paper.unwrap_or(PAPER.to_owned())), Some(ink.unwrap_or(INK.to_owned())))
    } else {
        (ink, paper)
    };
    let mut more = String::new();
    for (is, attribute) in [
        (cell.bold(), r#" font-weight="bold""#),
        (cell.italic(), r#" font-style="italic""#),
        (cell.underline(), r#" text-decoration="underline""#),
        (cell.dim(), r#" opacity="0.6""#),
    ] {
        if is {
            more.push_str(attribute);
        }
    }
    (ink.unwrap_or(INK.to_owned()), paper, more)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The picture of a screen: a rectangle where a cell has a paper of its own, and a text for each run of cells that look alike.
fn drawn(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (width, height) = (columns * WIDE + 2 * MARGIN, rows * HIGH + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"13\">\n\
         <title>A session of coyote in a terminal</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let first = screen.cell(row, column).unwrap();
            let (ink, paper, more) = look(first);
            let (start, mut text) = (column, String::new());
            while let Some(cell) =
                screen.cell(row, column).filter(|cell| look(cell) == (ink.clone(), paper.clone(), more.clone()))
            {
                if !cell.is_wide_continuation() {
                    text.push_str(if cell.has_contents() { cell.contents() } else { " " });
                }
                column += 1;
            }
            let (x, y, long) = (MARGIN + start * WIDE, MARGIN + row * HIGH, (column - start) * WIDE);
            if let Some(paper) = &paper {
                let _ = writeln!(svg, r#"<rect x="{x}" y="{y}" width="{long}" height="{HIGH}" fill="{paper}"/>"#);
            }
            let shown = text.trim();
            let blanks = u16::try_from(text.chars().count() - text.trim_start().chars().count()).unwrap();
            let cells = u16::try_from(shown.chars().count()).unwrap();
            if cells > 0 {
                let (x, y, long) = (x + blanks * WIDE, y + 13, cells * WIDE);
                let _ = writeln!(
                    svg,
                    r#"<text x="{x}" y="{y}" textLength="{long}" fill="{ink}"{more}>{}</text>"#,
                    escaped(shown)
                );
            }
        }
    }
    svg + "</svg>\n"
}

#[test]
fn the_picture_in_the_readme_is_what_the_program_shows() {
    let readme = page("README.md".to_owned());
    assert!(readme.text.contains(&format!("]({PICTURE})")));
    let host = rig::machine(&readme);
    host.write("home/.config/coyote/mcp.json", r#"{"mcpServers": {"everything": {"command": "npx"}}}"#).unwrap();
    let terminal = Terminal::open(&host, &[], SIZE).unwrap();
    session(&terminal);
    let path = root().join(PICTURE);
    let known = fs::read_to_string(&path).unwrap_or_default();
    let begun = Instant::now();
    let mut picture = drawn(&terminal.cells());
    // The last rows may still be on their way.
    while picture != known && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(100));
        picture = drawn(&terminal.cells());
    }
    if std::env::var_os("PICTURE").is_some_and(|word| word == "write") {
        fs::write(path, &picture).unwrap();
    } else {
        assert!(
            picture == known,
            "{PICTURE} is not what is shown; `PICTURE=write` draws it anew:\n{}",
            terminal.screen()
        );
    }
}
