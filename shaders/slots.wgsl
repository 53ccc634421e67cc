// Assigns visibility ids to the triangles that a phase gives to the software rasterizer (shared/raster.wgsl), after
// those of the phase before. Writes the size of the dispatches. One workgroup computes a prefix sum over the LODs of
// all draws.
//
// Draws beyond the id range fall back to the hardware rasterizer. It cannot draw splats, so their ids are reserved
// first and triangles share the rest.

import package::shared::draw_lists::{ARGUMENT_WORDS, DRAW_LIST_LODS};
import package::shared::raster::{MOST_TRIANGLES, ROW_OF_GROUPS, RasterRow};

/// Draws that get ids in one dispatch.
struct SlotUniforms { // shared with Rust
    /// Draws whose arguments share a buffer.
    draw_count: u32,
    /// First row of the phase in `slot_rows`.
    first_row: u32,
    /// Number of the first of these draws among all.
    first_draw: u32,
    pad_a: u32,
}

/// Constants of one LOD of a draw.
struct RasterLod { // shared with Rust
    /// Number of its first meshlet.
    first_meshlet: u32,
    /// Number of meshlets; 0 if there is no such LOD.
    meshlet_count: u32,
    /// Number of people who share a workgroup: more than one only if each is one meshlet.
    people_per_group: u32,
    /// First entry of its draw list, if the list has a place of its own; else the draw's
    /// arguments give it.
    own_list: u32,
    /// Triangles or splats per person.
    triangle_count: u32,
    /// 1 if the LOD is splats, else 0.
    splats: u32,
    /// First word of the first meshlet's data, from its head.
    first_word: u32,
    /// Vertices of the first meshlet in the low 16 bits, its triangles in the high 16.
    counts: u32,
    /// First cached vertex of the first meshlet.
    first_corner: u32,
    /// Row of its draw among the arguments of all lists.
    drawn_row: u32,
}

@group(1) @binding(0) var<uniform> slot_uniforms: SlotUniforms;
@group(1) @binding(1) var<storage, read> raster_lods: array<RasterLod>;
// Per draw of the phase: arguments of what remains for the hardware rasterizer.
@group(1) @binding(2) var<storage, read_write> remaining_arguments: array<u32>;
@group(1) @binding(3) var<storage, read_write> slot_rows: array<RasterRow>;
// Per draw: three words of the dispatch of rasterise.
@group(1) @binding(4) var<storage, read_write> raster_dispatches: array<u32>;
// One word: ids taken by the phases so far.
@group(1) @binding(5) var<storage, read_write> triangles_taken: array<u32>;
// Arguments as scatter.wgsl writes them.
@group(1) @binding(6) var<storage, read> drawn_arguments: array<u32>;

const DISPATCH_WORDS = 3u;
// Saturated value of sums that overflow.
const TOO_MANY = 0xffffffffu; // shader only

// Sums of triangles (x) and of splats (y).
var<workgroup> triangle_sums: array<vec2<u32>, 256>;
var<workgroup> splat_total: atomic<u32>;

fn sum_of(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a + b, vec2<u32>(TOO_MANY), b > vec2<u32>(TOO_MANY) - a);
}

fn people_of(row: u32) -> u32 {
    return drawn_arguments[raster_lods[row].drawn_row * ARGUMENT_WORDS + 1u];
}

fn triangles_of(row: u32) -> u32 {
    let each = raster_lods[row].triangle_count;
    if each == 0u || people_of(row) > TOO_MANY / each {
        return select(TOO_MANY, 0u, each == 0u);
    }
    return people_of(row) * each;
}

// Triangles (x) or splats (y) of a row.
fn kinds_of(row: u32) -> vec2<u32> {
    let own = triangles_of(row);
    return select(vec2<u32>(own, 0u), vec2<u32>(0u, own), raster_lods[row].splats == 1u);
}

// Writes a row whose triangles and splats end at `end`; ids of triangles stop at `most`.
fn write_row(row: u32, own: vec2<u32>, end: vec2<u32>, most: u32) {
    let lod = raster_lods[row];
    let people = people_of(row);
    var out: RasterRow;
    out.first_meshlet = lod.first_meshlet;
    out.meshlet_count = lod.meshlet_count;
    out.people_per_group = lod.people_per_group;
    out.list_start = lod.own_list + drawn_arguments[lod.drawn_row * ARGUMENT_WORDS + 4u];
    // Never less than in the rows before: tiles.wgsl finds rows by binary search.
    let begins = end - min(own, end);
    let triangles = select(begins.x, most, end.x > most);
    out.first_triangle = triangles + min(begins.y, TOO_MANY - triangles);
    let fits = select(end.x <= most, end.y <= MOST_TRIANGLES - min(end.x, most), own.x == 0u);
    out.triangle_count = lod.triangle_count;
    out.splats = lod.splats;
    out.first_word = lod.first_word;
    out.counts = lod.counts;
    out.first_corner = lod.first_corner;
    let taken = any(own > vec2<u32>(0u)) && fits;
    if taken {
        let slot_count = people * lod.meshlet_count;
        out.people = people;
        out.group_count = (slot_count + lod.people_per_group - 1u) / lod.people_per_group;
    }
    slot_rows[slot_uniforms.first_row + row] = out;
    for (var word = 0u; word < ARGUMENT_WORDS; word++) {
        remaining_arguments[row * ARGUMENT_WORDS + word] = drawn_arguments[lod.drawn_row * ARGUMENT_WORDS + word];
    }
    if taken {
        remaining_arguments[row * ARGUMENT_WORDS + 1u] = 0u;
    }
}

fn write_dispatches(draw: u32) {
    var groups = 0u;
    for (var row = draw * DRAW_LIST_LODS; row < (draw + 1u) * DRAW_LIST_LODS; row++) {
        slot_rows[slot_uniforms.first_row + row].first_group = groups;
        groups += slot_rows[slot_uniforms.first_row + row].group_count;
    }
    let word = draw * DISPATCH_WORDS;
    raster_dispatches[word] = min(groups, ROW_OF_GROUPS);
    raster_dispatches[word + 1u] = (groups + ROW_OF_GROUPS - 1u) / ROW_OF_GROUPS;
    raster_dispatches[word + 2u] = 1u;
}

@compute @workgroup_size(256)
fn slots(@builtin(local_invocation_index) local: u32) {
    let first_row = slot_uniforms.first_draw * DRAW_LIST_LODS;
    let end_row = first_row + slot_uniforms.draw_count * DRAW_LIST_LODS;
    for (var row = first_row + local; row < end_row; row += 256u) {
        atomicAdd(&splat_total, kinds_of(row).y);
    }
    workgroupBarrier();
    let taken = triangles_taken[0];
    let for_triangles = MOST_TRIANGLES - min(atomicLoad(&splat_total), MOST_TRIANGLES);
    let most = clamp(taken, for_triangles, MOST_TRIANGLES);
    var before = vec2<u32>(taken, 0u);
    for (var first = first_row; first < end_row; first += 256u) {
        let row = first + local;
        var own = vec2<u32>(0u);
        if row < end_row {
            own = kinds_of(row);
        }
        triangle_sums[local] = own;
        // Inclusive scan, as in scan.wgsl.
        for (var reach = 1u; reach < 256u; reach *= 2u) {
            workgroupBarrier();
            var earlier = vec2<u32>(0u);
            if local >= reach {
                earlier = triangle_sums[local - reach];
            }
            workgroupBarrier();
            triangle_sums[local] = sum_of(triangle_sums[local], earlier);
        }
        workgroupBarrier();
        let end = sum_of(before, triangle_sums[local]);
        before = sum_of(before, triangle_sums[255]);
        workgroupBarrier();
        if row < end_row {
            write_row(row, own, end, most);
        }
    }
    if local == 0u {
        triangles_taken[0] = select(before.x + before.y, TOO_MANY, before.x > most);
    }
    storageBarrier();
    for (var draw = local; draw < slot_uniforms.draw_count; draw += 256u) {
        write_dispatches(slot_uniforms.first_draw + draw);
    }
}
