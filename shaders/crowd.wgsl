// The crowd: one indexed, instanced draw per character.

import package::shared::frame::frame;
import package::shared::character::load_vertex;
import package::shared::pose::{posed, pose_vertex, world_direction, world_position, instance_tint};
import package::shared::surface::{Varyings, shade_pixel, tinted};

@vertex
fn crowd_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Varyings {
    let v = load_vertex(index);
    let p = posed[instance];
    let unit = pose_vertex(v, index, instance, p.play);
    let world = world_position(unit.position, p);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    out.normal = world_direction(unit.normal, p);
    @if(normal_mapped) out.tangent = vec4<f32>(world_direction(unit.tangent.xyz, p), unit.tangent.w);
    out.uv = v.uv;
    @if(extended_vertex) out.uv1 = v.uv1;
    @if(extended_vertex) out.alpha = v.alpha;
    out.color = tinted(v.color, v.material, instance_tint(instance));
    out.material = v.material;
    return out;
}

@fragment
fn crowd_fragment(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return shade_pixel(in, front);
}
