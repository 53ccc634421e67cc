//! Base colour images of a character as one layered texture with mip levels.

use image::{RgbaImage, imageops};

use crate::{
    gpu::Gpu,
    model::{Image, Model},
};

/// Largest edge that base colours are kept at; more is never seen in a crowd.
const MAX_EDGE: u32 = 1024;

/// A `texture_2d_array` and its size in bytes; a white texel where the model has no images.
pub(super) struct BaseColors {
    pub(super) view: wgpu::TextureView,
    pub(super) bytes: u64,
}

/// Uploads every image as a layer, all brought to the largest image's power-of-two size.
pub(super) fn upload(gpu: &Gpu, model: &Model) -> BaseColors {
    let limit = MAX_EDGE.min(gpu.limits.max_texture_dimension_2d);
    let edge = |pick: fn(&Image) -> u32| {
        let largest = model.images.iter().map(pick).max().unwrap_or(1);
        largest.next_power_of_two().min(limit)
    };
    let (width, height) = (edge(|i| i.width), edge(|i| i.height));
    let layers = model
        .images
        .len()
        .clamp(1, gpu.limits.max_texture_array_layers as usize) as u32;
    let mips = 32 - width.max(height).leading_zeros();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("base colours"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: gpu.array_layers(layers),
        },
        mip_level_count: mips,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let mut bytes = 0;
    for layer in 0..layers {
        let image = model.images.get(layer as usize).map_or_else(white, to_rgba);
        let mut level = fit(image, width, height);
        for mip in 0..mips {
            bytes += u64::from(level.width() * level.height() * 4);
            write(gpu, &texture, layer, mip, &level);
            level = half(&level);
        }
    }
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    });
    BaseColors { view, bytes }
}

/// Repeating, trilinear.
pub(super) fn sampler(gpu: &Gpu) -> wgpu::Sampler {
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("base colour"),
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::Repeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    })
}

fn white() -> RgbaImage {
    RgbaImage::from_pixel(1, 1, image::Rgba([255; 4]))
}

fn to_rgba(image: &Image) -> RgbaImage {
    RgbaImage::from_raw(image.width, image.height, image.rgba.clone()).unwrap_or_else(white)
}

fn fit(image: RgbaImage, width: u32, height: u32) -> RgbaImage {
    if image.dimensions() == (width, height) {
        return image;
    }
    imageops::resize(&image, width, height, imageops::FilterType::CatmullRom)
}

/// The next mip level: a 2x2 box in linear light.
fn half(image: &RgbaImage) -> RgbaImage {
    let (w, h) = image.dimensions();
    RgbaImage::from_fn((w / 2).max(1), (h / 2).max(1), |x, y| {
        let at = |dx: u32, dy: u32| image.get_pixel((x * 2 + dx).min(w - 1), (y * 2 + dy).min(h - 1)).0;
        let corners = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
        let mean = |c: usize| corners.iter().map(|p| linear(p[c])).sum::<f32>() / 4.0;
        let alpha = corners.iter().map(|p| u32::from(p[3])).sum::<u32>().div_ceil(4) as u8;
        image::Rgba([encoded(mean(0)), encoded(mean(1)), encoded(mean(2)), alpha])
    })
}

/// Gamma 2.2 stands in for the sRGB curve: only averages pass through it.
fn linear(byte: u8) -> f32 {
    (f32::from(byte) / 255.0).powf(2.2)
}

fn encoded(value: f32) -> u8 {
    (value.powf(1.0 / 2.2) * 255.0 + 0.5) as u8
}

fn write(gpu: &Gpu, texture: &wgpu::Texture, layer: u32, mip: u32, image: &RgbaImage) {
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: mip,
            origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
            aspect: wgpu::TextureAspect::All,
        },
        image.as_raw(),
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(image.width() * 4),
            rows_per_image: None,
        },
        wgpu::Extent3d {
            width: image.width(),
            height: image.height(),
            depth_or_array_layers: 1,
        },
    );
}
