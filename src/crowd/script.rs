//! Everything that decides what the instances of one character do, and the CPU twin of the
//! animate pass (shaders/animate.wgsl): where an instance is and what it plays at a moment.

use glam::Vec3;

use super::{
    Cast, CastClip, Group, Instance,
    behaviour::{Actor, GroupRow, Moment, Playing, Schedule, actor, moment},
    clock::{Clock, to_rate},
    hash::{fold_seed, hash},
    paths::{Path, path_at, phase_of},
    wrap::own_position,
};
use crate::config::SceneConfig;

/// Draw of a person's own seed.
const STREAM_OWN: u32 = 9;

/// What the instances of one character follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Behaviours by group; empty: everyone loops their own clip.
    pub schedule: Schedule,
    /// Paths of walkers.
    pub paths: Vec<Path>,
    /// From which each instance's own seed is drawn.
    pub seed: u32,
}

/// Where an instance is and what it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Ground point between the feet, world space, metres.
    pub position: Vec3,
    /// Heading, radians about +Y.
    pub yaw: f32,
    /// Clips, positions in them, and the weight of the second.
    pub moment: Moment,
}

impl Script {
    /// The script of one character of a scene. Behaviours need more than a lone person.
    #[must_use]
    pub fn new(scene: &SceneConfig, character: &Cast, paths: &[Path]) -> Self {
        let schedule = if scene.count > 1 {
            Schedule::compile(scene, character)
        } else {
            Schedule::default()
        };
        Self {
            schedule,
            paths: paths.to_vec(),
            seed: fold_seed(scene.seed),
        }
    }

    /// The behaviour that an instance follows, if any, and its part in it.
    #[must_use]
    pub fn actor(&self, index: u32, instance: &Instance) -> Option<(&GroupRow, Actor)> {
        let group = self.schedule.groups.get((instance.group & 0xffff) as usize)?;
        if group.state_count == 0 {
            return None;
        }
        let own = hash(self.seed, index, STREAM_OWN);
        Some((group, actor(group, own, instance.group & 0xffff_0000)))
    }

    /// What instance `index` of the character's list does at a moment.
    #[must_use]
    pub fn pose(&self, index: u32, instance: &Instance, clips: &[CastClip], clock: Clock) -> Pose {
        let moment = match self.actor(index, instance) {
            Some((group, actor)) => moment(&self.schedule, group, &actor, clock),
            None => {
                let own = own_playing(instance, clips, clock);
                Moment {
                    from: own,
                    to: own,
                    weight: 1.0,
                }
            }
        };
        let position = Vec3::from(instance.position);
        let Some(path) = self.path(instance) else {
            return Pose {
                position,
                yaw: instance.yaw(),
                moment,
            };
        };
        let ground = glam::vec2(position.x, position.z);
        let spot = path_at(path, phase_of(path, ground), clock);
        Pose {
            position: Vec3::new(spot.ground.x, position.y, spot.ground.y),
            yaw: spot.yaw,
            moment,
        }
    }

    fn path(&self, instance: &Instance) -> Option<&Path> {
        let walks = instance.group & 0xffff == Group::Walkers as u32;
        self.paths.get((instance.group >> 16) as usize).filter(|_| walks)
    }
}

/// An instance outside any behaviour loops its own clip.
fn own_playing(instance: &Instance, clips: &[CastClip], clock: Clock) -> Playing {
    let last = clips.len().saturating_sub(1);
    let index = usize::from(instance.clip()).min(last);
    let Some(clip) = clips.get(index) else {
        return Playing::default();
    };
    let cycles = if clip.duration > 0.0 {
        to_rate(1.0 / f64::from(clip.duration))
    } else {
        0
    };
    let intervals = clip.frame_count.saturating_sub(1);
    let position = own_position(intervals, cycles, instance.speed(), instance.frame, clock);
    Playing {
        clip: index as u32,
        position,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips() -> [CastClip; 1] {
        [CastClip {
            name: "walk".into(),
            frame_count: 31,
            rate: 30.0,
            duration: 2.0,
            speed: 0.0,
        }]
    }

    fn at(speed: f32, start: f32, seconds: f64) -> f32 {
        let instance = Instance::new(Vec3::ZERO).with_clip(0, speed, start);
        let pose = Script::default().pose(0, &instance, &clips(), Clock::from_seconds(seconds));
        pose.moment.to.position * 30.0
    }

    #[test]
    fn own_clips_loop_forwards_and_backwards() {
        for (speed, seconds, frame) in [
            (1.0, 0.0, 6.0),
            (1.0, 1.0, 21.0),
            (1.0, 2.0, 6.0),
            (-1.0, 1.0, 21.0),
            (0.5, 2.0, 21.0),
        ] {
            assert!(
                (at(speed, 6.0, seconds) - frame).abs() < 1e-3,
                "{speed} {seconds}: {}",
                at(speed, 6.0, seconds)
            );
        }
        assert!((at(-1.0, 6.0, 0.2) - 3.0).abs() < 1e-3);
    }

    #[test]
    fn a_week_later_the_phase_is_as_exact() {
        let now = at(1.0, 0.0, 0.7);
        assert!((at(1.0, 0.0, 604_800.7) - now).abs() < 0.02);
    }

    #[test]
    fn nobody_without_clips_moves() {
        let pose = Script::default().pose(0, &Instance::new(Vec3::X), &[], Clock::from_seconds(3.0));
        assert_eq!((pose.position, pose.moment.to), (Vec3::X, Playing::default()));
    }
}
