//! Splats replace meshes for people of few rows: circles that face the viewer, each around a vertex that is posed like
//! any other. Meshes of so few triangles lose too much coverage.
//!
//! `clusters` divides the posed surface into patches, one per splat. `fit` moves and grows the splats until pictures of
//! them are close to those of full detail.

mod clusters;
mod fit;

use std::f32::consts::TAU;

use rayon::prelude::*;

use crate::{
    bake::{
        Palettes,
        lods::{
            effort::SplatEffort,
            poses::{self, LodPose},
            raster::{Canvas, Frame, PosedMesh, cover},
            shape::Shape,
            splats::{
                clusters::cluster,
                fit::{FitTarget, fit, match_materials},
            },
            surface_color::{Shader, suns},
        },
    },
    model::Model,
};

/// Numbers of splats of the LODs, the finest first.
pub(super) const SPLATS: [usize; 3] = [128, 64, 32];
/// Smallest number of triangles of a mesh that gets splats; below it the mesh is coarse enough.
const FEWEST_TRIANGLES: usize = 200;
/// Elevations of the views (rad); evaluation uses others.
const ELEVATIONS: [f32; 3] = [0.1, 0.4, 0.8];
/// Samples along the height.
const SAMPLES: f32 = 96.0;
/// Margin of a picture (samples).
const MARGIN: usize = 12;
/// Largest size of a picture (samples): clips may move parts far out.
const LARGEST: usize = 256 * 256;

/// True if splats are tried.
pub(super) fn are_worth_making(model: &Model) -> bool {
    // Motion by morph targets is visible at larger heights only.
    model.morphs.is_empty() && model.mesh.triangle_count() >= FEWEST_TRIANGLES
}

/// Makes splats of a character, one shape per count in [`SPLATS`], or none. They are clustered in some poses and
/// optimized in others.
pub(super) fn make(
    model: &Model,
    full: &Shape,
    palettes: &Palettes,
    clustering: &[LodPose],
    effort: SplatEffort,
) -> Vec<Shape> {
    if !are_worth_making(model) {
        return Vec::new();
    }
    let pictures = pictures(model, palettes, effort.poses);
    // Suns and material variants alternate: colours must not suit only one sun or the file's own clothes.
    let [suns @ .., _shade] = suns(0.0, Some(0));
    let taken_in = |picture: usize| {
        Shader::new(model)
            .with_variant(picture)
            .under(suns[picture % suns.len()])
    };
    let shaders: Vec<Shader<'_>> = (0..pictures.len()).map(taken_in).collect();
    let shader = Shader::new(model);
    let seen = seen(full, &shader, &pictures);
    let targets: Vec<FitTarget<'_>> = pictures
        .into_par_iter()
        .enumerate()
        .map(|(number, (pose, frame))| {
            let vertices = pose.full(model);
            FitTarget::new(PosedMesh::mesh(&model.mesh, &vertices), &shaders[number], pose, frame)
        })
        .collect();
    let extent = model.largest_edge();
    let made = SPLATS.par_iter().filter_map(|&count| {
        let splats = cluster(full, &shader, clustering, &seen, extent, count)?;
        let optimized = fit(match_materials(splats, &targets), &targets, extent, effort.steps);
        Some(match_materials(optimized, &targets))
    });
    made.collect()
}

/// Poses and views that splats are optimized for.
fn pictures(model: &Model, palettes: &Palettes, count: usize) -> Vec<(LodPose, Frame)> {
    let extent = model.largest_edge();
    let poses = poses::builders(palettes, count);
    // Characters with fewer poses are viewed from more sides instead.
    let poses = poses.iter().cycle().take(count).enumerate();
    let pictures = poses.flat_map(|(number, pose)| {
        let points = pose.full_positions(model);
        let frame = move |(view, elevation): (usize, f32)| {
            let turn = ((number * ELEVATIONS.len() + view) as f32 * 0.618_034).fract();
            let azimuth = turn * TAU + 1.9;
            let frame = Frame::around(&points, azimuth, elevation, SAMPLES / extent, MARGIN);
            (pose.clone(), frame)
        };
        ELEVATIONS.into_iter().enumerate().map(frame)
    });
    let is_small = |(_, frame): &(LodPose, Frame)| frame.size[0] * frame.size[1] <= LARGEST;
    pictures.filter(is_small).collect()
}

/// Number of samples that show each triangle of the full mesh, over all pictures.
fn seen(full: &Shape, shader: &Shader<'_>, pictures: &[(LodPose, Frame)]) -> Vec<u32> {
    let mut canvas = Canvas::default();
    let mut seen = vec![0; full.mesh.triangle_count()];
    for (pose, frame) in pictures {
        cover(
            PosedMesh::mesh(&full.mesh, &pose.skinned(full)),
            shader,
            frame,
            &mut canvas,
        );
        canvas.visible().for_each(|triangle| seen[triangle as usize] += 1);
    }
    seen
}
