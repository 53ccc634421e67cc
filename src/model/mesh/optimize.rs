//! Mesh optimisation with meshoptimizer: welds identical vertices, orders triangles for the vertex cache and vertices
//! for fetching.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use crate::model::{Mesh, Vertex};

/// Merges bitwise equal vertices, drops degenerate triangles (by index) and groups triangles by material. Orders
/// triangles for the vertex cache and vertices for sequential fetching (meshoptimizer).
#[must_use]
pub fn optimize(mesh: &Mesh) -> Mesh {
    optimize_with_remap(mesh, &[]).0
}

/// As [`optimize`], but merges only vertices with equal marks in `apart` (0 past its end). Also returns the new index
/// of each old vertex; `None` for unused ones.
#[must_use]
pub fn optimize_with_remap(mesh: &Mesh, apart: &[u32]) -> (Mesh, Vec<Option<u32>>) {
    let (vertices, remap) = weld(&mesh.vertices, apart);
    let mut groups: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
    for triangle in mesh.indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|k| remap[triangle[k] as usize]);
        if a != b && b != c && c != a {
            let material = vertices[a as usize].material;
            groups.entry(material).or_default().extend([a, b, c]);
        }
    }
    let mut indices: Vec<u32> = (groups.into_values())
        .flat_map(|group| ordered(group, vertices.len()))
        .collect();
    let (vertices, place) = order_by_use(&vertices, &mut indices);
    let remap = remap.into_iter().map(|unique| place[unique as usize]).collect();
    (Mesh { vertices, indices }, remap)
}

/// Maximum number of steps to order a mesh: each triangle costs as many as its corners have triangles.
const MOST_STEPS: u64 = 1 << 28;

/// Triangles in vertex cache order. Unchanged where thousands share a corner: ordering would take minutes and gain
/// nothing.
fn ordered(indices: Vec<u32>, vertex_count: usize) -> Vec<u32> {
    let mut uses = vec![0_u64; vertex_count];
    indices.iter().for_each(|&i| uses[i as usize] += 1);
    let steps = uses
        .iter()
        .fold(0_u64, |sum, n| sum.saturating_add(n.saturating_mul(*n)));
    if steps > MOST_STEPS.max(64 * indices.len() as u64) {
        return indices;
    }
    meshopt::optimize_vertex_cache(&indices, vertex_count)
}

/// Vertices in the order of first use, unused ones dropped; as `meshopt_optimizeVertexFetch` does.
fn order_by_use(vertices: &[Vertex], indices: &mut [u32]) -> (Vec<Vertex>, Vec<Option<u32>>) {
    let mut place = vec![None; vertices.len()];
    let mut sorted = Vec::with_capacity(vertices.len());
    for index in indices {
        let old = *index as usize;
        *index = *place[old].get_or_insert_with(|| {
            sorted.push(vertices[old]);
            sorted.len() as u32 - 1
        });
    }
    (sorted, place)
}

/// Distinct vertices in order of first use, and the new index of each old one.
fn weld(vertices: &[Vertex], apart: &[u32]) -> (Vec<Vertex>, Vec<u32>) {
    let mut unique = Vec::with_capacity(vertices.len());
    let mut known: HashMap<(VertexKey, u32), u32> = HashMap::with_capacity(vertices.len());
    let mut place = |(index, vertex): (usize, &Vertex)| {
        let mark = apart.get(index).copied().unwrap_or(0);
        match known.entry((key(vertex), mark)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                unique.push(*vertex);
                *entry.insert(unique.len() as u32 - 1)
            }
        }
    };
    let remap = vertices.iter().enumerate().map(&mut place).collect();
    (unique, remap)
}

/// Every field of a vertex as bits.
type VertexKey = [u32; 31];

/// Bits of a vertex, with -0 as 0.
fn key(v: &Vertex) -> VertexKey {
    let mut key = VertexKey::default();
    let floats = v
        .position
        .to_array()
        .into_iter()
        .chain(v.normal.to_array())
        .chain(v.tangent.to_array())
        .chain(v.uv.to_array())
        .chain(v.uv1.to_array());
    let floats = floats
        .chain(v.color.to_array())
        .chain(v.weights)
        .map(|x| (x + 0.0).to_bits());
    let (pairs, _) = v.joints.as_chunks::<2>();
    let joints = pairs.iter().map(|&[a, b]| u32::from(a) | u32::from(b) << 16);
    let words = floats.chain(joints).chain([u32::from(v.material)]);
    key.iter_mut().zip(words).for_each(|(k, word)| *k = word);
    key
}
