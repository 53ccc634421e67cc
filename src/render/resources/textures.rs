//! Material textures of a character: two layered textures with mip levels, colours in sRGB and data linear.

use image::{RgbaImage, imageops};

use crate::{
    gpu::Gpu,
    model::{Image, Model, TextureKind, TextureRef, TextureWrap},
    render::resources::layout::{
        MAP_NEAREST, MAP_NONE, MAP_SECOND_UV, MAP_WRAP_U_SHIFT, MAP_WRAP_V_SHIFT, TEXTURE_CLAMP, TEXTURE_MIRROR,
        TEXTURE_REPEAT,
    },
};

/// Largest edge (px) that images are kept at; crowds never show more.
const MAX_EDGE: u32 = 1024;
/// Largest size (bytes) of the finest level of a layered texture: above it all layers are halved.
const MAX_ARRAY_BYTES: u64 = 256 << 20;

/// Content of an image, which decides how its texels are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TexelContent {
    /// sRGB colours, averaged in linear light.
    Color,
    /// Roughness, metalness, occlusion.
    Data,
    /// Unit vectors: averaged and made unit length again.
    Normals,
}

/// Layer of a texture: an image, the meaning of its texels, and its magnification filter.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ImageLayer {
    image: u32,
    content: TexelContent,
    nearest: bool,
}

impl ImageLayer {
    fn new(texture: TextureRef, content: TexelContent) -> Self {
        Self {
            image: texture.image,
            content,
            nearest: texture.nearest,
        }
    }
}

/// Assignment of images to layers of the two textures.
pub(crate) struct Layers {
    colors: Vec<ImageLayer>,
    data: Vec<ImageLayer>,
}

/// Both textures of a character and their size in bytes.
pub(crate) struct MaterialTextures {
    pub(crate) colors: wgpu::TextureView,
    pub(crate) data: wgpu::TextureView,
    pub(crate) bytes: u64,
}

impl Layers {
    /// Layers for every image that materials use, once for each meaning. Textures beyond the device's limit are left
    /// out with a warning.
    pub(crate) fn of(gpu: &Gpu, model: &Model) -> Self {
        let limit = gpu.limits.max_texture_array_layers as usize;
        let mut layers = Self {
            colors: Vec::new(),
            data: Vec::new(),
        };
        for material in &model.materials {
            for (kind, texture) in material.textures() {
                let (list, content) = match kind {
                    TextureKind::BaseColor | TextureKind::Emissive => (&mut layers.colors, TexelContent::Color),
                    TextureKind::Normal => (&mut layers.data, TexelContent::Normals),
                    TextureKind::MetallicRoughness | TextureKind::Occlusion => (&mut layers.data, TexelContent::Data),
                };
                let layer = ImageLayer::new(texture, content);
                if list.contains(&layer) {
                    continue;
                }
                if list.len() == limit {
                    let (name, material) = (&model.name, &material.name);
                    tracing::warn!("{name}: more than {limit} images; the {kind} texture of {material} is ignored");
                } else {
                    list.push(layer);
                }
            }
        }
        layers
    }

    /// `maps` entry of a base colour or emissive texture (bit layout in shaders/shared/surface.wgsl).
    pub(crate) fn color(&self, texture: Option<TextureRef>) -> u32 {
        entry(&self.colors, TexelContent::Color, texture)
    }

    /// `maps` entry of a normal map.
    pub(crate) fn normals(&self, texture: Option<TextureRef>) -> u32 {
        entry(&self.data, TexelContent::Normals, texture)
    }

    /// `maps` entry of a metallic-roughness or occlusion texture.
    pub(crate) fn data(&self, texture: Option<TextureRef>) -> u32 {
        entry(&self.data, TexelContent::Data, texture)
    }

    /// Makes both textures.
    pub(crate) fn upload(&self, gpu: &Gpu, model: &Model) -> MaterialTextures {
        let (colors, color_bytes) = array(gpu, model, &self.colors, wgpu::TextureFormat::Rgba8UnormSrgb);
        let (data, data_bytes) = array(gpu, model, &self.data, wgpu::TextureFormat::Rgba8Unorm);
        MaterialTextures {
            colors,
            data,
            bytes: color_bytes + data_bytes,
        }
    }
}

fn entry(layers: &[ImageLayer], content: TexelContent, texture: Option<TextureRef>) -> u32 {
    let Some(texture) = texture else { return MAP_NONE };
    let layer = layers.iter().position(|&l| l == ImageLayer::new(texture, content));
    let second = if texture.second { MAP_SECOND_UV } else { 0 };
    let nearest = if texture.nearest { MAP_NEAREST } else { 0 };
    let [u, v] = texture.wrap.map(wrap_bits);
    layer.map_or(MAP_NONE, |l| {
        l as u32 | second | u << MAP_WRAP_U_SHIFT | v << MAP_WRAP_V_SHIFT | nearest
    })
}

const fn wrap_bits(wrap: TextureWrap) -> u32 {
    match wrap {
        TextureWrap::Repeat => TEXTURE_REPEAT,
        TextureWrap::Mirror => TEXTURE_MIRROR,
        TextureWrap::Clamp => TEXTURE_CLAMP,
    }
}

/// Makes a `texture_2d_array`. All layers are resized to the largest image's power-of-two size. Without images it has
/// one white texel.
fn array(gpu: &Gpu, model: &Model, layers: &[ImageLayer], format: wgpu::TextureFormat) -> (wgpu::TextureView, u64) {
    let images: Vec<&Image> = layers
        .iter()
        .filter_map(|l| model.images.get(l.image as usize))
        .collect();
    let count = layers.len().max(1) as u32;
    let limit = MAX_EDGE.min(gpu.limits.max_texture_dimension_2d);
    let (width, height) = size(&images, count, limit);
    let mips = 32 - width.max(height).leading_zeros();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("material textures"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: gpu.array_layers(count),
        },
        mip_level_count: mips,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let mut bytes = 0;
    for index in 0..count {
        let layer = layers.get(index as usize).copied();
        let content = layer.map_or(TexelContent::Color, |l| l.content);
        let image = layer.and_then(|l| model.images.get(l.image as usize));
        let nearest = layer.is_some_and(|l| l.nearest);
        let mut level = fit(to_rgba(image, content), (width, height), nearest);
        for mip in 0..mips {
            bytes += u64::from(level.width() * level.height() * 4);
            write(gpu, &texture, index, mip, &level);
            level = half(&level, content);
        }
    }
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("material textures"),
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    });
    (view, bytes)
}

/// Width and height of all layers (px), at most `limit`: powers of two.
fn size(images: &[&Image], layers: u32, limit: u32) -> (u32, u32) {
    let edge = |pick: fn(&Image) -> u32| {
        let largest = images.iter().map(|i| pick(i)).max().unwrap_or(1);
        largest.next_power_of_two().min(limit)
    };
    let (mut width, mut height) = (edge(|i| i.width), edge(|i| i.height));
    while u64::from(width) * u64::from(height) * 4 * u64::from(layers) > MAX_ARRAY_BYTES {
        (width, height) = ((width / 2).max(1), (height / 2).max(1));
    }
    (width, height)
}

/// Sampler: repeating, trilinear. The shader emulates other modes, because on OpenGL a texture has one sampler.
pub(crate) fn sampler(gpu: &Gpu) -> wgpu::Sampler {
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("material textures"),
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::Repeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    })
}

/// Pixels of an image; a neutral texel if it is missing or damaged.
fn to_rgba(image: Option<&Image>, content: TexelContent) -> RgbaImage {
    let whole = image.and_then(|i| RgbaImage::from_raw(i.width, i.height, i.rgba.to_vec()));
    whole.unwrap_or_else(|| {
        let texel = match content {
            TexelContent::Color | TexelContent::Data => [255; 4],
            TexelContent::Normals => [128, 128, 255, 255],
        };
        RgbaImage::from_pixel(1, 1, image::Rgba(texel))
    })
}

/// Resizes an image; `nearest` keeps the edges of enlarged texels.
fn fit(image: RgbaImage, size: (u32, u32), nearest: bool) -> RgbaImage {
    let (width, height) = size;
    if image.dimensions() == (width, height) {
        return image;
    }
    let filter = if nearest && image.width() <= width && image.height() <= height {
        imageops::FilterType::Nearest
    } else {
        imageops::FilterType::CatmullRom
    };
    imageops::resize(&image, width, height, filter)
}

/// Next mip level, by a 2x2 box filter.
fn half(image: &RgbaImage, content: TexelContent) -> RgbaImage {
    let (w, h) = image.dimensions();
    RgbaImage::from_fn((w / 2).max(1), (h / 2).max(1), |x, y| {
        let at = |dx: u32, dy: u32| image.get_pixel((x * 2 + dx).min(w - 1), (y * 2 + dy).min(h - 1)).0;
        let corners = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
        let mean = |c: usize| corners.iter().map(|p| u32::from(p[c])).sum::<u32>().div_ceil(4) as u8;
        let [r, g, b] = match content {
            TexelContent::Color => [0, 1, 2].map(|c| mean_light(&corners, c)),
            TexelContent::Data => [0, 1, 2].map(mean),
            TexelContent::Normals => mean_direction(&corners),
        };
        image::Rgba([r, g, b, mean(3)])
    })
}

/// Mean of a colour channel in linear light. Gamma 2.2 approximates the sRGB curve, since only averages pass through
/// it.
fn mean_light(corners: &[[u8; 4]; 4], channel: usize) -> u8 {
    let linear = |p: &[u8; 4]| (f32::from(p[channel]) / 255.0).powf(2.2);
    let mean = corners.iter().map(linear).sum::<f32>() / 4.0;
    (mean.powf(1.0 / 2.2) * 255.0 + 0.5) as u8
}

/// Mean of normals, unit length again; flat if opposite normals cancel out.
fn mean_direction(corners: &[[u8; 4]; 4]) -> [u8; 3] {
    let vector = |p: &[u8; 4]| glam::Vec3::new(p[0].into(), p[1].into(), p[2].into()) / 127.5 - 1.0;
    let sum: glam::Vec3 = corners.iter().map(vector).sum();
    // Rounding leaves a small vector of opposite normals, which is no direction.
    let mean = if sum.length() > 0.1 {
        sum.normalize()
    } else {
        glam::Vec3::Z
    };
    ((mean + 1.0) * 127.5 + 0.5).to_array().map(|x| x as u8)
}

fn write(gpu: &Gpu, texture: &wgpu::Texture, layer: u32, mip: u32, image: &RgbaImage) {
    gpu.write_texture(
        "textures",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_share_a_size_and_stay_within_memory() {
        let image = |width, height| Image {
            name: String::new(),
            width,
            height,
            rgba: Vec::new().into(),
        };
        let (wide, high, huge) = (image(300, 4), image(4, 600), image(9000, 9000));
        assert_eq!(size(&[], 1, 1024), (1, 1));
        assert_eq!(size(&[&wide, &high], 2, 1024), (512, 1024));
        assert_eq!(size(&[&huge], 64, 1024), (1024, 1024));
        assert_eq!(size(&[&huge], 65, 1024), (512, 512));
        assert_eq!(size(&[&huge], 256, 1024), (512, 512));
        let (width, height) = size(&[&huge], 2048, 16384);
        assert!(u64::from(width) * u64::from(height) * 4 * 2048 <= MAX_ARRAY_BYTES);
    }

    #[test]
    fn damaged_images_change_nothing() {
        let damaged = Image {
            name: String::new(),
            width: 4,
            height: 4,
            rgba: Vec::new().into(),
        };
        let texel = |content| to_rgba(Some(&damaged), content).get_pixel(0, 0).0;
        assert_eq!(texel(TexelContent::Normals), [128, 128, 255, 255]);
        assert_eq!(
            (texel(TexelContent::Data), texel(TexelContent::Color)),
            ([255; 4], [255; 4])
        );
        assert_eq!(to_rgba(None, TexelContent::Color).dimensions(), (1, 1));
    }

    #[test]
    fn mip_levels_average_light_data_and_directions() {
        let image = |texels: [[u8; 4]; 4]| RgbaImage::from_raw(2, 2, texels.concat()).expect("four texels");
        let first = |image: &RgbaImage| image.get_pixel(0, 0).0;
        let checker = image([[0, 0, 0, 255], [255; 4], [255; 4], [0, 0, 0, 255]]);
        // Half of the light is brighter than half of the code values.
        assert_eq!(first(&half(&checker, TexelContent::Data)), [128, 128, 128, 255]);
        assert!(first(&half(&checker, TexelContent::Color))[0] > 180);
        // Tilted left and right: the mean points straight up, at full length.
        let (left, right) = ([37, 128, 218, 255], [218, 128, 218, 255]);
        let [x, y, z, _] = first(&half(&image([left, right, left, right]), TexelContent::Normals));
        assert!(x.abs_diff(128) <= 1 && y.abs_diff(128) <= 1 && z >= 254, "{x} {y} {z}");
        // Opposite normals leave nothing: flat.
        let (there, back) = ([255, 128, 128, 255], [0, 127, 127, 255]);
        assert_eq!(
            first(&half(&image([there, back, there, back]), TexelContent::Normals)),
            [128, 128, 255, 255]
        );
    }
}
