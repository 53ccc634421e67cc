// Ground plane up to the horizon: plaza paving, grass, pitch, studio floor or a metre grid, filtered by the pixel's
// footprint. Four vertices form a strip around the eye. Drawn after the crowd. Writes linear, scene-referred colour.

import package::shared::frame::frame;
import package::shared::light::shade;
import package::shared::paving::{GROUND_STUDIO, ground_color, ground_corner, studio_background, studio_floor};
import package::shared::sky::aerial;

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
}

// Centroid sampling is not used: a pixel whose centre lies above the horizon extrapolates to a point at the camera's
// back. That point is mirrored to lie ahead.
fn mirrored_ahead(world: vec3<f32>) -> vec3<f32> {
    let m = frame.projection_from_world;
    if dot(vec4<f32>(m[0].w, m[1].w, m[2].w, m[3].w), vec4<f32>(world, 1.0)) >= 0.0 {
        return world;
    }
    return vec3<f32>(2.0 * frame.eye.x - world.x, world.y, 2.0 * frame.eye.z - world.z);
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> Varyings {
    let world = ground_corner(index);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    return out;
}

@fragment
fn ground_fragment(in: Varyings) -> @location(0) vec4<f32> {
    let world = mirrored_ahead(in.world);
    let p = in.world.xz;
    let pixel = max(length(dpdx(p)), length(dpdy(p)));
    let base = ground_color(world.xz, pixel);
    let up = vec3<f32>(0.0, 1.0, 0.0);
    // No offset along the normal: the ground casts no shadow on itself, and a coarse map would move that of feet.
    @if(simple) let color = shade(base, 0.0, 0.92, 1.0, world, up, vec3<f32>(0.0));
    @if(!simple) let color = shade(base, 0.0, 0.92, 1.0, world, up, up);
    if frame.ground == GROUND_STUDIO {
        let direction = normalize(world - frame.eye);
        return vec4<f32>(mix(studio_background(direction), color, studio_floor(direction)), 1.0);
    }
    return vec4<f32>(aerial(color, world), 1.0);
}
