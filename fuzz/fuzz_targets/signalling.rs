#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    control::fuzz::signalling(bytes);
});
