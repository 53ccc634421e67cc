// Direct sun with a shadow map, and hemisphere ambient light from sky and ground. Colours are linear and
// scene-referred. Lit passes bind the shadow map at group 0, bindings 1 and 2.

import package::shared::crowd_shadow::{CROWD_SHADOW_CELLS, CROWD_SHADOW_CELL_SIZE, CROWD_SHADOW_UNITS, crowd_shadow_place};
import package::shared::frame::{SHADOWS_IN_WORDS, frame};
import package::shared::sky::{aerial, sky_color};
@if(surface_shader) import package::shared::surface_point::SurfacePoint;

@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

// Shadow map of the software rasterizer: depth keys, in passes that support it.
@if(shadow_map_words) @group(0) @binding(5) var<storage, read> sun_keys: array<u32>;

/// Light of a host renderer instead of the built-in sky.
@if(host_light)
struct LightUniforms { // shared with Rust
    /// Tint of the sun; white is (1, 1, 1).
    sun_color: vec3<f32>,
    /// Factor on the output.
    exposure: f32,
    /// Radiance from straight above.
    ambient_above: vec3<f32>,
    pad_a: u32,
    /// Radiance from straight below.
    ambient_below: vec3<f32>,
    pad_b: u32,
}

@if(host_light) @group(0) @binding(3) var<uniform> light: LightUniforms;

const PI = 3.14159265; // shader only

// Crowd shadow grid, filled by shared/cast.wgsl; bound for the ground only.
@if(crowd_shadow) @group(0) @binding(4) var<storage, read> crowd_shadow_grid: array<u32>;

@if(crowd_shadow)
fn crowd_shadow_at(cell: vec2<i32>) -> f32 {
    let last = vec2<i32>(i32(CROWD_SHADOW_CELLS) - 1);
    if any(cell < vec2<i32>(0)) || any(cell > last) {
        return 0.0;
    }
    return f32(crowd_shadow_grid[u32(cell.y) * CROWD_SHADOW_CELLS + u32(cell.x)]);
}

// Share of sunlight that reaches the ground beyond the shadow map; 4x4 cells are filtered by a tent.
@if(crowd_shadow)
fn sun_beyond_map(world: vec3<f32>) -> f32 {
    let place = crowd_shadow_place(world.xz) - 0.5;
    let cell = floor(place);
    let part = place - cell;
    var sum = 0.0;
    for (var y = -1; y <= 2; y++) {
        for (var x = -1; x <= 2; x++) {
            let away = abs(vec2<f32>(f32(x), f32(y)) - part);
            let weight = max(2.0 - away, vec2<f32>(0.0)) * 0.25;
            sum += weight.x * weight.y * crowd_shadow_at(vec2<i32>(cell) + vec2<i32>(x, y));
        }
    }
    let covered = sum / (CROWD_SHADOW_UNITS * CROWD_SHADOW_CELL_SIZE * CROWD_SHADOW_CELL_SIZE);
    // Random overlap of shadows gives exponential attenuation (Beer-Lambert).
    return exp(-covered);
}

// Only the ground receives the crowd shadow grid.
@if(!crowd_shadow)
fn sun_beyond_map(world: vec3<f32>) -> f32 {
    return 1.0;
}

fn lit_share(uv: vec2<f32>, depth: f32) -> f32 {
    return textureSampleCompareLevel(shadow_map, shadow_sampler, uv, depth);
}

// Percentage-closer filtering: the mean of 3x3 bilinear comparisons one texel apart. Along an axis four texels have
// weights `1 - f`, 1, 1 and `f`. One bilinear comparison blends two texels by its position, so that two per axis, four
// in all, give these weights.
@if(!simple)
fn sun_filtered(uv: vec2<f32>, depth: f32) -> f32 {
    let place = uv / frame.shadow_texel - 0.5;
    let texel = floor(place);
    let f = place - texel;
    let before = 2.0 - f;
    let after = 1.0 + f;
    let a = (texel - 0.5 + 1.0 / before) * frame.shadow_texel;
    let b = (texel + 1.5 + f / after) * frame.shadow_texel;
    let first = before.x * lit_share(a, depth) + after.x * lit_share(vec2<f32>(b.x, a.y), depth);
    let second = before.x * lit_share(vec2<f32>(a.x, b.y), depth) + after.x * lit_share(b, depth);
    return (before.y * first + after.y * second) / 9.0;
}

// One bilinear comparison.
@if(simple)
fn sun_filtered(uv: vec2<f32>, depth: f32) -> f32 {
    return lit_share(uv, depth);
}

// PCF on the depth keys of the software rasterizer: larger is nearer to the sun, 0 is empty (depth_key of
// shared/raster.wgsl with standard_depth).
@if(shadow_map_words)
fn sun_filtered_keys(uv: vec2<f32>, depth: f32) -> f32 {
    let key = ~bitcast<u32>(depth);
    let edge = i32(round(1.0 / frame.shadow_texel));
    let place = uv / frame.shadow_texel - 0.5;
    let texel = floor(place);
    let f = place - texel;
    let across = vec4<f32>(1.0 - f.x, 1.0, 1.0, f.x);
    let down = vec4<f32>(1.0 - f.y, 1.0, 1.0, f.y);
    let columns = clamp(vec4<i32>(i32(texel.x)) + vec4<i32>(-1, 0, 1, 2), vec4<i32>(0), vec4<i32>(edge - 1));
    var sum = 0.0;
    for (var row = 0; row < 4; row++) {
        let first = clamp(i32(texel.y) + row - 1, 0, edge - 1) * edge;
        let keys = vec4<u32>(
            sun_keys[first + columns.x], sun_keys[first + columns.y],
            sun_keys[first + columns.z], sun_keys[first + columns.w],
        );
        sum += down[row] * dot(across, select(vec4<f32>(0.0), vec4<f32>(1.0), vec4<u32>(key) >= keys));
    }
    return sum / 9.0;
}

// Sun visibility: 1 lit, 0 in shadow. At the map's rim it fades to the crowd shadow grid, which only the ground
// receives.
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
        return sun_beyond_map(world);
    }
    @if(shadow_map_words) {
        if frame.shadows == SHADOWS_IN_WORDS {
            return mix(sun_filtered_keys(uv, clip.z), sun_beyond_map(world), smoothstep(0.85, 1.0, rim));
        }
    }
    return mix(sun_filtered(uv, clip.z), sun_beyond_map(world), smoothstep(0.85, 1.0, rim));
}

fn ambient(normal: vec3<f32>) -> vec3<f32> {
    @if(host_light) return mix(light.ambient_below, light.ambient_above, normal.y * 0.5 + 0.5);
    @if(!host_light) return mix(frame.daylight.ambient_below, frame.daylight.ambient_above, normal.y * 0.5 + 0.5);
}

// Environment radiance in a reflected direction.
@if(!simple)
fn environment(direction: vec3<f32>) -> vec3<f32> {
    @if(host_light) return ambient(direction);
    @if(!host_light) return sky_color(direction);
}

// Radiance that reaches the eye: exposure of the host, or aerial perspective.
fn through_air(color: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    @if(host_light) return color * light.exposure;
    @if(!host_light) return aerial(color, world);
}

// Point at `world` with its light, for a surface shader; the caller adds the material.
@if(surface_shader)
fn point_in_light(world: vec3<f32>, geometric_normal: vec3<f32>) -> SurfacePoint {
    var point: SurfacePoint;
    point.world = world;
    point.geometric_normal = geometric_normal;
    point.view = normalize(frame.eye - world);
    point.sun_visibility = sun_visibility(world, geometric_normal);
    point.sun_direction = frame.sun_direction;
    @if(host_light) let sun_color = light.sun_color;
    @if(!host_light) let sun_color = frame.daylight.sun_color;
    point.sun_irradiance = sun_color * frame.sun_irradiance;
    point.ambient_above = ambient(vec3<f32>(0.0, 1.0, 0.0));
    point.ambient_below = ambient(vec3<f32>(0.0, -1.0, 0.0));
    return point;
}

// Three multiplications instead of pow().
@if(!simple)
fn fifth_power(x: f32) -> f32 {
    let square = x * x;
    return square * square * x;
}

// Metallic-roughness BRDF under the sun: GGX (Walter et al. 2007) with the Smith-Schlick visibility and Schlick Fresnel
// of glTF 2.0, appendix B. Ambient light is diffuse plus a blurred sky reflection. `facing` is the normal without
// normal map: shadow offsets use it. With a surface shader, `sun` is the sun's visibility.
@if(!simple)
fn shade(
    base: vec3<f32>, metallic: f32, roughness: f32, occlusion: f32,
    world: vec3<f32>, normal: vec3<f32>,
    @if(!surface_shader) facing: vec3<f32>,
    @if(surface_shader) sun: f32,
) -> vec3<f32> {
    let view = normalize(frame.eye - world);
    let n_v = max(dot(normal, view), 1e-3);
    let f0 = mix(vec3<f32>(0.04), base, metallic);
    let diffuse = base * (1.0 - metallic);
    let n_l = dot(normal, frame.sun_direction);
    var direct = vec3<f32>(0.0);
    // Surfaces that face away need no shadow lookup.
    if n_l > 0.0 {
        let halfway = normalize(view + frame.sun_direction);
        let n_h = max(dot(normal, halfway), 0.0);
        let alpha = max(roughness * roughness, 0.02);
        let a2 = alpha * alpha;
        let d_term = n_h * n_h * (a2 - 1.0) + 1.0;
        let distribution = a2 / (PI * d_term * d_term);
        let k = alpha * 0.5;
        let visibility = 0.25 / ((n_l * (1.0 - k) + k) * (n_v * (1.0 - k) + k));
        let fresnel = f0 + (1.0 - f0) * fifth_power(1.0 - max(dot(view, halfway), 0.0));
        @if(host_light) let sun_color = light.sun_color;
        @if(!host_light) let sun_color = frame.daylight.sun_color;
        @if(!surface_shader) direct = (diffuse / PI + fresnel * distribution * visibility) * n_l
            * sun_color * frame.sun_irradiance * sun_visibility(world, facing);
        @if(surface_shader) direct = (diffuse / PI + fresnel * distribution * visibility) * n_l
            * sun_color * frame.sun_irradiance * sun;
    }
    let rim = f0 + (max(vec3<f32>(1.0 - roughness), f0) - f0) * fifth_power(1.0 - n_v);
    let reflected = environment(reflect(-view, normal)) * rim * 0.6;
    return direct + (diffuse * ambient(normal) + reflected) * occlusion;
}

// Lambert's cosine law under the sun, and ambient light: the diffuse part of the BRDF above. Metals have their base
// colour as if it were diffuse, since nothing is mirrored.
@if(simple)
fn shade(
    base: vec3<f32>, metallic: f32, roughness: f32, occlusion: f32,
    world: vec3<f32>, normal: vec3<f32>,
    @if(!surface_shader) facing: vec3<f32>,
    @if(surface_shader) sun: f32,
) -> vec3<f32> {
    @if(host_light) let sun_color = light.sun_color;
    @if(!host_light) let sun_color = frame.daylight.sun_color;
    let n_l = max(dot(normal, frame.sun_direction), 0.0);
    @if(!surface_shader) let sun = sun_color * (n_l * frame.sun_irradiance / PI * sun_visibility(world, facing));
    @if(surface_shader) let sun_radiance = sun_color * (n_l * frame.sun_irradiance / PI * sun);
    @if(!surface_shader) return base * (sun + ambient(normal) * occlusion);
    @if(surface_shader) return base * (sun_radiance + ambient(normal) * occlusion);
}
