//! Views framed for a crowd: `overview`, `street`, `close`, `top` and `plan`.

use glam::{Quat, Vec2, Vec3, Vec3Swizzles};

use crate::{crowd::CrowdExtent, model::Bounds, view::Camera};

/// Names of the views that every scene has.
pub const BUILT_IN_VIEWS: [&str; 5] = ["overview", "street", "close", "top", "plan"];

/// Field of view (radians) of plans. From so far away rays are nearly parallel: at the edge of the picture the head of
/// somebody of 1.8 m lies 3 cm beside the feet.
pub const PLAN_FOV: f32 = 2.0 * std::f32::consts::PI / 180.0;

/// Share of the picture, across and upwards, that a lone person may fill.
const FRAMED: f32 = 0.95;
/// Largest number of steps back, of a twentieth of its distance each, that an overview takes to show everyone.
const STEPS_BACK: u32 = 8;
/// Largest crowd of which an overview shows at least half, and the estimated share at which it does for certain.
const FEW: u32 = 1000;
const MOST_OF_FEW: f32 = 0.6;
/// Share of a crowd's half axes within which half of an even crowd stands.
const INNER: f32 = 0.7;
/// Farthest that an overview of few people steps back, in radii of a crowd that stands around an empty middle.
const AROUND_THE_MIDDLE: f32 = 1.3;

impl Camera {
    /// View of [`BUILT_IN_VIEWS`] by name; `None` for any other name. `aspect` is width / height of the picture, `fov`
    /// the vertical field of view (radians).
    #[must_use]
    pub fn built_in(name: &str, extent: &CrowdExtent, fov: f32, aspect: f32) -> Option<Self> {
        match name {
            "overview" => Some(overview(extent, fov, aspect)),
            "street" => Some(street(extent, fov)),
            "close" => Some(close(extent, fov, aspect)),
            "top" => Some(top(extent, fov)),
            "plan" => Some(plan(extent, aspect)),
            _ => None,
        }
    }

    /// Camera for a picture of `aspect` = width / height, composed for pictures at least `min_aspect` wide. Narrower
    /// pictures show as much from left to right, and more above and below.
    #[must_use]
    pub fn widened(&self, min_aspect: f32, aspect: f32) -> Self {
        let factor = min_aspect / aspect;
        if factor <= 1.0 {
            return *self;
        }
        Self {
            fov: 2.0 * ((0.5 * self.fov).tan() * factor).atan(),
            ..*self
        }
    }
}

/// Distance (m) at which `size` (m) just fills the height of the picture.
fn filling(size: f32, fov: f32) -> f32 {
    0.5 * size / (0.5 * fov).tan()
}

/// Overview: all of a small crowd. A large one is seen from above its middle, with the horizon in the upper third. The
/// nearest people are a sixth of the picture high.
fn overview(extent: &CrowdExtent, fov: f32, aspect: f32) -> Camera {
    if extent.count <= 1 || extent.radius() < 0.3 * extent.height {
        return close(extent, fov, aspect);
    }
    if let Some(elevation) = extent.elevation {
        return from_above(extent, elevation, fov, aspect);
    }
    let scale = extent.height / 1.75;
    let radius = extent.radius() / scale;
    // Show all of it while that is near enough. Beyond that the distance grows more slowly than the crowd, so that
    // people remain recognisable.
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
    let steps_to = |last: u32| (0..=last).map(|step| at(distance * (1.0 + 0.05 * step as f32)));
    // A few steps back are taken if they show everyone uncut.
    if let Some(whole) = steps_to(STEPS_BACK).find(|camera| shows_all(camera, extent, aspect)) {
        return whole;
    }
    // Houses may stand beyond the crowd's edge, but not around a crowd with an empty middle.
    let out = |place: &Vec3| place.xz().distance(extent.centre().xz());
    let places = extent.places.as_slice();
    let axes = (0.5 * (extent.max - extent.min))
        .xz()
        .max(Vec2::splat(f32::MIN_POSITIVE));
    let is_inner = |place: &&Vec3| ((**place - extent.centre()).xz() / axes).length() < INNER;
    let in_the_middle = places.iter().filter(is_inner).count();
    let is_around = in_the_middle * 4 < places.len();
    let farthest = extent.radius() * if is_around { AROUND_THE_MIDDLE } else { 1.0 };
    if extent.count > FEW {
        return at(distance);
    }
    let mut camera = at(distance);
    for farther in steps_to(u32::MAX).take_while(|camera| out(&camera.eye) < farthest) {
        camera = farther;
        if share_shown(&camera, extent, aspect) >= MOST_OF_FEW {
            break;
        }
    }
    camera
}

/// Approximate share of a crowd that a picture shows: of the extent's places, at half of the people's height.
fn share_shown(camera: &Camera, extent: &CrowdExtent, aspect: f32) -> f32 {
    let middle = 0.5 * extent.height * Vec3::Y;
    let is_shown = |place: &&Vec3| shows(camera, **place + middle, aspect);
    let places = extent.places.as_slice();
    places.iter().filter(is_shown).count() as f32 / places.len() as f32
}

/// True if a point lies in the picture.
fn shows(camera: &Camera, point: Vec3, aspect: f32) -> bool {
    let size = Vec2::new(aspect, 1.0);
    let pixel = camera.pixel_of(point, size);
    pixel.is_some_and(|p| p.cmpge(Vec2::ZERO).all() && p.cmple(size).all())
}

/// View of a whole crowd from an elevation (radians), as near as shows all of it.
fn from_above(extent: &CrowdExtent, elevation: f32, fov: f32, aspect: f32) -> Camera {
    let (sin, cos) = 0.2_f32.sin_cos();
    let towards = Vec3::new(sin * elevation.cos(), elevation.sin(), cos * elevation.cos());
    let middle = extent.centre() + Vec3::Y * 0.5 * extent.full_height();
    let at = |distance: f32| Camera {
        eye: middle + towards * distance,
        target: middle,
        fov,
    };
    let mut far = extent.height.max(0.1);
    while !shows_all(&at(far), extent, aspect) && far < 1e7 {
        far *= 2.0;
    }
    let mut near = 0.5 * far;
    for _ in 0..16 {
        let between = 0.5 * (near + far);
        if shows_all(&at(between), extent, aspect) {
            far = between;
        } else {
            near = between;
        }
    }
    at(1.05 * far)
}

/// True if all of a crowd lies in the picture.
fn shows_all(camera: &Camera, extent: &CrowdExtent, aspect: f32) -> bool {
    let aside = Vec3::new(1.0, 0.0, 1.0) * 0.5 * extent.width.max(0.3 * extent.height);
    let people = Bounds {
        min: extent.min - aside,
        max: extent.max + aside + Vec3::Y * extent.height,
    };
    people.corners().into_iter().all(|corner| shows(camera, corner, aspect))
}

/// Street view: at eye level, towards the centre.
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

/// Close view: one whole person from three quarters ahead.
pub(crate) fn close(extent: &CrowdExtent, fov: f32, aspect: f32) -> Camera {
    let (sin, cos) = (extent.subject_yaw + 0.5 + extent.close_turn).sin_cos();
    let towards = Vec3::new(sin, 0.16, cos);
    if !extent.reach.is_empty() {
        return framing(extent, towards, fov, aspect);
    }
    let size = extent.height.max(0.8 * extent.width).max(1e-3);
    let usual = filling(1.35 * size, fov) + 0.5 * extent.width.max(0.3 * extent.height);
    let distance = extent.close_distance * usual;
    let target = extent.subject + Vec3::Y * 0.5 * extent.height;
    Camera {
        eye: target + towards * distance,
        target,
        fov,
    }
}

/// Nearest camera in direction `towards` that keeps all of a lone person's reach within [`FRAMED`] of the picture.
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

/// Top view: straight down on the whole crowd, north up.
fn top(extent: &CrowdExtent, fov: f32) -> Camera {
    let size = 2.0 * extent.radius() + 1.5 * extent.height.max(extent.width);
    let distance = filling(1.08 * size, fov) + extent.full_height();
    let centre = extent.centre();
    Camera {
        eye: centre + Vec3::Y * distance,
        target: centre,
        fov,
    }
}

/// Plan: straight down on the whole crowd, north up, from so far away that nobody leans outwards.
fn plan(extent: &CrowdExtent, aspect: f32) -> Camera {
    let around = 0.75 * extent.height.max(extent.width);
    let half = 0.5 * (extent.max - extent.min).xz() + Vec2::splat(around);
    let size = 2.0 * half.y.max(half.x / aspect);
    let centre = extent.centre();
    Camera {
        eye: centre + Vec3::Y * (filling(1.08 * size, PLAN_FOV) + extent.full_height()),
        target: centre,
        fov: PLAN_FOV,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_shows_everybody_from_straight_above() {
        for (x, z, aspect) in [(30.0, 2.0, 1.78), (2.0, 30.0, 1.0), (400.0, 300.0, 0.6)] {
            let extent = CrowdExtent {
                min: Vec3::new(-x, 0.0, 5.0),
                max: Vec3::new(x, 0.0, 5.0 + z),
                count: 9,
                ..CrowdExtent::single(1.8)
            };
            let camera = Camera::built_in("plan", &extent, 0.8, aspect).expect("a view");
            assert!(shows_all(&camera, &extent, aspect));
            let size = Vec2::new(1000.0 * aspect, 1000.0);
            let metre = camera.pixel_of(extent.min, size).expect("ahead")
                - camera.pixel_of(extent.min + Vec3::X, size).expect("ahead");
            let head = camera.pixel_of(extent.min + 1.8 * Vec3::Y, size).expect("ahead");
            let feet = camera.pixel_of(extent.min, size).expect("ahead");
            assert!(
                head.distance(feet) < 0.035 * metre.length() * aspect.max(1.0),
                "{head} {feet}"
            );
            let middle = extent.centre();
            let usual = camera.at_fov(0.8);
            assert_eq!((usual.fov, usual.target), (0.8, middle));
            let height = |camera: &Camera| camera.distance() * (0.5 * camera.fov).tan();
            assert!((height(&usual) / height(&camera) - 1.0).abs() < 1e-3);
        }
    }

    #[test]
    fn a_view_from_above_shows_everybody_and_little_else() {
        for (x, z, aspect) in [
            (30.0, 2.0, 1.78),
            (2.0, 30.0, 1.0),
            (400.0, 300.0, 0.6),
            (1.0, 1.0, 2.0),
        ] {
            let extent = CrowdExtent {
                min: Vec3::new(-x, 0.0, 5.0),
                max: Vec3::new(x, 3.0, 5.0 + z),
                count: 9,
                elevation: Some(0.6),
                ..CrowdExtent::single(1.8)
            };
            let camera = overview(&extent, 0.8, aspect);
            assert!(shows_all(&camera, &extent, aspect));
            let nearer = Camera {
                eye: camera.target + 0.9 * (camera.eye - camera.target),
                ..camera
            };
            assert!(!shows_all(&nearer, &extent, aspect), "{x} {z} {aspect}");
        }
    }
}
