//! Width scale: bounds and normals of broad and narrow people, in every technique, as on the CPU.

use glam::{Vec2, Vec3};
use throng::{
    aov::{AovImages, AovRenderer, AovValues, FrameParameters},
    bake::skinning,
    config::{Config, GroupConfig, Layout, Phase, Raster, Technique},
    crowd::clock::Clock,
    render::passes::AovKind,
    scene::PersonRef,
    view::Camera,
};

use crate::{common, labels};

const SIZE: (u32, u32) = (400, 300);

/// A few people, as different as settings allow, at the start of a clip, where every technique has the same pose.
fn config(technique: Technique) -> Config {
    let mut config = labels::config("plaza", 6);
    (config.window.width, config.window.height) = SIZE;
    config.scene.layout = Layout::Grid;
    let run_parallel = GroupConfig {
        phase: Some(Phase::Together),
        ..GroupConfig::default()
    };
    config.scene.groups = [("crowd".to_owned(), run_parallel)].into();
    config.scene.speed = 0.0;
    config.scene.width_scale_spread = 0.2;
    config.render.technique = technique;
    config
}

fn amodal(aov_renderer: &mut AovRenderer, who: u32, moment: &FrameParameters) -> AovImages {
    let kinds = [AovKind::Ids, AovKind::Normal];
    aov_renderer.numbers_of(who, moment, SIZE, &kinds).expect("draws")
}

/// Outermost columns and rows of a person.
fn seen_box(numbers: &AovImages, id: u32) -> [Vec2; 2] {
    let places = numbers.ids().iter().enumerate().filter(|(_, own)| **own == id);
    let pixels = places.map(|(at, _)| Vec2::new((at % SIZE.0 as usize) as f32, (at / SIZE.0 as usize) as f32));
    pixels.fold([Vec2::MAX, Vec2::MIN], |[low, high], at| [low.min(at), high.max(at)])
}

/// Triangles of a person in the world: positions and normals.
fn triangles(
    aov_renderer: &AovRenderer,
    who: PersonRef,
    moment: &FrameParameters,
    technique: Technique,
) -> Vec<[skinning::SkinnedVertex; 3]> {
    let person = aov_renderer
        .scene
        .posed(who, Clock::from_seconds(moment.time), moment.camera.eye, &[])
        .expect("is there");
    let world = person.world_from_model();
    let mesh = &person.character.model.mesh;
    let posed = match technique {
        Technique::Static => skinning::skin(mesh, &vec![glam::Affine3A::IDENTITY; person.palette.len()]),
        _ => skinning::skin(mesh, &person.palette),
    };
    let placed = posed.into_iter().map(|v| skinning::SkinnedVertex {
        position: world.transform_point3(v.position),
        normal: skinning::transform_normal(world.matrix3, v.normal),
        ..v
    });
    let placed: Vec<_> = placed.collect();
    let corners = mesh.indices.chunks_exact(3);
    corners.map(|t| [0, 1, 2].map(|i| placed[t[i] as usize])).collect()
}

/// Normal of the nearest triangle at a pixel's centre.
fn normal_at(camera: &Camera, triangles: &[[skinning::SkinnedVertex; 3]], pixel: Vec2) -> Option<Vec3> {
    let ray = camera.ray(pixel + 0.5, Vec2::new(SIZE.0 as f32, SIZE.1 as f32));
    let hits = triangles.iter().filter_map(|[a, b, c]| {
        let (ab, ac) = (b.position - a.position, c.position - a.position);
        let across = ray.direction.cross(ac);
        let whole = ab.dot(across);
        let from = ray.origin - a.position;
        let u = from.dot(across) / whole;
        let beside = from.cross(ab);
        let v = ray.direction.dot(beside) / whole;
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
        let normal = a.normal * (1.0 - u - v) + b.normal * u + c.normal * v;
        inside.then(|| (ac.dot(beside) / whole, normal.normalize_or_zero()))
    });
    hits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|hit| hit.1)
}

/// Angles (degrees) between normals of the AOV and those of the CPU, of every seventh pixel, sorted.
fn turned(numbers: &AovImages, id: u32, triangles: &[[skinning::SkinnedVertex; 3]], camera: &Camera) -> Vec<f32> {
    let AovValues::F16(normals) = &numbers.layers[&AovKind::Normal] else {
        panic!("normals are not f16")
    };
    let own = numbers.ids().iter().enumerate().filter(|(_, own)| **own == id);
    let mut degrees: Vec<f32> = own
        .step_by(7)
        .filter_map(|(at, _)| {
            let pixel = Vec2::new((at % SIZE.0 as usize) as f32, (at / SIZE.0 as usize) as f32);
            let told = Vec3::from([0, 1, 2].map(|i| normals[4 * at + i].to_f32()));
            Some(normal_at(camera, triangles, pixel)?.angle_between(told).to_degrees())
        })
        .collect();
    degrees.sort_by(f32::total_cmp);
    degrees
}

#[test]
fn bodies_have_their_width_scale_and_normals_of_a_stretched_body() {
    let techniques = [
        Technique::Matrix,
        Technique::Vertex,
        Technique::Live,
        Technique::Static,
        Technique::Textbook,
        Technique::Preskinned,
    ];
    for technique in techniques {
        let Some(gpu) = common::gpu::open() else { return };
        let config = config(technique);
        let mut aov_renderer = labels::observer_on(gpu, &config, technique, Raster::Hardware);
        let everyone: Vec<PersonRef> = aov_renderer.scene.everyone().collect();
        let mut breadths = Vec::new();
        for (number, who) in everyone.into_iter().enumerate() {
            let id = number as u32 + 1;
            let instance = aov_renderer.scene.crowd.per_character[who.character][who.index as usize];
            breadths.push(instance.width_scale());
            let place = Vec3::from(instance.position);
            let camera = Camera {
                eye: place + Vec3::new(1.1, 1.5, 3.2),
                target: place + Vec3::Y * 0.9,
                fov: 0.75,
            };
            let moment = FrameParameters::seen_by(&config, camera, 0.0);
            let numbers = amodal(&mut aov_renderer, number as u32, &moment);
            let triangles = triangles(&aov_renderer, who, &moment, technique);
            let size = Vec2::new(SIZE.0 as f32, SIZE.1 as f32);
            let corners = triangles
                .iter()
                .flatten()
                .filter_map(|v| camera.pixel_of(v.position, size));
            let [low, high] = corners.fold([Vec2::MAX, Vec2::MIN], |[low, high], at| [low.min(at), high.max(at)]);
            let [left_top, right_bottom] = seen_box(&numbers, id);
            let off = (left_top - low)
                .abs()
                .max((right_bottom + 1.0 - high).abs())
                .max_element();
            assert!(
                off < 1.5,
                "{technique:?}: {off} pixels off, width scale {}",
                instance.width_scale()
            );
            let degrees = turned(&numbers, id, &triangles, &camera);
            let most = degrees[degrees.len() * 95 / 100];
            assert!(
                degrees.len() > 100 && most < 2.0,
                "{technique:?}: normals {most} degrees off, width scale {}",
                instance.width_scale()
            );
        }
        let [narrow, broad] = [
            breadths.iter().copied().fold(2.0, f32::min),
            breadths.iter().copied().fold(0.0, f32::max),
        ];
        assert!(narrow <= 0.9 && broad >= 1.1, "{breadths:?}");
    }
}
