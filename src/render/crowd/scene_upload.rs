//! Upload of the characters and the scenery of a scene.
//!
//! A first picture waits for it. All characters are encoded in parallel, and the driver compiles their pipelines
//! meanwhile.

use std::sync::Arc;

use crate::{
    character::Character,
    crowd::{Instance, MotionPlan, SceneContents, all_clips_bounds},
    gpu::GpuError,
    model::Bounds,
    render::{
        DrawMethod, RenderContext,
        crowd::{
            CrowdRenderer,
            contents::MeshletPolicy,
            people::{DrawSource, MeshSource},
        },
        passes::{
            DrawVariant,
            draw_lists::DRAW_LIST_NEAR,
            raster::{MeshCut, RasterKey},
        },
        resources::{CharacterAssets, DrawFlags},
    },
};

/// Character or piece of scenery with its instances, before it is uploaded.
struct NewDraw<'a> {
    character: &'a Arc<Character>,
    method: DrawMethod,
    instances: &'a [Instance],
    plan: Arc<MotionPlan>,
    is_scenery: bool,
}

/// Character or piece of scenery whose instances are not uploaded yet.
struct UploadedDraw {
    assets: Arc<CharacterAssets>,
    mesh: MeshSource,
    /// Bounds over all clips, for picking; empty for scenery.
    all_clips_bounds: Bounds,
}

impl CrowdRenderer {
    /// Adds characters and scenery of a scene with their instances.
    ///
    /// # Errors
    /// As [`CrowdRenderer::add_character`] and [`CrowdRenderer::set_instances`].
    pub(crate) fn add_scene(&mut self, scene: &SceneContents<'_>) -> Result<(), GpuError> {
        let draws = self.new_draws(scene);
        let keys = self.expected_keys(&draws, scene);
        let meshlets = self.meshlet_policy();
        let (context, passes, options) = (&self.context, &mut self.passes, self.options);
        let ((), uploaded) = context.gpu.run_parallel((
            || passes.compile_ahead(context, options, &keys),
            || upload_all(context, &draws, meshlets),
        ))?;
        for (draw, uploaded) in draws.into_iter().zip(uploaded) {
            let drawn = self.place(DrawSource {
                character: draw.character,
                assets: uploaded.assets,
                instances: &draw.instances.into(),
                plan: &draw.plan,
                all_clips_bounds: uploaded.all_clips_bounds,
                list_kind: if draw.is_scenery { DRAW_LIST_NEAR } else { 0 },
                mesh: uploaded.mesh,
                actors: None,
            })?;
            match draw.is_scenery {
                true => self.contents.scenery.push(drawn),
                false => self.contents.people.push(drawn),
            }
        }
        Ok(())
    }

    fn new_draws<'a>(&self, scene: &SceneContents<'a>) -> Vec<NewDraw<'a>> {
        let people = scene.characters.iter().enumerate().map(|(number, character)| NewDraw {
            character,
            method: self.options.method,
            instances: scene.instances.get(number).map_or(&[], |instances| &instances[..]),
            plan: scene.plans.get(number).cloned().unwrap_or_default().into(),
            is_scenery: false,
        });
        let scenery = scene.scenery.iter().map(|placed| NewDraw {
            character: &placed.character,
            method: DrawMethod::REST_POSE,
            instances: &placed.instances,
            plan: Arc::default(),
            is_scenery: true,
        });
        people.chain(scenery).collect()
    }

    /// Keys of the pipelines that a scene will most probably need. A wrong guess costs time alone: what is missing
    /// compiles when everything is uploaded.
    fn expected_keys(&self, draws: &[NewDraw<'_>], scene: &SceneContents<'_>) -> Vec<RasterKey> {
        let selects = self.options.selects();
        let draws = draws.iter().filter(|draw| !draw.instances.is_empty()).map(|draw| {
            let mut variant = DrawVariant::expected(draw.character, draw.method);
            variant.flags.set(DrawFlags::LISTED, selects);
            self.expected_key(variant, draw.instances.len() as u32)
        });
        let attachments = scene.attachments.iter().map(|kind| {
            let mut variant = DrawVariant::expected(&kind.prop, DrawMethod::REST_POSE).with(DrawFlags::ATTACHMENT);
            variant.flags.set(DrawFlags::LISTED, selects);
            let carriers = kind.carriers.iter().map(|carriers| carriers.len() as u32);
            self.expected_key(variant, carriers.sum())
        });
        draws.chain(attachments).collect()
    }

    fn expected_key(&self, variant: DrawVariant, people: u32) -> RasterKey {
        let has_meshlets = variant.has(DrawFlags::LISTED) && self.meshlet_policy().cuts(variant);
        RasterKey::expected(&self.context.gpu, variant, has_meshlets.then_some(people))
    }
}

/// Uploads all draws. Characters that share an atlas wait for the first of them.
fn upload_all(
    context: &RenderContext,
    draws: &[NewDraw<'_>],
    meshlets: MeshletPolicy,
) -> Result<Vec<UploadedDraw>, GpuError> {
    let peer_of = |number: usize| {
        let draw = &draws[number];
        draws[..number].iter().position(|other| {
            other.method == draw.method && CharacterAssets::share_atlas(draw.method, draw.character, other.character)
        })
    };
    let (followers, firsts): (Vec<_>, Vec<_>) = (0..draws.len()).partition(|&number| peer_of(number).is_some());
    let gpu = &context.gpu;
    let upload = |number: usize, peer| Ok((number, upload(context, &draws[number], meshlets, peer)?));
    let mut uploaded = gpu.map_in_parallel(&firsts, |&number| upload(number, None))?;
    let followers = gpu.map_in_parallel(&followers, |&number| {
        let peer = uploaded.iter().find(|(other, _)| Some(*other) == peer_of(number));
        upload(number, peer.map(|(_, peer)| &*peer.assets))
    })?;
    uploaded.extend(followers);
    uploaded.sort_by_key(|(number, _)| *number);
    Ok(uploaded.into_iter().map(|(_, uploaded)| uploaded).collect())
}

/// Uploads a draw and cuts its meshlets. `peer` lends its atlas.
fn upload(
    context: &RenderContext,
    draw: &NewDraw<'_>,
    meshlets: MeshletPolicy,
    peer: Option<&CharacterAssets>,
) -> Result<UploadedDraw, GpuError> {
    let (gpu, character) = (&context.gpu, draw.character);
    let what = format!("the character {}", character.model.name);
    let hint = "use fewer characters, or smaller textures";
    let assets = gpu.ensure_memory(&what, hint, || match peer {
        Some(peer) => CharacterAssets::upload_with_atlas_of(peer, gpu, character, draw.method),
        None => CharacterAssets::upload(gpu, character, draw.method),
    })??;
    let cuts = !draw.instances.is_empty() && meshlets.cuts(DrawVariant::of(&assets));
    Ok(UploadedDraw {
        mesh: match cuts {
            true => MeshSource::Cut(MeshCut::of(character, &assets, draw.instances.len() as u32)),
            false => MeshSource::None,
        },
        all_clips_bounds: match draw.is_scenery {
            true => Bounds::EMPTY,
            false => all_clips_bounds(character),
        },
        assets: Arc::new(assets),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Raster, Technique},
        crowd::{
            Attachment, AttachmentKind, PlacedScenery,
            tints::{RAMP_LEN, REGIONS, Ramps},
        },
        gpu::{AdapterChoice, Gpu},
        render::{
            CrowdOptions, DepthTarget, Targets,
            crowd::draw_list::{Draw, DrawList},
        },
    };

    const TARGETS: Targets = Targets {
        color: wgpu::TextureFormat::Rgba16Float,
        depth: DepthTarget::reversed(wgpu::TextureFormat::Depth32Float),
        samples: 1,
    };

    fn gpu() -> Option<Gpu> {
        match Gpu::headless(&AdapterChoice::Cpu).or_else(|_| Gpu::headless(&AdapterChoice::Auto)) {
            Ok(gpu) => Some(gpu),
            Err(GpuError::NoAdapter | GpuError::NoSuchAdapter { .. }) => {
                let promised = std::env::var_os("THRONG_REQUIRE_GPU").is_some_and(|value| value == "1");
                assert!(!promised, "THRONG_REQUIRE_GPU is set, but there is no adapter");
                eprintln!("SKIPPED: no adapter");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn open(name: &str) -> Arc<Character> {
        let path = format!("{}/assets/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        Character::open(path).expect("opens").into()
    }

    #[test]
    fn expected_variants_are_those_of_uploaded_characters() {
        let Some(gpu) = gpu() else { return };
        for character in ["knight", "man"].map(open) {
            for &technique in Technique::ALL {
                let method = DrawMethod {
                    technique,
                    ..CrowdOptions::default().method
                };
                let assets = CharacterAssets::upload(&gpu, &character, method).expect("fits");
                let expected = DrawVariant::expected(&character, method);
                assert_eq!(expected, DrawVariant::of(&assets), "{technique:?}");
            }
        }
    }

    #[test]
    fn expected_pipelines_are_those_that_a_scene_draws_with() {
        let Some(gpu) = gpu() else { return };
        let characters = ["knight", "man"].map(open);
        let scene = SceneContents {
            characters: &characters,
            instances: &[vec![Instance::default(); 3], vec![Instance::default(); 1200]],
            plans: &[MotionPlan::default(), MotionPlan::default()],
            scenery: &[PlacedScenery {
                character: characters[0].clone(),
                instances: vec![Instance::default()],
            }],
            attachments: &[AttachmentKind {
                mesh: "sword".into(),
                prop: open("sword"),
                carriers: vec![vec![Attachment::default(); 3], Vec::new()],
            }],
            heroes: &[],
            ramps: &Ramps {
                colours: [[0; RAMP_LEN]; REGIONS],
            },
            tint_strength: 0.0,
        };
        for raster in [Raster::Hardware, Raster::Compute] {
            let options = CrowdOptions {
                raster,
                shadow_size: 256,
                ..CrowdOptions::default()
            };
            let mut crowd = CrowdRenderer::with_options(&gpu, TARGETS, options).expect("compiles");
            let expected = crowd.expected_keys(&crowd.new_draws(&scene), &scene);
            crowd.add_scene(&scene).expect("fits");
            crowd.set_attachments(scene.attachments).expect("fits");
            let keys: Vec<RasterKey> = DrawList::of(&crowd.contents).iter().map(Draw::key).collect();
            assert_eq!(keys.len(), 4);
            assert!(
                keys.iter().all(|key| expected.contains(key)),
                "{raster:?}: {expected:?}, {keys:?}"
            );
        }
    }
}
