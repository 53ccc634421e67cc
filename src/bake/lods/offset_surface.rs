//! Offsets of coarse meshes, which lie inside the curved surface that they approximate. Vertices move out along their
//! normals, by one distance per material, until each material covers as much as in full detail. Then one factor per
//! material scales the colours, so that each gives as much light: people wear other colours than the file has.

use std::{collections::HashMap, f32::consts::TAU};

use glam::Vec3;
use rayon::prelude::*;

use crate::{
    bake::{
        Palettes,
        lods::{
            poses::{self, LodPose},
            raster::{Canvas, Covered, Form, Frame, PosedMesh, cover},
            shape::Shape,
            surface_color::VariantShaders,
        },
        skinning::SkinnedVertex,
    },
    model::{LUMINANCE, Mesh, Model},
};

/// Views of each pose in which areas are measured. Azimuths follow the golden section, so that faces and hands
/// are visible from all sides.
const VIEWS: usize = 4;
/// Elevations of the views (rad).
const ELEVATIONS: [f32; VIEWS] = [0.1, 0.6, 0.3, 0.8];
/// Samples along the height of the character.
const SAMPLES: f32 = 160.0;
/// Largest edge of a picture (samples).
const LONGEST: usize = 4 * SAMPLES as usize;
/// Largest distance that a vertex moves (share of the largest edge).
const FARTHEST: f32 = 0.05;
/// Tolerance of brightness (share of the whole).
const EXACT: f64 = 0.0005;

/// Measures the visible area and light of LODs, in the poses that LODs are made from.
pub(super) struct Areas<'a> {
    variants: VariantShaders<'a>,
    pictures: Vec<(LodPose, Frame)>,
    /// Visible area of every material in full detail (samples).
    full: Vec<f64>,
    /// Luminance of every material in full detail.
    lights: Vec<f64>,
    /// Largest edge of the mesh (m).
    extent: f32,
}

impl<'a> Areas<'a> {
    pub(super) fn new(model: &'a Model, palettes: &Palettes, poses: usize) -> Self {
        let (extent, height) = (model.mesh.bounds().size().max_element(), model.largest_edge());
        let frames = |(number, pose): (usize, LodPose)| {
            let points = pose.full_positions(model);
            std::array::from_fn::<_, VIEWS, _>(|view| {
                let azimuth = TAU * ((number * VIEWS + view) as f32 * 0.618_034).fract();
                let margin = (2.0 * FARTHEST * SAMPLES) as usize;
                let frame = Frame::around(&points, azimuth, ELEVATIONS[view], SAMPLES / height, margin);
                (pose.clone(), frame.within(LONGEST))
            })
        };
        let poses = poses::builders(palettes, poses).into_iter().enumerate();
        let mut areas = Self {
            variants: VariantShaders::of(model),
            pictures: poses.flat_map(frames).collect(),
            full: Vec::new(),
            lights: Vec::new(),
            extent,
        };
        let posed = |pose: &LodPose| pose.full(model);
        areas.full = areas.shown(&model.mesh, posed, model.materials.len());
        let form = Form::mesh(&model.mesh);
        areas.lights = areas.lights(form, &areas.covered(form, posed), posed);
        areas
    }

    /// Moves the surface out, or in, until it covers as much as full detail, in total and by material. Leaves it as it
    /// is where that does not help.
    pub(super) fn offset_surface(&self, lod: Shape) -> Shape {
        let directions = Directions::of(&lod.mesh);
        let mut search = Search {
            here: vec![0.0; self.full.len()],
            before: None,
            best: (f64::INFINITY, vec![0.0; self.full.len()]),
            farthest: FARTHEST * self.extent,
        };
        for each in [false, false, true, true, true, false, false] {
            let found = self.biases(&directions.moved(&lod, &search.here));
            let [apart, combined] = self.means(&found);
            search.step(&found, combined, 0.2 * apart + combined.abs(), each);
        }
        directions.moved(&lod, &search.best.1)
    }

    /// Scales the colours of every material until as much light comes from it as from full detail's. Colours stop at
    /// white; light that is missing then, or comes from materials that the mesh has lost, is added to all others.
    pub(super) fn relight(&self, lod: Shape) -> Shape {
        let total = |lights: &[f64]| lights.iter().sum::<f64>();
        let covered = self.covered(lod.form(), |pose| pose.placed(&lod));
        let lights = |lod: &Shape| self.lights(lod.form(), &covered, |pose| pose.skinned(lod));
        let by_material = lod.relit(EXACT as f32, |lod| {
            let lights = lights(lod);
            let factors = self
                .lights
                .iter()
                .zip(lights)
                .map(|(full, light)| (full / light) as f32);
            let factors: Vec<f32> = factors.collect();
            move |material| factors.get(material).copied().unwrap_or(1.0)
        });
        by_material.relit(EXACT as f32, |lod| {
            let factor = (total(&self.lights) / total(&lights(lod))) as f32;
            move |_| factor
        })
    }

    /// Visible area of every material relative to full detail's, minus one; 0 for materials that full detail does not
    /// show.
    fn biases(&self, lod: &Shape) -> Vec<f64> {
        let shown = self.shown(&lod.mesh, |pose| pose.placed(lod), self.full.len());
        let pairs = shown.iter().zip(&self.full);
        pairs
            .map(|(shown, full)| if *full > 0.0 { shown / full - 1.0 } else { 0.0 })
            .collect()
    }

    /// Mean absolute bias of the materials, weighted by their area, and the bias of their sum.
    fn means(&self, biases: &[f64]) -> [f64; 2] {
        let total: f64 = self.full.iter().sum();
        let parts = || biases.iter().zip(&self.full);
        let apart: f64 = parts().map(|(bias, full)| bias.abs() * full).sum();
        let combined: f64 = parts().map(|(bias, full)| bias * full).sum();
        [apart, combined].map(|sum| sum / total.max(f64::MIN_POSITIVE))
    }

    /// Number of samples that show each material, over all pictures.
    fn shown(&self, mesh: &Mesh, posed: impl Fn(&LodPose) -> Vec<SkinnedVertex> + Sync, materials: usize) -> Vec<f64> {
        let shader = self.variants.of_picture(0);
        let counted = self
            .pictures
            .par_iter()
            .map_init(Canvas::default, |canvas, (pose, frame)| {
                cover(PosedMesh::mesh(mesh, &posed(pose)), shader, frame, canvas);
                let mut shown = vec![0_u64; materials];
                for (_, material) in canvas.materials(mesh) {
                    if let Some(shown) = shown.get_mut(material) {
                        *shown += 1;
                    }
                }
                shown
            });
        let counted: Vec<Vec<u64>> = counted.collect();
        (0..materials)
            .map(|m| counted.iter().map(|shown| shown[m]).sum::<u64>() as f64)
            .collect()
    }

    /// Triangles that the samples of every picture show.
    fn covered(&self, form: Form<'_>, posed: impl Fn(&LodPose) -> Vec<SkinnedVertex> + Sync) -> Vec<Covered> {
        let cover = |(number, (pose, frame)): (usize, &(LodPose, Frame))| {
            Covered::new(form.posed(&posed(pose)), self.variants.of_picture(number), frame)
        };
        self.pictures.par_iter().enumerate().map(cover).collect()
    }

    /// Luminance of every material, over all pictures.
    fn lights(
        &self,
        form: Form<'_>,
        covered: &[Covered],
        posed: impl Fn(&LodPose) -> Vec<SkinnedVertex> + Sync,
    ) -> Vec<f64> {
        let mesh = form.mesh;
        let material = |triangle: u32| mesh.vertices[mesh.indices[3 * triangle as usize] as usize].material;
        let lights = self.pictures.par_iter().zip(covered).enumerate();
        let lights = lights.map(|(number, ((pose, frame), covered))| {
            let shader = self.variants.of_picture(number);
            let mut lights = vec![0.0_f64; self.full.len()];
            covered.each_shaded(form.posed(&posed(pose)), shader, frame, |triangle, color| {
                if let Some(light) = lights.get_mut(usize::from(material(triangle))) {
                    *light += f64::from(color.dot(LUMINANCE));
                }
            });
            lights
        });
        // A parallel sum has no fixed order; a sequential one is deterministic.
        let lights: Vec<Vec<f64>> = lights.collect();
        (0..self.full.len())
            .map(|m| lights.iter().map(|lights| lights[m]).sum())
            .collect()
    }
}

/// Secant search for the distances of all materials, jointly or each by itself.
struct Search {
    here: Vec<f32>,
    /// Previous distances and their biases, the last of which is that of the sum.
    before: Option<(Vec<f32>, Vec<f64>)>,
    /// Smallest error so far, and its distances.
    best: (f64, Vec<f32>),
    farthest: f32,
}

impl Search {
    /// Takes a secant step from the biases found here: each material's own, or that of their sum.
    fn step(&mut self, found: &[f64], combined: f64, off: f64, each: bool) {
        if off < self.best.0 {
            self.best = (off, self.here.clone());
        }
        let found: Vec<f64> = found.iter().copied().chain([combined]).collect();
        let step = |m: usize, at: usize| {
            let first = -found[m] as f32 * self.farthest;
            let Some((before, biases)) = &self.before else {
                return first;
            };
            let slope = (found[m] - biases[m]) / f64::from(self.here[at] - before[at]);
            // A negative slope means that another part occludes the material.
            let step = if slope > 0.0 { -(found[m] / slope) as f32 } else { first };
            let longest = 0.4 * self.farthest;
            if step.is_finite() {
                step.clamp(-longest, longest)
            } else {
                first
            }
        };
        let materials = self.here.len();
        let next = (0..materials).map(|m| {
            let step = if each { step(m, m) } else { step(materials, m) };
            (self.here[m] + step).clamp(-self.farthest, self.farthest)
        });
        let next = next.collect();
        self.before = Some((std::mem::replace(&mut self.here, next), found));
    }
}

/// Outward direction of every vertex: the normals of the triangles around its position, weighted by angle. Vertices at
/// one position share one direction and distance, so that seams stay closed.
struct Directions {
    /// Index of every vertex's position.
    places: Vec<usize>,
    outward: Vec<Vec3>,
    /// Materials of the vertices at each position.
    materials: Vec<Vec<u8>>,
}

impl Directions {
    fn of(mesh: &Mesh) -> Self {
        let mut known: HashMap<[u32; 3], usize> = HashMap::with_capacity(mesh.vertices.len());
        let mut directions = Self {
            places: Vec::with_capacity(mesh.vertices.len()),
            outward: Vec::new(),
            materials: Vec::new(),
        };
        for vertex in &mesh.vertices {
            let key = vertex.position.to_array().map(|x| (x + 0.0).to_bits());
            let place = *known.entry(key).or_insert(directions.outward.len());
            if place == directions.outward.len() {
                directions.outward.push(Vec3::ZERO);
                directions.materials.push(Vec::new());
            }
            let materials = &mut directions.materials[place];
            if !materials.contains(&vertex.material) {
                materials.push(vertex.material);
            }
            directions.places.push(place);
        }
        for triangle in mesh.indices.as_chunks::<3>().0 {
            let corners = triangle.map(|i| mesh.vertices[i as usize].position);
            let normal = (corners[1] - corners[0])
                .cross(corners[2] - corners[0])
                .normalize_or_zero();
            for k in 0..3 {
                let [here, next, last] = [0, 1, 2].map(|n| corners[(k + n) % 3]);
                let angle = (next - here).angle_between(last - here);
                if angle.is_finite() {
                    directions.outward[directions.places[triangle[k] as usize]] += normal * angle;
                }
            }
        }
        directions.outward.iter_mut().for_each(|d| *d = d.normalize_or_zero());
        directions
    }

    /// Moves every material by its distance; positions of several materials move by the mean.
    fn moved(&self, lod: &Shape, distances: &[f32]) -> Shape {
        let mut lod = lod.clone();
        for (vertex, &place) in lod.mesh.vertices.iter_mut().zip(&self.places) {
            let meeting = &self.materials[place];
            let sum: f32 = meeting.iter().filter_map(|&m| distances.get(usize::from(m))).sum();
            vertex.position += self.outward[place] * (sum / meeting.len() as f32);
        }
        lod
    }
}
