//! Discs in place of meshes for people of few rows: circles that face whoever looks, each around a vertex that is
//! posed like any other. Meshes of so few triangles lose too much of what they cover.
//!
//! The posed surface is cut into patches (`clusters`), a disc for each; discs move and grow until pictures of them
//! come nearest to those of full detail (`fit`).

mod clusters;
mod fit;

use rayon::prelude::*;

use crate::{
    bake::{
        Palettes,
        levels::{
            discs::{
                clusters::cluster,
                fit::{Target, fit},
            },
            inflate::Areas,
            poses::{self, Pose},
            raster::{Canvas, Frame, Posed, cover},
            shape::Shape,
            surface_color::Shader,
        },
    },
    model::Model,
};

/// Discs of a level, the finer first.
pub(super) const DISCS: [usize; 2] = [64, 32];
/// Meshes of fewer triangles are coarse enough.
const FEWEST_TRIANGLES: usize = 200;
/// Poses in which pictures are taken, at most.
const POSES: usize = 16;
/// Elevations from which they are taken, radians; not those that judge.
const ELEVATIONS: [f32; 3] = [0.12, 0.5, 1.0];
/// Samples along the height.
const SAMPLES: f32 = 96.0;
/// Samples around a picture.
const MARGIN: usize = 12;

/// Whether discs are tried.
pub(super) fn are_worth_making(model: &Model) -> bool {
    // What morph targets do is seen by people of more rows.
    model.morphs.is_empty() && model.mesh.triangle_count() >= FEWEST_TRIANGLES
}

/// Discs of a character, as many levels as there are counts in [`DISCS`], or none.
pub(super) fn make((model, full): (&Model, &Shape), palettes: &Palettes, building: &[Pose], areas: &Areas<'_>) -> Vec<Shape> {
    if !are_worth_making(model) {
        return Vec::new();
    }
    let shader = Shader::new(model);
    let pictures = pictures(model, palettes);
    let seen = seen(full, &shader, &pictures);
    let targets: Vec<Target> = pictures
        .into_par_iter()
        .map(|picture| {
            let vertices = picture.0.full(model);
            Target::new(&model.mesh, &shader, picture, &vertices)
        })
        .collect();
    let extent = model.mesh.bounds().size().max_element();
    let made = DISCS.par_iter().filter_map(|&count| {
        let discs = cluster(full, &shader, building, &seen, count)?;
        let fitted = fit(areas.scale(discs), &shader, &targets, extent);
        Some(areas.relight(areas.scale(fitted)))
    });
    made.collect()
}

/// Poses and views to which discs are fitted.
fn pictures(model: &Model, palettes: &Palettes) -> Vec<(Pose, Frame)> {
    let extent = model.mesh.bounds().size().max_element();
    let poses = poses::builders(palettes, POSES);
    let pictures = poses.iter().enumerate().flat_map(|(number, pose)| {
        let points = pose.full_positions(model);
        let frame = move |(view, elevation): (usize, f32)| {
            let turn = ((number * ELEVATIONS.len() + view) as f32 * 0.618_034).fract();
            let azimuth = turn * std::f32::consts::TAU + 1.9;
            let frame = Frame::around(&points, (azimuth, elevation), SAMPLES / extent, MARGIN);
            (pose.clone(), frame)
        };
        ELEVATIONS.into_iter().enumerate().map(frame)
    });
    pictures.collect()
}

/// Samples that show each triangle of the full mesh, over all pictures.
fn seen(full: &Shape, shader: &Shader<'_>, pictures: &[(Pose, Frame)]) -> Vec<u32> {
    let mut canvas = Canvas::default();
    let mut seen = vec![0; full.mesh.triangle_count()];
    for (pose, frame) in pictures {
        cover(Posed::mesh(&full.mesh, &pose.skinned(full)), shader, frame, &mut canvas);
        canvas.visible().for_each(|triangle| seen[triangle as usize] += 1);
    }
    seen
}
