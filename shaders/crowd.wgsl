// The crowd: one indexed, instanced draw per character.

import package::shared::frame::frame;
import package::shared::character::load_vertex;
import package::shared::pose::{posed, pose_vertex, world_normal, world_position, instance_tint};
import package::shared::surface::{Surface, shade_surface, tinted};

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat) material: u32,
}

@vertex
fn crowd_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Varyings {
    let v = load_vertex(index);
    let p = posed[instance];
    let unit = pose_vertex(v, index, instance, p.play);
    let world = world_position(unit.position, p);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    out.normal = world_normal(unit.normal, p);
    out.uv = v.uv;
    out.color = tinted(v.color, v.material, instance_tint(instance));
    out.material = v.material;
    return out;
}

@fragment
fn crowd_fragment(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let facing = select(-in.normal, in.normal, front);
    let normal = facing * inverseSqrt(max(dot(facing, facing), 1e-20));
    return shade_surface(Surface(in.world, normal, in.uv, in.color, in.material, in.position.xy));
}
