//! Motion vectors lead from a picture to the next one.

use glam::{Vec2, Vec3};
use throng::{
    aov::FrameParameters,
    config::{Config, Technique},
    render::passes::{AovKind, ID_ATTACHMENT, ID_SCENERY},
    view::Camera,
};

use crate::labels::{SIZE, among, aov_renderer, config};

/// Checks that motion vectors lead from people in a picture to their places in the next one.
pub fn motion_leads_to_the_next(technique: Technique, config: &Config, still_camera: bool) {
    let Some(mut aov_renderer) = aov_renderer(config, technique) else {
        return;
    };
    let (time, step) = (4.0, 1.0 / 24.0);
    let moment = among(config, &aov_renderer, time);
    let mut next = among(config, &aov_renderer, time + step);
    if !still_camera {
        let camera = Camera {
            eye: next.camera.eye + Vec3::new(0.08, 0.02, -0.1),
            ..next.camera
        };
        next = FrameParameters::seen_by(config, camera, time + step);
    }
    let kinds = [AovKind::Ids, AovKind::Depth, AovKind::Motion];
    let now = aov_renderer.numbers(&moment, Some(&next), SIZE, &kinds).expect("draws");
    let then = aov_renderer.numbers(&next, Some(&next), SIZE, &kinds).expect("draws");
    // Motion to the same moment is zero.
    let still = then.floats(AovKind::Motion).iter().filter(|v| v.is_finite());
    let most = still.fold(0.0_f32, |most, v| most.max(v.abs()));
    // Rasterisers snap corners to a 256th of a pixel, which large triangles near the lens multiply.
    assert!(most < 0.1, "{technique:?}: {most} pixels to the same moment");

    let motion = now.floats(AovKind::Motion);
    let (mut kept, mut lost, mut moved) = (0, 0, 0.0_f32);
    for (at, &id) in now.ids().iter().enumerate() {
        if id == 0 || id & (ID_ATTACHMENT | ID_SCENERY) != 0 {
            continue;
        }
        let by = Vec2::new(motion[2 * at], motion[2 * at + 1]);
        let here = Vec2::new((at as u32 % SIZE.0) as f32 + 0.5, (at as u32 / SIZE.0) as f32 + 0.5);
        let there = here + by;
        if !there.is_finite()
            || there.cmplt(Vec2::ONE).any()
            || there.x + 1.0 >= SIZE.0 as f32
            || there.y + 1.0 >= SIZE.1 as f32
        {
            continue;
        }
        moved = moved.max(by.length());
        // At an outline, half a pixel of rounding may reach a neighbouring pixel.
        let near = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        let mut around = near.map(|(dx, dy)| {
            let (x, y) = ((there.x as i64 + dx) as u32, (there.y as i64 + dy) as u32);
            (then.ids()[(y * SIZE.0 + x) as usize], then.depth_at(x, y))
        });
        let arrived = around
            .any(|(other, depth)| other == id || depth < now.depth_at(at as u32 % SIZE.0, at as u32 / SIZE.0) - 0.1);
        if arrived { kept += 1 } else { lost += 1 }
    }
    eprintln!("{technique:?}: {kept} pixels arrive, {lost} do not; up to {moved} pixels");
    assert!(
        kept > 2000 && moved > 1.0,
        "{technique:?}: {kept} pixels, up to {moved}"
    );
    assert!(
        lost * 200 <= kept,
        "{technique:?}: {lost} of {kept} pixels of people do not arrive"
    );
}

#[test]
fn motion_carries_people_to_where_they_are_next() {
    for technique in [
        Technique::Matrix,
        Technique::Vertex,
        Technique::Live,
        Technique::Textbook,
        Technique::Preskinned,
    ] {
        motion_leads_to_the_next(technique, &config("plaza", 24), false);
    }
    motion_leads_to_the_next(Technique::Matrix, &config("plaza", 24), true);
}

#[test]
fn motion_of_the_surroundings_is_that_of_the_camera() {
    let config = config("plaza", 4);
    let Some(mut aov_renderer) = aov_renderer(&config, Technique::Matrix) else {
        return;
    };
    let moment = among(&config, &aov_renderer, 2.0);
    let turned = Camera {
        target: moment.camera.target + Vec3::X * 0.2,
        ..moment.camera
    };
    let next = FrameParameters::seen_by(&config, turned, 2.0);
    let kinds = [AovKind::Ids, AovKind::Depth, AovKind::Motion];
    let numbers = aov_renderer.numbers(&moment, Some(&next), SIZE, &kinds).expect("draws");
    let motion = numbers.floats(AovKind::Motion);
    let size = Vec2::new(SIZE.0 as f32, SIZE.1 as f32);
    let (mut ground, mut sky) = (0, 0);
    for (at, &id) in numbers.ids().iter().enumerate().filter(|(_, id)| **id == 0) {
        let (x, y) = (at as u32 % SIZE.0, at as u32 / SIZE.0);
        let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let ray = moment.camera.ray(pixel, size);
        let depth = numbers.depth_at(x, y);
        let far = if depth.is_finite() {
            depth / ray.direction.dot(moment.camera.forward())
        } else {
            1e6
        };
        let point = ray.origin + ray.direction * far;
        let there = turned.pixel_of(point, size).expect("in front");
        let error = (pixel + Vec2::new(motion[2 * at], motion[2 * at + 1])).distance(there);
        assert!(error < 0.05, "{id} at {pixel}: {error} pixels");
        if depth.is_finite() {
            ground += 1;
            assert!(point.y.abs() < 0.02 + far * 1e-3, "the ground is at {point}");
        } else {
            sky += 1;
        }
    }
    assert!(ground > 1000 && sky > 500, "{ground} of the ground, {sky} of the sky");
}
