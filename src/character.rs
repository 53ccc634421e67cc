//! A character ready to draw: model, palettes and packed mesh, baked here or taken from a baked file.

mod animations;
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
    file::{self, LodCache, ModelError, Opened},
    model::{Bounds, Lod, Model, PackedMesh, UnitSpace},
};

/// A character with its baked palettes, on the CPU.
pub struct Character {
    /// As imported.
    pub model: Model,
    /// All clips, full precision.
    pub palettes: Palettes,
    /// Vertices for the GPU.
    pub packed: PackedMesh,
    /// Space of atlas and packed vertices: around itself, or around all who share its atlas.
    pub unit: UnitSpace,
    /// The atlas of a baked file, used as it is.
    stored: Option<Arc<Atlas>>,
    /// The baked vertices of a baked file.
    stored_vertices: Option<VertexAtlas>,
    /// The atlas that it has with others.
    shared: Option<Arc<SharedAtlas>>,
    /// Reasons why formats do not fit, once asked, by format.
    misfits: [OnceLock<Option<String>>; AtlasFormat::ALL.len()],
    /// How it stands, once asked.
    stance: OnceLock<Stance>,
    /// LODs that its file did not bring.
    brought: OnceLock<Vec<Lod>>,
}

/// Where LODs came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LodSource {
    /// They were kept from an earlier start.
    Kept,
    /// They were made.
    Made,
}

/// Why a file gives no character.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It cannot be baked.
    #[error(transparent)]
    Bake(#[from] BakeError),
}

impl Character {
    /// The character of a `.glb` or `.gltf`: baked files open in milliseconds, others are baked with
    /// frames where the motion is.
    ///
    /// # Errors
    /// [`OpenError`] with the file, what is wrong and how to mend it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let opened = file::open_to_draw(path.as_ref())?;
        Ok(Self::from_opened(opened, FramePlacement::default())?)
    }

    /// Bakes a model: extracts root motion first, keeps eight influences where four cost too much, then estimates
    /// the speed of walks from their feet.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn bake(mut model: Model, placement: impl Into<FramePlacement>) -> Result<Self, BakeError> {
        let placement = placement.into();
        let largest_error = placement.largest_error(&model);
        let palettes = bake::bake_in_place(&mut model, largest_error, |model| placement.bake(model, &|_| {}))?;
        let unit = UnitSpace::around(model.mesh.bounds());
        Ok(Self::new(model, palettes, unit))
    }

    fn new(model: Model, palettes: Palettes, unit: UnitSpace) -> Self {
        Self {
            packed: PackedMesh::new(&model.mesh),
            model,
            palettes,
            unit,
            stored: None,
            stored_vertices: None,
            shared: None,
            misfits: Default::default(),
            stance: OnceLock::new(),
            brought: OnceLock::new(),
        }
    }

    /// Takes a baked file's frames as they are; bakes a raw one.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn from_opened(opened: Opened, placement: impl Into<FramePlacement>) -> Result<Self, BakeError> {
        let Opened { model, atlas, vertices } = opened;
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

    /// Character with other matrices, as many as its palettes have, at full detail.
    #[must_use]
    pub fn with_matrices(&self, matrices: Vec<Affine3A>) -> Self {
        let palettes = Palettes {
            matrices: matrices.into(),
            ..self.palettes.clone()
        };
        Self::new(self.model.clone(), palettes, self.unit)
    }

    /// Largest edge of its rest pose, metres: heights of LODs are in rows of this.
    #[must_use]
    pub fn largest_edge(&self) -> f32 {
        2.0 * UnitSpace::around(self.packed.bounds).half_extent
    }

    /// Whether one atlas serves both.
    #[must_use]
    pub fn shares_atlas(&self, other: &Self) -> bool {
        let both = self.shared.as_ref().zip(other.shared.as_ref());
        both.is_some_and(|(own, other)| Arc::ptr_eq(own, other))
    }

    /// One matrix of the palettes; that of a baked file is decoded alone.
    #[must_use]
    pub fn slot_matrix(&self, frame: usize, slot: usize) -> Affine3A {
        match &self.stored {
            Some(atlas) if !self.palettes.matrices.is_read() => atlas.model_matrix(frame, slot),
            _ => self.palettes.frame(frame)[slot],
        }
    }

    /// The atlas in a format: the file's own where it has that one, or that which it has with others, else encoded.
    #[must_use]
    pub fn atlas(&self, format: AtlasFormat) -> Cow<'_, Atlas> {
        match (&self.stored, &self.shared) {
            (Some(atlas), _) if atlas.format == format => Cow::Borrowed(atlas),
            (_, Some(shared)) => Cow::Borrowed(shared.encoded((&self.palettes, &self.unit), format)),
            _ => Cow::Owned(Atlas::encode(&self.palettes, &self.unit, format)),
        }
    }

    /// Its LODs, the finest first: those of its file, else those that were brought.
    #[must_use]
    pub fn lods(&self) -> &[Lod] {
        match self.brought.get() {
            Some(lods) if self.model.lods.is_empty() => lods,
            _ => &self.model.lods,
        }
    }

    /// Whether it is of a baked file, whose frames are its own: no setting of baking changes them.
    #[must_use]
    pub fn is_of_baked_file(&self) -> bool {
        self.stored.is_some()
    }

    /// Whether [`Character::bring_lods`] would look for any: its file is raw and has none, and they would be drawn.
    #[must_use]
    pub fn lacks_lods(&self) -> bool {
        let has_none = self.model.lods.is_empty() && self.brought.get().is_none();
        has_none && self.stored.is_none() && lods::are_worth_making(&self.model)
    }

    /// Takes the LODs of a raw file out of a cache, or makes them, which takes seconds, and keeps them
    /// there. Whoever draws it already goes on without them until it is uploaded again. `progress` is called with
    /// values in `0..=1` from any thread. The second value is what did not go as it should, in words: whatever the
    /// cache is like, levels are the same.
    ///
    /// # Errors
    /// [`BakeError`]; it goes on being drawn at full detail.
    pub fn bring_lods(
        &self,
        cache: Option<&LodCache>,
        progress: &(dyn Fn(f32) + Sync),
    ) -> Result<(LodSource, Option<String>), BakeError> {
        let file = cache.map(|cache| cache.file(&self.model));
        let mut note = None;
        if let Some(file) = &file {
            match LodCache::read(file, &self.model) {
                Ok(Some(lods)) => {
                    self.brought.get_or_init(|| lods);
                    return Ok((LodSource::Kept, None));
                }
                Ok(None) => {}
                Err(why) => note = Some(format!("{} {why}: levels of detail are made anew", file.display())),
            }
        }
        let made = bake::make_lods(&self.model, progress).inspect_err(|_| {
            // Nobody need try again.
            self.brought.get_or_init(Vec::new);
        })?;
        if let Some(Err(error)) = file.map(|file| LodCache::write(&file, &made)) {
            note = Some(format!("levels of detail are not kept for the next start: {error}"));
        }
        self.brought.get_or_init(|| made);
        Ok((LodSource::Made, note))
    }

    /// Why a format does not do for it, if it does not; looked into at the first question.
    #[must_use]
    pub fn caution(&self, format: AtlasFormat) -> Option<&str> {
        // A file in that format was looked into when it was baked.
        let stored = self.stored.as_ref().is_some_and(|atlas| atlas.format == format);
        let misfit = || {
            if stored {
                return None;
            }
            format_fitness::misfit(&self.model, &self.palettes, format)
        };
        self.misfits[format as usize].get_or_init(misfit).as_deref()
    }

    /// The baked vertices: the file's own, or encoded.
    #[must_use]
    pub fn vertex_atlas(&self) -> Cow<'_, VertexAtlas> {
        match &self.stored_vertices {
            Some(vertices) => Cow::Borrowed(vertices),
            None => Cow::Owned(VertexAtlas::encode(&self.model, &self.palettes)),
        }
    }

    /// Factor at which it stands in a crowd of `count`: 1 for anything near people's size, and for a lone
    /// character within a quarter of a metre and 25 m; what is far larger or smaller is brought to 1.75 m, so
    /// that spacing, light, mist, ground and shadows fit it.
    #[must_use]
    pub fn crowd_scale(&self, count: u32) -> f32 {
        let size = self.packed.bounds.size();
        let length = size.y.max(size.max_element() * 0.5);
        let as_authored = if count == 1 { 0.25..=25.0 } else { 0.5..=4.0 };
        if as_authored.contains(&length) || length <= 0.0 || !length.is_finite() {
            1.0
        } else {
            1.75 / length
        }
    }

    /// How far it is moved to stand on the ground; found out at the first question.
    #[must_use]
    pub fn stance(&self) -> &Stance {
        self.stance
            .get_or_init(|| Stance::of(&self.model, &self.palettes, |frame| self.exact_palette(frame)))
    }

    /// The palette at the moment of a frame, from the clip's keys: the same for a raw file and its
    /// baked one, whatever the encoding of its frames.
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

    /// Reach over the course of a clip; near the rest pose for a clip that leads far away.
    pub(crate) fn reach(&self, clip: u16) -> Bounds {
        let rest = self.packed.bounds;
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
        // Played mostly elsewhere, a slice would be left.
        let enough = 0.5 * rest.size().min(all.size());
        if near.size().cmpge(enough).all() { near } else { all }
    }
}
