// Depth pyramid (Hi-Z): texel of level n = farthest depth of all samples in 2^n x 2^n pixels.

// Number of levels, with the picture itself as level 0, which is not stored.
const PYRAMID_LEVELS = 11u;

/// Layout of the pyramid.
struct PyramidSizes { // shared with Rust
    /// Size of the picture (px).
    size: vec2<u32>,
    pad_a: u32,
    pad_b: u32,
    /// Levels of the pyramid: first word, width and height of each.
    levels: array<vec4<u32>, 11>,
}

@if(!occluded) @group(2) @binding(0) var<uniform> pyramid_sizes: PyramidSizes;
@if(!occluded) @group(2) @binding(1) var<storage, read_write> pyramid_depths: array<f32>;
// Triangle culling has the crowd in group 2.
@if(occluded) @group(3) @binding(8) var<uniform> pyramid_sizes: PyramidSizes;
@if(occluded) @group(3) @binding(9) var<storage, read> pyramid_depths: array<f32>;

// Nearest depth.
@if(standard_depth) const NEAREST = 0.0; // shader only
@if(!standard_depth) const NEAREST = 1.0; // shader only

fn farthest(a: f32, b: f32) -> f32 {
    @if(standard_depth) return max(a, b);
    @if(!standard_depth) return min(a, b);
}

fn is_farther(a: f32, b: f32) -> bool {
    @if(standard_depth) return a > b;
    @if(!standard_depth) return a < b;
}

// Texels beyond the edge return the neutral element of farthest().
fn pyramid_farthest(level: u32, texel: vec2<u32>) -> f32 {
    let row = pyramid_sizes.levels[level];
    if texel.x >= row.y || texel.y >= row.z {
        return NEAREST;
    }
    return pyramid_depths[row.x + texel.y * row.y + texel.x];
}

@if(!occluded)
fn pyramid_store(level: u32, texel: vec2<u32>, depth: f32) {
    let row = pyramid_sizes.levels[level];
    if texel.x < row.y && texel.y < row.z {
        pyramid_depths[row.x + texel.y * row.y + texel.x] = depth;
    }
}
