// Procedural ground patterns: paving with rings of stone, grass, a pitch, a metre grid. `pixel` is the footprint of a
// pixel on the ground (m): finer detail fades to its mean (analytic antialiasing).

import package::shared::frame::frame;

// Values of FrameUniforms.ground.
const GROUND_PLAZA = 0u;
const GROUND_GRASS = 1u;
const GROUND_GRID = 2u;
const GROUND_STUDIO = 3u;
const GROUND_PITCH = 4u;
// Half of the plane's edge around the eye (m), and that of the square in its middle.
const GROUND_REACH = 8000.0; // shader only
const GROUND_MIDDLE = 500.0; // shader only

// Corner of the ground plane, a strip of 16 vertices (GROUND_VERTICES in render/passes/background.rs): ten around the
// middle square, two that are there twice, four of the square. Rasterizers that clip coarsely give wrong depths to
// triangles of kilometres, which then hide what lies on the ground.
fn ground_corner(index: u32) -> vec3<f32> {
    // Corner by turns around the eye, in two bits; the square's strip takes them crosswise: 0, 1, 3, 2.
    let around = (index >> 1u) & 3u;
    let across = (0xb4u >> (2u * (index & 3u))) & 3u;
    let square = index >= 12u;
    let turn = select(select(around, 0u, index >= 10u), across, square);
    let far = (index < 10u && (index & 1u) == 1u) || index == 10u;
    let side = vec2<f32>(select(-1.0, 1.0, turn == 1u || turn == 2u), select(-1.0, 1.0, turn >= 2u));
    let corner = side * select(GROUND_MIDDLE, GROUND_REACH, far);
    return vec3<f32>(frame.eye.x + corner.x, 0.0, frame.eye.z + corner.y);
}

fn hash2(p: vec2<f32>) -> f32 {
    var q = vec2<u32>(vec2<i32>(p) + vec2<i32>(65536)) * vec2<u32>(1597334673u, 3812015801u);
    let n = (q.x ^ q.y) * 1597334673u;
    return f32(n >> 8u) / 16777216.0;
}

fn value_noise(p: vec2<f32>) -> f32 {
    let cell = floor(p);
    let f = p - cell;
    let u = f * f * (3.0 - 2.0 * f);
    let a = mix(hash2(cell), hash2(cell + vec2<f32>(1.0, 0.0)), u.x);
    let b = mix(hash2(cell + vec2<f32>(0.0, 1.0)), hash2(cell + vec2<f32>(1.0, 1.0)), u.x);
    return mix(a, b, u.y);
}

// Coverage of lines at integer `x`, `width` wide, box-filtered over a footprint `pixel` wide.
fn line(x: f32, width: f32, pixel: f32) -> f32 {
    let near = abs(fract(x - 0.5) - 0.5);
    let soft = max(pixel, 1e-5);
    let sharp = 1.0 - smoothstep(width * 0.5, width * 0.5 + soft, near);
    return mix(sharp, width, smoothstep(0.4, 1.2, soft));
}

fn paving(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    let row = floor(p.y / 0.6);
    let shifted = vec2<f32>(p.x / 0.9 + 0.5 * (row - 2.0 * floor(row * 0.5)), p.y / 0.6);
    let fade = smoothstep(0.7, 0.15, pixel);
    let tone = (hash2(floor(shifted)) - 0.5) * 0.16 * fade;
    let grout = max(line(shifted.x, 0.022, pixel / 0.9), line(shifted.y, 0.032, pixel / 0.6));
    let warm = vec3<f32>(0.52, 0.47, 0.40) * (1.0 + tone);
    return mix(warm, warm * 0.62, grout);
}

fn ring_stone(p: vec2<f32>, radius: f32, pixel: f32) -> vec3<f32> {
    // One stone count per ring, so that joints cross it straight.
    let count = floor((floor(radius / 9.0 + 0.28) + 0.65) * 9.0 * 6.28318 / 1.1);
    let angle = atan2(p.y, p.x) / 6.28318 * count;
    let fade = smoothstep(0.7, 0.15, pixel);
    let tone = (hash2(vec2<f32>(floor(angle), floor(radius / 9.0 + 0.28))) - 0.5) * 0.14 * fade;
    let joint = line(angle, 0.025, pixel * count / (6.28318 * radius));
    let cool = vec3<f32>(0.36, 0.36, 0.37) * (1.0 + tone);
    return mix(cool, cool * 0.7, joint);
}

fn plaza(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    var color = paving(p, pixel);
    let r = length(p);
    // The plaza ends in lawns; large crowds stand on both.
    let lawn = smoothstep(118.0, 121.0, r + (value_noise(p * 0.15) - 0.5) * 3.0);
    let band = fract(r / 9.0 + 0.28);
    let ring = smoothstep(0.0, 0.5 * pixel / 9.0 + 1e-4, band - 0.86);
    let faded = mix(ring, 0.14, smoothstep(1.5, 6.0, pixel));
    if r < 160.0 {
        color = mix(color, ring_stone(p, max(r, 0.5), pixel), faded);
    }
    let worn = value_noise(p * 0.35) * 0.5 + value_noise(p * 0.11) * 0.5;
    return mix(color * (0.88 + 0.24 * worn), grass(p, pixel), lawn);
}

fn grass(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    let broad = value_noise(p * 0.05) * 0.6 + value_noise(p * 0.23) * 0.4;
    let fine = mix(0.5, value_noise(p * 9.0), smoothstep(0.25, 0.02, pixel));
    let tuft = mix(0.5, value_noise(p * 2.3), smoothstep(1.0, 0.1, pixel));
    let color = mix(vec3<f32>(0.10, 0.20, 0.05), vec3<f32>(0.25, 0.30, 0.09), broad);
    return color * (0.65 + 0.4 * fine + 0.3 * tuft);
}

// Half size of the mown area, and the width of a stripe (m).
const MOWN_HALF_SIZE = vec2<f32>(57.75, 39.0); // shader only
const MOWN_STRIPE = 5.25; // shader only

// Mowing stripes across the pitch, alternately lighter and darker than grass.
fn pitch(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    let turf = grass(p, pixel) * vec3<f32>(0.86, 1.0, 0.92);
    let along = abs(fract(p.x / (2.0 * MOWN_STRIPE) + 0.25) - 0.5) * (2.0 * MOWN_STRIPE) - 0.5 * MOWN_STRIPE;
    let soft = max(pixel, 0.12);
    let stripe = mix(smoothstep(-soft, soft, along), 0.5, smoothstep(1.5, 5.0, pixel)) - 0.5;
    let inside = smoothstep(soft, 0.0, max(abs(p.x) - MOWN_HALF_SIZE.x, abs(p.y) - MOWN_HALF_SIZE.y));
    return turf * (1.0 + 0.26 * stripe * inside);
}

fn metre_grid(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    let fine = max(line(p.x, 0.02, pixel), line(p.y, 0.02, pixel));
    let coarse = max(line(p.x / 10.0, 0.006, pixel / 10.0), line(p.y / 10.0, 0.006, pixel / 10.0));
    return mix(mix(vec3<f32>(0.34), vec3<f32>(0.24), fine), vec3<f32>(0.10), coarse);
}

// Studio background: grey, darker upwards, as bright as the sky lights the floor.
fn studio_background(direction: vec3<f32>) -> vec3<f32> {
    let daylight = dot(frame.daylight.horizon, vec3<f32>(0.2126, 0.7152, 0.0722));
    return vec3<f32>(0.44, 0.45, 0.46) * daylight * mix(0.85, 0.35, smoothstep(-0.1, 0.7, direction.y));
}

// Opacity of the studio floor: it fades to the background at grazing angles.
fn studio_floor(direction: vec3<f32>) -> f32 {
    return smoothstep(0.02, 0.3, -direction.y);
}

// Linear ground colour at a point (x and z, m).
@if(!simple)
fn ground_color(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    switch frame.ground {
        case GROUND_GRASS: {
            return grass(p, pixel);
        }
        case GROUND_PITCH: {
            return pitch(p, pixel);
        }
        case GROUND_GRID: {
            return metre_grid(p, pixel);
        }
        case GROUND_STUDIO: {
            return vec3<f32>(0.30, 0.29, 0.28);
        }
        case GROUND_PLAZA, default: {
            return plaza(p, pixel);
        }
    }
}

// Mean colours of paving, ring stones and grass.
@if(simple) const MEAN_PAVING = vec3<f32>(0.50, 0.452, 0.385); // shader only
@if(simple) const MEAN_RING = vec3<f32>(0.35, 0.35, 0.36); // shader only
@if(simple) const MEAN_GRASS = vec3<f32>(0.175, 0.25, 0.07); // shader only

// Lines at whole numbers, `width` wide, as `line` without its mean: they fade out where pixels are wider.
@if(simple)
fn thin_lines(x: f32, width: f32, pixel: f32) -> f32 {
    let near = abs(fract(x - 0.5) - 0.5);
    return clamp((0.5 * width + pixel - near) / pixel, 0.0, 1.0) * clamp(1.5 - 3.0 * pixel, 0.0, 1.0);
}

// Ground colour without noise: mean colours, joints of slabs, rings, stripes and lines. CPU rasterizers run every case
// of a switch, so that patterns are sums of few terms.
@if(simple)
fn ground_color(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    let soft = max(pixel, 1e-4);
    if frame.ground == GROUND_STUDIO {
        return vec3<f32>(0.30, 0.29, 0.28);
    }
    if frame.ground == GROUND_GRID {
        let cells = max(thin_lines(p.x, 0.02, soft), thin_lines(p.y, 0.02, soft));
        let tens = max(thin_lines(0.1 * p.x, 0.006, 0.1 * soft), thin_lines(0.1 * p.y, 0.006, 0.1 * soft));
        return vec3<f32>(0.34 - 0.1 * cells) * (1.0 - 0.7 * tens);
    }
    let wave = abs(fract(p.x / (2.0 * MOWN_STRIPE) + 0.25) - 0.5) - 0.25;
    let mown = select(0.0, sign(wave), all(abs(p) < MOWN_HALF_SIZE) && frame.ground == GROUND_PITCH);
    let grass = MEAN_GRASS * (1.0 + 0.13 * mown);
    let r = length(p);
    let band = fract(r / 9.0 + 0.28) - 0.86;
    let ring = clamp(band * 18.0 / soft, 0.0, 1.0);
    let row = floor(p.y / 0.6);
    let across = p.x / 0.9 + 0.5 * (row - 2.0 * floor(row * 0.5));
    let joints = max(thin_lines(across, 0.022, soft / 0.9), thin_lines(p.y / 0.6, 0.032, soft / 0.6));
    let stone = mix(MEAN_PAVING, MEAN_RING, mix(ring, 0.14, clamp(0.25 * soft - 0.4, 0.0, 1.0))) * (1.0 - 0.3 * joints);
    let lawn = select(clamp((r - 118.0) / 3.0, 0.0, 1.0), 1.0, frame.ground != GROUND_PLAZA);
    return mix(stone, grass, lawn);
}
