// Procedural sky: gradient, haze towards the horizon, clouds and a soft sun, by the sun's elevation. Linear,
// scene-referred.

import package::shared::frame::frame;

@if(!simple)
fn sky_color(direction: vec3<f32>) -> vec3<f32> {
    let up = clamp(direction.y, 0.0, 1.0);
    let towards_sun = max(dot(direction, frame.sun_direction), 0.0);
    let gradient = mix(frame.daylight.horizon, frame.daylight.zenith, 1.0 - pow(1.0 - up, 2.6));
    let low = 1.0 - up;
    let haze = frame.daylight.haze * pow(towards_sun, frame.daylight.haze_falloff) * (low * low * low);
    return gradient + haze;
}

// Gradient alone: exponents are powers by multiplication.
@if(simple)
fn sky_color(direction: vec3<f32>) -> vec3<f32> {
    let low = 1.0 - clamp(direction.y, 0.0, 1.0);
    let towards_sun = max(dot(direction, frame.sun_direction), 0.0);
    let haze = frame.daylight.haze * (towards_sun * towards_sun * towards_sun * low * low * low);
    return mix(frame.daylight.zenith, frame.daylight.horizon, low * low * sqrt(low)) + haze;
}

// Sky colour at the horizon, as aerial perspective needs it.
@if(!simple)
fn horizon_color(direction: vec3<f32>) -> vec3<f32> {
    let towards_sun = max(dot(direction, frame.sun_direction), 0.0);
    return frame.daylight.horizon + frame.daylight.haze * pow(towards_sun, frame.daylight.haze_falloff);
}

// Smooth periodic noise over the azimuth, -1 to 1.
fn ridge(turn: f32, waves: vec3<f32>, phase: f32) -> f32 {
    return sin(turn * waves.x + phase) * 0.5 + sin(turn * waves.y + phase * 2.3) * 0.3
        + sin(turn * waves.z + phase * 4.1) * 0.2;
}

// Slope of a direction: the tangent of its elevation.
fn slope(direction: vec3<f32>) -> f32 {
    return direction.y / max(length(direction.xz), 1e-4);
}

// Three ranges of hills, paler with distance, between the horizon and the sky. `softness` is the change of slope over a
// pixel, the width of antialiased edges.
@if(!simple)
fn distant_hills(direction: vec3<f32>, softness: f32, sky: vec3<f32>) -> vec3<f32> {
    let turn = atan2(direction.x, direction.z);
    let rise = slope(direction);
    // Near the zenith slopes change strongly per pixel; no hill is there.
    if rise > 1.0 {
        return sky;
    }
    var color = sky;
    let far = 0.030 + 0.016 * ridge(turn, vec3<f32>(5.0, 11.0, 23.0), 1.7);
    let middle = 0.017 + 0.010 * ridge(turn, vec3<f32>(7.0, 17.0, 31.0), 4.2);
    let near = 0.007 + 0.005 * ridge(turn, vec3<f32>(9.0, 21.0, 47.0), 0.4);
    let edge = max(softness, 1e-5);
    color = mix(color, mix(vec3<f32>(0.36, 0.47, 0.58) * frame.daylight.land, sky, 0.45), 1.0 - smoothstep(far - edge, far + edge, rise));
    color = mix(color, mix(vec3<f32>(0.29, 0.40, 0.42) * frame.daylight.land, sky, 0.30), 1.0 - smoothstep(middle - edge, middle + edge, rise));
    color = mix(color, mix(vec3<f32>(0.25, 0.36, 0.30) * frame.daylight.land, sky, 0.20), 1.0 - smoothstep(near - edge, near + edge, rise));
    return color;
}

// The nearest range of hills alone.
@if(simple)
fn distant_hills(direction: vec3<f32>, softness: f32, sky: vec3<f32>) -> vec3<f32> {
    let rise = slope(direction);
    let ridge_slope = 0.016 + 0.012 * ridge(atan2(direction.x, direction.z), vec3<f32>(5.0, 11.0, 23.0), 1.7);
    let edge = max(softness, 1e-5);
    let hills = mix(vec3<f32>(0.28, 0.38, 0.38) * frame.daylight.land, sky, 0.3);
    return mix(hills, sky, smoothstep(ridge_slope - edge, ridge_slope + edge, rise));
}

// Random value of a lattice corner, 0 to 1.
fn cloud_corner(cell: vec2<u32>) -> f32 {
    let n = (cell.x * 1597334673u) ^ (cell.y * 3812015801u);
    return f32((n * 1597334673u) >> 8u) / 16777216.0;
}

// Value noise, 0 to 1, at a lattice cell and the position within it.
fn cloud_noise(cell: vec2<u32>, part: vec2<f32>) -> f32 {
    let u = part * part * (3.0 - 2.0 * part);
    let near = mix(cloud_corner(cell), cloud_corner(cell + vec2<u32>(1u, 0u)), u.x);
    let far = mix(cloud_corner(cell + vec2<u32>(0u, 1u)), cloud_corner(cell + vec2<u32>(1u, 1u)), u.x);
    return mix(near, far, u.y);
}

// Time for clouds to drift one cell of the coarsest octave, as a power of two (s).
const CLOUD_DRIFT_BITS = 7u; // shader only

// Cloud density at a position of their layer, 0 to 1. Whole cells of drift are counted as integers, so that precision
// does not degrade with scene time.
fn cloud_density(place: vec2<f32>) -> f32 {
    let drifted = f32(frame.seconds & ((1u << CLOUD_DRIFT_BITS) - 1u)) + f32(frame.ticks) / 65536.0;
    let moved = place + vec2<f32>(drifted / f32(1u << CLOUD_DRIFT_BITS), 0.0);
    var cells = frame.seconds >> CLOUD_DRIFT_BITS;
    var scale = 1.0;
    var weight = 0.5;
    var sum = 0.0;
    for (var octave = 0u; octave < 5u; octave++) {
        let at = moved * scale;
        let whole = floor(at);
        let cell = vec2<u32>(vec2<i32>(whole)) + vec2<u32>(cells, octave * 57u);
        sum += weight * cloud_noise(cell, at - whole);
        scale *= 2.0;
        cells *= 2u;
        weight *= 0.5;
    }
    return sum;
}

// Fair-weather clouds in one layer, lit by sun and sky; they thin out towards the horizon.
fn clouds(direction: vec3<f32>, sky: vec3<f32>) -> vec3<f32> {
    let cover = frame.daylight.clouds;
    if cover <= 0.0 || direction.y <= 0.0 {
        return sky;
    }
    let place = direction.xz / (direction.y + 0.12) * 1.6;
    // The noise centres on 0.5 and rarely leaves 0.25 to 0.75.
    let edge = 0.74 - 0.5 * cover;
    let opacity = smoothstep(edge, edge + 0.22, cloud_density(place));
    let towards_sun = max(dot(direction, frame.sun_direction), 0.0);
    let transmission = 1.0 - 0.45 * opacity;
    let lit = frame.daylight.ambient_above * 0.75
        + frame.daylight.sun_color * (0.62 * transmission + 0.5 * pow(towards_sun, 12.0) * (1.0 - opacity))
        + frame.daylight.haze * 0.3 * towards_sun;
    let fade = smoothstep(0.015, 0.22, direction.y);
    return mix(sky, lit, opacity * fade * 0.92);
}

@if(!simple)
fn sun_disc(direction: vec3<f32>) -> vec3<f32> {
    let towards_sun = dot(direction, frame.sun_direction);
    let glow = pow(max(towards_sun, 0.0), 400.0) * 0.6;
    return frame.daylight.sun_color * (glow + smoothstep(0.99955, 0.9998, towards_sun) * 12.0);
}

@if(simple)
fn sun_disc(direction: vec3<f32>) -> vec3<f32> {
    return frame.daylight.sun_color * (smoothstep(0.99955, 0.9998, dot(direction, frame.sun_direction)) * 12.0);
}

// Height of a uniform haze layer (m): cameras above look down through it.
const HAZE_HEIGHT = 250.0; // shader only

// Aerial perspective: distance fades to this colour, so that the ground meets the sky without an edge.
@if(!simple)
fn aerial(color: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let ray = world - frame.eye;
    let distance = length(ray);
    // Length of the ray within the haze layer.
    let hazy = distance * (HAZE_HEIGHT / max(frame.eye.y, HAZE_HEIGHT));
    let opacity = 1.0 - exp(-hazy * hazy / (900.0 * 900.0));
    let flat_ray = normalize(vec3<f32>(ray.x, 0.0, ray.z) + vec3<f32>(1e-6, 0.0, 0.0));
    // Haze takes on some of the hills' colour, which begin where the ground ends.
    let haze = mix(horizon_color(flat_ray), vec3<f32>(0.27, 0.38, 0.34) * frame.daylight.land, 0.62);
    return mix(color, haze, clamp(opacity, 0.0, 1.0));
}

// Aerial perspective by the squared distance alone: one division instead of an exponential.
@if(simple)
fn aerial(color: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let ray = world - frame.eye;
    let scale = HAZE_HEIGHT / (900.0 * max(frame.eye.y, HAZE_HEIGHT));
    let thickness = dot(ray, ray) * scale * scale;
    let haze = mix(frame.daylight.horizon, vec3<f32>(0.27, 0.38, 0.34) * frame.daylight.land, 0.62);
    return mix(color, haze, thickness / (1.0 + thickness));
}
