#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    transport::fuzz::quic_sender(bytes);
    transport::fuzz::quic_receiver(bytes);
    transport::fuzz::quic_flow(bytes);
});
