//! Baked characters on disk: one valid GLB with the extension `THRONG_animation_atlas` (specification:
//! `docs/THRONG_animation_atlas.md`).
//! Opening one copies the texels from the file to memory and computes nothing again.

pub(crate) mod extension;
mod importer;
pub(crate) mod json;

pub use importer::BakedImporter;

pub use extension::{BakedExtension, EXTENSION as BAKED_EXTENSION, VERSION as BAKED_VERSION};

use glam::Vec3;
use serde::Deserialize;

use crate::{
    atlas::{
        Atlas, AtlasFormat,
        baked_vertex::{VertexAtlas, VertexRange, words_per_vertex},
    },
    file::{
        Glb, GlbTooLarge, ModelError, OpenedFile,
        baked::json::{Extension, MorphView, Range, VertexView},
        lods,
    },
    model::Model,
};

/// Adds atlas, baked vertices and LODs of the extension to a model read from a baked file; a raw file has none.
pub(crate) fn with_atlas(mut model: Model, extension: Option<&BakedExtension<'_>>) -> Result<OpenedFile, ModelError> {
    let Some(extension) = extension else {
        return Ok(OpenedFile {
            model,
            atlas: None,
            vertices: None,
        });
    };
    let json = Extension::deserialize(&extension.json).map_err(|e| extension.error(format!("is invalid: {e}")))?;
    json.check(&model).map_err(|problem| extension.error(problem))?;
    let atlas = atlas(extension, &json, &model)?;
    let vertices = json
        .vertices
        .as_ref()
        .map(|view| vertices(extension, &json, view, &model));
    model.mirrored = json.mirrored;
    let view = |index| extension.lod_view(index);
    let lods = lods::read_all(&json.lods, &json.splats, &model, view);
    model.lods = lods.map_err(|problem| extension.error(problem))?;
    // Heights in a file are those along its own unit space, which older versions took from the stored mesh.
    let height = model.largest_edge();
    lods::rescale(&mut model.lods, height / (2.0 * json.unit().half_extent));
    Ok(OpenedFile {
        atlas: Some(atlas),
        vertices: vertices.transpose()?,
        model,
    })
}

/// Writes a baked file. `atlas` and `vertices` must be baked from `model`.
///
/// # Errors
/// As [`Glb::finish`].
pub fn to_bytes(model: &Model, atlas: &Atlas, vertices: Option<&VertexAtlas>) -> Result<Vec<u8>, GlbTooLarge> {
    let mut glb = Glb::new(model);
    let mut json = Extension::describe(model, atlas, glb.animations());
    json.first_key_accessor = Some(glb.first_key_accessor());
    json.atlas.buffer_view = glb.add_view(&atlas.bytes);
    json.vertices = vertices.map(|v| {
        let words = words(&v.words, u32::to_le_bytes);
        VertexView::describe(v, glb.add_view(&words))
    });
    json.morphs = (!atlas.morph_weights.is_empty()).then(|| MorphView {
        buffer_view: glb.add_view(&words(&atlas.morph_weights, f32::to_le_bytes)),
        target_count: model.morphs.len(),
    });
    let mut lods = model.lods.clone();
    lods::rescale(&mut lods, 2.0 * atlas.unit.half_extent / model.largest_edge());
    [json.lods, json.splats] = lods::write_all(&lods, |bytes| glb.add_view(bytes));
    glb.set_extension(BAKED_EXTENSION, serde_json::to_value(&json).unwrap_or_default());
    glb.finish()
}

fn words<T: Copy>(values: &[T], to_bytes: impl Fn(T) -> [u8; 4]) -> Vec<u8> {
    values.iter().flat_map(|&v| to_bytes(v)).collect()
}

fn atlas(extension: &BakedExtension<'_>, json: &Extension, model: &Model) -> Result<Atlas, ModelError> {
    let view = &json.atlas;
    let bytes = extension.view(view.buffer_view)?;
    let matrices = view.frame_count as usize * view.slot_count as usize;
    let needed = matrices * view.format.matrix_bytes();
    if bytes.len() != needed {
        return Err(extension.error(format!("its atlas has {} bytes instead of {needed}", bytes.len())));
    }
    if let Some(matrix) = first_not_finite(view.format, bytes) {
        let (frame, slot) = (matrix / view.slot_count as usize, matrix % view.slot_count as usize);
        return Err(extension.error(format!(
            "its atlas is not finite in frame {frame}, slot {slot}; bake the character again"
        )));
    }
    Ok(Atlas {
        format: view.format,
        slot_count: view.slot_count,
        frame_count: view.frame_count,
        clips: json.baked_clips(),
        unit: json.unit(),
        decode_min: view.decode_min,
        decode_size: view.decode_size,
        bytes: extension.bytes(view.buffer_view)?,
        morph_weights: morph_weights(extension, json, model)?,
        bound: json.bound(),
    })
}

/// First matrix with an infinite value or NaN.
fn first_not_finite(format: AtlasFormat, bytes: &[u8]) -> Option<usize> {
    let mut records = bytes.chunks_exact(format.matrix_bytes());
    records.position(|record| !(format.facts().is_finite)(record))
}

fn morph_weights(extension: &BakedExtension<'_>, json: &Extension, model: &Model) -> Result<Vec<f32>, ModelError> {
    let wrong = || extension.error("its morph weights do not match its targets and frames");
    let Some(view) = &json.morphs else {
        return if model.morphs.is_empty() {
            Ok(Vec::new())
        } else {
            Err(wrong())
        };
    };
    let bytes = extension.view(view.buffer_view)?;
    let needed = json.atlas.frame_count as usize * model.morphs.len();
    if view.target_count != model.morphs.len() || bytes.len() != 4 * needed {
        return Err(wrong());
    }
    let float = |w: &[u8]| f32::from_le_bytes([w[0], w[1], w[2], w[3]]);
    let weights: Vec<f32> = bytes.chunks_exact(4).map(float).collect();
    if weights.iter().all(|w| w.is_finite()) {
        Ok(weights)
    } else {
        Err(wrong())
    }
}

fn vertices(
    extension: &BakedExtension<'_>,
    json: &Extension,
    view: &VertexView,
    model: &Model,
) -> Result<VertexAtlas, ModelError> {
    let bytes = extension.view(view.buffer_view)?;
    let words_per_vertex = words_per_vertex(model);
    let needed = 4 * words_per_vertex * json.atlas.frame_count as usize * view.vertex_count as usize;
    let fits = view.vertex_count as usize == model.mesh.vertices.len() && view.words_per_vertex == words_per_vertex;
    let finite = |r: &Range| r.min.iter().chain(&r.size).all(|x| x.is_finite());
    let ranged = view.ranges.len() == json.clips.len() && view.ranges.iter().all(finite);
    if bytes.len() != needed || !fits || !ranged {
        return Err(extension.error("its baked vertices do not match its mesh and clips"));
    }
    let range = |r: &Range| VertexRange {
        min: Vec3::from(r.min),
        size: Vec3::from(r.size),
    };
    Ok(VertexAtlas {
        vertex_count: view.vertex_count,
        frame_count: json.atlas.frame_count,
        ranges: view.ranges.iter().map(range).collect(),
        unit: json.unit(),
        words_per_vertex,
        words: extension.words(view.buffer_view)?,
    })
}
