//! Outputs beside colour in a host's passes: ids, depth, normals and motion vectors of actors.

use glam::{Mat4, Vec2, Vec3, camera::rh};
use throng::{
    crowd::{
        Clock,
        actors::{Actor, ActorClip, ActorId},
    },
    gpu::{Gpu, encoder, read_texture, target_texture, whole_view},
    render::{
        Actors, CrowdOptions, CrowdRenderer, DepthConvention, DepthTarget, NextMoment, Targets, TimedView, View,
        passes::AovKind,
    },
};

use crate::{actors_drawn::opened, common};

const SIZE: (u32, u32) = (96, 96);
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const KINDS: [AovKind; 4] = [AovKind::Ids, AovKind::Depth, AovKind::Normal, AovKind::Motion];

struct Stage {
    gpu: Gpu,
    crowd: CrowdRenderer,
    actors: Actors,
    convention: DepthConvention,
}

fn view(eye: Vec3, convention: DepthConvention) -> View {
    let projection: Mat4 = match convention {
        DepthConvention::Reversed => rh::proj::directx::perspective_infinite_reverse(0.6, 1.0, 0.1),
        DepthConvention::Standard => rh::proj::directx::perspective(0.6, 1.0, 0.1, 100.0),
    };
    let projection_from_world = projection * rh::view::look_at_mat4(eye, Vec3::Y, Vec3::Y);
    View {
        size: Some(SIZE),
        ..View::from_arrays(projection_from_world.to_cols_array_2d(), eye.to_array())
    }
}

impl Stage {
    fn new(convention: DepthConvention) -> Option<Self> {
        let gpu = common::gpu::open()?;
        let targets = Targets {
            color: wgpu::TextureFormat::Rgba16Float,
            depth: DepthTarget {
                format: DEPTH,
                convention,
            },
            samples: 4,
        };
        let mut crowd = CrowdRenderer::with_options(&gpu, targets, CrowdOptions::default()).expect("compiles");
        let man = crowd.add_character(opened("man")).expect("fits");
        let actors = crowd.actors(man, 20).expect("fits");
        Some(Self {
            gpu,
            crowd,
            actors,
            convention,
        })
    }

    /// Somebody whose clip stands still and who walks a metre a second along +X.
    fn slide(&self, position: [f32; 3]) -> ActorId {
        let actor = Actor {
            position,
            clip: ActorClip {
                speed: 0.0,
                start: 0.3,
                ..ActorClip::new(1)
            },
            ..Actor::default()
        };
        let id = self.actors.spawn(&actor).expect("there is room");
        let to = [position[0] + 10.0, position[1], position[2]];
        let times = Clock::default()..Clock::from_seconds(10.0);
        self.actors.move_to(id, times, to, 0.0).expect("in order");
        id
    }

    /// Bytes of an output after a pass whose depth begins at `begin`.
    fn output(&self, kind: AovKind, motion: Option<&NextMoment>, begin: f32) -> Vec<u8> {
        let color = target_texture(
            &self.gpu,
            "output",
            SIZE,
            kind.format(),
            1,
            wgpu::TextureUsages::COPY_SRC,
        );
        let depth = target_texture(&self.gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::empty());
        let mut encoder = encoder(&self.gpu, "outputs");
        let (color_view, depth) = (whole_view(&color, "output"), whole_view(&depth, "depth"));
        let mut pass = common::gpu::host_pass(&mut encoder, &color_view, &depth, Some(begin));
        self.crowd.draw_output(&mut pass, kind, SIZE, motion);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        read_texture(&self.gpu, &color).expect("readback")
    }

    const fn far(&self) -> f32 {
        match self.convention {
            DepthConvention::Reversed => 0.0,
            DepthConvention::Standard => 1.0,
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(bytes)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(bytes)
}

fn check(convention: DepthConvention) {
    let Some(mut stage) = Stage::new(convention) else {
        return;
    };
    let ids = [[-0.9, 0.0, 0.3], [0.2, 0.0, -1.2]].map(|position| stage.slide(position));
    let eye = Vec3::new(0.3, 1.3, 5.0);
    let [now, before] = [
        view(eye, convention),
        view(eye + Vec3::new(0.05, 0.0, 0.02), convention),
    ];
    let times = [0.5, 0.4].map(Clock::from_seconds);
    let timed = |view, time| TimedView { view, time };
    stage.crowd.prepare_outputs(&KINDS).expect("compiles");
    let motion = stage
        .crowd
        .pose_motion(timed(&now, times[0]), timed(&before, times[1]))
        .expect("fits");
    let mut encoder = encoder(&stage.gpu, "frame");
    stage.crowd.prepare(&mut encoder, &now, times[0]);
    stage.gpu.queue.submit([encoder.finish()]);
    let far = stage.far();
    let owners = words(&stage.output(AovKind::Ids, None, far));
    let depth = floats(&stage.output(AovKind::Depth, None, far));
    let vectors = floats(&stage.output(AovKind::Motion, Some(&motion), far));
    let normals: Vec<half::f16> = bytemuck::pod_collect_to_vec(&stage.output(AovKind::Normal, None, far));
    let world_from_projection = now.projection_from_world.inverse();
    let size = Vec2::new(SIZE.0 as f32, SIZE.1 as f32);
    let mut counts = [0_u32; 2];
    let (mut facing, mut worst, mut longest) = (0, 0.0_f32, 0.0_f32);
    for (at, &id) in owners.iter().enumerate().filter(|(_, id)| **id > 0) {
        let who = ids
            .iter()
            .position(|actor| actor.index() + 1 == id)
            .expect("an actor's id");
        counts[who] += 1;
        let pixel = Vec2::new((at as u32 % SIZE.0) as f32 + 0.5, (at as u32 / SIZE.0) as f32 + 0.5);
        let unit = pixel / size * 2.0 - 1.0;
        let toward = world_from_projection.project_point3(Vec3::new(unit.x, -unit.y, 0.5)) - eye;
        let forward = (Vec3::Y - eye).normalize();
        let point = eye + toward * (depth[at] / toward.dot(forward));
        let normal = Vec3::from_array([0, 1, 2].map(|axis| normals[4 * at + axis].to_f32()));
        assert!((normal.length() - 1.0).abs() < 0.01, "{normal}");
        facing += u32::from(normal.dot(toward) < 0.0);
        // A tenth of a second ago the point was a tenth of a metre to the left.
        let there = before.projection_from_world.project_point3(point - Vec3::X * 0.1);
        let there = (Vec2::new(there.x, -there.y) * 0.5 + 0.5) * size;
        let vector = Vec2::new(vectors[2 * at], vectors[2 * at + 1]);
        worst = worst.max((pixel + vector).distance(there));
        longest = longest.max(vector.length());
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?} pixels");
    let pixels: u32 = counts.iter().sum();
    assert!(
        facing * 100 >= pixels * 95,
        "{facing} of {pixels} normals face the camera"
    );
    println!("{convention:?}: {pixels} pixels, motion within {worst:.3} px, up to {longest:.1} px");
    assert!(worst < 0.1 && longest > 1.0, "{worst} px, up to {longest} px");
    // Motion without posed data, and everything that the host's scene hides, is left out.
    assert!(
        words(&stage.output(AovKind::Motion, None, far))
            .iter()
            .all(|word| *word == 0)
    );
    assert!(
        words(&stage.output(AovKind::Ids, None, 1.0 - far))
            .iter()
            .all(|id| *id == 0)
    );
    assert_eq!(stage.gpu.take_error(), None);
}

#[test]
fn outputs_of_a_host_with_reversed_depth_are_those_of_the_world() {
    check(DepthConvention::Reversed);
}

#[test]
fn outputs_of_a_host_with_standard_depth_are_those_of_the_world() {
    check(DepthConvention::Standard);
}
