// A clear late-morning sky: gradient, haze towards the horizon and a soft sun. Linear, scene-referred.

import package::shared::frame::frame;

const ZENITH = vec3<f32>(0.10, 0.25, 0.58);
const HORIZON = vec3<f32>(0.62, 0.74, 0.86);
const WARM_HAZE = vec3<f32>(0.92, 0.78, 0.58);

fn sky_color(direction: vec3<f32>) -> vec3<f32> {
    let up = clamp(direction.y, 0.0, 1.0);
    let towards_sun = max(dot(direction, frame.sun_direction), 0.0);
    let gradient = mix(HORIZON, ZENITH, 1.0 - pow(1.0 - up, 2.6));
    let haze = WARM_HAZE * pow(towards_sun, 6.0) * 0.35 * pow(1.0 - up, 3.0);
    return gradient + haze;
}

// Smooth periodic noise over the compass, -1..1.
fn ridge(turn: f32, waves: vec3<f32>, phase: f32) -> f32 {
    return sin(turn * waves.x + phase) * 0.5 + sin(turn * waves.y + phase * 2.3) * 0.3
        + sin(turn * waves.z + phase * 4.1) * 0.2;
}

// How steeply a direction points up: the tangent of its elevation.
fn slope(direction: vec3<f32>) -> f32 {
    return direction.y / max(length(direction.xz), 1e-4);
}

// Three ranges of hills, paler with distance, between the ground's horizon and the sky. `softness`
// is how much the slope changes over a pixel: edges are that wide.
fn distant_hills(direction: vec3<f32>, softness: f32, sky: vec3<f32>) -> vec3<f32> {
    let turn = atan2(direction.x, direction.z);
    let rise = slope(direction);
    var color = sky;
    let far = 0.030 + 0.016 * ridge(turn, vec3<f32>(5.0, 11.0, 23.0), 1.7);
    let middle = 0.017 + 0.010 * ridge(turn, vec3<f32>(7.0, 17.0, 31.0), 4.2);
    let near = 0.007 + 0.005 * ridge(turn, vec3<f32>(9.0, 21.0, 47.0), 0.4);
    let edge = max(softness, 1e-5);
    color = mix(color, mix(vec3<f32>(0.36, 0.47, 0.58), sky, 0.45), 1.0 - smoothstep(far - edge, far + edge, rise));
    color = mix(color, mix(vec3<f32>(0.29, 0.40, 0.42), sky, 0.30), 1.0 - smoothstep(middle - edge, middle + edge, rise));
    color = mix(color, mix(vec3<f32>(0.25, 0.36, 0.30), sky, 0.20), 1.0 - smoothstep(near - edge, near + edge, rise));
    return color;
}

fn sun_disc(direction: vec3<f32>) -> vec3<f32> {
    let towards_sun = dot(direction, frame.sun_direction);
    let glow = pow(max(towards_sun, 0.0), 400.0) * 0.6;
    return vec3<f32>(1.0, 0.92, 0.78) * (glow + smoothstep(0.99955, 0.9998, towards_sun) * 12.0);
}

// Colour that distance fades to, so that the ground meets the sky without an edge.
fn aerial(color: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let ray = world - frame.eye;
    let distance = length(ray);
    let density = 1.0 - exp(-distance * distance / (900.0 * 900.0));
    let flat_ray = normalize(vec3<f32>(ray.x, 0.0, ray.z) + vec3<f32>(1e-6, 0.0, 0.0));
    // The haze takes on some of the hills' colour, which begin where the ground ends.
    let haze = mix(sky_color(flat_ray), vec3<f32>(0.27, 0.38, 0.34), 0.62);
    return mix(color, haze, clamp(density, 0.0, 1.0));
}
