//! The character tab: facts about one character and its atlas as a picture.

use std::sync::Arc;

use egui::{Color32, ColorImage};

use crate::{
    app::{clip_error::ClipError, viewer::Viewer},
    atlas::{Atlas, AtlasFormat, info::Info},
    bake::BakeOptions,
    character::Character,
};

/// Maximum number of rows in the atlas picture; longer atlases skip frames evenly.
const MOST_ROWS: usize = 2048;
/// Texels shown per matrix, one for each of its three rows.
pub(super) const TEXELS: usize = 3;
/// Smallest spread of a value over time that is stretched to full contrast.
const LEAST_SPREAD: f32 = 0.15;

/// State of the character tab.
#[derive(Default)]
pub(super) struct CharacterTab {
    /// Index of the character.
    pub index: usize,
    /// Draw the joints over the character's first instance.
    pub joints: bool,
    /// A clip that is played alone stops at its end instead of looping.
    pub once: bool,
    /// Zoom factor of the atlas picture.
    pub zoom: f32,
    /// Top left corner of the visible part of the atlas picture, 0 to 1.
    pub corner: [f32; 2],
    /// Error along the clip that is shown.
    pub error: ClipError,
    /// Scene time (s) at which the clip was stopped at its end; resuming clears it.
    pub held: Option<f64>,
    /// Viewer of one character before a plain background.
    pub viewer: Viewer,
    facts: Option<(Arc<Character>, Info)>,
    picture: Option<(Arc<Character>, AtlasFormat, egui::TextureHandle)>,
}

impl CharacterTab {
    /// Facts about a character, collected on first use.
    pub(super) fn info(&mut self, character: &Arc<Character>) -> &Info {
        let kept = self.facts.take().filter(|(of, _)| Arc::ptr_eq(of, character));
        let collect = || {
            let mut info = Info::new(&character.model, None, &BakeOptions::default());
            let height = info.mesh.bounds_max[1] - info.mesh.bounds_min[1];
            // As `throng info` lists them.
            info.notes.extend(character.stance().notes(height));
            (character.clone(), info)
        };
        &self.facts.insert(kept.unwrap_or_else(collect)).1
    }

    /// Atlas of a character as a texture of the panel, created on first use.
    pub(super) fn picture(
        &mut self,
        context: &egui::Context,
        character: &Arc<Character>,
        format: AtlasFormat,
    ) -> egui::TextureId {
        let kept = self.picture.take();
        let kept = kept.filter(|(of, its, _)| Arc::ptr_eq(of, character) && *its == format);
        let make = || {
            let image = atlas_image(&character.atlas(format));
            let texture = context.load_texture("atlas", image, egui::TextureOptions::NEAREST);
            (character.clone(), format, texture)
        };
        self.picture.insert(kept.unwrap_or_else(make)).2.id()
    }
}

/// Image of the atlas with a row per frame and three columns per slot. Each value is shown relative to its mean over
/// all frames, so a value that never changes is grey.
#[must_use]
pub(super) fn atlas_image(atlas: &Atlas) -> ColorImage {
    let (slots, frames) = (atlas.slot_count as usize, atlas.frame_count as usize);
    let step = frames.div_ceil(MOST_ROWS).max(1);
    let shown: Vec<usize> = (0..frames).step_by(step).collect();
    let mut image = ColorImage::filled([(slots * TEXELS).max(1), shown.len().max(1)], Color32::GRAY);
    let width = image.size[0];
    for slot in 0..slots {
        let column: Vec<[f32; 9]> = shown.iter().map(|&frame| linear_rows(atlas, frame, slot)).collect();
        let spread: [(f32, f32); 9] = std::array::from_fn(|e| spread(column.iter().map(|rows| rows[e])));
        for (row, values) in column.iter().enumerate() {
            let channel = |e: usize| (128.0 + 127.0 * (values[e] - spread[e].0) / spread[e].1) as u8;
            for texel in 0..TEXELS {
                let [r, g, b] = [0, 1, 2].map(|c| channel(TEXELS * texel + c));
                image.pixels[row * width + slot * TEXELS + texel] = Color32::from_rgb(r, g, b);
            }
        }
    }
    image
}

/// Linear 3×3 part of a matrix, row by row.
fn linear_rows(atlas: &Atlas, frame: usize, slot: usize) -> [f32; 9] {
    let m = atlas.matrix(frame, slot).matrix3.transpose();
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(|row| row.to_array());
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}

/// Mean of values and their largest distance from it.
fn spread(values: impl Iterator<Item = f32> + Clone) -> (f32, f32) {
    let count = values.clone().count().max(1) as f32;
    let mean = values.clone().sum::<f32>() / count;
    let most = values.map(|v| (v - mean).abs()).fold(0.0, f32::max);
    (mean, most.max(LEAST_SPREAD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_atlas_picture_has_a_row_per_frame_and_three_columns_per_slot() {
        let opened = crate::scene::open_model("knight").expect("embedded");
        let character = Character::from_opened(opened, &BakeOptions::default()).expect("bakes");
        let atlas = character.atlas(AtlasFormat::F16);
        let image = atlas_image(&atlas);
        assert_eq!(image.size, [3 * atlas.slot_count as usize, atlas.frame_count as usize]);
        let colours: std::collections::HashSet<_> = image.pixels.iter().collect();
        assert!(colours.len() > 100, "{}", colours.len());
    }

    #[test]
    fn facts_have_the_notes_of_the_info_command() {
        let mut opened = crate::scene::open_model("knight").expect("embedded");
        let float = |vertex: &mut crate::model::Vertex| vertex.position.y += 0.5;
        opened.model.mesh.vertices.iter_mut().for_each(float);
        let character = Arc::new(Character::from_opened(opened, &BakeOptions::default()).expect("bakes"));
        let mut tab = CharacterTab::default();
        let notes = &tab.info(&character).notes;
        assert!(
            notes.iter().any(|note| note.contains("to stand on the ground")),
            "{notes:?}"
        );
    }
}
