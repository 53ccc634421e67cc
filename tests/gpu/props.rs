//! Attachments: the grip on the GPU against the joint's place by the CPU reference, during fades, for owners of every
//! technique and format.

use glam::{Affine3A, Mat4, Quat, Vec3};
use throng::{
    atlas::AtlasFormat,
    bake::FrameBlend,
    character::Character,
    config::Technique,
    crowd::{Attachment, Instance, MotionPlan, hash::Draws, sockets},
    file::gltf,
    gpu::Gpu,
    model::Model,
    render::resources::{AtlasSource, GpuPosed},
    scene::{AttachmentKind, embedded as assets},
};

use crate::common::{
    self,
    gpu::{random_pair, stored},
    worse::worse,
};

const FADES: u32 = 200;

struct Owner {
    position: Vec3,
    yaw: f32,
    blend: FrameBlend,
}

fn owner(character: &Character, index: u32) -> Owner {
    let draws = Draws::new(3, 0x9_0b, index);
    let pair = |stream| random_pair(character, &draws, stream);
    Owner {
        position: Vec3::new(draws.signed(5), 0.0, draws.signed(6)) * 40.0,
        yaw: draws.unit(7) * std::f32::consts::TAU,
        blend: FrameBlend {
            a: pair(0),
            b: pair(2),
            fade: stored(draws.unit(4)),
        },
    }
}

/// Worst distance of a grip (m), and worst rotation error of the attachment (degrees).
fn worst(
    gpu: &Gpu,
    character: &Character,
    prop: &std::sync::Arc<Character>,
    variant: (Technique, AtlasFormat),
) -> (f32, f32) {
    let variant = (variant.0, variant.1, AtlasSource::Storage);
    let (assets, probe) = common::gpu::upload(gpu, character, variant);
    let people = vec![Instance::new(Vec3::ZERO); FADES as usize];
    let crowd = common::gpu::upload_crowd(gpu, (&assets, &probe), &people, &MotionPlan::default());
    let owners: Vec<_> = (0..FADES).map(|i| owner(character, i)).collect();
    let posed: Vec<_> = owners
        .iter()
        .map(|o| GpuPosed::new(o.position, o.yaw, 1.0, &o.blend))
        .collect();
    let skeleton = &character.model.skeleton;
    let sockets = skeleton.sockets.len() as u32;
    let carriers = (0..FADES)
        .map(|i| Attachment::new(i, (i % sockets) as u16, 0))
        .collect();
    let kind = AttachmentKind {
        mesh: "sword".into(),
        prop: prop.clone(),
        carriers: vec![carriers],
    };
    let found = probe
        .run_attachments(gpu, &assets, &crowd, &posed, &kind)
        .expect("readback");
    let mut worst = (0.0_f32, 0.0_f32);
    for (i, (owner, found)) in owners.iter().zip(&found).enumerate() {
        let socket = &skeleton.sockets[i % sockets as usize];
        let world = Affine3A::from_rotation_translation(Quat::from_rotation_y(owner.yaw), owner.position);
        let joint = world * sockets::model_from_socket(&character.palettes, socket, &owner.blend);
        worst.0 = worse(worst.0, joint.translation.distance(found.translation));
        let rigid = sockets::rigid(joint);
        for (a, b) in [
            (rigid.matrix3.y_axis, found.matrix3.y_axis),
            (rigid.matrix3.z_axis, found.matrix3.z_axis),
        ] {
            worst.1 = worse(worst.1, a.angle_between(b).to_degrees());
        }
    }
    assert_eq!(found.len(), FADES as usize);
    worst
}

fn load(name: &str) -> Model {
    gltf::load_bytes(name, assets::embedded(name).expect("embedded"), None).expect("loads")
}

/// A hand scaled to zero has no axes and a flat one lacks one: the attachment uses substitutes.
#[test]
fn flat_hands_turn_what_they_hold_as_the_reference_does() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut model = load("man");
    let flat = [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 1.0)];
    for (socket, scale) in model.skeleton.sockets.iter_mut().zip(flat) {
        socket.mesh_from_socket *= Mat4::from_scale(scale);
    }
    let variant = (Technique::Matrix, AtlasFormat::F32);
    let (metres, degrees) = worst(
        &gpu,
        &common::gpu::bake(model),
        &common::gpu::bake(load("sword")),
        variant,
    );
    assert!(metres < 1e-3 && degrees < 0.5, "{metres} m, {degrees}°");
}

#[test]
fn grips_are_in_hands_during_fades() {
    let Some(gpu) = common::gpu::open() else { return };
    let prop = common::gpu::bake(load("sword"));
    let matrix = AtlasFormat::ALL.map(|format| (Technique::Matrix, format));
    for name in assets::NAMES {
        let character = common::gpu::bake(load(name));
        for variant in matrix.into_iter().chain([(Technique::Vertex, AtlasFormat::F32)]) {
            let (metres, degrees) = worst(&gpu, &character, &prop, variant);
            let percent = metres / character.packed.bounds.size().y * 100.0;
            println!(
                "{name} {variant:?}: {:.3} mm, {percent:.4} % of height, {degrees:.3}°",
                metres * 1e3
            );
            // Headings are stored in 1/32767; their error rotates the whole person.
            assert!(
                percent < 0.1 && degrees < 0.5,
                "{name} {variant:?}: {percent} %, {degrees}°"
            );
        }
    }
}
