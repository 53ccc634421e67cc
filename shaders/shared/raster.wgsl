// The software rasterizer (render/passes/raster).
//
// slots numbers what is drawn, rasterise leaves the nearest triangle of every sample in a buffer of 64-bit words, and
// spread those of the largest triangles; tiles lists where each draw is seen, resolve shades it there once a pixel,
// meet or behind put the colours among what the hardware rasterizer drew, if anything.
//
//   high word  depth: what is nearer is larger (depth_key); 0: nothing was drawn
//   low word   number of the triangle; with raster_ids: as the id pass tells who it is
//
// The triangles of everybody are numbered by (phase, draw, level, place in the list, meshlet, triangle), the order of
// the hardware's draws, so that of equal depths the later wins here as well. 2^32 triangles are a million people of
// 4,294; what would be beyond goes to the hardware's draws. A slot is one meshlet of one person: what workgroups take.

import package::shared::frame::frame;

// Of a splat, 1/256 pixel, at most: squares of twice as much fit whole numbers.
const MOST_RADIUS = 16384.0;
// Of a picture, at most.
const MOST_TRIANGLES = 4294967294u;
// Vertices and triangles of a meshlet, or of several people's who share a workgroup, at most.
const MESHLET_VERTICES = 256u;
const MESHLET_TRIANGLES = 512u;
// Workgroups of a dispatch along x, at most: the rest are rows of as many.
const ROW_OF_GROUPS = 32768u;
// Pixels along an edge of a tile, which resolve shades by a workgroup.
const TILE = 16u;
// Tiles of a row of resolve's workgroups.
const TILE_ROW = 256u;

// Mirrored by RasterUniforms in render/passes/raster/mod.rs.
struct RasterUniforms {
    // of the picture, pixels
    size: vec2<u32>,
    // of each pixel
    samples: u32,
    // of the draw and the phase, in `sw_raster_max_rows`
    first_row: u32,
    // of the draw in the other phase
    other_row: u32,
    // of the draw, in the lists of tiles: how many, then these
    first_tile: u32,
    // everything that is rasterised
    draw_count: u32,
    // largest number of triangles that triangle culling keeps in a phase
    most_kept: u32,
}

// A level of a draw in a phase of this frame: BIN_LEVELS rows each, those of all draws of the far phase behind the
// others. Mirrored by RasterRow in render/passes/raster/mod.rs.
struct RasterRow {
    // in the numbers of all triangles; of the rows before, where this one has none
    first_triangle: u32,
    people: u32,
    // workgroups, numbered within the draw
    first_group: u32,
    group_count: u32,
    // in the list of people
    list_start: u32,
    // in the mesh, and how many a person has
    first_meshlet: u32,
    meshlet_count: u32,
    // people who share a workgroup: more than one only where each is one meshlet
    people_per_group: u32,
    // of a person: triangles, or splats
    triangle_count: u32,
    // 1: splats, each a circle that faces whoever looks, around the vertex of its number
    splats: u32,
    // three words of the head of the first meshlet: of levels that have one, workgroups need not wait for it
    first_word: u32,
    counts: u32,
    first_corner: u32,
}

struct Meshlet {
    // words: a vertex of each of its places, then a triangle each, three numbers of places of a byte (of splats the
    // radius, metres, f32), then the vertices of each triangle, three words
    first_word: u32,
    vertex_count: u32,
    triangle_count: u32,
    // of all meshlets' vertices in order (shared/vertex_cache.wgsl)
    first_corner: u32,
    // of its level's triangles
    first_triangle: u32,
}

@if(!slots_pass && !large_triangle_pass && !kept_pass) @group(3) @binding(0) var<uniform> raster: RasterUniforms;
@if(large_triangle_pass || kept_pass) @group(1) @binding(0) var<uniform> raster: RasterUniforms;
@if(!slots_pass && !kept_pass) @group(3) @binding(1) var<storage, read> sw_raster_max_rows: array<RasterRow>;
@if(kept_pass) @group(1) @binding(1) var<storage, read> sw_raster_max_rows: array<RasterRow>;
// People, as scatter lists them (shared/listed.wgsl).
@if(!slots_pass) @group(3) @binding(2) var<storage, read> listed_people: array<u32>;
// A head of four words for each meshlet, then what these lead to.
@if(!slots_pass && !kept_pass) @group(3) @binding(3) var<storage, read> meshlet_words: array<u32>;
@if(kept_pass) @group(1) @binding(2) var<storage, read> meshlet_words: array<u32>;

@if(!slots_pass)
fn meshlet(number: u32) -> Meshlet {
    let head = 4u * number;
    let counts = meshlet_words[head + 1u];
    return Meshlet(
        meshlet_words[head],
        counts & 0xffffu,
        counts >> 16u,
        meshlet_words[head + 2u],
        meshlet_words[head + 3u],
    );
}

// One of a level's.
@if(!slots_pass)
fn meshlet_of(row: RasterRow, number: u32) -> Meshlet {
    if row.meshlet_count == 1u {
        return Meshlet(row.first_word, row.counts & 0xffffu, row.counts >> 16u, row.first_corner, 0u);
    }
    return meshlet(row.first_meshlet + number);
}

// The number of the meshlet that has a triangle of a level: the last that does not begin behind it.
@if(!slots_pass)
fn meshlet_with(row: RasterRow, triangle: u32) -> u32 {
    var found = row.first_meshlet;
    var width = max(row.meshlet_count, 1u);
    // Halving so often leaves one.
    let halvings = 32u - countLeadingZeros(width - 1u);
    for (var i = 0u; i < halvings; i++) {
        let half = width / 2u;
        if meshlet_words[4u * (found + half) + 3u] <= triangle {
            found += half;
            width -= half;
        } else {
            width = half;
        }
    }
    return found;
}

@if(!slots_pass)
fn meshlet_vertex(m: Meshlet, number: u32) -> u32 {
    return meshlet_words[m.first_word + number];
}

// Numbers of its places within the meshlet.
@if(!slots_pass)
fn meshlet_triangle(m: Meshlet, number: u32) -> vec3<u32> {
    let word = meshlet_words[m.first_word + m.vertex_count + number];
    return vec3<u32>(word, word >> 8u, word >> 16u) & vec3<u32>(255u);
}

// Of a splat, metres at the size of the rest pose.
@if(!slots_pass)
fn meshlet_radius(m: Meshlet, number: u32) -> f32 {
    return bitcast<f32>(meshlet_words[m.first_word + m.vertex_count + number]);
}

// Its vertices within the mesh: at a seam of the surface several are at one place.
@if(!slots_pass)
fn triangle_vertices(m: Meshlet, number: u32) -> vec3<u32> {
    let first = m.first_word + m.vertex_count + m.triangle_count + 3u * number;
    return vec3<u32>(meshlet_words[first], meshlet_words[first + 1u], meshlet_words[first + 2u]);
}

// Of a pixel: known when shaders are compiled, so that nothing divides by it, or waits for one after the other.
@if(multisampled) const SAMPLES = 4u;
@if(!multisampled) const SAMPLES = 1u;

// Samples of a pixel, a component each: low and high halves of their words. Of those that there are not, zeros. So few
// loads as there can be, all asked for at once: a loop would wait for each.
struct PixelWords {
    low: vec4<u32>,
    high: vec4<u32>,
}

@if(multisampled)
fn pixel_words(first_two: vec4<u32>, last_two: vec4<u32>) -> PixelWords {
    return PixelWords(vec4<u32>(first_two.xz, last_two.xz), vec4<u32>(first_two.yw, last_two.yw));
}

@if(!multisampled)
fn pixel_words(word: vec2<u32>) -> PixelWords {
    return PixelWords(vec4<u32>(word.x, 0u, 0u, 0u), vec4<u32>(word.y, 0u, 0u, 0u));
}

// A bit for each component that is set.
fn bits_of(components: vec4<bool>) -> u32 {
    return dot(select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), components), vec4<u32>(1u));
}

fn depth_key(depth: f32) -> u32 {
    @if(standard_depth) return ~bitcast<u32>(clamp(depth, 0.0, 1.0));
    // Whatever is drawn is nearer than nothing.
    @if(!standard_depth) return bitcast<u32>(clamp(depth, 1e-37, 1.0));
}

fn key_depth(key: u32) -> f32 {
    @if(standard_depth) return bitcast<f32>(~key);
    @if(!standard_depth) return bitcast<f32>(key);
}

// Of a splat at a place, `w` being that of clip space there, from metres to 1/256 pixel: in place of the ellipse that a
// circle is whose axis goes through the eye, a circle of as many pixels. The picture's plane is farther away to its
// sides, where lines of sight meet it at an angle whose cosine is `cosine`.
@if(!slots_pass)
fn splat_radius(metres: f32, world: vec3<f32>, w: f32) -> i32 {
    let rows = transpose(frame.projection_from_world);
    let depth = length(rows[3].xyz);
    // Lines of sight are parallel where `w` is the same everywhere.
    let cosine = select(1.0, w / (depth * distance(frame.eye, world)), depth > 0.0);
    let pixels = 0.5 * f32(raster.size.y) * length(rows[1].xyz) * metres / w;
    return i32(min(256.0 * pixels * inverseSqrt(clamp(cosine, 0.1, 1.0)), MOST_RADIUS) + 0.5);
}

// From clip space to pixels, right and down.
@if(!slots_pass)
fn pixel_of(clip: vec4<f32>) -> vec2<f32> {
    let size = vec2<f32>(raster.size);
    return (clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * size;
}
