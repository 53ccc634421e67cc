// The crowd: one indexed, instanced draw per character. With `listed` there is one draw per LOD, of the instances in a
// draw list (shared/draw_lists.wgsl). With `compacted` draws hold only triangles that survived triangle culling
// (shared/triangle_cull.wgsl). Vertices are pulled (shared/packed.wgsl) and posed by the technique of the pipeline
// (shared/pose.wgsl). Only `textbook` fetches vertex attributes. Writes linear, scene-referred colour with an alpha of
// 1.
//
// Only fragment entry points take derivatives and discard, here and in every shader. Functions of shared/surface.wgsl
// take gradients and return alpha, so that compute passes can call them.

import package::shared::instance::{Posed, unpack_playback};
import package::shared::packed::load_vertex;
import package::shared::pose::{posed, pose_vertex, instance_tint};
import package::shared::shown::{listed_vertex, vertex_varyings};
import package::shared::compacted::compacted_vertex;
import package::shared::surface::{
    TexturePoint, Varyings, base_color, facet_normal, is_hole, is_outside, surface_at, shade_surface,
};
import package::shared::textbook::{TextbookVertex, textbook_pose, textbook_vertex};

@if(listed && !compacted)
@vertex
fn crowd_vertex(@builtin(vertex_index) index: u32, @location(0) id: u32) -> Varyings {
    return listed_vertex(index, id);
}

@if(listed && compacted)
@vertex
fn crowd_vertex(@builtin(vertex_index) index: u32, @location(0) row: u32) -> Varyings {
    let shown = compacted_vertex(row, index);
    return listed_vertex(shown.y, shown.x);
}

@if(!listed && !technique_textbook)
@vertex
fn crowd_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Varyings {
    let v = load_vertex(index);
    let p = posed[instance];
    return vertex_varyings(v, pose_vertex(v, index, instance, p.play), p, instance_tint(instance));
}

@if(technique_textbook)
@vertex
fn crowd_vertex(fetched: TextbookVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let v = textbook_vertex(fetched);
    let p = Posed(fetched.place, fetched.play);
    return vertex_varyings(v, textbook_pose(v, index, unpack_playback(p.play)), p, fetched.tint);
}

@fragment
fn crowd_fragment(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
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
    @if(!show_heights && !show_overdraw) return vec4<f32>(shade_surface(s, base).rgb, 1.0);
    @if(show_heights) return in.color;
    // Additive blending counts fragments (shaders/overdraw.wgsl).
    @if(show_overdraw) return vec4<f32>(1.0);
}
