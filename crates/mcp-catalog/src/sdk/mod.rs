//! The one place where rmcp's names and quirks stop (S9, S10, S16, S17).
