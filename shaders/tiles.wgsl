// Lists for every draw the tiles of the picture in which any of its triangles was left, so that resolve looks at no
// others: a workgroup a tile. In which order tiles are listed changes nothing.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::raster::{PixelWords, RasterRow, RasterUniforms, SAMPLES, TILE, TILE_ROW, pixel_words};

@group(1) @binding(0) var<uniform> tiled: RasterUniforms;
// Low and high halves, of two samples at a time where a pixel has several.
@if(multisampled) @group(1) @binding(1) var<storage, read> tiled_words: array<vec4<u32>>;
@if(!multisampled) @group(1) @binding(1) var<storage, read> tiled_words: array<vec2<u32>>;
@group(1) @binding(2) var<storage, read> tiled_rows: array<RasterRow>;
// Of each draw: how many, then their numbers.
@group(1) @binding(3) var<storage, read_write> tile_lists: array<atomic<u32>>;
// Of each draw: three words for resolve; of these the second.
@group(1) @binding(4) var<storage, read_write> tile_dispatches: array<atomic<u32>>;

// A bit a draw.
const MOST_DRAWS = 1024u;
// Of a tile: two of its pixels each.
const TILERS = 128u;

var<workgroup> seen_draws: array<atomic<u32>, 32>;

// Of both phases.
fn row_count() -> u32 {
    return 2u * tiled.draw_count * DRAW_LIST_LODS;
}

// The row that a triangle is of: the last that does not begin behind it.
fn row_of_triangle(triangle: u32) -> u32 {
    var row = 0u;
    var width = row_count();
    // Halving so often leaves one.
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

fn tiled_pixel(pixel: u32) -> PixelWords {
    @if(multisampled) return pixel_words(tiled_words[2u * pixel], tiled_words[2u * pixel + 1u]);
    @if(!multisampled) return pixel_words(tiled_words[pixel]);
}

// The draws that a pixel shows.
fn mark_draws(pixel: u32) {
    let words = tiled_pixel(pixel);
    // What triangles the draw found last has, at least.
    var low = 1u;
    var high = 0u;
    for (var nth = 0u; nth < SAMPLES; nth++) {
        let triangle = words.low[nth];
        if words.high[nth] != 0u && (triangle < low || triangle > high) {
            let row = row_of_triangle(triangle);
            let draw = (row / DRAW_LIST_LODS) % tiled.draw_count;
            atomicOr(&seen_draws[draw / 32u], 1u << (draw % 32u));
            low = tiled_rows[row].first_triangle;
            high = low + tiled_rows[row].people * tiled_rows[row].triangle_count - 1u;
        }
    }
}

@compute @workgroup_size(TILERS)
fn tiles(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
    for (var pixel = thread; pixel < TILE * TILE; pixel += TILERS) {
        let at = group.xy * TILE + vec2<u32>(pixel % TILE, pixel / TILE);
        if all(at < tiled.size) {
            mark_draws(at.y * tiled.size.x + at.x);
        }
    }
    workgroupBarrier();
    let across = (tiled.size.x + TILE - 1u) / TILE;
    let down = (tiled.size.y + TILE - 1u) / TILE;
    for (var draw = thread; draw < min(tiled.draw_count, MOST_DRAWS); draw += TILERS) {
        if (atomicLoad(&seen_draws[draw / 32u]) & (1u << (draw % 32u))) != 0u {
            let list = draw * (across * down + 1u);
            let place = atomicAdd(&tile_lists[list], 1u);
            atomicStore(&tile_lists[list + 1u + place], group.y * across + group.x);
            atomicMax(&tile_dispatches[3u * draw + 1u], place / TILE_ROW + 1u);
        }
    }
}
