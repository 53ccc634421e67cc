//! Baking within an error bound: frames stand where the motion needs them.

use glam::Affine3A;

use crate::{
    bake::{
        BakeError, FrameBound, FrameTable, Palettes, TimedFrame,
        frame_times::timed_frames,
        memory,
        run::{bake_frames, layout, set_bounds},
        slot_bounds,
    },
    model::{Clip, Model},
};

/// Largest total length of clips (s) for the search for frames: one hour.
const LONGEST: f32 = 3600.0;

/// Bakes all clips of a character with as few frames as keep blending within `bound`; `progress` is
/// called with values in `0..=1` from any thread.
///
/// # Errors
/// More frames than an atlas can hold.
pub fn bake_within(model: &Model, bound: FrameBound, progress: &(dyn Fn(f32) + Sync)) -> Result<Palettes, BakeError> {
    if model.clips.is_empty() {
        return Ok(bake_frames(model, &[], progress));
    }
    let seconds: f32 = model.clips.iter().map(|clip| clip.duration).sum();
    if seconds.is_nan() || seconds > LONGEST {
        return Err(BakeError::TooLong {
            name: model.name.clone(),
            seconds,
        });
    }
    memory::check_ends(model)?;
    let clips = timed_frames(model, bound, progress).map_err(|frames| too_fine(model, frames, bound))?;
    progress(1.0);
    let mut palettes = palettes(model, &clips);
    palettes.bound = Some(bound);
    Ok(palettes)
}

/// Error for a search that stopped: memory limit, or capacity of an atlas.
fn too_fine(model: &Model, frames: u64, bound: FrameBound) -> BakeError {
    let too_fine = BakeError::TooFine {
        name: model.name.clone(),
        frames,
        bound_mm: bound.position * 1000.0,
    };
    memory::check(model, frames, || None).err().unwrap_or(too_fine)
}

fn palettes(model: &Model, frames: &[Vec<TimedFrame>]) -> Palettes {
    let table = |(clip, frames): (&Clip, &Vec<TimedFrame>)| {
        let times: Vec<f32> = frames.iter().map(|f| f.time).collect();
        FrameTable::at(&times, clip.duration)
    };
    let tables: Vec<FrameTable> = model.clips.iter().zip(frames).map(table).collect();
    let mut clips = layout(model, &tables);
    let all = || frames.iter().flatten();
    let columns = all().flat_map(|f| f.matrices.as_chunks::<12>().0);
    let matrices: Vec<Affine3A> = columns.map(Affine3A::from_cols_array).collect();
    let slot_bounds = slot_bounds(model);
    set_bounds(&mut clips, model, &matrices);
    Palettes {
        slot_count: model.skeleton.slots.len(),
        frame_count: all().count(),
        clips,
        matrices: matrices.into(),
        slot_bounds,
        morph_weights: all().flat_map(|f| f.morphs.iter().copied()).collect(),
        bound: None,
    }
}
