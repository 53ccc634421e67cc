//! A scene ready to draw: characters imported and baked, a crowd placed. Shared by every
//! front-end; knows nothing of windows or GPUs.

mod held;
mod heroes;
mod pick;

use std::{
    borrow::Cow,
    path::Path,
    sync::{Arc, OnceLock},
    time::Instant,
};

use rayon::prelude::*;

use crate::{
    assets,
    atlas::{
        Atlas, AtlasFormat, VertexAtlas, caution,
        file::{self, Opened},
    },
    bake::{self, BakeError, BakeOptions, Palettes},
    camera::ViewError,
    config::{Config, ConfigError, Technique},
    crowd::{
        self, Cast, CastClip, Clock, Crowd, CrowdExtent, Instance, Script,
        heroes::Hero,
        tints::{Ramps, TintError},
    },
    dressing::{self, DressingKey},
    model::{Bounds, Model, ModelError, PackedMesh, UnitSpace},
    stats::StartupTimes,
};

pub use held::HeldProp;
pub use pick::{Candidate, Selected, whole_box};

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
    /// The atlas of a baked file, used as it is.
    stored: Option<Atlas>,
    /// The baked vertices of a baked file.
    stored_vertices: Option<VertexAtlas>,
    /// Why trs16 does not do, once asked.
    trs16_misfit: OnceLock<Option<String>>,
}

impl Character {
    /// Bakes a model; clips that travel are taken in place first.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn bake(mut model: Model, options: &BakeOptions) -> Result<Self, BakeError> {
        let travels = bake::extract_root_motion(&mut model);
        model.notes.extend(travels);
        let palettes = bake::bake(&model, options, &|_| {})?;
        let packed = PackedMesh::new(&model.mesh);
        let unit = UnitSpace::around(packed.bounds);
        Ok(Self {
            model,
            palettes,
            packed,
            unit,
            stored: None,
            stored_vertices: None,
            trs16_misfit: OnceLock::new(),
        })
    }

    /// Takes a baked file's frames as they are; bakes a raw one.
    ///
    /// # Errors
    /// [`BakeError`].
    pub fn from_opened(opened: Opened, options: &BakeOptions) -> Result<Self, BakeError> {
        let Opened { model, atlas, vertices } = opened;
        let Some(atlas) = atlas else {
            return Self::bake(model, options);
        };
        Ok(Self {
            palettes: atlas.to_palettes(&model),
            packed: PackedMesh::new(&model.mesh),
            unit: atlas.unit,
            stored: Some(atlas),
            stored_vertices: vertices,
            trs16_misfit: OnceLock::new(),
            model,
        })
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
        if format != AtlasFormat::Trs16 {
            return None;
        }
        let misfit = || caution::trs16_misfit(&self.model, &self.palettes);
        self.trs16_misfit.get_or_init(misfit).as_deref()
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
    fn reach(&self, clip: u16) -> Bounds {
        let rest = self.packed.bounds;
        let clips = &self.palettes.clips;
        let Some(clip) = clips.get(usize::from(clip)).or(clips.last()) else {
            return rest;
        };
        let all = clip.bounds;
        let room = glam::Vec3::splat(0.5 * rest.size().max_element());
        let near = Bounds {
            min: all.min.max(rest.min - room),
            max: all.max.min(rest.max + room),
        };
        // Played mostly elsewhere, a slice would be left.
        let enough = 0.5 * rest.size().min(all.size());
        if near.size().cmpge(enough).all() { near } else { all }
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
    /// Who is posed live from the start: the scene's `heroes`.
    pub heroes: Vec<Hero>,
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
        let opened = in_parallel(names, |name| open_to_draw(&name))?;
        times.import += milliseconds(start);
        let start = Instant::now();
        let options = BakeOptions { rate: config.bake.rate };
        let characters = in_parallel(opened, |o| Character::from_opened(o, &options).map(Arc::new))?;
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
        for (instances, &fit) in crowd
            .per_character
            .iter_mut()
            .zip(&fits)
            .filter(|(_, fit)| **fit != 1.0)
        {
            for instance in instances {
                *instance = instance.with_yaw_scale(instance.yaw(), instance.scale() * fit);
            }
        }
        let sizes = characters
            .iter()
            .zip(&fits)
            .map(|(c, &fit)| c.packed.bounds.size() * fit);
        let largest = sizes.fold(glam::Vec3::ZERO, glam::Vec3::max);
        crowd.extent.height = largest.y.max(largest.max_element() * 0.25);
        crowd.extent.breadth = largest.x.max(largest.z);
        if config.scene.count == 1 {
            let somebody = characters.iter().zip(&crowd.per_character);
            let lone = somebody.filter_map(|(c, instances)| Some(c.reach(instances.first()?.clip())));
            crowd.extent.reach = lone.fold(Bounds::EMPTY, Bounds::union);
        }
        let scripts = casts
            .iter()
            .map(|cast| Script::new(&config.scene, cast, &casts, &crowd.paths));
        let scripts: Vec<Script> = scripts.collect();
        let heroes = heroes::cast(&config.scene, &characters, &crowd, &scripts, &casts);
        Ok(Self {
            heroes,
            scripts,
            crowd,
            ramps: Ramps::from_scene(&config.scene)?,
            tint_strength: if config.scene.count == 1 { 0.0 } else { 1.0 },
            characters,
            props: Vec::new(),
            held: Vec::new(),
            dressing: DressingKey::default(),
        })
    }

    /// The room that the crowd takes at a moment, seconds: that of the start, moved as far as those
    /// have come who march. What views of a whole crowd frame.
    #[must_use]
    pub fn extent_at(&self, seconds: f64) -> CrowdExtent {
        let extent = self.crowd.extent;
        let clock = Clock::from_seconds(seconds);
        let somebody = self.scripts.iter().zip(&self.crowd.per_character).zip(&self.characters);
        let marching = somebody.filter(|((script, _), _)| script.schedule.groups.iter().any(|group| group.path > 0));
        let mut poses = marching.filter_map(|((script, instances), character)| {
            let index = instances.iter().position(|instance| script.marches(instance))?;
            let instance = &instances[index];
            let pose = script.pose(index as u32, instance, &character.cast().clips, clock);
            Some((pose.position - glam::Vec3::from(instance.position), pose.yaw))
        });
        let Some((by, yaw)) = poses.next() else { return extent };
        CrowdExtent {
            min: extent.min + by,
            max: extent.max + by,
            subject: extent.subject + by,
            subject_yaw: yaw,
            ..extent
        }
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

    /// Who does not fit into the format that they are drawn from, and why.
    pub fn cautions(&self, technique: Technique, format: AtlasFormat) -> impl Iterator<Item = String> {
        let reads_format = technique == Technique::Matrix;
        let drawn = self.characters.iter().filter(move |_| reads_format);
        drawn.filter_map(move |c| Some(format!("{}: {}", c.model.name, c.caution(format)?)))
    }

    /// What import and bake had to say, prefixed with the character's name.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let of = |c: &Arc<Character>| {
            let name = c.model.name.clone();
            let size = c.packed.bounds.size().y;
            let fit = c.crowd_scale(self.crowd.extent.count);
            let scaled =
                (fit != 1.0).then(|| format!("{name}: {size:.2} m tall; stands at {fit:.3} of its size in the crowd"));
            scaled
                .into_iter()
                .chain(c.model.all_notes().map(move |n| format!("{name}: {n}")))
                .collect::<Vec<_>>()
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

/// An embedded character by name, or a file, raw or baked.
///
/// # Errors
/// As [`file::open`].
pub fn open_model(name: &str) -> Result<Opened, ModelError> {
    match assets::embedded(name) {
        Some(bytes) => file::open_bytes(name, bytes, None),
        None => file::open(Path::new(name)),
    }
}

/// The same, with only what drawing needs of a baked file.
fn open_to_draw(name: &str) -> Result<Opened, ModelError> {
    match assets::embedded(name) {
        Some(bytes) => file::open_bytes(name, bytes, None),
        None => file::open_to_draw(Path::new(name)),
    }
}

/// Applies `f` to every item on all cores; of several errors, the first item's.
fn in_parallel<T: Send, U: Send, E: Send>(
    items: Vec<T>,
    f: impl Fn(T) -> Result<U, E> + Send + Sync,
) -> Result<Vec<U>, E> {
    let done: Vec<Result<U, E>> = items.into_par_iter().map(f).collect();
    done.into_iter().collect()
}

/// Milliseconds since `start`.
#[must_use]
pub fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
