//! Cameras of benchmarks: `overview` shows every instance from the shortest possible distance.

use glam::{Vec2, Vec3};

use crate::{bench::BenchView, config::CameraConfig, crowd::CrowdExtent, scene::ViewError, view::Camera};

/// Elevation of the overview camera above the ground, seen from the crowd's centre (rad).
const ELEVATION: f32 = 0.7;

/// Camera of a view.
///
/// # Errors
/// None for the built-in views.
pub(super) fn camera(
    view: BenchView,
    config: &CameraConfig,
    extent: &CrowdExtent,
    size: (u32, u32),
) -> Result<Camera, ViewError> {
    match view {
        BenchView::Overview => Ok(overview(extent, config.fov.to_radians(), size)),
        BenchView::Street | BenchView::Close => {
            Camera::preset(view.name(), config, extent, size.0 as f32 / size.1 as f32)
        }
    }
}

/// Nearest camera of a fixed direction that sees the whole bounding box of the crowd.
fn overview(extent: &CrowdExtent, fov: f32, size: (u32, u32)) -> Camera {
    let corners = corners(extent);
    let centre = corners.iter().sum::<Vec3>() / corners.len() as f32;
    let radius = corners.iter().map(|c| c.distance(centre)).fold(0.1, f32::max);
    let direction = Vec3::new(0.0, ELEVATION.sin(), ELEVATION.cos());
    let at = |distance: f32| Camera {
        eye: centre + direction * distance,
        target: centre,
        fov,
    };
    // At this distance the whole bounding sphere is in view, in the narrower direction too.
    let aspect = size.0 as f32 / size.1 as f32;
    let (mut near, mut far) = (radius, 1.1 * radius * aspect.max(1.0 / aspect) / (0.5 * fov).sin());
    for _ in 0..24 {
        let middle = 0.5 * (near + far);
        if sees(&at(middle), &corners, size) {
            far = middle;
        } else {
            near = middle;
        }
    }
    at(far)
}

/// True if all points lie inside the picture, 1 % of its size away from its edges.
fn sees(camera: &Camera, points: &[Vec3], size: (u32, u32)) -> bool {
    let size = Vec2::new(size.0 as f32, size.1 as f32);
    let margin = 0.01 * size;
    let inside = |p: Vec2| p.cmpge(margin).all() && p.cmple(size - margin).all();
    points.iter().all(|&p| camera.pixel_of(p, size).is_some_and(inside))
}

/// Corners of the bounding box of all people, arms and heads included.
fn corners(extent: &CrowdExtent) -> [Vec3; 8] {
    let reach = 0.5 * extent.width.max(extent.height);
    let min = extent.min - Vec3::new(reach, 0.0, reach);
    let max = extent.max + Vec3::new(reach, 1.2 * extent.height, reach);
    std::array::from_fn(|i| {
        let pick = |bit: usize, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
        Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Config, Layout, SceneConfig},
        scene::place,
    };

    #[test]
    fn overview_frames_everyone_tightly() {
        for (count, size) in [
            (1, (320, 180)),
            (40, (320, 180)),
            (5000, (1920, 1080)),
            (900, (400, 800)),
        ] {
            let scene = SceneConfig {
                count,
                layout: Layout::Grid,
                spacing: 1.0,
                ..SceneConfig::default()
            };
            let extent = CrowdExtent::new(place(&scene).iter().map(crate::scene::Placement::spot), 1.8);
            let camera = camera(BenchView::Overview, &Config::default().camera, &extent, size).expect("built-in");
            assert!(sees(&camera, &corners(&extent), size), "{count} {size:?}");
            let nearer = Camera {
                eye: camera.eye.lerp(camera.target, 0.05),
                ..camera
            };
            assert!(
                !sees(&nearer, &corners(&extent), size),
                "{count} {size:?}: too far away"
            );
        }
    }
}
