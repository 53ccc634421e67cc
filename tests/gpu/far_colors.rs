//! People whose triangles are smaller than pixels do not sparkle, and haze hides nobody seen from above.

use std::sync::Arc;

use throng::{
    cli::shot::frame_input,
    config::{Config, Raster, ViewConfig},
    gpu::Gpu,
    render::FrameInput,
    scene::Scene,
};

use crate::raster::{SIZE, USUAL, open, picture, preset, supported, with_sources};

const LINE: &str = "s.color = clamp(in.color, vec4<f32>(0.0), BRIGHTEST);";

/// Crowd of two thousand people.
fn crowd() -> (Config, Scene) {
    preset("million", 2000)
}

/// View of the crowd from an eye point.
fn from(eye: [f32; 3], (config, scene): &(Config, Scene)) -> FrameInput {
    let mut config = config.clone();
    let far = ViewConfig {
        eye,
        target: [0.0; 3],
        time: None,
    };
    config.camera.views.insert("far".to_owned(), far);
    config.camera.start = "far".to_owned();
    FrameInput {
        // The hardware rasterizer draws none.
        splats: false,
        ..frame_input(&config, scene, 2.0).expect("a view")
    }
}

/// Picture in which every surface has this colour.
fn colored(gpu: &Gpu, (scene, input): (&Scene, &FrameInput), raster: Raster, color: &str) -> Vec<u8> {
    let own = gpu.replace_shaders(Arc::new(with_sources(LINE, &format!("s.color = {color};"))));
    let pixels = picture(gpu, &mut open(gpu, scene, USUAL, raster), input);
    gpu.replace_shaders(own);
    pixels
}

/// Number of pixels that are darker than with black people or brighter than with white ones, by more than rounding.
fn beyond(pixels: &[u8], [black, white]: [&[u8]; 2]) -> usize {
    let sum = |picture: &[u8], at: usize| picture[at..at + 3].iter().map(|&c| i32::from(c)).sum::<i32>();
    let is_beyond = |&at: &usize| {
        let found = sum(pixels, at);
        found > sum(white, at) + 6 || found + 6 < sum(black, at)
    };
    (0..pixels.len()).step_by(4).filter(is_beyond).count()
}

#[test]
fn colours_of_tiny_triangles_stay_between_black_and_white() {
    let Some(gpu) = supported() else { return };
    let crowd = crowd();
    // People about one pixel tall.
    let (scene, input) = (&crowd.1, from([0.0, 60.0, 240.0], &crowd));
    for raster in [Raster::Hardware, Raster::Compute] {
        let draw = |color| colored(&gpu, (scene, &input), raster, color);
        let [black, white] = ["vec4<f32>(0.0)", "BRIGHTEST"].map(draw);
        let range = [&black[..], &white[..]];
        let people = beyond(&white, [&black, &black]);
        let found = beyond(&picture(&gpu, &mut open(&gpu, scene, USUAL, raster), &input), range);
        let unbounded = beyond(&draw("in.color"), range);
        println!("{raster:?}: {found} of {people} pixels, {unbounded} without bounds");
        assert!(people > 300, "{people}");
        assert_eq!(found, 0);
        assert!(unbounded > 3, "the comparison notices nothing: {unbounded}");
    }
}

/// Difference of the darkest and the brightest pixel in the middle of the picture.
fn contrast(pixels: &[u8]) -> u8 {
    let (width, height) = (SIZE.0 as usize, SIZE.1 as usize);
    let rows = height / 2 - 2..height / 2 + 2;
    let green = rows.flat_map(|y| (width / 2 - 8..width / 2 + 8).map(move |x| pixels[4 * (y * width + x) + 1]));
    let (least, most) = green.fold((u8::MAX, 0), |(least, most), g| (least.min(g), most.max(g)));
    most - least
}

#[test]
fn haze_lies_near_the_ground() {
    let Some(gpu) = supported() else { return };
    let crowd = crowd();
    let mut renderer = open(&gpu, &crowd.1, USUAL, Raster::Hardware);
    // Equal distances: along the ground through all of the haze, and from above it.
    let seen = [[0.0, 100.0, 1400.0], [0.0, 1000.0, 985.0]];
    let seen = seen.map(|eye| contrast(&picture(&gpu, &mut renderer, &from(eye, &crowd))));
    assert!(seen[1] > 2 * seen[0], "{seen:?}");
}
