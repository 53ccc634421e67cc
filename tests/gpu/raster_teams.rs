//! Large triangles are covered by several threads each, and look as the hardware rasterizer draws them.

use throng::{cli::shot::frame_input, config::Raster, render::FrameInput};

use crate::{
    raster::{USUAL, compare, open, picture, preset, supported},
    raster_sun::{altered, drawn_with},
};

#[test]
fn people_who_fill_the_picture_look_the_same_by_teams_of_threads() {
    let Some(gpu) = supported() else { return };
    let mut by_many = 0;
    for (name, camera) in [("plaza", "close"), ("army", "street")] {
        let (mut config, scene) = preset(name, 120);
        config.camera.start = camera.to_owned();
        let input = FrameInput {
            sw_raster_max_rows: 4096,
            ..frame_input(&config, &scene, 2.0).expect("a view")
        };
        let [hardware, compute] = [Raster::Hardware, Raster::Compute]
            .map(|raster| picture(&gpu, &mut open(&gpu, &scene, USUAL, raster), &input));
        let (differing, inside) = compare(&hardware, &compute);
        let pixels = compute.len() / 4;
        println!("{name} {camera}: {differing} of {pixels} pixels differ, {inside} on no edge");
        assert!(
            differing * 1000 <= pixels && inside == 0,
            "{name} {camera}: {differing}, {inside}"
        );
        // Without teams of threads, large triangles are missing; with a threshold above all triangles, nothing is.
        let left_out = altered("rasterise", "place < count;", "place < 0u * count;");
        let (missing, _) = compare(&drawn_with(&gpu, left_out, (&scene, Raster::Compute), &input), &compute);
        println!("{name} {camera}: {missing} pixels by teams");
        assert!(missing * 50 > pixels, "{name} {camera}: {missing}");
        let amodal = altered("rasterise", "const LARGE = 64;", "const LARGE = 100000;");
        assert!(
            drawn_with(&gpu, amodal, (&scene, Raster::Compute), &input) == compute,
            "{name} {camera}: one thread each"
        );
        // The largest triangles are covered by workgroups of their own; without these, by the workgroup that found
        // them.
        let left_out = altered("large_triangles", "item < end;", "item < 0u * end;");
        let (missing, _) = compare(&drawn_with(&gpu, left_out, (&scene, Raster::Compute), &input), &compute);
        println!("{name} {camera}: {missing} pixels by many workgroups");
        by_many += missing;
        let full = altered("shared/large_triangles", "place >= MOST_SPREAD", "place >= 1u");
        assert!(
            drawn_with(&gpu, full, (&scene, Raster::Compute), &input) == compute,
            "{name} {camera}: no room for more than one"
        );
    }
    assert!(by_many > 1000, "{by_many}");
    assert_eq!(gpu.take_error(), None);
}
