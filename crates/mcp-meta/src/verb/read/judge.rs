//! What a failed read means (S19): the resource does not exist, or the server could not give it.
//!
//! The server's number and a listing of two seconds decide, never the words of its message.

use super::target::Target;
use crate::error::MetaError;
use crate::server_call::{ServerCall, is_complete};
use mcp_catalog::{CatalogKind, Details, Listing, PortError, closest};
use mcp_render::Code;

/// MCP's "resource not found" before 2026.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The error of a read that the server refused.
pub(super) async fn judge(call: &ServerCall<'_>, error: PortError, target: &Target) -> MetaError {
    let PortError::Server { code, message } = &error else { return call.failed(error) };
    if error.code() == Code::MethodNotFound {
        return call.failed(error);
    }
    let listing = call.quick_listing(&[CatalogKind::Resource, CatalogKind::ResourceTemplate]).await;
    let unknown = is_complete(&listing) && !knows(&listing, target);
    if *code != RESOURCE_NOT_FOUND && !unknown {
        return call.failed(error);
    }
    let closest = closest(target.uri(), listing.items.iter().map(|item| item.id.as_str()));
    let said = format!("it answered: {message}");
    call.not_found("resource", target.uri().to_owned(), closest, Some(said))
}

/// Whether the listing has the URI, the template it was made of, or a template it could have been made of.
fn knows(listing: &Listing, target: &Target) -> bool {
    listing.items.iter().any(|item| match item.details {
        Details::Resource => item.id == target.uri(),
        Details::ResourceTemplate => target.template() == Some(&item.id) || could_make(&item.id, target.uri()),
        Details::Tool { .. } | Details::Prompt { .. } => false,
    })
}

/// Whether `uri` has the literals of `template` in their order, with anything at the expressions.
fn could_make(template: &str, uri: &str) -> bool {
    let mut rest = template;
    let mut literals = Vec::new();
    while let Some((literal, after)) = rest.split_once('{') {
        literals.push(literal);
        rest = after.split_once('}').map_or("", |(_expression, rest)| rest);
    }
    let mut literals = literals.into_iter();
    let Some(first) = literals.next() else { return template == uri };
    let Some(mut left) = uri.strip_prefix(first) else { return false };
    for literal in literals {
        let Some((_value, after)) = left.split_once(literal) else { return false };
        left = after;
    }
    left.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::could_make;
    use mcp_catalog::Template;
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::{Map, Value};

    #[rstest]
    #[case("ev://{topic}", "ev://foo", true)]
    #[case("ev://{topic}", "http://foo", false)]
    #[case("ev://{topic}/log", "ev://foo/log", true)]
    #[case("ev://{topic}/log", "ev://foo/log/2", false)]
    #[case("m://i/{id}{?state,limit}", "m://i/7?state=open", true)]
    #[case("m://i/{id}{?state,limit}", "m://i/7", true)]
    #[case("{+anything}", "x", true)]
    #[case("a://b", "a://b", true)]
    #[case("a://b", "a://c", false)]
    #[case("a://{x}/{y}", "a://1", false)]
    #[case("a://{broken", "a://1", true)]
    fn a_template_knows_the_uris_it_could_make(#[case] template: &str, #[case] uri: &str, #[case] expected: bool) {
        assert_eq!(could_make(template, uri), expected);
    }

    proptest! {
        #[test]
        fn a_template_knows_every_uri_it_makes(
            literals in prop::collection::vec("[a-z:/]{0,5}", 1..5),
            values in prop::collection::vec(".{0,6}", 4),
        ) {
            let template: String =
                literals.iter().enumerate().map(|(at, literal)| format!("{literal}{{v{at}}}")).collect::<Vec<_>>().concat() + "/end";
            let arguments: Map<String, Value> =
                values.iter().take(literals.len()).enumerate().map(|(at, value)| (format!("v{at}"), value.as_str().into())).collect();
            let uri = Template::parse(&template).unwrap().expand(&arguments).unwrap();
            prop_assert!(could_make(&template, &uri), "{} from {}", uri, template);
        }
    }
}
