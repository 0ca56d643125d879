//! mcp-meta
