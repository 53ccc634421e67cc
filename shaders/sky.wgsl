// Sky: one triangle at the far end of the depth range, where nothing else was drawn. Writes linear, scene-referred
// colour.

import package::shared::frame::frame;
import package::shared::paving::{GROUND_STUDIO, studio_background};
import package::shared::sky::{clouds, distant_hills, sky_color, slope, sun_disc};

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) ray: vec3<f32>,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> Varyings {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    // Depth is reversed (1 is near); any finite depth gives the ray.
    let world = frame.world_from_projection * vec4<f32>(corner, 0.5, 1.0);
    var out: Varyings;
    out.position = vec4<f32>(corner, 0.0, 1.0);
    out.ray = world.xyz / world.w - frame.eye;
    return out;
}

@fragment
fn sky_fragment(in: Varyings) -> @location(0) vec4<f32> {
    let direction = normalize(in.ray);
    let softness = fwidth(slope(direction));
    if frame.ground == GROUND_STUDIO {
        return vec4<f32>(studio_background(direction), 1.0);
    }
    @if(simple) let sky = sky_color(direction) + sun_disc(direction);
    @if(!simple) let sky = clouds(direction, sky_color(direction) + sun_disc(direction));
    return vec4<f32>(distant_hills(direction, softness, sky), 1.0);
}
