//! coyote-integration
