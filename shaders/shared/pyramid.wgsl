// The depth pyramid: per texel of level n the farthest depth of any sample of 2^n by 2^n pixels.

// Levels, the picture itself included, which is not stored.
const PYRAMID_LEVELS = 11u;

// Mirrored by PyramidSizes in render/passes/draw_lists/pyramid.rs.
struct PyramidSizes {
    // of the picture, pixels
    size: vec2<u32>,
    pad_a: u32,
    pad_b: u32,
    // first word, width, height
    levels: array<vec4<u32>, 11>,
}

@if(!occluded) @group(2) @binding(0) var<uniform> pyramid_sizes: PyramidSizes;
@if(!occluded) @group(2) @binding(1) var<storage, read_write> pyramid_depths: array<f32>;
// Where that group is the crowd's.
@if(occluded) @group(3) @binding(8) var<uniform> pyramid_sizes: PyramidSizes;
@if(occluded) @group(3) @binding(9) var<storage, read> pyramid_depths: array<f32>;

// Nothing is nearer.
@if(standard_depth) const NEAREST = 0.0;
@if(!standard_depth) const NEAREST = 1.0;

fn farthest(a: f32, b: f32) -> f32 {
    @if(standard_depth) return max(a, b);
    @if(!standard_depth) return min(a, b);
}

fn is_farther(a: f32, b: f32) -> bool {
    @if(standard_depth) return a > b;
    @if(!standard_depth) return a < b;
}

// What is beyond the edge hides nothing and is hidden by nothing.
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
