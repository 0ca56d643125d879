//! `laws::line` under libFuzzer; the law and all asserts stand there.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| coyote_fuzz::laws::line(bytes));
