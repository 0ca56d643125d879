//! Lenient arguments (S38), and the sentences about those that cannot be taken.

use super::*;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn read(value: Value) -> Arguments {
    Arguments::of(Verb::Read, value).unwrap()
}

#[rstest]
#[case::null(json!(null))]
#[case::an_empty_object(json!({}))]
#[case::an_empty_object_as_text(json!("{}"))]
#[case::nulls_only(json!({"uri": null, "offset": null, "arguments": null, "bogus": null}))]
fn null_is_absent(#[case] value: Value) {
    let mut arguments = read(value);
    assert_eq!(arguments.text("uri").unwrap(), None);
    assert_eq!(arguments.count("offset").unwrap(), None);
    assert_eq!(arguments.object("arguments").unwrap(), None);
}

#[rstest]
#[case(json!(7), 7)]
#[case(json!(0.0), 0)]
#[case(json!(51200.0), 51_200)]
#[case(json!("12"), 12)]
#[case(json!(" 12 "), 12)]
#[case(json!("12.0"), 12)]
#[case(json!(u64::MAX), u64::MAX)]
#[case(json!("18446744073709551615"), u64::MAX)]
fn an_integer_may_be_a_numeric_string_or_a_whole_float(#[case] value: Value, #[case] expected: u64) {
    assert_eq!(read(json!({"offset": value})).count("offset").unwrap(), Some(expected));
}

#[rstest]
#[case(json!(-1))]
#[case(json!(0.5))]
#[case(json!(1e300))]
#[case(json!(true))]
#[case(json!("ten"))]
#[case(json!(""))]
#[case(json!("NaN"))]
#[case(json!([1]))]
fn what_is_no_whole_number_is_an_error_naming_the_parameter(#[case] value: Value) {
    let error = read(json!({"offset": value})).count("offset").unwrap_err().to_string();
    assert!(error.starts_with("`offset` is ") && error.contains(&value.to_string()), "{error}");
}

#[test]
fn an_object_may_be_the_text_of_one() {
    let mut arguments = read(json!({"arguments": "{\"id\": 7}"}));
    assert_eq!(arguments.object("arguments").unwrap(), json!({"id": 7}).as_object().cloned());
}

#[rstest]
#[case(json!("[1]"))]
#[case(json!("{broken"))]
#[case(json!(""))]
#[case(json!(["id"]))]
#[case(json!(7))]
fn what_holds_no_object_is_an_error_naming_the_parameter(#[case] value: Value) {
    let error = read(json!({"arguments": value})).object("arguments").unwrap_err().to_string();
    assert!(error.starts_with("`arguments` is "), "{error}");
}

#[test]
fn a_given_value_is_shown_short() {
    let error = read(json!({"arguments": "x".repeat(100_000)})).object("arguments").unwrap_err().to_string();
    assert!(error.len() < 200, "{error}");
}

#[test]
fn a_required_text_must_not_be_missing_or_empty() {
    for value in [json!({}), json!({"uri": ""})] {
        assert!(read(value).required_text("uri").is_err());
    }
    assert_eq!(read(json!({"uri": " "})).required_text("uri").unwrap(), " ");
}

#[test]
fn an_unknown_parameter_is_an_error_that_names_the_nearest_and_all_accepted_ones() {
    let shape = Arguments::of(Verb::Read, json!({"uri": "a://b", "ofset": 3})).unwrap_err().to_shape();
    insta::assert_json_snapshot!(shape);
}

#[test]
fn arguments_that_are_no_object_are_an_error() {
    for value in [json!(7), json!("uri"), json!(["uri"]), json!(true)] {
        assert!(matches!(Arguments::of(Verb::Read, value), Err(MetaError::NoArguments { .. })));
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_reading_of_a_number_or_an_object(text in any::<String>()) {
        let number = read(json!({"offset": text})).count("offset");
        prop_assert_eq!(number.is_ok(), text.trim().parse::<f64>().is_ok_and(|float| float >= 0.0 && float.fract() == 0.0 && float < 1e19));
        let object = read(json!({"arguments": text})).object("arguments");
        prop_assert_eq!(object.is_ok(), serde_json::from_str::<Map<String, Value>>(&text).is_ok());
    }
}
