//! Tangents of primitives whose material has a normal map: those of the file, or computed by MikkTSpace.
//! glTF 2.0 (section 3.7.2.1) asks for MikkTSpace, and normal maps are baked with it.

use std::collections::HashMap;

use ::gltf::json::{Index, accessor::Accessor};
use bevy_mikktspace::{Geometry, TangentSpace};
use glam::{Vec2, Vec3, Vec4};

use crate::file::{
    ModelError,
    gltf::{
        document::Document,
        mesh::{primitive::PrimitivePart, uv::Tangents},
        morph::TargetAttributes,
    },
};

/// Fills the tangents of a part whose normals are final. `stored` are the file's tangents; `bent` are the morph
/// targets already applied to the mesh, with their weights.
pub(crate) fn complete(
    document: &Document<'_>,
    part: &mut PrimitivePart,
    stored: Option<Index<Accessor>>,
    wanted: Tangents,
    bent: &[(f32, TargetAttributes)],
    notes: &mut Vec<String>,
) -> Result<(), ModelError> {
    match (wanted, stored) {
        (Tangents::Unused, _) | (Tangents::Stored, None) => Ok(()),
        (_, Some(accessor)) => {
            part.tangents = read(document, part, accessor, bent)?;
            Ok(())
        }
        (Tangents::Wanted { second }, None) => {
            generate(part, second);
            notes.push(format!(
                "{}: normal map without tangents; they are computed",
                part.place
            ));
            Ok(())
        }
    }
}

/// Unit tangent for a vertex that has none; depends on the normal only.
pub(crate) fn fallback(normal: Vec3) -> Vec4 {
    normal.normalize_or(Vec3::Y).any_orthonormal_vector().extend(1.0)
}

fn read(
    document: &Document<'_>,
    part: &PrimitivePart,
    accessor: Index<Accessor>,
    bent: &[(f32, TargetAttributes)],
) -> Result<Vec<Vec4>, ModelError> {
    let mut tangents: Vec<Vec4> = document
        .floats::<4>(accessor, &part.place)?
        .into_iter()
        .map(Vec4::from)
        .collect();
    let (count, found) = (part.positions.len(), tangents.len());
    if found != count {
        let problem = format!("has {count} positions but {found} tangents");
        return Err(document.content(&part.place, problem));
    }
    for (weight, target) in bent {
        for (tangent, &delta) in tangents.iter_mut().zip(&target.tangents) {
            *tangent += (delta * *weight).extend(0.0);
        }
    }
    for (tangent, &normal) in tangents.iter_mut().zip(&part.normals) {
        *tangent = repaired(*tangent, normal);
    }
    Ok(tangents)
}

/// Tangent of unit length with a sign; one that has both already keeps every bit.
fn repaired(tangent: Vec4, normal: Vec3) -> Vec4 {
    let direction = tangent.truncate();
    let sign = if tangent.w < 0.0 { -1.0 } else { 1.0 };
    if !direction.is_finite() || direction.length_squared() < 1e-12 {
        return fallback(normal).truncate().extend(sign);
    }
    if (direction.length_squared() - 1.0).abs() > 1e-6 {
        return direction.normalize().extend(sign);
    }
    direction.extend(sign)
}

/// Computes tangents along a set of texture coordinates; splits vertices whose corners disagree.
fn generate(part: &mut PrimitivePart, second: bool) {
    let mut corners = TangentCorners {
        tangents: vec![Vec4::ZERO; part.indices.len()],
        uvs: if second { &part.uv1s } else { &part.uvs },
        part,
    };
    // The error type has no values.
    let _ = bevy_mikktspace::generate_tangents(&mut corners);
    let tangents = corners.tangents;
    let mut known: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
    let mut order: Vec<u32> = Vec::with_capacity(part.positions.len());
    let mut kept = Vec::with_capacity(part.positions.len());
    for (index, &tangent) in part.indices.iter_mut().zip(&tangents) {
        let old = *index;
        let tangent = repaired(tangent, part.normals[old as usize]);
        *index = *known
            .entry((old, tangent.to_array().map(f32::to_bits)))
            .or_insert_with(|| {
                order.push(old);
                kept.push(tangent);
                order.len() as u32 - 1
            });
    }
    part.reorder(&order);
    part.tangents = kept;
}

/// Triangles of a part as MikkTSpace reads them.
struct TangentCorners<'a> {
    part: &'a PrimitivePart,
    uvs: &'a [Vec2],
    /// Tangents by corner; zero if the algorithm finds none.
    tangents: Vec<Vec4>,
}

impl TangentCorners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.part.indices[3 * face + corner] as usize
    }
}

impl Geometry for TangentCorners<'_> {
    fn num_faces(&self) -> usize {
        self.part.indices.len() / 3
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.part.positions[self.vertex(face, corner)].to_array()
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.part.normals[self.vertex(face, corner)].to_array()
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        let uv = self.uvs.get(self.vertex(face, corner)).copied();
        uv.unwrap_or(Vec2::ZERO).to_array()
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        // MikkTSpace assumes that v points up; glTF's v points down, which flips the handedness.
        let tangent = space.map_or(Vec4::ZERO, |s| {
            Vec4::from(s.tangent_encoded()) * Vec4::new(1.0, 1.0, 1.0, -1.0)
        });
        self.tangents[3 * face + corner] = tangent;
    }
}
