//! Tone mapping: both passes give the values of Khronos PBR Neutral, and nearly the same as each other.

use throng::{
    cli::shot::frame_input,
    config::Raster,
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, read_texture_rgba8, target_texture, whole_view},
    render::{FrameInput, Renderer},
};

use crate::{
    raster::{SIZE, USUAL, open, preset, supported},
    raster_sun::{altered, altered_in, drawn_with},
};

fn picture_for(gpu: &Gpu, renderer: &mut Renderer, input: &FrameInput, usages: wgpu::TextureUsages) -> Vec<u8> {
    let texture = target_texture(gpu, "picture", SIZE, PICTURE_FORMAT, 1, usages);
    renderer.draw(gpu, &whole_view(&texture, "picture"), SIZE, input);
    read_texture_rgba8(gpu, &texture).expect("readback")
}

#[test]
fn pictures_are_tone_mapped_in_compute_where_they_can_be_copied_to() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = preset("plaza", 60);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    let mut renderer = open(&gpu, &scene, USUAL, Raster::Compute);
    let by_compute = picture_for(&gpu, &mut renderer, &input, PICTURE_USAGES);
    let by_draw = picture_for(&gpu, &mut renderer, &input, wgpu::TextureUsages::COPY_SRC);
    let steps = by_compute.iter().zip(&by_draw).map(|(a, b)| a.abs_diff(*b));
    // Conversion to sRGB and back, which the hardware does itself in a render pass.
    assert!(steps.clone().max().expect("pixels") <= 1);
    let sum = |values: &[u8]| values.iter().map(|&v| f64::from(v)).sum::<f64>();
    let bias = (sum(&by_compute) - sum(&by_draw)) / by_draw.len() as f64;
    println!(
        "{} of {} values are a step off, mean {bias:.4}",
        steps.filter(|&step| step > 0).count(),
        by_draw.len()
    );
    assert!(bias.abs() < 0.1, "{bias}");
    assert!(
        by_draw.chunks_exact(4).any(|p| p[0].abs_diff(p[2]) > 40),
        "the picture has no colours"
    );

    let dark = altered("tonemap_pixels", "displayed(scene,", "displayed(0.0 * scene,");
    let dark = drawn_with(&gpu, dark, (&scene, Raster::Compute), &input);
    assert!(
        dark.chunks_exact(4).all(|p| p[..3].iter().all(|&v| v < 3)),
        "the values do not come from compute"
    );
    assert_eq!(gpu.take_error(), None);
}

/// Display values, from 0 to 255, of a linear colour: PBR Neutral (KhronosGroup/ToneMapping), then the transfer of sRGB.
fn neutral(color: [f64; 3]) -> [f64; 3] {
    const REFLECTED: f64 = 0.04;
    const COMPRESSED_FROM: f64 = 0.8 - REFLECTED;
    const DESATURATION: f64 = 0.15;
    let least = color.into_iter().fold(f64::INFINITY, f64::min);
    let reflected = match least <= 2.0 * REFLECTED {
        true => least - least * least / (4.0 * REFLECTED),
        false => REFLECTED,
    };
    let own = color.map(|c| c - reflected);
    let peak = own.into_iter().fold(0.0, f64::max);
    let mapped = if peak <= COMPRESSED_FROM {
        own
    } else {
        let room = 1.0 - COMPRESSED_FROM;
        let compressed = 1.0 - room * room / (peak + 1.0 - 2.0 * COMPRESSED_FROM);
        let kept = 1.0 / (DESATURATION * (peak - compressed) + 1.0);
        own.map(|c| c * compressed / peak * kept + compressed * (1.0 - kept))
    };
    mapped.map(|light| match light <= 0.003_130_8 {
        true => 255.0 * 12.92 * light,
        false => 255.0 * (1.055 * light.powf(1.0 / 2.4) - 0.055),
    })
}

#[test]
fn colours_are_mapped_as_khronos_states() {
    let Some(gpu) = supported() else { return };
    let (config, scene) = preset("plaza", 2);
    let input = frame_input(&config, &scene, 2.0).expect("a view");
    let exposure = f64::from(input.view(SIZE, false).light.exposure);
    // From black to ten times white, before exposure, of every saturation.
    let light = "vec3<f32>(floor(PLACE.x) / 32.0, floor(PLACE.y) / 64.0, floor(PLACE.x + PLACE.y) / 512.0)";
    let of = |place: &str| format!("displayed({},", light.replace("PLACE", place));
    let by_draw = of("position");
    let by_compute = of("vec2<f32>(at.xy)");
    let shaders = || {
        altered_in(&[
            (
                "tonemap",
                "displayed(textureLoad(hdr, vec2<i32>(position.xy), 0).rgb,",
                &by_draw,
            ),
            ("tonemap_pixels", "displayed(scene,", &by_compute),
        ])
    };
    for raster in [Raster::Hardware, Raster::Compute] {
        let picture = drawn_with(&gpu, shaders(), (&scene, raster), &input);
        for (place, pixel) in (0..).zip(picture.chunks_exact(4)) {
            let (x, y) = (f64::from(place % SIZE.0), f64::from(place / SIZE.0));
            let expected = neutral([x / 32.0, y / 64.0, (x + y) / 512.0].map(|c| c * exposure));
            for (&found, expected) in pixel.iter().zip(expected) {
                // Half a step of rounding, half of dithering, and that of an sRGB target's hardware.
                assert!(
                    (f64::from(found) - expected).abs() < 1.6,
                    "{raster:?} at {x} {y}: {pixel:?} instead of {expected}"
                );
            }
        }
    }
    assert_eq!(gpu.take_error(), None);
}
