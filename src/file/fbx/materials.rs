//! Materials: classic FBX shading (Lambert, Phong) and the physically based ones of modelling programs.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value, json};
use ufbx::{Exporter, Material, MaterialMap, Scene, ShaderType, Texture};

use crate::file::{
    Source,
    fbx::{
        container::Container,
        packed_maps::{OpacitySource, metallic_roughness, with_opacity},
        textures::{ImageBytes, Textures, is_normal_map},
    },
};

/// Opacity below which a material counts as a mistake of its exporter: nothing of it could be seen.
const INVISIBLE: f64 = 0.004;
/// Roughness of classic materials without a shininess.
const DEFAULT_ROUGHNESS: f64 = 0.8;

/// Materials that some node uses.
pub(super) struct Materials {
    /// glTF material by typed id.
    index_of: HashMap<u32, usize>,
    /// True for materials whose vertex colours count: they have no base colour texture.
    shows_colors: Vec<bool>,
}

impl Materials {
    pub(super) fn write(
        scene: &Scene,
        source: &Source<'_>,
        container: &mut Container,
        notes: &mut Vec<String>,
    ) -> Self {
        let mut materials = Self {
            index_of: HashMap::new(),
            shows_colors: Vec::new(),
        };
        let mut textures = Textures::new(source);
        let drawn = scene.nodes.iter().filter(|node| node.mesh.is_some());
        for material in drawn.flat_map(|node| node.as_ref().materials.iter()) {
            let id = material.element.typed_id;
            if materials.index_of.contains_key(&id) {
                continue;
            }
            let mut writer = Writer {
                scene,
                material: material.as_ref(),
                textures: &mut textures,
                container: &mut *container,
                notes: &mut *notes,
            };
            let written = writer.write();
            materials
                .shows_colors
                .push(written.pointer("/pbrMetallicRoughness/baseColorTexture").is_none());
            materials.index_of.insert(id, container.push("materials", written));
        }
        textures.finish(notes);
        materials
    }

    /// glTF material of an FBX material, by its typed id.
    pub(super) fn index(&self, typed_id: u32) -> Option<usize> {
        self.index_of.get(&typed_id).copied()
    }

    /// True if vertex colours count.
    pub(super) fn shows_colors(&self, material: usize) -> bool {
        self.shows_colors.get(material).copied().unwrap_or(true)
    }
}

struct Writer<'a, 'b, 't> {
    scene: &'a Scene,
    material: &'a Material,
    textures: &'b mut Textures<'t>,
    container: &'b mut Container,
    notes: &'b mut Vec<String>,
}

impl<'a> Writer<'a, '_, '_> {
    fn write(&mut self) -> Value {
        let material = self.material;
        let mut object = json!({"name": &*material.element.name, "doubleSided": true});
        let mut pbr = Map::new();
        self.base_color(&mut object, &mut pbr);
        self.surface(&mut pbr);
        object["pbrMetallicRoughness"] = pbr.into();
        self.emission(&mut object);
        if let Some(normals) = self.normal_map()
            && let Some(bytes) = self.textures.image(normals, self.notes)
        {
            object["normalTexture"] = self.info(&bytes, Some(normals));
        }
        let occlusion = map_texture(&material.pbr.ambient_occlusion);
        if let Some(occlusion) = occlusion
            && let Some(bytes) = self.textures.image(occlusion, self.notes)
        {
            object["occlusionTexture"] = self.info(&bytes, Some(occlusion));
        }
        object
    }

    fn is_classic(&self) -> bool {
        use ShaderType::{BlenderPhong, FbxLambert, FbxPhong, Unknown};
        matches!(
            self.material.shader_type,
            Unknown | FbxLambert | FbxPhong | BlenderPhong
        )
    }

    fn base_color(&mut self, object: &mut Value, pbr: &mut Map<String, Value>) {
        let material = self.material;
        let map = if material.pbr.base_color.has_value || self.is_classic() {
            &material.pbr.base_color
        } else {
            &material.fbx.diffuse_color
        };
        let texture = map_texture(map).or_else(|| map_texture(&material.fbx.diffuse_color));
        let base = match texture {
            Some(texture) => self.textures.image(texture, self.notes),
            None => self.skin_beside(),
        };
        let mut alpha = self.opacity();
        let mut color = [1.0, 1.0, 1.0];
        if base.is_none() {
            let value = map.value_vec4;
            color = [value.x, value.y, value.z].map(|v| if v.is_finite() { v.clamp(0.0, 1.0) } else { 1.0 });
        }
        if alpha < INVISIBLE {
            self.note("its opacity is 0, which would hide it: it is drawn opaque");
            alpha = 1.0;
        }
        let mut mode = (alpha < 1.0).then_some("BLEND");
        let mut shown = base.clone().map(|bytes| (bytes, texture));
        if let Some(map) = self.opacity_texture()
            && let Some(opacity) = self.textures.image(map, self.notes)
        {
            let own = base.as_ref().is_some_and(|base| Arc::ptr_eq(base, &opacity));
            let from = if own {
                OpacitySource::Own
            } else {
                OpacitySource::Other(&opacity)
            };
            match with_opacity(base.as_deref().map(Vec::as_slice), &from) {
                Ok(packed) => {
                    mode = Some(if packed.is_soft { "BLEND" } else { "MASK" });
                    let bytes = if own { opacity.clone() } else { Arc::new(packed.bytes) };
                    shown = Some((bytes, texture.or(Some(map))));
                    alpha = 1.0;
                }
                Err(problem) => self.note(&format!("its opacity map {problem}")),
            }
        }
        if let Some((bytes, texture)) = shown {
            pbr.insert("baseColorTexture".into(), self.info(&bytes, texture));
        }
        pbr.insert("baseColorFactor".into(), json!([color[0], color[1], color[2], alpha]));
        if let Some(mode) = mode {
            object["alphaMode"] = json!(mode);
        }
    }

    /// Image beside the model under the name of a material without a texture: Kenney and Quaternius deliver skins that
    /// their FBX files do not name.
    fn skin_beside(&mut self) -> Option<ImageBytes> {
        let has_coordinates = self.scene.meshes.iter().any(|mesh| mesh.vertex_uv.exists);
        let (file, bytes) = self
            .textures
            .beside(&self.material.element.name)
            .filter(|_| has_coordinates)?;
        self.note(&format!(
            "it names no texture: \"{file}\" beside the model is drawn on it"
        ));
        Some(bytes)
    }

    /// Value that the material itself states, and not the template of the file for all materials.
    fn own(&self, property: &str) -> Option<f64> {
        let own = self.material.element.props.props.iter();
        let stated = { own }.find(|own| &*own.name == property)?;
        Some(stated.value_vec4.x)
    }

    /// Opacity without maps, 0 to 1.
    fn opacity(&self) -> f64 {
        let material = self.material;
        if !self.is_classic() {
            let opacity = &material.pbr.opacity;
            return if opacity.has_value {
                unit(opacity.value_vec4.x)
            } else {
                1.0
            };
        }
        // The SDK derives this one from factor and colour, whose use differs by program.
        if let Some(opacity) = self.own("Opacity") {
            return unit(opacity);
        }
        let factor = &material.fbx.transparency_factor;
        let color = &material.fbx.transparency_color;
        if !factor.has_value {
            return 1.0;
        }
        let tint = color.value_vec4;
        let tint = if color.has_value {
            (tint.x + tint.y + tint.z) / 3.0
        } else {
            1.0
        };
        unit(1.0 - factor.value_vec4.x * tint)
    }

    fn opacity_texture(&self) -> Option<&'a Texture> {
        let maps = &self.material.fbx;
        let classic = map_texture(&maps.transparency_color).or_else(|| map_texture(&maps.transparency_factor));
        map_texture(&self.material.pbr.opacity).or(classic)
    }

    /// Roughness and metalness.
    fn surface(&mut self, pbr: &mut Map<String, Value>) {
        let material = self.material;
        let maps = &material.pbr;
        let by_blender = matches!(
            self.scene.metadata.exporter,
            Exporter::BlenderBinary | Exporter::BlenderAscii
        );
        let is_glossiness = material.features.roughness_as_glossiness.enabled;
        let rough = if is_glossiness {
            &maps.glossiness
        } else {
            &maps.roughness
        };
        let (metalness, roughness) = if self.is_classic() {
            let shine = self
                .own("Shininess")
                .or_else(|| self.own("ShininessExponent"))
                .unwrap_or(-1.0);
            // Shininess as Blender writes it: 100 (1 - roughness)².
            let roughness = if shine >= 0.0 && by_blender {
                1.0 - shine.sqrt() / 10.0
            } else {
                DEFAULT_ROUGHNESS
            };
            let metalness = self.own("ReflectionFactor").filter(|_| by_blender).unwrap_or(0.0);
            (unit(metalness), unit(roughness))
        } else {
            let value = |map: &MaterialMap, otherwise| {
                if map.has_value {
                    unit(map.value_vec4.x)
                } else {
                    otherwise
                }
            };
            let stated = value(rough, if is_glossiness { 0.2 } else { DEFAULT_ROUGHNESS });
            let roughness = if is_glossiness { 1.0 - stated } else { stated };
            (value(&maps.metalness, 0.0), roughness)
        };
        let (metal_map, rough_map) = (map_texture(&maps.metalness), map_texture(rough));
        let mut image = |map: Option<&Texture>| map.and_then(|map| self.textures.image(map, self.notes));
        let (metal_bytes, rough_bytes) = (image(metal_map), image(rough_map));
        let mut factors = (metalness, roughness);
        if let Some(of) = rough_map
            .or(metal_map)
            .filter(|_| metal_bytes.is_some() || rough_bytes.is_some())
        {
            let slice = |bytes: &Option<ImageBytes>| bytes.clone();
            let (metal, rough) = (slice(&metal_bytes), slice(&rough_bytes));
            match metallic_roughness(
                metal.as_deref().map(Vec::as_slice),
                rough.as_deref().map(Vec::as_slice),
                is_glossiness,
            ) {
                Ok(packed) => {
                    pbr.insert(
                        "metallicRoughnessTexture".into(),
                        self.info(&Arc::new(packed), Some(of)),
                    );
                    factors = (
                        if metal.is_some() { 1.0 } else { metalness },
                        if rough.is_some() { 1.0 } else { roughness },
                    );
                }
                Err(problem) => self.note(&format!("its roughness or metalness map {problem}")),
            }
        }
        pbr.insert("metallicFactor".into(), json!(factors.0));
        pbr.insert("roughnessFactor".into(), json!(factors.1));
    }

    fn emission(&mut self, object: &mut Value) {
        let maps = &self.material.pbr;
        let strength = if maps.emission_factor.has_value {
            maps.emission_factor.value_vec4.x.max(0.0)
        } else {
            1.0
        };
        let texture = map_texture(&maps.emission_color);
        let bytes = texture.and_then(|texture| self.textures.image(texture, self.notes));
        let value = maps.emission_color.value_vec4;
        let color = if bytes.is_some() {
            [1.0; 3]
        } else {
            [value.x, value.y, value.z]
        };
        let color = color.map(|v| if v.is_finite() { v.max(0.0) * strength } else { 0.0 });
        let most = color.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 || !most.is_finite() {
            return;
        }
        object["emissiveFactor"] = json!(color.map(|v| v / most.max(1.0)));
        if most > 1.0 {
            object["extensions"] = json!({"KHR_materials_emissive_strength": {"emissiveStrength": most}});
        }
        if let Some(bytes) = bytes {
            object["emissiveTexture"] = self.info(&bytes, texture);
        }
    }

    /// Normal map: of its own slot, or in the slot of bump maps, where some programs put it.
    fn normal_map(&mut self) -> Option<&'a Texture> {
        let material = self.material;
        let normals = map_texture(&material.pbr.normal_map).or_else(|| map_texture(&material.fbx.normal_map));
        if normals.is_some() {
            return normals;
        }
        let bump = map_texture(&material.fbx.bump)?;
        if is_normal_map(bump) {
            return Some(bump);
        }
        self.note("its bump map is left out: only normal maps are drawn");
        None
    }

    fn info(&mut self, bytes: &ImageBytes, texture: Option<&Texture>) -> Value {
        let index = self.textures.write(bytes, texture, self.container);
        let mut info = json!({"index": index});
        let Some(texture) = texture else { return info };
        if !texture.uv_set.is_empty() {
            let meshes = self.scene.meshes.iter();
            let place = meshes.map(|mesh| mesh.uv_sets.iter().position(|set| *set.name == *texture.uv_set));
            if let Some(Some(set @ 1..)) = { place }.find(Option::is_some) {
                info["texCoord"] = json!(set);
            }
        }
        if texture.has_uv_transform {
            info["extensions"] = json!({"KHR_texture_transform": uv_transform(texture)});
        }
        info
    }

    fn note(&mut self, problem: &str) {
        self.notes
            .push(format!("material \"{}\": {problem}", self.material.element.name));
    }
}

/// Texture of a map, if it is on.
fn map_texture(map: &MaterialMap) -> Option<&Texture> {
    map.texture.as_ref().map(AsRef::as_ref).filter(|_| map.texture_enabled)
}

/// A value within 0 to 1; 1 for one that is not a number.
fn unit(value: f64) -> f64 {
    if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) }
}

/// Transform of texture coordinates for glTF, whose rows count from the top.
fn uv_transform(texture: &Texture) -> Value {
    let m = &texture.uv_to_texture;
    let [a, b, c, d] = [m.m00, -m.m01, -m.m10, m.m11];
    let offset = [m.m01 + m.m03, 1.0 - m.m11 - m.m13];
    let turn = (-c).atan2(a);
    let scale = [a.hypot(c), d * turn.cos() + b * turn.sin()];
    if ![offset, scale].concat().iter().all(|value| value.is_finite()) {
        return json!({});
    }
    json!({"offset": offset, "rotation": turn, "scale": scale})
}
