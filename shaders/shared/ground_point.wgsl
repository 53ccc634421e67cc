// Where the ground is seen at a place in the picture: what draws it in compute asks for it pixel by pixel.

import package::shared::frame::frame;
import package::shared::paving::GROUND_REACH;

// Where a ray from the eye meets the ground.
struct GroundPoint {
    // x and z, metres
    place: vec2<f32>,
    // of the picture; negative where there is no ground
    depth: f32,
}

const NO_GROUND = -1.0;

// From the eye to the point of depth one half that is seen at a place in a picture of `size`, pixels.
fn ray_through(place: vec2<f32>, size: vec2<u32>) -> vec3<f32> {
    let corner = place / vec2<f32>(size) * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    let world = frame.world_from_projection * vec4<f32>(corner, 0.5, 1.0);
    return world.xyz / world.w - frame.eye;
}

fn ground_at(ray: vec3<f32>) -> GroundPoint {
    // Depth falls with distance along the camera's axis: twice as far, half the depth.
    let times = -frame.eye.y / ray.y;
    let away = ray.xz * times;
    if !(times > 0.5 && max(abs(away.x), abs(away.y)) <= GROUND_REACH) {
        return GroundPoint(vec2<f32>(0.0), NO_GROUND);
    }
    return GroundPoint(frame.eye.xz + away, 0.5 / times);
}
