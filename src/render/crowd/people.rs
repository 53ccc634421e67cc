//! Characters, their instances, and the plans that instances follow.

use std::sync::Arc;

use crate::{
    character::Character,
    crowd::{Instance, MotionPlan, PlacedScenery, all_clips_bounds, tints::Ramps},
    gpu::GpuError,
    model::Bounds,
    render::{
        DrawMethod,
        crowd::{
            CharacterId, CrowdContents, CrowdRenderer,
            contents::{CharacterDraw, CrowdDrawLists},
        },
        passes::{
            DrawVariant,
            draw_lists::DRAW_LIST_NEAR,
            live::LiveCrowd,
            raster::{MeshCut, RasterKey, RasterMesh},
        },
        resources::{
            CharacterAssets, CrowdInstances, DrawFlags, DrawParts, actors::ActorBuffers, pose_cache::PosedFor,
        },
        stats::DrawCounts,
    },
};

/// Everything that a draw is made from.
pub(super) struct DrawSource<'a> {
    pub(super) character: &'a Arc<Character>,
    pub(super) assets: Arc<CharacterAssets>,
    pub(super) instances: &'a Arc<[Instance]>,
    pub(super) plan: &'a Arc<MotionPlan>,
    /// Bounds over all clips, for picking.
    pub(super) all_clips_bounds: Bounds,
    /// Sum of `DRAW_LIST_` bits.
    pub(super) list_kind: u32,
    pub(super) mesh: MeshSource,
    /// Rows that the instances follow, if they are actors.
    pub(super) actors: Option<&'a ActorBuffers>,
}

/// Meshlets that a draw takes over.
pub(super) enum MeshSource {
    /// None: they are cut where they are needed.
    None,
    /// Meshlets of the draw before.
    Kept(RasterMesh),
    /// Meshlets that were cut for these people.
    Cut(MeshCut),
}

impl MeshSource {
    /// Meshlets of the draw before, if they suit so many people.
    fn kept(before: &CharacterDraw, people: usize) -> Self {
        let lists = before.draw_lists.as_ref();
        let mesh = lists.and_then(|lists| lists.raster.clone());
        mesh.filter(|mesh| mesh.suits(people as u32))
            .map_or(Self::None, Self::Kept)
    }
}

impl CrowdRenderer {
    /// Uploads a character without instances. Each character takes one draw call.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if its animation does not fit the device, [`GpuError::Shader`].
    pub fn add_character(&mut self, character: impl Into<Arc<Character>>) -> Result<CharacterId, GpuError> {
        let character = character.into();
        let (gpu, method) = (&self.context.gpu, self.options.method);
        let mut others = self.contents.people.iter();
        let peer = others.find(|other| {
            other.assets.method == method.in_use() && CharacterAssets::share_atlas(method, &character, &other.character)
        });
        let assets = match peer {
            Some(peer) => CharacterAssets::upload_with_atlas_of(&peer.assets, gpu, &character, method)?,
            None => CharacterAssets::upload(gpu, &character, method)?,
        };
        let bounds = all_clips_bounds(&character);
        let drawn = self.place(DrawSource {
            character: &character,
            assets: Arc::new(assets),
            instances: &Arc::from([]),
            plan: &Arc::default(),
            all_clips_bounds: bounds,
            list_kind: 0,
            mesh: MeshSource::None,
            actors: None,
        })?;
        self.contents.people.push(drawn);
        Ok(CharacterId(self.contents.people.len() - 1))
    }

    /// Draw of the actors of a character: as many instances as there are slots.
    pub(super) fn place_actors(
        &mut self,
        of: CharacterId,
        looks: &[Instance],
        actors: &ActorBuffers,
    ) -> Result<CharacterDraw, GpuError> {
        let before = &self.contents.people[of.0];
        let (character, assets) = (before.character.clone(), before.assets.clone());
        let mesh = MeshSource::kept(before, looks.len());
        let all_clips_bounds = before.all_clips_bounds;
        self.place(DrawSource {
            character: &character,
            assets,
            instances: &looks.into(),
            plan: &Arc::default(),
            all_clips_bounds,
            list_kind: 0,
            mesh,
            actors: Some(actors),
        })
    }

    /// Replaces all instances of a character. They follow the character's plan; by default there is none, and each
    /// loops their own clip where they stand. Heroes of the character and all attachments are removed, since an index
    /// means another person now.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for more than the device can bind, [`GpuError::Actors`] for actors, whom their handle
    /// changes; the instances before stay.
    pub fn set_instances(&mut self, id: CharacterId, instances: &[Instance]) -> Result<(), GpuError> {
        match self.contents.people.get(id.0).map(|d| d.plan.clone()) {
            Some(plan) => self.replace(id, instances.into(), plan),
            None => Ok(()),
        }
    }

    /// Places people with a motion plan that the GPU evaluates: behaviours by group, and paths.
    ///
    /// # Errors
    /// As [`CrowdRenderer::set_instances`].
    pub fn set_crowd(&mut self, id: CharacterId, instances: &[Instance], plan: &MotionPlan) -> Result<(), GpuError> {
        self.replace(id, instances.into(), Arc::new(plan.clone()))
    }

    /// Overwrites instances from number `first` on, for frames prepared from now on. Instances past the last are left
    /// out, and so are those of actors. Returns how many were written.
    pub fn write_instances(&mut self, id: CharacterId, first: u32, instances: &[Instance]) -> u32 {
        let drawn = self
            .contents
            .people
            .get_mut(id.0)
            .filter(|drawn| drawn.actors.is_none());
        let Some(drawn) = drawn else {
            return 0;
        };
        let all = Arc::make_mut(&mut drawn.instances);
        let Some(place) = all.get_mut(first as usize..) else {
            return 0;
        };
        let count = place.len().min(instances.len());
        let written = &instances[..count];
        place[..count].copy_from_slice(written);
        drawn.crowd.write(&self.context.gpu, first, written);
        if let Some(live) = &mut drawn.live {
            live.write(first, written);
        }
        if let Some(heroes) = &mut drawn.heroes {
            heroes.update_instances(&drawn.instances);
        }
        count as u32
    }

    /// Sets the colours of tintable materials, chosen by the four indices of [`Instance::tint`]. `strength` 0 keeps a
    /// material's own colour (as before the first call), 1 replaces it.
    pub fn set_tints(&mut self, ramps: &Ramps, strength: f32) {
        self.contents.tints.write(&self.context.gpu, ramps, strength);
    }

    /// Adds scenery: drawn in its rest pose, never animated.
    ///
    /// # Errors
    /// As [`CrowdRenderer::add_character`] and [`CrowdRenderer::set_instances`].
    pub fn add_scenery(&mut self, character: &Arc<Character>, instances: &[Instance]) -> Result<(), GpuError> {
        let assets = CharacterAssets::upload(&self.context.gpu, character, DrawMethod::REST_POSE)?;
        let drawn = self.place(DrawSource {
            character,
            assets: Arc::new(assets),
            instances: &instances.into(),
            plan: &Arc::default(),
            all_clips_bounds: Bounds::EMPTY,
            list_kind: DRAW_LIST_NEAR,
            mesh: MeshSource::None,
            actors: None,
        })?;
        self.contents.scenery.push(drawn);
        Ok(())
    }

    /// Replaces all scenery. Draws stay where both have the same character and instances.
    ///
    /// # Errors
    /// As [`CrowdRenderer::add_scenery`]; some of the scenery may be missing then.
    pub fn set_scenery(&mut self, scenery: &[PlacedScenery]) -> Result<(), GpuError> {
        let mut before = std::mem::take(&mut self.contents.scenery);
        for placed in scenery {
            let is_same = |drawn: &CharacterDraw| {
                Arc::ptr_eq(&drawn.character, &placed.character) && *drawn.instances == *placed.instances
            };
            match before.iter().position(is_same) {
                Some(place) => self.contents.scenery.push(before.swap_remove(place)),
                None => self.add_scenery(&placed.character, &placed.instances)?,
            }
        }
        self.invalidate_lists();
        Ok(())
    }

    /// Instances of all characters.
    #[must_use]
    pub fn instance_count(&self) -> u32 {
        self.contents.instance_count()
    }

    /// Draw counts of a frame, and bytes of characters, instances, the shadow map and the crowd's shadows on the ground.
    #[must_use]
    pub fn counts(&self) -> DrawCounts {
        let mut counts = self.contents.counts();
        counts.vram_bytes += self.passes.shadow.bytes() + self.bindings.crowd_shadow_grid.size();
        counts.vram_bytes += self.buffers.bytes();
        counts
    }

    /// Handle of all contents, for [`CrowdRenderer::restore`].
    #[must_use]
    pub fn contents(&self) -> CrowdContents {
        self.contents.clone()
    }

    /// Takes all contents out; the crowd is empty afterwards.
    #[must_use]
    pub fn take(&mut self) -> CrowdContents {
        std::mem::replace(&mut self.contents, CrowdContents::empty(&self.context.gpu))
    }

    /// Restores contents taken out of this renderer, in place of the present ones.
    pub fn restore(&mut self, contents: CrowdContents) {
        self.invalidate_lists();
        self.contents = contents;
    }

    fn replace(&mut self, id: CharacterId, instances: Arc<[Instance]>, plan: Arc<MotionPlan>) -> Result<(), GpuError> {
        let Some(before) = self.contents.people.get(id.0) else {
            return Ok(());
        };
        if before.actors.is_some() {
            return Err(GpuError::Actors { character: id.0 });
        }
        let (character, assets) = (before.character.clone(), before.assets.clone());
        let bounds = before.all_clips_bounds;
        let mesh = MeshSource::kept(before, instances.len());
        let drawn = self.place(DrawSource {
            character: &character,
            assets,
            instances: &instances,
            plan: &plan,
            all_clips_bounds: bounds,
            list_kind: 0,
            mesh,
            actors: None,
        })?;
        self.contents.people[id.0] = drawn;
        self.contents.attachments.clear();
        Ok(())
    }

    pub(super) fn place(&mut self, source: DrawSource<'_>) -> Result<CharacterDraw, GpuError> {
        let DrawSource {
            character,
            assets,
            instances,
            plan,
            all_clips_bounds,
            list_kind,
            mesh,
            actors,
        } = source;
        let selects = self.options.selects();
        self.invalidate_lists();
        let mut variant = DrawVariant::of(&assets);
        variant.flags.set(DrawFlags::LISTED, selects);
        variant.flags.set(DrawFlags::ACTORS, actors.is_some());
        let (context, passes) = (&self.context, &mut self.passes);
        if plan.recolors() {
            passes.animate.prepare_recolored(context)?;
        }
        let raster = passes.raster.as_mut().filter(|_| !instances.is_empty());
        let vertex_cache_pipeline = raster.map(|raster| raster.vertex_cache_pipeline(context, variant));
        let vertex_cache_pipeline = vertex_cache_pipeline.transpose()?.flatten();
        let posed_for = match selects {
            true => PosedFor::Listed {
                sun: self.options.shadow_size > 0,
            },
            false => PosedFor::Everyone,
        };
        let tints = &self.contents.tints;
        let mut crowd = CrowdInstances::upload_for(context, &assets, posed_for, instances, plan, tints)?;
        if let Some(actors) = actors {
            crowd.follow_actors(context, &assets, actors);
        }
        let mesh = || {
            let vertex_cache_pipeline = vertex_cache_pipeline
                .as_ref()
                .map(|vertex_cache_pipeline| (vertex_cache_pipeline, [&self.bindings.frame, &crowd.character]));
            let mesh_cut = match mesh {
                MeshSource::Kept(mesh) => return Ok(mesh),
                MeshSource::Cut(mesh_cut) => mesh_cut,
                MeshSource::None => MeshCut::of(character, &assets, crowd.count),
            };
            RasterMesh::new(context, character, mesh_cut, vertex_cache_pipeline)
        };
        let drawn = DrawParts {
            assets: &assets,
            crowd: &crowd,
        };
        let view_set = self.view_set();
        let draw_lists = selects.then(|| CrowdDrawLists::new(context, drawn, list_kind, view_set, mesh));
        let draw_lists = draw_lists.transpose()?.flatten();
        let mesh = draw_lists.as_ref().and_then(|draw_lists| draw_lists.raster.as_ref());
        let drawing = RasterKey::of(variant, mesh);
        let posed: Vec<_> = crowd.poses.iter().map(|poses| poses.variant).collect();
        self.compile(&[drawing], &posed)?;
        let context = &self.context;
        Ok(CharacterDraw {
            draw_lists,
            live: LiveCrowd::new(context, character, instances, plan, &crowd),
            character: character.clone(),
            assets,
            instances: instances.clone(),
            plan: plan.clone(),
            crowd,
            variant,
            heroes: None,
            actors: None,
            all_clips_bounds,
        })
    }
}
