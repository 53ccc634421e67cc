//! An atlas shared by several bodies is uploaded once, and draws each body as its own atlas would.

use std::sync::Arc;

use glam::{Mat4, Vec3, camera::rh};
use throng::{
    atlas::{AtlasFormat, FramePlacement},
    character::{Character, from_all_opened},
    config::Technique,
    crowd::{Clock, Instance},
    gpu::{Gpu, encoder, read_texture_rgba8, target_texture, whole_view},
    render::{CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, Targets, View, resources::AtlasSource},
};

use crate::common::{
    self,
    bodies::{body, stout},
};

const SIZE: (u32, u32) = (128, 96);
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Picture and memory (bytes) of a crowd of characters, of whom only the last is present.
fn drawn(gpu: &Gpu, method: DrawMethod, characters: &[Arc<Character>]) -> (Vec<u8>, u64) {
    let targets = Targets {
        color: COLOR,
        depth: DepthTarget::reversed(DEPTH),
        samples: 1,
    };
    let options = CrowdOptions {
        method,
        ..CrowdOptions::default()
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let ids = characters
        .iter()
        .map(|one| crowd.add_character(one.clone()).expect("fits"));
    if let Some(last) = ids.last() {
        let people = [-0.8, 0.8].map(|x| Instance::new(Vec3::X * x).with_clip(2, 1.0, 0.3));
        crowd.set_instances(last, &people).expect("fits");
    }
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.6, 4.0 / 3.0, 0.1);
    let eye = Vec3::new(0.0, 1.2, 5.0);
    let view = View::new(projection * rh::view::look_at_mat4(eye, Vec3::Y, Vec3::Y), eye);
    let color = target_texture(gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::empty());
    let (shown, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut encoder = encoder(gpu, "frame");
    crowd.prepare(&mut encoder, &view, Clock::from_seconds(0.4));
    let mut pass = common::gpu::host_pass(&mut encoder, &shown, &depth, Some(0.0));
    crowd.draw(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    let picture = read_texture_rgba8(gpu, &color).expect("readback");
    (picture, crowd.counts().vram_bytes)
}

#[test]
fn an_atlas_of_several_bodies_is_uploaded_once() {
    let Some(gpu) = common::gpu::open() else { return };
    let bodies = vec![body("man", |_| ()), body("stout", stout)];
    let bodies = from_all_opened(bodies, FramePlacement::default()).expect("bakes");
    let bodies: Vec<Arc<Character>> = bodies.into_iter().map(Arc::new).collect();
    for format in AtlasFormat::with_promise() {
        let method = DrawMethod::new(Technique::Matrix, format, AtlasSource::Storage);
        let (empty, of_nobody) = drawn(&gpu, method, &[]);
        let (man, stout) = (&bodies[..1], &bodies[1..]);
        let (its, bytes) = drawn(&gpu, method, stout);
        let (beside, of_both) = drawn(&gpu, method, &bodies);
        assert!(its == beside && its != empty, "{format:?}");
        let (his, of_man) = drawn(&gpu, method, man);
        assert_ne!(his, its, "another body");
        let atlas = bodies[0].atlas(format).bytes.len() as u64;
        assert!(
            of_man + bytes - of_nobody >= of_both + atlas,
            "{format:?}: {atlas} bytes twice"
        );
    }
    assert_eq!(gpu.take_error(), None);
}
