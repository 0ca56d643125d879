//! What the terminal does with keys while nobody reads them (S45).
//!
//! Between two reads the editor lets raw mode go. A terminal as people have it then shows what is typed where it does not
//! belong, and makes a line feed of Enter, which the editor reads as Ctrl-J: what was entered would only begin a new line. So
//! while the editor lives, Enter stays Enter and nothing is shown by the terminal itself. Whoever borrows the terminal gets
//! it as it was, with what a `!stty` changed.

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

#[cfg(unix)]
mod unix {
    use rustix::{
        fd::BorrowedFd,
        io,
        termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
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
            now.input_modes.remove(InputModes::ICRNL);
            now.local_modes.remove(LocalModes::ECHO);
            tcsetattr(terminal, OptionalActions::Now, &now)?;
            *state = State::Kept(before);
        }
        Ok(())
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

        /// What a program reads of keys that came while it did not.
        fn read_raw(program: &impl AsFd) -> Vec<u8> {
            let mut raw = tcgetattr(program).unwrap();
            raw.make_raw();
            tcsetattr(program, OptionalActions::Now, &raw).unwrap();
            let mut bytes = [0; 16];
            let read = io::read(program, &mut bytes).unwrap();
            bytes[..read].to_vec()
        }

        #[test]
        fn enter_between_two_reads_is_enter_and_the_terminal_is_given_back_as_it_was_s45() {
            let (keyboard, program) = terminal();
            let before = tcgetattr(&program).unwrap();
            assert!(before.input_modes.contains(InputModes::ICRNL) && before.local_modes.contains(LocalModes::ECHO));

            keep_keys(program.as_fd()).unwrap();
            keep_keys(program.as_fd()).unwrap();
            io::write(&keyboard, b"next\r").unwrap();
            as_it_was(program.as_fd()).unwrap();
            let after = tcgetattr(&program).unwrap();
            assert_eq!((after.input_modes, after.local_modes), (before.input_modes, before.local_modes));
            assert_eq!(read_raw(&program), b"next\r");

            give_up(program.as_fd()).unwrap();
            keep_keys(program.as_fd()).unwrap();
            assert!(
                !tcgetattr(&program).unwrap().input_modes.contains(InputModes::ICRNL),
                "as it is left by `read_raw`"
            );
            assert!(matches!(*STATE.lock().unwrap(), State::GivenUp));
        }
    }
}
