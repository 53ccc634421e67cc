//! Reads materials and the images they refer to.

use std::{collections::BTreeMap, io::Cursor, path::Path};

use ::gltf::json::{
    self, Index,
    material::AlphaMode as JsonAlpha,
    texture::{MagFilter, Sampler, WrappingMode},
    validation::Checked,
};
use glam::{Vec3, Vec4};
use image::{ImageReader, Limits};

use crate::{
    file::{
        ModelError,
        baked::extension,
        gltf::{
            bleed,
            document::Document,
            files::{FileContent, Files},
            mesh::uv::{Sources, TextureUse, VertexNeeds},
            undrawn,
        },
    },
    model::{AlphaMode, Image, MATERIAL_VARIANTS, Material, TextureKind, TextureRef, TextureWrap, TintRegion},
};

/// Largest image edge that is read (px).
const MAX_EDGE: u32 = 16384;
/// Maximum memory of one image while it is decoded (bytes).
const MAX_IMAGE_BYTES: u64 = 1 << 30;
/// Maximum memory of all images of a character (bytes): 32 of 4096 x 4096 pixels.
const MAX_ALL_IMAGES_BYTES: u64 = 2 << 30;

/// Maximum number of materials named for an extension that is not drawn; more are counted.
const NAMED: usize = 3;

/// Materials, images, and the vertex data that they require.
pub(crate) struct Materials {
    /// Materials in file order, then a default one.
    pub materials: Vec<Material>,
    /// Images that materials use.
    pub images: Vec<Image>,
    /// Vertex data that each material requires.
    pub needs: Vec<VertexNeeds>,
    /// Parts of the file that are not drawn.
    pub dropped: Vec<String>,
}

impl Materials {
    /// Reads all materials and decodes the images they use.
    pub(crate) fn read(
        document: &Document<'_>,
        base: Option<&Path>,
        notes: &mut Vec<String>,
    ) -> Result<Self, ModelError> {
        let count = document.root.materials.len();
        let default = needs_default(document);
        if count + usize::from(default) > 256 {
            return Err(document.content(
                "materials",
                format!("{count} materials, but a character may have at most 256; merge some"),
            ));
        }
        let mut images = Images::new(document, base);
        let mut all = Self {
            materials: Vec::new(),
            images: Vec::new(),
            needs: Vec::new(),
            dropped: Vec::new(),
        };
        let baked = extension::object(document).is_some();
        for (index, material) in document.root.materials.iter().enumerate() {
            let mut read = read_factors(document, index, material)?;
            let mut sources = Sources::new(baked);
            read_textures(
                &mut read,
                index,
                material,
                &mut images,
                &mut sources,
                &mut all.dropped,
                notes,
            )?;
            all.needs.push(VertexNeeds {
                alpha: baked || read.alpha != AlphaMode::Opaque,
                ..sources.needs(read.normal_texture.map(|t| t.second))
            });
            all.materials.push(read);
        }
        all.dropped.extend(undrawn(&document.root.materials, &all.materials));
        all.dropped.extend(undrawn::features(document));
        if default {
            all.materials.push(Material::default());
            all.needs.push(Sources::new(baked).needs(None));
        }
        if all
            .materials
            .iter()
            .all(|m| m.tints == [TintRegion::None; MATERIAL_VARIANTS])
        {
            let whole = [TintRegion::Whole; MATERIAL_VARIANTS];
            all.materials.iter_mut().for_each(|m| m.tints = whole);
        }
        notes.append(&mut images.files.notes);
        all.images = images.decoded;
        if !baked {
            bleed::fill(&mut all.images, &all.materials);
        }
        Ok(all)
    }

    /// Index for primitives without a material.
    pub(crate) fn default_index(&self) -> usize {
        self.materials.len().saturating_sub(1)
    }
}

/// Extensions that throng does not draw: each once, with the materials that have it.
fn undrawn(files: &[json::Material], materials: &[Material]) -> impl Iterator<Item = String> {
    let mut users = BTreeMap::<&str, Vec<&str>>::new();
    for (file, material) in files.iter().zip(materials) {
        for name in file.extensions.iter().flat_map(|e| e.others.keys()) {
            users.entry(name).or_default().push(&material.name);
        }
    }
    users.into_iter().map(|(extension, names)| {
        let (named, others) = names.split_at(names.len().min(NAMED));
        let more = if others.is_empty() {
            String::new()
        } else {
            format!(" and {} more", others.len())
        };
        let instead = match extension {
            "KHR_materials_pbrSpecularGlossiness" => {
                " (diffuse colour and glossiness are drawn, specular colour is not)"
            }
            _ => "",
        };
        format!("{extension} of {}{more}{instead}", named.join(", "))
    })
}

fn needs_default(document: &Document<'_>) -> bool {
    let mut primitives = document.root.meshes.iter().flat_map(|m| &m.primitives);
    document.root.materials.is_empty() || primitives.any(|p| p.material.is_none())
}

/// Reads the textures of a material into it; those whose coordinates do not fit are dropped.
fn read_textures(
    into: &mut Material,
    index: usize,
    material: &json::Material,
    images: &mut Images<'_>,
    sources: &mut Sources,
    dropped: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Result<(), ModelError> {
    let name = into.name.clone();
    let mut read = |kind: TextureKind, wanted: Option<TextureUse>| -> Result<Option<TextureRef>, ModelError> {
        let Some(wanted) = wanted else { return Ok(None) };
        let Some(second) = sources.second(wanted.source) else {
            dropped.push(format!(
                "material {index} \"{name}\": its {kind} texture, which requires a third set or transform of \
                 texture coordinates"
            ));
            return Ok(None);
        };
        let texture = images.texture(wanted.index, index, notes)?;
        Ok(texture.map(|t| TextureRef { second, ..t }))
    };
    let pbr = &material.pbr_metallic_roughness;
    // Same order as `Material::textures`.
    let glossy = SpecularGlossiness::of(material);
    let base_color = match &glossy {
        Some(glossy) => glossy.texture.as_ref(),
        None => pbr.base_color_texture.as_ref(),
    };
    into.base_color_texture = read(TextureKind::BaseColor, base_color.map(TextureUse::from))?;
    into.normal_texture = read(
        TextureKind::Normal,
        material.normal_texture.as_ref().map(TextureUse::from),
    )?;
    let packed = pbr.metallic_roughness_texture.as_ref().filter(|_| glossy.is_none());
    into.metallic_roughness_texture = read(TextureKind::MetallicRoughness, packed.map(TextureUse::from))?;
    into.occlusion_texture = read(
        TextureKind::Occlusion,
        material.occlusion_texture.as_ref().map(TextureUse::from),
    )?;
    into.emissive_texture = read(
        TextureKind::Emissive,
        material.emissive_texture.as_ref().map(TextureUse::from),
    )?;
    Ok(())
}

/// Reads everything of a material but its textures.
fn read_factors(document: &Document<'_>, index: usize, material: &json::Material) -> Result<Material, ModelError> {
    let pbr = &material.pbr_metallic_roughness;
    let glossy = SpecularGlossiness::of(material);
    let (base_color, metallic, roughness) = match &glossy {
        Some(glossy) => (glossy.diffuse, 0.0, 1.0 - glossy.glossiness),
        None => (pbr.base_color_factor.0, pbr.metallic_factor.0, pbr.roughness_factor.0),
    };
    let extensions = material.extensions.as_ref();
    let strength = extensions
        .and_then(|e| e.emissive_strength.as_ref())
        .map_or(1.0, |e| e.emissive_strength.0);
    let finite = |x: f32, fallback: f32| if x.is_finite() { x } else { fallback };
    let extras: Option<json::Value> =
        (material.extras.as_ref()).and_then(|e| json::deserialize::from_str(e.get()).ok());
    let extra = |key: &str| extras.as_ref()?.get(key);
    let name = material.name.clone().unwrap_or_else(|| format!("material {index}"));
    if material.alpha_mode == Checked::Invalid {
        return Err(document.content(format!("material {index} \"{name}\""), "its alphaMode is unknown"));
    }
    Ok(Material {
        name,
        base_color: Vec4::from(base_color).map(|x| finite(x, 1.0).clamp(0.0, 1.0)),
        metallic: finite(metallic, 1.0).clamp(0.0, 1.0),
        roughness: finite(roughness, 1.0).clamp(0.0, 1.0),
        emissive: (Vec3::from(material.emissive_factor.0) * strength).map(|x| finite(x, 0.0).max(0.0)),
        normal_scale: material.normal_texture.as_ref().map_or(1.0, |t| finite(t.scale, 1.0)),
        occlusion_strength: material
            .occlusion_texture
            .as_ref()
            .map_or(1.0, |t| finite(t.strength.0, 1.0).clamp(0.0, 1.0)),
        unlit: extensions.is_some_and(|e| e.unlit.is_some()),
        double_sided: material.double_sided,
        alpha: match material.alpha_mode {
            Checked::Valid(JsonAlpha::Mask) => AlphaMode::Mask(material.alpha_cutoff.map_or(0.5, |c| finite(c.0, 0.5))),
            Checked::Valid(JsonAlpha::Blend) => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        tints: tints(extra("tint")),
        color_occludes: extra("occlusion").and_then(json::Value::as_str) == Some("COLOR_0"),
        ..Material::default()
    })
}

/// Factors and diffuse texture of `KHR_materials_pbrSpecularGlossiness`, which old Sketchfab files have in place of
/// metallic-roughness. Diffuse becomes base colour and glossiness roughness; specular colour is left out.
struct SpecularGlossiness {
    diffuse: [f32; 4],
    /// 0 to 1.
    glossiness: f32,
    texture: Option<json::texture::Info>,
}

impl SpecularGlossiness {
    fn of(material: &json::Material) -> Option<Self> {
        let value = (material.extensions.as_ref()?.others).get("KHR_materials_pbrSpecularGlossiness")?;
        let read = |key: &str| value.get(key).cloned();
        let diffuse = read("diffuseFactor").and_then(|factor| json::deserialize::from_value(factor).ok());
        let glossiness = read("glossinessFactor").and_then(|factor| factor.as_f64());
        Some(Self {
            diffuse: diffuse.unwrap_or([1.0; 4]),
            glossiness: glossiness.map_or(1.0, |factor| factor as f32),
            texture: read("diffuseTexture").and_then(|info| json::deserialize::from_value(info).ok()),
        })
    }
}

/// Reads `extras.tint` of a material: the colour of an instance that replaces its hue. It is one region for all
/// material variants, or a list by material variant, which repeats.
fn tints(extra: Option<&json::Value>) -> [TintRegion; MATERIAL_VARIANTS] {
    let Some(list) = extra.and_then(json::Value::as_array).filter(|list| !list.is_empty()) else {
        return [tint_region(extra); MATERIAL_VARIANTS];
    };
    std::array::from_fn(|material_variant| tint_region(list.get(material_variant % list.len())))
}

fn tint_region(name: Option<&json::Value>) -> TintRegion {
    match name.and_then(json::Value::as_str) {
        Some("skin") => TintRegion::Skin,
        Some("hair") => TintRegion::Hair,
        Some("cloth") => TintRegion::Cloth,
        Some("trim") => TintRegion::Trim,
        _ => TintRegion::None,
    }
}

/// Wrap modes of a sampler along u and v; `None` for an unknown number.
fn wrap_modes(sampler: &Sampler) -> Option<[TextureWrap; 2]> {
    let mode = |mode| match mode {
        Checked::Valid(WrappingMode::Repeat) => Some(TextureWrap::Repeat),
        Checked::Valid(WrappingMode::MirroredRepeat) => Some(TextureWrap::Mirror),
        Checked::Valid(WrappingMode::ClampToEdge) => Some(TextureWrap::Clamp),
        Checked::Invalid => None,
    };
    Some([mode(sampler.wrap_s)?, mode(sampler.wrap_t)?])
}

/// State of an image.
#[derive(Clone, Copy)]
enum ImageState {
    /// No material uses it yet.
    Unread,
    /// Cannot be read, which one note says.
    Broken,
    /// Index among the decoded images.
    At(u32),
}

/// Decodes each image once, when a material first refers to it.
struct Images<'a> {
    document: &'a Document<'a>,
    files: Files<'a>,
    decoded: Vec<Image>,
    /// States by glTF image index.
    known: Vec<ImageState>,
    /// Memory that images may still take (bytes).
    left: u64,
}

impl<'a> Images<'a> {
    fn new(document: &'a Document<'a>, base: Option<&'a Path>) -> Self {
        Self {
            document,
            files: Files::new(base),
            decoded: Vec::new(),
            known: vec![ImageState::Unread; document.root.images.len()],
            left: MAX_ALL_IMAGES_BYTES,
        }
    }

    fn texture(
        &mut self,
        texture: Index<json::Texture>,
        material: usize,
        notes: &mut Vec<String>,
    ) -> Result<Option<TextureRef>, ModelError> {
        let place = format!("material {material}");
        let missing = |what: String| self.document.content(&place, format!("its {what} does not exist"));
        let found = self.document.root.textures.get(texture.value());
        let found = found.ok_or_else(|| missing(format!("texture {texture}")))?;
        let Some(index) = image_of(found) else {
            notes.push(format!(
                "{place}: texture {texture} has no PNG, JPEG or WebP source and is ignored"
            ));
            return Ok(None);
        };
        let image = match self.known.get(index) {
            None => return Err(missing(format!("image {index}"))),
            Some(ImageState::At(known)) => *known,
            Some(ImageState::Broken) => return Ok(None),
            Some(ImageState::Unread) => match self.decode(index)? {
                Ok(image) => {
                    let place = self.decoded.len() as u32;
                    self.decoded.push(image);
                    self.known[index] = ImageState::At(place);
                    place
                }
                Err(problem) => {
                    notes.push(format!("image {index} {problem}; materials are drawn without it"));
                    self.known[index] = ImageState::Broken;
                    return Ok(None);
                }
            },
        };
        let sampler = found.sampler.and_then(|s| self.document.root.samplers.get(s.value()));
        let wrap = sampler.map_or(Some(Default::default()), wrap_modes);
        if wrap.is_none() {
            notes.push(format!(
                "{place}: texture {texture} has an unknown wrap mode; using repeat"
            ));
        }
        Ok(Some(TextureRef {
            image,
            second: false,
            wrap: wrap.unwrap_or_default(),
            nearest: sampler.is_some_and(|s| s.mag_filter == Some(Checked::Valid(MagFilter::Nearest))),
        }))
    }

    /// Decodes an image; the inner error is the problem of this image in words. The outer error is images that take
    /// too much memory.
    fn decode(&mut self, index: usize) -> Result<Result<Image, String>, ModelError> {
        let image = &self.document.root.images[index];
        let uri = image.uri.clone().filter(|u| !u.starts_with("data:"));
        let name = image.name.clone().or(uri).unwrap_or_else(|| format!("image {index}"));
        let of_image = |problem: String| format!("\"{name}\": {problem}");
        let bytes = match self.bytes(index) {
            Ok(bytes) => bytes,
            Err(problem) => return Ok(Err(of_image(problem))),
        };
        let undecodable = |e| of_image(format!("cannot be decoded: {e}; save it as PNG, JPEG or WebP"));
        let size = reader(&bytes).and_then(ImageReader::into_dimensions);
        let (width, height) = match size {
            Ok(size) => size,
            Err(error) => return Ok(Err(undecodable(error))),
        };
        let left = self.left.checked_sub(4 * u64::from(width) * u64::from(height));
        self.left = left.ok_or_else(|| {
            let problem = format!(
                "{width} x {height} pixels exceed the limit: decoded images take more than {} GiB in total; shrink \
                 them",
                MAX_ALL_IMAGES_BYTES >> 30
            );
            self.document.content(format!("image {index}"), problem)
        })?;
        if let Some(whole) = &self.document.whole {
            let told = name.clone();
            let rgba = whole.later(&bytes, move |bytes| decode_or_none(&told, bytes));
            return Ok(Ok(Image {
                name,
                width,
                height,
                rgba,
            }));
        }
        Ok(match decode_rgba(&bytes) {
            Ok(rgba) => Ok(Image {
                name,
                width: rgba.width(),
                height: rgba.height(),
                rgba: rgba.into_raw().into(),
            }),
            Err(error) => Err(undecodable(error)),
        })
    }

    /// Encoded bytes of an image; the error is the problem in words.
    fn bytes(&mut self, index: usize) -> Result<FileContent<'a>, String> {
        let image = &self.document.root.images[index];
        match (&image.uri, image.buffer_view) {
            (Some(uri), _) => self.files.read(uri),
            (None, Some(view)) => self.document.raw_view(view.value()).map(FileContent::Borrowed),
            (None, None) => Err("has neither a uri nor a buffer view".into()),
        }
    }
}

/// Image of a texture: the WebP image if there is one, else the fallback beside it.
fn image_of(texture: &json::Texture) -> Option<usize> {
    let webp = texture
        .extensions
        .as_ref()
        .and_then(|e| e.others.get("EXT_texture_webp"));
    let webp = webp.and_then(|e| e.get("source")?.as_u64());
    let plain = texture.source.value();
    match usize::try_from(webp.unwrap_or(u64::MAX)) {
        Ok(index) if webp.is_some() => Some(index),
        // The `gltf` crate stores this number if there is no source.
        _ => (plain != u32::MAX as usize).then_some(plain),
    }
}

fn decode_or_none(name: &str, bytes: &[u8]) -> Vec<u8> {
    decode_rgba(bytes).map_or_else(
        |error| {
            tracing::warn!("image \"{name}\" cannot be decoded, drawn without it: {error}");
            Vec::new()
        },
        image::RgbaImage::into_raw,
    )
}

fn decode_rgba(bytes: &[u8]) -> image::ImageResult<image::RgbaImage> {
    Ok(reader(bytes)?.decode()?.into_rgba8())
}

/// Makes a reader that takes no more memory than an image may.
fn reader(bytes: &[u8]) -> image::ImageResult<ImageReader<Cursor<&[u8]>>> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_EDGE);
    limits.max_image_height = Some(MAX_EDGE);
    limits.max_alloc = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    Ok(reader)
}
