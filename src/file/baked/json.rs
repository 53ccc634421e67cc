//! JSON of `THRONG_animation_atlas`; `docs/THRONG_animation_atlas.md` explains every field.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        baked_vertex::{VertexAtlas, VertexRange},
    },
    bake::{BakedClip, FrameBound, FrameTable},
    file::{baked::BAKED_VERSION, lods::LodJson},
    model::{Bounds, ClipEvent, MOST_INFLUENCES, Model, UnitSpace, Wrap},
};

#[derive(Serialize, Deserialize)]
pub(crate) struct Extension {
    pub version: u64,
    /// First of the accessors that only animations use.
    #[serde(default, rename = "firstKeyAccessor", skip_serializing_if = "Option::is_none")]
    pub first_key_accessor: Option<usize>,
    /// True if some clip mirrors parts of the character.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirrored: bool,
    /// True if the character is flat shaded: the mesh has no normals.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flat: bool,
    pub skeleton: ExtensionSkeleton,
    /// Number of influences of a vertex, if it is more than four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub influences: Option<usize>,
    pub atlas: AtlasView,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertices: Option<VertexView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub morphs: Option<MorphView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "levels")]
    pub lods: Vec<LodJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "discs")]
    pub splats: Vec<LodJson>,
    pub clips: Vec<ExtensionClip>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ExtensionSkeleton {
    pub joints: Vec<u32>,
    pub slots: Vec<u32>,
    pub attachments: Vec<ExtensionSocket>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ExtensionSocket {
    pub name: String,
    pub slot: u32,
    pub matrix: [f32; 16],
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AtlasView {
    pub format: AtlasFormat,
    pub buffer_view: usize,
    pub slot_count: u32,
    pub frame_count: u32,
    pub unit: Unit,
    pub decode_min: [f32; 12],
    pub decode_size: [f32; 12],
    /// Error bound by which frames were placed; absent for evenly spaced frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_bound: Option<Bound>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Bound {
    pub position: f32,
    #[serde(rename = "fitted")]
    pub optimized: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unit {
    pub centre: Vec3Json,
    pub half_extent: f32,
}

/// A vector as a JSON array.
pub(crate) type Vec3Json = [f32; 3];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VertexView {
    pub buffer_view: usize,
    pub vertex_count: u32,
    pub words_per_vertex: usize,
    pub ranges: Vec<Range>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MorphView {
    pub buffer_view: usize,
    pub target_count: usize,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Range {
    pub min: Vec3Json,
    pub size: Vec3Json,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExtensionClip {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub animation: Option<usize>,
    pub first_frame: u32,
    pub frame_count: u32,
    pub duration: f32,
    pub rate: f32,
    /// Times of the frames; absent for evenly spaced frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<u32>>,
    #[serde(default)]
    pub wrap: Wrap,
    #[serde(default)]
    pub speed: f32,
    #[serde(default)]
    pub turn: f32,
    #[serde(default)]
    pub bounds: Option<Box3>,
    #[serde(default)]
    pub events: Vec<ClipEvent>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Box3 {
    pub min: Vec3Json,
    pub max: Vec3Json,
}

impl Box3 {
    fn is_sound(&self) -> bool {
        let mut axes = self.min.iter().zip(&self.max);
        axes.all(|(min, max)| min.is_finite() && max.is_finite() && min <= max)
    }
}

impl Extension {
    /// Describes an atlas; the writer fills in the buffer views.
    pub(crate) fn describe(model: &Model, atlas: &Atlas, animations: &[Option<usize>]) -> Self {
        let attachment = |s: &crate::model::Socket| ExtensionSocket {
            name: s.name.clone(),
            slot: s.slot,
            matrix: s.mesh_from_socket.to_cols_array(),
        };
        let clips = atlas.clips.iter().enumerate();
        let clip = |(i, c)| ExtensionClip::describe(c, animations.get(i).copied().flatten());
        Self {
            version: BAKED_VERSION,
            first_key_accessor: None,
            mirrored: model.mirrored,
            flat: model.flat,
            skeleton: ExtensionSkeleton {
                joints: (0..model.skeleton.joints.len() as u32).collect(),
                slots: model.skeleton.slots.iter().map(|s| s.joint).collect(),
                attachments: model.skeleton.sockets.iter().map(attachment).collect(),
            },
            influences: model.mesh.is_wide().then_some(MOST_INFLUENCES),
            atlas: AtlasView {
                format: atlas.format,
                buffer_view: 0,
                slot_count: atlas.slot_count,
                frame_count: atlas.frame_count,
                unit: Unit {
                    centre: atlas.unit.centre.to_array(),
                    half_extent: atlas.unit.half_extent,
                },
                decode_min: atlas.decode_min,
                decode_size: atlas.decode_size,
                frame_bound: atlas.bound.map(|b| Bound {
                    position: b.position,
                    optimized: b.optimized,
                }),
            },
            vertices: None,
            morphs: None,
            lods: Vec::new(),
            splats: Vec::new(),
            clips: clips.map(clip).collect(),
        }
    }

    /// Checks everything but the sizes of the buffer views; the error is the problem in words.
    pub(crate) fn check(&self, model: &Model) -> Result<(), String> {
        let (frames, clips) = (self.atlas.frame_count, &self.clips);
        if self.atlas.slot_count as usize != model.skeleton.slots.len() {
            return Err("its slot count differs from that of its skeleton".into());
        }
        if clips.is_empty() || frames == 0 || frames > 1 << 16 {
            return Err(format!("has {} clips and {frames} frames", clips.len()));
        }
        let mut next = 0;
        for clip in clips {
            next = clip.check(next, frames)?;
        }
        let unit = &self.atlas.unit;
        let numbers = self
            .atlas
            .decode_min
            .iter()
            .chain(&self.atlas.decode_size)
            .chain(&unit.centre);
        let mut ends = self.atlas.decode_min.iter().zip(&self.atlas.decode_size);
        let finite = numbers.chain([&unit.half_extent]).all(|x| x.is_finite())
            && ends.all(|(min, size)| (min + size).is_finite());
        if !finite || unit.half_extent <= 0.0 {
            return Err("its ranges are not finite".into());
        }
        Ok(())
    }

    /// Clips in the form that the renderer uses.
    pub(crate) fn baked_clips(&self) -> Vec<BakedClip> {
        self.clips.iter().map(ExtensionClip::baked).collect()
    }

    /// Error bound by which frames were placed.
    pub(super) fn bound(&self) -> Option<FrameBound> {
        let bound = self.atlas.frame_bound.as_ref()?;
        Some(FrameBound {
            position: bound.position,
            optimized: bound.optimized,
        })
    }

    /// Unit space of matrices and baked vertices.
    pub(crate) fn unit(&self) -> UnitSpace {
        UnitSpace {
            centre: Vec3::from(self.atlas.unit.centre),
            half_extent: self.atlas.unit.half_extent,
        }
    }
}

impl ExtensionClip {
    fn describe(c: &BakedClip, animation: Option<usize>) -> Self {
        let bounds = Box3 {
            min: c.bounds.min.to_array(),
            max: c.bounds.max.to_array(),
        };
        Self {
            name: c.name.clone(),
            animation,
            first_frame: c.first_frame,
            frame_count: c.frame_count,
            duration: c.duration,
            rate: c.rate,
            times: (c.times != FrameTable::even(c.frame_count)).then(|| c.times.shares().to_vec()),
            wrap: c.wrap,
            speed: c.speed,
            turn: c.turn,
            bounds: (!c.bounds.is_empty()).then_some(bounds),
            events: c.events.clone(),
        }
    }

    /// Checks that the clip starts at frame `first` of `frames`; returns the frame at which it ends.
    fn check(&self, first: u32, frames: u32) -> Result<u32, String> {
        let times = [self.duration, self.rate, self.speed];
        let sound = times.iter().all(|t| t.is_finite()) && self.duration >= 0.0 && self.rate >= 0.0;
        let end = self.first_frame.checked_add(self.frame_count).filter(|&e| e <= frames);
        let Some(end) = end.filter(|_| self.frame_count > 0 && sound) else {
            return Err(format!("clip \"{}\" is outside the atlas", self.name));
        };
        if self.first_frame != first {
            return Err(format!(
                "clip \"{}\" does not start at frame {first}, where the previous clip ends",
                self.name
            ));
        }
        if self.bounds.as_ref().is_some_and(|b| !b.is_sound()) {
            return Err(format!(
                "clip \"{}\" has bounds that are not finite or inside out",
                self.name
            ));
        }
        if let Some(times) = &self.times {
            let fits = times.len() == self.frame_count as usize && FrameTable::from_shares(times).is_some();
            return if fits {
                Ok(end)
            } else {
                Err(format!("clip \"{}\" has broken frame times", self.name))
            };
        }
        let intervals = (self.duration * self.rate).round();
        if intervals != (self.frame_count - 1) as f32 {
            return Err(format!(
                "clip \"{}\" has {} frames, but {} s at {} Hz require {}",
                self.name,
                self.frame_count,
                self.duration,
                self.rate,
                intervals + 1.0
            ));
        }
        Ok(end)
    }

    fn baked(&self) -> BakedClip {
        let bounds = self.bounds.as_ref().map_or(Bounds::EMPTY, |b| Bounds {
            min: Vec3::from(b.min),
            max: Vec3::from(b.max),
        });
        let times = self.times.as_deref().and_then(FrameTable::from_shares);
        BakedClip {
            name: self.name.clone(),
            first_frame: self.first_frame,
            frame_count: self.frame_count,
            duration: self.duration,
            rate: self.rate,
            times: times.unwrap_or_else(|| FrameTable::even(self.frame_count)),
            wrap: self.wrap,
            speed: self.speed,
            turn: self.turn,
            events: ClipEvent::in_order(self.events.clone(), self.duration),
            bounds,
        }
    }
}

impl VertexView {
    /// Describes baked vertices whose words are in `buffer_view`.
    pub(crate) fn describe(vertices: &VertexAtlas, buffer_view: usize) -> Self {
        let range = |r: &VertexRange| Range {
            min: r.min.to_array(),
            size: r.size.to_array(),
        };
        Self {
            buffer_view,
            vertex_count: vertices.vertex_count,
            words_per_vertex: vertices.words_per_vertex,
            ranges: vertices.ranges.iter().map(range).collect(),
        }
    }
}
