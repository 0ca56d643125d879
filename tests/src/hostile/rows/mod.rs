//! The table, section by section.

mod bodies;
mod ends;
mod errors;
mod frames;
mod greetings;
mod http;
mod inbound;
mod noise;
mod pages;
mod replies;

use super::Scenario;

/// Every row, in order.
pub fn scenarios() -> Vec<Scenario> {
    [over_stdio(), http::rows()].concat()
}

/// The rows that a process plays.
fn over_stdio() -> Vec<Scenario> {
    [
        greetings::rows(),
        pages::rows(),
        noise::rows(),
        replies::rows(),
        errors::rows(),
        bodies::rows(),
        frames::rows(),
        inbound::rows(),
        ends::rows(),
    ]
    .concat()
}
