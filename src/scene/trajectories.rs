//! People and vehicles that follow a file of trajectories: one instance for each agent, its keys as rows of its
//! character's paths, and walls where the file has some.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use glam::Vec3;

use crate::{
    character::Character,
    config::{Config, Group, SceneConfig, TrajectoryConfig},
    crowd::{
        CrowdCharacter, CrowdExtent, MotionPlan,
        hash::{fold_seed, hash},
        schedule::{FLAG_OWN_PATHS, GroupRow, Schedule},
        trajectory::add_trajectories,
    },
    scene::{Crowd, PersonTrack, Placement, Progress, SceneError, TrackColors, populate, vehicles},
    tracks::{
        Agent, AgentKind, Body, Flow, FlowLine, GaitSet, GroundMap, KeyTolerance, Presence, ReadOptions, TrackError,
        Tracks, VehicleClass, WayOptions, live,
    },
};

/// Part of the layout that people on trajectories play: walkers have paths of their own.
const GROUP: Group = Group::Walkers;
/// Hash salt of the seed of a character's people.
const OWN: u32 = 0x7c_4a;
/// Most bytes of rows for one character: WebGPU's smallest limit of a binding.
const MOST_BYTES: usize = 128 << 20;

/// Elevation (radians) from which nobody hides much of who walks behind.
const ELEVATION: f32 = 0.62;

/// Trajectories that a scene shows.
#[derive(Debug)]
pub struct ShownTracks {
    /// Settings that the file was read with.
    config: TrajectoryConfig,
    /// The file's content.
    pub tracks: Arc<Tracks>,
    /// Colours of clothes.
    pub colors: TrackColors,
    /// From the file to the world.
    pub map: GroundMap,
    /// First and last moments of people.
    pub presence: Arc<Presence>,
    /// Number of each agent in labels.
    numbers: Arc<[u32]>,
    /// Revision of a stream that is read live, else 0.
    revision: u64,
    /// Flow that was asked for last.
    flow: Mutex<Option<Arc<Flow>>>,
}

/// Reads a file, or standard input: live where that has begun, else to its end.
fn read(own: &TrajectoryConfig) -> Result<Tracks, TrackError> {
    let options = ReadOptions::from(own);
    match live::standard_input().filter(|_| own.is_standard_input()) {
        Some(stream) => {
            stream.wait_for_samples();
            stream.tracks()
        }
        None if own.is_standard_input() => Tracks::from_stream("standard input", std::io::stdin(), &options),
        None => Tracks::open(&own.file, &options),
    }
}

/// Revision of the trajectories of a configuration: that of a stream that is read live, else 0.
#[must_use]
pub fn live_revision(own: &TrajectoryConfig) -> u64 {
    let stream = live::standard_input().filter(|_| own.is_standard_input());
    stream.map_or(0, live::LiveTracks::revision)
}

impl ShownTracks {
    /// Trajectories of a configuration, if it names a file; those of a scene before, if they are the same.
    ///
    /// # Errors
    /// As [`Tracks::open`]; also for a file that counts frames whose rate nobody states.
    pub(super) fn of(config: &Config, before: Option<&Arc<Self>>) -> Result<Option<Arc<Self>>, SceneError> {
        let own = &config.scene.trajectories;
        if !own.is_on() {
            return Ok(None);
        }
        let revision = live_revision(own);
        if let Some(before) = before.filter(|before| before.is_read_as(own) && before.revision == revision) {
            return before.recolored(own).map(Some).map_err(SceneError::from);
        }
        let tracks = read(own)?;
        let name = own
            .file
            .file_name()
            .unwrap_or(own.file.as_os_str())
            .to_string_lossy()
            .into_owned();
        if !tracks.has_seconds() {
            let facts = tracks.summary();
            let problem = facts.notes.last().cloned().unwrap_or_default();
            return Err(TrackError::File { name, problem }.into());
        }
        let map = GroundMap::of(&tracks);
        Ok(Some(Arc::new(Self {
            config: own.clone(),
            presence: Presence::of(&tracks, &map).into(),
            numbers: tracks.track_numbers().into(),
            colors: TrackColors::of(&tracks, own)?,
            revision,
            flow: Mutex::default(),
            tracks: tracks.into(),
            map,
        })))
    }

    /// Trajectories in the colours of other settings.
    fn recolored(self: &Arc<Self>, own: &TrajectoryConfig) -> Result<Arc<Self>, TrackError> {
        let colors = |config: &TrajectoryConfig| (config.color, config.color_range());
        if colors(&self.config) == colors(own) {
            return Ok(self.clone());
        }
        Ok(Arc::new(Self {
            config: own.clone(),
            tracks: self.tracks.clone(),
            colors: TrackColors::of(&self.tracks, own)?,
            map: self.map,
            presence: self.presence.clone(),
            numbers: self.numbers.clone(),
            revision: self.revision,
            flow: Mutex::default(),
        }))
    }

    /// True if other settings would read the same.
    fn is_read_as(&self, other: &TrajectoryConfig) -> bool {
        let read = |config: &TrajectoryConfig| {
            (
                config.file.clone(),
                config.fps,
                config.unit,
                config.columns.clone(),
                config.value_column().map(str::to_owned),
                config.walls.clone(),
            )
        };
        read(&self.config) == read(other)
    }

    /// Flow through a line; that of the same line before is kept.
    #[must_use]
    pub fn flow(&self, line: FlowLine) -> Arc<Flow> {
        let mut last = self.flow.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(flow) if flow.line == line => flow.clone(),
            _ => last.insert(Arc::new(self.tracks.flow(line))).clone(),
        }
    }

    /// People of the file.
    fn people(&self) -> impl Iterator<Item = &Agent> {
        self.indexed_people().map(|(_, agent)| agent)
    }

    /// Vehicles of the file with their places among all agents.
    fn vehicles(&self) -> impl Iterator<Item = (u32, &Agent, VehicleClass)> {
        let indexed = (0..).zip(&self.tracks.agents);
        indexed.filter_map(|(place, agent)| Some((place, agent, agent.kind.vehicle()?)))
    }

    /// Classes of the file's vehicles, each once.
    pub(super) fn vehicle_classes(&self) -> Vec<VehicleClass> {
        let classes: BTreeSet<VehicleClass> = self.vehicles().map(|(_, _, class)| class).collect();
        classes.into_iter().collect()
    }

    /// Characters of people, and those of the file's vehicles after them.
    ///
    /// # Errors
    /// None is known: the models are our own.
    pub(super) fn with_vehicles(&self, mut people: Vec<Arc<Character>>) -> Result<Vec<Arc<Character>>, SceneError> {
        for class in self.vehicle_classes() {
            people.push(Arc::new(vehicles::character(class)?));
        }
        Ok(people)
    }

    /// People of the file with their places among all agents.
    fn indexed_people(&self) -> impl Iterator<Item = (u32, &Agent)> {
        (0..)
            .zip(&self.tracks.agents)
            .filter(|(_, agent)| agent.kind == AgentKind::Person)
    }

    /// Trajectory of an agent, by its place in the file.
    pub(super) fn person_track(&self, agent: u32) -> Option<PersonTrack> {
        Some(PersonTrack {
            number: *self.numbers.get(agent as usize)?,
            id: self.tracks.agents.get(agent as usize)?.id.to_string(),
        })
    }

    /// Lines of walls on the ground, X and Z (m).
    pub(super) fn walls(&self) -> impl Iterator<Item = Vec<glam::DVec2>> {
        let lines = self.tracks.walls.iter().flat_map(crate::tracks::walls::Walls::outlines);
        lines.map(|line| line.into_iter().map(|at| self.map.absolute(at)).collect())
    }

    /// Settings of a scene with as many people and vehicles as the file.
    pub(super) fn scene_of(&self, config: &Config) -> Config {
        let mut own = config.clone();
        own.scene.count = self.tracks.agents.len().clamp(1, u32::MAX as usize) as u32;
        own
    }

    fn placements(&self) -> Vec<Placement> {
        let placement = |(number, agent): (u32, &Agent)| {
            let first = self.tracks.samples_of(agent).first();
            let ground = first.map_or(glam::DVec2::ZERO, |sample| {
                self.map.absolute([
                    f64::from(sample.x) + self.tracks.origin[0],
                    f64::from(sample.y) + self.tracks.origin[1],
                ])
            });
            let ground = ground.as_vec2();
            let placement = Placement::on_ground(ground.x, ground.y, 0.0, GROUP);
            Placement {
                path: Some(number),
                ..placement
            }
        };
        (0..).zip(self.people()).map(placement).collect()
    }

    /// Crowd and motion plans of all people.
    pub(super) fn populate(
        &self,
        scene: &SceneConfig,
        characters: &[Arc<Character>],
        casts: &[CrowdCharacter],
        progress: &Progress,
    ) -> (Crowd, Vec<MotionPlan>) {
        let people: Vec<(u32, &Agent)> = self.indexed_people().collect();
        let vehicle_classes = self.vehicle_classes();
        let people_casts = &casts[..casts.len().saturating_sub(vehicle_classes.len())];
        let parts = populate::direct_all(scene, people_casts, &self.placements(), &[], progress);
        let mut per_character = vec![Vec::new(); casts.len()];
        let mut agents = vec![Vec::new(); casts.len()];
        let mut followed: Vec<Vec<(&Agent, Body)>> = vec![Vec::new(); casts.len()];
        for (character, instance) in parts {
            let Some(&(place, agent)) = people.get(instance.place() as usize) else {
                continue;
            };
            let number = per_character[character].len() as u32;
            let gaits = GaitSet::of_character(&characters[character]);
            let mut instance = instance.with_group(GROUP as u8, number);
            if let Some(height) = self.height(agent) {
                let own = characters[character].packed.bounds.size().y;
                instance = instance.with_yaw_scale(0.0, height / own.max(0.01));
            }
            let instance = self.colors.colored(&self.tracks, agent, instance);
            let stride = instance.scale() * instance.width_scale();
            followed[character].push((agent, Body { gaits, stride }));
            agents[character].push(place);
            per_character[character].push(instance);
        }
        for (place, agent, class) in self.vehicles() {
            let kind = vehicle_classes.iter().position(|own| *own == class).unwrap_or_default();
            let character = people_casts.len() + kind;
            let number = per_character[character].len() as u32;
            let gaits = GaitSet::of(&casts[character].clips);
            followed[character].push((agent, Body { gaits, stride: 1.0 }));
            agents[character].push(place);
            per_character[character].push(vehicles::instance(scene.seed, place).with_group(GROUP as u8, number));
        }
        let plans = followed
            .iter()
            .enumerate()
            .map(|(character, agents)| self.plan(scene, character, agents));
        let plans = plans.collect();
        (
            Crowd {
                per_character,
                paths: Vec::new(),
                agents,
                extent: self.extent(),
            },
            plans,
        )
    }

    /// Plan of one character's people; keys are thinned out until they fit a binding.
    fn plan(&self, scene: &SceneConfig, character: usize, agents: &[(&Agent, Body)]) -> MotionPlan {
        let mut options = WayOptions {
            smooth: scene.trajectories.smooth,
            shades: self.colors.shades(),
            ..WayOptions::default()
        };
        let mut paths = Vec::new();
        for doubling in 0..5 {
            options.tolerance = KeyTolerance::new(0.004 * (1 << doubling) as f32);
            let ways = self.tracks.ways(agents, &self.map, &options);
            paths.clear();
            add_trajectories(&mut paths, &ways);
            if size_of_val(paths.as_slice()) <= MOST_BYTES {
                break;
            }
        }
        let walks = GroupRow {
            flags: FLAG_OWN_PATHS,
            ..GroupRow::default()
        };
        let schedule = Schedule {
            groups: vec![walks; Group::COUNT],
            ..Schedule::default()
        };
        MotionPlan::new(schedule, paths, hash(fold_seed(scene.seed), character as u32, OWN))
    }

    /// Height of somebody's head (m), if the file has it: the median.
    fn height(&self, agent: &Agent) -> Option<f32> {
        if !self.tracks.z_is_head {
            return None;
        }
        let mut heights: Vec<f32> = self.tracks.samples_of(agent).iter().map(|sample| sample.z).collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied()
    }

    /// Extent of all places of all times, with the person in view for the longest time as subject.
    fn extent(&self) -> CrowdExtent {
        let world = |sample: &crate::tracks::Sample| self.map.world(sample);
        let all = self.tracks.samples.iter().map(world);
        let (low, high) = all.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        let longest = self.tracks.agents.iter().max_by_key(|agent| agent.samples.len());
        let subject = longest.and_then(|agent| {
            let own = self.tracks.samples_of(agent);
            own.get(own.len() / 2).map(world)
        });
        CrowdExtent {
            min: low,
            max: high,
            count: self.tracks.agents.len() as u32,
            subject: subject.unwrap_or(low),
            elevation: Some(ELEVATION),
            ..CrowdExtent::single(0.0)
        }
    }
}
