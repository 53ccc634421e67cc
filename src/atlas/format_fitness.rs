//! Limits of atlas formats that a character may exceed: non-uniform scale in `trs16`, numbers too large for `f16`,
//! steps between frames.

use glam::Affine3A;
use half::f16;
use rayon::prelude::*;

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        format::{Texel, trs},
        unit,
        verify::{
            VerifyOptions,
            report::{ErrorPlace, FormatReport},
            verify_atlases,
        },
    },
    bake::Palettes,
    model::{Interpolation, Model, UnitSpace},
};

/// Largest encoding error (percent of the character's height) that is not reported.
pub const REMARKABLE_PERCENT: f32 = 0.1;
/// Share of a matrix's norm outside its nearest rotation with one scale, above which its scale counts as non-uniform.
const NON_UNIFORM: f32 = 1e-3;

/// Reason why a format does not fit a character, `None` where it fits. It states an error above [`REMARKABLE_PERCENT`],
/// its place, and which format to use instead.
#[must_use]
pub fn format_problem(model: &Model, palettes: &Palettes, format: AtlasFormat) -> Option<String> {
    if format.facts().texel == Texel::Float16 {
        return overflow(model, palettes);
    }
    if format.facts().holds_any_scale {
        return None;
    }
    let atlas = Atlas::encode(palettes, &UnitSpace::around(model.rest_bounds()), format);
    // The error over the slots' boxes is cheap and bounds the error of the vertices.
    if atlas.error(palettes).worst <= model.height() * REMARKABLE_PERCENT / 100.0 {
        return None;
    }
    let options = VerifyOptions {
        between: 0,
        ..VerifyOptions::default()
    };
    let report = verify_atlases(model, palettes, std::slice::from_ref(&atlas), &options);
    report
        .formats
        .first()
        .and_then(|f| encoding_problem(model, palettes, f))
}

/// Format to bake a character as: the wanted one, or else the first of f16 and f32 that fits, with the problem of the
/// wanted one.
#[must_use]
pub fn usable_format(model: &Model, palettes: &Palettes, wanted: AtlasFormat) -> (AtlasFormat, Option<String>) {
    let Some(problem) = format_problem(model, palettes, wanted) else {
        return (wanted, None);
    };
    let mut others = [AtlasFormat::F16, AtlasFormat::F32].into_iter();
    let fits = |format: &AtlasFormat| *format != wanted && format_problem(model, palettes, *format).is_none();
    (others.find(fits).unwrap_or(AtlasFormat::F32), Some(problem))
}

/// Message if a matrix in unit space exceeds the range of half floats, or is not finite.
fn overflow(model: &Model, palettes: &Palettes) -> Option<String> {
    let space = UnitSpace::around(model.rest_bounds());
    let slots = palettes.slot_count.max(1);
    let held = |m: &Affine3A| {
        let mut numbers = unit::from_model(&space, *m).to_cols_array().into_iter();
        numbers.all(|x| x.abs() <= f16::MAX.to_f32())
    };
    let index = palettes.matrices.par_iter().position_first(|m| !held(m))?;
    let (frame, slot) = ((index / slots) as u32, index % slots);
    let clip = palettes.clips.iter().rev().find(|c| c.first_frame <= frame)?;
    let joint = model.skeleton.slots.get(slot).map_or("", |slot| {
        let joint = model.skeleton.joints.get(slot.joint as usize);
        joint.map_or("", |joint| joint.name.as_str())
    });
    Some(format!(
        "the matrix of joint {joint} exceeds 65504, the range of f16, in clip {} at {:.3} s; use f32",
        clip.name,
        clip.time_of(frame - clip.first_frame)
    ))
}

/// Message on a format with one scale per matrix whose encoding error exceeds [`REMARKABLE_PERCENT`].
fn encoding_problem(model: &Model, palettes: &Palettes, report: &FormatReport) -> Option<String> {
    let error = report.encoding_at_frames.as_ref()?;
    let place = error.at.as_ref().filter(|_| error.worst_percent > REMARKABLE_PERCENT)?;
    if report.format.facts().holds_any_scale {
        return None;
    }
    let format = report.format.name();
    let cause = if non_uniformity(model, palettes, place) > NON_UNIFORM {
        format!("has non-uniform scale there, but {format} stores one scale per matrix")
    } else {
        "is too far from the other joints for 16 bits".to_owned()
    };
    Some(format!(
        "{format} has an error of {:.2} mm ({:.2} % of the height) in clip {} at {:.3} s: joint {} {cause}; use f16",
        error.worst_mm, error.worst_percent, place.clip, place.time, place.joint
    ))
}

/// Message if the encoding error of a format exceeds the bound that the frames keep. Encoding may take half of the
/// whole error.
fn bound_problem(palettes: &Palettes, report: &FormatReport) -> Option<String> {
    let kept = palettes.bound?.position * 1000.0;
    let (worst, encoding) = (report.worst_mm(), report.encoding_at_frames.as_ref()?.worst_mm);
    (worst > 2.0 * kept && encoding > kept).then(|| {
        let name = report.format.name();
        format!(
            "{name} has an error of {worst:.2} mm, {encoding:.2} mm of it from encoding, but the frames keep {kept:.2} mm: \
             use a finer format"
        )
    })
}

/// Largest share of non-uniform scale and shear among the matrices that move a vertex.
fn non_uniformity(model: &Model, palettes: &Palettes, place: &ErrorPlace) -> f32 {
    let vertex = model.mesh.vertices.get(place.vertex as usize);
    let clip = palettes.clips.iter().find(|c| c.name == place.clip);
    let (Some(vertex), Some(clip)) = (vertex, clip) else {
        return 0.0;
    };
    let palette = palettes.frame(clip.frames_at(place.time).0);
    let used = vertex
        .joints
        .iter()
        .zip(vertex.weights)
        .filter(|(_, weight)| *weight > 0.0);
    used.map(|(&slot, _)| trs::non_uniformity(palette[usize::from(slot)].matrix3))
        .fold(0.0, f32::max)
}

/// Warnings of a report: formats that do not fit, and clips whose STEP keys become blends.
pub(crate) fn remarks(model: &Model, palettes: &Palettes, formats: &[FormatReport]) -> Vec<String> {
    let format_problem = |f: &FormatReport| match f.format.facts().texel {
        Texel::Float16 => overflow(model, palettes),
        _ => encoding_problem(model, palettes, f),
    };
    // One warning per format is enough.
    let remark = |f: &FormatReport| format_problem(f).or_else(|| bound_problem(palettes, f));
    let formats = formats.iter().filter_map(remark);
    let clips = model.clips.iter().zip(&palettes.clips);
    let steps = clips.filter_map(|(clip, baked)| {
        let steps = clip
            .channels
            .iter()
            .filter(|c| c.interpolation == Interpolation::Step && c.keys.vary());
        let count = steps.count()
            + clip
                .morphs
                .iter()
                .filter(|c| c.interpolation == Interpolation::Step && c.values.windows(2).any(|w| w[0] != w[1]))
                .count();
        (count > 0 && baked.rate > 0.0 && palettes.bound.is_none()).then(|| {
            format!(
                "clip {} has {count} channels with STEP interpolation; once baked, a step becomes a blend over one \
                 frame ({:.1} ms): bake at a higher rate or play without interpolation",
                clip.name,
                1000.0 / baked.rate
            )
        })
    });
    formats.chain(steps).collect()
}
