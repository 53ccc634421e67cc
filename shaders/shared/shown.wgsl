// Varyings of a posed vertex, for the hardware rasterizer and for deferred shading.

import package::shared::character::character;
import package::shared::frame::{SHOW_LODS, frame};
import package::shared::heights::height_code;
import package::shared::instance::Posed;
import package::shared::listed::{lod_color, listed_instance, listed_lod};
import package::shared::packed::{CharacterVertex, load_vertex};
import package::shared::pose::{instance_tint, pose_vertex, posed, world_along, world_normal, world_position};
import package::shared::skinning::UnitVertex;
import package::shared::surface::{Varyings, tinted};

fn vertex_varyings(v: CharacterVertex, unit: UnitVertex, p: Posed, tint: u32) -> Varyings {
    let world = world_position(unit.position, p);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    out.normal = world_normal(unit.normal, p);
    @if(normal_mapped) out.tangent = vec4<f32>(world_along(unit.tangent.xyz, p), unit.tangent.w);
    @if(flat_shaded) out.facet = vec4<f32>(world_along(unit.position, p), 1.0);
    out.uv = v.uv;
    @if(extended_vertex) out.uv1 = v.uv1;
    @if(extended_vertex) out.alpha = v.alpha;
    out.color = tinted(v.color, v.material, tint);
    @if(show_heights) out.color = height_code(p);
    out.material = v.material;
    @if(surface_shader) out.tint = tint;
    return out;
}

// Varyings of an entry of a draw list (shared/listed.wgsl).
@if(listed)
fn listed_vertex(index: u32, id: u32) -> Varyings {
    let instance = listed_instance(id);
    let v = load_vertex(index);
    let p = posed[instance];
    var out = vertex_varyings(v, pose_vertex(v, index, instance, p.play), p, instance_tint(instance));
    // Interpolates linearly between vertices, as normals do.
    if v.normal_bias > 0.0 {
        out.normal = normalize(out.normal) + v.normal_bias * normalize(frame.eye - out.world);
    }
    // LODs are shaded by their own normals, never by facet.
    @if(flat_shaded) out.facet.w = select(0.0, 1.0, index < character.vertex_count);
    if (frame.culling & SHOW_LODS) != 0u {
        out.color = vec4<f32>(lod_color(listed_lod(id)), out.color.a);
    }
    return out;
}
