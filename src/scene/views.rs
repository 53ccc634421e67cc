//! Camera views by name: first those of the scene, then the built-in ones.

use crate::{
    config::{
        CAMERA_PATH, CameraConfig, CameraKeyConfig,
        limits::{FIELD_OF_VIEW, single},
        nearest,
    },
    crowd::CrowdExtent,
    view::{BUILT_IN_VIEWS, Camera, CameraKey, camera_along},
};

/// Error: there is no view of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no view named \"{name}\"; the scene has {known}{hint}")]
pub struct ViewError {
    name: String,
    hint: String,
    known: String,
}

impl Camera {
    /// The camera of a view by name, for a picture of `aspect` (width / height): the scene's views come first, then
    /// the built-in ones.
    ///
    /// # Errors
    /// Neither has that name.
    pub fn preset(name: &str, config: &CameraConfig, extent: &CrowdExtent, aspect: f32) -> Result<Self, ViewError> {
        let composed = Self::composed(name, config, extent, aspect.max(config.min_aspect))?;
        Ok(composed.seen_at(config, aspect))
    }

    /// The camera of a view as it is composed, for an aspect ratio of at least `min_aspect`.
    fn composed(name: &str, config: &CameraConfig, extent: &CrowdExtent, aspect: f32) -> Result<Self, ViewError> {
        let fov = config.fov.to_radians();
        if let Some(view) = config.views.get(name) {
            return Ok(Self {
                eye: view.eye.into(),
                target: view.target.into(),
                fov,
            });
        }
        if let (CAMERA_PATH, Some(camera)) = (name, Self::along_path(config, f64::NEG_INFINITY)) {
            return Ok(camera);
        }
        Self::built_in(name, extent, fov, aspect).ok_or_else(|| unknown(name, config))
    }

    /// The camera of a view, as [`Self::preset`], at a scene time (s); only the view [`CAMERA_PATH`] moves.
    ///
    /// # Errors
    /// No view has that name.
    pub fn preset_at(
        name: &str,
        time: f64,
        config: &CameraConfig,
        extent: &CrowdExtent,
        aspect: f32,
    ) -> Result<Self, ViewError> {
        let moving = (name == CAMERA_PATH && !config.views.contains_key(name)).then(|| Self::along_path(config, time));
        match moving.flatten() {
            Some(camera) => Ok(camera.seen_at(config, aspect)),
            None => Self::preset(name, config, extent, aspect),
        }
    }

    /// This camera with the field of view for a picture of `aspect`.
    fn seen_at(self, config: &CameraConfig, aspect: f32) -> Self {
        let fov = vertical_fov(&self, config, config.min_aspect, aspect).to_radians();
        Self { fov, ..self }
    }

    /// The camera of `[[camera.path]]` at a scene time (s); `None` without such a path.
    #[must_use]
    pub fn along_path(config: &CameraConfig, time: f64) -> Option<Self> {
        let key = |key: &CameraKeyConfig| CameraKey {
            time: key.time,
            eye: key.eye.into(),
            target: key.target.into(),
        };
        let keys: Vec<CameraKey> = config.path.iter().map(key).collect();
        camera_along(&keys, time as f32, config.fov.to_radians())
    }

    /// Names that [`Self::preset`] accepts, those of the scene first.
    pub fn preset_names(config: &CameraConfig) -> impl Iterator<Item = &str> {
        let own = config.views.keys().map(String::as_str);
        let free = |view: &&str| !config.views.contains_key(*view);
        let along = (!config.path.is_empty()).then_some(CAMERA_PATH);
        own.chain(along.into_iter().chain(BUILT_IN_VIEWS).filter(free))
    }
}

/// Vertical field of view (degrees) of a picture of `aspect` by a camera that is composed for `min_aspect`.
/// The value is one that a scene file may hold; if it is that of the settings, it is so to the bit.
#[must_use]
pub fn vertical_fov(camera: &Camera, config: &CameraConfig, min_aspect: f32, aspect: f32) -> f32 {
    let fov = camera.widened(min_aspect, aspect).fov;
    if fov == config.fov.to_radians() {
        return config.fov;
    }
    let range = single(&FIELD_OF_VIEW);
    fov.to_degrees().clamp(*range.start(), *range.end())
}

fn unknown(name: &str, config: &CameraConfig) -> ViewError {
    let near = nearest(name, Camera::preset_names(config));
    let known: Vec<_> = Camera::preset_names(config).collect();
    ViewError {
        name: name.to_owned(),
        hint: near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?")),
        known: known.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3, Vec3Swizzles};

    use super::*;
    use crate::{
        config::{Config, Layout, SceneConfig},
        scene::{Placement, place},
        view::{
            clearance::{AHEAD, FREE, room},
            framing::{close, street},
        },
    };

    const SIZE: Vec2 = Vec2::new(1600.0, 900.0);

    fn plaza(count: u32) -> CrowdExtent {
        let scene = SceneConfig {
            count,
            ..SceneConfig::default()
        };
        CrowdExtent::new(place(&scene).iter().map(Placement::spot), 1.78)
    }

    #[test]
    fn the_plaza_fills_the_picture_below_a_high_horizon() {
        let config = Config::default().camera;
        let camera = Camera::preset("overview", &config, &plaza(2000), 16.0 / 9.0).expect("built-in");
        assert!((7.0..12.0).contains(&camera.eye.y), "{camera:?}");
        let far = camera.eye + camera.forward().with_y(0.0) * 1e5;
        let horizon = camera.pixel_of(far, SIZE).expect("ahead").y / SIZE.y;
        assert!((0.1..0.3333).contains(&horizon), "{horizon}");
        let foot = camera.ray(Vec2::new(800.0, 899.0), SIZE);
        let foot = foot.origin - foot.direction * (foot.origin.y / foot.direction.y);
        let head = camera.pixel_of(foot + Vec3::Y * 1.78, SIZE).expect("ahead");
        let share = (899.0 - head.y) / SIZE.y;
        assert!((0.11..0.19).contains(&share), "{share}");
    }

    #[test]
    fn a_single_character_is_whole_in_every_size() {
        for (height, width) in [(1.75, 0.0), (0.02, 0.03), (90.0, 160.0)] {
            let extent = CrowdExtent {
                width,
                ..CrowdExtent::single(height)
            };
            let camera = Camera::preset("overview", &Config::default().camera, &extent, 16.0 / 9.0).expect("built-in");
            let half = 0.5 * width;
            for corner in [
                Vec3::ZERO,
                Vec3::Y * height,
                Vec3::new(half, 0.0, half),
                Vec3::new(-half, height, half),
            ] {
                let pixel = camera.pixel_of(corner, SIZE).expect("ahead");
                assert!(
                    pixel.cmpge(Vec2::ZERO).all() && pixel.cmple(SIZE).all(),
                    "{height} {corner} {pixel}"
                );
            }
        }
    }

    #[test]
    fn every_preset_of_every_scene_is_finite() {
        for scene in Config::preset_names() {
            let mut config = Config::scene(scene).expect(scene);
            config.scene.count = config.scene.count.min(5000);
            let extent = CrowdExtent::new(place(&config.scene).iter().map(Placement::spot), 1.8);
            for view in Camera::preset_names(&config.camera) {
                let camera = Camera::preset(view, &config.camera, &extent, 1.7).expect(view);
                assert!(camera.projection_from_world(1.7).is_finite(), "{scene} {view}");
            }
        }
    }

    #[test]
    fn unknown_views_suggest_the_nearest() {
        let error = Camera::preset("overveiw", &Config::default().camera, &plaza(10), 1.0).expect_err("typo");
        assert!(error.to_string().contains("did you mean \"overview\""), "{error}");
    }

    #[test]
    fn the_musician_of_the_plaza_is_seen_as_the_audience_sees_him() {
        let fov = Config::default().camera.fov.to_radians();
        // The second as with a knight among them, for whom the camera steps back.
        let cases = [60, 400, 5000].map(|count| [(count, 1.78, 0.0), (count, 1.95, 1.2)]);
        for (count, height, width) in cases.into_iter().flatten() {
            let scene = SceneConfig {
                count,
                ..SceneConfig::default()
            };
            let people = place(&scene);
            let mut extent = CrowdExtent::new(people.iter().map(Placement::spot), height);
            extent.width = width;
            extent.make_room(fov, people.iter().map(|p| p.position));
            let camera = close(&extent, fov, SIZE.x / SIZE.y);
            let facing = Vec2::from(extent.subject_yaw.sin_cos());
            let from = (camera.eye - extent.subject).xz().normalize();
            assert!(
                facing.dot(from) > 0.8,
                "{count}: his face is turned away, {from} from {facing}"
            );
            for other in people.iter().map(|p| p.position).filter(|p| *p != extent.subject) {
                let Some(head) = camera.pixel_of(other + Vec3::Y * 1.6, SIZE) else {
                    continue;
                };
                let nearer = (other - camera.eye).dot(camera.forward()) < camera.distance();
                let beside = (head.x - 0.5 * SIZE.x).abs() > 0.25 * SIZE.x;
                assert!(beside || !nearer, "{count}: somebody stands before him, at {head}");
            }
        }
    }

    /// Animals need a wide spacing: the camera steps back until half of them are in the picture, at most to the edge
    /// of the crowd, where houses begin, and stays above their heads.
    #[test]
    fn half_of_a_few_hundred_are_in_the_first_picture() {
        let config = Config::default();
        for layout in [
            Layout::Plaza,
            Layout::Grid,
            Layout::Scatter,
            Layout::Ranks,
            Layout::Ring,
            Layout::Stadium,
        ] {
            for (count, spacing, aspect) in [(200, 1.6, 1.78), (200, 4.3, 1.78), (200, 7.7, 1.6), (1000, 4.3, 1.78)] {
                let scene = SceneConfig {
                    layout,
                    count,
                    spacing,
                    ..SceneConfig::default()
                };
                let people = place(&scene);
                let extent = CrowdExtent::new(people.iter().map(Placement::spot), 1.78);
                let camera = Camera::preset("overview", &config.camera, &extent, aspect).expect("built in");
                let size = Vec2::new(aspect, 1.0);
                let is_shown = |person: &&Placement| {
                    let pixel = camera.pixel_of(person.position + 0.9 * Vec3::Y, size);
                    pixel.is_some_and(|p| p.cmpge(Vec2::ZERO).all() && p.cmple(size).all())
                };
                let shown = people.iter().filter(is_shown).count();
                let out = camera.eye.xz().distance(extent.centre().xz());
                println!("{layout:?} {count} {spacing}: {shown} shown from {:.1}", camera.eye);
                assert!(shown * 2 >= count as usize, "{layout:?} {count} {spacing}: {shown}");
                // No house stands nearer than 48 m; none around a stadium.
                let most = if layout == Layout::Stadium { 1.3 } else { 1.0 };
                assert!(
                    out < most * extent.radius().max(48.0),
                    "{layout:?} {count} {spacing}: {out}"
                );
                assert!(camera.eye.y > 2.0 * 1.78);
            }
        }
    }

    #[test]
    fn nobody_stands_before_the_lens() {
        let fov = Config::default().camera.fov.to_radians();
        for layout in [
            Layout::Plaza,
            Layout::Grid,
            Layout::Scatter,
            Layout::Ranks,
            Layout::Ring,
        ] {
            for count in [20, 300, 5000] {
                let scene = SceneConfig {
                    layout,
                    count,
                    ..SceneConfig::default()
                };
                let people = place(&scene);
                let mut extent = CrowdExtent::new(people.iter().map(Placement::spot), 1.78);
                let feet = || people.iter().map(|p| p.position);
                let rooms = |extent: &CrowdExtent| {
                    let others: Vec<Vec2> = feet().map(Vec3::xz).filter(|p| *p != extent.subject.xz()).collect();
                    let camera = close(extent, fov, 1.0);
                    [
                        room(&camera, FREE * camera.distance(), &others),
                        room(&street(extent, fov), AHEAD * 1.78, &others),
                    ]
                };
                let before = rooms(&extent);
                extent.make_room(fov, feet());
                let after = rooms(&extent);
                println!("{layout:?} {count}: {before:.2?} -> {after:.2?}");
                assert!(after[0] >= before[0].min(0.5 * 1.78) && after[1] >= before[1].min(0.5 * 1.78));
                assert!(
                    after[0] > 0.35 && after[1] > 0.35,
                    "{layout:?} {count}: {after:?} metres"
                );
            }
        }
    }
}
