//! Motion vectors of actors against the CPU: the point that a pixel shows is, in the next frame, where they say.

use glam::{Quat, Vec2, Vec3};
use throng::{
    aov::{AovImages, AovRenderer, FrameParameters},
    atlas::AtlasFormat,
    character::Character,
    config::{Config, Technique},
    crowd::{
        Clock,
        actors::{Actor, ActorClip, ActorId},
    },
    render::{Actors, DrawMethod, RenderOptions, passes::AovKind, resources::AtlasSource},
    scene::{Scene, StartupTimes},
    view::Camera,
};

use crate::{actors::reference, common};

const SIZE: (u32, u32) = (160, 120);
/// Time of the picture and of the next one (s).
const TIMES: [f64; 2] = [1.6, 1.6 + 1.0 / 24.0];
const SCALE: f32 = 1.2;
/// Smallest difference of depths (m) at which one of two surfaces is certainly in front.
const NEARER: f32 = 0.01;

/// Actor's triangles in both frames: position in the picture (px) and distance along the camera's axis (m).
struct Moved {
    now: Vec<Option<(Vec2, f32)>>,
    next: Vec<Option<Vec2>>,
}

fn spawn(actors: &Actors) -> Vec<ActorId> {
    let at = Clock::from_seconds;
    (0..4_u16)
        .map(|number| {
            let position = [f32::from(number) - 1.5, 0.0, -0.4 * f32::from(number)];
            let actor = Actor {
                position,
                yaw: 0.7 * f32::from(number),
                clip: ActorClip::new(number),
                scale: SCALE,
                ..Actor::default()
            };
            let id = actors.spawn(&actor).expect("there is room");
            // Two fades are under way, so that three clips show; the last actor plays one clip and stands.
            if number < 3 {
                let [second, third] = [1, 2].map(|more| ActorClip::new((number + more) % 4));
                actors.play(id, &second, at(1.1), 0.8).expect("in order");
                actors.play(id, &third, at(1.4), 0.5).expect("in order");
                let target = [position[0] + 1.5, 0.3, position[2] + 0.8];
                actors
                    .move_to(id, at(1.0)..at(2.5), target, actor.yaw + 2.0)
                    .expect("in order");
            }
            id
        })
        .collect()
}

/// Vertices of an actor in both frames.
fn moved(character: &Character, actors: &Actors, id: ActorId, frames: &[FrameParameters; 2]) -> Moved {
    let vertices = |frame: &FrameParameters| -> Vec<Vec3> {
        let state = actors.state(id, frame.input.clock).expect("lives");
        let turn = Quat::from_rotation_y(state.place.yaw);
        let vertices = reference(character, &state.blend).into_iter();
        vertices
            .map(|vertex| state.place.position + turn * (vertex * SCALE))
            .collect()
    };
    let [now, next] = frames;
    let distance = |point: Vec3| (point - now.camera.eye).dot(now.camera.forward());
    let here = |point: Vec3| now.pixel_of(point, SIZE).map(|pixel| (pixel, distance(point)));
    Moved {
        now: vertices(now).into_iter().map(here).collect(),
        next: vertices(next)
            .into_iter()
            .map(|point| next.pixel_of(point, SIZE))
            .collect(),
    }
}

/// Nearest point of an actor at each pixel: its distance (m), and the way to where it is in the next frame (px).
fn expected(indices: &[u32], moved: &Moved) -> Vec<Option<(f32, Vec2)>> {
    let mut nearest: Vec<Option<(f32, Vec2)>> = vec![None; (SIZE.0 * SIZE.1) as usize];
    for corners in indices.chunks_exact(3) {
        let corner = |number: usize| {
            let index = corners[number] as usize;
            Some((moved.now[index]?, moved.next[index]?))
        };
        let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else {
            continue;
        };
        let [(pa, _), (pb, _), (pc, _)] = [a.0, b.0, c.0];
        let area = (pb - pa).perp_dot(pc - pa);
        if area.abs() < 1e-6 {
            continue;
        }
        let low = pa.min(pb).min(pc).max(Vec2::ZERO);
        let high = pa.max(pb).max(pc).min(Vec2::new(SIZE.0 as f32, SIZE.1 as f32));
        for y in low.y as u32..high.y.ceil() as u32 {
            for x in low.x as u32..high.x.ceil() as u32 {
                let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let shares = [
                    (pb - pixel).perp_dot(pc - pixel) / area,
                    (pc - pixel).perp_dot(pa - pixel) / area,
                    (pa - pixel).perp_dot(pb - pixel) / area,
                ];
                if shares.iter().any(|share| *share < 0.0) {
                    continue;
                }
                // Perspective: shares of the picture are those of the reciprocal distances. What they weigh is linear
                // in the world, and the next frame's pixel of a small triangle nearly so.
                let weighed = [a, b, c].map(|corner| corner.0.1.recip());
                let sum: f32 = shares.iter().zip(weighed).map(|(share, weight)| share * weight).sum();
                let depth = sum.recip();
                let parts = [0, 1, 2].map(|at| shares[at] * weighed[at] * depth);
                let there = a.1 * parts[0] + b.1 * parts[1] + c.1 * parts[2];
                let place = &mut nearest[(y * SIZE.0 + x) as usize];
                if place.is_none_or(|(other, _)| depth < other) {
                    *place = Some((depth, there - pixel));
                }
            }
        }
    }
    nearest
}

fn frames(config: &Config) -> [FrameParameters; 2] {
    let camera = Camera {
        eye: Vec3::new(0.4, 1.7, 4.6),
        target: Vec3::new(0.2, 0.9, -0.6),
        fov: 0.7,
    };
    let next = Camera {
        eye: camera.eye + Vec3::new(0.06, 0.02, -0.05),
        ..camera
    };
    [(camera, TIMES[0]), (next, TIMES[1])].map(|(camera, time)| FrameParameters::seen_by(config, camera, time))
}

/// Errors of the motion vectors (px) of an actor's pixels, and the longest vector.
fn errors(numbers: &AovImages, number: u32, expected: &[Option<(f32, Vec2)>]) -> (Vec<f32>, f32) {
    let (motion, depth) = (numbers.floats(AovKind::Motion), numbers.floats(AovKind::Depth));
    let (mut errors, mut longest) = (Vec::new(), 0.0_f32);
    for (at, &id) in numbers.ids().iter().enumerate() {
        // The person of the scene has the first id.
        if id != 2 + number {
            continue;
        }
        // At outlines of one limb before another both rasterizers may choose another surface: they are errors, too,
        // unless the pixel's centre misses the actor by less than rounding.
        let Some((distance, way)) = expected[at] else { continue };
        let vector = Vec2::new(motion[2 * at], motion[2 * at + 1]);
        let same = (depth[at] - distance).abs() < NEARER;
        errors.push(if same { vector.distance(way) } else { f32::INFINITY });
        longest = longest.max(vector.length());
    }
    (errors, longest)
}

#[test]
fn motion_vectors_of_actors_lead_to_the_next_frame() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut config = Config::default();
    config.scene.characters = vec!["man".into()];
    config.scene.count = 1;
    config.render.detail = 0.0;
    (config.window.width, config.window.height) = SIZE;
    let scene = Scene::load(&config, &mut StartupTimes::default()).expect("loads");
    let character = scene.characters[0].clone();
    let method = DrawMethod::new(Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage);
    let mut renderer = common::gpu::renderer(&gpu, &scene, RenderOptions::of(method));
    let actors = renderer.actors(0, 50).expect("fits");
    let ids = spawn(&actors);
    let mut aov = AovRenderer::new(gpu, scene, renderer);
    let frames = frames(&config);
    let kinds = [AovKind::Ids, AovKind::Depth, AovKind::Motion];
    let [now, next] = &frames;
    let numbers = aov.numbers(now, Some(next), SIZE, &kinds).expect("draws");
    let blends = ids.iter().filter(|id| {
        let state = actors.state(**id, now.input.clock).expect("lives");
        state.blend.third > 0.05 && state.blend.fade < 0.95
    });
    assert_eq!(blends.count(), 3, "three clips of three actors show");
    let (mut all, mut longest) = (Vec::new(), 0.0_f32);
    for &id in &ids {
        let moved = moved(&character, &actors, id, &frames);
        let expected = expected(&character.model.mesh.indices, &moved);
        let (errors, most) = errors(&numbers, id.index(), &expected);
        assert!(errors.len() > 300, "{} pixels of {id:?}", errors.len());
        all.extend(errors);
        longest = longest.max(most);
    }
    let within = all.iter().filter(|error| **error <= 0.5).count();
    let share = within as f64 / all.len() as f64;
    println!(
        "{within} of {} pixels ({:.2} %) are where the vectors say; the longest is {longest:.1} px",
        all.len(),
        share * 100.0
    );
    assert!(longest > 3.0, "nobody moves");
    assert!(share >= 0.99, "{share}");
    assert_eq!(aov.gpu.take_error(), None);
}
