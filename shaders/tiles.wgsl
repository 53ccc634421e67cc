// Lists, for every draw, the screen tiles in which its triangles are visible, so that shade_visibility visits no
// others. One workgroup per tile. The order of tiles in a list does not matter.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::raster::{PixelWords, RasterRow, RasterUniforms, SAMPLES, TILE, TILE_ROW, pixel_words};

@group(1) @binding(0) var<uniform> tile_raster: RasterUniforms;
// Low and high words of the visibility buffer: two samples per element where pixels have several.
@if(multisampled) @group(1) @binding(1) var<storage, read> tile_visibility: array<vec4<u32>>;
@if(!multisampled) @group(1) @binding(1) var<storage, read> tile_visibility: array<vec2<u32>>;
@group(1) @binding(2) var<storage, read> tiled_rows: array<RasterRow>;
// Per draw: the number of its tiles, then their indices.
@group(1) @binding(3) var<storage, read_write> tile_lists: array<atomic<u32>>;
// Per draw: three words of the dispatch of shade_visibility; this pass writes the second.
@group(1) @binding(4) var<storage, read_write> tile_dispatches: array<atomic<u32>>;

// Maximum number of draws: one bit each.
const MOST_DRAWS = 1024u;
// Threads per tile: two pixels each.
const THREADS = 128u; // shader only

var<workgroup> visible_draws: array<atomic<u32>, 32>;

// Rows of both phases.
fn row_count() -> u32 {
    return 2u * tile_raster.draw_count * DRAW_LIST_LODS;
}

// Row of a triangle: the last whose first triangle is at most this one. Binary search.
fn row_of_triangle(triangle: u32) -> u32 {
    var row = 0u;
    var width = row_count();
    // This many halvings leave one element.
    let halvings = 32u - countLeadingZeros(max(width, 1u) - 1u);
    for (var i = 0u; i < halvings; i++) {
        let half = width / 2u;
        if tiled_rows[row + half].first_triangle <= triangle {
            row += half;
            width -= half;
        } else {
            width = half;
        }
    }
    return row;
}

fn visibility_of(pixel: u32) -> PixelWords {
    @if(multisampled) return pixel_words(tile_visibility[2u * pixel], tile_visibility[2u * pixel + 1u]);
    @if(!multisampled) return pixel_words(tile_visibility[pixel]);
}

// Marks the draws that a pixel shows.
fn mark_draws(pixel: u32) {
    let words = visibility_of(pixel);
    // Range of triangles of the last row found, since samples mostly agree; empty at first.
    var low = 1u;
    var high = 0u;
    for (var nth = 0u; nth < SAMPLES; nth++) {
        let triangle = words.low[nth];
        if words.high[nth] != 0u && (triangle < low || triangle > high) {
            let row = row_of_triangle(triangle);
            let draw = (row / DRAW_LIST_LODS) % tile_raster.draw_count;
            atomicOr(&visible_draws[draw / 32u], 1u << (draw % 32u));
            low = tiled_rows[row].first_triangle;
            high = low + tiled_rows[row].people * tiled_rows[row].triangle_count - 1u;
        }
    }
}

@compute @workgroup_size(THREADS)
fn tiles(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
    for (var pixel = thread; pixel < TILE * TILE; pixel += THREADS) {
        let at = group.xy * TILE + vec2<u32>(pixel % TILE, pixel / TILE);
        if all(at < tile_raster.size) {
            mark_draws(at.y * tile_raster.size.x + at.x);
        }
    }
    workgroupBarrier();
    let across = (tile_raster.size.x + TILE - 1u) / TILE;
    let down = (tile_raster.size.y + TILE - 1u) / TILE;
    for (var draw = thread; draw < min(tile_raster.draw_count, MOST_DRAWS); draw += THREADS) {
        if (atomicLoad(&visible_draws[draw / 32u]) & (1u << (draw % 32u))) != 0u {
            let list = draw * (across * down + 1u);
            let place = atomicAdd(&tile_lists[list], 1u);
            atomicStore(&tile_lists[list + 1u + place], group.y * across + group.x);
            atomicMax(&tile_dispatches[3u * draw + 1u], place / TILE_ROW + 1u);
        }
    }
}
