//! The line filter (D4, S27).
use thiserror::Error;
/// A compiled, line-safe pattern.
#[derive(Debug, Clone)]
pub struct Filter {}
/// Why a pattern is refused; code `invalid_arguments`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct FilterError { /// What is wrong, with the parser's own words.
    pub sentence: String }
impl Filter {
    /// Compiles `pattern` within the limits of S27.
    pub fn parse(_pattern: &str) -> Result<Self, FilterError> { todo!() }
}
