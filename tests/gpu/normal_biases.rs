//! Normal bias of LODs towards the viewer: light from the viewer's side makes people brighter, light from the other
//! side darker.
//! Both rasterizers agree, and coverage does not change.

use std::sync::Arc;

use throng::{
    cli::shot::frame_input,
    config::{Config, Raster},
    gpu::Gpu,
    model::NORMAL_BIAS_MAX,
    render::FrameInput,
    scene::Scene,
};

use crate::{
    culling::leveled,
    raster::{SIZE, USUAL, compare, open, picture, preset, supported},
};

/// Azimuths of the sun (degrees from north): behind the viewer of the overview, and in front of them.
const SUNS: [f32; 2] = [180.0, 0.0];

/// Crowd drawn by LODs only, whose normals have this bias.
fn crowd(normal_bias: f32) -> (Config, Scene) {
    let (config, mut scene) = preset("stress", 200);
    for character in &mut scene.characters {
        let mut with_normal_bias = leveled(&character.model.name);
        with_normal_bias
            .model
            .lods
            .iter_mut()
            .for_each(|lod| lod.normal_bias = normal_bias);
        *character = Arc::new(with_normal_bias);
    }
    (config, scene)
}

fn lit(gpu: &Gpu, (config, scene): &(Config, Scene), raster: Raster, sun: f32) -> Vec<u8> {
    let mut config = config.clone();
    (config.look.sun_azimuth, config.look.sun_elevation) = (sun, 20.0);
    let input = FrameInput {
        detail: 12.0,
        splats: false,
        ..frame_input(&config, scene, 2.0).expect("a view")
    };
    picture(gpu, &mut open(gpu, scene, USUAL, raster), &input)
}

fn brightness(picture: &[u8]) -> f64 {
    let sum: u64 = picture.iter().map(|byte| u64::from(*byte)).sum();
    sum as f64 / picture.len() as f64
}

#[test]
fn normals_with_a_bias_are_lit_from_the_viewers_side() {
    let Some(gpu) = supported() else { return };
    let [upright, with_normal_bias] = [0.0, NORMAL_BIAS_MAX].map(crowd);
    let [front_lit, before] = SUNS.map(|sun| {
        let pictures = [&upright, &with_normal_bias].map(|crowd| lit(&gpu, crowd, Raster::Hardware, sun));
        let in_compute = lit(&gpu, &with_normal_bias, Raster::Compute, sun);
        let (differing, inside) = compare(&pictures[1], &in_compute);
        assert!(
            differing * 1000 <= (SIZE.0 * SIZE.1) as usize && inside == 0,
            "{differing}, {inside}"
        );
        let [upright, with_normal_bias] = pictures.map(|picture| brightness(&picture));
        with_normal_bias - upright
    });
    println!("brighter by {front_lit:.2} of 255 lit from behind the viewer, by {before:.2} from before them");
    assert!(front_lit > 0.03 && before < -0.03, "{front_lit} {before}");
}
