//! Heroes: selects the people whom a scene file asks for, and poses one.

use glam::Vec3;
use rayon::prelude::*;

use crate::{
    character::Character,
    config::{Group, HeroConfig, LookTarget, SceneConfig},
    crowd::{
        CrowdCharacter, MotionPlan,
        clock::Clock,
        hash::Draws,
        heroes::{FadeSpan, Gaze, HeadTurn, Hero, HeroBody, HeroPose, HeroPoser, HeroRig, Layer, upper_body},
    },
    scene::{Crowd, Scene},
};

/// Hash salt of the time in a clip at which each hero starts.
const START: u32 = 0x4e_60;

/// Finds the people that a scene's `heroes` select, each at most once.
pub(crate) fn cast(
    scene: &SceneConfig,
    characters: &[std::sync::Arc<Character>],
    crowd: &Crowd,
    plans: &[MotionPlan],
    casts: &[CrowdCharacter],
) -> Vec<Hero> {
    let mut heroes: Vec<Hero> = Vec::new();
    for wanted in &scene.heroes {
        // Earlier entries may have taken the nearest people already, so look for that many more.
        let most = heroes.len() + wanted.count as usize;
        let mut people = nearest(wanted, most, crowd, plans, casts);
        people.retain(|&(character, index)| !heroes.iter().any(|h| (h.character, h.index) == (character, index)));
        let chosen = people.into_iter().take(wanted.count as usize);
        heroes.extend(chosen.map(|(character, index)| hero(wanted, &characters[character], character, index)));
    }
    heroes
}

/// The `most` nearest people of the requested group, nearest first.
fn nearest(
    wanted: &HeroConfig,
    most: usize,
    crowd: &Crowd,
    plans: &[MotionPlan],
    casts: &[CrowdCharacter],
) -> Vec<(usize, u32)> {
    let clock = Clock::from_seconds(wanted.from);
    let group = Group::from_name(&wanted.group);
    let mut people: Vec<(f32, usize, u32)> = Vec::new();
    for (character, instances) in crowd.per_character.iter().enumerate() {
        let own = instances.par_iter().enumerate().filter_map(|(index, instance)| {
            let fits = group.is_none_or(|group| instance.group_id() == group as u8);
            let pose = fits.then(|| plans[character].pose(index as u32, instance, &casts[character].clips, clock))?;
            Some((pose.position.distance(Vec3::from(wanted.at)), character, index as u32))
        });
        people.par_extend(own);
    }
    if most < people.len() {
        people.select_nth_unstable_by(most, |a, b| a.0.total_cmp(&b.0));
        people.truncate(most);
    }
    people.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    people
        .into_iter()
        .map(|(_, character, index)| (character, index))
        .collect()
}

fn hero(wanted: &HeroConfig, character: &Character, number: usize, index: u32) -> Hero {
    let span = FadeSpan {
        from: wanted.from,
        until: wanted.until.unwrap_or(f64::INFINITY),
        fade: wanted.fade,
    };
    let skeleton = &character.model.skeleton;
    let upper = upper_body(skeleton).map_or("", |joint| skeleton.joints[joint].name.as_str());
    let layers = wanted.layers.iter().map(|layer| Layer {
        clip: layer.clip.clone(),
        joint: if layer.joint.is_empty() {
            upper.to_owned()
        } else {
            layer.joint.clone()
        },
        weight: layer.weight,
        speed: layer.speed,
        start: layer.start.unwrap_or_else(|| start_of(character, &layer.clip, index)),
        span: FadeSpan {
            from: layer.from.unwrap_or(span.from),
            until: layer.until.unwrap_or(span.until),
            fade: span.fade,
        },
    });
    let gaze = match wanted.look {
        LookTarget::Ahead => None,
        LookTarget::Camera => Some(Gaze::Eye),
        LookTarget::Point => Some(Gaze::Point(wanted.look_at.into())),
    };
    Hero {
        character: number,
        index,
        span,
        layers: layers.collect(),
        look: gaze.map(|gaze| HeadTurn::new(gaze, span)),
    }
}

/// Start time in a clip (s): a random phase in an endless clip, so that heroes are not in step; else 0.
fn start_of(character: &Character, clip: &str, index: u32) -> f32 {
    let mut clips = character.palettes.clips.iter();
    let found = clips.find(|own| own.name.eq_ignore_ascii_case(clip) && own.wrap.is_endless());
    found.map_or(0.0, |clip| Draws::new(0, START, index).unit(0) * clip.duration)
}

impl Scene {
    /// Heroes that another configuration selects among the people of this scene.
    #[must_use]
    pub fn cast(&self, config: &SceneConfig) -> Vec<Hero> {
        cast(config, &self.characters, &self.crowd, &self.plans, &self.casts)
    }

    /// Pose of a hero at a moment, seen from `eye` (m); `None` where the scene has no such person.
    #[must_use]
    pub fn hero_pose(&self, hero: &Hero, clock: Clock, eye: Vec3) -> Option<HeroPose> {
        let character = self.characters.get(hero.character)?;
        let instance = self.crowd.per_character.get(hero.character)?.get(hero.index as usize)?;
        let plan = self.plans.get(hero.character)?;
        let own = plan.pose(hero.index, instance, &self.casts.get(hero.character)?.clips, clock);
        let rig = HeroRig::new(&character.model);
        let body = HeroBody {
            model: &character.model,
            palettes: &character.palettes,
            rig: &rig,
        };
        Some(HeroPoser::default().pose(&body, hero, instance, &own, clock, eye))
    }
}
