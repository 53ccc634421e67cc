//! Materials and images of a written file.

use std::io::Cursor;

use glam::Vec3;
use image::{
    ExtendedColorType, ImageEncoder,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};
use serde_json::{Value, json};

use crate::{
    file::Glb,
    model::{AlphaMode, Image, MATERIAL_VARIANTS, Material, Model, TextureRef, TextureWrap, TintRegion},
};

// OpenGL constants of filters and wrap modes, which glTF uses.
const NEAREST: u32 = 9728;
const REPEAT: u32 = 10497;
const CLAMP_TO_EDGE: u32 = 33071;
const MIRRORED_REPEAT: u32 = 33648;

/// Adds materials, textures and images. Images without pixels are omitted.
pub(crate) fn write(glb: &mut Glb, model: &Model) {
    let mut images = Vec::new();
    let mut written = Vec::with_capacity(model.images.len());
    for image in &model.images {
        let index = png(image).map(|bytes| {
            let view = glb.add_view(&bytes);
            images.push(json!({"name": image.name, "bufferView": view, "mimeType": "image/png"}));
            images.len() - 1
        });
        written.push(index);
    }
    let mut textures = Textures {
        images: written,
        textures: Vec::new(),
        samplers: Vec::new(),
    };
    let materials: Vec<Value> = model
        .materials
        .iter()
        .map(|m| material(glb, m, &mut textures))
        .collect();
    glb.set("materials", materials.into());
    for (name, list) in [
        ("images", images),
        ("samplers", textures.samplers),
        ("textures", textures.textures),
    ] {
        if !list.is_empty() {
            glb.set(name, list.into());
        }
    }
}

/// Textures and samplers of the file, each once.
struct Textures {
    /// Image in the file by image of the model.
    images: Vec<Option<usize>>,
    textures: Vec<Value>,
    samplers: Vec<Value>,
}

impl Textures {
    /// Reference of a material to a texture; `None` without one, or if its image was omitted.
    fn info(&mut self, texture: Option<TextureRef>) -> Option<Value> {
        let texture = texture?;
        let mut entry = json!({"source": (*self.images.get(texture.image as usize)?)?});
        if !texture.is_plain() {
            entry["sampler"] = place_of(&mut self.samplers, sampler(texture)).into();
        }
        let mut info = json!({"index": place_of(&mut self.textures, entry)});
        if texture.second {
            info["texCoord"] = 1.into();
        }
        Some(info)
    }
}

/// Index of an entry in a list; adds the entry if it is missing.
fn place_of(list: &mut Vec<Value>, entry: Value) -> usize {
    list.iter().position(|e| *e == entry).unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    })
}

fn sampler(texture: TextureRef) -> Value {
    let [s, t] = texture.wrap.map(|wrap| match wrap {
        TextureWrap::Repeat => REPEAT,
        TextureWrap::Mirror => MIRRORED_REPEAT,
        TextureWrap::Clamp => CLAMP_TO_EDGE,
    });
    let mut sampler = json!({"wrapS": s, "wrapT": t});
    if texture.nearest {
        sampler["magFilter"] = json!(NEAREST);
    }
    sampler
}

/// Encodes a PNG for fast decoding rather than small size; `None` if an image lacks pixels.
fn png(image: &Image) -> Option<Vec<u8>> {
    // The encoder panics on any other number of bytes; a damaged image has no pixels.
    if image.rgba.len() as u64 != 4 * u64::from(image.width) * u64::from(image.height) {
        return None;
    }
    let mut bytes = Cursor::new(Vec::new());
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Up);
    let opaque = image.rgba.chunks_exact(4).all(|p| p[3] == 255);
    let rgb: Vec<u8>;
    let (pixels, kind) = if opaque {
        rgb = image.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        (&rgb[..], ExtendedColorType::Rgb8)
    } else {
        (&image.rgba[..], ExtendedColorType::Rgba8)
    };
    encoder.write_image(pixels, image.width, image.height, kind).ok()?;
    Some(bytes.into_inner())
}

fn material(glb: &mut Glb, m: &Material, textures: &mut Textures) -> Value {
    let mut pbr = json!({
        "baseColorFactor": m.base_color.to_array(),
        "metallicFactor": m.metallic,
        "roughnessFactor": m.roughness,
    });
    if let Some(info) = textures.info(m.base_color_texture) {
        pbr["baseColorTexture"] = info;
    }
    if let Some(info) = textures.info(m.metallic_roughness_texture) {
        pbr["metallicRoughnessTexture"] = info;
    }
    let mut value = json!({"name": m.name, "pbrMetallicRoughness": pbr});
    if let Some(mut info) = textures.info(m.normal_texture) {
        info["scale"] = json!(m.normal_scale);
        value["normalTexture"] = info;
    }
    if let Some(mut info) = textures.info(m.occlusion_texture) {
        info["strength"] = json!(m.occlusion_strength);
        value["occlusionTexture"] = info;
    }
    if let Some(info) = textures.info(m.emissive_texture) {
        value["emissiveTexture"] = info;
    }
    let strength = m.emissive.max_element().max(1.0);
    if m.emissive != Vec3::ZERO {
        value["emissiveFactor"] = json!((m.emissive / strength).to_array());
    }
    if strength > 1.0 {
        glb.use_extension("KHR_materials_emissive_strength");
        value["extensions"]["KHR_materials_emissive_strength"] = json!({"emissiveStrength": strength});
    }
    if m.unlit {
        glb.use_extension("KHR_materials_unlit");
        value["extensions"]["KHR_materials_unlit"] = json!({});
    }
    if m.double_sided {
        value["doubleSided"] = true.into();
    }
    match m.alpha {
        AlphaMode::Opaque => {}
        AlphaMode::Mask(cutoff) => {
            value["alphaMode"] = "MASK".into();
            value["alphaCutoff"] = json!(cutoff);
        }
        AlphaMode::Blend => value["alphaMode"] = "BLEND".into(),
    }
    if let Some(tint) = tint_extra(&m.tints) {
        value["extras"]["tint"] = tint;
    }
    if m.color_occludes {
        value["extras"]["occlusion"] = "COLOR_0".into();
    }
    value
}

/// Value of `extras.tint`: a region's name, or one for every material variant; `None` for materials without tints.
fn tint_extra(tints: &[TintRegion; MATERIAL_VARIANTS]) -> Option<Value> {
    let name = |region: &TintRegion| match region {
        TintRegion::Skin => "skin",
        TintRegion::Hair => "hair",
        TintRegion::Cloth => "cloth",
        TintRegion::Trim => "trim",
        TintRegion::None | TintRegion::Whole => "none",
    };
    let names = tints.each_ref().map(name);
    match names.iter().all(|other| *other == names[0]) {
        true if names[0] == "none" => None,
        true => Some(names[0].into()),
        false => Some(json!(names)),
    }
}
