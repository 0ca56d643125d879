//! coyote-integration

pub mod mcp;
