//! Facts about a character, which `throng info` prints and the window shows.

mod text;

use serde::Serialize;

use crate::{
    atlas::{Atlas, AtlasFormat, baked_vertex},
    bake::{self, BakeOptions, skinning},
    model::{AlphaMode, Bounds, Clip, Image, Interpolation, Lod, MOST_INFLUENCES, Material, Model, TextureRef, Wrap},
};

/// A joint of the skeleton.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointInfo {
    /// Name in the file.
    pub name: String,
    /// Index of the parent.
    pub parent: Option<u32>,
    /// Palette slots of the joint.
    pub slots: u32,
    /// Vertices for which the joint has the largest weight.
    pub vertices: u32,
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipInfo {
    /// Name in the file.
    pub name: String,
    /// Duration (s).
    pub duration: f32,
    /// Time (s) of the first key in the file; keys are shifted to start at 0.
    pub file_start: f32,
    /// Animated properties of joints.
    pub channels: u32,
    /// Keys of all channels.
    pub keys: u32,
    /// Kinds of interpolation in use, `STEP`, `LINEAR`, `CUBICSPLINE`.
    pub interpolation: Vec<&'static str>,
    /// Rate (Hz) at which the keys lie evenly, if they do. Baking at this rate, or a multiple, hits every key.
    pub key_rate: Option<f32>,
    /// Behaviour past the end.
    pub wrap: Wrap,
    /// Ground speed (m/s).
    pub speed: f32,
    /// Turn rate of the root motion (rad/s).
    pub turn: f32,
    /// Names of its events.
    pub events: Vec<String>,
}

/// A LOD.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LodInfo {
    /// Triangles, or splats.
    pub triangles: u32,
    /// Vertices.
    pub vertices: u32,
    /// True if the LOD consists of splats.
    #[serde(rename = "is_discs")]
    pub is_splats: bool,
    /// Largest height (sample rows) at which the LOD cannot be told from full detail.
    #[serde(rename = "max_rows")]
    pub max_sample_rows: f32,
    /// Distance of the worst posed vertex (mm).
    pub worst_mm: f32,
    /// Number of vertices that each morph target moves; empty without targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<u32>,
}

impl LodInfo {
    fn of(lod: &Lod) -> Self {
        Self {
            triangles: lod.triangles() as u32,
            vertices: lod.mesh.vertices.len() as u32,
            is_splats: lod.is_splats(),
            max_sample_rows: lod.max_sample_rows,
            worst_mm: lod.worst_mm,
            morphs: lod.morphs.iter().map(|deltas| deltas.len() as u32).collect(),
        }
    }
}

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaterialInfo {
    /// Name in the file.
    pub name: String,
    /// Triangles of the material.
    pub triangles: u32,
    /// Kind, name and size of each of its images.
    pub textures: Vec<(&'static str, String)>,
    /// `opaque`, `mask` or `blend`.
    pub alpha: &'static str,
    /// True if both sides are drawn.
    pub double_sided: bool,
    /// True if the material is drawn without lighting.
    pub unlit: bool,
}

/// Size of all clips in one encoding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeInfo {
    /// Name of an [`AtlasFormat`], or `vertices` for baked vertices.
    pub format: &'static str,
    /// Size of all frames (bytes).
    pub bytes: u64,
}

/// Contents of a baked file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BakedInfo {
    /// Format of its matrices.
    pub format: AtlasFormat,
    /// Frames of all clips.
    pub frames: u32,
    /// Size of the matrices (bytes).
    pub bytes: u64,
}

/// Mesh, its LODs and their vertices.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshInfo {
    /// Smallest corner of the rest-pose box (m).
    pub bounds_min: [f32; 3],
    /// Largest corner of the rest-pose box (m).
    pub bounds_max: [f32; 3],
    /// Vertices of the merged mesh.
    pub vertices: u32,
    /// Triangles of the merged mesh.
    pub triangles: u32,
    /// LODs, the finest first.
    #[serde(rename = "levels")]
    pub lods: Vec<LodInfo>,
    /// Number of vertices with one, two and so on up to eight influences.
    pub influences: [u32; MOST_INFLUENCES],
    /// Number of vertices with more influences in the file.
    pub reduced_vertices: u32,
    /// Name of each morph target that clips animate, and the number of vertices that it moves.
    pub morphs: Vec<(String, u32)>,
}

/// Skeleton and attachment points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkeletonInfo {
    /// Matrices per frame.
    pub slots: u32,
    /// Joints, parents before children.
    pub joints: Vec<JointInfo>,
    /// Attachment points and the joint that carries each.
    pub sockets: Vec<(String, String)>,
}

/// Frames of all clips at one rate, and their size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SamplingInfo {
    /// Rate of `frames` and `sizes` (Hz).
    pub rate: f32,
    /// Frames of all clips at that rate.
    pub frames: u64,
    /// Size of all clips at that rate, per format.
    pub sizes: Vec<SizeInfo>,
    /// Atlas in the file, if the file is baked.
    pub baked: Option<BakedInfo>,
}

/// Parts of the file that options choose or leave out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChoiceInfo {
    /// Names of material variants that `--variants` can choose; empty for baked files.
    pub variants: Vec<String>,
    /// Names of facial expressions (VRM) that clips of VRMA files move; empty for baked files.
    pub expressions: Vec<String>,
    /// Names of meshes and nodes that `--hide` can leave out; empty for baked files.
    pub parts: Vec<String>,
    /// Names of those that are left out.
    pub hidden: Vec<String>,
}

/// Summary of a character.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Name of the model.
    pub name: String,
    /// Mesh, its LODs and their vertices.
    #[serde(flatten)]
    pub mesh: MeshInfo,
    /// Skeleton and attachment points.
    #[serde(flatten)]
    pub skeleton: SkeletonInfo,
    /// Clips in file order.
    pub clips: Vec<ClipInfo>,
    /// Materials in file order.
    pub materials: Vec<MaterialInfo>,
    /// Name, width (px) and height (px) of each image.
    pub images: Vec<(String, u32, u32)>,
    /// Frames of all clips at one rate, and their size.
    #[serde(flatten)]
    pub sampling: SamplingInfo,
    /// True if vertices have tangents, for normal maps.
    pub tangents: bool,
    /// Parts of the file that options choose or leave out.
    #[serde(flatten)]
    pub choices: ChoiceInfo,
    /// Changes and assumptions of the import.
    pub notes: Vec<String>,
    /// Parts of the file that throng does not draw.
    pub dropped: Vec<String>,
}

impl Info {
    /// Collects the facts. `baked` is the atlas of a baked file; `options` gives the rate for the sizes.
    #[must_use]
    pub fn new(model: &Model, baked: Option<&Atlas>, options: &BakeOptions) -> Self {
        let images = model.images.iter();
        Self {
            name: model.name.clone(),
            mesh: mesh(model),
            skeleton: skeleton(model),
            clips: model.clips.iter().map(clip).collect(),
            materials: materials(model),
            images: images.map(|i| (i.name.clone(), i.width, i.height)).collect(),
            sampling: sampling(model, baked, options),
            tangents: model.mesh.has_tangents(),
            choices: ChoiceInfo {
                variants: model.variants.clone(),
                expressions: model.expressions.iter().map(|own| own.name.clone()).collect(),
                parts: model.parts.iter().map(|part| part.name.clone()).collect(),
                hidden: hidden(model),
            },
            notes: model.notes.clone(),
            dropped: model.dropped.clone(),
        }
    }
}

fn mesh(model: &Model) -> MeshInfo {
    let rest = skinning::skin_exact(model, None, 0.0);
    let bounds = Bounds::of(rest.iter().map(|v| v.position));
    let morphs = model.morphs.iter();
    MeshInfo {
        bounds_min: bounds.min.to_array(),
        bounds_max: bounds.max.to_array(),
        vertices: model.mesh.vertices.len() as u32,
        triangles: model.mesh.triangle_count() as u32,
        lods: model.lods.iter().map(LodInfo::of).collect(),
        influences: influences(model),
        reduced_vertices: model.reduced.len() as u32,
        morphs: morphs.map(|m| (m.name.clone(), m.deltas.len() as u32)).collect(),
    }
}

fn skeleton(model: &Model) -> SkeletonInfo {
    let joint_name = |slot: u32| {
        let slot = model.skeleton.slots.get(slot as usize);
        let joint = slot.and_then(|s| model.skeleton.joints.get(s.joint as usize));
        joint.map_or_else(String::new, |j| j.name.clone())
    };
    let sockets = model.skeleton.sockets.iter();
    SkeletonInfo {
        slots: model.skeleton.slots.len() as u32,
        joints: joints(model),
        sockets: sockets.map(|s| (s.name.clone(), joint_name(s.slot))).collect(),
    }
}

fn sampling(model: &Model, baked: Option<&Atlas>, options: &BakeOptions) -> SamplingInfo {
    let frames = bake::frame_count(model, options);
    SamplingInfo {
        rate: options.rate,
        frames,
        sizes: sizes(model, frames),
        baked: baked.map(|a| BakedInfo {
            format: a.format,
            frames: a.frame_count,
            bytes: a.bytes.len() as u64,
        }),
    }
}

fn influences(model: &Model) -> [u32; MOST_INFLUENCES] {
    let mut counts = [0; MOST_INFLUENCES];
    for vertex in &model.mesh.vertices {
        let used = vertex.weights.iter().filter(|&&w| w > 0.0).count();
        counts[used.max(1) - 1] += 1;
    }
    counts
}

fn joints(model: &Model) -> Vec<JointInfo> {
    let mut joints: Vec<JointInfo> = model
        .skeleton
        .joints
        .iter()
        .map(|j| JointInfo {
            name: j.name.clone(),
            parent: j.parent,
            slots: 0,
            vertices: 0,
        })
        .collect();
    let slots = &model.skeleton.slots;
    for slot in slots {
        joints[slot.joint as usize].slots += 1;
    }
    for vertex in &model.mesh.vertices {
        joints[slots[usize::from(vertex.joints[0])].joint as usize].vertices += 1;
    }
    joints
}

fn clip(clip: &Clip) -> ClipInfo {
    let uses = |kind| clip.channels.iter().any(|c| c.interpolation == kind);
    let kinds = [
        (Interpolation::Step, "STEP"),
        (Interpolation::Linear, "LINEAR"),
        (Interpolation::CubicSpline, "CUBICSPLINE"),
    ];
    ClipInfo {
        name: clip.name.clone(),
        duration: clip.duration,
        file_start: clip.file_start,
        channels: clip.channels.len() as u32,
        keys: clip.channels.iter().map(|c| c.times.len() as u32).sum(),
        interpolation: kinds
            .into_iter()
            .filter(|&(k, _)| uses(k))
            .map(|(_, name)| name)
            .collect(),
        key_rate: clip.key_rate(),
        wrap: clip.wrap,
        speed: clip.speed,
        turn: clip.turn,
        events: clip.events.iter().map(|e| e.name.clone()).collect(),
    }
}

fn materials(model: &Model) -> Vec<MaterialInfo> {
    let mut triangles = vec![0; model.materials.len()];
    for triangle in model.mesh.indices.chunks_exact(3) {
        let material = model.mesh.vertices[triangle[0] as usize].material;
        triangles[usize::from(material)] += 1;
    }
    let size = |i: &Image| format!("{} {}x{}", i.name, i.width, i.height);
    let textures = |m: &Material| {
        let image = |t: TextureRef| model.images.get(t.image as usize).map(size);
        m.textures()
            .filter_map(|(kind, t)| Some((kind.name(), image(t)?)))
            .collect()
    };
    let describe = |(m, triangles): (&Material, u32)| MaterialInfo {
        name: m.name.clone(),
        triangles,
        textures: textures(m),
        alpha: match m.alpha {
            AlphaMode::Opaque => "opaque",
            AlphaMode::Mask(_) => "mask",
            AlphaMode::Blend => "blend",
        },
        double_sided: m.double_sided,
        unlit: m.unlit,
    };
    model.materials.iter().zip(triangles).map(describe).collect()
}

fn sizes(model: &Model, frames: u64) -> Vec<SizeInfo> {
    let matrices = frames.saturating_mul(model.skeleton.slots.len() as u64);
    let mut sizes: Vec<SizeInfo> = AtlasFormat::ALL
        .into_iter()
        .map(|f| SizeInfo {
            format: f.name(),
            bytes: matrices.saturating_mul(f.matrix_bytes() as u64),
        })
        .collect();
    let vertices = frames.saturating_mul(model.mesh.vertices.len() as u64);
    sizes.push(SizeInfo {
        format: "vertices",
        bytes: vertices.saturating_mul(4 * baked_vertex::words_per_vertex(model) as u64),
    });
    sizes
}

/// Names of the parts of a model that are left out.
fn hidden(model: &Model) -> Vec<String> {
    let left_out = model.parts.iter().filter(|part| part.hidden);
    left_out.map(|part| part.name.clone()).collect()
}
