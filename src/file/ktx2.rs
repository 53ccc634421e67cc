//! Minimal KTX 2.0 container: one uncompressed two-dimensional image
//! (<https://registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html>).

use crate::atlas::{AtlasFormat, Texel};

const IDENTIFIER: [u8; 12] = *b"\xabKTX 20\xbb\r\n\x1a\n";

/// Description of a format for Vulkan and for the Khronos data format descriptor.
struct Pixel {
    vk_format: u32,
    /// Size of a component (bytes).
    component: u8,
    /// Channel qualifiers: float 0x80, signed 0x40.
    qualifiers: u8,
    /// Values that represent the ends of the range.
    range: [u32; 2],
}

fn pixel(format: AtlasFormat) -> Pixel {
    let one = 1.0_f32.to_bits();
    let float = |vk_format, component| Pixel {
        vk_format,
        component,
        qualifiers: 0xc0,
        range: [one | 1 << 31, one],
    };
    match format.facts().texel {
        Texel::Float32 => float(109, 4), // VK_FORMAT_R32G32B32A32_SFLOAT
        Texel::Float16 => float(97, 2),  // VK_FORMAT_R16G16B16A16_SFLOAT
        Texel::Unorm8 => Pixel {
            vk_format: 37,
            component: 1,
            qualifiers: 0,
            range: [0, 255],
        },
        // VK_FORMAT_R32G32B32A32_UINT
        Texel::Uint32 => Pixel {
            vk_format: 107,
            component: 4,
            qualifiers: 0,
            range: [0, 1],
        },
    }
}

/// Size of a texel (bytes).
pub(crate) fn texel_bytes(format: AtlasFormat) -> usize {
    format.facts().texel.bytes()
}

/// Wraps `texels`, rows top to bottom, in a container.
pub(crate) fn to_bytes(format: AtlasFormat, width: u32, height: u32, texels: &[u8]) -> Vec<u8> {
    let pixel = pixel(format);
    let descriptor = descriptor(&pixel);
    let writer = entry("KTXwriter", concat!("throng ", env!("CARGO_PKG_VERSION")));
    // Sizes (bytes): header 48, index 32, one level 24.
    let descriptor_at = 12 + 36 + 32 + 24;
    let writer_at = descriptor_at + descriptor.len();
    let texels_at = (writer_at + writer.len()).next_multiple_of(16);
    let mut file = IDENTIFIER.to_vec();
    let header = [
        pixel.vk_format,
        u32::from(pixel.component),
        width,
        height,
        0,
        0,
        1,
        1,
        0,
    ];
    let places = [descriptor_at, descriptor.len(), writer_at, writer.len()].map(|x| x as u32);
    file.extend(header.iter().chain(&places).flat_map(|x| x.to_le_bytes()));
    let lod = [0, 0, texels_at as u64, texels.len() as u64, texels.len() as u64];
    file.extend(lod.iter().flat_map(|x| x.to_le_bytes()));
    file.extend(descriptor);
    file.extend(writer);
    file.resize(texels_at, 0);
    file.extend(texels);
    file
}

/// Basic data format descriptor of four linear channels.
fn descriptor(pixel: &Pixel) -> Vec<u8> {
    let bytes = 4 * pixel.component;
    let block = 24 + 4 * 16;
    let mut out: Vec<u8> = (block + 4_u32).to_le_bytes().to_vec();
    out.extend([0; 4]); // Khronos, basic format
    out.extend((2 | block << 16).to_le_bytes()); // version 2, size
    out.extend([1, 1, 1, 0]); // RGBSDA, BT.709 primaries, linear, straight alpha
    out.extend([0; 4]); // texel block 1x1x1x1
    out.extend([bytes, 0, 0, 0, 0, 0, 0, 0]);
    for (index, channel) in [0_u8, 1, 2, 15].into_iter().enumerate() {
        let offset = index as u16 * u16::from(pixel.component) * 8;
        out.extend(offset.to_le_bytes());
        out.extend([pixel.component * 8 - 1, channel | pixel.qualifiers]);
        out.extend([0; 4]); // sample position
        out.extend(pixel.range.iter().flat_map(|x| x.to_le_bytes()));
    }
    out
}

fn entry(key: &str, value: &str) -> Vec<u8> {
    let content = [key.as_bytes(), b"\0", value.as_bytes(), b"\0"].concat();
    let mut out = (content.len() as u32).to_le_bytes().to_vec();
    out.extend(content);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}
