// Direct sun with a shadow map, and a two-colour ambient from sky and ground. Colours are linear and
// scene-referred. The shadow map is group 0, bindings 1 and 2, in passes that are lit.

import package::shared::density::{DENSITY_CELLS, DENSITY_METRES, DENSITY_UNITS, density_place};
import package::shared::frame::frame;
import package::shared::sky::{aerial, sky_color};

@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

// The light of a host program in place of the built-in sky's. Mirrored by LightUniforms in
// render/crowd/view.rs.
@if(host_light)
struct LightUniforms {
    sun_color: vec3<f32>,
    // factor on everything written
    exposure: f32,
    // radiance from straight above and below
    ambient_above: vec3<f32>,
    pad_a: u32,
    ambient_below: vec3<f32>,
    pad_b: u32,
}

@if(host_light) @group(0) @binding(3) var<uniform> light: LightUniforms;

const PI = 3.14159265;

// Of the ground: what density.wgsl has added up.
@if(density) @group(0) @binding(4) var<storage, read> crowd_density: array<u32>;

@if(density)
fn density_at(cell: vec2<i32>) -> f32 {
    let last = vec2<i32>(i32(DENSITY_CELLS) - 1);
    if any(cell < vec2<i32>(0)) || any(cell > last) {
        return 0.0;
    }
    return f32(crowd_density[u32(cell.y) * DENSITY_CELLS + u32(cell.x)]);
}

// Share of the sun that reaches the ground among people: squares are blended over four by four.
@if(density)
fn sun_beyond(world: vec3<f32>) -> f32 {
    let place = density_place(world.xz) - 0.5;
    let cell = floor(place);
    let part = place - cell;
    var sum = 0.0;
    for (var y = -1; y <= 2; y++) {
        for (var x = -1; x <= 2; x++) {
            let away = abs(vec2<f32>(f32(x), f32(y)) - part);
            let weight = max(2.0 - away, vec2<f32>(0.0)) * 0.25;
            sum += weight.x * weight.y * density_at(vec2<i32>(cell) + vec2<i32>(x, y));
        }
    }
    let covered = sum / (DENSITY_UNITS * DENSITY_METRES * DENSITY_METRES);
    // Shadows fall on each other as if people stood anywhere.
    return exp(-covered);
}

// Of everything else nothing is known.
@if(!density)
fn sun_beyond(world: vec3<f32>) -> f32 {
    return 1.0;
}

// 1 lit, 0 in shadow. Fades at the map's rim, beyond which only the ground knows of the crowd.
fn sun_visibility(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    if frame.shadows == 0u {
        return 1.0;
    }
    let texel_metres = frame.shadow_metres * frame.shadow_texel;
    let offset = world + normal * texel_metres * 1.5;
    let clip = frame.shadow_from_world * vec4<f32>(offset, 1.0);
    let uv = clip.xy * vec2<f32>(0.5, -0.5) + 0.5;
    let rim = max(abs(clip.x), abs(clip.y));
    if rim >= 1.0 || clip.z >= 1.0 || clip.z <= 0.0 {
        return sun_beyond(world);
    }
    var lit = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let shift = vec2<f32>(f32(x), f32(y)) * frame.shadow_texel;
            lit += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + shift, clip.z);
        }
    }
    return mix(lit / 9.0, sun_beyond(world), smoothstep(0.85, 1.0, rim));
}

fn ambient(normal: vec3<f32>) -> vec3<f32> {
    @if(host_light) return mix(light.ambient_below, light.ambient_above, normal.y * 0.5 + 0.5);
    @if(!host_light) return mix(frame.daylight.ambient_below, frame.daylight.ambient_above, normal.y * 0.5 + 0.5);
}

// What a smooth surface reflects.
fn surroundings(direction: vec3<f32>) -> vec3<f32> {
    @if(host_light) return ambient(direction);
    @if(!host_light) return sky_color(direction);
}

// What reaches the eye of a surface's radiance.
fn arriving(color: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    @if(host_light) return color * light.exposure;
    @if(!host_light) return aerial(color, world);
}

// Metallic-roughness surface under the sun: GGX (Walter 2007) with the Smith-Schlick visibility
// and Schlick Fresnel of glTF 2.0 appendix B; ambient is diffuse plus a blurred sky reflection.
// `facing` is the surface's own normal, without its normal map: shadows fall on that.
fn shade(
    base: vec3<f32>, metallic: f32, roughness: f32, occlusion: f32,
    world: vec3<f32>, normal: vec3<f32>, facing: vec3<f32>,
) -> vec3<f32> {
    let view = normalize(frame.eye - world);
    let sun = frame.sun_direction;
    let halfway = normalize(view + sun);
    let n_l = max(dot(normal, sun), 0.0);
    let n_v = max(dot(normal, view), 1e-3);
    let n_h = max(dot(normal, halfway), 0.0);
    let alpha = max(roughness * roughness, 0.02);
    let a2 = alpha * alpha;
    let d_term = n_h * n_h * (a2 - 1.0) + 1.0;
    let distribution = a2 / (PI * d_term * d_term);
    let k = alpha * 0.5;
    let visibility = 0.25 / ((n_l * (1.0 - k) + k) * (n_v * (1.0 - k) + k));
    let f0 = mix(vec3<f32>(0.04), base, metallic);
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(view, halfway), 0.0), 5.0);
    let diffuse = base * (1.0 - metallic);
    @if(host_light) let sun_color = light.sun_color;
    @if(!host_light) let sun_color = frame.daylight.sun_color;
    let direct = (diffuse / PI + fresnel * distribution * visibility) * n_l
        * sun_color * frame.sun_irradiance * sun_visibility(world, facing);
    let rim = f0 + (max(vec3<f32>(1.0 - roughness), f0) - f0) * pow(1.0 - n_v, 5.0);
    let reflected = surroundings(reflect(-view, normal)) * rim * 0.6;
    return direct + (diffuse * ambient(normal) + reflected) * occlusion;
}
