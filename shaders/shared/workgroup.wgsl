// Work distribution of rasterise.wgsl and triangle_cull.wgsl: each workgroup takes one meshlet of one instance, or of
// several. Vertices come from the vertex cache, or are posed by the functions of the crowd pass.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::vertex_cache::cached_vertex;
import package::shared::hero::{is_hero, playback_of};
import package::shared::instance::Posed;
import package::shared::packed::load_vertex;
import package::shared::pose::{pose_vertex, world_position};
import package::shared::raster::{
    Meshlet, RasterRow, meshlet_of, meshlet_triangle, meshlet_vertex, raster, raster_row_table,
};

// Row (LOD of the draw) of a workgroup.
fn row_number_of_group(group: u32) -> u32 {
    var found = raster.first_row;
    for (var lod = 1u; lod < DRAW_LIST_LODS; lod++) {
        // A linear search reads one word per row. Rows without workgroups begin where the next does.
        let row = raster.first_row + lod;
        found = select(found, row, group >= raster_row_table[row].first_group);
    }
    return found;
}

fn row_of_group(group: u32) -> RasterRow {
    return raster_row_table[row_number_of_group(group)];
}

// Position of a meshlet vertex, unit space.
fn corner_position(m: Meshlet, number: u32, instance: u32, play: vec4<u32>) -> vec3<f32> {
    @if(cached_vertices && heroes) {
        if !is_hero(play) {
            return cached_vertex(m.first_corner + number, playback_of(play, instance));
        }
    }
    @if(cached_vertices && !heroes) return cached_vertex(m.first_corner + number, playback_of(play, instance));
    @if(!cached_vertices || heroes) let index = meshlet_vertex(m, number);
    @if(!cached_vertices || heroes) return pose_vertex(load_vertex(index), index, instance, play).position;
}

fn corner_in_world(instance: u32, p: Posed, m: Meshlet, number: u32) -> vec4<f32> {
    return vec4<f32>(world_position(corner_position(m, number, instance, p.play), p), 1.0);
}

// Work of one workgroup: a meshlet of `batch` instances. Triangle ids of the first instance begin at `first_triangle`,
// those of each further one `person_triangles` later.
struct GroupWork {
    m: Meshlet,
    batch: u32,
    // first instance, within the row
    first_person: u32,
    first_triangle: u32,
    person_triangles: u32,
}

// Work of workgroup `number`; empty beyond the last, since dispatches are rounded up to whole rows.
fn group_of(row: RasterRow, number: u32) -> GroupWork {
    let begins = (number - row.first_group) * row.people_per_group;
    let works = number < row.first_group + row.group_count;
    let each = max(row.meshlet_count, 1u);
    var group: GroupWork;
    group.batch = select(0u, min(row.people_per_group, row.people * row.meshlet_count - begins), works);
    group.m = meshlet_of(row, begins % each);
    group.first_person = begins / each;
    group.person_triangles = row.triangle_count;
    group.first_triangle = row.first_triangle + group.first_person * row.triangle_count + group.m.first_triangle;
    return group;
}

// Integer division through f32, exact up to MESHLET_TRIANGLES: faster than u32 division on GPUs.
fn quotient(a: u32, b: u32) -> u32 {
    return u32((f32(a) + 0.5) / f32(b));
}

// Instance within the batch that owns a triangle, and the triangle's index in the meshlet.
fn owner_of(group: GroupWork, triangle: u32) -> vec2<u32> {
    let owner = quotient(triangle, group.m.triangle_count);
    return vec2<u32>(owner, triangle - owner * group.m.triangle_count);
}

fn corners_of(group: GroupWork, triangle: u32) -> vec3<u32> {
    let own = owner_of(group, triangle);
    return meshlet_triangle(group.m, own.y) + own.x * group.m.vertex_count;
}
