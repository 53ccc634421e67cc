//! A character ready to draw: model, palettes and packed mesh, baked here or taken from a baked file.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use glam::{Affine3A, Vec3};

use crate::{
    atlas::{Atlas, AtlasFormat, format_fitness, vertex::VertexAtlas},
    bake::{self, BakeError, BakeOptions, Palettes},
    file::Opened,
    model::{Bounds, Model, PackedMesh, UnitSpace},
};

/// A character with its baked palettes, on the CPU.
pub struct Character {
    /// As imported.
    pub model: Model,
    /// All clips, full precision.
    pub palettes: Palettes,
    /// Vertices for the GPU.
    pub packed: PackedMesh,
    /// Space of atlas and packed vertices.
    pub unit: UnitSpace,
    /// The atlas of a baked file, used as it is.
    stored: Option<Arc<Atlas>>,
    /// The baked vertices of a baked file.
    stored_vertices: Option<VertexAtlas>,
    /// By format: why it does not do, once asked.
    misfits: [OnceLock<Option<String>>; AtlasFormat::ALL.len()],
}

impl Character {
    /// Bakes a model: extracts root motion first, then estimates the speed of walks from their feet.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn bake(mut model: Model, options: &BakeOptions) -> Result<Self, BakeError> {
        let travels = bake::extract_root_motion(&mut model);
        model.notes.extend(travels);
        let mut palettes = bake::bake(&model, options, &|_| {})?;
        bake::state_ground_speeds(&mut model, &mut palettes);
        let packed = PackedMesh::new(&model.mesh);
        let unit = UnitSpace::around(packed.bounds);
        Ok(Self {
            model,
            palettes,
            packed,
            unit,
            stored: None,
            stored_vertices: None,
            misfits: Default::default(),
        })
    }

    /// Takes a baked file's frames as they are; bakes a raw one.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn from_opened(opened: Opened, options: &BakeOptions) -> Result<Self, BakeError> {
        let Opened { model, atlas, vertices } = opened;
        let Some(atlas) = atlas.map(Arc::new) else {
            return Self::bake(model, options);
        };
        Ok(Self {
            palettes: atlas.to_palettes(&model),
            packed: PackedMesh::new(&model.mesh),
            unit: atlas.unit,
            stored: Some(atlas),
            stored_vertices: vertices,
            misfits: Default::default(),
            model,
        })
    }

    /// One matrix of the palettes; that of a baked file is decoded alone.
    #[must_use]
    pub fn slot_matrix(&self, frame: usize, slot: usize) -> Affine3A {
        match &self.stored {
            Some(atlas) if !self.palettes.matrices.is_read() => atlas.model_matrix(frame, slot),
            _ => self.palettes.frame(frame)[slot],
        }
    }

    /// The atlas in a format: the file's own where it has that one, else encoded.
    #[must_use]
    pub fn atlas(&self, format: AtlasFormat) -> Cow<'_, Atlas> {
        match &self.stored {
            Some(atlas) if atlas.format == format => Cow::Borrowed(atlas),
            _ => Cow::Owned(Atlas::encode(&self.palettes, &self.unit, format)),
        }
    }

    /// Why a format does not do for it, if it does not; looked into at the first question.
    #[must_use]
    pub fn caution(&self, format: AtlasFormat) -> Option<&str> {
        let misfit = || format_fitness::misfit(&self.model, &self.palettes, format);
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

    /// Factor at which it stands in a crowd of `count`: 1 for anything near people's size and for a
    /// lone character; what is far larger or smaller is brought to 1.75 m, so that spacing, light
    /// and ground fit it.
    #[must_use]
    pub fn crowd_scale(&self, count: u32) -> f32 {
        let size = self.packed.bounds.size();
        let length = size.y.max(size.max_element() * 0.5);
        if count == 1 || (0.5..=4.0).contains(&length) || length <= 0.0 {
            1.0
        } else {
            1.75 / length
        }
    }

    /// What it fills in the course of a clip; of one that leads far away, what lies near the rest
    /// pose.
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
