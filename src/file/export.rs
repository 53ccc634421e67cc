//! Exports the atlas for other engines: a KTX2 texture, a JSON file that describes it, and the character as a GLB.
//! Vertices of the GLB refer to the palette slots. Described in `docs/export.md`.

use serde_json::{Value, json};

use crate::{
    atlas::Atlas,
    file::{Glb, GlbTooLarge, baked::json::Extension, ktx2},
    model::{Lod, Model},
};

/// Texture edge that every current device supports (px).
const MAX_EDGE: u32 = 16384;
/// Approximate width of rows (px); old devices support no more.
const ROW: u32 = 4096;

/// Contents of the three files, which belong side by side.
#[derive(Clone, Debug)]
pub struct Export {
    /// `.ktx2`
    pub texture: Vec<u8>,
    /// `.json`
    pub description: String,
    /// `.glb`
    pub character: Vec<u8>,
}

impl Export {
    /// Name of each file, from the stem that they share, and its contents.
    #[must_use]
    pub fn files(&self, stem: &str) -> [(String, &[u8]); 3] {
        [
            (format!("{stem}.ktx2"), &self.texture),
            (format!("{stem}.json"), self.description.as_bytes()),
            (format!("{stem}.glb"), &self.character),
        ]
    }
}

/// Error of exporting a character.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// An atlas that does not fit into a texture.
    #[error(transparent)]
    Texture(#[from] TooLarge),
    /// A character that does not fit into a file.
    #[error(transparent)]
    Character(#[from] GlbTooLarge),
}

/// Error of an atlas that does not fit into a texture.
#[derive(Debug, thiserror::Error)]
#[error(
    "{frames} frames of {slots} matrices need {rows} rows of {width} texels, but textures are limited to \
     {MAX_EDGE}; bake fewer clips, use a lower rate or format trs16"
)]
pub struct TooLarge {
    frames: u32,
    slots: u32,
    rows: u64,
    width: u32,
}

/// Placement of matrices in the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    frames_per_row: u32,
    width: u32,
    height: u32,
}

/// Makes the three files.
///
/// # Errors
/// The atlas is larger than a texture can be, or the character than a file.
pub fn export(model: &Model, atlas: &Atlas) -> Result<Export, ExportError> {
    let layout = layout(atlas)?;
    let texel = ktx2::texel_bytes(atlas.format);
    let frame = atlas.slot_count as usize * atlas.format.matrix_bytes();
    let row = layout.width as usize * texel;
    let mut texels = Vec::with_capacity(row * layout.height as usize);
    for frames in atlas.bytes.chunks(frame * layout.frames_per_row as usize) {
        texels.extend(frames);
        texels.resize(texels.len().next_multiple_of(row), 0);
    }
    let still = Model {
        clips: Vec::new(),
        ..model.clone()
    };
    let mut character = Glb::new(&still);
    character.add_lods(&still);
    Ok(Export {
        texture: ktx2::to_bytes(atlas.format, layout.width, layout.height, &texels),
        description: describe(model, atlas, layout),
        character: character.finish()?,
    })
}

/// Puts as many whole frames into a row as fit, and uses as few rows as possible.
fn layout(atlas: &Atlas) -> Result<Layout, TooLarge> {
    let frame = atlas.slot_count * atlas.format.matrix_texels() as u32;
    let frames_per_row = (ROW / frame).clamp(1, atlas.frame_count);
    let width = frame * frames_per_row;
    let height = atlas.frame_count.div_ceil(frames_per_row);
    if width > MAX_EDGE || height > MAX_EDGE {
        return Err(TooLarge {
            frames: atlas.frame_count,
            slots: atlas.slot_count,
            rows: u64::from(height),
            width,
        });
    }
    Ok(Layout {
        frames_per_row,
        width,
        height,
    })
}

fn describe(model: &Model, atlas: &Atlas, layout: Layout) -> String {
    let extension = Extension::describe(model, atlas, &[]);
    let mut json = serde_json::to_value(extension).unwrap_or_default();
    if let Some(Value::Object(fields)) = json.get_mut("atlas") {
        fields.remove("bufferView");
    }
    json["texture"] = json!({
        "width": layout.width,
        "height": layout.height,
        "framesPerRow": layout.frames_per_row,
        "texelsPerMatrix": atlas.format.matrix_texels(),
    });
    json["character"] = model.name.clone().into();
    let (splats, meshes): (Vec<_>, Vec<_>) = model.lods.iter().partition(|lod| lod.is_splats());
    if !meshes.is_empty() {
        let lod = |l: &Lod| {
            json!({
                "triangles": l.triangles(),
                "maxRows": l.max_sample_rows,
                "worstMm": l.worst_mm,
                "lean": l.normal_bias,
            })
        };
        json["levels"] = meshes.into_iter().map(lod).collect::<Vec<_>>().into();
    }
    if !splats.is_empty() {
        json["discs"] = splats.into_iter().map(describe_splats).collect::<Vec<_>>().into();
    }
    if !model.morphs.is_empty() {
        json["morphs"] = json!({"targetCount": model.morphs.len(), "weights": atlas.morph_weights});
    }
    format!("{json:#}\n")
}

/// Describes splats completely, since no mesh of the character stands for them.
fn describe_splats(lod: &Lod) -> Value {
    let (triangles, _) = lod.mesh.indices.as_chunks::<3>();
    let splat = |(triangle, radius): (&[u32; 3], &f32)| {
        let vertex = &lod.mesh.vertices[triangle[0] as usize];
        let slots: Vec<(usize, f32)> = vertex.influences().filter(|(_, weight)| *weight > 0.0).collect();
        json!({
            "radius": radius,
            "position": vertex.position.to_array(),
            "normal": vertex.normal.to_array(),
            "uv": vertex.uv.to_array(),
            "color": vertex.color.truncate().to_array(),
            "material": vertex.material,
            "slots": slots.iter().map(|slot| slot.0).collect::<Vec<_>>(),
            "weights": slots.iter().map(|slot| slot.1).collect::<Vec<_>>(),
        })
    };
    let splats: Vec<Value> = triangles.iter().zip(&lod.radii).map(splat).collect();
    json!({"maxRows": lod.max_sample_rows, "worstMm": lod.worst_mm, "discs": splats})
}
