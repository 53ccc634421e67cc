//! Fuzzes the readers of walls: errors but never panics, for any bytes.
#![no_main]

use throng::tracks::walls;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(walls) = walls::from_bytes("fuzzed", bytes) {
        std::hint::black_box((walls.length(), walls.walkable_area()));
    }
});
