//! Texture coordinates: the set that each texture of a material uses, and the sets that vertices store.
//!
//! A texture refers to a TEXCOORD set and may transform it (KHR_texture_transform). Transforms are applied at load, so
//! that vertices store final coordinates.
//! A material may use two distinct combinations of set and transform; a texture with a third one is dropped.

use ::gltf::json::{
    self, Index,
    extensions::texture::TextureTransform,
    material::{NormalTexture, OcclusionTexture},
    texture::Info,
};
use glam::{Affine2, Vec2};

/// Coordinates that a texture refers to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UvSource {
    /// TEXCOORD set.
    pub set: u32,
    /// Transform of KHR_texture_transform, applied at load.
    pub transform: Affine2,
}

/// Treatment of a primitive's tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tangents {
    /// Not needed.
    Unused,
    /// Needed by a normal map: those of the file, or computed along the first or second coordinates.
    Wanted { second: bool },
    /// As stored, if there are any: baked files.
    Stored,
}

/// Vertex data that a material requires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexNeeds {
    pub uv: UvSource,
    pub uv1: Option<UvSource>,
    pub tangents: Tangents,
    /// True if the alpha of vertex colours is used.
    pub alpha: bool,
}

/// Reference of a material to a texture.
pub(crate) struct TextureUse {
    pub index: Index<json::Texture>,
    pub source: UvSource,
}

/// Assigns the two sets of coordinates of a material.
pub(crate) struct Sources {
    stored: bool,
    first: Option<UvSource>,
    second: Option<UvSource>,
}

impl UvSource {
    /// A set without a transform.
    pub(crate) const fn plain(set: u32) -> Self {
        Self {
            set,
            transform: Affine2::IDENTITY,
        }
    }

    fn new(set: u32, transform: Option<&TextureTransform>) -> Self {
        let affine = transform.map_or(Affine2::IDENTITY, |t| {
            // KHR_texture_transform: translation * rotation * scale, rotation counter-clockwise in a
            // space whose v axis points down, hence the sign.
            Affine2::from_scale_angle_translation(Vec2::from(t.scale.0), -t.rotation.0, Vec2::from(t.offset.0))
        });
        Self {
            set: transform.and_then(|t| t.tex_coord).unwrap_or(set),
            transform: if affine.is_finite() { affine } else { Affine2::IDENTITY },
        }
    }
}

impl Sources {
    /// Makes an empty assignment. `stored`: for a baked file, whose sets are those of the vertices already.
    pub(crate) fn new(stored: bool) -> Self {
        Self {
            stored,
            first: None,
            second: None,
        }
    }

    /// Assigns a set: false for the first set of the vertices, true for the second; `None` if both are taken by
    /// others.
    pub(crate) fn second(&mut self, source: UvSource) -> Option<bool> {
        if self.stored {
            return Some(source.set > 0);
        }
        if *self.first.get_or_insert(source) == source {
            return Some(false);
        }
        (*self.second.get_or_insert(source) == source).then_some(true)
    }

    /// Vertex data required; `normal_map` is the set that a normal map uses, if there is one.
    pub(crate) fn needs(&self, normal_map: Option<bool>) -> VertexNeeds {
        if self.stored {
            return VertexNeeds {
                uv: UvSource::plain(0),
                uv1: Some(UvSource::plain(1)),
                tangents: Tangents::Stored,
                alpha: true,
            };
        }
        VertexNeeds {
            uv: self.first.unwrap_or(UvSource::plain(0)),
            uv1: self.second,
            tangents: normal_map.map_or(Tangents::Unused, |second| Tangents::Wanted { second }),
            alpha: false,
        }
    }
}

impl From<&Info> for TextureUse {
    fn from(info: &Info) -> Self {
        let transform = info.extensions.as_ref().and_then(|e| e.texture_transform.as_ref());
        Self {
            index: info.index,
            source: UvSource::new(info.tex_coord, transform),
        }
    }
}

impl From<&NormalTexture> for TextureUse {
    fn from(texture: &NormalTexture) -> Self {
        let transform = transform(texture.extensions.as_ref().map(|e| &e.others));
        Self {
            index: texture.index,
            source: UvSource::new(texture.tex_coord, transform.as_ref()),
        }
    }
}

impl From<&OcclusionTexture> for TextureUse {
    fn from(texture: &OcclusionTexture) -> Self {
        let transform = transform(texture.extensions.as_ref().map(|e| &e.others));
        Self {
            index: texture.index,
            source: UvSource::new(texture.tex_coord, transform.as_ref()),
        }
    }
}

/// Transform of a texture whose extensions the `gltf` crate leaves as JSON.
fn transform(extensions: Option<&serde_json::Map<String, json::Value>>) -> Option<TextureTransform> {
    let value = extensions?.get("KHR_texture_transform")?;
    json::deserialize::from_value(value.clone()).ok()
}
