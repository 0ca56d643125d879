//! What the terminal does with keys while nobody reads them (S45).
//!
//! Between two reads the editor lets raw mode go. A terminal as people have it then shows what is typed where it does not
//! belong, makes a line feed of Enter, which the editor reads as Ctrl-J, and takes Ctrl-C and Ctrl-D for itself. So while the
//! editor lives, keys stay keys whoever reads them when; what is written is laid out as always. Whoever borrows the terminal
//! gets it as it was, with what a `!stty` changed; what is typed then and read by no program is handed over as text.

/// Keeps keys as they are until they are read.
pub(super) fn keep_keys() {
    // A terminal that is gone keeps nothing; the next read tells.
    #[cfg(unix)]
    let _ = unix::keep_keys(rustix::stdio::stdin());
}

/// Gives the terminal back as it was, to whoever borrows it.
pub(super) fn as_it_was() {
    #[cfg(unix)]
    let _ = unix::as_it_was(rustix::stdio::stdin());
}

/// Gives the terminal back for good: whoever still borrows it leaves it so too.
pub(in crate::repl) fn give_up() {
    #[cfg(unix)]
    let _ = unix::give_up(rustix::stdio::stdin());
}

/// What was typed while another program had the terminal, and was read by none; a line feed is Enter. Keys that are no text
/// are left out.
pub(super) fn typed_ahead() -> String {
    #[cfg(unix)]
    let typed = unix::pending(rustix::stdio::stdin()).unwrap_or_default();
    #[cfg(not(unix))]
    let typed = Vec::new();
    text_of(&String::from_utf8_lossy(&typed))
}

/// Text without the sequences of other keys, which begin with ESC, and without control characters.
fn text_of(typed: &str) -> String {
    let mut text = String::new();
    let mut characters = typed.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\u{1b}' => match characters.next() {
                Some('[') => while characters.next().is_some_and(|c| !matches!(c, '@'..='~')) {},
                Some('O') => drop(characters.next()),
                _ => {}
            },
            '\r' => text.push('\n'),
            '\n' | '\t' => text.push(c),
            c if c.is_control() => {}
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_no_text_are_not_typed_ahead() {
        assert_eq!(text_of("a\u{1b}[A\u{1b}[1;5Cb\u{1b}OPc\u{1b}xd\u{7}\re\n"), "abcd\ne\n");
        assert_eq!(text_of("\u{1b}"), "");
        assert_eq!(text_of("\u{1b}[1;"), "");
    }
}

#[cfg(unix)]
mod unix {
    use mcp_render::TYPED_AHEAD_BYTES;
    use rustix::{
        fd::BorrowedFd,
        io,
        termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr},
    };
    use std::sync::{Mutex, PoisonError};

    /// How the terminal was, and whether it is so again.
    static STATE: Mutex<State> = Mutex::new(State::AsItWas);

    enum State {
        AsItWas,
        Kept(Termios),
        GivenUp,
    }

    pub(super) fn keep_keys(terminal: BorrowedFd<'_>) -> io::Result<()> {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::AsItWas) {
            let before = tcgetattr(terminal)?;
            let mut now = before.clone();
            now.input_modes.remove(InputModes::ICRNL | InputModes::IXON);
            now.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
            tcsetattr(terminal, OptionalActions::Now, &now)?;
            *state = State::Kept(before);
        }
        Ok(())
    }

    /// What was typed and is read by nobody. It waits for nothing.
    pub(super) fn pending(terminal: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
        let before = tcgetattr(terminal)?;
        let mut now = before.clone();
        now.local_modes.remove(LocalModes::ICANON);
        now.special_codes[SpecialCodeIndex::VMIN] = 0;
        now.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Now, &now)?;
        let mut typed = Vec::new();
        let mut some = [0; 1_024];
        while typed.len() < TYPED_AHEAD_BYTES {
            match io::read(terminal, &mut some) {
                Ok(0) | Err(_) => break,
                Ok(count) => typed.extend_from_slice(some.get(..count).unwrap_or_default()),
            }
        }
        tcsetattr(terminal, OptionalActions::Now, &before)?;
        Ok(typed)
    }

    pub(super) fn as_it_was(terminal: BorrowedFd<'_>) -> io::Result<()> {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Kept(before) = &*state {
            tcsetattr(terminal, OptionalActions::Now, before)?;
            *state = State::AsItWas;
        }
        Ok(())
    }

    pub(super) fn give_up(terminal: BorrowedFd<'_>) -> io::Result<()> {
        let given = as_it_was(terminal);
        *STATE.lock().unwrap_or_else(PoisonError::into_inner) = State::GivenUp;
        given
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use rustix::{
            fd::AsFd,
            fs::{Mode, OFlags, open},
            pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
        };

        /// A terminal: the end of the keyboard, and the end of the program.
        fn terminal() -> (impl AsFd, impl AsFd) {
            let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
            grantpt(&keyboard).unwrap();
            unlockpt(&keyboard).unwrap();
            let name = ptsname(&keyboard, Vec::new()).unwrap();
            let program = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
            (keyboard, program)
        }

        /// What has come of keys that nobody reads; the system takes a moment to hand them over.
        fn come(program: &impl AsFd) -> Vec<u8> {
            loop {
                let typed = pending(program.as_fd()).unwrap();
                if !typed.is_empty() {
                    return typed;
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }

        #[test]
        fn keys_between_two_reads_stay_keys_and_the_terminal_is_given_back_as_it_was_s45() {
            let (keyboard, program) = terminal();
            let before = tcgetattr(&program).unwrap();
            assert!(before.input_modes.contains(InputModes::ICRNL) && before.local_modes.contains(LocalModes::ECHO));

            keep_keys(program.as_fd()).unwrap();
            keep_keys(program.as_fd()).unwrap();
            io::write(&keyboard, b"\x03\x04next\r").unwrap();
            assert_eq!(come(&program), b"\x03\x04next\r");
            as_it_was(program.as_fd()).unwrap();
            let after = tcgetattr(&program).unwrap();
            assert_eq!((after.input_modes, after.local_modes), (before.input_modes, before.local_modes));

            give_up(program.as_fd()).unwrap();
            keep_keys(program.as_fd()).unwrap();
            assert!(tcgetattr(&program).unwrap().input_modes.contains(InputModes::ICRNL));
            assert!(matches!(*STATE.lock().unwrap(), State::GivenUp));
        }
    }
}
