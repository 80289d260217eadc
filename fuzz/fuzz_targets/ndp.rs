#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    transport::fuzz::ndp_sender(bytes);
    transport::fuzz::ndp_flow(bytes);
});
