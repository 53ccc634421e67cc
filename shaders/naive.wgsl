// Naive skinned draw, the severe baseline: vertex buffers instead of pulled vertices, 4x4 matrices. It shades with the
// functions of the crowd pass and gives equal pictures.

import package::shared::frame::frame;
import package::shared::instance::{Posed, posed_along, posed_normal, posed_position, unpack_playback};
import package::shared::naive::{NaiveVertex, naive_posed};
import package::shared::surface::{
    TexturePoint, Varyings, base_color, facet_normal, is_hole, is_outside, surface_at, shade_surface, tinted,
};

@vertex
fn naive_vertex(v: NaiveVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let play = unpack_playback(v.play);
    let model = naive_posed(v, index, play);
    let p = Posed(v.place, v.play);
    let world = posed_position(model.position, p);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    out.normal = posed_normal(model.normal, p);
    @if(normal_mapped) out.tangent = vec4<f32>(posed_along(model.tangent.xyz, p), model.tangent.w);
    @if(flat_shaded) out.facet = vec4<f32>(posed_along(model.position, p), 1.0);
    out.uv = v.uv;
    @if(extended_vertex) out.uv1 = v.uv1;
    @if(extended_vertex) out.alpha = v.color.a;
    out.color = tinted(v.color.rgb, v.material, v.tint);
    out.material = v.material;
    @if(surface_shader) out.tint = v.tint;
    return out;
}

@fragment
fn naive_fragment(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    @if(mirrored) let outside = is_outside(in, cross(dpdx(in.world), dpdy(in.world)));
    @if(!mirrored) let outside = front;
    var s = surface_at(in, outside);
    @if(flat_shaded) s.normal = facet_normal(s, in.facet.w, cross(dpdx(in.facet.xyz), dpdy(in.facet.xyz)));
    s.first_uv = TexturePoint(in.uv, dpdx(in.uv), dpdy(in.uv));
    @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, dpdx(in.uv1), dpdy(in.uv1));
    let base = base_color(s);
    @if(alpha_test) {
        if is_hole(s.material, base.a, in.position.xy) {
            discard;
        }
    }
    // Surviving fragments are opaque: alpha is tested or dithered, never blended.
    @if(!show_overdraw) return vec4<f32>(shade_surface(s, base).rgb, 1.0);
    // Additive blending counts fragments (shaders/overdraw.wgsl).
    @if(show_overdraw) return vec4<f32>(1.0);
}
