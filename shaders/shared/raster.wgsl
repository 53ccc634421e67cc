// Software rasterizer in compute into a visibility buffer (render/passes/raster). Visibility buffer: Burns and Hunt
// 2013; 64-bit atomics: Nanite, Karis 2021.
//
//   slots             assigns triangle ids
//   rasterise         keeps the nearest triangle of every sample as one packed 64-bit word
//   large_triangles   does so for the queue of large triangles
//   tiles             lists the screen tiles of each draw
//   shade_visibility  shades visible triangles once a pixel
//   composite, background_compute  merge the colours with what the hardware rasterizer drew
//
// Packed sample:
//   high word  depth key: nearer is larger (depth_key); 0: empty
//   low word   triangle id; with raster_ids: instance id
// Without 64-bit atomics the words are kept one after the other (`split_words` of shared/cover.wgsl), with equal results.
//
// Triangle ids follow (phase, draw, LOD, place in the list, meshlet, triangle), the order of hardware draws. Equal
// depths are thus decided as in hardware: the later wins. 2^32 ids suffice for a million people of 4,294 triangles;
// draws beyond them fall back to the hardware rasterizer. A slot is one meshlet of one instance, the unit of work of
// workgroups.

import package::shared::frame::frame;

// Largest radius of a splat (1/256 px): squares of twice as much fit 32 bits.
const MOST_RADIUS = 16384.0; // shader only
// Maximum number of triangle ids in a frame.
const MOST_TRIANGLES = 4294967294u;
// Maximum number of vertices and triangles of a meshlet, or of several instances that share a workgroup.
const MESHLET_VERTICES = 256u;
const MESHLET_TRIANGLES = 512u;
// Maximum number of workgroups along x; larger dispatches have several rows.
const ROW_OF_GROUPS = 32768u;
// Edge of a screen tile (px); shade_visibility has a workgroup per tile.
const TILE = 16u;
// Tiles per row of the dispatch of shade_visibility.
const TILE_ROW = 256u;

/// Parameters of a draw in a picture.
struct RasterUniforms { // shared with Rust
    /// Size of the picture (px).
    size: vec2<u32>,
    /// Samples per pixel.
    samples: u32,
    /// First row of the draw and phase in `raster_row_table`.
    first_row: u32,
    /// First row of the draw in the other phase.
    other_row: u32,
    /// Start of the draw's tile list: their number, then their indices.
    first_tile: u32,
    /// Number of draws.
    draw_count: u32,
    /// Largest number of triangles that triangle culling keeps per phase.
    max_surviving: u32,
    /// With `split_words`: 0 in the step that keeps depths, 1 in the step that writes ids (shared/cover.wgsl).
    writes_ids: u32,
    pad_a: u32,
}

/// One LOD of a draw in one phase of this frame: DRAW_LIST_LODS rows per draw. Rows of the far phase follow those of
/// the near phase.
struct RasterRow { // shared with Rust
    /// Id of its first triangle, counted over all draws; of empty rows, that of the row before.
    first_triangle: u32,
    /// Number of people at this LOD.
    people: u32,
    /// First workgroup, counted within the draw.
    first_group: u32,
    /// Number of workgroups.
    group_count: u32,
    /// First entry in the draw list.
    list_start: u32,
    /// First meshlet in the mesh.
    first_meshlet: u32,
    /// Meshlets per person.
    meshlet_count: u32,
    /// People who share a workgroup: more than one only where each is a single meshlet.
    people_per_group: u32,
    /// Triangles or splats per person.
    triangle_count: u32,
    /// 1 if the LOD is splats, camera-facing circles around the vertex of the same index; else 0.
    splats: u32,
    /// First word of the first meshlet's data, from its head: LODs of one meshlet need no further load.
    first_word: u32,
    /// Vertices of the first meshlet in the low 16 bits, its triangles in the high 16.
    counts: u32,
    /// First cached vertex of the first meshlet.
    first_corner: u32,
}

struct Meshlet {
    // first of its words. One vertex index per corner comes first. Then each triangle has three corner indices of a
    // byte each (splats: radius f32, m). Three vertex indices per triangle follow.
    first_word: u32,
    vertex_count: u32,
    triangle_count: u32,
    // first corner in the order of all meshlets (shared/vertex_cache.wgsl)
    first_corner: u32,
    // first triangle within its LOD
    first_triangle: u32,
}

@if(!slots_pass && !large_triangle_pass && !kept_pass) @group(3) @binding(0) var<uniform> raster: RasterUniforms;
@if(large_triangle_pass || kept_pass) @group(1) @binding(0) var<uniform> raster: RasterUniforms;
@if(!slots_pass && !kept_pass) @group(3) @binding(1) var<storage, read> raster_row_table: array<RasterRow>;
@if(kept_pass) @group(1) @binding(1) var<storage, read> raster_row_table: array<RasterRow>;
// Entries of draw lists, as scatter writes them (shared/listed.wgsl).
@if(!slots_pass) @group(3) @binding(2) var<storage, read> listed_people: array<u32>;
// A header of four words per meshlet, then the words that it points to.
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

// Meshlet `number` of a row's LOD.
@if(!slots_pass)
fn meshlet_of(row: RasterRow, number: u32) -> Meshlet {
    if row.meshlet_count == 1u {
        return Meshlet(row.first_word, row.counts & 0xffffu, row.counts >> 16u, row.first_corner, 0u);
    }
    return meshlet(row.first_meshlet + number);
}

// Meshlet that contains a triangle of a LOD: the last whose first triangle is at most this one. Binary search.
@if(!slots_pass)
fn meshlet_with(row: RasterRow, triangle: u32) -> u32 {
    var found = row.first_meshlet;
    var width = max(row.meshlet_count, 1u);
    // This many halvings leave one element.
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

// Corner indices of a triangle within the meshlet.
@if(!slots_pass)
fn meshlet_triangle(m: Meshlet, number: u32) -> vec3<u32> {
    let word = meshlet_words[m.first_word + m.vertex_count + number];
    return vec3<u32>(word, word >> 8u, word >> 16u) & vec3<u32>(255u);
}

// Radius of a splat in the rest pose (m).
@if(!slots_pass)
fn meshlet_radius(m: Meshlet, number: u32) -> f32 {
    return bitcast<f32>(meshlet_words[m.first_word + m.vertex_count + number]);
}

// Vertex indices of a triangle in the mesh: at seams several vertices share one corner.
@if(!slots_pass)
fn triangle_vertices(m: Meshlet, number: u32) -> vec3<u32> {
    let first = m.first_word + m.vertex_count + m.triangle_count + 3u * number;
    return vec3<u32>(meshlet_words[first], meshlet_words[first + 1u], meshlet_words[first + 2u]);
}

// Samples per pixel: a constant, so that divisions and loops are resolved when shaders compile.
@if(multisampled) const SAMPLES = 4u; // shader only
@if(!multisampled) const SAMPLES = 1u; // shader only

// All samples of a pixel, one component each: low and high words, 0 for missing samples. Few, independent loads: a loop
// would wait for each.
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

// Bit mask of the components that are true.
fn bits_of(components: vec4<bool>) -> u32 {
    return dot(select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), components), vec4<u32>(1u));
}

fn depth_key(depth: f32) -> u32 {
    @if(standard_depth) return ~bitcast<u32>(clamp(depth, 0.0, 1.0));
    // Drawn samples must differ from an empty one, which is 0.
    @if(!standard_depth) return bitcast<u32>(clamp(depth, 1e-37, 1.0));
}

fn key_depth(key: u32) -> f32 {
    @if(standard_depth) return bitcast<f32>(~key);
    @if(!standard_depth) return bitcast<f32>(key);
}

// Radius of a splat in the picture (1/256 px), from metres. `w` is that of clip space. A sphere off the view axis
// projects to an ellipse, replaced by a circle of equal area. `cosine` is that of the angle between the view ray and
// the camera's axis.
@if(!slots_pass)
fn splat_radius(metres: f32, world: vec3<f32>, w: f32) -> i32 {
    let rows = transpose(frame.projection_from_world);
    let depth = length(rows[3].xyz);
    // Orthographic projections have parallel view rays.
    let cosine = select(1.0, w / (depth * distance(frame.eye, world)), depth > 0.0);
    let pixels = 0.5 * f32(raster.size.y) * length(rows[1].xyz) * metres / w;
    return i32(min(256.0 * pixels * inverseSqrt(clamp(cosine, 0.1, 1.0)), MOST_RADIUS) + 0.5);
}

// Clip space to pixels, right and down.
@if(!slots_pass)
fn pixel_of(clip: vec4<f32>) -> vec2<f32> {
    let size = vec2<f32>(raster.size);
    return (clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * size;
}
