// Deferred shading of the visibility buffer (Burns and Hunt 2013) for one draw: a workgroup per tile in which the draw
// is visible. Each triangle is fetched and posed again. Attributes are interpolated with perspective correction at the
// pixel's centre, as the hardware rasterizer does. A triangle with several samples in a pixel is shaded once. Uses the
// shading functions of the crowd pass.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::pose::{posed, world_scale};
import package::shared::raster::{
    Meshlet, PixelWords, RasterRow, SAMPLES, TILE, TILE_ROW, bits_of, splat_radius, listed_people, meshlet, meshlet_radius,
    meshlet_with, pixel_of, pixel_words, raster, raster_row_table, triangle_vertices,
};
import package::shared::shown::listed_vertex;
import package::shared::surface::{TexturePoint, Varyings, base_color, facet_normal, is_outside, surface_at, shade_surface};

// Low and high words of the visibility buffer: two samples per element where pixels have several.
@if(multisampled) @group(3) @binding(4) var<storage, read> visibility: array<vec4<u32>>;
@if(!multisampled) @group(3) @binding(4) var<storage, read> visibility: array<vec2<u32>>;
// Linear colours, four f16 each.
@group(3) @binding(5) var<storage, read_write> raster_colors: array<vec2<u32>>;
// Per draw: the number of its tiles, then their indices.
@group(3) @binding(6) var<storage, read> draw_tiles: array<u32>;

// A triangle with its varyings, set up for interpolation.
struct InterpolatedTriangle {
    a: Varyings,
    b: Varyings,
    c: Varyings,
    // first vertex, and vectors to the other two (px, not snapped)
    corner: vec2<f32>,
    to_b: vec2<f32>,
    to_c: vec2<f32>,
    // twice the signed area (px²); negative for front faces, which wind counter-clockwise
    area: f32,
    inverse_w: vec3<f32>,
    // true if it crosses the near plane: of the above only the sign of the area holds
    crosses: bool,
}

// Twice the smallest area (px²) of a triangle with snapped vertices (1/256 px).
const SLIVER = 1.0 / 65536.0; // shader only

fn across(a: vec2<f32>, b: vec2<f32>) -> f32 {
    return a.x * b.y - a.y * b.x;
}

// True in front of the near plane, where screen positions are invalid.
fn is_before_near_plane(clip: vec4<f32>) -> bool {
    @if(standard_depth) return !(clip.z >= 0.0 && clip.w > 0.0);
    @if(!standard_depth) return !(clip.w >= clip.z && clip.w > 0.0);
}

// Triangle or splat that a visibility id names.
struct TriangleOwner {
    m: Meshlet,
    // index in the meshlet
    number: u32,
    // entry of the draw list (shared/listed.wgsl)
    person: u32,
}

fn found(id: u32, row: RasterRow) -> TriangleOwner {
    let number = id - row.first_triangle;
    let place = number / row.triangle_count;
    let triangle = number - place * row.triangle_count;
    let m = meshlet(meshlet_with(row, triangle));
    return TriangleOwner(m, triangle - m.first_triangle, listed_people[row.list_start + place]);
}

fn interpolated_triangle(f: TriangleOwner) -> InterpolatedTriangle {
    let corners = triangle_vertices(f.m, f.number);
    var t: InterpolatedTriangle;
    t.a = listed_vertex(corners.x, f.person);
    t.b = listed_vertex(corners.y, f.person);
    t.c = listed_vertex(corners.z, f.person);
    t.corner = pixel_of(t.a.position);
    t.to_b = pixel_of(t.b.position) - t.corner;
    t.to_c = pixel_of(t.c.position) - t.corner;
    t.area = across(t.to_b, t.to_c);
    t.inverse_w = 1.0 / vec3<f32>(t.a.position.w, t.b.position.w, t.c.position.w);
    t.crosses = is_before_near_plane(t.a.position) || is_before_near_plane(t.b.position) || is_before_near_plane(t.c.position);
    if t.crosses {
        // Screen rows run down: the determinant changes sign, so that front faces are negative as above.
        t.area = -determinant(mat3x3<f32>(t.a.position.xyw, t.b.position.xyw, t.c.position.xyw));
    }
    return t;
}

// Barycentric weights of a triangle that crosses the near plane, in homogeneous coordinates relative to the pixel's
// centre. Reference: Olano and Greer 1997, "Triangle Scan Conversion Using 2D Homogeneous Coordinates".
fn crossing_shares(t: InterpolatedTriangle, pixel: vec2<u32>) -> vec3<f32> {
    let place = ((vec2<f32>(pixel) + 0.5) / vec2<f32>(raster.size) - 0.5) * vec2<f32>(2.0, -2.0);
    let a = t.a.position.xy - place * t.a.position.w;
    let b = t.b.position.xy - place * t.b.position.w;
    let c = t.c.position.xy - place * t.c.position.w;
    let weights = vec3<f32>(across(b, c), across(c, a), across(a, b));
    let sum = weights.x + weights.y + weights.z;
    return select(weights / sum, vec3<f32>(1.0 / 3.0), sum == 0.0);
}

// Perspective-correct barycentric weights at a pixel's centre.
fn shares(t: InterpolatedTriangle, pixel: vec2<u32>) -> vec3<f32> {
    if t.crosses {
        return crossing_shares(t, pixel);
    }
    // Thinner than any snapped triangle: edge-on, where the pixel's centre lies nowhere on it.
    if abs(t.area) < SLIVER {
        return vec3<f32>(1.0 / 3.0);
    }
    let from_corner = vec2<f32>(pixel) + 0.5 - t.corner;
    let b = across(from_corner, t.to_c) / t.area;
    let c = across(t.to_b, from_corner) / t.area;
    let weights = vec3<f32>(1.0 - b - c, b, c) * t.inverse_w;
    return weights / (weights.x + weights.y + weights.z);
}

fn uv_at(t: InterpolatedTriangle, pixel: vec2<u32>) -> vec2<f32> {
    let s = shares(t, pixel);
    return t.a.uv * s.x + t.b.uv * s.y + t.c.uv * s.z;
}

@if(extended_vertex)
fn uv1_at(t: InterpolatedTriangle, pixel: vec2<u32>) -> vec2<f32> {
    let s = shares(t, pixel);
    return t.a.uv1 * s.x + t.b.uv1 * s.y + t.c.uv1 * s.z;
}

fn varyings_at(t: InterpolatedTriangle, pixel: vec2<u32>) -> Varyings {
    let s = shares(t, pixel);
    // Flat varyings come from the first vertex.
    var out = t.a;
    out.world = t.a.world * s.x + t.b.world * s.y + t.c.world * s.z;
    out.normal = t.a.normal * s.x + t.b.normal * s.y + t.c.normal * s.z;
    out.uv = t.a.uv * s.x + t.b.uv * s.y + t.c.uv * s.z;
    out.color = t.a.color * s.x + t.b.color * s.y + t.c.color * s.z;
    @if(flat_shaded) out.facet = t.a.facet * s.x + t.b.facet * s.y + t.c.facet * s.z;
    @if(normal_mapped) out.tangent = t.a.tangent * s.x + t.b.tangent * s.y + t.c.tangent * s.z;
    @if(extended_vertex) out.uv1 = t.a.uv1 * s.x + t.b.uv1 * s.y + t.c.uv1 * s.z;
    @if(extended_vertex) out.alpha = t.a.alpha * s.x + t.b.alpha * s.y + t.c.alpha * s.z;
    return out;
}

// Radiance at a pixel: as crowd_fragment of crowd.wgsl. Gradients of texture coordinates come from the corner of the
// pixel's 2x2 quad, since hardware picks one mip level per quad.
fn shaded(t: InterpolatedTriangle, pixel: vec2<u32>) -> vec3<f32> {
    let in = varyings_at(t, pixel);
    @if(mirrored) let outside = is_outside(in, cross(t.b.world - t.a.world, t.c.world - t.a.world));
    @if(!mirrored) let outside = t.area < 0.0;
    var s = surface_at(in, outside);
    @if(flat_shaded) {
        let across_facet = cross(t.b.facet.xyz - t.a.facet.xyz, t.c.facet.xyz - t.a.facet.xyz);
        s.normal = facet_normal(s, in.facet.w, across_facet);
    }
    let corner = pixel & vec2<u32>(0xfffffffeu);
    let right = corner + vec2<u32>(1u, 0u);
    let below = corner + vec2<u32>(0u, 1u);
    let uv = uv_at(t, corner);
    s.first_uv = TexturePoint(in.uv, uv_at(t, right) - uv, uv_at(t, below) - uv);
    @if(extended_vertex) {
        let uv1 = uv1_at(t, corner);
        s.second_uv = TexturePoint(in.uv1, uv1_at(t, right) - uv1, uv1_at(t, below) - uv1);
    }
    return shade_surface(s, base_color(s)).rgb;
}

// Share of the vertex normal against the normal of a ball. CPU twin: bake/lods/raster/splats.rs.
const SPLAT_FLATNESS = 0.3; // shader only

// Normal of a splat: a mix of a ball's and of its vertex's. `beside` is the offset from its centre in radii, right and
// up. The ball faces the eye, not the image plane: at the sides of the picture people are viewed from another
// direction.
fn splat_normal(of_vertex: vec3<f32>, world: vec3<f32>, beside: vec2<f32>) -> vec3<f32> {
    let rows = transpose(frame.projection_from_world);
    let back = normalize(frame.eye - world);
    let up = normalize(rows[1].xyz - dot(rows[1].xyz, back) * back);
    let right = cross(up, back);
    // Vertices that face away show their other side.
    let flat_normal = of_vertex - 2.0 * min(dot(of_vertex, back), 0.0) * back;
    let ball = right * beside.x + up * beside.y + back * sqrt(max(1.0 - dot(beside, beside), 0.0));
    return normalize(mix(ball, flat_normal, SPLAT_FLATNESS));
}

// A splat has one colour, that of its vertex; textures are read at full resolution.
fn shaded_splat(f: TriangleOwner, pixel: vec2<u32>) -> vec3<f32> {
    var in = listed_vertex(triangle_vertices(f.m, f.number).x, f.person);
    let metres = meshlet_radius(f.m, f.number) * world_scale(posed[listed_instance(f.person)]);
    let radius = max(f32(splat_radius(metres, in.world, in.position.w)) / 256.0, 1e-3);
    let beside = (vec2<f32>(pixel) + 0.5 - pixel_of(in.position)) / radius;
    in.normal = splat_normal(normalize(in.normal), in.world, vec2<f32>(beside.x, -beside.y));
    // The centre may lie inside the body, in its own shadow: move to the surface of the ball.
    in.world += in.normal * metres;
    var s = surface_at(in, true);
    s.first_uv = TexturePoint(in.uv, vec2<f32>(0.0), vec2<f32>(0.0));
    @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, vec2<f32>(0.0), vec2<f32>(0.0));
    return shade_surface(s, base_color(s)).rgb;
}

const NO_ROW = 0xffffffffu; // shader only

// Rows of a draw in one phase, and the range of its triangle ids. Empty rows begin where the row before ends.
struct PhaseRows {
    first_row: u32,
    first_triangle: u32,
    end: u32,
}

fn phase_rows(first_row: u32) -> PhaseRows {
    let last = raster_row_table[first_row + DRAW_LIST_LODS - 1u];
    return PhaseRows(first_row, raster_row_table[first_row].first_triangle, last.first_triangle + last.people * last.triangle_count);
}

fn has_triangle(rows: PhaseRows, triangle: u32) -> bool {
    return triangle >= rows.first_triangle && triangle < rows.end;
}

// Last row whose first triangle is at most this one.
fn row_among(rows: PhaseRows, triangle: u32) -> u32 {
    var found = rows.first_row;
    for (var lod = 1u; lod < DRAW_LIST_LODS; lod++) {
        let row = rows.first_row + lod;
        found = select(found, row, raster_row_table[row].first_triangle <= triangle);
    }
    return found;
}

// Row of this draw that owns a triangle, in either phase; NO_ROW: another draw's.
fn row_of_triangle(own: PhaseRows, other: PhaseRows, triangle: u32) -> u32 {
    if has_triangle(own, triangle) {
        return row_among(own, triangle);
    }
    if has_triangle(other, triangle) {
        return row_among(other, triangle);
    }
    return NO_ROW;
}

// Hits of the tile: triangle id, then row, samples and pixel in one word. Each is shaded once. Few pixels of a tile
// show the draw, with one to four triangles: a list balances the work of threads.
var<workgroup> hits: array<vec2<u32>, MOST_HITS>;
var<workgroup> hit_count: atomic<u32>;

// Pixels of a tile; each has at most as many hits as samples.
const PIXELS = 256u;
@if(multisampled) const MOST_HITS = 1024u;
@if(!multisampled) const MOST_HITS = 256u;
// Threads per tile: two pixels each.
const THREADS = 128u; // shader only
// Bits 0-7 of a hit's second word: pixel within the tile.
const PIXEL_BITS = 8u;
// Then one bit per sample, then the row.
const SAMPLE_BITS = 4u;

fn visibility_of(pixel: u32) -> PixelWords {
    @if(multisampled) return pixel_words(visibility[2u * pixel], visibility[2u * pixel + 1u]);
    @if(!multisampled) return pixel_words(visibility[pixel]);
}

// Lists the draw's triangles in pixel `at` of the picture, which is pixel `number` of the tile.
fn list_hits(at: u32, number: u32, own: PhaseRows, other: PhaseRows) {
    let words = visibility_of(at);
    var left = bits_of(words.high != vec4<u32>(0u));
    for (var nth = 0u; nth < SAMPLES; nth++) {
        if (left & (1u << nth)) == 0u {
            continue;
        }
        let triangle = words.low[nth];
        let samples = left & bits_of(words.low == vec4<u32>(triangle));
        left &= ~samples;
        let row = row_of_triangle(own, other, triangle);
        if row != NO_ROW {
            hits[atomicAdd(&hit_count, 1u)] =
                vec2<u32>(triangle, number | (samples << PIXEL_BITS) | (row << (PIXEL_BITS + SAMPLE_BITS)));
        }
    }
}

fn color_of(triangle: u32, row: RasterRow, at: vec2<u32>) -> vec2<u32> {
    let f = found(triangle, row);
    var rgb: vec3<f32>;
    @if(show_heights) {
        // Height codes are constant over an instance.
        rgb = listed_vertex(triangle_vertices(f.m, f.number).x, f.person).color.rgb;
    }
    @if(!show_heights) {
        if row.splats == 1u {
            rgb = shaded_splat(f, at);
        } else {
            rgb = shaded(interpolated_triangle(f), at);
        }
    }
    return vec2<u32>(pack2x16float(rgb.rg), pack2x16float(vec2<f32>(rgb.b, 1.0)));
}

fn place_in_tile(number: u32) -> vec2<u32> {
    return vec2<u32>(number % TILE, number / TILE);
}

fn shade_hit(hit: vec2<u32>, tile_corner: vec2<u32>) {
    let at = tile_corner + place_in_tile(hit.y & (PIXELS - 1u));
    let color = color_of(hit.x, raster_row_table[hit.y >> (PIXEL_BITS + SAMPLE_BITS)], at);
    let first = (at.y * raster.size.x + at.x) * SAMPLES;
    for (var nth = 0u; nth < SAMPLES; nth++) {
        if (hit.y & (1u << (PIXEL_BITS + nth))) != 0u {
            raster_colors[first + nth] = color;
        }
    }
}

@compute @workgroup_size(THREADS)
fn shade_visibility(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
    // Workgroup memory is not zero-initialised (gpu/pipeline.rs): everything else is written before it is read.
    if thread == 0u {
        atomicStore(&hit_count, 0u);
    }
    let place = group.y * TILE_ROW + group.x;
    let works = place < draw_tiles[raster.first_tile];
    let tile = select(0u, draw_tiles[raster.first_tile + 1u + place], works);
    let across_picture = (raster.size.x + TILE - 1u) / TILE;
    let tile_corner = vec2<u32>(tile % across_picture, tile / across_picture) * TILE;
    let own = phase_rows(raster.first_row);
    let other = phase_rows(raster.other_row);
    workgroupBarrier();
    for (var number = thread; number < PIXELS; number += THREADS) {
        let at = tile_corner + place_in_tile(number);
        if works && all(at < raster.size) {
            list_hits(at.y * raster.size.x + at.x, number, own, other);
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&hit_count);
    for (var hit = thread; hit < count; hit += THREADS) {
        shade_hit(hits[hit], tile_corner);
    }
}
