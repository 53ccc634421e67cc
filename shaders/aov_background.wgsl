// AOVs (shaders/aov.wgsl) of the background: the ground and, with `sky`, the sky. Both have id 0. The sky has no depth,
// normal or colour: it is drawn for its motion vectors only.

import package::shared::frame::frame;
import package::shared::ground_point::{ground_ahead, ground_away, ray_through};
import package::shared::paving::{ground_color, ground_corner};
import package::shared::aov::{moved, aov};

struct BackgroundVaryings {
    @builtin(position) position: vec4<f32>,
    @if(sky) @location(0) direction: vec3<f32>,
}

@if(!sky)
@vertex
fn aov_background_vertex(@builtin(vertex_index) index: u32) -> BackgroundVaryings {
    return BackgroundVaryings(frame.projection_from_world * vec4<f32>(ground_corner(index), 1.0));
}

// One triangle that covers the picture at the far plane.
@if(sky)
@vertex
fn aov_background_vertex(@builtin(vertex_index) index: u32) -> BackgroundVaryings {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    let world = frame.world_from_projection * vec4<f32>(corner, 0.5, 1.0);
    var out: BackgroundVaryings;
    out.position = vec4<f32>(corner, 0.0, 1.0);
    out.direction = world.xyz / world.w - frame.eye;
    return out;
}

// Ground point that a fragment shows; see ground.wgsl.
fn ground_shown(position: vec4<f32>) -> vec4<f32> {
    let place = ground_ahead(ray_through(position.xy, frame.picture_size));
    return vec4<f32>(place.x, 0.0, place.y, 1.0);
}

@if(!show_ids) alias AovValue = vec4<f32>;
@if(show_ids) alias AovValue = vec4<u32>;

@fragment
fn aov_background_fragment(in: BackgroundVaryings) -> @location(0) AovValue {
    @if(show_ids) return vec4<u32>(0u);
    @if(show_depth) return vec4<f32>((frame.projection_from_world * ground_shown(in.position)).w, 0.0, 0.0, 1.0);
    @if(show_normal) return vec4<f32>(0.0, 1.0, 0.0, 1.0);
    // A direction has no position: only rotations of the camera move it.
    @if(show_motion && sky) let next = aov.next_from_world * vec4<f32>(in.direction, 0.0);
    @if(show_motion && !sky) let next = aov.next_from_world * ground_shown(in.position);
    @if(show_motion) return vec4<f32>(moved(in.position.xy, next), 0.0, 1.0);
    @if(show_uv) return vec4<f32>(0.0, 0.0, 0.0, 1.0);
    @if(show_albedo) {
        let ray = ray_through(in.position.xy, frame.picture_size);
        let away = ground_away(ray);
        return vec4<f32>(ground_color(ground_ahead(ray), max(length(dpdx(away)), length(dpdy(away)))), 1.0);
    }
}
