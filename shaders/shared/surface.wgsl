// Materials of a character: tinting per instance in the vertex shader, shading per pixel.
//
// Contract: nothing here takes derivatives or discards. Callers pass gradients of texture coordinates (TexturePoint),
// call base_color(), drop pixels where is_hole() is true, and shade the rest with shade_surface(). Fragment entry
// points use dpdx and dpdy in uniform control flow. Compute passes derive gradients from the triangle.

import package::shared::frame::frame;
@if(!surface_shader) import package::shared::light::{through_air, shade};
@if(surface_shader) import package::shared::light::{through_air, point_in_light};
@if(surface_shader) import package::shared::surface_shader::surface_radiance;

// Varyings of a skinned vertex.
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
    // xyz: position relative to the instance, rotated to world axes: small numbers have precise derivatives. w: 1 to
    // shade by the triangle's own normal
    @if(flat_shaded) @location(8) facet: vec4<f32>,
    @if(surface_shader) @location(9) @interpolate(flat) tint: u32,
}

/// Material of a character. Maps are packed words, see MAP_ in shaders/shared/surface.wgsl.
struct Material { // shared with Rust as GpuMaterial
    /// Linear RGBA.
    base_color: vec4<f32>,
    /// Linear emission.
    emissive: vec3<f32>,
    /// Alpha mode: 0 opaque; positive cuts holes below this alpha; negative dithers.
    alpha_cutoff: f32,
    /// Metallic factor, 0 to 1.
    metallic: f32,
    /// Roughness, 0 to 1.
    roughness: f32,
    /// 1 if the base colour is shown unlit.
    unlit: u32,
    /// Scale of the normal map's x and y.
    normal_scale: f32,
    /// Base colour map, a layer of `color_maps`, in one word.
    base_color_map: u32,
    /// Emissive map, as `base_color_map`.
    emissive_map: u32,
    /// Normal map, a layer of `data_maps`, in one word.
    normal_map: u32,
    /// Metallic and roughness map, as `normal_map`.
    metallic_roughness_map: u32,
    /// Occlusion map, as `normal_map`.
    occlusion_map: u32,
    /// Strength of the occlusion map, 0 to 1.
    occlusion_strength: f32,
    /// Tint regions by material variant, four bits each: TINT_ in the shader.
    regions: u32,
    /// 1 if vertex colours hold ambient occlusion, which darkens ambient light, too.
    color_occludes: u32,
}

// A map in one word:
//   bits 0-15   layer
//   bit  16     second texture coordinates
//   bits 17-18  TEXTURE_ wrap along u
//   bits 19-20  TEXTURE_ wrap along v
//   bit  21     nearest filter
const MAP_LAYER_MASK = 0xffffu;
const MAP_NONE = 0xffffu;
const MAP_SECOND_UV = 0x10000u;
const MAP_WRAP_U_SHIFT = 17u;
const MAP_WRAP_V_SHIFT = 19u;
const MAP_WRAP_MASK = 3u;
const MAP_NEAREST = 0x200000u;

const TEXTURE_REPEAT = 0u;
const TEXTURE_MIRROR = 1u;
const TEXTURE_CLAMP = 2u;

// Tint regions of a material variant: they select the ramp and the instance's tint index. TINT_WHOLE tints the whole
// character faintly with the cloth colour.
const TINT_NONE = 0u;
const TINT_SKIN = 1u;
const TINT_CLOTH = 3u;
const TINT_TRIM = 4u;
const TINT_WHOLE = 5u;
// Colours per ramp.
const TINT_RAMP_COLORS = 64u;

// Texture coordinates and their screen-space gradients. Only a fragment entry point can derive these: nothing here
// takes derivatives.
struct TexturePoint {
    uv: vec2<f32>,
    dx: vec2<f32>,
    dy: vec2<f32>,
}

// Surface point to shade.
struct Surface {
    world: vec3<f32>,
    // unit normal, on the viewer's side
    normal: vec3<f32>,
    // xyz: along the normal map's x, any length; w: sign of the bitangent
    @if(normal_mapped) tangent: vec4<f32>,
    first_uv: TexturePoint,
    @if(extended_vertex) second_uv: TexturePoint,
    @if(extended_vertex) alpha: f32,
    // rgb: base colour, a: ambient occlusion
    color: vec4<f32>,
    material: u32,
    @if(surface_shader) tint: u32,
}

@group(1) @binding(4) var<storage, read> materials: array<Material>;
// sRGB
@group(1) @binding(5) var color_maps: texture_2d_array<f32>;
@group(1) @binding(6) var map_sampler: sampler;
// linear
@group(1) @binding(8) var data_maps: texture_2d_array<f32>;
// Four rows of 64 linear colours: ramps of skin, hair, cloth, trim.
@group(2) @binding(2) var tints: texture_2d<f32>;

// Ramp colour of an instance; a: strength with which it replaces the material's own.
fn tint_color(ramp: u32, tint: u32) -> vec4<f32> {
    return textureLoad(tints, vec2<u32>((tint >> (ramp * 6u)) & (TINT_RAMP_COLORS - 1u), ramp), 0);
}

// rgb: tinted base colour of a vertex; a: ambient occlusion, the brightest channel of vertex colours that hold it.
fn tinted(vertex_color: vec3<f32>, material_index: u32, tint: u32) -> vec4<f32> {
    let material = materials[material_index];
    var base = material.base_color.rgb;
    let region = (material.regions >> (((tint >> 28u) & 7u) * 4u)) & 15u;
    if region >= TINT_SKIN && region <= TINT_TRIM {
        let ramp = tint_color(region - TINT_SKIN, tint);
        base = mix(base, ramp.rgb, ramp.a);
    } else if region == TINT_WHOLE {
        let ramp = tint_color(TINT_CLOTH - TINT_SKIN, tint);
        base *= mix(vec3<f32>(1.0), ramp.rgb * 2.0, ramp.a * 0.25);
    }
    let brightest = max(vertex_color.r, max(vertex_color.g, vertex_color.b));
    let occlusion = select(1.0, brightest, material.color_occludes == 1u);
    return vec4<f32>(base * vertex_color, occlusion);
}

fn interleaved_noise(pixel: vec2<f32>) -> f32 {
    // Interleaved gradient noise (Jimenez 2014).
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
}

fn has_map(map: u32) -> bool {
    return (map & MAP_LAYER_MASK) != MAP_NONE;
}

fn texture_point(s: Surface, map: u32) -> TexturePoint {
    @if(extended_vertex) {
        if (map & MAP_SECOND_UV) != 0u {
            return s.second_uv;
        }
    }
    return s.first_uv;
}

@if(sampler_emulation)
fn wrapped(x: f32, mode: u32) -> f32 {
    switch mode {
        case TEXTURE_MIRROR: {
            return 1.0 - abs(1.0 - (x - 2.0 * floor(0.5 * x)));
        }
        case TEXTURE_CLAMP: {
            return saturate(x);
        }
        default: {
            return x;
        }
    }
}

// Emulates wrap and filter modes with a repeating, linear sampler: coordinates that give the texel of the map's own
// sampler.
@if(sampler_emulation)
fn sampled_uv(p: TexturePoint, map: u32, size: vec2<f32>) -> vec2<f32> {
    let modes = vec2<u32>(map >> MAP_WRAP_U_SHIFT, map >> MAP_WRAP_V_SHIFT) & vec2<u32>(MAP_WRAP_MASK);
    var at = vec2<f32>(wrapped(p.uv.x, modes.x), wrapped(p.uv.y, modes.y));
    if (map & MAP_NEAREST) != 0u {
        at = (floor(at * size) + 0.5) / size;
    }
    // Clamp half a texel of the coarser mip level inside the edge, or the opposite edge would blend in.
    let lod = ceil(log2(max(max(length(p.dx * size), length(p.dy * size)), 1.0)));
    let edge = 0.5 / max(size * exp2(-lod), vec2<f32>(1.0));
    return select(clamp(at, edge, 1.0 - edge), at, modes == vec2<u32>(TEXTURE_REPEAT));
}

// Samples of data and colour maps; the map must exist.
fn data_texel(s: Surface, map: u32) -> vec4<f32> {
    let p = texture_point(s, map);
    @if(!sampler_emulation) let uv = p.uv;
    @if(sampler_emulation) let uv = sampled_uv(p, map, vec2<f32>(textureDimensions(data_maps)));
    return textureSampleGrad(data_maps, map_sampler, uv, map & MAP_LAYER_MASK, p.dx, p.dy);
}

fn color_texel(s: Surface, map: u32) -> vec4<f32> {
    let p = texture_point(s, map);
    @if(!sampler_emulation) let uv = p.uv;
    @if(sampler_emulation) let uv = sampled_uv(p, map, vec2<f32>(textureDimensions(color_maps)));
    return textureSampleGrad(color_maps, map_sampler, uv, map & MAP_LAYER_MASK, p.dx, p.dy);
}

// Tangent-space normal mapping (glTF 2.0, section 3.9.3). The tangent is orthogonalised first: skinning and
// interpolation do not preserve angles.
@if(normal_mapped)
fn mapped_normal(s: Surface, texel: vec3<f32>, scale: f32) -> vec3<f32> {
    let local = (texel * 2.0 - 1.0) * vec3<f32>(scale, scale, 1.0);
    let along = s.tangent.xyz - s.normal * dot(s.normal, s.tangent.xyz);
    let tangent = along * inverseSqrt(max(dot(along, along), 1e-20));
    let bitangent = cross(s.normal, tangent) * select(1.0, -1.0, s.tangent.w < 0.0);
    let bent = tangent * local.x + bitangent * local.y + s.normal * local.z;
    return bent * inverseSqrt(max(dot(bent, bent), 1e-20));
}

// Base colour and alpha, with the texture.
fn base_color(s: Surface) -> vec4<f32> {
    let material = materials[s.material];
    var base = vec4<f32>(s.color.rgb, material.base_color.a);
    @if(extended_vertex) base.a *= s.alpha;
    @if(textured) {
        if has_map(material.base_color_map) {
            base *= color_texel(s, material.base_color_map);
        }
    }
    return base;
}

// True if alpha test or dither discards the pixel.
@if(alpha_test)
fn is_hole(material_index: u32, alpha: f32, pixel: vec2<f32>) -> bool {
    let cutoff = materials[material_index].alpha_cutoff;
    return (cutoff > 0.0 && alpha < cutoff) || (cutoff < 0.0 && alpha < interleaved_noise(pixel));
}

// Shading normal: the normal map's where there is one.
fn surface_normal(s: Surface) -> vec3<f32> {
    @if(normal_mapped) {
        let material = materials[s.material];
        if has_map(material.normal_map) {
            return mapped_normal(s, data_texel(s, material.normal_map).xyz, material.normal_scale);
        }
    }
    return s.normal;
}

// Radiance towards the eye, and alpha.
fn shade_surface(s: Surface, base: vec4<f32>) -> vec4<f32> {
    let material = materials[s.material];
    let normal = surface_normal(s);
    var metallic = material.metallic;
    var roughness = material.roughness;
    var occlusion = s.color.a;
    var emissive = material.emissive;
    @if(surface_maps) {
        if has_map(material.emissive_map) {
            emissive *= color_texel(s, material.emissive_map).rgb;
        }
        if has_map(material.metallic_roughness_map) {
            let rough = data_texel(s, material.metallic_roughness_map);
            roughness *= rough.g;
            metallic *= rough.b;
        }
        if has_map(material.occlusion_map) {
            occlusion *= 1.0 + material.occlusion_strength * (data_texel(s, material.occlusion_map).r - 1.0);
        }
    }
    var color = base.rgb;
    @if(!surface_shader) if material.unlit == 0u {
        color = shade(base.rgb, metallic, roughness, occlusion, s.world, normal, s.normal) + emissive;
    }
    @if(surface_shader) {
        var point = point_in_light(s.world, s.normal);
        point.normal = normal;
        point.uv = s.first_uv.uv;
        point.base_color = base.rgb;
        point.tint = s.tint;
        point.metallic = metallic;
        point.roughness = roughness;
        point.occlusion = occlusion;
        point.emissive = emissive;
        point.unlit = material.unlit != 0u;
        color = surface_radiance(point);
    }
    return vec4<f32>(through_air(color, s.world), base.a);
}

// Facet normal towards the eye. `across` is perpendicular to the triangle, of any length and sign. The surface keeps
// its own normal where `across` is zero or `wanted` is 0.
fn facet_normal(s: Surface, wanted: f32, across: vec3<f32>) -> vec3<f32> {
    let squared = dot(across, across);
    let side = select(-1.0, 1.0, dot(across, frame.eye - s.world) >= 0.0);
    return select(s.normal, across * (side * inverseSqrt(max(squared, 1e-37))), wanted > 0.5 && squared > 1e-37);
}

// True if the outside faces the eye, for characters with mirrored parts. Their winding is ambiguous, but normals point
// outwards. `across` is perpendicular to the triangle, of either sign.
fn is_outside(in: Varyings, across: vec3<f32>) -> bool {
    return dot(in.normal, across) * dot(frame.eye - in.world, across) >= 0.0;
}

// Upper bound of `tinted`: TINT_WHOLE mixes 1 with twice a ramp colour by a quarter; all ambient light arrives.
const BRIGHTEST = vec4<f32>(1.25, 1.25, 1.25, 1.0); // shader only

// Surface at a pixel; the entry point adds texture coordinates. Colours are clamped: a pixel's centre may lie outside a
// triangle that covers one of its samples. Extrapolated colours of small triangles would sparkle.
fn surface_at(in: Varyings, front: bool) -> Surface {
    // Back faces flip the whole tangent basis.
    let side = select(-1.0, 1.0, front);
    var s: Surface;
    s.world = in.world;
    s.normal = in.normal * (side * inverseSqrt(max(dot(in.normal, in.normal), 1e-20)));
    @if(normal_mapped) s.tangent = in.tangent * side;
    @if(extended_vertex) s.alpha = in.alpha;
    s.color = clamp(in.color, vec4<f32>(0.0), BRIGHTEST);
    s.material = in.material;
    @if(surface_shader) s.tint = in.tint;
    return s;
}
