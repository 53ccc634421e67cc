//! Pipeline from parts to one triangle list: polygonize, drop hidden triangles, simplify, shade, skin.

use crate::parts::{Part, Slot};
use crate::rig::{Arm, Leg, Rig, SIDES, arm, leg};
use crate::sdf::Shape;
use crate::weights::{Influences, influences};
use anyhow::{Result, ensure};
use fast_surface_nets::ndshape::{RuntimeShape, Shape as _};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use glam::{UVec3, Vec3, vec3};
use meshopt::{SimplifyOptions, VertexDataAdapter};

/// A finished vertex in model space.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    pub pos: Vec3,
    pub normal: Vec3,
    /// Linear RGB: baked occlusion times paint.
    pub color: Vec3,
    pub influences: Influences,
}

/// Triangles of one material.
#[derive(Clone, Debug)]
pub struct Primitive {
    pub slot: Slot,
    pub vertices: Vec<Vertex>,
    pub indices: Vec<u32>,
}

/// Triangle soup of all parts in one index space; `part[i]` is the part of vertex `i`.
#[derive(Default)]
struct Soup {
    pos: Vec<Vec3>,
    part: Vec<usize>,
    indices: Vec<u32>,
}

/// Builds the primitives of a character within about `triangles` triangles.
pub fn build(rig: &Rig, parts: &[Part], triangles: usize) -> Result<Vec<Primitive>> {
    let mut soup = Soup::default();
    for (i, part) in parts.iter().enumerate() {
        let (pos, indices) = polygonise(&part.shape, part.grid)?;
        let base = soup.pos.len() as u32;
        soup.part.extend(std::iter::repeat_n(i, pos.len()));
        soup.pos.extend(pos);
        soup.indices.extend(indices.iter().map(|k| k + base));
    }
    drop_hidden(&mut soup, parts);
    simplify(&mut soup, rig, parts, triangles)?;
    let vertices = finish_vertices(&soup, rig, parts);
    split_by_slot(&soup, &vertices, parts)
}

/// Polygonizes a shape with surface nets (Gibson 1998), then moves vertices onto the exact surface.
fn polygonise(shape: &Shape, grid: f32) -> Result<(Vec<Vec3>, Vec<u32>)> {
    let (lo, hi) = shape.bounds();
    let lo = lo - Vec3::splat(grid * 2.5);
    let size = ((hi - lo) / grid).ceil().as_uvec3() + UVec3::splat(3);
    ensure!(
        size.element_product() < 60_000_000,
        "a part needs too fine a grid: {size}"
    );
    let field = RuntimeShape::<u32, 3>::new(size.to_array());
    let at = |i: u32| lo + UVec3::from(field.delinearize(i)).as_vec3() * grid;
    let samples: Vec<f32> = (0..field.size()).map(|i| shape.dist(at(i))).collect();
    let mut net = SurfaceNetsBuffer::default();
    surface_nets(&samples, &field, [0; 3], (size - UVec3::ONE).to_array(), &mut net);
    let pos = net
        .positions
        .iter()
        .map(|p| shape.project(lo + Vec3::from(*p) * grid, grid * 0.5));
    Ok((pos.collect(), net.indices))
}

/// Drops triangles that lie well inside another part with `hides_inner`.
fn drop_hidden(soup: &mut Soup, parts: &[Part]) {
    const DEPTH: f32 = 0.012;
    let buried = |i: usize| {
        let others = parts
            .iter()
            .enumerate()
            .filter(|(k, q)| q.hides_inner && *k != soup.part[i]);
        others.fold(1e3_f32, |d, (_, q)| d.min(q.shape.dist(soup.pos[i]))) < -DEPTH
    };
    let hidden: Vec<bool> = (0..soup.pos.len()).map(buried).collect();
    let kept = soup
        .indices
        .chunks_exact(3)
        .filter(|t| t.iter().any(|i| !hidden[*i as usize]));
    soup.indices = kept.flatten().copied().collect();
}

/// Joints whose weights the simplifier protects, so that hinges keep enough edges to bend.
fn hinge_weights(who: &Influences) -> [f32; 6] {
    let weight = |joint: usize| who.iter().filter(|w| w.0 == joint).map(|w| w.1).sum::<f32>();
    let both = |f: &dyn Fn(usize) -> usize| SIDES.iter().map(|s| weight(f(*s))).sum::<f32>();
    [
        both(&|s| arm(s, Arm::Upper)),
        both(&|s| arm(s, Arm::Lower)),
        both(&|s| arm(s, Arm::Fingers)),
        both(&|s| leg(s, Leg::Thigh)),
        both(&|s| leg(s, Leg::Shin)),
        both(&|s| leg(s, Leg::Foot)),
    ]
}

fn simplify(soup: &mut Soup, rig: &Rig, parts: &[Part], triangles: usize) -> Result<()> {
    const STRIDE: usize = 9;
    let mut weights = [0.35; STRIDE];
    weights[..3].fill(0.2);
    // Scaling a part about its own place gives its errors more weight.
    let scaled: Vec<Vec3> = soup
        .pos
        .iter()
        .zip(&soup.part)
        .map(|(p, k)| *p * parts[*k].detail)
        .collect();
    let mut attributes = Vec::with_capacity(soup.pos.len() * STRIDE);
    for (p, k) in soup.pos.iter().zip(&soup.part) {
        attributes.extend(parts[*k].shape.normal(*p).to_array());
        attributes.extend(hinge_weights(&influences(rig, &parts[*k].skin, *p)));
    }
    let flat: Vec<f32> = scaled.iter().flat_map(|p| p.to_array()).collect();
    let bytes = meshopt::typed_to_bytes(&flat);
    let adapter = VertexDataAdapter::new(bytes, 12, 0)?;
    soup.indices = meshopt::simplify_with_attributes_and_locks(
        &soup.indices,
        &adapter,
        &attributes,
        &weights,
        STRIDE * 4,
        &vec![false; soup.pos.len()],
        triangles * 3,
        1.0,
        SimplifyOptions::None,
        None,
    );
    Ok(())
}

fn finish_vertices(soup: &Soup, rig: &Rig, parts: &[Part]) -> Vec<Vertex> {
    let mut used = vec![false; soup.pos.len()];
    for i in &soup.indices {
        used[*i as usize] = true;
    }
    let finish = |i: usize| {
        let (pos, part) = (soup.pos[i], &parts[soup.part[i]]);
        if !used[i] {
            return Vertex {
                pos,
                normal: Vec3::Y,
                color: Vec3::ONE,
                influences: [(0, 0.0); 4],
            };
        }
        let normal = part.shape.normal(pos);
        let shade = occlusion(parts, pos, normal, part.grid.max(0.008) * 1.4);
        let color = (part.paint)(pos) * shade;
        Vertex {
            pos,
            normal,
            color,
            influences: influences(rig, &part.skin, pos),
        }
    };
    (0..soup.pos.len()).map(finish).collect()
}

/// Returns the ambient light at `p` from five samples of the distance along the normal, `step` (m) apart
/// (distance-field ambient occlusion).
fn occlusion(parts: &[Part], p: Vec3, n: Vec3, step: f32) -> f32 {
    let mut blocked = 0.0;
    let mut share = 1.0;
    for i in 1..=5 {
        let h = step * i as f32;
        let q = p + n * h;
        let d = parts.iter().fold(1e3_f32, |d, part| d.min(part.shape.dist(q)));
        blocked += (h - d).max(0.0) * share;
        share *= 0.8;
    }
    (1.0 - 0.055 / step * blocked).clamp(0.32, 1.0)
}

fn split_by_slot(soup: &Soup, vertices: &[Vertex], parts: &[Part]) -> Result<Vec<Primitive>> {
    let mut out = Vec::new();
    for slot in crate::parts::SLOTS {
        let mine = |t: &&[u32]| parts[soup.part[t[0] as usize]].slot == slot;
        let triangles: Vec<u32> = soup.indices.chunks_exact(3).filter(mine).flatten().copied().collect();
        if triangles.is_empty() {
            continue;
        }
        out.push(compact(slot, &triangles, vertices)?);
    }
    Ok(out)
}

/// Keeps only the vertices in use, in an order that suits vertex caches and fetches.
fn compact(slot: Slot, triangles: &[u32], all: &[Vertex]) -> Result<Primitive> {
    let mut indices = meshopt::optimize_vertex_cache(triangles, all.len());
    let mut renumbered = vec![u32::MAX; all.len()];
    let mut vertices = Vec::new();
    for i in &mut indices {
        let new = &mut renumbered[*i as usize];
        if *new == u32::MAX {
            *new = vertices.len() as u32;
            vertices.push(all[*i as usize]);
        }
        *i = *new;
    }
    ensure!(vertices.len() <= 65_535, "{} has too many vertices", slot.name());
    Ok(Primitive {
        slot,
        vertices,
        indices,
    })
}

/// Returns the bounds of all primitives, for reports.
pub fn bounds(primitives: &[Primitive]) -> (Vec3, Vec3) {
    let all = primitives.iter().flat_map(|p| &p.vertices);
    let empty = (vec3(1e3, 1e3, 1e3), vec3(-1e3, -1e3, -1e3));
    all.fold(empty, |(lo, hi), v| (lo.min(v.pos), hi.max(v.pos)))
}
