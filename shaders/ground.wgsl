// A ground plane to the horizon: plaza paving, grass or a metre grid, filtered by pixel size. Four
// vertices, a strip around the eye; drawn after the crowd. Writes linear, scene-referred colour.

import package::shared::frame::frame;
import package::shared::light::shade;
import package::shared::sky::aerial;

// FrameUniforms.ground
const GROUND_PLAZA = 0u;
const GROUND_GRASS = 1u;
const GROUND_GRID = 2u;

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> Varyings {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let eye = frame.eye;
    let world = vec3<f32>(eye.x + corner.x * 8000.0, 0.0, eye.z + corner.y * 8000.0);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    return out;
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

// Coverage of lines at integers of `x`, `width` wide, averaged over a pixel `pixel` wide.
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
    // One count per ring, so that joints run straight across it.
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
    // The square ends in lawns; a great crowd simply stands on both.
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

fn metre_grid(p: vec2<f32>, pixel: f32) -> vec3<f32> {
    let fine = max(line(p.x, 0.02, pixel), line(p.y, 0.02, pixel));
    let coarse = max(line(p.x / 10.0, 0.006, pixel / 10.0), line(p.y / 10.0, 0.006, pixel / 10.0));
    return mix(mix(vec3<f32>(0.34), vec3<f32>(0.24), fine), vec3<f32>(0.10), coarse);
}

@fragment
fn ground_fragment(in: Varyings) -> @location(0) vec4<f32> {
    let p = in.world.xz;
    let pixel = max(length(dpdx(p)), length(dpdy(p)));
    var base: vec3<f32>;
    switch frame.ground {
        case GROUND_GRASS: {
            base = grass(p, pixel);
        }
        case GROUND_GRID: {
            base = metre_grid(p, pixel);
        }
        case GROUND_PLAZA, default: {
            base = plaza(p, pixel);
        }
    }
    let up = vec3<f32>(0.0, 1.0, 0.0);
    let color = shade(base, 0.0, 0.92, 1.0, in.world, up, up);
    return vec4<f32>(aerial(color, in.world), 1.0);
}
