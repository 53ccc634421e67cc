//! Says that a picture shows nobody, and why.

use glam::Vec3;
use rayon::prelude::*;

use crate::{
    character::Character,
    crowd::clock::Clock,
    scene::{Scene, Warning},
    view::Camera,
};

/// Size of a posed character, as a share of its size at rest, below which it cannot be seen.
const HIDDEN: f32 = 0.02;

impl Scene {
    /// Warning if a camera sees nobody at a moment (s); `aspect` is width over height. It looks at the spheres around
    /// people, so that somebody who is nearly in the picture counts.
    #[must_use]
    pub fn empty_picture(&self, camera: &Camera, aspect: f32, seconds: f64) -> Option<Warning> {
        let clock = Clock::from_seconds(seconds);
        let mut people = self.crowd.per_character.iter().flatten();
        if let (Some(_), None) = (people.next(), people.next())
            && let Some(why) = self.hidden_alone(clock)
        {
            return Some(Warning::EmptyPicture { why });
        }
        let half = (0.5 * camera.fov).tan();
        let widest = (half * (1.0 + aspect * aspect).sqrt()).atan();
        let forward = camera.forward();
        let somebody = (0..self.characters.len()).any(|number| {
            let (Some(instances), Some(plan), Some(cast)) = (
                self.crowd.per_character.get(number),
                self.plans.get(number),
                self.casts.get(number),
            ) else {
                return false;
            };
            let bounds = crate::crowd::all_clips_bounds(&self.characters[number]);
            let reach = bounds.min.abs().max(bounds.max.abs()).length();
            instances.par_iter().enumerate().any(|(index, instance)| {
                let pose = plan.pose(index as u32, instance, &cast.clips, clock);
                let way: Vec3 = pose.position - camera.eye;
                let radius = reach * instance.scale();
                let distance = way.length();
                distance <= radius || way.angle_between(forward) <= widest + (radius / distance).min(1.0).asin()
            })
        });
        let why = "the camera looks past everybody; leave --eye and --look-at out, or choose a view with --camera";
        (!somebody && self.crowd.count() > 0).then(|| Warning::EmptyPicture { why: why.to_owned() })
    }

    /// Reason why a lone character cannot be seen, if its clip hides it at a moment.
    fn hidden_alone(&self, clock: Clock) -> Option<String> {
        let number = self.crowd.per_character.iter().position(|people| !people.is_empty())?;
        let instance = self.crowd.per_character[number].first()?;
        let (character, cast) = (&self.characters[number], &self.casts[number]);
        let pose = self.plans[number].pose(0, instance, &cast.clips, clock);
        let clip = character.model.clips.get(pose.moment.to.clip as usize)?;
        let seconds = pose.moment.to.position * clip.duration;
        let is_hidden = character.posed_edge(pose.moment.to.clip as usize, seconds) < HIDDEN * character.largest_edge();
        is_hidden.then(|| {
            format!(
                "the clip \"{}\" hides {} at {seconds:.2} s of {:.2} s; choose another --time",
                clip.name, character.model.name, clip.duration
            )
        })
    }
}

impl Character {
    /// Largest edge (m) of the character in a clip at a time (s).
    fn posed_edge(&self, clip: usize, seconds: f32) -> f32 {
        let clip = self.model.clips.get(clip);
        let palette = crate::bake::skinning::exact_palette(&self.model, clip, seconds);
        self.model.mesh.posed_bounds(&palette, &[]).size().max_element()
    }

    /// Share of a clip at which a lone character starts: 0, or the time of its largest pose if its first one hides it.
    pub(super) fn first_visible(&self, clip: usize) -> f32 {
        let Some(duration) = self
            .model
            .clips
            .get(clip)
            .map(|clip| clip.duration)
            .filter(|d| *d > 0.0)
        else {
            return 0.0;
        };
        let edge = |share: f32| self.posed_edge(clip, share * duration);
        if edge(0.0) >= HIDDEN * self.largest_edge() {
            return 0.0;
        }
        let shares = (1..SHARES).map(|step| step as f32 / SHARES as f32);
        let larger = |best: (f32, f32), share: f32| {
            let found = edge(share);
            // The first of several equal ones, but for rounding.
            if found > 1.001 * best.1 { (share, found) } else { best }
        };
        shares.fold((0.0, 0.0), larger).0
    }
}

/// Number of moments of a clip at which the largest pose is searched.
const SHARES: u32 = 16;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        bake::BakeOptions,
        config::Config,
        model::{Channel, Clip, Interpolation, Keys},
        scene::open_model,
    };

    fn scene(hidden_at_start: bool) -> Scene {
        let mut model = open_model("knight").expect("embedded").model;
        let zero = |at: &[f32]| Keys::Scale(at.iter().map(|scale| Vec3::splat(*scale)).collect());
        let channel = Channel {
            joint: 0,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0, 2.0],
            keys: if hidden_at_start {
                zero(&[0.0, 1.0, 1.0])
            } else {
                zero(&[1.0, 1.0, 1.0])
            },
        };
        model.clips = vec![Clip {
            name: "spawn".into(),
            duration: 2.0,
            channels: vec![channel].into(),
            ..Clip::default()
        }];
        let character = Character::bake(model, &BakeOptions::default()).expect("bakes");
        let mut config = Config::default();
        config.scene.count = 1;
        Scene::populate(&config, vec![Arc::new(character)]).expect("a scene")
    }

    #[test]
    fn a_lone_character_whom_its_clip_scales_to_nothing_starts_later() {
        for (hidden, late) in [(true, true), (false, false)] {
            let scene = scene(hidden);
            let start = scene.crowd.per_character[0][0].start;
            assert_eq!(start > 0.0, late, "{start}");
            let camera = Camera {
                eye: Vec3::new(0.0, 1.5, 4.0),
                target: Vec3::Y,
                fov: 0.7,
            };
            assert_eq!(scene.empty_picture(&camera, 1.5, 4.0), None);
            let away = Camera {
                target: Vec3::new(0.0, 1.5, 9.0),
                ..camera
            };
            let told = scene.empty_picture(&away, 1.5, 4.0).expect("nobody").to_string();
            assert!(told.contains("--look-at"), "{told}");
        }
    }
}
