// Ray-plane intersection with the ground, for compute passes that shade it per pixel.

import package::shared::frame::frame;
import package::shared::paving::GROUND_REACH;

// Intersection of a view ray with the ground.
struct GroundPoint {
    // x and z (m)
    place: vec2<f32>,
    // depth as in the depth buffer; negative where there is no ground
    depth: f32,
}

const NO_GROUND = -1.0;

// Vector from the eye to the point of depth 0.5 at a position (px) in a picture of `size` (px).
fn ray_through(place: vec2<f32>, size: vec2<u32>) -> vec3<f32> {
    let corner = place / vec2<f32>(size) * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    let world = frame.world_from_projection * vec4<f32>(corner, 0.5, 1.0);
    return world.xyz / world.w - frame.eye;
}

fn ground_at(ray: vec3<f32>) -> GroundPoint {
    // Reversed infinite depth is inverse to distance along the camera's axis.
    let times = -frame.eye.y / ray.y;
    let away = ray.xz * times;
    if !(times > 0.5 && max(abs(away.x), abs(away.y)) <= GROUND_REACH) {
        return GroundPoint(vec2<f32>(0.0), NO_GROUND);
    }
    return GroundPoint(frame.eye.xz + away, 0.5 / times);
}
