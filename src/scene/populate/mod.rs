//! Populates a layout: turns places into instances, with character, clip, size and colours of each person.

mod compile_schedule;
#[cfg(test)]
mod default_clips_tests;
mod footprint;
mod tints;

pub(super) use footprint::roomy;

pub use compile_schedule::motion_plan;
use compile_schedule::wanted_clip;
pub use tints::{TintError, TintSpan, TintSpans};

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::{
    config::{Group, Phase, SceneConfig},
    crowd::{
        CrowdCharacter, CrowdClip, CrowdExtent, Instance,
        hash::Draws,
        paths::{PATH_WAYPOINTS, Path},
        tints::REGIONS,
    },
    model::{MATERIAL_VARIANTS, clip_names},
    scene::{
        Placement, Progress,
        layouts::{paths, waypoints},
        place,
    },
};

/// Hash salt of the random numbers of this file.
const SALT: u32 = 0xca_57;
/// Random streams: one for each decision about a person.
mod stream {
    pub(super) const CHARACTER: u32 = 0;
    pub(super) const CLIP: u32 = 1;
    pub(super) const START: u32 = 2;
    pub(super) const SPEED: u32 = 3;
    pub(super) const SCALE: u32 = 4;
    pub(super) const WIDTH_SCALE: u32 = 5;
    pub(super) const MATERIAL_VARIANT: u32 = 6;
    pub(super) const TINT: u32 = 8;
}

/// A populated scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    /// Instances of each character, in the order of the characters.
    pub per_character: Vec<Vec<Instance>>,
    /// Paths of walkers, in the order of [`Instance::place`].
    pub paths: Vec<Path>,
    /// Agent of the file of trajectories that each instance follows, by its place in the file; empty without
    /// trajectories.
    pub agents: Vec<Vec<u32>>,
    /// Extent of the crowd; its height is 0 until the caller sets that of the tallest character.
    pub extent: CrowdExtent,
}

impl Crowd {
    /// Number of instances of all characters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.per_character.iter().map(Vec::len).sum()
    }
}

/// Fills the scene's layout with the characters of `cast`. Person `i` depends on the scene and on `i` only: a higher
/// count changes nobody.
/// A lone person has the default size, pace and tint and starts at the first frame of the clip.
#[must_use]
pub fn populate(scene: &SceneConfig, cast: &[CrowdCharacter]) -> Crowd {
    populate_with_progress(scene, cast, &Progress::default())
}

/// Populates as [`populate`] and counts people in `progress`; leaves out the rest of the people once it is stopped.
pub(super) fn populate_with_progress(scene: &SceneConfig, cast: &[CrowdCharacter], progress: &Progress) -> Crowd {
    let placements = place(scene);
    let paths = paths(scene, &placements);
    let parts = direct_all(scene, cast, &placements, &paths, progress);
    Crowd {
        per_character: (0..cast.len()).map(|character| roles(&parts, character)).collect(),
        agents: Vec::new(),
        extent: extent(scene, &placements),
        paths,
    }
}

/// People at places of any origin, each with the number of their character; fewer once `progress` is stopped.
pub(super) fn direct_all(
    scene: &SceneConfig,
    cast: &[CrowdCharacter],
    placements: &[Placement],
    paths: &[Path],
    progress: &Progress,
) -> Vec<(usize, Instance)> {
    progress.begin(placements.len() as u32);
    let director = Director::new(scene, cast, paths);
    let direct = |(index, placement)| progress.count().then(|| director.direct(index as u32, placement))?;
    placements.par_iter().enumerate().filter_map(direct).collect()
}

/// Extent of all people; close views show the first person of the layout, not a passer-by.
fn extent(scene: &SceneConfig, placements: &[Placement]) -> CrowdExtent {
    let extent = CrowdExtent::new(placements.iter().map(Placement::spot), 0.0);
    let passing = waypoints::walkers(scene).len();
    placements.get(passing).map_or(extent, |subject| CrowdExtent {
        subject: subject.position,
        subject_yaw: subject.yaw,
        ..extent
    })
}

fn roles(parts: &[(usize, Instance)], character: usize) -> Vec<Instance> {
    let own = parts.par_iter().filter(|part| part.0 == character);
    own.map(|part| part.1).collect()
}

/// Inputs that instances are drawn from.
struct Director<'a> {
    scene: &'a SceneConfig,
    cast: &'a [CrowdCharacter],
    paths: &'a [Path],
    spans: TintSpans,
    /// `mixes[character][group]`: clips, each with the running sum of weights up to and including it.
    mixes: Vec<[Vec<(u16, f32)>; Group::COUNT]>,
    phases: [Phase; Group::COUNT],
    material_variants: [Option<u8>; Group::COUNT],
    /// Characters, each with the running sum of weights; empty if all weights are equal.
    shares: Vec<(u16, f32)>,
}

impl<'a> Director<'a> {
    fn new(scene: &'a SceneConfig, cast: &'a [CrowdCharacter], paths: &'a [Path]) -> Self {
        let mix = |character| Group::ALL.map(|group| clip_mix(scene, group, character));
        let phase = |group: Group| scene.groups.get(group.name()).and_then(|own| own.phase);
        let material_variant = |group: Group| scene.groups.get(group.name()).and_then(|own| own.material_variant);
        Self {
            scene,
            cast,
            paths,
            spans: TintSpans::of(scene),
            mixes: cast.iter().map(mix).collect(),
            phases: Group::ALL.map(|group| phase(group).unwrap_or(group.phase())),
            material_variants: Group::ALL.map(material_variant),
            shares: shares(scene, cast.len()),
        }
    }

    /// Instance of the person at a place and the index of their character; `None` without characters.
    fn direct(&self, index: u32, placement: &Placement) -> Option<(usize, Instance)> {
        let draws = Draws::new(self.scene.seed, SALT, index);
        let character = match self.shares.as_slice() {
            [] => draws.below(stream::CHARACTER, self.cast.len() as u32) as usize,
            shares => usize::from(pick(shares, draws.unit(stream::CHARACTER))),
        };
        let group = placement.group;
        let mix = self.mixes.get(character)?.get(group as usize)?;
        let instance = Instance::new(placement.position).with_group(group as u8, place_code(placement));
        if self.scene.count == 1 {
            let own = &self.cast[character];
            let plain = instance.with_yaw_scale(placement.yaw, own.fit);
            let clip = if is_named(self.scene, group, own) {
                heaviest(mix)
            } else {
                let clips = own.clips.iter().map(|c| (c.name.as_str(), c.duration));
                clip_names::preferred(clips) as u16
            };
            return Some((character, plain.with_clip(clip, self.scene.speed, 0.0)));
        }
        let clip = pick(mix, draws.unit(stream::CLIP));
        let own = &self.cast[character];
        let spread = if group.varies_in_scale() {
            self.scene.scale_spread
        } else {
            0.0
        };
        let scale = own.fit * (1.0 + spread * draws.signed(stream::SCALE));
        let instance =
            instance.with_width_scale(1.0 + self.scene.width_scale_spread * draws.signed(stream::WIDTH_SCALE));
        let stride = scale * instance.width_scale();
        let (speed, start) = self.timing(own.clips.get(clip as usize), placement, stride, draws);
        let instance = instance
            .with_yaw_scale(self.turn(placement), scale)
            .with_clip(clip, speed, start)
            .with_tint(self.tint(group, draws))
            .with_material_variant(
                self.material_variants[group as usize]
                    .unwrap_or(draws.below(stream::MATERIAL_VARIANT, MATERIAL_VARIANTS as u32) as u8),
            );
        Some((character, instance))
    }

    /// Heading of an instance (radians). On waypoints the field holds the phase along the path, from which the heading
    /// follows.
    fn turn(&self, placement: &Placement) -> f32 {
        let path = placement.path.and_then(|path| self.paths.get(path as usize));
        match path {
            Some(path) if path.kind == PATH_WAYPOINTS => placement.phase * std::f32::consts::TAU,
            _ => placement.yaw,
        }
    }

    /// Speed of the clip, and the share of it at which it starts. Groups in step get one cycle time for all
    /// characters: that of the first character that has the clip.
    /// Walkers step as fast as their path moves them.
    fn timing(&self, clip: Option<&CrowdClip>, placement: &Placement, stride: f32, draws: Draws) -> (f32, f32) {
        let Some(clip) = clip else {
            return (self.scene.speed, 0.0);
        };
        let spread = 1.0 + self.scene.speed_spread * draws.signed(stream::SPEED);
        let (start, pace) = match self.phases[placement.group as usize] {
            Phase::Random => (draws.unit(stream::START), spread),
            Phase::Together => (0.0, self.common_pace(clip)),
            // People further along the wave are behind in time.
            Phase::Wave => ((1.0 - placement.phase).fract(), self.common_pace(clip)),
        };
        let path = placement.path.and_then(|path| self.paths.get(path as usize));
        let speed = match path {
            Some(path) if clip.speed > 0.0 => path.speed() / (clip.speed * stride),
            None if self.holds_pose(clip, placement.group) => 0.0,
            _ => self.scene.speed * pace,
        };
        (speed, start)
    }

    /// True if somebody who stands has no clip but one that walks, which nobody asked for by name: they hold a pose
    /// instead of walking on the spot.
    fn holds_pose(&self, clip: &CrowdClip, group: Group) -> bool {
        let own = self.scene.groups.get(group.name());
        let is_named = |clips: &std::collections::BTreeMap<String, f32>| {
            clips.keys().any(|name| name.eq_ignore_ascii_case(&clip.name))
        };
        let behaviour = own.and_then(|own| own.behaviour.as_ref());
        let has_behaviour = behaviour.is_some_and(|behaviour| {
            let mut wanted = behaviour.states.iter().map(|(name, state)| wanted_clip(name, state));
            wanted.any(|wanted| wanted.eq_ignore_ascii_case(&clip.name))
        });
        let asked = own.is_some_and(|own| is_named(&own.clips)) || is_named(&self.scene.clips);
        stands(group) && clip.speed > 0.0 && !asked && !has_behaviour
    }

    fn common_pace(&self, own: &CrowdClip) -> f32 {
        let mut clips = self.cast.iter().flat_map(|character| &character.clips);
        let first = clips.find(|clip| clip.name.eq_ignore_ascii_case(&own.name));
        first.map_or(1.0, |first| {
            let pace = own.duration / first.duration;
            if pace.is_finite() && pace > 0.0 { pace } else { 1.0 }
        })
    }

    fn tint(&self, group: Group, draws: Draws) -> [u8; REGIONS] {
        std::array::from_fn(|region| {
            let span = self.spans.get(group, region);
            span.first + draws.below(stream::TINT + region as u32, u32::from(span.len)) as u8
        })
    }
}

/// Upper bits of an instance's group word: the path of walkers, the place in the wave of others.
fn place_code(placement: &Placement) -> u32 {
    let place = placement.path.unwrap_or((placement.phase * 16_777_216.0) as u32);
    place & 0xff_ffff
}

/// Clips that people of a character play in a scene: those of every group, behaviours included.
/// A group whose clips are all missing plays every clip that suits it; a character without clips has the index 0.
pub(super) fn clips_in_use(scene: &SceneConfig, character: &CrowdCharacter) -> BTreeSet<u16> {
    let mixes = Group::ALL
        .into_iter()
        .flat_map(|group| clip_mix(scene, group, character));
    let behaviours = scene.groups.values().filter_map(|group| group.behaviour.as_ref());
    let states = behaviours.flat_map(|behaviour| &behaviour.states);
    let wanted = states.map(|(name, state)| if state.clip.is_empty() { name } else { &state.clip });
    let named = wanted.filter_map(|name| {
        let clip = character
            .clips
            .iter()
            .position(|clip| clip.name.eq_ignore_ascii_case(name))?;
        u16::try_from(clip).ok()
    });
    let mut used: BTreeSet<u16> = mixes.map(|(clip, _)| clip).chain(named).collect();
    if used.is_empty() {
        used.insert(0);
    }
    used
}

/// True if clips are named for a group and the character has some of them.
fn is_named(scene: &SceneConfig, group: Group, character: &CrowdCharacter) -> bool {
    !named_mix(scene, group, character).is_empty()
}

/// Named clips with running sums of weights; empty if the character has none of them.
fn named_mix(scene: &SceneConfig, group: Group, character: &CrowdCharacter) -> Vec<(u16, f32)> {
    let own = scene.groups.get(group.name()).map(|own| &own.clips);
    let built_in = group.clip_weights();
    let chosen = [own, Some(&scene.clips)].into_iter().flatten();
    let weights = chosen.into_iter().find(|clips| !clips.is_empty()).unwrap_or(&built_in);
    let weight_of = |clip: &CrowdClip| {
        let mut named = weights.iter().filter(|(name, _)| name.eq_ignore_ascii_case(&clip.name));
        named.next().map_or(0.0, |(_, &weight)| weight.max(0.0))
    };
    running_sums(character.clips.iter().map(weight_of))
}

/// Clips of a character for a group with running sums of weights: the group's mix, else the scene's, else the group's
/// built-in one.
/// If none of the names exists, every clip has the same weight, except those in which the character is hurt or dies,
/// those that walk for people who stand, and those that stand for people who walk.
fn clip_mix(scene: &SceneConfig, group: Group, character: &CrowdCharacter) -> Vec<(u16, f32)> {
    let mix = named_mix(scene, group, character);
    if !mix.is_empty() {
        return mix;
    }
    let clips = &character.clips;
    let only =
        |fits: &dyn Fn(&CrowdClip) -> bool| running_sums(clips.iter().map(|clip| f32::from(u8::from(fits(clip)))));
    let alive = |clip: &CrowdClip| !clip_names::is_unsuitable(&clip.name);
    let choices = [
        only(&|clip| alive(clip) && suits(group, clip)),
        only(&alive),
        only(&|_| true),
    ];
    choices.into_iter().find(|mix| !mix.is_empty()).unwrap_or_default()
}

/// True for clips that walk, of people who walk, and clips that do not, of people who stand.
fn suits(group: Group, clip: &CrowdClip) -> bool {
    match group {
        Group::Walkers => clip.speed > 0.0,
        _ => !stands(group) || clip.speed == 0.0,
    }
}

/// True for groups whose people stay where they are.
fn stands(group: Group) -> bool {
    !matches!(group, Group::Crowd | Group::Walkers | Group::Dancers)
}

/// Running sums of the weights of characters; empty if all weights are equal.
fn shares(scene: &SceneConfig, characters: usize) -> Vec<(u16, f32)> {
    let weights = scene
        .weights
        .iter()
        .copied()
        .chain(std::iter::repeat(1.0))
        .take(characters);
    let weights: Vec<f32> = weights.collect();
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        return Vec::new();
    }
    running_sums(weights.into_iter())
}

fn running_sums(weights: impl Iterator<Item = f32>) -> Vec<(u16, f32)> {
    let mut sum = 0.0;
    let clips = (0..u16::MAX).zip(weights).filter(|(_, weight)| *weight > 0.0);
    let weighted = clips.map(|(clip, weight)| {
        sum += weight;
        (clip, sum)
    });
    weighted.collect()
}

/// Entry of a mix at `at` (`0.0..1.0` of its sum); 0 for a character without clips.
fn pick(mix: &[(u16, f32)], at: f32) -> u16 {
    let total = mix.last().map_or(0.0, |last| last.1);
    let found = mix.iter().find(|(_, sum)| at * total < *sum);
    found.or(mix.last()).map_or(0, |(clip, _)| *clip)
}

/// First clip of the greatest weight.
fn heaviest(mix: &[(u16, f32)]) -> u16 {
    let (mut best, mut weight, mut below) = (0, 0.0, 0.0);
    for &(clip, sum) in mix {
        if sum - below > weight + 1e-6 {
            (best, weight) = (clip, sum - below);
        }
        below = sum;
    }
    best
}
