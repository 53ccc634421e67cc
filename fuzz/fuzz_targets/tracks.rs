//! Fuzzes the readers of trajectories and their facts: errors but never panics, for any bytes.
#![no_main]

use throng::tracks::{ReadOptions, Tracks};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(tracks) = Tracks::from_bytes("fuzzed", bytes, &ReadOptions::default()) {
        std::hint::black_box(tracks.summary());
    }
});
