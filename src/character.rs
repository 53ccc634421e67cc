//! A character ready to draw: model, palettes and packed mesh, baked here or read from a baked file.

mod animations;
mod expressions;
mod shared_atlas;

pub use animations::animate;
use shared_atlas::SharedAtlas;
pub use shared_atlas::from_all_opened;
pub(crate) use shared_atlas::in_parallel;

use std::{
    borrow::Cow,
    path::Path,
    sync::{Arc, OnceLock},
};

use glam::{Affine3A, Vec3};

use crate::{
    atlas::{Atlas, AtlasFormat, FramePlacement, baked_vertex::VertexAtlas, format_fitness},
    bake::{self, BakeError, Palettes, Stance, lods, skinning},
    file::{self, LodCache, ModelError, OpenedFile},
    model::{Bounds, Lod, Model, PackedMesh, UnitSpace},
};

/// A character with its baked palettes, on the CPU.
pub struct Character {
    /// Model as imported.
    pub model: Model,
    /// Palettes of all clips in full precision.
    pub palettes: Palettes,
    /// Packed vertices for the GPU.
    pub packed: PackedMesh,
    /// Bounding box of the posed rest (m).
    pub rest_bounds: Bounds,
    /// Unit space of atlas and packed vertices: around the character, or around all that share its atlas.
    pub unit: UnitSpace,
    /// Atlas of a baked file, used as it is.
    stored: Option<Arc<Atlas>>,
    /// Baked vertices of a baked file.
    stored_vertices: Option<VertexAtlas>,
    /// Atlas shared with other characters.
    shared: Option<Arc<SharedAtlas>>,
    /// Per format: why it does not suit, if it was asked for.
    format_problems: [OnceLock<Option<String>>; AtlasFormat::ALL.len()],
    /// Offset to the ground, computed on first use.
    stance: OnceLock<Stance>,
    /// LODs that were made or cached, for files without any.
    late_lods: OnceLock<Vec<Lod>>,
    /// Quick LODs, until there are others.
    quick_lods: OnceLock<Vec<Lod>>,
}

/// Origin of LODs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LodSource {
    /// The LOD cache had them.
    Kept,
    /// They were built.
    Made,
}

/// LODs that were loaded or made.
#[derive(Clone, Debug)]
pub struct FoundLods {
    /// LODs, the finest first.
    pub lods: Vec<Lod>,
    /// Where they come from.
    pub source: LodSource,
    /// Warning about the cache, if any; LODs do not depend on the cache's state.
    pub note: Option<String>,
}

/// Reads the LODs of a model whose root motion is extracted from a cache, or makes them in seconds and stores them
/// there. `progress` is called with values in `0..=1` from any thread.
///
/// # Errors
/// [`BakeError`] if the model cannot be baked.
pub fn load_or_make_lods(
    model: &Model,
    cache: Option<&LodCache>,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<FoundLods, BakeError> {
    let file = cache.map(|cache| cache.file(model));
    let mut note = None;
    if let Some(file) = &file {
        match LodCache::read(file, model) {
            Ok(Some(lods)) => {
                let source = LodSource::Kept;
                return Ok(FoundLods { lods, source, note });
            }
            Ok(None) => {}
            Err(why) => note = Some(format!("{}: {why}; LODs are made again", file.display())),
        }
    }
    let lods = bake::make_lods(model, progress)?;
    if let Some(Err(error)) = file.map(|file| LodCache::write(&file, &lods)) {
        note = Some(format!("LODs are not cached for the next start: {error}"));
    }
    let source = LodSource::Made;
    Ok(FoundLods { lods, source, note })
}

/// Error on opening a character.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model cannot be baked.
    #[error(transparent)]
    Bake(#[from] BakeError),
}

impl Character {
    /// Opens a `.glb` or `.gltf`: baked files open in milliseconds; raw ones are baked with frame times where the
    /// motion needs them.
    ///
    /// # Errors
    /// [`OpenError`] with the file, the cause and how to fix it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let opened = file::open_to_draw(path.as_ref())?;
        Ok(Self::from_opened(opened, FramePlacement::default())?)
    }

    /// Bakes a model: extracts root motion, keeps eight influences where four cost too much accuracy, then estimates
    /// walking speeds from the feet.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn bake(mut model: Model, placement: impl Into<FramePlacement>) -> Result<Self, BakeError> {
        let placement = placement.into();
        let largest_error = placement.largest_error(&model);
        let palettes = bake::bake_in_place(&mut model, largest_error, |model| placement.bake(model, &|_| {}))?;
        let unit = UnitSpace::around(model.rest_bounds());
        Ok(Self::new(model, palettes, unit))
    }

    fn new(model: Model, palettes: Palettes, unit: UnitSpace) -> Self {
        Self {
            packed: PackedMesh::new(&model.mesh),
            rest_bounds: model.rest_bounds(),
            model,
            palettes,
            unit,
            stored: None,
            stored_vertices: None,
            shared: None,
            format_problems: Default::default(),
            stance: OnceLock::new(),
            late_lods: OnceLock::new(),
            quick_lods: OnceLock::new(),
        }
    }

    /// Uses a baked file's frames as they are; bakes a raw file.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn from_opened(opened: OpenedFile, placement: impl Into<FramePlacement>) -> Result<Self, BakeError> {
        let OpenedFile { model, atlas, vertices } = opened;
        let Some(atlas) = atlas.map(Arc::new) else {
            return Self::bake(model, placement);
        };
        let (palettes, unit) = (atlas.to_palettes(&model), atlas.unit);
        Ok(Self {
            stored: Some(atlas),
            stored_vertices: vertices,
            ..Self::new(model, palettes, unit)
        })
    }

    /// Character with other matrices, as many as its palettes have, and without LODs.
    #[must_use]
    pub fn with_matrices(&self, matrices: Vec<Affine3A>) -> Self {
        let palettes = Palettes {
            matrices: matrices.into(),
            ..self.palettes.clone()
        };
        Self::new(self.model.clone(), palettes, self.unit)
    }

    /// Largest edge of its posed rest (m), to which heights of LODs refer.
    #[must_use]
    pub fn largest_edge(&self) -> f32 {
        2.0 * UnitSpace::around(self.rest_bounds).half_extent
    }

    /// True if both share one atlas.
    #[must_use]
    pub fn shares_atlas(&self, other: &Self) -> bool {
        let both = self.shared.as_ref().zip(other.shared.as_ref());
        both.is_some_and(|(own, other)| Arc::ptr_eq(own, other))
    }

    /// One matrix of the palettes; that of a baked file is decoded on its own.
    #[must_use]
    pub fn slot_matrix(&self, frame: usize, slot: usize) -> Affine3A {
        match &self.stored {
            Some(atlas) if !self.palettes.matrices.is_read() => atlas.model_matrix(frame, slot),
            _ => self.palettes.frame(frame)[slot],
        }
    }

    /// Atlas in a format: the file's own or the shared one if it has that format, else encoded anew.
    #[must_use]
    pub fn atlas(&self, format: AtlasFormat) -> Cow<'_, Atlas> {
        match (&self.stored, &self.shared) {
            (Some(atlas), _) if atlas.format == format => Cow::Borrowed(atlas),
            (_, Some(shared)) => Cow::Borrowed(shared.encoded(&self.palettes, &self.unit, format)),
            _ => Cow::Owned(Atlas::encode(&self.palettes, &self.unit, format)),
        }
    }

    /// LODs, finest first: those of its file, else those made or cached, else quick ones.
    #[must_use]
    pub fn lods(&self) -> &[Lod] {
        match self.late_lods.get().or(self.quick_lods.get()) {
            Some(lods) if self.model.lods.is_empty() => lods,
            _ => &self.model.lods,
        }
    }

    /// True if its LODs are quick ones.
    #[must_use]
    pub fn has_quick_lods(&self) -> bool {
        self.model.lods.is_empty() && self.late_lods.get().is_none() && self.quick_lods.get().is_some()
    }

    /// True for baked files, whose frames no bake setting changes.
    #[must_use]
    pub fn is_of_baked_file(&self) -> bool {
        self.stored.is_some()
    }

    /// True if LODs would be loaded or made: the file is raw and has none, not even quick ones, and they pay off.
    #[must_use]
    pub fn lacks_lods(&self) -> bool {
        self.quick_lods.get().is_none() && self.lacks_evaluated_lods()
    }

    /// True if evaluated LODs would be loaded or made.
    #[must_use]
    pub fn lacks_evaluated_lods(&self) -> bool {
        let has_none = self.model.lods.is_empty() && self.late_lods.get().is_none();
        has_none && self.stored.is_none() && lods::are_worth_making(&self.model)
    }

    /// Makes quick LODs of a raw file, in a quarter of the time of evaluated ones. Renderers use them after the character's
    /// next upload, until there are evaluated ones. `progress` is called with values in `0..=1` from any thread.
    ///
    /// # Errors
    /// [`BakeError`]; the character is still drawn at full detail.
    pub fn make_quick_lods(&self, progress: &(dyn Fn(f32) + Sync)) -> Result<(), BakeError> {
        let made = bake::make_quick_lods(&self.model, progress);
        // A failed build is not repeated.
        self.quick_lods
            .get_or_init(|| made.as_ref().map_or_else(|_| Vec::new(), Clone::clone));
        made.map(|_| ())
    }

    /// Reads evaluated LODs of a raw file from a cache; true if it had them.
    pub fn load_lods(&self, cache: &LodCache) -> bool {
        let kept = LodCache::read(&cache.file(&self.model), &self.model);
        let kept = kept.ok().flatten().map(|lods| self.late_lods.get_or_init(|| lods));
        kept.is_some()
    }

    /// Reads the LODs of a raw file from a cache, or makes them in seconds and stores them there. Renderers that draw
    /// the character use them after its next upload. `progress` is called with values in `0..=1` from any thread. The
    /// second value is a warning about the cache, if any; LODs do not depend on the cache's state.
    ///
    /// # Errors
    /// [`BakeError`]; the character is still drawn at full detail.
    pub fn load_or_make_lods(
        &self,
        cache: Option<&LodCache>,
        progress: &(dyn Fn(f32) + Sync),
    ) -> Result<(LodSource, Option<String>), BakeError> {
        let found = load_or_make_lods(&self.model, cache, progress).inspect_err(|_| {
            // A failed build is not repeated.
            self.late_lods.get_or_init(Vec::new);
        })?;
        self.late_lods.get_or_init(|| found.lods);
        Ok((found.source, found.note))
    }

    /// Reason why a format does not suit the character, if any; computed on first use.
    #[must_use]
    pub fn format_problem(&self, format: AtlasFormat) -> Option<&str> {
        // Baking to this format already checked it.
        let stored = self.stored.as_ref().is_some_and(|atlas| atlas.format == format);
        let format_problem = || {
            if stored {
                return None;
            }
            format_fitness::format_problem(&self.model, &self.palettes, format)
        };
        self.format_problems[format as usize]
            .get_or_init(format_problem)
            .as_deref()
    }

    /// Baked vertices: the file's own, or encoded.
    #[must_use]
    pub fn vertex_atlas(&self) -> Cow<'_, VertexAtlas> {
        match &self.stored_vertices {
            Some(vertices) => Cow::Borrowed(vertices),
            None => Cow::Owned(VertexAtlas::encode(&self.model, &self.palettes)),
        }
    }

    /// Scale of the character in a crowd of `count`. It is 1 near human size, and for a single character between 0.25 m
    /// and 25 m. Far larger or smaller ones are scaled to 1.75 m, so that spacing, light, haze, ground and shadows fit.
    #[must_use]
    pub fn crowd_scale(&self, count: u32) -> f32 {
        let size = self.rest_bounds.size();
        let length = size.y.max(size.max_element() * 0.5);
        let as_authored = if count == 1 { 0.25..=25.0 } else { 0.5..=4.0 };
        if as_authored.contains(&length) || length <= 0.0 || !length.is_finite() {
            1.0
        } else {
            1.75 / length
        }
    }

    /// Offset that puts the character on the ground; computed on first use.
    #[must_use]
    pub fn stance(&self) -> &Stance {
        self.stance
            .get_or_init(|| Stance::of(&self.model, &self.palettes, |frame| self.exact_palette(frame)))
    }

    /// Palette at the time of a frame, from the clip's keys: equal for a raw file and its baked one, in any encoding.
    fn exact_palette(&self, frame: usize) -> Vec<Affine3A> {
        let mut clips = self.model.clips.iter().zip(&self.palettes.clips);
        let of_clip = clips.find(|(_, baked)| {
            let first = baked.first_frame as usize;
            (first..first + baked.frame_count as usize).contains(&frame)
        });
        match of_clip {
            Some((clip, baked)) => {
                let time = baked.time_of(frame as u32 - baked.first_frame);
                skinning::exact_palette(&self.model, Some(clip), time)
            }
            None => (0..self.palettes.slot_count)
                .map(|slot| self.slot_matrix(frame, slot))
                .collect(),
        }
    }

    /// Bounds over a clip (m), limited to the neighbourhood of the rest pose for a clip that leads far away.
    pub(crate) fn reach(&self, clip: u16) -> Bounds {
        let rest = self.rest_bounds;
        let clips = &self.palettes.clips;
        let Some(clip) = clips.get(usize::from(clip)).or(clips.last()) else {
            return rest;
        };
        let all = clip.bounds;
        let room = Vec3::splat(0.5 * rest.size().max_element());
        let near = Bounds {
            min: all.min.max(rest.min - room),
            max: all.max.min(rest.max + room),
        };
        // A clip that plays mostly elsewhere would leave only a slice: keep its full bounds.
        let enough = 0.5 * rest.size().min(all.size());
        if near.size().cmpge(enough).all() { near } else { all }
    }
}
