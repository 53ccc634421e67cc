//! Interface for host programs: depth conventions, ranges of instances, people posed by the host, restored contents.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3, camera::rh};
use throng::{
    atlas::AtlasFormat,
    bake::BakeOptions,
    character::Character,
    config::Technique,
    crowd::{Clock, Instance},
    file::open_bytes,
    gpu::{Gpu, encoder, read_texture_rgba8, target_texture, whole_view},
    render::{
        CharacterId, CrowdOptions, CrowdRenderer, DepthConvention, DepthTarget, DrawMethod, PosedHero, Targets, View,
        resources::AtlasSource,
    },
    scene::embedded::embedded,
};

use crate::common;

const SIZE: (u32, u32) = (96, 96);
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const EYE: Vec3 = Vec3::new(0.0, 1.2, 5.0);

fn man() -> Arc<Character> {
    let opened = open_bytes("man", embedded("man").expect("comes with the library"), None).expect("opens");
    Arc::new(Character::from_opened(opened, &BakeOptions { rate: 10.0 }).expect("bakes"))
}

fn crowd(gpu: &Gpu, depth: DepthTarget, options: CrowdOptions) -> (CrowdRenderer, CharacterId) {
    let targets = Targets {
        color: COLOR,
        depth,
        samples: 1,
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let id = crowd.add_character(man()).expect("fits");
    (crowd, id)
}

fn drawn_by(technique: Technique) -> CrowdOptions {
    CrowdOptions {
        method: DrawMethod::new(technique, AtlasFormat::F32, AtlasSource::Storage),
        ..CrowdOptions::default()
    }
}

fn usual(gpu: &Gpu) -> (CrowdRenderer, CharacterId) {
    crowd(gpu, DepthTarget::reversed(DEPTH), CrowdOptions::default())
}

/// Picture of the crowd at 0.4 s, drawn in one step or in three.
fn drawn(gpu: &Gpu, crowd: &mut CrowdRenderer, in_steps: bool) -> Vec<u8> {
    let reversed = crowd.targets().depth.convention == DepthConvention::Reversed;
    let projection: Mat4 = if reversed {
        rh::proj::directx::perspective_infinite_reverse(0.6, 1.0, 0.1)
    } else {
        rh::proj::directx::perspective(0.6, 1.0, 0.1, 50.0)
    };
    let color = target_texture(gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::empty());
    let depth = whole_view(&depth, "depth");
    let mut encoder = encoder(gpu, "frame");
    let view = View {
        shadow_focus: Some(Vec3::ZERO),
        ..View::new(projection * rh::view::look_at_mat4(EYE, Vec3::Y, Vec3::Y), EYE)
    };
    crowd.prepare(&mut encoder, &view, Clock::from_seconds(0.4));
    if in_steps {
        crowd.cull(&mut encoder, &depth);
    }
    let color_view = whole_view(&color, "color");
    let far = if reversed { 0.0 } else { 1.0 };
    let mut pass = common::gpu::host_pass(&mut encoder, &color_view, &depth, Some(far));
    if in_steps {
        crowd.draw_near(&mut pass);
        crowd.draw_far(&mut pass);
    } else {
        crowd.draw(&mut pass);
    }
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    read_texture_rgba8(gpu, &color).expect("readback")
}

fn differing(a: &[u8], b: &[u8]) -> usize {
    let pixels = a.chunks_exact(4).zip(b.chunks_exact(4));
    pixels
        .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 2))
        .count()
}

fn pair() -> [Instance; 2] {
    // One in front of the other, in an order that only the depth test corrects.
    [
        Instance::new(Vec3::Z),
        Instance::new(Vec3::new(0.2, 0.0, -1.0)).with_yaw_scale(2.0, 1.3),
    ]
}

#[test]
fn either_depth_convention_puts_the_nearer_person_in_front() {
    let Some(gpu) = common::gpu::open() else { return };
    let picture = |depth, people: &[Instance]| {
        let (mut crowd, man) = crowd(&gpu, depth, CrowdOptions::default());
        crowd.set_instances(man, people).expect("fits");
        drawn(&gpu, &mut crowd, false)
    };
    let [near, far] = pair();
    let reversed = picture(DepthTarget::reversed(DEPTH), &[near, far]);
    assert!(differing(&reversed, &picture(DepthTarget::reversed(DEPTH), &[near])) > 20);
    assert_eq!(
        differing(&reversed, &picture(DepthTarget::reversed(DEPTH), &[far, near])),
        0
    );
    assert!(differing(&reversed, &picture(DepthTarget::standard(DEPTH), &[near, far])) < 10);
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn three_steps_draw_the_same_picture_as_one() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, man) = usual(&gpu);
    crowd.set_instances(man, &pair()).expect("fits");
    let one = drawn(&gpu, &mut crowd, false);
    assert!(one.chunks_exact(4).any(|p| p[..3] != [0; 3]), "nobody is drawn");
    assert!(drawn(&gpu, &mut crowd, true) == one);
}

#[test]
fn ranges_of_instances_replace_those_before_for_every_technique() {
    let Some(gpu) = common::gpu::open() else { return };
    for technique in [Technique::Matrix, Technique::Live, Technique::Preskinned] {
        let options = drawn_by(technique);
        let depth = DepthTarget::reversed(DEPTH);
        let (mut written, man) = crowd(&gpu, depth, options);
        let [near, far] = pair();
        let elsewhere = Instance::new(Vec3::new(-0.6, 0.0, 0.5)).with_clip(2, 1.0, 0.3);
        written.set_instances(man, &[near, far]).expect("fits");
        assert_eq!(written.write_instances(man, 1, &[elsewhere, elsewhere]), 1);
        assert_eq!(written.write_instances(man, 7, &[elsewhere]), 0);
        let (mut set, man) = crowd(&gpu, depth, options);
        set.set_instances(man, &[near, elsewhere]).expect("fits");
        assert!(
            drawn(&gpu, &mut written, false) == drawn(&gpu, &mut set, false),
            "{technique:?}"
        );
    }
}

#[test]
fn a_host_poses_people_by_palette_rows() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, id) = usual(&gpu);
    crowd.set_instances(id, &[Instance::new(Vec3::ZERO)]).expect("fits");
    let baked = drawn(&gpu, &mut crowd, false);
    let slots = man().model.skeleton.slots.len();
    let lifted = |weight| PosedHero {
        index: 0,
        weight,
        palette: vec![Affine3A::from_translation(Vec3::Y * 0.5); slots],
    };
    crowd.pose_heroes(id, &[lifted(0.0)]).expect("fits");
    assert!(
        differing(&drawn(&gpu, &mut crowd, false), &baked) < 10,
        "nothing weighs"
    );
    crowd.pose_heroes(id, &[lifted(1.0)]).expect("fits");
    let posed = drawn(&gpu, &mut crowd, false);
    // The rest pose, 0.5 m higher, as rigid scenery of this mesh.
    let options = drawn_by(Technique::Static);
    let (mut rest, still) = self::crowd(&gpu, DepthTarget::reversed(DEPTH), options);
    rest.set_instances(still, &[Instance::new(Vec3::Y * 0.5)])
        .expect("fits");
    assert!(differing(&posed, &drawn(&gpu, &mut rest, false)) < 10);
    assert!(differing(&posed, &baked) > 100);
    crowd.pose_heroes(id, &[]).expect("fewer fit");
    assert!(drawn(&gpu, &mut crowd, false) == baked);
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn restored_contents_draw_as_before() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, man) = usual(&gpu);
    crowd.set_instances(man, &pair()).expect("fits");
    let full = drawn(&gpu, &mut crowd, false);
    let contents = crowd.take();
    assert_eq!((crowd.instance_count(), crowd.counts().instances), (0, 0));
    assert!(drawn(&gpu, &mut crowd, false).chunks_exact(4).all(|p| p[..3] == [0; 3]));
    crowd.restore(contents);
    assert!(drawn(&gpu, &mut crowd, false) == full);
}
