//! Parameters of one picture of a set: a pure function of the set's seed and the picture's number.

use glam::Vec3;
use serde::Serialize;

use crate::{
    aov::FrameParameters,
    config::Config,
    crowd::{clock::Clock, hash::Draws, trajectory::ABSENT},
    dataset::{SetPlan, Variation, VaryWhat, clear_view::is_unobstructed},
    label::LabelRules,
    scene::{PersonRef, Scene},
    view::Camera,
};

/// Salt of the random numbers of this file.
pub(super) const SALT: u32 = 0xda_7a;
/// Number of headings that are tried until nobody stands in front of the lens.
const HEADINGS: u32 = 24;
/// Minimum distance of people from the lens (m).
const CLEAR: f32 = 0.9;
/// Time to the next picture (s), to which motion vectors lead.
const NEXT: f64 = 1.0 / 24.0;

/// Streams of random numbers, one per parameter.
pub(super) mod stream {
    pub(in crate::dataset) const SPLIT: u32 = 0;
    pub(super) const COUNT: u32 = 1;
    pub(super) const SEED: u32 = 2;
    pub(super) const TIME: u32 = 3;
    pub(super) const ELEVATION: u32 = 4;
    pub(super) const AZIMUTH: u32 = 5;
    pub(super) const EXPOSURE: u32 = 6;
    pub(super) const FOV: u32 = 7;
    pub(super) const DISTANCE: u32 = 8;
    pub(super) const HEIGHT: u32 = 9;
    pub(super) const SUBJECT: u32 = 10;
    /// First stream of headings: one for each that is tried.
    pub(super) const HEADING: u32 = 16;
}

/// Parameters sampled for one picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampleSpec {
    /// Number of the picture.
    pub number: u64,
    /// Split: `train` or `val`.
    pub split: &'static str,
    /// Number of people.
    pub count: u32,
    /// Seed of the crowd.
    pub seed: u64,
    /// Scene time (s).
    pub time: f64,
    /// Elevation of the sun above the horizon (degrees).
    pub sun_elevation: f32,
    /// Azimuth of the sun, clockwise from north (degrees).
    pub sun_azimuth: f32,
    /// Exposure (stops).
    pub exposure: f32,
    /// Parameters that vary only if they are named.
    #[serde(flatten)]
    pub variation: Variation,
}

impl SampleSpec {
    /// Samples the parameters of a picture of a set, by its number.
    #[must_use]
    pub fn new(plan: &SetPlan, number: u64) -> Self {
        let (base, vary, ranges) = (&plan.base, &plan.vary, &plan.ranges);
        let draws = Draws::new(plan.seed, SALT, number as u32);
        let between = |stream: u32, [least, most]: [f64; 2]| least + (most - least) * f64::from(draws.unit(stream));
        let own = |what: VaryWhat, stream: u32, range: [f64; 2], fixed: f64| {
            if vary.has(what) { between(stream, range) } else { fixed }
        };
        let light = &ranges.light;
        let look = &base.look;
        let [least, most] = ranges.count;
        let variation = Variation::new(plan, number);
        let elevation = own(
            VaryWhat::Light,
            stream::ELEVATION,
            light.sun_elevation,
            look.sun_elevation.into(),
        ) as f32;
        Self {
            number,
            split: plan.splits.of(number),
            count: if vary.has(VaryWhat::Count) {
                least + draws.below(stream::COUNT, most - least + 1)
            } else {
                base.scene.count
            },
            seed: if vary.has(VaryWhat::Seed) {
                u64::from(draws.below(stream::SEED, u32::MAX))
            } else {
                base.scene.seed
            },
            // Rounded down to ticks of the scene clock.
            time: (own(VaryWhat::Time, stream::TIME, ranges.time, plan.time) * 65536.0).floor() / 65536.0,
            sun_elevation: variation.elevation.unwrap_or(elevation),
            sun_azimuth: own(
                VaryWhat::Light,
                stream::AZIMUTH,
                light.sun_azimuth,
                look.sun_azimuth.into(),
            ) as f32,
            exposure: own(VaryWhat::Light, stream::EXPOSURE, light.exposure, look.exposure.into()) as f32,
            variation,
        }
    }

    /// Returns the settings of the picture's scene.
    #[must_use]
    pub fn config(&self, base: &Config) -> Config {
        let mut config = base.clone();
        config.scene.count = self.count;
        config.scene.seed = self.seed;
        config.look.sun_elevation = self.sun_elevation;
        config.look.sun_azimuth = self.sun_azimuth;
        config.look.exposure = self.exposure;
        self.variation.apply(&mut config);
        config
    }

    /// Returns a camera that looks at a person of the scene, from a heading where nobody stands in front of the lens and,
    /// but by the first rules, no scenery hides them.
    #[must_use]
    pub fn camera(&self, plan: &SetPlan, scene: &Scene) -> Option<Camera> {
        let draws = Draws::new(plan.seed, SALT, self.number as u32);
        let clock = Clock::from_seconds(self.time);
        let walking = scene.everyone().filter(|who| !scene.is_vehicle(*who));
        let places = walking.filter_map(|who| place(scene, who, clock));
        let people: Vec<Vec3> = places.filter(|place| *place != ABSENT).collect();
        let subject = *people.get(draws.below(stream::SUBJECT, people.len() as u32) as usize)?;
        let between =
            |stream: u32, [least, most]: [f64; 2]| (least + (most - least) * f64::from(draws.unit(stream))) as f32;
        let camera = &plan.ranges.camera;
        let (distance, height) = (
            between(stream::DISTANCE, camera.distance),
            between(stream::HEIGHT, camera.height),
        );
        let from = |heading: u32| {
            let angle = between(stream::HEADING + heading, camera.heading).to_radians();
            subject + Vec3::new(angle.sin() * distance, height, angle.cos() * distance)
        };
        let room = |eye: Vec3| {
            let bodies = people
                .iter()
                .map(|&feet| feet + Vec3::Y * (eye.y - feet.y).clamp(0.0, 1.7));
            bodies.map(|body| body.distance(eye)).fold(f32::INFINITY, f32::min)
        };
        let target = subject + Vec3::Y;
        let sees = |eye: Vec3| plan.rules == LabelRules::First || is_unobstructed(scene, eye, target);
        let mut eyes = (0..HEADINGS).map(from).filter(|&eye| room(eye) > CLEAR);
        let eye = eyes.find(|&eye| sees(eye)).unwrap_or_else(|| from(0));
        Some(Camera {
            eye,
            target,
            fov: between(stream::FOV, camera.fov).to_radians(),
        })
    }

    /// Returns the frame parameters of the picture in its scene, and those of the next picture.
    ///
    /// # Errors
    /// An unknown view, if the camera does not vary.
    pub fn moments(&self, plan: &SetPlan, config: &Config, scene: &Scene) -> anyhow::Result<[FrameParameters; 2]> {
        let varies = plan.vary.has(VaryWhat::Camera);
        let own = varies.then(|| self.camera(plan, scene)).flatten();
        let aspect = config.window.width as f32 / config.window.height as f32;
        let at = |time: f64| -> anyhow::Result<FrameParameters> {
            let moment = match own {
                Some(camera) => FrameParameters::seen_by(config, camera, time),
                None => FrameParameters::of(config, scene, time)?,
            };
            let moment = match self.variation.roll {
                Some(degrees) => moment.rolled(degrees.to_radians(), aspect),
                None => moment,
            };
            Ok(match self.variation.distortion {
                Some(share) => moment.through_lens(config, share, plan.ranges.lens.distortion[0] as f32),
                None => moment,
            })
        };
        Ok([at(self.time)?, at(self.time + NEXT)?])
    }
}

/// Returns the position of a person.
fn place(scene: &Scene, who: PersonRef, clock: Clock) -> Option<Vec3> {
    let instance = scene.crowd.per_character.get(who.character)?.get(who.index as usize)?;
    let clips = &scene.casts.get(who.character)?.clips;
    Some(
        scene
            .plans
            .get(who.character)?
            .pose(who.index, instance, clips, clock)
            .position,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dataset::{Ranges, Splits},
        film::Shard,
    };

    fn sample(number: u64, vary: &str) -> SampleSpec {
        SampleSpec::new(&plan(vary), number)
    }

    fn plan(vary: &str) -> SetPlan {
        SetPlan {
            pictures: 500,
            seed: 7,
            vary: vary.parse().expect("names"),
            ranges: Ranges::default(),
            splits: Splits::new(7, 500, 0.2, LabelRules::Second),
            base: Config::default(),
            backgrounds: Vec::new(),
            rules: LabelRules::Second,
            time: 2.0,
            shard: Shard::WHOLE,
            only: None,
        }
    }

    #[test]
    fn pictures_follow_from_their_numbers_and_stay_within_the_ranges() {
        let all: Vec<SampleSpec> = (0..500)
            .map(|number| sample(number, "camera,count,light,time,seed"))
            .collect();
        let ranges = Ranges::default();
        for (number, one) in all.iter().enumerate() {
            assert_eq!(*one, sample(number as u64, "seed,time,light,count,camera"));
            assert!((ranges.count[0]..=ranges.count[1]).contains(&one.count));
            assert!((ranges.time[0]..=ranges.time[1]).contains(&one.time));
            assert!(Clock::from_seconds(one.time).to_seconds() == one.time);
        }
        let kept = all.iter().filter(|one| one.split == "val").count();
        assert_eq!(kept, 100);
        let seeds: std::collections::BTreeSet<u64> = all.iter().map(|one| one.seed).collect();
        assert_eq!(seeds.len(), 500);
        let counts = all.iter().map(|one| one.count);
        assert!(counts.clone().min() < Some(40) && counts.max() > Some(380));
    }

    #[test]
    fn fixed_parameters_keep_the_values_of_the_scene() {
        let (one, base) = (sample(3, "count"), Config::default());
        assert_eq!((one.seed, one.time), (base.scene.seed, 2.0));
        assert_eq!(one.sun_elevation, base.look.sun_elevation);
        assert_ne!(one.count, base.scene.count);
        let recorded = serde_json::to_value(&one).expect("JSON");
        assert_eq!(
            recorded.as_object().map(|row| row.len()),
            Some(8),
            "only what varies is recorded"
        );
    }

    #[test]
    fn named_parameters_are_sampled_within_their_ranges_and_recorded() {
        let names = "sky,clouds,haze,layout,roll,blur,noise,clothes,cast";
        let ranges = Ranges::default();
        let mut skies = std::collections::BTreeSet::new();
        for number in 0..100 {
            let one = sample(number, names);
            let own = &one.variation;
            let within = |value: Option<f32>, [least, most]: [f64; 2]| {
                value.is_some_and(|value| (least..=most).contains(&f64::from(value)))
            };
            assert!(within(own.haze, ranges.air.visibility) && within(own.clouds, ranges.air.clouds));
            assert!(within(own.roll, ranges.lens.roll) && within(own.blur, ranges.lens.blur));
            assert!(within(own.noise, ranges.lens.noise));
            assert_eq!(own.cast.as_ref().map(Vec::len), Some(4));
            let config = one.config(&Config::default());
            assert_eq!(Some(config.scene.layout), own.layout);
            assert_eq!(config.scene.tints.cloth.len(), 12);
            skies.insert(format!("{:?}", own.sky));
            let recorded = serde_json::to_value(&one).expect("JSON");
            assert!(
                recorded["haze"].is_number() && recorded["layout"].is_string(),
                "{recorded}"
            );
            assert_eq!(
                recorded["sun_elevation"].as_f64(),
                Some(f64::from(config.look.sun_elevation))
            );
        }
        assert_eq!(skies.len(), 5, "{skies:?}");
    }
}
