//! Conservative bounds of animated characters, by frame of the atlas, for culling.

use glam::Vec3;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    model::Bounds,
    render::{
        resources::{lods::CoarserMeshes, pose_lods::PoseLods},
        technique::{AnimationData, AnimationSource, DrawMethod},
    },
};

/// Margin of boxes as a share of their longest edge: packing and GPU arithmetic round.
const ROOM: f32 = 0.01;

shader_struct!(BoundsRow);

impl BoundsRow {
    /// Box, larger by `margin` (m) on every side. Boxes that are empty or not finite become unknown.
    #[must_use]
    pub fn around(bounds: Bounds, margin: f32) -> Self {
        let margin = margin + ROOM * bounds.size().max_element();
        let (centre, extent) = (bounds.centre(), bounds.size() * 0.5 + Vec3::splat(margin));
        let known = !bounds.is_empty() && centre.is_finite() && extent.is_finite();
        if !known {
            return Self {
                unknown: 1,
                ..Self::default()
            };
        }
        Self {
            centre: centre.to_array(),
            extent: extent.to_array(),
            ..Self::default()
        }
    }
}

/// Bounds of a character over each clip, as an atlas of this format and decoding range
/// ([`Atlas::decode_size`](crate::atlas::Atlas::decode_size)) shows it. `spare` (m) is added.
///
/// Between two frames, and while one clip fades into another, a vertex is a convex combination of its places in both.
/// It never leaves the union of their boxes.
#[must_use]
pub fn clip_bounds(character: &Character, format: AtlasFormat, decode_size: &[f32; 12], spare: f32) -> Vec<BoundsRow> {
    // Vertices that a format cannot represent can be anywhere.
    if character.format_problem(format).is_some() {
        let clips = character.palettes.clips.len();
        return vec![BoundsRow::around(Bounds::EMPTY, 0.0); clips];
    }
    let clips = character.palettes.clips.iter();
    let margin = |bounds: Bounds| spare + encoding_error(character, format, decode_size, bounds);
    clips
        .map(|clip| BoundsRow {
            spare,
            ..BoundsRow::around(clip.bounds, margin(clip.bounds))
        })
        .collect()
}

/// Largest displacement (m) of any vertex of a clip by an encoding, along an axis.
fn encoding_error(character: &Character, format: AtlasFormat, decode_size: &[f32; 12], bounds: Bounds) -> f32 {
    let unit = character.unit;
    let far = (bounds.max - unit.centre)
        .abs()
        .max((bounds.min - unit.centre).abs())
        .max_element();
    (format.facts().displacement)(far / unit.half_extent, decode_size) * unit.half_extent
}

/// Bounds by frame, each that of its clip; one row for characters in their rest pose.
pub(crate) fn rows(
    character: &Character,
    method: DrawMethod,
    animation: &AnimationData,
    coarser: &CoarserMeshes<'_>,
    posed: &PoseLods,
) -> Vec<BoundsRow> {
    let moves = matches!(
        method.technique.facts().source,
        AnimationSource::Atlas | AnimationSource::PosedVertices
    );
    if !moves {
        let all = coarser.bounds().unwrap_or(Bounds::EMPTY).union(character.packed.bounds);
        return vec![BoundsRow::around(all, 0.0)];
    }
    let more = coarser.error + posed.error;
    let clips = clip_bounds(character, animation.format, &animation.decode_size, more);
    let frames = character.palettes.clips.iter().zip(clips);
    frames
        .flat_map(|(clip, row)| std::iter::repeat_n(row, clip.frame_count as usize))
        .collect()
}
