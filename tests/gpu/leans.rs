//! Normals of levels of detail that lean towards the viewer: what is lit from there is brighter, what is lit from the
//! other side darker, whoever rasterises it; nothing covers more or less.

use std::sync::Arc;

use throng::{
    cli::shot::frame_input,
    config::{Config, Raster},
    gpu::Gpu,
    model::LEAN_MOST,
    render::FrameInput,
    scene::Scene,
};

use crate::{
    culling::leveled,
    raster::{SIZE, USUAL, able, compare, open, picture, preset},
};

/// Where the sun stands, degrees from north: behind the viewer of the overview, and before them.
const SUNS: [f32; 2] = [180.0, 0.0];

/// A crowd that is all levels of detail, whose normals lean by so much.
fn crowd(lean: f32) -> (Config, Scene) {
    let (config, mut scene) = preset("stress", 200);
    for character in &mut scene.characters {
        let mut leaning = leveled(&character.model.name);
        leaning.model.levels.iter_mut().for_each(|level| level.lean = lean);
        *character = Arc::new(leaning);
    }
    (config, scene)
}

fn lit(gpu: &Gpu, (config, scene): &(Config, Scene), raster: Raster, sun: f32) -> Vec<u8> {
    let mut config = config.clone();
    (config.look.sun_azimuth, config.look.sun_elevation) = (sun, 20.0);
    let input = FrameInput {
        detail: 12.0,
        discs: false,
        ..frame_input(&config, scene, 2.0).expect("a view")
    };
    picture(gpu, &mut open(gpu, scene, USUAL, raster), &input)
}

fn brightness(picture: &[u8]) -> f64 {
    let sum: u64 = picture.iter().map(|byte| u64::from(*byte)).sum();
    sum as f64 / picture.len() as f64
}

#[test]
fn normals_that_lean_are_lit_from_where_one_looks() {
    let Some(gpu) = able() else { return };
    let [upright, leaning] = [0.0, LEAN_MOST].map(crowd);
    let [behind, before] = SUNS.map(|sun| {
        let pictures = [&upright, &leaning].map(|crowd| lit(&gpu, crowd, Raster::Hardware, sun));
        let in_compute = lit(&gpu, &leaning, Raster::Compute, sun);
        let (differing, inside) = compare(&pictures[1], &in_compute);
        assert!(
            differing * 1000 <= (SIZE.0 * SIZE.1) as usize && inside == 0,
            "{differing}, {inside}"
        );
        let [upright, leaning] = pictures.map(|picture| brightness(&picture));
        leaning - upright
    });
    println!("brighter by {behind:.2} of 255 lit from behind the viewer, by {before:.2} from before them");
    assert!(behind > 0.03 && before < -0.03, "{behind} {before}");
}
