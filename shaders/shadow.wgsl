// Directional shadow map: depth of the crowd in the pose of the crowd pass. Masked and blended materials cast
// alpha-tested shadows. Depth is not reversed: 0 is nearest the sun.

import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::packed::{CharacterVertex, load_vertex};
import package::shared::instance::{Posed, unpack_playback};
import package::shared::pose::{posed, pose_vertex, world_position};
import package::shared::skinning::UnitVertex;
import package::shared::surface::{Surface, TexturePoint, base_color, materials};
import package::shared::textbook::{TextbookVertex, textbook_pose, textbook_vertex};

// Shadows use a fixed cutoff instead of dither: they are filtered and coarser than the picture.
const BLEND_CUTOFF = 0.5; // shader only

struct ShadowVaryings {
    @builtin(position) position: vec4<f32>,
    @if(alpha_test) @location(0) uv: vec2<f32>,
    @if(alpha_test && extended_vertex) @location(1) uv1: vec2<f32>,
    @if(alpha_test && extended_vertex) @location(2) alpha: f32,
    @if(alpha_test) @location(3) @interpolate(flat) material: u32,
}

@if(!technique_textbook)
@vertex
fn shadow_vertex(
    @builtin(vertex_index) index: u32,
    @if(!listed) @builtin(instance_index) instance: u32,
    @if(listed) @location(0) id: u32,
) -> ShadowVaryings {
    @if(listed) let instance = listed_instance(id);
    let p = posed[instance];
    let v = load_vertex(index);
    return cast_vertex(v, pose_vertex(v, index, instance, p.play), p);
}

@if(technique_textbook)
@vertex
fn shadow_vertex(fetched: TextbookVertex, @builtin(vertex_index) index: u32) -> ShadowVaryings {
    let v = textbook_vertex(fetched);
    let p = Posed(fetched.place, fetched.play);
    return cast_vertex(v, textbook_pose(v, index, unpack_playback(p.play)), p);
}

fn cast_vertex(v: CharacterVertex, unit: UnitVertex, p: Posed) -> ShadowVaryings {
    var out: ShadowVaryings;
    out.position = frame.shadow_from_world * vec4<f32>(world_position(unit.position, p), 1.0);
    @if(alpha_test) out.uv = v.uv;
    @if(alpha_test && extended_vertex) out.uv1 = v.uv1;
    @if(alpha_test && extended_vertex) out.alpha = v.alpha;
    @if(alpha_test) out.material = v.material;
    return out;
}

@if(alpha_test)
@fragment
fn shadow_fragment(in: ShadowVaryings) {
    var s: Surface;
    s.material = in.material;
    s.first_uv = TexturePoint(in.uv, dpdx(in.uv), dpdy(in.uv));
    @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, dpdx(in.uv1), dpdy(in.uv1));
    @if(extended_vertex) s.alpha = in.alpha;
    let cutoff = materials[in.material].alpha_cutoff;
    if base_color(s).a < select(cutoff, BLEND_CUTOFF, cutoff < 0.0) {
        discard;
    }
}
