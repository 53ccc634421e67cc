//! Point tracks of films against the same vertices, skinned on the CPU and projected.

use std::path::Path;

use glam::{Vec2, Vec3};
use serde_json::Value;
use throng::{
    aov::FrameParameters,
    config::{Config, Raster, Technique},
    film::{FilmPlan, FrameFiles, FrameRate, MotionBlur, Shard},
    label::{LabelOptions, PictureRequest, Recorder, SurfacePoints, record_film},
    scene::Scene,
};

use crate::{
    common,
    labels::{config, observer_on},
};

const SIZE: (u32, u32) = (320, 180);
const FRAMES: usize = 3;
const POINTS: u32 = 24;

fn array(folder: &Path, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(folder.join("film.points").join(name)).expect("written");
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[head..].to_vec()
}

fn scene_of_people() -> Config {
    let mut config = config("plaza", 14);
    config.scene.characters = vec!["man".into()];
    config.scene.spacing = 1.2;
    config.camera.start = "street".to_owned();
    (config.window.width, config.window.height) = SIZE;
    config
}

/// Vertices of everybody in the world (m), by number.
fn bodies(scene: &Scene, moment: &FrameParameters) -> Vec<Vec<Vec3>> {
    let everyone = scene.everyone();
    let posed = everyone.filter_map(|who| scene.posed(who, moment.input.clock, moment.camera.eye, &scene.heroes));
    posed.map(|person| person.vertices()).collect()
}

/// True if a triangle of anybody crosses the way to a point, farther from it than `room` (m).
fn is_blocked(scene: &Scene, bodies: &[Vec<Vec3>], eye: Vec3, point: Vec3, room: f32) -> bool {
    let way = point - eye;
    let limit = 1.0 - room / way.length();
    let indices = &scene.characters[0].model.mesh.indices;
    bodies.iter().any(|body| {
        let middle = body[0];
        let nearest = eye + way * ((middle - eye).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        nearest.distance(middle) < 2.5
            && indices.chunks_exact(3).any(|triangle| {
                let [a, b, c] = [0, 1, 2].map(|corner| body[triangle[corner] as usize]);
                let (ab, ac) = (b - a, c - a);
                let across = way.cross(ac);
                let determinant = ab.dot(across);
                if determinant.abs() < 1e-12 {
                    return false;
                }
                let u = (eye - a).dot(across) / determinant;
                let other = (eye - a).cross(ab);
                let v = way.dot(other) / determinant;
                let at = ac.dot(other) / determinant;
                u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at > 0.0 && at < limit
            })
    })
}

#[test]
fn tracks_are_the_projected_vertices_and_hidden_ones_are_occluded() {
    let Some(gpu) = common::gpu::open() else { return };
    let config = scene_of_people();
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = PictureRequest {
        size: SIZE,
        passes: "color".parse().expect("passes"),
        labels: Some(LabelOptions {
            formats: "point-tracks".parse().expect("formats"),
            surface_points: POINTS,
            ..LabelOptions::default()
        }),
        effects: Vec::new(),
    };
    let renderer = observer_on(gpu, &config, Technique::Matrix, Raster::Hardware);
    let mut recorder = Recorder::new(renderer, wanted);
    let plan = FilmPlan {
        frames: 0..FRAMES as u64,
        rate: FrameRate::whole(4),
        start: 2.0,
        blur: MotionBlur::OFF,
        shard: Shard::WHOLE,
    };
    let pattern = format!("{}/film_%02d.png", folder.path().display())
        .parse()
        .expect("a pattern");
    let files = FrameFiles::open(pattern, SIZE, &Value::Null, &plan, false).expect("a folder");
    record_film(&mut recorder, &config, &plan, &files, |_| ()).expect("records");

    let scene = &recorder.aov_renderer().scene;
    let chosen = SurfacePoints::spread_over(&scene.characters[0], POINTS).vertices;
    let person: Vec<u32> = bytemuck::pod_collect_to_vec(&array(folder.path(), "person.npy"));
    let points: Vec<f32> = bytemuck::pod_collect_to_vec(&array(folder.path(), "points.npy"));
    let occluded = array(folder.path(), "occluded.npy");
    assert_eq!(
        (points.len(), occluded.len()),
        (person.len() * FRAMES * 2, person.len() * FRAMES)
    );
    assert_eq!(
        array(folder.path(), "video.npy").len(),
        FRAMES * SIZE.0 as usize * SIZE.1 as usize * 3
    );
    let (mut seen, mut hidden, mut wrong, mut free) = (0, 0, 0, 0);
    for frame in 0..FRAMES {
        let moment = FrameParameters::of(&config, scene, plan.time(frame as u64)).expect("a view");
        let bodies = bodies(scene, &moment);
        // Vertices in the picture that no triangle hides.
        for point in bodies
            .iter()
            .flat_map(|body| chosen.iter().map(|&vertex| body[vertex as usize]))
        {
            let pixel = moment.pixel_of(point, SIZE);
            let is_inside =
                pixel.is_some_and(|at| at.cmpge(Vec2::ZERO).all() && at.x < SIZE.0 as f32 && at.y < SIZE.1 as f32);
            free += u32::from(is_inside && !is_blocked(scene, &bodies, moment.camera.eye, point, 0.005));
        }
        for (track, own) in person.iter().enumerate() {
            let place = track * FRAMES + frame;
            let told = Vec2::new(points[2 * place] * SIZE.0 as f32, points[2 * place + 1] * SIZE.1 as f32);
            // Tracks that are never visible are left out: the vertex is the one whose place fits.
            let places = chosen.iter().map(|&vertex| bodies[*own as usize - 1][vertex as usize]);
            let nearest = places.min_by(|a, b| {
                let off = |point: &Vec3| {
                    moment
                        .pixel_of(*point, SIZE)
                        .map_or(f32::MAX, |pixel| pixel.distance(told))
                };
                off(a).total_cmp(&off(b))
            });
            let point = nearest.expect("points");
            let pixel = moment.pixel_of(point, SIZE).expect("in front");
            let is_inside = pixel.cmpge(Vec2::ZERO).all() && pixel.x < SIZE.0 as f32 && pixel.y < SIZE.1 as f32;
            if occluded[place] == 0 {
                assert!(pixel.distance(told) < 0.01 && is_inside, "{pixel} {told}");
                seen += 1;
                // As docs/labels.md states, and a little more: the way to the point is longer than its depth.
                let room = 1.2 * (0.015 + 3.0 * moment.depth_of(point) / moment.focal_length(SIZE.1));
                wrong += u32::from(is_blocked(scene, &bodies, moment.camera.eye, point, room));
            } else if is_inside && pixel.distance(told) < 0.01 {
                hidden += 1;
            }
        }
    }
    assert!(seen > 60 && hidden > 0, "{seen} seen, {hidden} hidden");
    // Points count as hidden where the centre of their pixel shows something else: at the outlines of small people.
    assert!(seen * 2 >= free, "{seen} of {free} unobstructed points are visible");
    assert!(
        wrong * 50 <= seen,
        "{wrong} of {seen} visible points have somebody before them"
    );
}
