//! The floor between the meta-functions and a REPL. It holds no code yet.
//!
//! It is kept for what a person at a prompt sees of MCP, as pure code that is tested as text: the lexer that invocation
//! and completion share, `.prompt <server> <name> [key=value …]` with its questions for missing arguments, completion in
//! stages, the tables of `.list`, and the type that carries a prompt's text into a chat and that no command parser
//! accepts. It will name neither the SDK nor a line editor, and it will not block.
