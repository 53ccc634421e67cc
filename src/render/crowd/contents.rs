//! Contents of a crowd renderer on the GPU: characters, instances, attachments, draw lists.

use std::sync::Arc;

use crate::{
    character::Character,
    crowd::{Instance, MotionPlan},
    gpu::{Gpu, GpuError},
    model::Bounds,
    render::{
        RenderContext,
        crowd::actors::ActorDraw,
        passes::{
            DrawVariant,
            attachments::AttachmentCrowd,
            draw_lists::{DRAW_LIST_SUN, DrawListRequest, DrawListSet, DrawLists, Views},
            heroes::HeroCrowd,
            live::LiveCrowd,
            raster::{RasterMesh, supports_technique},
        },
        resources::{CharacterAssets, CrowdInstances, DrawFlags, DrawParts, TintTexture},
        stats::DrawCounts,
    },
};

/// Character of one [`CrowdRenderer`](super::CrowdRenderer): its number in the order of addition, which is also
/// [`Hero::character`](crate::crowd::heroes::Hero::character).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CharacterId(pub(crate) usize);

impl CharacterId {
    /// Number of characters added before.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

/// One character with all its instances.
#[derive(Clone)]
pub(crate) struct CharacterDraw {
    pub(crate) character: Arc<Character>,
    pub(crate) assets: Arc<CharacterAssets>,
    pub(crate) instances: Arc<[Instance]>,
    pub(crate) plan: Arc<MotionPlan>,
    pub(crate) crowd: CrowdInstances,
    pub(crate) variant: DrawVariant,
    pub(crate) live: Option<LiveCrowd>,
    pub(crate) heroes: Option<HeroCrowd>,
    /// Actors whom the instances follow.
    pub(crate) actors: Option<ActorDraw>,
    /// Draw lists; `None` if everyone is drawn.
    pub(crate) draw_lists: Option<CrowdDrawLists>,
    /// Bounds over all clips, in model space, against which pick rays are tested.
    pub(crate) all_clips_bounds: Bounds,
}

impl CharacterDraw {
    pub(crate) fn parts(&self) -> DrawParts<'_> {
        DrawParts {
            assets: &self.assets,
            crowd: &self.crowd,
        }
    }

    /// Number of people: without free slots of actors.
    fn person_count(&self) -> u32 {
        let actors = self.actors.as_ref();
        actors.map_or(self.crowd.count, |actors| actors.table.lock().count())
    }
}

/// Views that a renderer makes draw lists for, besides the camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewSet {
    /// True if the shadow map is one of them.
    pub(crate) shadows: bool,
    /// Meshlets of people and scenery for the software rasterizer.
    pub(crate) meshlets: MeshletPolicy,
}

/// Rule for making meshlets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeshletPolicy {
    /// Never: the software rasterizer draws nothing.
    Never,
    /// If they fit: the software rasterizer draws shadows or ids only; draws that do not fit stay with the hardware
    /// rasterizer.
    IfTheyFit,
    /// Always: the software rasterizer was requested for pictures, so that it is an error if they do not fit.
    Always,
}

impl MeshletPolicy {
    /// True if a variant gets meshlets, where they fit. Draws with alpha holes, and draws that are skinned beforehand,
    /// stay with the hardware rasterizer.
    pub(crate) fn cuts(self, variant: DrawVariant) -> bool {
        self != Self::Never && !variant.has(DrawFlags::ALPHA_TEST) && supports_technique(variant.method.technique)
    }
}

/// Draw lists of one crowd, for each view.
#[derive(Clone)]
pub(crate) struct CrowdDrawLists {
    pub(crate) camera: DrawLists,
    /// Lists of the shadow map, with shadows.
    pub(crate) sun: Option<DrawLists>,
    /// Where it is drawn by the software rasterizer.
    pub(crate) raster: Option<RasterMesh>,
}

impl CrowdDrawLists {
    /// Makes the lists for the views of a renderer; `None` without instances. `kind` is a sum of `DRAW_LIST_` bits;
    /// `mesh` makes the meshlets.
    pub(crate) fn new(
        context: &RenderContext,
        drawn: DrawParts<'_>,
        kind: u32,
        view_set: ViewSet,
        mesh: impl FnOnce() -> Result<RasterMesh, GpuError>,
    ) -> Result<Option<Self>, GpuError> {
        if drawn.crowd.count == 0 {
            return Ok(None);
        }
        let ViewSet { shadows, meshlets } = view_set;
        let raster = match meshlets {
            _ if !meshlets.cuts(DrawVariant::of(drawn.assets)) => None,
            MeshletPolicy::Never => None,
            MeshletPolicy::IfTheyFit => mesh().ok(),
            MeshletPolicy::Always => Some(mesh()?),
        };
        let sun = shadows.then(|| DrawListRequest::new(&context.gpu, drawn, kind | DRAW_LIST_SUN));
        let wanted = Views {
            camera: Some(DrawListRequest::new(&context.gpu, drawn, kind)?),
            sun: sun.transpose()?,
        };
        let made = DrawListSet::all(context, vec![wanted]).pop();
        Ok(made.and_then(|made| Self::of(made, raster)))
    }

    /// Makes lists that are merged from now on read the third clips of actors from their present buffer.
    pub(crate) fn read_thirds(&mut self, crowd: &CrowdInstances) {
        self.camera.read_thirds(crowd);
        self.sun.iter_mut().for_each(|sun| sun.read_thirds(crowd));
    }

    fn of(Views { camera, sun }: Views<DrawLists>, raster: Option<RasterMesh>) -> Option<Self> {
        camera.map(|camera| Self { camera, sun, raster })
    }

    fn bytes(&self) -> u64 {
        let raster = self.raster.as_ref().map_or(0, RasterMesh::bytes);
        self.camera.bytes() + self.sun.as_ref().map_or(0, DrawLists::bytes) + raster
    }
}

/// Characters, instances, attachments and colours as handles, which are cheap to clone. Restoring them undoes all
/// changes since they were taken.
#[derive(Clone)]
pub struct CrowdContents {
    pub(crate) people: Vec<CharacterDraw>,
    pub(crate) scenery: Vec<CharacterDraw>,
    pub(crate) attachments: Vec<AttachmentCrowd>,
    pub(crate) tints: TintTexture,
}

impl CrowdContents {
    pub(crate) fn empty(gpu: &Gpu) -> Self {
        Self {
            people: Vec::new(),
            scenery: Vec::new(),
            attachments: Vec::new(),
            tints: TintTexture::new(gpu),
        }
    }

    /// Instances of all characters.
    pub(crate) fn instance_count(&self) -> u32 {
        self.people.iter().map(|d| d.crowd.count).sum()
    }

    /// Number of draws of people, attachments and scenery.
    pub(crate) fn draw_count(&self) -> usize {
        self.people.len() + self.attachments.len() + self.scenery.len()
    }

    /// People and scenery.
    pub(crate) fn everything(&self) -> impl Iterator<Item = &CharacterDraw> + Clone {
        self.people.iter().chain(&self.scenery)
    }

    /// Draw lists of the camera.
    pub(crate) fn camera_draw_lists(&self) -> impl Iterator<Item = &DrawLists> + Clone {
        self.all_draw_lists().map(|draw_lists| &draw_lists.camera)
    }

    /// Draw lists of the shadow map.
    pub(crate) fn shadow_draw_lists(&self) -> impl Iterator<Item = &DrawLists> + Clone {
        self.all_draw_lists().filter_map(|draw_lists| draw_lists.sun.as_ref())
    }

    fn all_draw_lists(&self) -> impl Iterator<Item = &CrowdDrawLists> + Clone {
        let drawn = self.people.iter().chain(&self.scenery);
        let carried = self.attachments.iter().filter_map(|d| d.draw_lists.as_ref());
        drawn.filter_map(|d| d.draw_lists.as_ref()).chain(carried)
    }

    fn all_draw_lists_mut(&mut self) -> impl Iterator<Item = &mut CrowdDrawLists> {
        let drawn = self.people.iter_mut().chain(&mut self.scenery);
        let carried = self.attachments.iter_mut().filter_map(|d| d.draw_lists.as_mut());
        drawn.filter_map(|d| d.draw_lists.as_mut()).chain(carried)
    }

    /// Distinct sets that contain the draw lists.
    pub(crate) fn draw_list_sets(&self) -> Vec<&DrawListSet> {
        let mut sets: Vec<&DrawListSet> = Vec::new();
        for draw_lists in self.camera_draw_lists().chain(self.shadow_draw_lists()) {
            if !sets.contains(&draw_lists.set()) {
                sets.push(draw_lists.set());
            }
        }
        sets
    }

    /// Merges all draw lists into as few sets as possible; the new lists are empty.
    pub(crate) fn merge_draw_lists(&mut self, context: &RenderContext) {
        let wanted = self.all_draw_lists().map(|draw_lists| Views {
            camera: Some(draw_lists.camera.request().clone()),
            sun: draw_lists.sun.as_ref().map(|sun| sun.request().clone()),
        });
        let made = DrawListSet::all(context, wanted.collect());
        for (draw_lists, Views { camera, sun }) in self.all_draw_lists_mut().zip(made) {
            if let Some(camera) = camera {
                (draw_lists.camera, draw_lists.sun) = (camera, sun);
            }
        }
    }

    /// Draws that are not people: attachments and scenery.
    fn props(&self) -> impl Iterator<Item = DrawParts<'_>> {
        let standing = self.scenery.iter().map(CharacterDraw::parts);
        standing.chain(self.attachments.iter().map(AttachmentCrowd::parts))
    }

    /// Draw calls, instances, vertices and bytes of one frame.
    pub(crate) fn counts(&self) -> DrawCounts {
        let mut counts = DrawCounts::default();
        for d in &self.people {
            let copies = u64::from(d.person_count());
            counts.instances += copies;
            counts.crowd_draw_calls += u32::from(d.crowd.count > 0);
            counts.triangles += copies * u64::from(d.assets.index_count / 3);
            counts.vertices += copies * u64::from(d.assets.vertex_count);
            counts.atlas_bytes += d.assets.atlas_bytes;
            counts.frame_data_bytes += d.live.as_ref().map_or(0, LiveCrowd::frame_bytes);
            counts.vram_bytes += d.assets.bytes + d.crowd.bytes;
            counts.people_bytes += d.crowd.bytes;
        }
        for DrawParts { assets, crowd } in self.props() {
            counts.prop_draw_calls += u32::from(crowd.count > 0);
            counts.prop_triangles += u64::from(crowd.count) * u64::from(assets.index_count / 3);
            counts.vram_bytes += assets.bytes + crowd.bytes;
        }
        let heroes = || self.people.iter().filter_map(|d| d.heroes.as_ref());
        counts.heroes = heroes().map(HeroCrowd::count).sum();
        let draw_lists: u64 = self.all_draw_lists().map(CrowdDrawLists::bytes).sum();
        let carried = self.attachments.iter().map(|d| d.crowd.bytes);
        counts.people_bytes += draw_lists + carried.sum::<u64>();
        counts.vram_bytes += draw_lists;
        counts.vram_bytes += heroes().map(HeroCrowd::bytes).sum::<u64>() + self.tints.bytes();
        counts
    }
}
