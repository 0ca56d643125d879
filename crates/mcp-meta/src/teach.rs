//! Errors as sentences with a next step: every `PortError` and argument error as the shape of S39.
