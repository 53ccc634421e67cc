//! Position and playback of a character's instances at any time: the CPU twin of the animate pass
//! (shaders/animate.wgsl).

use glam::Vec3;

use crate::crowd::{
    CrowdClip, Instance,
    clock::{Clock, scale_rate, turns},
    hash::hash,
    paths::{PATH_TRAJECTORY, PATH_WAYPOINTS, Path, Spot, path_spot, phase_of},
    schedule::{
        ClipTime, CrossFade, FLAG_OWN_PATHS, FLAG_SHARED, FLAG_TRAVELS, GroupRow, MARCHES, PersonSchedule, Schedule,
        behaviour_of, block_metres, moment, streams::STREAM_OWN, travelled,
    },
    tints::RAMP_LEN,
    trajectory::{is_shaded, trajectory_pose},
    wrap::own_loop,
};

/// Radius of the turn at the ends of a march (m).
const MARCH_TURN_RADIUS: f32 = 0.4;

/// Behaviours and paths that the instances of one character follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionPlan {
    /// Behaviours by group; empty: every instance loops its clip.
    pub schedule: Schedule,
    /// Paths of walkers.
    pub paths: Vec<Path>,
    /// Seed from which each instance's own seed is drawn.
    pub seed: u32,
}

/// Position of an instance and the clips that it plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstancePose {
    /// Ground point between the feet, world space (m).
    pub position: Vec3,
    /// Heading (radians about +Y).
    pub yaw: f32,
    /// Clips with their positions, and the weight of the second.
    pub moment: CrossFade,
}

impl MotionPlan {
    /// Plan of one character: schedule, paths of walkers, and the crowd's seed (from
    /// [`fold_seed`](super::hash::fold_seed)).
    #[must_use]
    pub fn new(schedule: Schedule, paths: Vec<Path>, seed: u32) -> Self {
        let mut plan = Self { schedule, paths, seed };
        plan.add_marches();
        plan
    }

    /// Adds marches: groups that travel in step go out in one block and back in the next, each member from its own
    /// place. They turn about at the end of a block.
    fn add_marches(&mut self) {
        for index in 0..self.schedule.groups.len() {
            let group = self.schedule.groups[index];
            if group.flags & MARCHES != MARCHES || group.flags & FLAG_OWN_PATHS != 0 {
                continue;
            }
            let metres = block_metres(&self.schedule, &group, &behaviour_of(&group, 0, 0));
            if metres > 4.0 * MARCH_TURN_RADIUS {
                self.paths.push(Path::march(metres, MARCH_TURN_RADIUS));
                self.schedule.groups[index].path = self.paths.len() as u32;
            }
        }
    }

    /// Group row and personal schedule of an instance; `None` without a behaviour.
    #[must_use]
    pub fn person_schedule(&self, index: u32, instance: &Instance) -> Option<(&GroupRow, PersonSchedule)> {
        let group = self.schedule.groups.get(usize::from(instance.group_id()))?;
        if group.state_count == 0 {
            return None;
        }
        let own = hash(self.seed, index, STREAM_OWN);
        Some((group, behaviour_of(group, own, instance.place() << 8)))
    }

    /// Pose of instance `index` of the character's list at a time.
    #[must_use]
    pub fn pose(&self, index: u32, instance: &Instance, clips: &[CrowdClip], clock: Clock) -> InstancePose {
        if let Some(path) = self.own_path(instance).filter(|path| path.kind == PATH_TRAJECTORY) {
            let seed = hash(self.seed, index, STREAM_OWN);
            let pose = trajectory_pose(&self.paths, path, clips, seed, clock);
            return InstancePose {
                position: pose.position + Vec3::Y * instance.position[1],
                yaw: pose.yaw,
                moment: pose.fade,
            };
        }
        let moment = match self.person_schedule(index, instance) {
            Some((group, person_schedule)) => moment(&self.schedule, group, &person_schedule, clock),
            None => {
                let own = own_playing(instance, clips, clock);
                CrossFade {
                    from: own,
                    to: own,
                    weight: 1.0,
                }
            }
        };
        let place = self.place(index, instance, clock);
        InstancePose {
            position: Vec3::new(place.ground.x, instance.position[1], place.ground.y),
            yaw: place.yaw,
            moment,
        }
    }

    /// True if clothes of people on trajectories change their colour over time.
    #[must_use]
    pub fn recolors(&self) -> bool {
        self.paths.iter().any(is_shaded)
    }

    /// Instance of a person at a time: on trajectories, clothes may change their colour; a new index into the ramp of
    /// main garments then replaces the instance's.
    #[must_use]
    pub fn colored(&self, index: u32, instance: &Instance, clips: &[CrowdClip], clock: Clock) -> Instance {
        let path = self.own_path(instance).filter(|path| path.kind == PATH_TRAJECTORY);
        let pose =
            path.map(|path| trajectory_pose(&self.paths, path, clips, hash(self.seed, index, STREAM_OWN), clock));
        let Some(shade) = pose.and_then(|pose| pose.shade) else {
            return *instance;
        };
        let [skin, hair, _, trim] = instance.tints();
        let cloth = (shade * (RAMP_LEN - 1) as f32 + 0.5) as u8;
        instance.with_tint([skin, hair, cloth, trim])
    }

    /// True if an instance moves along a path.
    #[must_use]
    pub fn moves(&self, instance: &Instance) -> bool {
        self.own_path(instance).or_else(|| self.group_path(instance)).is_some()
    }

    /// True if an instance marches along its group's path.
    #[must_use]
    pub fn marches(&self, instance: &Instance) -> bool {
        self.own_path(instance).is_none() && self.group_path(instance).is_some()
    }

    /// Ground position and heading of instance `index`.
    fn place(&self, index: u32, instance: &Instance, clock: Clock) -> Spot {
        let [x, _, z] = instance.position;
        let still = Spot {
            ground: glam::vec2(x, z),
            yaw: instance.yaw(),
        };
        if let Some(path) = self.own_path(instance) {
            let phase = self.path_phase(index, instance, path, clock);
            let start = if path.kind == PATH_WAYPOINTS {
                instance.yaw_scale << 16
            } else {
                phase_of(path, still.ground)
            };
            return path_spot(&self.paths, path, start.wrapping_add(phase));
        }
        let Some(path) = self.group_path(instance) else {
            return still;
        };
        let path_phase = self.path_phase(index, instance, path, clock);
        let (now, start) = (
            path_spot(&self.paths, path, path_phase),
            path_spot(&self.paths, path, 0),
        );
        Spot {
            ground: still.ground + (now.ground - start.ground),
            // Marchers face along the path; in any other direction feet would slide sideways.
            yaw: now.yaw,
        }
    }

    /// Phase along a path since the start: by the behaviour's root motion, else at the path's speed.
    fn path_phase(&self, index: u32, instance: &Instance, path: &Path, clock: Clock) -> u32 {
        match self.person_schedule(index, instance) {
            Some((group, person_schedule)) if group.flags & FLAG_TRAVELS != 0 => {
                let per_metre = if group.flags & FLAG_SHARED != 0 {
                    path.per_metre
                } else {
                    // Step length scales with the body; marchers keep the group's common pace.
                    scale_rate(path.per_metre, instance.stride())
                };
                travelled(&self.schedule, group, &person_schedule, per_metre, clock)
            }
            _ => turns(clock, path.rate).phase,
        }
    }

    /// Path of a walker.
    fn own_path(&self, instance: &Instance) -> Option<&Path> {
        let group = self.schedule.groups.get(usize::from(instance.group_id()))?;
        let walks = group.flags & FLAG_OWN_PATHS != 0;
        self.paths.get(instance.place() as usize).filter(|_| walks)
    }

    /// Path of a marching group.
    fn group_path(&self, instance: &Instance) -> Option<&Path> {
        let group = self.schedule.groups.get(usize::from(instance.group_id()))?;
        self.paths.get(group.path.checked_sub(1)? as usize)
    }
}

/// Position in the clip that an instance without a behaviour loops.
fn own_playing(instance: &Instance, clips: &[CrowdClip], clock: Clock) -> ClipTime {
    own_loop(instance, clips).map_or(ClipTime::default(), |own| ClipTime {
        clip: own.clip,
        position: own.position(clock),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips() -> [CrowdClip; 1] {
        [CrowdClip {
            name: "walk".into(),
            duration: 2.0,
            speed: 0.0,
        }]
    }

    fn at(speed: f32, start: f32, seconds: f64) -> f32 {
        let instance = Instance::new(Vec3::ZERO).with_clip(0, speed, start);
        let pose = MotionPlan::default().pose(0, &instance, &clips(), Clock::from_seconds(seconds));
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
                (at(speed, 0.2, seconds) - frame).abs() < 1e-3,
                "{speed} {seconds}: {}",
                at(speed, 0.2, seconds)
            );
        }
        assert!((at(-1.0, 0.2, 0.2) - 3.0).abs() < 1e-3);
    }

    #[test]
    fn positions_after_a_week_are_exact() {
        let now = at(1.0, 0.0, 0.7);
        assert!((at(1.0, 0.0, 604_800.7) - now).abs() < 0.02);
    }

    #[test]
    fn paths_beyond_number_65535_are_distinct() {
        use crate::crowd::schedule::GroupRow;
        let plan = MotionPlan {
            schedule: Schedule {
                groups: vec![GroupRow {
                    flags: FLAG_OWN_PATHS,
                    ..GroupRow::default()
                }],
                ..Schedule::default()
            },
            paths: (1..=70_000).map(|i| Path::circle(i as f32, 1.0, 1.0)).collect(),
            seed: 1,
        };
        for number in [0_u32, 65_535, 65_536, 69_999] {
            let at = Vec3::X * (number + 1) as f32;
            let instance = Instance::new(at).with_clip(0, 1.0, 0.0).with_group(0, number);
            assert_eq!((instance.group_id(), instance.place()), (0, number));
            let pose = plan.pose(0, &instance, &clips(), Clock::from_seconds(9.0));
            assert!(
                (pose.position.length() - at.x).abs() < 0.01 * at.x,
                "{number}: {}",
                pose.position
            );
            assert!(pose.position != at);
        }
    }

    #[test]
    fn instances_without_clips_stand_still() {
        let pose = MotionPlan::default().pose(0, &Instance::new(Vec3::X), &[], Clock::from_seconds(3.0));
        assert_eq!((pose.position, pose.moment.to), (Vec3::X, ClipTime::default()));
    }
}
