#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    transport::fuzz::connection(bytes);
    transport::fuzz::endpoint(bytes);
});
