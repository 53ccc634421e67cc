// Everyone as if they were alone, counted where it is told who is at every pixel (aov.wgsl, rasterise.wgsl): a
// bit for each pixel that somebody covers, so that those that several of a person's triangles cover count once.
// What writes to a buffer is not tested against depth before: whoever stands in front hides nobody here.

// Where the bits of somebody lie: pixels.
struct AmodalMask {
    left: u32,
    top: u32,
    // words of 32 bits in a row | rows << 16
    extent: u32,
    // NO_MASK for those who are not counted in this draw
    first_word: u32,
}

const NO_MASK = 0xffffffffu;

// The first counts pixels outside of their person's box, which there are not.
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
    // Wraps to the left and above.
    let at = pixel - vec2<u32>(mask.left, mask.top);
    let words_per_row = mask.extent & 0xffffu;
    if at.x >= 32u * words_per_row || at.y >= (mask.extent >> 16u) {
        atomicAdd(&mask_words[0], 1u);
        return;
    }
    let word = mask.first_word + at.y * words_per_row + at.x / 32u;
    atomicOr(&mask_words[word], 1u << (at.x % 32u));
}
