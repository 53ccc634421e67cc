//! Facts about one person at a time.

use crate::{
    app::person::pick::pose_of,
    bake::FramePair,
    character::Character,
    config::Group,
    crowd::{EventMarks, Instance, InstancePose, clock::Clock, events::Occurrence, schedule::ClipTime},
    scene::{PersonRef, Scene},
};

/// Clip and playback position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownClip {
    /// Name of the clip.
    pub name: String,
    /// Position in frames from the clip's start.
    pub frame: f32,
    /// Number of frame intervals: frames less one.
    pub intervals: u32,
    /// Position from the clip's start (s).
    pub seconds: f32,
}

/// Facts about a person at a time.
#[derive(Clone, Debug)]
pub(crate) struct PersonInspection {
    /// Position, heading and clips.
    pub pose: InstancePose,
    /// Instance as uploaded.
    pub instance: Instance,
    /// Name of the character.
    pub character: String,
    /// Clip that plays or fades in.
    pub to: ShownClip,
    /// Clip that fades out; `None` without a cross-fade.
    pub from: Option<ShownClip>,
    /// Two atlas frames around the position in clip `to`.
    pub frames: FramePair,
    /// Matrices per frame.
    pub slots: usize,
    /// Name of the group.
    pub group: &'static str,
    /// Recent events, newest first: name and age (s).
    pub events: Vec<(String, f64)>,
}

/// Maximum age of listed events (s).
const TOLD: f64 = 4.0;

/// Collects facts about a person; `None` if the crowd no longer has them.
#[must_use]
pub(crate) fn inspect(scene: &Scene, selected: PersonRef, seconds: f64) -> Option<PersonInspection> {
    let clock = Clock::from_seconds(seconds);
    let (instance, pose) = pose_of(scene, selected, clock)?;
    let character = scene.characters.get(selected.character)?;
    let moment = pose.moment;
    let fades = moment.weight < 1.0;
    let group = Group::ALL.get(usize::from(instance.group_id()));
    Some(PersonInspection {
        character: character.model.name.clone(),
        to: shown_clip(character, moment.to)?,
        from: fades.then(|| shown_clip(character, moment.from)).flatten(),
        frames: pose.blend(&character.palettes).b,
        slots: character.palettes.slot_count,
        group: group.map_or("", |g| g.name()),
        events: recent_events(scene, selected, &instance, seconds),
        instance,
        pose,
    })
}

fn shown_clip(character: &Character, playing: ClipTime) -> Option<ShownClip> {
    let clip = character.palettes.clips.get(playing.clip as usize)?;
    let intervals = clip.frame_count.saturating_sub(1);
    Some(ShownClip {
        name: clip.name.clone(),
        frame: clip.pair_at(playing.position).frame() - clip.first_frame as f32,
        intervals,
        seconds: playing.position * clip.duration,
    })
}

fn recent_events(scene: &Scene, selected: PersonRef, instance: &Instance, seconds: f64) -> Vec<(String, f64)> {
    let (Some(character), Some(plan), Some(cast)) = (
        scene.characters.get(selected.character),
        scene.plans.get(selected.character),
        scene.casts.get(selected.character),
    ) else {
        return Vec::new();
    };
    let marks = EventMarks::new(&character.palettes.clips);
    let [since, now] = [(seconds - TOLD).max(0.0), seconds].map(Clock::from_seconds);
    let found = plan.events_between(selected.index, instance, &cast.clips, &marks, since, now);
    let tell = |h: &Occurrence| {
        Some((
            marks.names.get(h.name as usize)?.clone(),
            seconds - h.clock.to_seconds(),
        ))
    };
    found.iter().rev().filter_map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::person::skeleton::{bones, joints},
        config::Config,
        scene::StartupTimes,
    };

    #[test]
    fn every_person_can_be_inspected_and_has_joints_in_their_box() {
        let mut config = Config::scene("plaza").expect("the plaza");
        config.scene.count = 60;
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
        let mut events = 0;
        for (character, instances) in scene.crowd.per_character.iter().enumerate() {
            for index in 0..instances.len() as u32 {
                let seen = inspect(&scene, PersonRef { character, index }, 20.3).expect("in range");
                assert!(!seen.to.name.is_empty() && seen.to.frame <= seen.to.intervals as f32);
                assert!(seen.events.iter().all(|(_, ago)| (0.0..=TOLD).contains(ago)));
                events += seen.events.len();
                let joints = joints(&scene.characters[character], &seen.instance, &seen.pose);
                let near = |p: &glam::Vec3| p.distance(seen.pose.position) < 3.0;
                assert!(joints.iter().flatten().count() > 5 && joints.iter().flatten().all(near));
                assert!(bones(&scene.characters[character], &joints).len() > 4);
            }
        }
        assert!(events > 0, "nobody took a step in {TOLD} s");
    }

    #[test]
    fn events_of_clips_that_play_backwards_are_those_that_pass() {
        let mut config = Config::default();
        config.scene.characters = vec!["knight".into()];
        config.scene.clips = [("Walk".to_owned(), 1.0)].into_iter().collect();
        (config.scene.count, config.scene.speed) = (1, -0.8);
        let mut scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
        // An offset from the clip's start, where forwards and backwards would be alike.
        let instance = &mut scene.crowd.per_character[0][0];
        *instance = instance.with_clip(instance.clip(), -0.8, 0.3);
        let who = PersonRef { character: 0, index: 0 };
        let clip = &scene.characters[0].palettes.clips[usize::from(scene.crowd.per_character[0][0].clip())];
        let (now, step) = (20.0, 1.0 / 512.0);
        let position =
            |seconds: f64| f64::from(inspect(&scene, who, seconds).expect("someone").pose.moment.to.position);
        let mut passed = 0;
        for i in 0..(TOLD / step) as u32 {
            let before = now - TOLD + f64::from(i) * step;
            let (from, to) = (position(before), position(before + step));
            // Past the loop point, the position continues below zero.
            let to = if to > from { to - 1.0 } else { to };
            for event in &clip.events {
                let mark = f64::from(event.time / clip.duration).fract();
                passed += u32::from([mark, mark - 1.0].iter().any(|mark| to < *mark && *mark <= from));
            }
        }
        let seen = inspect(&scene, who, now).expect("someone").events;
        assert!(passed > 2, "{passed}");
        assert_eq!(seen.len() as u32, passed, "{seen:?}");
        for (_, ago) in &seen {
            let at = position(now - ago) * f64::from(clip.duration);
            let mark = |event: &crate::model::ClipEvent| {
                let apart = (f64::from(event.time) - at).abs();
                apart.min(f64::from(clip.duration) - apart) < 0.003
            };
            assert!(clip.events.iter().any(mark), "{ago} s ago at {at} s of the clip");
        }
    }

    #[test]
    fn inspecting_beyond_the_last_person_is_none() {
        let config = Config::scene("plaza").expect("the plaza");
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
        assert!(
            inspect(
                &scene,
                PersonRef {
                    character: 0,
                    index: u32::MAX
                },
                0.0
            )
            .is_none()
        );
        assert!(
            inspect(
                &scene,
                PersonRef {
                    character: 99,
                    index: 0
                },
                0.0
            )
            .is_none()
        );
    }
}
