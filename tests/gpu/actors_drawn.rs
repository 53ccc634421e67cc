//! Actors in the pictures of a host: as everybody else, for every part of the renderer.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3, camera::rh};
use throng::{
    atlas::AtlasFormat,
    bake::BakeOptions,
    character::Character,
    config::{Raster, Technique},
    crowd::{
        Attachment, AttachmentKind, Clock, Instance,
        actors::{Actor, ActorClip, ActorError, ActorId, ActorMove, MOST_ACTORS},
    },
    file::open_bytes,
    gpu::{Gpu, GpuError, compute_pass, encoder, read_texture_rgba8, target_texture, whole_view},
    render::{
        ACTOR_ROWS_WGSL, Actors, ActorsError, CharacterId, CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod,
        DrawPath, PosedHero, Targets, View, passes::PickAnswer, resources::AtlasSource,
    },
    scene::embedded::embedded,
    view::Ray,
};

use crate::common;

const SIZE: (u32, u32) = (96, 96);
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const EYE: Vec3 = Vec3::new(0.0, 1.2, 5.0);

pub fn opened(name: &str) -> Arc<Character> {
    let opened = open_bytes(name, embedded(name).expect("comes with the library"), None).expect("opens");
    Arc::new(Character::from_opened(opened, &BakeOptions { rate: 10.0 }).expect("bakes"))
}

pub fn crowd(gpu: &Gpu, options: CrowdOptions) -> (CrowdRenderer, CharacterId) {
    let targets = Targets {
        color: COLOR,
        depth: DepthTarget::reversed(DEPTH),
        samples: 1,
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let id = crowd.add_character(opened("man")).expect("fits");
    (crowd, id)
}

fn view() -> View {
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.6, 1.0, 0.1);
    View {
        size: Some(SIZE),
        shadow_focus: Some(Vec3::ZERO),
        ..View::new(projection * rh::view::look_at_mat4(EYE, Vec3::Y, Vec3::Y), EYE)
    }
}

/// Picture at a time, and the bytes sent for it.
fn drawn(gpu: &Gpu, crowd: &mut CrowdRenderer, seconds: f64) -> (Vec<u8>, u64) {
    let color = target_texture(gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::COPY_SRC);
    let usage = wgpu::TextureUsages::TEXTURE_BINDING;
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, usage);
    let (color_view, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut encoder = encoder(gpu, "frame");
    let sent = crowd.prepare(&mut encoder, &view(), Clock::from_seconds(seconds));
    let mut pass = common::gpu::host_pass(&mut encoder, &color_view, &depth, Some(0.0));
    crowd.draw_near(&mut pass);
    drop(pass);
    crowd.cull(&mut encoder, &depth);
    let mut pass = common::gpu::host_pass(&mut encoder, &color_view, &depth, None);
    crowd.draw_far(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    let pixels = read_texture_rgba8(gpu, &color).expect("readback");
    assert_eq!(gpu.take_error(), None);
    (pixels, sent)
}

pub fn picture(gpu: &Gpu, crowd: &mut CrowdRenderer, seconds: f64) -> Vec<u8> {
    drawn(gpu, crowd, seconds).0
}

fn differing(a: &[u8], b: &[u8]) -> usize {
    let pixels = a.chunks_exact(4).zip(b.chunks_exact(4));
    pixels
        .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 2))
        .count()
}

fn pair() -> [Actor; 2] {
    [
        Actor {
            position: [-0.5, 0.0, 0.5],
            yaw: 0.7,
            clip: ActorClip {
                start: 0.25,
                ..ActorClip::new(1)
            },
            ..Actor::default()
        },
        Actor {
            position: [0.6, 0.0, -1.0],
            scale: 1.3,
            width_scale: 1.1,
            tint: [3, 9, 27, 61],
            ..Actor::default()
        },
    ]
}

fn as_instance(actor: &Actor) -> Instance {
    Instance::new(actor.position.into())
        .with_yaw_scale(actor.yaw, actor.scale)
        .with_width_scale(actor.width_scale)
        .with_tint(actor.tint)
        .with_clip(actor.clip.clip, actor.clip.speed, actor.clip.start)
}

/// Crowd with both actors among many free slots.
fn usual(gpu: &Gpu, options: CrowdOptions) -> (CrowdRenderer, Actors, [ActorId; 2]) {
    let (mut crowd, man) = crowd(gpu, options);
    let actors = crowd.actors(man, 300).expect("fits");
    let ids = pair().map(|actor| actors.spawn(&actor).expect("there is room"));
    (crowd, actors, ids)
}

#[test]
fn actors_look_like_instances_and_free_slots_are_never_drawn() {
    let Some(gpu) = common::gpu::open() else { return };
    for (path, raster, shadow_size) in [
        (DrawPath::Selected, Raster::Hardware, 64),
        (DrawPath::Plain, Raster::Hardware, 0),
        (DrawPath::Selected, Raster::Compute, 64),
    ] {
        let options = CrowdOptions {
            path,
            raster,
            shadow_size,
            ..CrowdOptions::default()
        };
        let (mut plain, man) = crowd(&gpu, options);
        plain
            .set_instances(man, &pair().map(|actor| as_instance(&actor)))
            .expect("fits");
        let (mut crowd, actors, ids) = usual(&gpu, options);
        let (wanted, found) = (picture(&gpu, &mut plain, 0.4), picture(&gpu, &mut crowd, 0.4));
        assert!(wanted.chunks_exact(4).any(|p| p[..3] != [0; 3]), "nobody is drawn");
        let count = differing(&found, &wanted);
        assert!(count < 5, "{path:?} {raster:?}: {count} pixels differ");
        if let Some(people) = crowd.drawn(actors.id()).expect("readback") {
            let mut listed: Vec<u32> = people.iter().map(|person| person.index).collect();
            listed.sort_unstable();
            assert_eq!(listed, ids.map(ActorId::index));
            if let Some(shadows) = crowd.drawn_in_shadow_map(actors.id()).expect("readback") {
                assert_eq!(shadows.len(), 2, "free slots cast shadows");
            }
        }
        for id in ids {
            actors.despawn(id).expect("lives");
        }
        let empty = picture(&gpu, &mut crowd, 0.4);
        assert!(empty.chunks_exact(4).all(|p| p[..3] == [0; 3]), "{path:?} {raster:?}");
        assert_eq!(
            actors
                .despawn(ids[0])
                .map_err(|e| matches!(e, ActorError::Stale { .. })),
            Err(true)
        );
    }
}

#[test]
fn both_rasterizers_draw_three_clips_alike() {
    let Some(gpu) = common::gpu::open() else { return };
    let at = |raster| {
        let options = CrowdOptions {
            raster,
            ..CrowdOptions::default()
        };
        let (mut crowd, actors, ids) = usual(&gpu, options);
        for id in ids {
            actors
                .play(id, &ActorClip::new(2), Clock::from_seconds(1.0), 0.8)
                .expect("lives");
            actors
                .play(id, &ActorClip::new(3), Clock::from_seconds(1.3), 0.8)
                .expect("lives");
        }
        let state = actors.state(ids[0], Clock::from_seconds(1.6)).expect("lives");
        assert!(state.blend.third > 0.1 && state.blend.fade < 0.99);
        [1.29, 1.6, 4.0].map(|seconds| picture(&gpu, &mut crowd, seconds))
    };
    let (hardware, software) = (at(Raster::Hardware), at(Raster::Compute));
    for (hardware, software) in hardware.iter().zip(&software) {
        let count = differing(hardware, software);
        assert!(count < 40, "{count} pixels differ");
    }
    assert!(differing(&hardware[0], &hardware[1]) > 20 && differing(&hardware[1], &hardware[2]) > 20);
}

#[test]
fn changes_are_sent_once_and_nothing_between_them() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, actors, [walker, _]) = usual(&gpu, CrowdOptions::default());
    let (_, first) = drawn(&gpu, &mut crowd, 0.0);
    let (still, frame) = drawn(&gpu, &mut crowd, 0.0);
    assert!(first > frame);
    actors
        .move_to(
            walker,
            Clock::from_seconds(0.0)..Clock::from_seconds(2.0),
            [0.5, 0.0, 0.5],
            0.7,
        )
        .expect("lives");
    let (_, moved) = drawn(&gpu, &mut crowd, 0.5);
    assert_eq!(moved, frame + 48, "one motion row");
    let (later, sent) = drawn(&gpu, &mut crowd, 1.5);
    assert_eq!(sent, frame, "somebody walks, and nothing is sent");
    assert!(differing(&still, &later) > 100);
    assert!(drawn(&gpu, &mut crowd, 1.5).0 == later, "a pause changes the picture");
    actors.tint(walker, [1, 2, 3, 4]).expect("lives");
    assert_eq!(drawn(&gpu, &mut crowd, 1.5).1, frame + 32, "one instance");
}

#[test]
fn scattered_changes_travel_in_one_packet_to_their_slots() {
    let Some(gpu) = common::gpu::open() else { return };
    let place = |number: u32, shift: f32| [number as f32 * 0.01 - 1.5, 0.0, (number % 7) as f32 * 0.3 - 1.0 + shift];
    let shift = |number: u32| if number.is_multiple_of(3) { 0.7 } else { 0.0 };
    let spawned = |shift: &dyn Fn(u32) -> f32| {
        let (mut crowd, man) = crowd(&gpu, CrowdOptions::default());
        let actors = crowd.actors(man, 300).expect("fits");
        let spawn = |number| {
            let position = place(number, shift(number));
            actors
                .spawn(&Actor {
                    position,
                    ..Actor::default()
                })
                .expect("there is room")
        };
        let ids: Vec<ActorId> = (0..300).map(spawn).collect();
        (crowd, actors, ids)
    };
    let (mut crowd, actors, ids) = spawned(&|_| 0.0);
    let before = picture(&gpu, &mut crowd, 0.4);
    let (_, frame) = drawn(&gpu, &mut crowd, 0.4);
    for (number, &id) in (0..).zip(&ids).filter(|(number, _)| shift(*number) > 0.0) {
        actors.set(id, place(number, shift(number)), 0.0).expect("lives");
    }
    let (moved, sent) = drawn(&gpu, &mut crowd, 0.4);
    assert_eq!(sent, frame + 32 + 100 * (4 + 48), "100 rows in one packet");
    assert!(differing(&before, &moved) > 100);
    let (mut other, ..) = spawned(&shift);
    assert!(picture(&gpu, &mut other, 0.4) == moved, "rows went to wrong slots");
    let back = (0..).zip(&ids).filter(|(number, _)| shift(*number) > 0.0);
    let moves: Vec<ActorMove> = back
        .map(|(number, &id)| ActorMove {
            id,
            position: place(number, 0.0),
            yaw: 0.0,
        })
        .collect();
    let now = Clock::from_seconds(0.4);
    actors.move_all(now..now, &moves).expect("all live");
    let (again, sent) = drawn(&gpu, &mut crowd, 0.4);
    assert_eq!(sent, frame + 32 + 100 * (4 + 32), "rows of a list share times and mark");
    assert!(again == before, "rows of a list went to wrong slots");
}

#[test]
fn room_grows_on_request_and_keeps_everybody() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, mut actors, ids) = usual(&gpu, CrowdOptions::default());
    let before = picture(&gpu, &mut crowd, 0.4);
    // The host moves somebody behind the CPU's back: growth must keep that.
    let row = throng::crowd::actors::MotionRow::still([0.2, 0.0, 0.2], 0.1);
    let offset = u64::from(ids[1].index()) * 48;
    gpu.write_buffer("host", actors.buffer(), offset, bytemuck::bytes_of(&row));
    let moved = picture(&gpu, &mut crowd, 0.4);
    assert!(differing(&before, &moved) > 50);
    let pending = actors
        .spawn(&Actor {
            position: [0.0, 0.0, 1.0],
            ..Actor::default()
        })
        .expect("there is room");
    crowd.grow_actors(&mut actors, 1000).expect("fits");
    actors.despawn(pending).expect("lives");
    assert_eq!((actors.capacity(), actors.count()), (1000, 2));
    assert!(picture(&gpu, &mut crowd, 0.4) == moved);
    assert!(matches!(
        crowd.grow_actors(&mut actors, 10),
        Err(ActorsError::Actor(ActorError::Capacity { .. }))
    ));
    assert!(picture(&gpu, &mut crowd, 0.4) == moved, "a refusal changes nothing");
}

#[test]
fn bad_requests_are_errors() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, man) = crowd(&gpu, CrowdOptions::default());
    for capacity in [0, MOST_ACTORS + 1] {
        let refused = crowd.actors(man, capacity).err().expect("out of range");
        assert!(
            matches!(refused, ActorsError::Actor(ActorError::Capacity { .. })),
            "{refused}"
        );
    }
    let most = gpu.limits.max_storage_buffer_binding_size / 96 + 1;
    if most < u64::from(MOST_ACTORS) {
        let refused = crowd.actors(man, most as u32).err().expect("too large");
        assert!(
            matches!(refused, ActorsError::Gpu(GpuError::TooLarge { .. })),
            "{refused}"
        );
    }
    let mut actors = crowd.actors(man, 4).expect("fits");
    assert!(matches!(
        crowd.set_instances(actors.id(), &[]),
        Err(GpuError::Actors { .. })
    ));
    assert_eq!(crowd.write_instances(actors.id(), 0, &[Instance::new(Vec3::ZERO)]), 0);
    let (mut other, _) = self::crowd(&gpu, CrowdOptions::default());
    assert!(matches!(
        other.grow_actors(&mut actors, 9),
        Err(ActorsError::Character { .. })
    ));
    assert!(matches!(
        other.actors(actors.id(), 9),
        Err(ActorsError::Character { .. })
    ));
    let options = CrowdOptions {
        method: DrawMethod::new(Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage),
        ..CrowdOptions::default()
    };
    let (mut preskinned, man) = self::crowd(&gpu, options);
    assert!(matches!(preskinned.actors(man, 9), Err(ActorsError::Technique { .. })));
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn actors_are_picked_carry_things_and_become_heroes() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, actors, [picked, carrier]) = usual(&gpu, CrowdOptions::default());
    // Out of the middle of a fade, so that three clips show.
    for (clip, seconds) in [(2, 0.1), (3, 0.3)] {
        actors
            .play(carrier, &ActorClip::new(clip), Clock::from_seconds(seconds), 0.6)
            .expect("lives");
    }
    let before = picture(&gpu, &mut crowd, 0.5);
    let origin = Vec3::new(-0.5, 0.9, 5.0);
    crowd.ask_pick(Ray {
        origin,
        direction: Vec3::NEG_Z,
    });
    gpu.wait_idle();
    let Some(Ok(PickAnswer::Candidates(found))) = crowd.picked() else {
        panic!("no answer")
    };
    let who: Vec<_> = found
        .iter()
        .map(|found| (found.who.character, actors.id_at(found.who.index)))
        .collect();
    assert_eq!(who, [(actors.id().index(), Some(picked))]);

    let sword = AttachmentKind {
        mesh: "sword".into(),
        prop: opened("sword"),
        carriers: vec![vec![], vec![Attachment::new(carrier.index(), 0, 0)]],
    };
    crowd.set_attachments(std::slice::from_ref(&sword)).expect("fits");
    let armed = picture(&gpu, &mut crowd, 0.5);
    assert!(differing(&armed, &before) > 5, "nothing is carried");
    // Whoever is despawned takes it along.
    let slots = opened("man").model.skeleton.slots.len();
    let hero = PosedHero {
        index: carrier.index(),
        weight: 1.0,
        palette: vec![Affine3A::from_translation(Vec3::Y * 0.4); slots],
    };
    crowd.pose_heroes(actors.id(), &[hero]).expect("fits");
    let lifted = picture(&gpu, &mut crowd, 0.5);
    assert!(differing(&lifted, &armed) > 50, "the hero stays where the clips are");
    crowd.pose_heroes(actors.id(), &[]).expect("fewer fit");
    assert!(picture(&gpu, &mut crowd, 0.5) == armed);
    crowd.set_attachments(&[]).expect("nothing fits");
    assert!(picture(&gpu, &mut crowd, 0.5) == before);
    crowd.set_attachments(&[sword]).expect("fits");
    actors.despawn(carrier).expect("lives");
    actors.despawn(picked).expect("lives");
    let empty = picture(&gpu, &mut crowd, 0.5);
    assert!(
        empty.chunks_exact(4).all(|p| p[..3] == [0; 3]),
        "something is left behind"
    );
}

/// Compute pass of a host: everybody goes a step ahead, without the CPU.
const STEP: &str = "
@group(0) @binding(0) var<storage, read_write> motions: array<MotionRow>;
@compute @workgroup_size(64)
fn step(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&motions) { return; }
    let old = motions[id.x];
    var row = old;
    row.start_position = old.end_position;
    row.end_position = old.end_position + vec3<f32>(sin(old.end_yaw), 0.0, cos(old.end_yaw));
    row.seconds = old.seconds + 1u;
    row.span = 65536u;
    motions[id.x] = row;
}";

#[test]
fn a_compute_pass_moves_fifty_thousand_without_an_upload() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, man) = crowd(&gpu, CrowdOptions::default());
    let actors = crowd.actors(man, 50_000).expect("fits");
    {
        let mut table = actors.lock();
        for number in 0..50_000_u32 {
            let (x, z) = (number % 250, number / 250);
            let position = [x as f32 - 125.0, 0.0, z as f32 - 100.0];
            let actor = Actor {
                position,
                yaw: number as f32 * 0.1,
                ..Actor::default()
            };
            table.spawn(&actor).expect("there is room");
        }
    }
    let (first, sent) = drawn(&gpu, &mut crowd, 0.0);
    assert!(sent >= 50_000 * (48 + 96), "{sent} bytes");
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("step"),
        source: wgpu::ShaderSource::Wgsl(format!("{ACTOR_ROWS_WGSL}{STEP}").into()),
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("step"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("step"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: actors.buffer().as_entire_binding(),
        }],
    });
    let (_, frame) = drawn(&gpu, &mut crowd, 0.0);
    let before = gpu.uploads.by_purpose();
    let mut pictures = vec![first];
    for second in 1..4 {
        let mut encoder = encoder(&gpu, "host");
        let mut pass = compute_pass(&mut encoder, "step");
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(50_000_u32.div_ceil(64), 1, 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let (picture, sent) = drawn(&gpu, &mut crowd, f64::from(second) + 0.5);
        assert_eq!(
            sent, frame,
            "a frame of moving people sends more than one of still people"
        );
        assert!(differing(&picture, &pictures[pictures.len() - 1]) > 100, "nobody moves");
        pictures.push(picture);
    }
    let since = gpu.uploads.since(&before);
    assert!(since.keys().all(|purpose| !purpose.contains("actor")), "{since:?}");
}
