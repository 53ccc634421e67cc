//! Tone mapping in compute, after the software rasterizer, gives the same values as the hardware pass.

use throng::{
    cli::shot::frame_input,
    config::Raster,
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, read_texture_rgba8, target_texture, whole_view},
    render::{FrameInput, Renderer},
};

use crate::{
    raster::{SIZE, USUAL, open, preset, supported},
    raster_sun::{altered, drawn_with},
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
