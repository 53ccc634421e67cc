//! LODs in a file: vertices and triangles in the layout of the shaders, in buffer views of their own.
//! Baked files list them in their extension; raw files with LODs have [`EXTENSION`] for them.
//! Splats are listed apart, so that readers that do not know them do not draw their triangles, which have no area.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    file::{ModelError, gltf::document::Document, lod_morphs::LodMorphs, raw_extension},
    model::{Bounds, Lod, Model, NORMAL_BIAS_MAX, PackedMesh, PackedSurface, PackedVertex},
};

/// Name of the extension for LODs in raw files.
pub const EXTENSION: &str = "THRONG_levels_of_detail";

/// Description of a LOD; `docs/THRONG_animation_atlas.md` explains the fields.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LodJson {
    #[serde(rename = "maxRows")]
    max_sample_rows: f32,
    worst_mm: f32,
    vertex_count: usize,
    vertices: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    surfaces: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    morphs: Option<LodMorphs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    radii: Option<usize>,
    #[serde(default, skip_serializing_if = "is_zero")]
    #[serde(rename = "lean")]
    normal_bias: f32,
    indices: usize,
    min: [f32; 3],
    max: [f32; 3],
    uv_min: [f32; 2],
    uv_size: [f32; 2],
}

impl LodJson {
    /// Appends the views of a LOD.
    fn write(lod: &Lod, mut add_view: impl FnMut(&[u8]) -> usize) -> Self {
        let packed = PackedMesh::new(&lod.mesh.narrowed());
        let short: Vec<u16> = packed.indices.iter().map(|&i| i as u16).collect();
        let indices: &[u8] = if packed.fits_u16() {
            bytemuck::cast_slice(&short)
        } else {
            bytemuck::cast_slice(&packed.indices)
        };
        Self {
            max_sample_rows: lod.max_sample_rows,
            worst_mm: lod.worst_mm,
            vertex_count: packed.vertices.len(),
            vertices: add_view(bytemuck::cast_slice(&packed.vertices)),
            surfaces: packed
                .is_extended()
                .then(|| add_view(bytemuck::cast_slice(&packed.surfaces))),
            morphs: LodMorphs::write(&lod.morphs, &mut add_view),
            radii: lod.is_splats().then(|| add_view(bytemuck::cast_slice(&lod.radii))),
            normal_bias: lod.normal_bias,
            indices: add_view(indices),
            min: packed.bounds.min.to_array(),
            max: packed.bounds.max.to_array(),
            uv_min: packed.uv_min.to_array(),
            uv_size: packed.uv_size.to_array(),
        }
    }

    /// Reads a LOD from a file; the error is the problem in words.
    fn read<'a>(&self, model: &Model, view: &impl Fn(usize) -> Result<&'a [u8], String>) -> Result<Lod, String> {
        let numbers = [&self.min[..], &self.max, &self.uv_min, &self.uv_size].concat();
        let (min, max) = (Vec3::from(self.min), Vec3::from(self.max));
        let is_sound = numbers.iter().all(|x| x.is_finite())
            && (max - min).is_finite()
            && min.cmple(max).all()
            && self.worst_mm.is_finite()
            && self.max_sample_rows.is_finite()
            && self.max_sample_rows > 0.0
            && (0.0..=NORMAL_BIAS_MAX).contains(&self.normal_bias);
        if !is_sound {
            return Err("has values that are not finite or out of range".into());
        }
        let vertices = words::<8>(view(self.vertices)?);
        let surfaces = self
            .surfaces
            .map(&view)
            .transpose()?
            .map(words::<4>)
            .unwrap_or_default();
        let indices = indices(view(self.indices)?, self.vertex_count);
        let fits = vertices.len() == self.vertex_count
            && (self.surfaces.is_none() || surfaces.len() == self.vertex_count)
            && !indices.is_empty()
            && indices.len().is_multiple_of(3)
            && indices.iter().all(|&i| (i as usize) < self.vertex_count);
        if !fits {
            return Err("has vertices and triangles that do not match".into());
        }
        let packed = PackedMesh {
            vertices: vertices.into_iter().map(|words| PackedVertex { words }).collect(),
            surfaces: surfaces.into_iter().map(|words| PackedSurface { words }).collect(),
            influences: Vec::new(),
            indices,
            bounds: Bounds { min, max },
            uv_min: Vec2::from(self.uv_min),
            uv_size: Vec2::from(self.uv_size),
        };
        let morphs = self.morphs.as_ref().map(|morphs| {
            let targets = model.morphs.len();
            morphs.read(targets, self.vertex_count, view)
        });
        let lod = Lod {
            mesh: packed.unpacked(),
            morphs: morphs.transpose()?.unwrap_or_default(),
            max_sample_rows: self.max_sample_rows,
            worst_mm: self.worst_mm,
            radii: self.radii(view)?,
            normal_bias: self.normal_bias,
        };
        if lod.is_splats() && !are_splats(&lod) {
            return Err("has splat radii and triangles that do not match".into());
        }
        let (slots, materials) = (model.skeleton.slots.len(), model.materials.len());
        let is_known = lod.mesh.vertices.iter().all(|v| {
            usize::from(v.material) < materials
                && v.joints.iter().all(|&j| usize::from(j) < slots)
                && v.weights[3] > -1e-4
                && v.uv1.is_finite()
        });
        if is_known {
            Ok(lod)
        } else {
            Err("has vertices that refer to missing slots or materials".into())
        }
    }

    /// Radii of splats; empty for a mesh.
    fn radii<'a>(&self, view: &impl Fn(usize) -> Result<&'a [u8], String>) -> Result<Vec<f32>, String> {
        let Some(radii) = self.radii else {
            return Ok(Vec::new());
        };
        let radii: Vec<f32> = words::<1>(view(radii)?)
            .iter()
            .map(|[bits]| f32::from_bits(*bits))
            .collect();
        if !radii.is_empty() && radii.iter().all(|radius| radius.is_finite() && *radius > 0.0) {
            Ok(radii)
        } else {
            Err("has no radii, or some that are not positive numbers".into())
        }
    }
}

/// True if there is a radius for every triangle, and every triangle is one vertex three times.
fn are_splats(lod: &Lod) -> bool {
    let (triangles, _) = lod.mesh.indices.as_chunks::<3>();
    triangles.len() == lod.radii.len() && triangles.iter().all(|[a, b, c]| a == b && b == c)
}

/// True for the default, which is not written.
fn is_zero(normal_bias: &f32) -> bool {
    *normal_bias == 0.0
}

/// Converts the heights of LODs from one reference to another: `ratio` is that of the reference lengths, new to old.
pub(crate) fn rescale(lods: &mut [Lod], ratio: f32) {
    let differs = ratio.is_normal() && ratio > 0.0 && (ratio - 1.0).abs() > SAME_HEIGHT;
    if differs {
        lods.iter_mut().for_each(|lod| lod.max_sample_rows *= ratio);
    }
}

/// Relative difference of heights that is rounding.
const SAME_HEIGHT: f32 = 1e-3;

/// Writes the LODs of a character: meshes, and splats.
pub(crate) fn write_all(lods: &[Lod], mut add_view: impl FnMut(&[u8]) -> usize) -> [Vec<LodJson>; 2] {
    [false, true].map(|splats| {
        let listed = lods.iter().filter(|lod| lod.is_splats() == splats);
        listed.map(|lod| LodJson::write(lod, &mut add_view)).collect()
    })
}

/// Reads the LODs in order, splats after meshes; the error is the problem in words.
/// LODs without morph deltas, from older files, are dropped for a character with morph targets.
pub(crate) fn read_all<'a>(
    meshes: &[LodJson],
    splats: &[LodJson],
    model: &Model,
    view: impl Fn(usize) -> Result<&'a [u8], String>,
) -> Result<Vec<Lod>, String> {
    let read = |(index, lod): (usize, &LodJson)| {
        let read = lod.read(model, &view);
        let read = read.and_then(|read| match (index < meshes.len(), read.is_splats()) {
            (true, true) => Err("has radii, but is listed among meshes".into()),
            (false, false) => Err("has no radii, but is listed among splats (`discs`)".into()),
            _ => Ok(read),
        });
        read.map_err(|problem| format!("level of detail {index} {problem}"))
    };
    let listed = meshes.iter().chain(splats).enumerate();
    let lods: Vec<Lod> = listed.map(read).collect::<Result<_, _>>()?;
    let descend =
        |pair: &[Lod]| pair[0].max_sample_rows > pair[1].max_sample_rows && pair[0].triangles() > pair[1].triangles();
    let (meshes, splats) = lods.split_at(meshes.len());
    if meshes.windows(2).all(descend) && splats.windows(2).all(descend) {
        let follow = lods.iter().all(|lod| lod.morphs.len() == model.morphs.len());
        Ok(if follow { lods } else { Vec::new() })
    } else {
        Err("levels of detail do not become coarser".into())
    }
}

fn words<const N: usize>(bytes: &[u8]) -> Vec<[u32; N]> {
    let word = |at: &[u8; 4]| u32::from_le_bytes(*at);
    let (words, _) = bytes.as_chunks::<4>();
    let (groups, rest) = words.as_chunks::<N>();
    // A truncated group makes the count wrong, which is reported later.
    let cut_off = (!rest.is_empty()).then_some([0; N]);
    groups
        .iter()
        .map(|g| std::array::from_fn(|i| word(&g[i])))
        .chain(cut_off)
        .collect()
}

fn indices(bytes: &[u8], vertex_count: usize) -> Vec<u32> {
    if vertex_count <= 1 << 16 {
        let (short, _) = bytes.as_chunks::<2>();
        return short.iter().map(|&i| u16::from_le_bytes(i).into()).collect();
    }
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|&i| u32::from_le_bytes(i)).collect()
}

/// Extension of a raw file. LODs refer to the slots that importing the file gives, so they are used only if these and
/// the mesh are unchanged.
#[derive(Serialize, Deserialize)]
struct RawLods {
    version: u64,
    /// Name of every slot's joint.
    slots: Vec<String>,
    triangles: usize,
    /// Length to which heights refer (m): the largest edge of the posed rest. Absent in older files, where it is that of
    /// the mesh, stored in one space for each skin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    height: Option<f32>,
    #[serde(rename = "levels")]
    lods: Vec<LodJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "discs")]
    splats: Vec<LodJson>,
}

impl RawLods {
    fn of(model: &Model, add_view: impl FnMut(&[u8]) -> usize) -> Self {
        let [lods, splats] = write_all(&model.lods, add_view);
        Self {
            version: 1,
            slots: Self::slots(model),
            triangles: model.mesh.triangle_count(),
            height: Some(model.largest_edge()),
            lods,
            splats,
        }
    }

    fn slots(model: &Model) -> Vec<String> {
        let name =
            |slot: &crate::model::PaletteSlot| model.skeleton.joints.get(slot.joint as usize).map(|j| j.name.clone());
        model
            .skeleton
            .slots
            .iter()
            .map(|slot| name(slot).unwrap_or_default())
            .collect()
    }
}

/// Adds the LODs of a raw file to the model; if they do not match it, adds a note. `one_space` is true if every skin of
/// the file is stored in one space.
pub(crate) fn take_raw(document: &Document<'_>, model: &mut Model, one_space: bool) {
    let extensions = document.root.extensions.as_ref();
    let Some(value) = extensions.and_then(|extensions| extensions.others.get(EXTENSION)) else {
        return;
    };
    match read_raw(document, model, value, one_space) {
        Ok(lods) => model.lods = lods,
        Err(problem) => model.notes.push(format!("levels of detail are ignored: {problem}")),
    }
}

fn read_raw(document: &Document<'_>, model: &Model, value: &Value, one_space: bool) -> Result<Vec<Lod>, String> {
    let raw = RawLods::deserialize(value).map_err(|e| format!("{EXTENSION} is invalid: {e}"))?;
    if raw.version != 1 {
        return Err(format!(
            "{EXTENSION} is of version {}, but only 1 is known",
            raw.version
        ));
    }
    if raw.slots != RawLods::slots(model) || raw.triangles != model.mesh.triangle_count() {
        return Err("the character was modified after they were made; make them again".into());
    }
    if raw.height.is_none() && !one_space {
        return Err(
            "they are of an earlier version, which stored the character in another size; make them again".into(),
        );
    }
    let mut lods = read_all(&raw.lods, &raw.splats, model, |index| document.lod_view(index))?;
    let reference = raw.height.unwrap_or_else(|| model.mesh.bounds().size().max_element());
    rescale(&mut lods, model.largest_edge() / reference);
    Ok(lods)
}

/// Adds the LODs of `model`, which was read from it, to a binary raw file.
///
/// # Errors
/// A file that is not binary glTF, has no binary chunk, or becomes too large.
pub fn add_lods(file: &[u8], model: &Model) -> Result<Vec<u8>, ModelError> {
    raw_extension::add(file, &model.name, EXTENSION, |add_view| {
        serde_json::to_value(RawLods::of(model, add_view)).unwrap_or_default()
    })
}
