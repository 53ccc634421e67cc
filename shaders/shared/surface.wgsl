// Materials of a character: tinting per instance in the vertex shader, shading per pixel.

import package::shared::light::shade;
import package::shared::sky::aerial;

struct Material {
    // linear RGBA
    base_color: vec4<f32>,
    // linear emission; w: alpha cutoff (0 = opaque, negative = dithered blend)
    emissive_cutoff: vec4<f32>,
    // x metallic, y roughness, z texture layer or -1, w unlit
    params: vec4<f32>,
    // tint region: 0 none, 1 skin, 2 hair, 3 cloth, 4 trim, 5 whole
    region: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

struct Surface {
    world: vec3<f32>,
    normal: vec3<f32>,
    uv: vec2<f32>,
    // rgb: base colour, a: ambient occlusion
    color: vec4<f32>,
    material: u32,
    pixel: vec2<f32>,
}

@group(1) @binding(4) var<storage, read> materials: array<Material>;
@group(1) @binding(5) var base_colors: texture_2d_array<f32>;
@group(1) @binding(6) var base_color_sampler: sampler;
// Four ramps of 64 linear colours: skin, hair, cloth, trim.
@group(2) @binding(2) var<storage, read> tints: array<vec4<f32>>;

// Base colour of a vertex under an instance's tint. Vertex colours of our own characters carry
// occlusion; their darkest channel stands in for it in the ambient term.
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
    let occlusion = max(vertex_color.r, max(vertex_color.g, vertex_color.b));
    return vec4<f32>(base * vertex_color, occlusion);
}

fn interleaved_noise(pixel: vec2<f32>) -> f32 {
    // Jimenez 2014, interleaved gradient noise.
    return fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
}

fn shade_surface(s: Surface) -> vec4<f32> {
    let material = materials[s.material];
    var base = vec4<f32>(s.color.rgb, material.base_color.a);
    @if(textured) {
        let texel = textureSample(base_colors, base_color_sampler, s.uv, i32(max(material.params.z, 0.0)));
        base *= select(vec4<f32>(1.0), texel, material.params.z >= 0.0);
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
    if material.params.w < 0.5 {
        color = shade(base.rgb, material.params.x, material.params.y, s.color.a, s.world, s.normal)
            + material.emissive_cutoff.rgb;
    }
    return vec4<f32>(aerial(color, s.world), 1.0);
}
