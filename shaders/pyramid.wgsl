// Builds the depth pyramid (Hi-Z; Greene et al. 1993), five levels per dispatch. The first dispatch reads the samples
// of a depth buffer (from_depth) or of the visibility buffer (from_words, too). The second reads level 5. Each
// workgroup reduces a tile of 32x32 texels.

import package::shared::pyramid::{NEAREST, farthest, pyramid_farthest, pyramid_sizes, pyramid_store};
import package::shared::raster::{PixelWords, RasterUniforms, key_depth, pixel_words};

@if(from_depth && !from_words && multisampled) @group(1) @binding(0) var drawn_depth: texture_multisampled_2d<f32>;
@if(from_depth && !from_words && !multisampled) @group(1) @binding(0) var drawn_depth: texture_2d<f32>;

// Visibility buffer of the software rasterizer: the high word is a depth key. One element holds two samples where
// pixels have several.
@if(from_words) @group(1) @binding(0) var<uniform> source_raster: RasterUniforms;
@if(from_words && multisampled) @group(1) @binding(1) var<storage, read> source_visibility: array<vec4<u32>>;
@if(from_words && !multisampled) @group(1) @binding(1) var<storage, read> source_visibility: array<vec2<u32>>;

// Source level.
@if(from_depth) const SOURCE = 0u; // shader only
@if(!from_depth) const SOURCE = 5u; // shader only

var<workgroup> tile: array<f32, 256>;

@if(from_depth)
fn source_depth(texel: vec2<u32>) -> f32 {
    if any(texel >= pyramid_sizes.size) {
        return NEAREST;
    }
    @if(from_words) {
        let pixel = texel.y * source_raster.size.x + texel.x;
        @if(multisampled) {
            let keys = pixel_words(source_visibility[2u * pixel], source_visibility[2u * pixel + 1u]).high;
            return farthest(
                farthest(key_depth(keys.x), key_depth(keys.y)), farthest(key_depth(keys.z), key_depth(keys.w)),
            );
        }
        @if(!multisampled) return key_depth(pixel_words(source_visibility[pixel]).high.x);
    }
    @if(!from_words && !multisampled) {
        return textureLoad(drawn_depth, texel, 0).x;
    }
    @if(!from_words && multisampled) {
        var depth = NEAREST;
        for (var number = 0u; number < textureNumSamples(drawn_depth); number++) {
            depth = farthest(depth, textureLoad(drawn_depth, texel, number).x);
        }
        return depth;
    }
}

@if(!from_depth)
fn source_depth(texel: vec2<u32>) -> f32 {
    return pyramid_farthest(SOURCE, texel);
}

@compute @workgroup_size(16, 16)
fn pyramid(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let texel = group.xy * 16u + local.xy;
    let corner = texel * 2u;
    var depth = farthest(
        farthest(source_depth(corner), source_depth(corner + vec2<u32>(1u, 0u))),
        farthest(source_depth(corner + vec2<u32>(0u, 1u)), source_depth(corner + vec2<u32>(1u, 1u))),
    );
    pyramid_store(SOURCE + 1u, texel, depth);
    let own = local.y * 16u + local.x;
    tile[own] = depth;
    for (var halving = 1u; halving < 5u; halving++) {
        let edge = 16u >> halving;
        let reduces = local.x < edge && local.y < edge;
        workgroupBarrier();
        if reduces {
            let at = local.y * 32u + local.x * 2u;
            depth = farthest(farthest(tile[at], tile[at + 1u]), farthest(tile[at + 16u], tile[at + 17u]));
        }
        workgroupBarrier();
        if reduces {
            tile[own] = depth;
            pyramid_store(SOURCE + 1u + halving, group.xy * edge + local.xy, depth);
        }
    }
}
