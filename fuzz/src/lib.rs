//! The laws that the fuzz targets run: the very files that the acceptance tests run over the kept corpus and over random
//! bytes.
//!
//! The sources are shared, not the package: `acceptance` brings the whole host along, which no target needs. Nothing is
//! asserted here.

#[path = "../../tests/src/laws/mod.rs"]
pub mod laws;
