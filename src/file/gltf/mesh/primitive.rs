//! Reads one primitive: attributes widened to floats, any topology as triangles.

use ::gltf::json::{
    Index,
    accessor::Accessor,
    mesh::{Mode, Primitive, Semantic},
    validation::Checked,
};
use glam::{Vec2, Vec3, Vec4};

use crate::file::{
    ModelError,
    gltf::{
        document::Document,
        mesh::{
            tangents,
            uv::{Tangents, UvSource, VertexNeeds},
        },
        morph::{self, NodeMorphs, TargetAttributes},
    },
};

/// Cost of a vertex besides its attributes (elements): it is stored in full, whatever the file contains.
const ELEMENTS_PER_VERTEX: u64 = 24;

/// Joint list indices and weights of one JOINTS_n / WEIGHTS_n pair.
pub(crate) struct InfluenceSet {
    /// Indices into the skin's joint list.
    pub joints: Vec<[u32; 4]>,
    /// Weights as stored, of any sum.
    pub weights: Vec<[f32; 4]>,
}

/// A primitive with checked indices; all attribute lists have the same length.
pub(crate) struct PrimitivePart {
    /// Place for messages: `mesh 3 "Arm", primitive 0`.
    pub place: String,
    /// Finite positions in the mesh's own space.
    pub positions: Vec<Vec3>,
    /// Normals of unit length.
    pub normals: Vec<Vec3>,
    /// Unit tangents with the sign of the bitangent; empty if no normal map needs them.
    pub tangents: Vec<Vec4>,
    /// Texture coordinates after KHR_texture_transform.
    pub uvs: Vec<Vec2>,
    /// Second texture coordinates after KHR_texture_transform; empty if the material has one set.
    pub uv1s: Vec<Vec2>,
    /// Linear colours; white if the file has none, opaque if alpha is ignored.
    pub colors: Vec<Vec4>,
    /// Influences; empty for rigid primitives.
    pub influences: Vec<InfluenceSet>,
    /// Displacements of the morph targets that clips change, each with its index in the model.
    pub morphs: Vec<(u32, TargetAttributes)>,
    /// Triangle list.
    pub indices: Vec<u32>,
    /// Index into the model's materials.
    pub material: u8,
    /// True if it has no normals: its triangles are flat shaded.
    pub is_flat: bool,
}

/// Reads one primitive; `None` for points and lines.
pub(crate) fn read(
    document: &Document<'_>,
    primitive: &Primitive,
    place: String,
    material: u8,
    needs: &VertexNeeds,
    morphs: &NodeMorphs,
    notes: &mut Vec<String>,
) -> Result<Option<PrimitivePart>, ModelError> {
    let Some(mut part) = read_stored(document, primitive, place, material, needs, notes)? else {
        return Ok(None);
    };
    let targets = morph::read_targets(document, primitive, part.positions.len(), &part.place)?;
    let bent = apply_static(&mut part, targets, morphs);
    let attribute = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let normals = attribute(Semantic::Normals);
    match normals {
        Some(normals) => read_normals(document, &mut part, normals, &bent, notes)?,
        // Tangents of normal maps need stored normals, so compute flat ones now.
        None if matches!(needs.tangents, Tangents::Wanted { .. }) => flat_shade(&mut part),
        None => leave_flat(&mut part),
    }
    // Without normals, readers must ignore tangents (glTF 2.0, section 3.7.2.1).
    let tangents = attribute(Semantic::Tangents).filter(|_| normals.is_some());
    tangents::complete(document, &mut part, tangents, needs.tangents, &bent, notes)?;
    Ok(Some(part))
}

/// Reads the attributes that morph targets do not change (all but normals and tangents), and the positions without
/// morph targets.
fn read_stored(
    document: &Document<'_>,
    primitive: &Primitive,
    place: String,
    material: u8,
    needs: &VertexNeeds,
    notes: &mut Vec<String>,
) -> Result<Option<PrimitivePart>, ModelError> {
    let Checked::Valid(mode) = primitive.mode else {
        return Err(document.content(place, "its mode is unknown"));
    };
    if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        notes.push(format!("{place}: points and lines are not drawn"));
        return Ok(None);
    }
    let attribute = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let Some(positions) = attribute(Semantic::Positions) else {
        notes.push(format!("{place}: no positions; skipped"));
        return Ok(None);
    };
    let positions = document.vectors(positions, &place)?;
    if let Some(bad) = positions.iter().position(|p| !p.is_finite()) {
        return Err(document.content(place, format!("vertex {bad}: its position is not finite")));
    }
    let count = positions.len();
    document.spend(count as u64 * ELEMENTS_PER_VERTEX, &place)?;
    let same_length = |found, what| same_length(document, &place, count, found, what);
    let uvs_of = |source: UvSource| {
        let uvs = read_uvs(
            document,
            attribute(Semantic::TexCoords(source.set)),
            source,
            count,
            &place,
        )?;
        same_length(uvs.len(), "texture coordinates")?;
        Ok::<_, ModelError>(uvs)
    };
    let uvs = uvs_of(needs.uv)?;
    let uv1s = needs.uv1.map(uvs_of).transpose()?.unwrap_or_default();
    let mut colors = read_colors(document, attribute(Semantic::Colors(0)), count, &place)?;
    same_length(colors.len(), "colours")?;
    if !needs.alpha {
        colors.iter_mut().for_each(|c| c.w = 1.0);
    }
    let influences = read_influences(document, primitive, &place)?;
    for set in &influences {
        same_length(set.joints.len(), "joint quadruples")?;
        same_length(set.weights.len(), "weight quadruples")?;
    }
    let indices = read_triangles(document, primitive.indices, mode, count, &place)?;
    Ok(Some(PrimitivePart {
        positions,
        normals: Vec::new(),
        tangents: Vec::new(),
        uvs,
        uv1s,
        colors,
        influences,
        morphs: Vec::new(),
        indices,
        material,
        is_flat: false,
        place,
    }))
}

/// Applies the targets whose weight never changes to the positions and returns those targets; keeps the others for the
/// model.
fn apply_static(
    part: &mut PrimitivePart,
    targets: Vec<TargetAttributes>,
    morphs: &NodeMorphs,
) -> Vec<(f32, TargetAttributes)> {
    let mut applied = Vec::new();
    for (index, target) in targets.into_iter().enumerate() {
        match morphs.ids.get(index).copied().flatten() {
            Some(id) => part.morphs.push((id, target)),
            None => {
                let weight = morphs.rest.get(index).copied().unwrap_or(0.0);
                if weight != 0.0 {
                    add_scaled(&mut part.positions, &target.positions, weight);
                    applied.push((weight, target));
                }
            }
        }
    }
    applied
}

fn add_scaled(values: &mut [Vec3], deltas: &[Vec3], weight: f32) {
    for (value, &delta) in values.iter_mut().zip(deltas) {
        *value += delta * weight;
    }
}

fn same_length(document: &Document<'_>, place: &str, count: usize, found: usize, what: &str) -> Result<(), ModelError> {
    if found == count {
        return Ok(());
    }
    Err(document.content(place, format!("has {count} positions but {found} {what}")))
}

/// Reads the normals and applies the targets in `bent`.
fn read_normals(
    document: &Document<'_>,
    part: &mut PrimitivePart,
    accessor: Index<Accessor>,
    bent: &[(f32, TargetAttributes)],
    notes: &mut Vec<String>,
) -> Result<(), ModelError> {
    part.normals = document.vectors(accessor, &part.place)?;
    same_length(
        document,
        &part.place,
        part.positions.len(),
        part.normals.len(),
        "normals",
    )?;
    for (weight, target) in bent {
        add_scaled(&mut part.normals, &target.normals, *weight);
    }
    repair_normals(part, notes);
    Ok(())
}

fn read_uvs(
    document: &Document<'_>,
    accessor: Option<Index<Accessor>>,
    uv: UvSource,
    count: usize,
    place: &str,
) -> Result<Vec<Vec2>, ModelError> {
    let Some(accessor) = accessor else {
        return Ok(vec![Vec2::ZERO; count]);
    };
    let finite = |p: Vec2| if p.is_finite() { p } else { Vec2::ZERO };
    let values = document.floats::<2>(accessor, place)?;
    Ok(values
        .into_iter()
        .map(|p| finite(uv.transform.transform_point2(Vec2::from(p))))
        .collect())
}

fn read_colors(
    document: &Document<'_>,
    accessor: Option<Index<Accessor>>,
    count: usize,
    place: &str,
) -> Result<Vec<Vec4>, ModelError> {
    let Some(accessor) = accessor else {
        return Ok(vec![Vec4::ONE; count]);
    };
    let clamp = |c: Vec4| {
        if c.is_finite() {
            c.clamp(Vec4::ZERO, Vec4::ONE)
        } else {
            Vec4::ONE
        }
    };
    if document.width(accessor, place)? == 4 {
        let values = document.floats::<4>(accessor, place)?;
        return Ok(values.into_iter().map(|c| clamp(Vec4::from(c))).collect());
    }
    let values = document.vectors(accessor, place)?;
    Ok(values.into_iter().map(|c| clamp(c.extend(1.0))).collect())
}

fn read_influences(
    document: &Document<'_>,
    primitive: &Primitive,
    place: &str,
) -> Result<Vec<InfluenceSet>, ModelError> {
    let attribute = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let mut sets = Vec::new();
    for n in 0.. {
        let (Some(joints), Some(weights)) = (attribute(Semantic::Joints(n)), attribute(Semantic::Weights(n))) else {
            break;
        };
        sets.push(InfluenceSet {
            joints: document.integers::<4>(joints, place)?,
            weights: document.floats::<4>(weights, place)?,
        });
    }
    Ok(sets)
}

fn read_triangles(
    document: &Document<'_>,
    accessor: Option<Index<Accessor>>,
    mode: Mode,
    count: usize,
    place: &str,
) -> Result<Vec<u32>, ModelError> {
    let list: Vec<u32> = match accessor {
        Some(accessor) => document
            .integers::<1>(accessor, place)?
            .into_iter()
            .map(|[i]| i)
            .collect(),
        None => (0..count as u32).collect(),
    };
    if let Some(at) = list.iter().position(|&i| i as usize >= count) {
        let problem = format!("index {at} refers to vertex {}, but there are {count}", list[at]);
        return Err(document.content(place, problem));
    }
    let triangles = |corners: &dyn Fn(usize) -> [usize; 3]| -> Vec<u32> {
        (0..list.len().saturating_sub(2))
            .flat_map(|i| corners(i).map(|c| list[c]))
            .collect()
    };
    Ok(match mode {
        // Every second triangle of a strip has the opposite winding (glTF 2.0, section 3.7.2.1).
        Mode::TriangleStrip => triangles(&|i| [i, i + 1 + i % 2, i + 2 - i % 2]),
        Mode::TriangleFan => triangles(&|i| [i + 1, i + 2, 0]),
        _ => list[..list.len() / 3 * 3].to_vec(),
    })
}

/// Replaces normals without length by those of their triangles.
fn repair_normals(part: &mut PrimitivePart, notes: &mut Vec<String>) {
    let broken = |n: &Vec3| !n.is_finite() || n.length_squared() < 1e-12;
    let count = part.normals.iter().filter(|n| broken(n)).count();
    if count > 0 {
        notes.push(format!("{}: {count} normals are zero and are recomputed", part.place));
        let mut sums = vec![Vec3::ZERO; part.normals.len()];
        for triangle in part.indices.chunks_exact(3) {
            let normal = triangle_normal(part, triangle);
            triangle.iter().for_each(|&i| sums[i as usize] += normal);
        }
        for (normal, sum) in part.normals.iter_mut().zip(sums) {
            if broken(normal) {
                *normal = sum;
            }
        }
    }
    // Normals of unit length keep every bit.
    for normal in &mut part.normals {
        if (normal.length_squared() - 1.0).abs() > 1e-6 {
            *normal = normal.normalize_or(Vec3::Y);
        }
    }
}

fn triangle_normal(part: &PrimitivePart, triangle: &[u32]) -> Vec3 {
    crate::model::triangle_normal([0, 1, 2].map(|k| part.positions[triangle[k] as usize]))
}

/// Leaves the normals to the renderer: equal normals let vertices be shared.
fn leave_flat(part: &mut PrimitivePart) {
    part.is_flat = true;
    part.normals = vec![Vec3::Y; part.positions.len()];
    for (_, target) in &mut part.morphs {
        (target.normals, target.tangents) = Default::default();
    }
}

/// Flat shades a primitive without normals (glTF 2.0, section 3.7.2.1): every triangle gets corners of its own.
/// Identical ones are welded later.
pub(crate) fn flat_shade(part: &mut PrimitivePart) {
    part.is_flat = false;
    let corners = |triangle| [triangle_normal(part, triangle).normalize_or(Vec3::Y); 3];
    let normals: Vec<Vec3> = part.indices.chunks_exact(3).flat_map(corners).collect();
    let order = std::mem::take(&mut part.indices);
    for (_, target) in &mut part.morphs {
        // Flat normals ignore the normals of a target.
        (target.normals, target.tangents) = Default::default();
    }
    part.reorder(&order);
    part.normals = normals;
    part.indices = (0..order.len() as u32).collect();
}

impl PrimitivePart {
    /// Reorders vertices: vertex `i` becomes the old vertex `order[i]`; indices stay as they are.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        self.positions = gather(&self.positions, order);
        self.normals = gather(&self.normals, order);
        self.tangents = gather(&self.tangents, order);
        self.uvs = gather(&self.uvs, order);
        self.uv1s = gather(&self.uv1s, order);
        self.colors = gather(&self.colors, order);
        for set in &mut self.influences {
            set.joints = gather(&set.joints, order);
            set.weights = gather(&set.weights, order);
        }
        for (_, target) in &mut self.morphs {
            target.positions = gather(&target.positions, order);
            target.normals = gather(&target.normals, order);
            target.tangents = gather(&target.tangents, order);
        }
    }
}

/// Gathers values in another order; an empty list stays empty.
fn gather<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    let order = if values.is_empty() { &[] } else { order };
    order.iter().map(|&i| values[i as usize]).collect()
}
