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
        http::rows(),
    ]
    .concat()
}
