// Amodal masks: each instance as if nothing occluded it, written by the passes that draw ids (aov.wgsl,
// rasterise.wgsl). One bit per covered pixel, so that pixels under several triangles of an instance count once. Shaders
// that write to buffers run without early depth tests, so occluders do not matter.

/// Place of the bits of one instance's mask: a rectangle of pixels.
struct AmodalMask { // shared with Rust
    /// First column of the box.
    left: u32,
    /// First row of the box.
    top: u32,
    /// Words of 32 bits per row; the number of rows from bit 16 on.
    extent: u32,
    /// First word of the mask; [`NO_MASK`] for people without a mask in this draw.
    first_word: u32,
}

const NO_MASK = 0xffffffffu;

// Word 0 counts pixels outside of their instance's rectangle, which is an error.
@if(amodal_masks && !raster_ids) @group(3) @binding(1) var<storage, read_write> mask_words: array<atomic<u32>>;
@if(amodal_masks && !raster_ids) @group(3) @binding(2) var<storage, read> masks: array<AmodalMask>;
@if(amodal_masks && raster_ids) @group(3) @binding(8) var<storage, read_write> mask_words: array<atomic<u32>>;
@if(amodal_masks && raster_ids) @group(3) @binding(9) var<storage, read> masks: array<AmodalMask>;

@if(amodal_masks)
fn cover_amodal(person: u32, pixel: vec2<u32>) {
    let mask = masks[person];
    if mask.first_word == NO_MASK {
        return;
    }
    // Left and above, the difference wraps around to large numbers.
    let at = pixel - vec2<u32>(mask.left, mask.top);
    let words_per_row = mask.extent & 0xffffu;
    if at.x >= 32u * words_per_row || at.y >= (mask.extent >> 16u) {
        atomicAdd(&mask_words[0], 1u);
        return;
    }
    let word = mask.first_word + at.y * words_per_row + at.x / 32u;
    atomicOr(&mask_words[word], 1u << (at.x % 32u));
}
