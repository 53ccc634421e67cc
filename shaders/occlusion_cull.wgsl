// Occlusion culling of the far phase against a depth pyramid (Hi-Z) of the near phase (pyramid.wgsl). Tests bounding
// boxes, removes occluded instances from their draw lists, and counts the remaining ones per block.

import package::shared::draw_lists::{
    DRAW_LISTS, DRAW_LIST_BLOCK, FAR_DRAW_LISTS, NO_DRAW_LIST, draw_list_keys, draw_list_rows, block_counts, block_number, counts_of, list_of,
};
import package::shared::frame::{CULL_HIDDEN, frame};
import package::shared::pyramid::{PYRAMID_LEVELS, farthest, is_farther, pyramid_farthest, pyramid_sizes};
import package::shared::visible::{WorldBox, world_box};

// Margin around a box (px): the rasterizer snaps vertices to its subpixel grid.
const SNAP = 0.01; // shader only: tests/gpu/culling.rs

var<workgroup> far_tally: array<atomic<u32>, 26>;

fn is_hidden(box: WorldBox) -> bool {
    let m = frame.projection_from_world;
    let centre = m * vec4<f32>(box.centre, 1.0);
    let x = m * vec4<f32>(box.x, 0.0);
    let y = m * vec4<f32>(box.y, 0.0);
    let z = m * vec4<f32>(box.z, 0.0);
    var low = vec3<f32>(1e30);
    var high = vec3<f32>(-1e30);
    for (var corner = 0u; corner < 8u; corner++) {
        let side = vec3<f32>(vec3<u32>(corner, corner >> 1u, corner >> 2u) & vec3<u32>(1u)) * 2.0 - 1.0;
        let p = centre + x * side.x + y * side.y + z * side.z;
        if !(p.w > 0.0) {
            return false;
        }
        let seen = p.xyz / p.w;
        low = min(low, seen);
        high = max(high, seen);
    }
    @if(standard_depth) let nearest = low.z;
    @if(!standard_depth) let nearest = high.z;
    let size = vec2<f32>(pyramid_sizes.size);
    let last = size - 1.0;
    let from_pixel = clamp((vec2<f32>(low.x, -high.y) * 0.5 + 0.5) * size - SNAP, vec2<f32>(0.0), last);
    let to_pixel = clamp((vec2<f32>(high.x, -low.y) * 0.5 + 0.5) * size + SNAP, vec2<f32>(0.0), last);
    let first = vec2<u32>(from_pixel);
    let end = vec2<u32>(to_pixel);
    // Finest level at which the box covers at most 4x4 texels.
    for (var level = 1u; level < PYRAMID_LEVELS; level++) {
        let a = first >> vec2<u32>(level);
        let b = end >> vec2<u32>(level);
        if all(b - a <= vec2<u32>(3u)) {
            var occluder_depth = pyramid_farthest(level, a);
            for (var row = a.y; row <= b.y; row++) {
                for (var column = a.x; column <= b.x; column++) {
                    occluder_depth = farthest(occluder_depth, pyramid_farthest(level, vec2<u32>(column, row)));
                }
            }
            return is_farther(nearest, occluder_depth);
        }
    }
    return false;
}

@compute @workgroup_size(256)
fn occlusion_cull(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_number(group, groups);
    let index = block * DRAW_LIST_BLOCK + local;
    let list = list_of(group);
    if index < draw_list_rows[list].count {
        let key = draw_list_rows[list].first_key + index;
        let draw_list = draw_list_keys[key];
        if draw_list >= FAR_DRAW_LISTS && draw_list != NO_DRAW_LIST {
            let box = world_box(list, index);
            if (frame.culling & CULL_HIDDEN) != 0u && !box.unknown && is_hidden(box) {
                draw_list_keys[key] = NO_DRAW_LIST;
            } else {
                atomicAdd(&far_tally[draw_list], 1u);
            }
        }
    }
    workgroupBarrier();
    if local >= FAR_DRAW_LISTS && local < DRAW_LISTS && block < draw_list_rows[list].blocks {
        block_counts[counts_of(list, local) + block] = atomicLoad(&far_tally[local]);
    }
}
