//! Fuzzes the reader of FBX, whose C code runs under AddressSanitizer as well: errors but never panics, for any bytes.
#![no_main]

use throng::file::{self, Importer, fbx::FbxImporter};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if FbxImporter.sniff(bytes) {
        std::hint::black_box(file::open_bytes("fuzzed.fbx", bytes, None).is_ok());
        std::hint::black_box(file::open_library_bytes("fuzzed.fbx", bytes, None).is_ok());
    }
});
