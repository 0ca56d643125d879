//! mcp-prompt-repl
