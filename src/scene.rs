//! A scene ready to draw: characters imported and baked, a crowd placed. Shared by every
//! front-end; knows nothing of windows or GPUs.

mod held;

use std::{path::Path, sync::Arc, time::Instant};

use crate::{
    assets,
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeError, BakeOptions, Palettes},
    config::{Config, ConfigError},
    dressing::{self, DressingKey},
    camera::ViewError,
    crowd::{
        self, Cast, CastClip, Crowd, Instance, Script,
        tints::{Ramps, TintError},
    },
    model::{Model, ModelError, PackedMesh, UnitSpace, gltf},
    stats::StartupTimes,
};

pub use held::HeldProp;

/// Why a scene cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// A character does not load.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A character does not bake.
    #[error(transparent)]
    Bake(#[from] BakeError),
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tint colour is wrong.
    #[error(transparent)]
    Tint(#[from] TintError),
    /// No such camera view.
    #[error(transparent)]
    View(#[from] ViewError),
}

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
}

impl Character {
    /// Bakes a model.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn bake(model: Model, options: &BakeOptions) -> Result<Self, BakeError> {
        let palettes = bake::bake(&model, options, &|_| {})?;
        let packed = PackedMesh::new(&model.mesh);
        let unit = UnitSpace::around(packed.bounds);
        Ok(Self {
            model,
            palettes,
            packed,
            unit,
        })
    }

    /// Encodes the atlas.
    #[must_use]
    pub fn atlas(&self, format: AtlasFormat) -> Atlas {
        Atlas::encode(&self.palettes, &self.unit, format)
    }

    /// Factor at which it stands in a crowd of `count`: 1 for anything near people's size and for a
    /// lone character; what is far larger or smaller is brought to 1.75 m, so that spacing, light
    /// and ground fit it.
    #[must_use]
    pub fn crowd_scale(&self, count: u32) -> f32 {
        let size = self.packed.bounds.size();
        let length = size.y.max(size.max_element() * 0.5);
        if count == 1 || (0.5..=4.0).contains(&length) || length <= 0.0 { 1.0 } else { 1.75 / length }
    }

    /// Ground speed of a clip, metres per second; estimated for a walk or run of a file that does
    /// not tell.
    fn clip_speed(&self, clip: &bake::BakedClip) -> f32 {
        let name = clip.name.to_lowercase();
        let travels = name.contains("walk") || name.contains("run");
        if clip.speed > 0.0 || !travels {
            return clip.speed;
        }
        bake::ground_speed(&self.model.skeleton, &self.palettes, clip)
    }

    /// What the crowd needs to know of it.
    #[must_use]
    pub fn cast(&self) -> Cast {
        let clips = self.palettes.clips.iter().map(|c| CastClip {
            name: c.name.clone(),
            frame_count: c.frame_count,
            rate: c.rate,
            duration: c.duration,
            speed: self.clip_speed(c),
        });
        Cast {
            name: self.model.name.clone(),
            clips: clips.collect(),
        }
    }
}

/// Characters and who stands where.
pub struct Scene {
    /// One draw each.
    pub characters: Vec<Arc<Character>>,
    /// Instances per character.
    pub crowd: Crowd,
    /// What the instances of each character follow.
    pub scripts: Vec<Script>,
    /// Tint colours.
    pub ramps: Ramps,
    /// 0 draws materials as they are, 1 replaces tintable ones.
    pub tint_strength: f32,
    /// What stands around: one draw each, never animated.
    pub props: Vec<Placed>,
    /// What people carry: one draw each.
    pub held: Vec<HeldProp>,
    dressing: DressingKey,
}

/// A character and its instances.
#[derive(Clone)]
pub struct Placed {
    /// What is drawn.
    pub character: Arc<Character>,
    /// Where.
    pub instances: Vec<Instance>,
}

impl Scene {
    /// Imports, bakes and places everything a configuration asks for; adds to `times`.
    ///
    /// # Errors
    /// [`SceneError`].
    pub fn load(config: &Config, times: &mut StartupTimes) -> Result<Self, SceneError> {
        let names = character_names(config);
        let start = Instant::now();
        let models = names
            .iter()
            .map(|name| load_model(name))
            .collect::<Result<Vec<_>, _>>()?;
        times.import += milliseconds(start);
        let start = Instant::now();
        let options = BakeOptions {
            rate: config.bake.rate,
        };
        let characters = models
            .into_iter()
            .map(|m| Ok(Arc::new(Character::bake(m, &options)?)))
            .collect::<Result<Vec<_>, BakeError>>()?;
        times.bake += milliseconds(start);
        let start = Instant::now();
        let mut scene = Self::populate(config, characters)?;
        scene.dress(config, None)?;
        scene.equip(config, None)?;
        times.crowd += milliseconds(start);
        Ok(scene)
    }

    /// The scene of another configuration with the same characters.
    ///
    /// # Errors
    /// As [`Scene::populate`]; [`SceneError::Model`] for props.
    pub fn repopulate(&self, config: &Config) -> Result<Self, SceneError> {
        let mut scene = Self::populate(config, self.characters.clone())?;
        scene.dress(config, Some(self))?;
        scene.equip(config, Some(self))?;
        Ok(scene)
    }

    /// Places a crowd of characters already at hand, without props.
    ///
    /// # Errors
    /// [`SceneError::Tint`] for tint colours that are not `#rrggbb`.
    pub fn populate(config: &Config, characters: Vec<Arc<Character>>) -> Result<Self, SceneError> {
        let casts: Vec<Cast> = characters.iter().map(|c| c.cast()).collect();
        let mut crowd = crowd::populate(&config.scene, &casts);
        let fits: Vec<f32> = characters.iter().map(|c| c.crowd_scale(config.scene.count)).collect();
        for (instances, &fit) in crowd.per_character.iter_mut().zip(&fits).filter(|(_, fit)| **fit != 1.0) {
            for instance in instances {
                *instance = instance.with_yaw_scale(instance.yaw(), instance.scale() * fit);
            }
        }
        let sizes = characters.iter().zip(&fits).map(|(c, &fit)| c.packed.bounds.size() * fit);
        let largest = sizes.fold(glam::Vec3::ZERO, glam::Vec3::max);
        crowd.extent.height = largest.y.max(largest.max_element() * 0.25);
        crowd.extent.breadth = largest.x.max(largest.z);
        let scripts = casts.iter().map(|cast| Script::new(&config.scene, cast, &crowd.paths));
        Ok(Self {
            scripts: scripts.collect(),
            crowd,
            ramps: Ramps::from_scene(&config.scene)?,
            tint_strength: if config.scene.count == 1 { 0.0 } else { 1.0 },
            characters,
            props: Vec::new(),
            held: Vec::new(),
            dressing: DressingKey::default(),
        })
    }

    /// Puts up the dressing, that of `before` where it is the same.
    fn dress(&mut self, config: &Config, before: Option<&Self>) -> Result<(), SceneError> {
        self.dressing = DressingKey::of(config);
        self.props = match before.filter(|scene| scene.dressing == self.dressing) {
            Some(scene) => scene.props.clone(),
            None => dressing::dress(config)?,
        };
        Ok(())
    }

    /// What import and bake had to say, prefixed with the character's name.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let of = |c: &Arc<Character>| {
            let name = c.model.name.clone();
            let size = c.packed.bounds.size().y;
            let fit = c.crowd_scale(self.crowd.extent.count);
            let scaled = (fit != 1.0).then(|| format!("{name}: {size:.2} m tall; stands at {fit:.3} of its size in the crowd"));
            scaled.into_iter().chain(c.model.notes.iter().map(move |n| format!("{name}: {n}"))).collect::<Vec<_>>()
        };
        self.characters.iter().flat_map(of).collect()
    }
}

fn character_names(config: &Config) -> Vec<String> {
    if config.scene.characters.is_empty() {
        return assets::NAMES.iter().map(|n| (*n).to_owned()).collect();
    }
    config.scene.characters.clone()
}

/// An embedded character by name, or a file.
pub(crate) fn load_model(name: &str) -> Result<Model, ModelError> {
    match assets::embedded(name) {
        Some(bytes) => gltf::load_bytes(name, bytes, None),
        None => gltf::load(Path::new(name)),
    }
}

/// Milliseconds since `start`.
#[must_use]
pub fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
