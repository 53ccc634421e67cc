// Shades what rasterise left of one draw: a workgroup a tile in which it is seen. The triangle is fetched and posed
// again; what lies between its vertices is found as the hardware rasterizer does, in perspective and at the pixel's
// middle, so that a triangle that holds several samples of a pixel is shaded once. Same functions as in the crowd pass.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::pose::{posed, world_scale};
import package::shared::raster::{
    Meshlet, PixelWords, RasterRow, SAMPLES, TILE, TILE_ROW, bits_of, splat_radius, listed_people, meshlet, meshlet_radius,
    meshlet_with, pixel_of, pixel_words, raster, sw_raster_max_rows, triangle_vertices,
};
import package::shared::shown::listed_vertex;
import package::shared::surface::{TexturePoint, Varyings, base_color, facet_normal, is_outside, seen_surface, shade_surface};

// Low and high halves, of two samples at a time where a pixel has several.
@if(multisampled) @group(3) @binding(4) var<storage, read> visibility: array<vec4<u32>>;
@if(!multisampled) @group(3) @binding(4) var<storage, read> visibility: array<vec2<u32>>;
// Linear colours, four halves each.
@group(3) @binding(5) var<storage, read_write> raster_colors: array<vec2<u32>>;
// Of each draw: how many tiles, then their numbers.
@group(3) @binding(6) var<storage, read> resolved_tiles: array<u32>;

// A triangle in the picture.
struct Seen {
    a: Varyings,
    b: Varyings,
    c: Varyings,
    // first vertex, and from there to the others: pixels, not rounded to places
    corner: vec2<f32>,
    to_b: vec2<f32>,
    to_c: vec2<f32>,
    // twice its area; negative where it winds counterclockwise and shows its front
    area: f32,
    inverse_w: vec3<f32>,
    // some of it is in front of what the camera shows: nothing of the above but the sign of the area holds
    crosses: bool,
}

// Twice the area of the smallest triangle with vertices at places of 1/256 pixel, square pixels.
const SLIVER = 1.0 / 65536.0;

fn across(a: vec2<f32>, b: vec2<f32>) -> f32 {
    return a.x * b.y - a.y * b.x;
}

// In front of the near plane, where places in the picture mean nothing.
fn is_before(clip: vec4<f32>) -> bool {
    @if(standard_depth) return !(clip.z >= 0.0 && clip.w > 0.0);
    @if(!standard_depth) return !(clip.w >= clip.z && clip.w > 0.0);
}

// Whose a triangle, or a splat, is.
struct Found {
    m: Meshlet,
    // in the meshlet
    number: u32,
    // as listed
    person: u32,
}

fn found(id: u32, row: RasterRow) -> Found {
    let number = id - row.first_triangle;
    let place = number / row.triangle_count;
    let triangle = number - place * row.triangle_count;
    let m = meshlet(meshlet_with(row, triangle));
    return Found(m, triangle - m.first_triangle, listed_people[row.list_start + place]);
}

fn seen_triangle(f: Found) -> Seen {
    let corners = triangle_vertices(f.m, f.number);
    var t: Seen;
    t.a = listed_vertex(corners.x, f.person);
    t.b = listed_vertex(corners.y, f.person);
    t.c = listed_vertex(corners.z, f.person);
    t.corner = pixel_of(t.a.position);
    t.to_b = pixel_of(t.b.position) - t.corner;
    t.to_c = pixel_of(t.c.position) - t.corner;
    t.area = across(t.to_b, t.to_c);
    t.inverse_w = 1.0 / vec3<f32>(t.a.position.w, t.b.position.w, t.c.position.w);
    t.crosses = is_before(t.a.position) || is_before(t.b.position) || is_before(t.c.position);
    if t.crosses {
        // Rows run down, so that it is negative where the triangle winds counterclockwise, as above.
        t.area = -determinant(mat3x3<f32>(t.a.position.xyw, t.b.position.xyw, t.c.position.xyw));
    }
    return t;
}

// The same of a triangle that crosses the near plane, in homogeneous coordinates seen from the pixel's middle. Olano
// and Greer 1997, Triangle scan conversion using 2D homogeneous coordinates.
fn crossing_shares(t: Seen, pixel: vec2<u32>) -> vec3<f32> {
    let place = ((vec2<f32>(pixel) + 0.5) / vec2<f32>(raster.size) - 0.5) * vec2<f32>(2.0, -2.0);
    let a = t.a.position.xy - place * t.a.position.w;
    let b = t.b.position.xy - place * t.b.position.w;
    let c = t.c.position.xy - place * t.c.position.w;
    let weights = vec3<f32>(across(b, c), across(c, a), across(a, b));
    let sum = weights.x + weights.y + weights.z;
    return select(weights / sum, vec3<f32>(1.0 / 3.0), sum == 0.0);
}

// Shares of the vertices in the middle of a pixel, in perspective.
fn shares(t: Seen, pixel: vec2<u32>) -> vec3<f32> {
    if t.crosses {
        return crossing_shares(t, pixel);
    }
    // Less than any triangle of whole places has: seen from the side, where the middle of a pixel is nowhere on it.
    if abs(t.area) < SLIVER {
        return vec3<f32>(1.0 / 3.0);
    }
    let from_corner = vec2<f32>(pixel) + 0.5 - t.corner;
    let b = across(from_corner, t.to_c) / t.area;
    let c = across(t.to_b, from_corner) / t.area;
    let weights = vec3<f32>(1.0 - b - c, b, c) * t.inverse_w;
    return weights / (weights.x + weights.y + weights.z);
}

fn uv_at(t: Seen, pixel: vec2<u32>) -> vec2<f32> {
    let s = shares(t, pixel);
    return t.a.uv * s.x + t.b.uv * s.y + t.c.uv * s.z;
}

@if(extended_vertex)
fn uv1_at(t: Seen, pixel: vec2<u32>) -> vec2<f32> {
    let s = shares(t, pixel);
    return t.a.uv1 * s.x + t.b.uv1 * s.y + t.c.uv1 * s.z;
}

fn varyings_at(t: Seen, pixel: vec2<u32>) -> Varyings {
    let s = shares(t, pixel);
    // Flat: of the first vertex.
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

// As crowd_fragment of crowd.wgsl. Texture coordinates change as they do across the pixel's square of two by
// two, at its corner: graphics pipes choose one level of a texture for all four.
fn shaded(t: Seen, pixel: vec2<u32>) -> vec3<f32> {
    let in = varyings_at(t, pixel);
    @if(mirrored) let outside = is_outside(in, cross(t.b.world - t.a.world, t.c.world - t.a.world));
    @if(!mirrored) let outside = t.area < 0.0;
    var s = seen_surface(in, outside);
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

// How much of a splat is flat, and how much a ball. CPU twin: bake/lods/raster/splats.rs.
const SPLAT_FLATNESS = 0.3;

// The normal of a splat at `world` whose vertex has one, so far from its middle, in radii, to the right and up. It
// faces the eye, not the picture's plane: to the sides of a picture people are seen from another side than in its
// middle.
fn splat_normal(of_vertex: vec3<f32>, world: vec3<f32>, beside: vec2<f32>) -> vec3<f32> {
    let rows = transpose(frame.projection_from_world);
    let back = normalize(frame.eye - world);
    let up = normalize(rows[1].xyz - dot(rows[1].xyz, back) * back);
    let right = cross(up, back);
    // Whatever is turned away shows its other side.
    let flat_normal = of_vertex - 2.0 * min(dot(of_vertex, back), 0.0) * back;
    let ball = right * beside.x + up * beside.y + back * sqrt(max(1.0 - dot(beside, beside), 0.0));
    return normalize(mix(ball, flat_normal, SPLAT_FLATNESS));
}

// All of a splat has the colour of its vertex, at which textures are read as they are.
fn shaded_splat(f: Found, pixel: vec2<u32>) -> vec3<f32> {
    var in = listed_vertex(triangle_vertices(f.m, f.number).x, f.person);
    let metres = meshlet_radius(f.m, f.number) * world_scale(posed[listed_instance(f.person)]);
    let radius = max(f32(splat_radius(metres, in.world, in.position.w)) / 256.0, 1e-3);
    let beside = (vec2<f32>(pixel) + 0.5 - pixel_of(in.position)) / radius;
    in.normal = splat_normal(normalize(in.normal), in.world, vec2<f32>(beside.x, -beside.y));
    // Its middle may be inside of whoever it is of, where no sun comes.
    in.world += in.normal * metres;
    var s = seen_surface(in, true);
    s.first_uv = TexturePoint(in.uv, vec2<f32>(0.0), vec2<f32>(0.0));
    @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, vec2<f32>(0.0), vec2<f32>(0.0));
    return shade_surface(s, base_color(s)).rgb;
}

const NO_ROW = 0xffffffffu;

// The rows of the draw in a phase, and which triangles are theirs: rows begin where the ones before end, if they have
// none, too.
struct PhaseRows {
    first_row: u32,
    first_triangle: u32,
    end: u32,
}

fn phase_rows(first_row: u32) -> PhaseRows {
    let last = sw_raster_max_rows[first_row + DRAW_LIST_LODS - 1u];
    return PhaseRows(first_row, sw_raster_max_rows[first_row].first_triangle, last.first_triangle + last.people * last.triangle_count);
}

fn has(rows: PhaseRows, triangle: u32) -> bool {
    return triangle >= rows.first_triangle && triangle < rows.end;
}

// The last that does not begin behind the triangle.
fn row_among(rows: PhaseRows, triangle: u32) -> u32 {
    var found = rows.first_row;
    for (var lod = 1u; lod < DRAW_LIST_LODS; lod++) {
        let row = rows.first_row + lod;
        found = select(found, row, sw_raster_max_rows[row].first_triangle <= triangle);
    }
    return found;
}

// The row of this draw that a triangle is of, in either phase; NO_ROW: another's.
fn row_of_triangle(own: PhaseRows, other: PhaseRows, triangle: u32) -> u32 {
    if has(own, triangle) {
        return row_among(own, triangle);
    }
    if has(other, triangle) {
        return row_among(other, triangle);
    }
    return NO_ROW;
}

// Of a tile: a triangle in a pixel each, which is shaded once: the triangle, and in which row, samples and pixel.
// Pixels of a tile that show the draw are few, and show one triangle to four: of a list of these, all threads take as
// many.
var<workgroup> hits: array<vec2<u32>, MOST_HITS>;
var<workgroup> hit_count: atomic<u32>;

// Of the tile: TILE times TILE, each with as many hits as samples at most.
const PIXELS = 256u;
@if(multisampled) const MOST_HITS = 1024u;
@if(!multisampled) const MOST_HITS = 256u;
// Of a tile: two of its pixels each.
const THREADS = 128u;
// A pixel of the tile.
const PIXEL_BITS = 8u;
// Its samples, a bit each.
const SAMPLE_BITS = 4u;

fn words_of(pixel: u32) -> PixelWords {
    @if(multisampled) return pixel_words(visibility[2u * pixel], visibility[2u * pixel + 1u]);
    @if(!multisampled) return pixel_words(visibility[pixel]);
}

// Lists the draw's triangles in a pixel of the picture, which is so many-th of the tile.
fn list_hits(at: u32, number: u32, own: PhaseRows, other: PhaseRows) {
    let words = words_of(at);
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
        // The same all over.
        rgb = listed_vertex(triangle_vertices(f.m, f.number).x, f.person).color.rgb;
    }
    @if(!show_heights) {
        if row.splats == 1u {
            rgb = shaded_splat(f, at);
        } else {
            rgb = shaded(seen_triangle(f), at);
        }
    }
    return vec2<u32>(pack2x16float(rgb.rg), pack2x16float(vec2<f32>(rgb.b, 1.0)));
}

fn place_in_tile(number: u32) -> vec2<u32> {
    return vec2<u32>(number % TILE, number / TILE);
}

fn show(hit: vec2<u32>, tile_corner: vec2<u32>) {
    let at = tile_corner + place_in_tile(hit.y & (PIXELS - 1u));
    let color = color_of(hit.x, sw_raster_max_rows[hit.y >> (PIXEL_BITS + SAMPLE_BITS)], at);
    let first = (at.y * raster.size.x + at.x) * SAMPLES;
    for (var nth = 0u; nth < SAMPLES; nth++) {
        if (hit.y & (1u << (PIXEL_BITS + nth))) != 0u {
            raster_colors[first + nth] = color;
        }
    }
}

@compute @workgroup_size(THREADS)
fn shade_visibility(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
    // Of this memory nothing else is read before it is written (gpu/pipeline.rs).
    if thread == 0u {
        atomicStore(&hit_count, 0u);
    }
    let place = group.y * TILE_ROW + group.x;
    let works = place < resolved_tiles[raster.first_tile];
    let tile = select(0u, resolved_tiles[raster.first_tile + 1u + place], works);
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
        show(hits[hit], tile_corner);
    }
}
