//! A scene ready to draw: characters imported and baked, a crowd placed. Every front end shares it; it knows nothing
//! of windows or GPUs.

mod attachments;
pub mod embedded;
mod empty;
mod heroes;
mod kinds;
mod layouts;
mod lods;
mod open;
mod person_track;
mod pick;
mod populate;
mod posed;
mod progress;
mod roles;
pub mod scenery;
#[cfg(feature = "tracks")]
mod track_color;
#[cfg(feature = "tracks")]
mod trajectories;
mod unsupported_requests;
#[cfg(feature = "tracks")]
mod vehicles;
mod views;

pub use crate::{
    crowd::{AttachmentKind, PersonRef, PickCandidate, PlacedScenery, all_clips_bounds},
    report::{StartupTimes, Warning},
};
pub use layouts::{Placement, count_in_layout, paths as layout_paths, place};
pub use lods::LodMaker;
#[cfg(feature = "app")]
pub(crate) use open::animations_of;
pub use open::{character, is_bare_word, open_animated, open_animations, open_model};
pub use person_track::PersonTrack;
pub use populate::{Crowd, TintError, TintSpan, TintSpans, motion_plan, populate};
pub use posed::PosedPerson;
pub use progress::Progress;
#[cfg(feature = "tracks")]
pub use track_color::{TrackColors, track_color};
#[cfg(feature = "tracks")]
pub use trajectories::{ShownTracks, live_revision};
pub use views::{ViewError, vertical_fov};

use std::{path::PathBuf, sync::Arc};

use glam::Vec3;
use web_time::Instant;

use crate::{
    atlas::{AtlasFormat, FramePlacement},
    bake::BakeError,
    character::{Character, from_all_opened, in_parallel},
    config::{BakeConfig, Config, ConfigError, GroundContact},
    crowd::{CrowdCharacter, CrowdExtent, MotionPlan, SceneContents, clock::Clock, heroes::Hero, tints::Ramps},
    file::ModelError,
    model::Bounds,
};

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
    /// A file of trajectories cannot be read.
    #[cfg(feature = "tracks")]
    #[error(transparent)]
    Tracks(#[from] crate::tracks::TrackError),
    /// A clip that no character has.
    #[error("no character has a clip {name:?}; available: {known}")]
    Clip {
        /// Name as given.
        name: String,
        /// Names of the clips that there are.
        known: String,
    },
}

/// Characters, the instances of each, and everything else that a frame draws.
pub struct Scene {
    /// Characters; one draw each. Vehicles of trajectories come last.
    pub characters: Vec<Arc<Character>>,
    /// Number of characters at the end of `characters` that are vehicles.
    pub vehicle_kinds: usize,
    /// Instances per character.
    pub crowd: Crowd,
    /// Data of each character that placement and motion need.
    pub casts: Vec<CrowdCharacter>,
    /// Motion plan of the instances of each character.
    pub plans: Vec<MotionPlan>,
    /// Tint colours, as ramps.
    pub ramps: Ramps,
    /// Strength of tints, 0..=1: 0 draws materials as they are, 1 replaces the colours of tintable ones.
    pub tint_strength: f32,
    /// Scenery; one draw each, never animated.
    pub props: Vec<PlacedScenery>,
    /// Attachments; one draw for each kind.
    pub attachments: Vec<AttachmentKind>,
    /// Heroes that the scene's `heroes` select.
    pub heroes: Vec<Hero>,
    /// Warnings of unsupported requests of the configuration.
    unsupported_requests: Vec<Warning>,
    scenery_key: scenery::SceneryKey,
    /// Trajectories that people follow, if any.
    #[cfg(feature = "tracks")]
    pub tracks: Option<Arc<ShownTracks>>,
    /// Part of the characters that touches the ground.
    ground: GroundContact,
}

impl<'a> From<&'a Scene> for SceneContents<'a> {
    fn from(scene: &'a Scene) -> Self {
        Self {
            characters: &scene.characters,
            instances: &scene.crowd.per_character,
            plans: &scene.plans,
            scenery: &scene.props,
            attachments: &scene.attachments,
            heroes: &scene.heroes,
            ramps: &scene.ramps,
            tint_strength: scene.tint_strength,
        }
    }
}

impl<'a> From<&'a Arc<Scene>> for SceneContents<'a> {
    fn from(scene: &'a Arc<Scene>) -> Self {
        Self::from(&**scene)
    }
}

impl Scene {
    /// Imports, bakes and places everything that a configuration asks for; adds the durations to `times`.
    ///
    /// # Errors
    /// [`SceneError`].
    pub fn load(config: &Config, times: &mut StartupTimes) -> Result<Self, SceneError> {
        Self::load_with_progress(config, times, &Progress::default())
    }

    /// Loads as [`Scene::load`] and counts the people placed in `progress`.
    ///
    /// # Errors
    /// [`SceneError`].
    pub fn load_with_progress(
        config: &Config,
        times: &mut StartupTimes,
        progress: &Progress,
    ) -> Result<Self, SceneError> {
        let names = character_names(config);
        let start = Instant::now();
        let animations = open::animations_of(&config.scene)?;
        let mut opened = in_parallel(names.clone(), |name| open::open_to_draw(&name, &animations))?;
        open::tell_apart(&mut opened, &names);
        for opened in &mut opened {
            let has_frames = opened.atlas.is_some();
            roles::assign(&mut opened.model.skeleton, &config.scene.joint_roles, has_frames);
        }
        times.import += milliseconds(start);
        let start = Instant::now();
        let placement = frame_placement(config);
        let characters = from_all_opened(opened, placement)?;
        let characters: Vec<Arc<Character>> = characters.into_iter().map(Arc::new).collect();
        times.bake += milliseconds(start);
        let start = Instant::now();
        let scene = Self::with_characters(config, characters, progress)?;
        times.crowd += milliseconds(start);
        Ok(scene)
    }

    /// Places everything that a configuration asks for around loaded characters, whichever it names: a host's own, or
    /// files that are not on a disk.
    ///
    /// # Errors
    /// As [`Scene::populate`]; [`SceneError::Model`] for props.
    pub fn with_characters(
        config: &Config,
        characters: Vec<Arc<Character>>,
        progress: &Progress,
    ) -> Result<Self, SceneError> {
        Self::furnished(config, characters, progress, None)
    }

    /// Makes the scene of another configuration from the same characters.
    ///
    /// # Errors
    /// As [`Scene::with_characters`].
    pub fn repopulate(&self, config: &Config, progress: &Progress) -> Result<Self, SceneError> {
        Self::furnished(config, self.people_characters().to_vec(), progress, Some(self))
    }

    /// Places a crowd of loaded characters with scenery and attachments; reuses what it can of `before`.
    fn furnished(
        config: &Config,
        characters: Vec<Arc<Character>>,
        progress: &Progress,
        before: Option<&Self>,
    ) -> Result<Self, SceneError> {
        let (roomy, spread) = populate::roomy(config, &characters);
        let mut scene = Self::populate_with_progress(&roomy, characters, progress, before)?;
        scene.place_scenery(&roomy, before)?;
        scene.equip(&roomy, before)?;
        scene.unsupported_requests.extend(spread);
        Ok(scene)
    }

    /// Places a crowd of loaded characters, without scenery and attachments.
    ///
    /// # Errors
    /// [`SceneError::Tint`] for tint colours that are not `#rrggbb`.
    pub fn populate(config: &Config, characters: Vec<Arc<Character>>) -> Result<Self, SceneError> {
        let (roomy, spread) = populate::roomy(config, &characters);
        let mut scene = Self::populate_with_progress(&roomy, characters, &Progress::default(), None)?;
        scene.unsupported_requests.extend(spread);
        Ok(scene)
    }

    fn populate_with_progress(
        config: &Config,
        characters: Vec<Arc<Character>>,
        progress: &Progress,
        before: Option<&Self>,
    ) -> Result<Self, SceneError> {
        #[cfg(feature = "tracks")]
        let tracks = ShownTracks::of(config, before.and_then(|scene| scene.tracks.as_ref()))?;
        let people_kinds = characters.len();
        #[cfg(feature = "tracks")]
        let characters = match &tracks {
            Some(tracks) => tracks.with_vehicles(characters)?,
            None => characters,
        };
        #[cfg(feature = "tracks")]
        let own = tracks.as_ref().map(|tracks| tracks.scene_of(config));
        #[cfg(feature = "tracks")]
        let config = own.as_ref().unwrap_or(config);
        #[cfg(not(feature = "tracks"))]
        let _ = before;
        let casts: Vec<CrowdCharacter> = characters
            .iter()
            .map(|c| CrowdCharacter::of(c, config.scene.count))
            .collect();
        #[cfg(feature = "tracks")]
        let followed = tracks
            .as_ref()
            .map(|tracks| tracks.populate(&config.scene, &characters, &casts, progress));
        #[cfg(not(feature = "tracks"))]
        let followed: Option<(Crowd, Vec<MotionPlan>)> = None;
        let (mut crowd, followed) = match followed {
            Some((crowd, plans)) => (crowd, Some(plans)),
            None => (populate::populate_with_progress(&config.scene, &casts, progress), None),
        };
        let sizes = characters
            .iter()
            .zip(&casts)
            .take(people_kinds)
            .map(|(c, cast)| c.rest_bounds.size() * cast.fit);
        let largest = sizes.fold(glam::Vec3::ZERO, glam::Vec3::max);
        crowd.extent.height = largest.y.max(largest.max_element() * 0.25);
        crowd.extent.width = largest.x.max(largest.z);
        let people = crowd.per_character.iter().flatten().map(|i| i.position.into());
        crowd.extent.make_room(config.camera.fov.to_radians(), people);
        let lifts: Vec<f32> = characters.iter().map(|c| config.scene.ground_contact.lift(c)).collect();
        if config.scene.count == 1 {
            let somebody = characters
                .iter()
                .zip(&crowd.per_character)
                .zip(casts.iter().zip(&lifts));
            let lone = somebody.filter_map(|((c, instances), (cast, lift))| {
                let reach = c.reach(instances.first()?.clip());
                let placed = |point: Vec3| (point + Vec3::Y * *lift) * cast.fit;
                Some(Bounds {
                    min: placed(reach.min),
                    max: placed(reach.max),
                })
            });
            crowd.extent.reach = lone.fold(Bounds::EMPTY, Bounds::union);
            for (character, instances) in characters.iter().zip(&mut crowd.per_character) {
                for instance in instances {
                    instance.start = character.first_visible(usize::from(instance.clip()));
                }
            }
        }
        for (instances, lift) in crowd
            .per_character
            .iter_mut()
            .zip(lifts)
            .filter(|(_, lift)| *lift != 0.0)
        {
            for instance in instances {
                instance.position[1] += lift * instance.scale();
            }
        }
        let plans = (0..casts.len()).map(|number| motion_plan(&config.scene, number, &casts, &crowd.paths));
        let plans: Vec<MotionPlan> = followed.unwrap_or_else(|| plans.collect());
        #[cfg_attr(not(feature = "tracks"), expect(unused_mut))]
        let mut ramps = Ramps::from_scene(&config.scene)?;
        #[cfg(feature = "tracks")]
        track_color::color_ramps(&config.scene, &mut ramps);
        let heroes = heroes::cast(&config.scene, &characters, &crowd, &plans, &casts);
        Ok(Self {
            unsupported_requests: unsupported_requests::warnings(&config.scene, &characters[..people_kinds], &heroes),
            casts,
            heroes,
            plans,
            crowd,
            ramps,
            #[cfg(feature = "tracks")]
            tracks,
            tint_strength: if config.scene.count == 1 { 0.0 } else { 1.0 },
            vehicle_kinds: characters.len() - people_kinds,
            characters,
            props: Vec::new(),
            attachments: Vec::new(),
            scenery_key: scenery::SceneryKey::default(),
            ground: config.scene.ground_contact,
        })
    }

    /// Extent of the crowd at a moment (s), which views of a whole crowd frame: that of the start, moved with people
    /// who march.
    #[must_use]
    pub fn extent_at(&self, seconds: f64) -> CrowdExtent {
        let extent = self.crowd.extent;
        let clock = Clock::from_seconds(seconds);
        let somebody = self.plans.iter().zip(&self.crowd.per_character).zip(&self.casts);
        let marching = somebody.filter(|((plan, _), _)| plan.schedule.groups.iter().any(|group| group.path > 0));
        let mut poses = marching.filter_map(|((plan, instances), cast)| {
            let index = instances.iter().position(|instance| plan.marches(instance))?;
            let instance = &instances[index];
            let pose = plan.pose(index as u32, instance, &cast.clips, clock);
            Some((pose.position - glam::Vec3::from(instance.position), pose.yaw))
        });
        let Some((by, yaw)) = poses.next() else { return extent };
        CrowdExtent {
            min: extent.min + by,
            max: extent.max + by,
            places: extent.places.moved(by),
            subject: extent.subject + by,
            subject_yaw: yaw,
            ..extent
        }
    }

    /// Places the scenery; reuses that of `before` where both are the same.
    fn place_scenery(&mut self, config: &Config, before: Option<&Self>) -> Result<(), SceneError> {
        self.scenery_key = scenery::SceneryKey::of(config);
        self.props = match before.filter(|scene| scene.scenery_key == self.scenery_key) {
            Some(scene) => scene.props.clone(),
            None => scenery::place_scenery(config)?,
        };
        #[cfg(feature = "tracks")]
        if let Some(tracks) = &self.tracks
            && before.is_none_or(|scene| scene.scenery_key != self.scenery_key)
        {
            self.props.extend(scenery::place_walls(
                tracks.walls(),
                config.scene.trajectories.wall_height as f32,
            )?);
        }
        Ok(())
    }

    /// True if both scenes have the same scenery.
    #[must_use]
    pub fn has_props_of(&self, other: &Self) -> bool {
        self.scenery_key == other.scenery_key
    }

    /// Warnings of characters that do not suit the atlas `format` that they are drawn from, if any, each with the
    /// reason.
    pub fn format_warnings(&self, format: Option<AtlasFormat>) -> impl Iterator<Item = Warning> {
        let drawn = self.characters.iter().zip(std::iter::repeat(format));
        drawn.filter_map(|(c, format)| {
            Some(Warning::Unfit {
                character: c.model.name.clone(),
                why: c.format_problem(format?)?.to_owned(),
            })
        })
    }

    /// Names of the sockets of all characters, each once.
    #[must_use]
    pub fn sockets(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for socket in self.characters.iter().flat_map(|c| &c.model.skeleton.sockets) {
            if !names.contains(&socket.name) {
                names.push(socket.name.clone());
            }
        }
        names
    }

    /// Notes for the user: unsupported requests, characters that were scaled, and notes of import and bake.
    #[must_use]
    pub fn notes(&self) -> Vec<Warning> {
        let mut notes = self.unsupported_requests.clone();
        for (character, cast) in self.people_characters().iter().zip(&self.casts) {
            let name = &character.model.name;
            if cast.fit != 1.0 {
                notes.push(Warning::Scaled {
                    character: name.clone(),
                    height: character.rest_bounds.size().y,
                    factor: cast.fit,
                });
            }
            let stance = (self.ground == GroundContact::Feet).then(|| character.stance());
            let told = stance.map(|s| s.notes(character.rest_bounds.size().y));
            let all = told.into_iter().flatten().chain(character.model.all_notes());
            notes.extend(all.map(|note| Warning::Import {
                character: name.clone(),
                note,
            }));
        }
        notes
    }

    /// Checks that some character has each of the named clips.
    ///
    /// # Errors
    /// [`SceneError::Clip`] with the first such name.
    pub fn require_clips(&self, names: &[String]) -> Result<(), SceneError> {
        let has =
            |name: &str| unsupported_requests::clip_names(&self.characters).any(|clip| clip.eq_ignore_ascii_case(name));
        match names.iter().find(|name| !has(name)) {
            None => Ok(()),
            Some(name) => Err(SceneError::Clip {
                name: name.clone(),
                known: unsupported_requests::listed(unsupported_requests::clip_names(&self.characters)),
            }),
        }
    }
}

/// Placement of baked frames that a configuration asks for.
fn frame_placement(config: &Config) -> FramePlacement {
    let BakeConfig { rate, max_error } = config.bake;
    if rate > 0.0 {
        return FramePlacement::Even { rate };
    }
    FramePlacement::Within {
        percent: max_error,
        format: config.render.format,
    }
}

/// Characters of a scene; those of a scene that names none are embedded.
pub(crate) fn character_names(config: &Config) -> Vec<PathBuf> {
    if config.scene.characters.is_empty() {
        return embedded::TOWNSFOLK.iter().map(PathBuf::from).collect();
    }
    config.scene.characters.clone()
}

/// Milliseconds since `start`.
#[must_use]
pub fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

impl GroundContact {
    /// Distance by which a character is raised, in the units of its file.
    #[must_use]
    pub fn lift(self, character: &Character) -> f32 {
        match self {
            Self::Feet => character.stance().lift,
            Self::Origin => 0.0,
        }
    }
}
