//! Everything that is known about one person at a moment.

use crate::{
    app::person::pick::pose_of,
    bake::FramePair,
    character::Character,
    config::Group,
    crowd::{
        Instance, Pose,
        clock::{Clock, to_rate},
        events::{ClipMark, Occurrence, Track, events_between, mark_position},
        schedule::ClipTime,
        wrap::WRAP_LOOP,
    },
    scene::{Scene, Selected},
};

/// A clip as it is being played.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownClip {
    /// Name.
    pub name: String,
    /// Frames into the clip.
    pub frame: f32,
    /// Frames of the clip, less one.
    pub intervals: u32,
    /// Seconds into it.
    pub seconds: f32,
}

/// A person at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Inspected {
    /// Where they are and what they play.
    pub pose: Pose,
    /// As uploaded.
    pub instance: Instance,
    /// Name of the character.
    pub character: String,
    /// Faded in.
    pub to: ShownClip,
    /// Faded out; none where nothing fades.
    pub from: Option<ShownClip>,
    /// Frames of the atlas on both sides of the moment, of the clip faded in.
    pub frames: FramePair,
    /// Matrices per frame.
    pub slots: usize,
    /// Name of the group.
    pub group: &'static str,
    /// What happened in the last seconds: name, seconds ago; newest first.
    pub events: Vec<(String, f64)>,
}

/// How far back events are listed, seconds.
const TOLD: f64 = 4.0;

/// Looks at a person; `None` once the crowd has become smaller.
#[must_use]
pub(crate) fn inspect(scene: &Scene, selected: Selected, seconds: f64) -> Option<Inspected> {
    let clock = Clock::from_seconds(seconds);
    let (instance, pose) = pose_of(scene, selected, clock)?;
    let character = scene.characters.get(selected.character)?;
    let moment = pose.moment;
    let fades = moment.weight < 1.0;
    let group = Group::ALL.get(usize::from(instance.group_id()));
    Some(Inspected {
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
        frame: playing.position * intervals as f32,
        intervals,
        seconds: playing.position * clip.duration,
    })
}

/// Names of events and what each clip has of them.
fn marks(character: &Character) -> (Vec<String>, Vec<Vec<ClipMark>>) {
    let mut names: Vec<String> = Vec::new();
    let mut number = |name: &String| {
        names.iter().position(|n| n == name).unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        }) as u32
    };
    let of_clip = |clip: &crate::bake::BakedClip| {
        let mark = |event: &crate::model::ClipEvent| ClipMark {
            name: number(&event.name),
            position: mark_position(event.time, clip.duration),
        };
        clip.events.iter().map(mark).collect()
    };
    let marks = character.palettes.clips.iter().map(of_clip).collect();
    (names, marks)
}

fn recent_events(scene: &Scene, selected: Selected, instance: &Instance, seconds: f64) -> Vec<(String, f64)> {
    let (Some(character), Some(plan)) = (
        scene.characters.get(selected.character),
        scene.plans.get(selected.character),
    ) else {
        return Vec::new();
    };
    let (names, marks) = marks(character);
    let span = [(seconds - TOLD).max(0.0), seconds].map(Clock::from_seconds);
    let found = match plan.actor(selected.index, instance) {
        Some((group, actor)) => events_between(&plan.schedule, group, &actor, &marks, span[0], span[1]),
        None => own_happenings(character, instance, &marks, span),
    };
    let tell = |h: &Occurrence| Some((names.get(h.name as usize)?.clone(), seconds - h.clock.to_seconds()));
    found.iter().rev().filter_map(tell).collect()
}

/// Events of someone outside any behaviour, who loops their own clip.
fn own_happenings(
    character: &Character,
    instance: &Instance,
    marks: &[Vec<ClipMark>],
    span: [Clock; 2],
) -> Vec<Occurrence> {
    let index = usize::from(instance.clip());
    let (Some(clip), Some(marks)) = (character.palettes.clips.get(index), marks.get(index)) else {
        return Vec::new();
    };
    if clip.duration <= 0.0 {
        return Vec::new();
    }
    let track = Track {
        clip: index as u32,
        rate: to_rate(f64::from(instance.speed().abs() / clip.duration)),
        wrap: WRAP_LOOP,
        reversed: instance.speed() < 0.0,
        phase: mark_position(instance.start, 1.0),
        since: 0,
    };
    let mut found = Vec::new();
    let [after, until] = span.map(|clock| clock.count() as i64);
    track.events_between(marks, after, until, &mut found);
    found.sort_unstable();
    found
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
    fn everyone_can_be_looked_at_and_has_joints_within_their_box() {
        let mut config = Config::scene("plaza").expect("the plaza");
        config.scene.count = 60;
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
        let mut events = 0;
        for (character, instances) in scene.crowd.per_character.iter().enumerate() {
            for index in 0..instances.len() as u32 {
                let seen = inspect(&scene, Selected { character, index }, 20.3).expect("in range");
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
    fn nobody_beyond_the_end() {
        let config = Config::scene("plaza").expect("the plaza");
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("a scene");
        assert!(
            inspect(
                &scene,
                Selected {
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
                Selected {
                    character: 99,
                    index: 0
                },
                0.0
            )
            .is_none()
        );
    }
}
