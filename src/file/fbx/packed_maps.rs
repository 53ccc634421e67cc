//! Maps of one channel each, packed as glTF has them: opacity into the alpha of the base colour, roughness and
//! metalness into one image.

use image::{
    ExtendedColorType, ImageEncoder, RgbaImage,
    codecs::png::{CompressionType, FilterType, PngEncoder},
    imageops,
};

use crate::file::fbx::textures::decode;

/// How an opacity map goes into the base colour.
pub(super) struct PackedTexture {
    /// PNG.
    pub bytes: Vec<u8>,
    /// True if some texel is neither opaque nor clear.
    pub is_soft: bool,
}

/// Alpha of an image as opacity.
pub(super) enum OpacitySource<'a> {
    /// Alpha of the base colour's own image.
    Own,
    /// Another image: its alpha if it has any, else its brightness.
    Other(&'a [u8]),
}

/// Puts opacity into the alpha of a base colour; white without a base image. The error is the problem in words.
pub(super) fn with_opacity(base: Option<&[u8]>, opacity: &OpacitySource<'_>) -> Result<PackedTexture, String> {
    let mut image = match (base, opacity) {
        (Some(base), _) => decode(base)?,
        (None, OpacitySource::Own) => RgbaImage::from_pixel(1, 1, image::Rgba([255; 4])),
        (None, OpacitySource::Other(map)) => {
            let map = decode(map)?;
            RgbaImage::from_pixel(map.width(), map.height(), image::Rgba([255; 4]))
        }
    };
    if let OpacitySource::Other(map) = opacity {
        let map = resized(decode(map)?, (image.width(), image.height()));
        let has_alpha = map.pixels().any(|texel| texel.0[3] < 255);
        for (texel, from) in image.pixels_mut().zip(map.pixels()) {
            texel.0[3] = if has_alpha { from.0[3] } else { grey(from.0) };
        }
    }
    let soft = image.pixels().filter(|texel| (16..240).contains(&texel.0[3])).count();
    Ok(PackedTexture {
        bytes: encode(&image)?,
        // Edges of cut-out shapes have a few soft texels.
        is_soft: soft > (image.width() * image.height()) as usize / 10,
    })
}

/// Packs roughness (green) and metalness (blue); a missing map is white, so that its factor counts. The error is the
/// problem in words.
pub(super) fn metallic_roughness(
    metalness: Option<&[u8]>,
    roughness: Option<&[u8]>,
    is_glossiness: bool,
) -> Result<Vec<u8>, String> {
    let read = |map: Option<&[u8]>| map.map(decode).transpose();
    let (metalness, roughness) = (read(metalness)?, read(roughness)?);
    let sizes = [&metalness, &roughness]
        .into_iter()
        .flatten()
        .map(|map| (map.width(), map.height()));
    let size = sizes.fold((1, 1), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    let fit = |map: Option<RgbaImage>| map.map(|map| resized(map, size));
    let (metalness, roughness) = (fit(metalness), fit(roughness));
    let value = |map: &Option<RgbaImage>, x, y| map.as_ref().map_or(255, |map| grey(map.get_pixel(x, y).0));
    let packed = RgbaImage::from_fn(size.0, size.1, |x, y| {
        let rough = value(&roughness, x, y);
        let rough = if is_glossiness { 255 - rough } else { rough };
        image::Rgba([255, rough, value(&metalness, x, y), 255])
    });
    encode(&packed)
}

fn grey(texel: [u8; 4]) -> u8 {
    let [r, g, b, _] = texel;
    if r == g && g == b {
        return r;
    }
    ((54 * u32::from(r) + 183 * u32::from(g) + 19 * u32::from(b)) >> 8) as u8
}

fn resized(image: RgbaImage, size: (u32, u32)) -> RgbaImage {
    let (width, height) = size;
    if image.dimensions() == (width, height) {
        return image;
    }
    imageops::resize(&image, width, height, imageops::FilterType::Triangle)
}

/// Encodes an image as PNG, quickly: it is decoded again at once. The error is the problem in words.
pub(super) fn encode(image: &RgbaImage) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Up);
    let written = encoder.write_image(image, image.width(), image.height(), ExtendedColorType::Rgba8);
    written.map_err(|error| format!("cannot be converted: {error}"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(texels: &[[u8; 4]]) -> Vec<u8> {
        let image = RgbaImage::from_fn(texels.len() as u32, 1, |x, _| image::Rgba(texels[x as usize]));
        encode(&image).expect("PNG")
    }

    #[test]
    fn opacity_becomes_alpha() {
        let base = png(&[[10, 20, 30, 255], [40, 50, 60, 255]]);
        let map = png(&[[255, 255, 255, 255], [0, 0, 0, 255]]);
        let packed = with_opacity(Some(&base), &OpacitySource::Other(&map)).expect("packed");
        let image = decode(&packed.bytes).expect("PNG");
        assert_eq!(image.get_pixel(0, 0).0, [10, 20, 30, 255]);
        assert_eq!(image.get_pixel(1, 0).0, [40, 50, 60, 0]);
        assert!(!packed.is_soft);
    }

    #[test]
    fn glossiness_is_turned_into_roughness() {
        let gloss = png(&[[200, 200, 200, 255]]);
        let packed = metallic_roughness(None, Some(&gloss), true).expect("packed");
        assert_eq!(decode(&packed).expect("PNG").get_pixel(0, 0).0, [255, 55, 255, 255]);
    }
}
