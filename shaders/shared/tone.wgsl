// Tone mapping: Khronos PBR Neutral, which preserves base colours (KhronosGroup/ToneMapping), then the sRGB transfer.

import package::shared::frame::frame;
import package::shared::transfer::srgb_from_linear;

fn pbr_neutral(hdr_color: vec3<f32>) -> vec3<f32> {
    let start_compression = 0.8 - 0.04;
    let desaturation = 0.15;
    let x = min(hdr_color.r, min(hdr_color.g, hdr_color.b));
    let offset = select(0.04, x - 6.25 * x * x, x < 0.08);
    var color = hdr_color - offset;
    let peak = max(color.r, max(color.g, color.b));
    if peak < start_compression {
        return color;
    }
    let d = 1.0 - start_compression;
    let new_peak = 1.0 - d * d / (peak + d - start_compression);
    color *= new_peak / peak;
    let g = 1.0 - 1.0 / (desaturation * (peak - new_peak) + 1.0);
    return mix(color, vec3<f32>(new_peak), g);
}

// Dither by up to half an 8-bit step, constant over frames, against banding in the sky. Interleaved gradient noise
// (Jimenez 2014, "Next Generation Post Processing in Call of Duty").
fn dithered(display: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let noise = fract(52.9829189 * fract(dot(floor(pixel), vec2<f32>(0.06711056, 0.00583715))));
    return clamp(display + (noise - 0.5) / 255.0, vec3<f32>(0.0), vec3<f32>(1.0));
}

// Display values of a pixel with centre `place` (px).
fn displayed(scene: vec3<f32>, place: vec2<f32>) -> vec3<f32> {
    let mapped = pbr_neutral(max(scene * frame.exposure, vec3<f32>(0.0)));
    return dithered(srgb_from_linear(mapped), place);
}
