// Materials of a character: tinting per instance in the vertex shader, shading per pixel.

import package::shared::light::shade;
import package::shared::sky::aerial;

// What a skinned vertex hands to its pixels.
struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat) material: u32,
    @if(normal_mapped) @location(5) tangent: vec4<f32>,
    @if(extended_vertex) @location(6) uv1: vec2<f32>,
    @if(extended_vertex) @location(7) alpha: f32,
}

struct Material {
    // linear RGBA
    base_color: vec4<f32>,
    // linear emission; w: alpha cutoff (0 = opaque, negative = dithered blend)
    emissive_cutoff: vec4<f32>,
    // x metallic, y roughness, z unlit, w scale of the normal map's x and y
    params: vec4<f32>,
    // base colour and emission (layers of `color_maps`), normals, metallic-roughness (of `data_maps`);
    // bits 0-15 layer, 0xffff for none; bit 16: found with the second texture coordinates;
    // bits 17-18 and 19-20: WRAP_ along u and v; bit 21: texels do not blend
    maps: vec4<u32>,
    // layer of `data_maps`
    occlusion_map: u32,
    occlusion_strength: f32,
    // tint region: 0 none, 1 skin, 2 hair, 3 cloth, 4 trim, 5 whole
    region: u32,
    // 1: vertex colours darken the ambient light too
    color_occludes: u32,
}

struct Surface {
    world: vec3<f32>,
    // unit length, towards the viewer's side
    normal: vec3<f32>,
    // xyz along the normal map's x, any length; w: sign of the bitangent
    @if(normal_mapped) tangent: vec4<f32>,
    uv: vec2<f32>,
    @if(extended_vertex) uv1: vec2<f32>,
    @if(extended_vertex) alpha: f32,
    // rgb: base colour, a: ambient occlusion
    color: vec4<f32>,
    material: u32,
    pixel: vec2<f32>,
}

@group(1) @binding(4) var<storage, read> materials: array<Material>;
// sRGB
@group(1) @binding(5) var color_maps: texture_2d_array<f32>;
@group(1) @binding(6) var map_sampler: sampler;
// linear
@group(1) @binding(8) var data_maps: texture_2d_array<f32>;
// Four ramps of 64 linear colours: skin, hair, cloth, trim.
@group(2) @binding(2) var<storage, read> tints: array<vec4<f32>>;

// Base colour of a vertex under an instance's tint, and how much of the ambient light arrives: in
// vertex colours that hold occlusion, the brightest channel tells.
fn tinted(vertex_color: vec3<f32>, material_index: u32, tint: u32) -> vec4<f32> {
    let material = materials[material_index];
    var base = material.base_color.rgb;
    if material.region >= 1u && material.region <= 4u {
        let shift = (material.region - 1u) * 8u;
        let ramp = tints[(material.region - 1u) * 64u + ((tint >> shift) & 63u)];
        base = mix(base, ramp.rgb, ramp.a);
    } else if material.region == 5u {
        let ramp = tints[128u + ((tint >> 16u) & 63u)];
        base *= mix(vec3<f32>(1.0), ramp.rgb * 2.0, ramp.a * 0.25);
    }
    let brightest = max(vertex_color.r, max(vertex_color.g, vertex_color.b));
    let occlusion = select(1.0, brightest, material.color_occludes == 1u);
    return vec4<f32>(base * vertex_color, occlusion);
}

fn interleaved_noise(pixel: vec2<f32>) -> f32 {
    // Jimenez 2014, interleaved gradient noise.
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
}

fn has_map(map: u32) -> bool {
    return (map & 0xffffu) != 0xffffu;
}

fn map_layer(map: u32) -> i32 {
    return select(0, i32(map & 0xffffu), has_map(map));
}

fn map_uv(s: Surface, map: u32) -> vec2<f32> {
    @if(extended_vertex) return select(s.uv, s.uv1, (map & 0x10000u) != 0u);
    @if(!extended_vertex) return s.uv;
}

@if(sampler_emulation) const WRAP_MIRROR = 1u;
@if(sampler_emulation) const WRAP_CLAMP = 2u;

@if(sampler_emulation)
fn wrapped(x: f32, mode: u32) -> f32 {
    switch mode {
        case WRAP_MIRROR: {
            return 1.0 - abs(1.0 - (x - 2.0 * floor(0.5 * x)));
        }
        case WRAP_CLAMP: {
            return saturate(x);
        }
        default: {
            return x;
        }
    }
}

// Where a sampler that repeats and blends finds what the map's own would. Derivatives are of the
// coordinates before: wrapped ones jump.
@if(sampler_emulation)
fn sampled_uv(uv: vec2<f32>, dx: vec2<f32>, dy: vec2<f32>, map: u32, size: vec2<f32>) -> vec2<f32> {
    let modes = vec2<u32>(map >> 17u, map >> 19u) & vec2<u32>(3u);
    var at = vec2<f32>(wrapped(uv.x, modes.x), wrapped(uv.y, modes.y));
    if (map & 0x200000u) != 0u {
        at = (floor(at * size) + 0.5) / size;
    }
    // Nearer to the edge than half a texel of the coarser level read, the other end would blend in.
    let level = ceil(log2(max(max(length(dx * size), length(dy * size)), 1.0)));
    let edge = 0.5 / max(size * exp2(-level), vec2<f32>(1.0));
    return select(clamp(at, edge, 1.0 - edge), at, modes == vec2<u32>(0u));
}

fn data_texel(s: Surface, map: u32) -> vec4<f32> {
    let uv = map_uv(s, map);
    @if(!sampler_emulation) return textureSample(data_maps, map_sampler, uv, map_layer(map));
    @if(sampler_emulation) let dx = dpdx(uv);
    @if(sampler_emulation) let dy = dpdy(uv);
    @if(sampler_emulation) let at = sampled_uv(uv, dx, dy, map, vec2<f32>(textureDimensions(data_maps)));
    @if(sampler_emulation) return textureSampleGrad(data_maps, map_sampler, at, map_layer(map), dx, dy);
}

fn color_texel(s: Surface, map: u32) -> vec4<f32> {
    let uv = map_uv(s, map);
    @if(!sampler_emulation) return textureSample(color_maps, map_sampler, uv, map_layer(map));
    @if(sampler_emulation) let dx = dpdx(uv);
    @if(sampler_emulation) let dy = dpdy(uv);
    @if(sampler_emulation) let at = sampled_uv(uv, dx, dy, map, vec2<f32>(textureDimensions(color_maps)));
    @if(sampler_emulation) return textureSampleGrad(color_maps, map_sampler, at, map_layer(map), dx, dy);
}

// glTF 2.0, section 3.9.3: x along the tangent, y along the bitangent, z along the normal. The
// tangent is made perpendicular first: skinning and interpolation do not keep it so.
@if(normal_mapped)
fn mapped_normal(s: Surface, texel: vec3<f32>, scale: f32) -> vec3<f32> {
    let local = (texel * 2.0 - 1.0) * vec3<f32>(scale, scale, 1.0);
    let along = s.tangent.xyz - s.normal * dot(s.normal, s.tangent.xyz);
    let tangent = along * inverseSqrt(max(dot(along, along), 1e-20));
    let bitangent = cross(s.normal, tangent) * select(1.0, -1.0, s.tangent.w < 0.0);
    let bent = tangent * local.x + bitangent * local.y + s.normal * local.z;
    return bent * inverseSqrt(max(dot(bent, bent), 1e-20));
}

fn shade_surface(s: Surface) -> vec4<f32> {
    let material = materials[s.material];
    var base = vec4<f32>(s.color.rgb, material.base_color.a);
    @if(extended_vertex) base.a *= s.alpha;
    var normal = s.normal;
    var metallic = material.params.x;
    var roughness = material.params.y;
    var occlusion = s.color.a;
    var emissive = material.emissive_cutoff.rgb;
    @if(textured) {
        let texel = color_texel(s, material.maps.x);
        base *= select(vec4<f32>(1.0), texel, has_map(material.maps.x));
    }
    @if(normal_mapped) {
        let texel = data_texel(s, material.maps.z);
        if has_map(material.maps.z) {
            normal = mapped_normal(s, texel.xyz, material.params.w);
        }
    }
    @if(surface_maps) {
        let glow = color_texel(s, material.maps.y).rgb;
        let rough = data_texel(s, material.maps.w).gb;
        let open = data_texel(s, material.occlusion_map).r;
        emissive *= select(vec3<f32>(1.0), glow, has_map(material.maps.y));
        if has_map(material.maps.w) {
            roughness *= rough.x;
            metallic *= rough.y;
        }
        if has_map(material.occlusion_map) {
            occlusion *= 1.0 + material.occlusion_strength * (open - 1.0);
        }
    }
    @if(alpha_test) {
        let cutoff = material.emissive_cutoff.w;
        if cutoff > 0.0 && base.a < cutoff {
            discard;
        }
        if cutoff < 0.0 && base.a < interleaved_noise(s.pixel) {
            discard;
        }
    }
    var color = base.rgb;
    if material.params.z < 0.5 {
        color = shade(base.rgb, metallic, roughness, occlusion, s.world, normal, s.normal) + emissive;
    }
    return vec4<f32>(aerial(color, s.world), 1.0);
}

fn shade_pixel(in: Varyings, front: bool) -> vec4<f32> {
    // Seen from behind, the whole basis turns around.
    let side = select(-1.0, 1.0, front);
    var s: Surface;
    s.world = in.world;
    s.normal = in.normal * (side * inverseSqrt(max(dot(in.normal, in.normal), 1e-20)));
    @if(normal_mapped) s.tangent = in.tangent * side;
    s.uv = in.uv;
    @if(extended_vertex) s.uv1 = in.uv1;
    @if(extended_vertex) s.alpha = in.alpha;
    s.color = in.color;
    s.material = in.material;
    s.pixel = in.position.xy;
    return shade_surface(s);
}
