//! mcp-catalog
