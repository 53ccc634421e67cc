//! Views fitted to a crowd: `overview`, `street`, `close` and `top`, and the scene's own.

use glam::{Quat, Vec2, Vec3};

use crate::{
    config::{CameraConfig, nearest},
    crowd::CrowdExtent,
    model::Bounds,
    view::Camera,
};

/// Views that every scene has.
pub const BUILT_IN_VIEWS: [&str; 4] = ["overview", "street", "close", "top"];

/// Share of the picture that a lone person may fill, across and upwards.
const FRAMED: f32 = 0.95;
/// Steps, of a twentieth of its distance, that an overview goes back to show everyone.
const STEPS_BACK: u32 = 8;

/// No such view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no view named \"{name}\"; the scene has {known}{hint}")]
pub struct ViewError {
    name: String,
    hint: String,
    known: String,
}

impl Camera {
    /// A view by name, for a picture of `aspect` = width / height: the scene's own first, then the
    /// built-in ones.
    ///
    /// # Errors
    /// Neither has that name.
    pub fn preset(name: &str, config: &CameraConfig, extent: &CrowdExtent, aspect: f32) -> Result<Self, ViewError> {
        let fov = config.fov.to_radians();
        if let Some(view) = config.views.get(name) {
            return Ok(Self {
                eye: view.eye.into(),
                target: view.target.into(),
                fov,
            });
        }
        match name {
            "overview" => Ok(overview(extent, fov, aspect)),
            "street" => Ok(street(extent, fov)),
            "close" => Ok(close(extent, fov, aspect)),
            "top" => Ok(top(extent, fov)),
            _ => Err(unknown(name, config)),
        }
    }

    /// Names that [`Self::preset`] knows, the scene's own first.
    pub fn preset_names(config: &CameraConfig) -> impl Iterator<Item = &str> {
        let own = config.views.keys().map(String::as_str);
        let free = |view: &&str| !config.views.contains_key(*view);
        own.chain(BUILT_IN_VIEWS.into_iter().filter(free))
    }
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

/// Distance at which `size` metres just fill the height of the picture.
fn filling(size: f32, fov: f32) -> f32 {
    0.5 * size / (0.5 * fov).tan()
}

/// The whole of a small crowd; a large one from above its middle with the horizon in the upper
/// third, the nearest people a sixth of the picture high.
fn overview(extent: &CrowdExtent, fov: f32, aspect: f32) -> Camera {
    if extent.count <= 1 || extent.radius() < 0.3 * extent.height {
        return close(extent, fov, aspect);
    }
    let scale = extent.height / 1.75;
    let radius = extent.radius() / scale;
    // All of it while that is near enough; then the distance grows more slowly than the crowd,
    // so that people remain people.
    let whole = 1.9 * (radius + 1.2) + 1.0;
    let distance = (24.5 * (radius / 45.0).powf(0.6)).max(whole.min(22.0)) * scale;
    let zoom = filling(1.0, fov) / filling(1.0, 45_f32.to_radians());
    let (sin, cos) = 0.2_f32.sin_cos();
    let at = |distance: f32| {
        let eye = Vec3::new(sin, 0.306, cos) * distance * zoom;
        Camera {
            eye: extent.centre() + eye,
            target: extent.centre() + Vec3::Y * (eye.y - 0.226 * distance * zoom),
            fov,
        }
    };
    // Nobody is cut off where a few steps back show everyone.
    let steps = (0..=STEPS_BACK).map(|step| at(distance * (1.0 + 0.05 * step as f32)));
    let whole = steps.into_iter().find(|camera| shows_all(camera, extent, aspect));
    whole.unwrap_or_else(|| at(distance))
}

/// Whether all of a crowd lies in the picture.
fn shows_all(camera: &Camera, extent: &CrowdExtent, aspect: f32) -> bool {
    let aside = Vec3::new(1.0, 0.0, 1.0) * 0.5 * extent.breadth.max(0.3 * extent.height);
    let people = Bounds {
        min: extent.min - aside,
        max: extent.max + aside + Vec3::Y * extent.height,
    };
    let size = Vec2::new(aspect, 1.0);
    people.corners().into_iter().all(|corner| {
        let pixel = camera.pixel_of(corner, size);
        pixel.is_some_and(|p| p.cmpge(Vec2::ZERO).all() && p.cmple(size).all())
    })
}

/// At eye level, on the way to the middle.
pub(crate) fn street(extent: &CrowdExtent, fov: f32) -> Camera {
    let distance = (0.6 * extent.radius()).clamp(2.5 * extent.height, 12.0 * extent.height);
    let (sin, cos) = (0.35 + extent.street_turn).sin_cos();
    let centre = extent.centre();
    Camera {
        eye: centre + Vec3::new(sin * distance, 0.97 * extent.height, cos * distance),
        target: centre + Vec3::Y * 0.75 * extent.height,
        fov,
    }
}

/// One whole person from three quarters ahead.
pub(crate) fn close(extent: &CrowdExtent, fov: f32, aspect: f32) -> Camera {
    let (sin, cos) = (extent.subject_yaw + 0.5 + extent.close_turn).sin_cos();
    let towards = Vec3::new(sin, 0.16, cos);
    if !extent.reach.is_empty() {
        return framing(extent, towards, fov, aspect);
    }
    let size = extent.height.max(0.8 * extent.breadth).max(1e-3);
    let distance = filling(1.35 * size, fov) + 0.5 * extent.breadth.max(0.3 * extent.height);
    let target = extent.subject + Vec3::Y * 0.5 * extent.height;
    Camera {
        eye: target + towards * distance,
        target,
        fov,
    }
}

/// The nearest camera in direction `towards` that has all of a lone person's reach within
/// [`FRAMED`] of the picture.
fn framing(extent: &CrowdExtent, towards: Vec3, fov: f32, aspect: f32) -> Camera {
    let from_subject = Quat::from_rotation_y(extent.subject_yaw);
    let middle = extent.reach.centre();
    let target = extent.subject + from_subject * middle;
    let at = |distance: f32| Camera {
        eye: target + towards.normalize() * distance,
        target,
        fov,
    };
    let seen = at(1.0);
    let slope = Vec2::new(aspect, 1.0) * (0.5 * fov).tan() * FRAMED;
    let distance = extent.reach.corners().map(|corner| {
        let corner = from_subject * (corner - middle);
        let aside = Vec2::new(corner.dot(seen.right()), corner.dot(seen.up())).abs();
        (aside / slope).max_element() - corner.dot(seen.forward())
    });
    at(distance.into_iter().fold(1e-3, f32::max))
}

/// Straight down on all of it, north up.
fn top(extent: &CrowdExtent, fov: f32) -> Camera {
    let size = 2.0 * extent.radius() + 1.5 * extent.height.max(extent.breadth);
    let distance = filling(1.08 * size, fov) + extent.full_height();
    let centre = extent.centre();
    Camera {
        eye: centre + Vec3::Y * distance,
        target: centre,
        fov,
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::{
        config::{Config, SceneConfig},
        scene::place,
    };

    const SIZE: Vec2 = Vec2::new(1600.0, 900.0);

    fn plaza(count: u32) -> CrowdExtent {
        let scene = SceneConfig {
            count,
            ..SceneConfig::default()
        };
        CrowdExtent::new(&place(&scene), 1.78)
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
        for (height, breadth) in [(1.75, 0.0), (0.02, 0.03), (90.0, 160.0)] {
            let extent = CrowdExtent {
                breadth,
                ..CrowdExtent::single(height)
            };
            let camera = Camera::preset("overview", &Config::default().camera, &extent, 16.0 / 9.0).expect("built-in");
            let half = 0.5 * breadth;
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
            let extent = CrowdExtent::new(&place(&config.scene), 1.8);
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
}
