//! Distance of two pictures, summed by the GPU, against the CPU.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use throng::{
    gpu::{Gpu, PICTURE_FORMAT, target_texture, whole_view},
    measure::PictureDifference,
    render::passes::DifferenceSums,
};

use crate::common;

/// Picture size: wider than a workgroup, and no multiple of it.
const SIZE: (u32, u32) = (300, 37);

/// Texture with the given bytes.
fn uploaded(gpu: &Gpu, pixels: &[u8]) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let texture = target_texture(gpu, "picture", SIZE, PICTURE_FORMAT, 1, usage);
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(4 * SIZE.0),
        rows_per_image: None,
    };
    gpu.write_texture("picture", texture.as_image_copy(), pixels, layout, texture.size());
    whole_view(&texture, "picture")
}

#[test]
fn sums_are_those_of_the_cpu() {
    let Some(gpu) = common::gpu::open() else { return };
    let sums = DifferenceSums::new(&gpu, PICTURE_FORMAT).expect("compiles");
    let mut random = StdRng::seed_from_u64(5);
    let bytes = 4 * (SIZE.0 * SIZE.1) as usize;
    let first: Vec<u8> = (0..bytes).map(|_| random.random()).collect();
    // Equal pictures, pictures that differ in one value of the last pixel, and random ones.
    let mut nearly = first.clone();
    nearly[bytes - 2] ^= 0x11;
    let other: Vec<u8> = (0..bytes).map(|_| random.random()).collect();
    for second in [&first, &nearly, &other] {
        let views = [uploaded(&gpu, &first), uploaded(&gpu, second)];
        let pending = sums.ask(&gpu, &views, SIZE);
        gpu.wait_idle();
        let found = pending.answer(&gpu).expect("is there").expect("reads");
        let expected = PictureDifference::between(&first, second);
        assert!(
            (found.mean - 2.55 * expected.mean_percent).abs() < 1e-9,
            "{found:?} {expected:?}"
        );
        assert!(
            (f64::from(found.largest) - 2.55 * expected.max_percent).abs() < 1e-9,
            "{found:?} {expected:?}"
        );
    }
}
