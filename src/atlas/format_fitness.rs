//! What a bake cannot represent: non-uniform scale in `trs16`, numbers too large for `f16`, and steps
//! between frames.

use glam::Affine3A;
use half::f16;
use rayon::prelude::*;

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        format::Texel,
        trs, unit,
        verify::{
            VerifyOptions,
            report::{ErrorPlace, FormatReport},
            verify_atlases,
        },
    },
    bake::Palettes,
    model::{Interpolation, Model, UnitSpace},
};

/// Largest error of an encoding that passes without remark, percent of the character's height.
pub const REMARKABLE_PERCENT: f32 = 0.1;
/// Share of a matrix's size that rotation and one scale may leave over before it counts as uneven.
const UNEVEN: f32 = 1e-3;

/// Why a format does not do for a character, or nothing where it does: an error above
/// [`REMARKABLE_PERCENT`], where it is, and what to use instead.
#[must_use]
pub fn misfit(model: &Model, palettes: &Palettes, format: AtlasFormat) -> Option<String> {
    if format.facts().texel == Texel::Float16 {
        return overflow(model, palettes);
    }
    if format.facts().holds_any_scale {
        return None;
    }
    let atlas = Atlas::encode(palettes, &UnitSpace::around(model.mesh.bounds()), format);
    // The error over the slots' boxes bounds that of the vertices, and is quick to find.
    if atlas.error(palettes).worst <= model.height() * REMARKABLE_PERCENT / 100.0 {
        return None;
    }
    let options = VerifyOptions {
        between: 0,
        ..VerifyOptions::default()
    };
    let report = verify_atlases(model, palettes, std::slice::from_ref(&atlas), &options);
    report.formats.first().and_then(|f| coarse(model, palettes, f))
}

/// Where matrices in unit space reach past what half floats hold, or are not finite at all.
fn overflow(model: &Model, palettes: &Palettes) -> Option<String> {
    let space = UnitSpace::around(model.mesh.bounds());
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
        "f16 ends at 65504, but the matrix of joint {joint} goes beyond in clip {} at {:.3} s; use f32",
        clip.name,
        clip.time_of(frame - clip.first_frame)
    ))
}

/// A remark on an atlas of one scale per matrix whose encoding is off by more than [`REMARKABLE_PERCENT`].
fn coarse(model: &Model, palettes: &Palettes, report: &FormatReport) -> Option<String> {
    let error = report.encoding_at_frames.as_ref()?;
    let place = error.at.as_ref().filter(|_| error.worst_percent > REMARKABLE_PERCENT)?;
    if report.format.facts().holds_any_scale {
        return None;
    }
    let format = report.format.name();
    let cause = if unevenness(model, palettes, place) > UNEVEN {
        format!("has non-uniform scale there, but {format} stores one scale per matrix")
    } else {
        "is too far from the others for 16 bits".to_owned()
    };
    Some(format!(
        "{format} has an error of {:.2} mm ({:.2} % of the height) in clip {} at {:.3} s: joint {} {cause}; use f16",
        error.worst_mm, error.worst_percent, place.clip, place.time, place.joint
    ))
}

/// A remark where frames keep a bound that the format's encoding spoils: they leave it half of the
/// whole error at most.
fn too_coarse(palettes: &Palettes, report: &FormatReport) -> Option<String> {
    let kept = palettes.bound?.position * 1000.0;
    let (worst, encoding) = (report.worst_mm(), report.encoding_at_frames.as_ref()?.worst_mm);
    (worst > 2.0 * kept && encoding > kept).then(|| {
        let name = report.format.name();
        format!(
            "{name} is off by {worst:.2} mm, {encoding:.2} mm of it by encoding, where frames are off by {kept:.2} mm: \
             a finer format shows what they keep"
        )
    })
}

/// Share of the matrices that move a vertex which is neither rotation nor even scale.
fn unevenness(model: &Model, palettes: &Palettes, place: &ErrorPlace) -> f32 {
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
    used.map(|(&slot, _)| trs::unevenness(palette[usize::from(slot)].matrix3))
        .fold(0.0, f32::max)
}

/// Remarks of a report: formats that do not fit, and clips whose steps are blended away.
pub(crate) fn remarks(model: &Model, palettes: &Palettes, formats: &[FormatReport]) -> Vec<String> {
    let misfit = |f: &FormatReport| match f.format.facts().texel {
        Texel::Float16 => overflow(model, palettes),
        _ => coarse(model, palettes, f),
    };
    // A format that does not fit is not told twice.
    let remark = |f: &FormatReport| misfit(f).or_else(|| too_coarse(palettes, f));
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
