//! Tests of the equations to first order.

use super::*;
use crate::bake::{
    self, BakeOptions,
    lods::{
        poses,
        surface_color::VariantShaders,
        tests::{closed, views},
    },
};

/// Variables with normals and colours that differ by a share of a fixed change.
fn changed(look: &FitVariables, share: f32) -> FitVariables {
    let mut look = look.clone();
    for (number, normal) in look.normals.iter_mut().enumerate() {
        let along = Vec3A::new((number as f32).sin(), (1.7 * number as f32).cos(), 0.3);
        *normal = (*normal + along * share).normalize();
    }
    for (number, factor) in look.factors.iter_mut().enumerate() {
        *factor += share * (0.6 + 0.3 * (2.3 * number as f32).sin());
    }
    look
}

#[test]
fn a_system_predicts_the_light_of_changed_normals_and_colours() {
    let model = closed();
    let variants = VariantShaders::of(&model);
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("fits");
    let poses = poses::builders(&palettes, 2);
    let pictures = CrowdPictures::new(&model, &variants, views(&poses, 2, Order::Anyhow.elevations()));
    let lod = Shape::full(&model);
    let coverage = pictures.cover(&lod);
    let equations: Vec<Equations<'_>> = (pictures.pictures.iter())
        .map(|picture| pictures.equations(&lod, &coverage, picture))
        .collect();
    let families = pictures.families(Order::Anyhow);
    let look = FitVariables::of(&lod);
    let system = LinearSystem::around(&look, &equations, &families, NormalSide::Own);
    let off = |share: f32| {
        let look = changed(&look, share);
        // The equations of a system say how bright a group is before they solve it.
        let of_family = |family: usize| {
            let exact = LinearSystem::around(&look, &equations, &families, NormalSide::Own);
            let predicted = system.errors(&look, family);
            let errors = exact.errors(&look, family);
            predicted.into_iter().zip(errors).collect::<Vec<(f32, f32)>>()
        };
        let pairs: Vec<(f32, f32)> = (0..families.len()).flat_map(of_family).collect();
        let most = |of: fn(&(f32, f32)) -> f32| pairs.iter().map(of).fold(0.0, f32::max);
        (
            most(|(predicted, exact)| (predicted - exact).abs()),
            most(|(_, exact)| exact.abs()),
        )
    };
    let (half, _) = off(0.02);
    let (whole, changed) = off(0.04);
    assert!(changed > 0.005, "the change shows: {changed}");
    // The gradient is no exact one: a part of the change is missed, which shrinks with it.
    assert!(whole < 0.06 * changed, "{whole} of {changed}");
    assert!(half < 0.6 * whole, "half the change, half the error: {half}, {whole}");
}
