//! MToon materials: lit and shade colour, which the standard materials of the file know nothing of.
//!
//! Where light falls, MToon shows the lit colour, elsewhere the shade colour. Here the shade colour is emitted, and the
//! difference to the lit colour is reflected.

use ::gltf::json::{Material, Root, Value, material::EmissiveFactor, texture::Info};
use serde_json::json;

use crate::{
    file::gltf::vrm::{VRM_0, extension},
    model::linear_from_srgb,
};

/// Difference of the colours up to which a material looks the same in light and shade.
const ALIKE: f32 = 0.02;

/// Colours of a toon material, linear.
struct Toon {
    /// Colour in the light; `None`: that of the standard material.
    lit: Option<[f32; 3]>,
    /// Colour in the shade.
    shade: [f32; 3],
    /// Texture that multiplies the shade colour; `None`: that of the base colour.
    texture: Option<Info>,
}

/// Gives toon materials their colours; returns their number.
pub(super) fn apply(root: &mut Root) -> usize {
    let toons: Vec<Option<Toon>> = (0..root.materials.len()).map(|index| toon(root, index)).collect();
    let mut count = 0;
    for (material, toon) in root.materials.iter_mut().zip(toons) {
        if let Some(toon) = toon {
            show(material, toon);
            count += 1;
        }
    }
    count
}

fn toon(root: &Root, index: usize) -> Option<Toon> {
    let material = &root.materials[index];
    let own = material
        .extensions
        .as_ref()
        .and_then(|e| e.others.get("VRMC_materials_mtoon"));
    if let Some(own) = own {
        let texture = own.get("shadeMultiplyTexture").cloned();
        return Some(Toon {
            lit: None,
            shade: color(own.get("shadeColorFactor"), |v| v).unwrap_or([0.0; 3]),
            texture: texture.and_then(|info| ::gltf::json::deserialize::from_value(info).ok()),
        });
    }
    let of_0 = extension(root, VRM_0)?.pointer("/materialProperties")?.get(index)?;
    if of_0.get("shader")?.as_str()? != "VRM/MToon" {
        return None;
    }
    let texture = of_0.pointer("/textureProperties/_ShadeTexture").and_then(Value::as_u64);
    let texture = texture.filter(|index| (*index as usize) < root.textures.len());
    Some(Toon {
        lit: color(of_0.pointer("/vectorProperties/_Color"), linear_from_srgb),
        shade: color(of_0.pointer("/vectorProperties/_ShadeColor"), linear_from_srgb)?,
        texture: texture.and_then(|index| ::gltf::json::deserialize::from_value(json!({"index": index})).ok()),
    })
}

fn color(value: Option<&Value>, linear: fn(f32) -> f32) -> Option<[f32; 3]> {
    let list = value?.as_array()?;
    let mut color = [0.0; 3];
    for (into, value) in color.iter_mut().zip(list) {
        *into = linear(value.as_f64()?.clamp(0.0, 1.0) as f32);
    }
    (list.len() >= 3).then_some(color)
}

fn show(material: &mut Material, toon: Toon) {
    let base = &mut material.pbr_metallic_roughness;
    let [r, g, b, alpha] = base.base_color_factor.0;
    let lit = toon.lit.unwrap_or([r, g, b]);
    let extensions = material.extensions.get_or_insert_default();
    extensions.others.remove("VRMC_materials_mtoon");
    let alike = lit
        .iter()
        .zip(toon.shade)
        .all(|(lit, shade)| (lit - shade).abs() <= ALIKE);
    if alike && toon.texture.is_none() {
        base.base_color_factor.0 = [lit[0], lit[1], lit[2], alpha];
        extensions.unlit = Some(Default::default());
        return;
    }
    extensions.unlit = None;
    let mut reflected = [0.0, 0.0, 0.0, alpha];
    for (into, (lit, shade)) in reflected.iter_mut().zip(lit.iter().zip(toon.shade)) {
        *into = (lit - shade).max(0.0);
    }
    base.base_color_factor.0 = reflected;
    base.metallic_factor.0 = 0.0;
    base.roughness_factor.0 = 1.0;
    base.metallic_roughness_texture = None;
    // A glow of its own stays.
    let EmissiveFactor(emitted) = material.emissive_factor;
    if emitted == [0.0; 3] || material.emissive_texture.is_none() {
        let mut sum = [0.0; 3];
        for (into, (own, shade)) in sum.iter_mut().zip(emitted.iter().zip(toon.shade)) {
            *into = (own + shade).min(1.0);
        }
        material.emissive_factor = EmissiveFactor(sum);
        material.emissive_texture = toon.texture.or_else(|| base.base_color_texture.clone());
    }
}
