// Ray-plane intersection with the ground, for passes that shade it per pixel.

import package::shared::frame::frame;
import package::shared::paving::GROUND_REACH;

// Intersection of a view ray with the ground.
struct GroundPoint {
    // x and z (m)
    place: vec2<f32>,
    // depth as in the depth buffer; negative where there is no ground
    depth: f32,
}

const NO_GROUND = -1.0; // shader only

// Vector from the eye to the point of depth 0.5 at a position (px) in a picture of `size` (px). From the axes of the
// camera: a difference between the eye and a point 20 cm from it would be wrong by metres on the ground 10 km away.
fn ray_through(place: vec2<f32>, size: vec2<u32>) -> vec3<f32> {
    let corner = place / vec2<f32>(size) * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    let m = frame.projection_from_world;
    // Rows of the matrix: axes over tangents of half the field of view, each with a shift of the picture along `ahead`.
    let ahead = vec3<f32>(m[0].w, m[1].w, m[2].w);
    let x_row = vec3<f32>(m[0].x, m[1].x, m[2].x);
    let y_row = vec3<f32>(m[0].y, m[1].y, m[2].y);
    let shift = vec2<f32>(dot(x_row, ahead), dot(y_row, ahead)) / dot(ahead, ahead);
    let right = x_row - shift.x * ahead;
    let up = y_row - shift.y * ahead;
    let aside = corner - shift;
    let near = m[3].z;
    return 2.0 * near * (ahead + aside.x / dot(right, right) * right + aside.y / dot(up, up) * up);
}

// Limit of the ray parameter for rays that never reach the ground.
const FARTHEST_TIMES = 1e9; // shader only

// Vector along the ground (x and z, m) from below the eye to the point of a view ray. It points backwards where the ray
// rises, so that its derivatives grow without end towards the horizon.
fn ground_away(ray: vec3<f32>) -> vec2<f32> {
    return ray.xz * clamp(-frame.eye.y / ray.y, -FARTHEST_TIMES, FARTHEST_TIMES);
}

// Ground point (x and z, m) of a view ray, mirrored to lie ahead where the ray rises: a pixel whose centre lies above the
// horizon may still show ground in some of its samples.
fn ground_ahead(ray: vec3<f32>) -> vec2<f32> {
    return frame.eye.xz + ray.xz * min(abs(frame.eye.y / ray.y), FARTHEST_TIMES);
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
