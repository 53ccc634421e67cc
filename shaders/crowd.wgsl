// The crowd: one indexed, instanced draw per character.

import package::shared::frame::frame;
import package::shared::character::load_vertex;
import package::shared::pose::{posed, pose_vertex, world_direction, world_position, instance_tint};
import package::shared::surface::{Surface, shade_surface, tinted};

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat) material: u32,
    @if(normal_mapped) @location(5) tangent: vec4<f32>,
    @if(wide_vertex) @location(6) uv1: vec2<f32>,
    @if(wide_vertex) @location(7) alpha: f32,
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
    out.normal = world_direction(unit.normal, p);
    @if(normal_mapped) out.tangent = vec4<f32>(world_direction(unit.tangent.xyz, p), unit.tangent.w);
    out.uv = v.uv;
    @if(wide_vertex) out.uv1 = v.uv1;
    @if(wide_vertex) out.alpha = v.alpha;
    out.color = tinted(v.color, v.material, instance_tint(instance));
    out.material = v.material;
    return out;
}

@fragment
fn crowd_fragment(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    // Seen from behind, the whole basis turns around.
    let side = select(-1.0, 1.0, front);
    var s: Surface;
    s.world = in.world;
    s.normal = in.normal * (side * inverseSqrt(max(dot(in.normal, in.normal), 1e-20)));
    @if(normal_mapped) s.tangent = in.tangent * side;
    s.uv = in.uv;
    @if(wide_vertex) s.uv1 = in.uv1;
    @if(wide_vertex) s.alpha = in.alpha;
    s.color = in.color;
    s.material = in.material;
    s.pixel = in.position.xy;
    return shade_surface(s);
}
