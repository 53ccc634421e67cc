// Ground plane up to the horizon: plaza paving, grass, pitch, studio floor or a metre grid, filtered by the pixel's
// footprint. Four vertices form a strip around the eye. Drawn after the crowd. Writes linear, scene-referred colour.

import package::shared::frame::frame;
import package::shared::ground_point::{ground_ahead, ground_away, ray_through};
import package::shared::light::shade;
import package::shared::paving::{GROUND_STUDIO, ground_color, ground_corner, studio_background, studio_floor};
import package::shared::sky::aerial;

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return frame.projection_from_world * vec4<f32>(ground_corner(index), 1.0);
}

@fragment
fn ground_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    // From the pixel's ray, not interpolated between corners kilometres away: rasterizers that clip such triangles moved
    // the pattern by whole pixels.
    let ray = ray_through(position.xy, frame.picture_size);
    let place = ground_ahead(ray);
    let away = ground_away(ray);
    let base = ground_color(place, max(length(dpdx(away)), length(dpdy(away))));
    let world = vec3<f32>(place.x, 0.0, place.y);
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
