// The crowd: one indexed, instanced draw per character. Vertices are pulled (shared/packed.wgsl) and
// posed by the technique that the pipeline was compiled for (shared/pose.wgsl). Writes linear,
// scene-referred colour; alpha is always 1.
//
// Only fragment entry points ask for derivatives and discard, here and everywhere: what they call
// (shared/surface.wgsl) takes gradients and returns alpha, so that a compute pass can call it too.

import package::shared::frame::frame;
import package::shared::packed::load_vertex;
import package::shared::pose::{posed, pose_vertex, world_direction, world_position, instance_tint};
import package::shared::surface::{
    TexturePoint, Varyings, base_color, is_hole, seen_surface, shade_surface, tinted,
};

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
    var s = seen_surface(in, front);
    s.first_uv = TexturePoint(in.uv, dpdx(in.uv), dpdy(in.uv));
    @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, dpdx(in.uv1), dpdy(in.uv1));
    let base = base_color(s);
    @if(alpha_test) {
        if is_hole(s.material, base.a, in.position.xy) {
            discard;
        }
    }
    // Nothing is blended: what alpha leaves is whole.
    return vec4<f32>(shade_surface(s, base).rgb, 1.0);
}
