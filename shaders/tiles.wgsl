// Lists for every draw the tiles of the picture in which any of its triangles was left, so that resolve looks at no
// others: a workgroup a tile. In which order tiles are listed changes nothing.

import package::shared::bins::BIN_LEVELS;
import package::shared::raster::{RasterRow, RasterUniforms, TILE, TILE_ROW, TRIANGLE_BITS};

@group(1) @binding(0) var<uniform> tiled: RasterUniforms;
// Low and high halves.
@group(1) @binding(1) var<storage, read> tiled_words: array<vec2<u32>>;
@group(1) @binding(2) var<storage, read> tiled_rows: array<RasterRow>;
// Of each draw: how many, then their numbers.
@group(1) @binding(3) var<storage, read_write> tile_lists: array<atomic<u32>>;
// Of each draw: three words for resolve; of these the second.
@group(1) @binding(4) var<storage, read_write> tile_dispatches: array<atomic<u32>>;

// A bit a draw.
const MOST_DRAWS = 1024u;

var<workgroup> seen_draws: array<atomic<u32>, 32>;

// The row that a slot is of: the last that does not begin behind it.
fn row_of_slot(slot: u32) -> u32 {
    var row = 0u;
    var end = 2u * tiled.draw_count * BIN_LEVELS;
    while end - row > 1u {
        let middle = (row + end) / 2u;
        if tiled_rows[middle].first_slot <= slot {
            row = middle;
        } else {
            end = middle;
        }
    }
    return row;
}

fn draw_of_slot(slot: u32) -> u32 {
    return (row_of_slot(slot) / BIN_LEVELS) % tiled.draw_count;
}

@compute @workgroup_size(8, 8)
fn tiles(
    @builtin(local_invocation_index) thread: u32,
    @builtin(global_invocation_id) at: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    if all(at.xy < tiled.size) {
        let first = (at.y * tiled.size.x + at.x) * tiled.samples;
        var before = 0xffffffffu;
        for (var word = first; word < first + tiled.samples; word++) {
            let found = tiled_words[word];
            let slot = found.x >> TRIANGLE_BITS;
            if found.y != 0u && slot != before {
                let draw = draw_of_slot(slot);
                atomicOr(&seen_draws[draw / 32u], 1u << (draw % 32u));
                before = slot;
            }
        }
    }
    workgroupBarrier();
    let across = (tiled.size.x + TILE - 1u) / TILE;
    let down = (tiled.size.y + TILE - 1u) / TILE;
    for (var draw = thread; draw < min(tiled.draw_count, MOST_DRAWS); draw += TILE * TILE) {
        if (atomicLoad(&seen_draws[draw / 32u]) & (1u << (draw % 32u))) != 0u {
            let list = draw * (across * down + 1u);
            let place = atomicAdd(&tile_lists[list], 1u);
            atomicStore(&tile_lists[list + 1u + place], group.y * across + group.x);
            atomicMax(&tile_dispatches[3u * draw + 1u], place / TILE_ROW + 1u);
        }
    }
}
