//! Sums of pictures on the GPU, against the CPU.

use half::f16;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use throng::{
    gpu::{Gpu, Staging, target_texture},
    render::{
        heights::{HEIGHT_BANDS, band_samples},
        passes::{PictureSums, SumSource},
    },
};

use crate::common;

/// Picture size: no multiple of a workgroup's edge, with a row length that texture copies pad.
const SIZE: (u32, u32) = (75, 37);
const PIXELS: usize = (SIZE.0 * SIZE.1) as usize;
/// Number of pictures summed.
const PICTURES: usize = 64;

type Texel = [f16; 4];

/// Texture of a picture before tone mapping.
fn uploaded(gpu: &Gpu, texels: &[Texel]) -> wgpu::Texture {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let format = wgpu::TextureFormat::Rgba16Float;
    let texture = target_texture(gpu, "picture", SIZE, format, 1, usage);
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(8 * SIZE.0),
        rows_per_image: None,
    };
    let bytes = bytemuck::cast_slice(texels);
    gpu.write_texture("picture", texture.as_image_copy(), bytes, layout, texture.size());
    texture
}

/// Sums of all pictures, and of the first one alone.
fn summed<T: bytemuck::Pod>(gpu: &Gpu, summed: SumSource, pictures: &[Vec<Texel>]) -> [Vec<T>; 2] {
    let sums = PictureSums::new(gpu, summed).expect("compiles");
    let [all, first] = [(); 2].map(|()| sums.empty_sum(gpu, SIZE).expect("fits"));
    for (number, texels) in pictures.iter().enumerate() {
        let texture = uploaded(gpu, texels);
        let added = match number {
            0 => sums.add(gpu, &texture, &[&all, &first]),
            _ => sums.add(gpu, &texture, &[&all]),
        };
        gpu.wait_for(added).expect("is done");
    }
    assert_eq!(gpu.take_error(), None);
    [all, first].map(|sum| {
        let asked = sum.ask(gpu, &Staging::default());
        asked.read(gpu, bytemuck::pod_collect_to_vec).expect("reads")
    })
}

/// Random half float in the range of light, sometimes an invalid one.
fn light(random: &mut StdRng) -> f16 {
    match random.random_range(0..200) {
        0 => f16::NAN,
        1 => f16::INFINITY,
        2 => f16::NEG_INFINITY,
        3 => f16::MIN_POSITIVE_SUBNORMAL,
        4 => f16::MAX,
        5 => f16::from_f32(-0.25),
        _ => f16::from_f32(random.random_range(0.0_f32..4.0).powi(4)),
    }
}

#[test]
fn light_adds_up_as_on_the_cpu() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut random = StdRng::seed_from_u64(11);
    let texel = |random: &mut StdRng| -> Texel { std::array::from_fn(|_| light(random)) };
    let pictures: Vec<Vec<Texel>> = (0..PICTURES)
        .map(|_| (0..PIXELS).map(|_| texel(&mut random)).collect())
        .collect();
    let expected = |pictures: &[Vec<Texel>]| -> Vec<[f32; 3]> {
        let mut sums = vec![[0.0_f32; 3]; PIXELS];
        for picture in pictures {
            for (sum, texel) in sums.iter_mut().zip(picture) {
                for (sum, value) in sum.iter_mut().zip(texel) {
                    let value = if value.is_nan() { 0.0 } else { value.to_f32() };
                    *sum += value.min(f16::MAX.to_f32());
                }
            }
        }
        sums
    };
    let [all, first] = summed::<[f32; 3]>(&gpu, SumSource::Light, &pictures);
    for (found, expected) in [(all, expected(&pictures)), (first, expected(&pictures[..1]))] {
        let pairs = found.as_flattened().iter().zip(expected.as_flattened());
        for (number, (found, expected)) in pairs.enumerate() {
            let near = (found - expected).abs() <= 1e-6 * expected.abs() || found == expected;
            assert!(near, "{found} instead of {expected} at {number}");
        }
    }
}

#[test]
fn people_are_counted_as_on_the_cpu() {
    let Some(gpu) = common::gpu::open() else { return };
    for samples in [1, 4] {
        let mut random = StdRng::seed_from_u64(u64::from(samples));
        // Every sample shows a person of a height band, or nobody; the texel is the mean.
        let texel = |random: &mut StdRng| -> Texel {
            let mut sums = [0_u32; 4];
            for _ in 0..samples {
                let band = random.random_range(0..=HEIGHT_BANDS);
                if band < HEIGHT_BANDS {
                    sums[(band / 4) as usize] += 5_u32.pow(band % 4);
                }
            }
            sums.map(|sum| f16::from_f32(sum as f32 / samples as f32))
        };
        let pictures: Vec<Vec<Texel>> = (0..PICTURES / samples as usize)
            .map(|_| (0..PIXELS).map(|_| texel(&mut random)).collect())
            .collect();
        let mut expected = vec![[0_u8; HEIGHT_BANDS as usize]; PIXELS];
        for picture in &pictures {
            for (sums, texel) in expected.iter_mut().zip(picture) {
                let own = band_samples([texel[0].to_f32(), texel[1].to_f32()], samples);
                sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        let [all, _] = summed::<[u8; HEIGHT_BANDS as usize]>(&gpu, SumSource::Heights { samples }, &pictures);
        assert!(all == expected, "{samples} samples");
        assert!(expected.as_flattened().iter().any(|count| *count > 9));
    }
}
