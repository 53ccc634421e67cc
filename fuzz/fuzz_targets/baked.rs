//! Fuzzes the readers of baked files, complete and only for drawing, and decodes the atlas of files that open.
#![no_main]

use std::sync::Arc;

use throng::file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(opened) = file::open_bytes_to_draw("fuzzed.glb", bytes.to_vec(), None) {
        let keys: usize = opened.model.clips.iter().map(|c| c.channels.len()).sum();
        let pixels: usize = opened.model.images.iter().map(|i| i.rgba.len()).sum();
        std::hint::black_box((keys, pixels));
    }
    let Ok(opened) = file::open_bytes("fuzzed.glb", bytes, None) else {
        return;
    };
    if let Some(atlas) = opened.atlas {
        std::hint::black_box(Arc::new(atlas).to_palettes(&opened.model).matrices.len());
    }
});
