// AOVs (shaders/aov.wgsl) of the background: the ground and, with `sky`, the sky. Both have id 0. The sky has no depth,
// normal or colour: it is drawn for its motion vectors only.

import package::shared::frame::frame;
import package::shared::paving::{ground_color, ground_corner};
import package::shared::aov::{moved, aov};

struct BackgroundVaryings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @if(show_depth) @location(1) depth: f32,
}

@if(!sky)
@vertex
fn aov_background_vertex(@builtin(vertex_index) index: u32) -> BackgroundVaryings {
    let world = ground_corner(index);
    var out: BackgroundVaryings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    @if(show_depth) out.depth = out.position.w;
    return out;
}

// One triangle that covers the picture at the far plane; `world` is a direction.
@if(sky)
@vertex
fn aov_background_vertex(@builtin(vertex_index) index: u32) -> BackgroundVaryings {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    let world = frame.world_from_projection * vec4<f32>(corner, 0.5, 1.0);
    var out: BackgroundVaryings;
    out.position = vec4<f32>(corner, 0.0, 1.0);
    out.world = world.xyz / world.w - frame.eye;
    return out;
}

@if(!show_ids) alias AovValue = vec4<f32>;
@if(show_ids) alias AovValue = vec4<u32>;

@fragment
fn aov_background_fragment(in: BackgroundVaryings) -> @location(0) AovValue {
    @if(show_ids) return vec4<u32>(0u);
    @if(show_depth) return vec4<f32>(in.depth, 0.0, 0.0, 1.0);
    @if(show_normal) return vec4<f32>(0.0, 1.0, 0.0, 1.0);
    // A direction has no position: only rotations of the camera move it.
    @if(show_motion && sky) let next = aov.next_from_world * vec4<f32>(in.world, 0.0);
    @if(show_motion && !sky) let next = aov.next_from_world * vec4<f32>(in.world, 1.0);
    @if(show_motion) return vec4<f32>(moved(in.position.xy, next), 0.0, 1.0);
    @if(show_uv) return vec4<f32>(0.0, 0.0, 0.0, 1.0);
    @if(show_albedo) {
        let p = in.world.xz;
        return vec4<f32>(ground_color(p, max(length(dpdx(p)), length(dpdy(p)))), 1.0);
    }
}
