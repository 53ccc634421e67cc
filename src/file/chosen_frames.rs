//! Frames in a raw file that a search chose for its clips: with them, baking need not search.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    file::{ModelError, gltf::document::Document, raw_extension},
    model::{ChosenFrames, ChosenSegment, Model},
};

/// Name of the extension for chosen frames in raw files.
pub const EXTENSION: &str = "THRONG_chosen_frames";
/// Version that is written and read.
const VERSION: u64 = 1;

/// The extension; `docs/THRONG_animation_atlas.md` explains the fields.
#[derive(Serialize, Deserialize)]
struct ChosenFramesJson {
    version: u64,
    bound: f32,
    segments: Vec<SegmentJson>,
    /// Buffer view of all segments' frames (u32) and weights (f32).
    data: usize,
}

#[derive(Serialize, Deserialize)]
struct SegmentJson {
    clip: usize,
    start: f32,
    /// Numbers of frames and of weights.
    frames: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    weights: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Adds frames chosen for a model, which was read from it, to a binary raw file.
///
/// # Errors
/// A file that is not binary glTF, has no binary chunk, or becomes too large.
pub fn add_chosen_frames(file: &[u8], model: &Model, chosen: &ChosenFrames) -> Result<Vec<u8>, ModelError> {
    let mut words: Vec<u32> = Vec::new();
    let segment = |segment: &ChosenSegment| {
        words.extend(&segment.frames);
        words.extend(segment.weights.iter().map(|weight| weight.to_bits()));
        SegmentJson {
            clip: segment.clip,
            start: segment.start,
            frames: segment.frames.len(),
            weights: segment.weights.len(),
        }
    };
    let segments = chosen.segments.iter().map(segment).collect();
    raw_extension::add(file, &model.name, EXTENSION, |add_view| {
        let json = ChosenFramesJson {
            version: VERSION,
            bound: chosen.bound,
            segments,
            data: add_view(bytemuck::cast_slice(&words)),
        };
        serde_json::to_value(json).unwrap_or_default()
    })
}

/// Adds the chosen frames of a raw file to the model; if they cannot be read, adds a note.
pub(crate) fn take_raw(document: &Document<'_>, model: &mut Model) {
    let extensions = document.root.extensions.as_ref();
    let Some(value) = extensions.and_then(|extensions| extensions.others.get(EXTENSION)) else {
        return;
    };
    match read(document, value) {
        Ok(chosen) => model.chosen_frames = Some(chosen),
        Err(problem) => model.notes.push(format!("chosen frames are ignored: {problem}")),
    }
}

fn read(document: &Document<'_>, value: &Value) -> Result<ChosenFrames, String> {
    let json = ChosenFramesJson::deserialize(value).map_err(|e| format!("{EXTENSION} is invalid: {e}"))?;
    if json.version != VERSION {
        let version = json.version;
        return Err(format!(
            "{EXTENSION} is of version {version}, but only {VERSION} is known"
        ));
    }
    let (words, _) = document.lod_view(json.data)?.as_chunks::<4>();
    let mut words = words.iter().map(|&word| u32::from_le_bytes(word));
    let stated = json.segments.iter().fold(0_usize, |sum, segment| {
        sum.saturating_add(segment.frames).saturating_add(segment.weights)
    });
    if stated != words.len() {
        let stored = words.len();
        return Err(format!(
            "{EXTENSION} states {stated} numbers, but its buffer view has {stored}"
        ));
    }
    let segment = |segment: &SegmentJson| ChosenSegment {
        clip: segment.clip,
        start: segment.start,
        frames: words.by_ref().take(segment.frames).collect(),
        weights: words.by_ref().take(segment.weights).map(f32::from_bits).collect(),
    };
    Ok(ChosenFrames {
        bound: json.bound,
        segments: json.segments.iter().map(segment).collect(),
    })
}
