//! Coarse meshes lie inside what they stand for: chords of its curves. Moved out along their normals, every material
//! by a distance of its own, they show as much of each; with the colours of every material scaled by one factor, as
//! much light comes from each: people wear other colours than the file has.

use std::{collections::HashMap, f32::consts::TAU};

use glam::{Vec3, Vec4Swizzles};
use rayon::prelude::*;

use crate::{
    bake::{
        Palettes,
        lods::{
            poses::{self, LodPose},
            raster::{Canvas, Form, Frame, PosedMesh, SampledPicture, cover, draw},
            shape::Shape,
            surface_color::VariantShaders,
        },
        skinning::SkinnedVertex,
    },
    model::{LUMINANCE, Mesh, Model},
};

/// Poses in which areas are measured, and the views of each: azimuths follow each other by the golden section, so that
/// faces and hands are seen from all sides.
const POSES: usize = 8;
const VIEWS: usize = 6;
/// Elevations of the views, radians.
const ELEVATIONS: [f32; VIEWS] = [0.1, 0.6, 0.3, 0.1, 0.8, 0.4];
/// Samples along the height of the character.
const SAMPLES: f32 = 320.0;
/// Samples along an edge of a picture, at most.
const LONGEST: usize = 4 * SAMPLES as usize;
/// Farthest that a vertex moves, of the largest edge.
const FARTHEST: f32 = 0.05;
/// Good enough, of the whole.
const EXACT: f64 = 0.0005;

/// Measures what levels show in the poses that build.
pub(super) struct Areas<'a> {
    variants: VariantShaders<'a>,
    pictures: Vec<(LodPose, Frame)>,
    /// Area of every material (samples).
    full: Vec<f64>,
    /// Luminance of every material.
    lights: Vec<f64>,
    extent: f32,
}

impl<'a> Areas<'a> {
    pub(super) fn new(model: &'a Model, palettes: &Palettes) -> Self {
        let extent = model.mesh.bounds().size().max_element();
        let frames = |(number, pose): (usize, LodPose)| {
            let points = pose.full_positions(model);
            std::array::from_fn::<_, VIEWS, _>(|view| {
                let azimuth = TAU * ((number * VIEWS + view) as f32 * 0.618_034).fract();
                let margin = (2.0 * FARTHEST * SAMPLES) as usize;
                let view = (azimuth, ELEVATIONS[view]);
                let frame = Frame::around(&points, view, SAMPLES / extent, margin);
                (pose.clone(), frame.within(LONGEST))
            })
        };
        let poses = poses::builders(palettes, POSES).into_iter().enumerate();
        let mut areas = Self {
            variants: VariantShaders::of(model),
            pictures: poses.flat_map(frames).collect(),
            full: Vec::new(),
            lights: Vec::new(),
            extent,
        };
        let posed = |pose: &LodPose| pose.full(model);
        areas.full = areas.shown(&model.mesh, posed, model.materials.len());
        areas.lights = areas.lights(Form::mesh(&model.mesh), posed);
        areas
    }

    /// The mesh moved out, or in, so far that it covers what full detail covers, and of every material as much shows;
    /// as it is where that does not help.
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
            search.step(&found, combined, (0.2 * apart + combined.abs(), each));
        }
        directions.moved(&lod, &search.best.1)
    }

    /// The mesh with the colours of every material brighter, or darker, so that as much light comes from it as from
    /// full detail's; as far as white is not bright enough, and what materials show that the mesh has lost, from all
    /// others.
    pub(super) fn relight(&self, lod: Shape) -> Shape {
        let total = |lights: &[f64]| lights.iter().sum::<f64>();
        let lights = |lod: &Shape| self.lights(lod.form(), |pose| pose.skinned(lod));
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

    /// Visible area of every material against full detail's, less one; 0 for materials that full detail does not
    /// show.
    fn biases(&self, lod: &Shape) -> Vec<f64> {
        let shown = self.shown(&lod.mesh, |pose| pose.skinned(lod), self.full.len());
        let pairs = shown.iter().zip(&self.full);
        pairs
            .map(|(shown, full)| if *full > 0.0 { shown / full - 1.0 } else { 0.0 })
            .collect()
    }

    /// Mean of the materials' biases without their signs, by what they cover, and the bias of all together.
    fn means(&self, biases: &[f64]) -> [f64; 2] {
        let total: f64 = self.full.iter().sum();
        let parts = || biases.iter().zip(&self.full);
        let apart: f64 = parts().map(|(bias, full)| bias.abs() * full).sum();
        let combined: f64 = parts().map(|(bias, full)| bias * full).sum();
        [apart, combined].map(|sum| sum / total.max(f64::MIN_POSITIVE))
    }

    /// Samples that show each material, over all pictures.
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

    /// Luminance of every material, over all pictures.
    fn lights(&self, form: Form<'_>, posed: impl Fn(&LodPose) -> Vec<SkinnedVertex> + Sync) -> Vec<f64> {
        let tools = <(Canvas, SampledPicture)>::default;
        let lights =
            self.pictures
                .par_iter()
                .enumerate()
                .map_init(tools, |(canvas, picture), (number, (pose, frame))| {
                    let shader = self.variants.of_picture(number);
                    draw(form.posed(&posed(pose)), shader, frame, canvas, picture);
                    let mut lights = vec![0.0_f64; self.full.len()];
                    for (sample, material) in canvas.materials(form.mesh) {
                        let place = [sample % frame.size[0], sample / frame.size[0]].map(|x| x as isize);
                        if let Some(light) = lights.get_mut(material) {
                            *light += f64::from(picture.over(place, 1).yzw().dot(LUMINANCE));
                        }
                    }
                    lights
                });
        // Collected first: the order of a parallel sum is not always the same.
        let lights: Vec<Vec<f64>> = lights.collect();
        (0..self.full.len())
            .map(|m| lights.iter().map(|lights| lights[m]).sum())
            .collect()
    }
}

/// A search for the distances of all materials, together or each for itself.
struct Search {
    here: Vec<f32>,
    /// Where it was before, and the biases there, the last being that of all together.
    before: Option<(Vec<f32>, Vec<f64>)>,
    /// The least that was found, and where.
    best: (f64, Vec<f32>),
    farthest: f32,
}

impl Search {
    /// Goes on from the biases found here: by secants, each material's own or that of all together.
    fn step(&mut self, found: &[f64], combined: f64, (off, each): (f64, bool)) {
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
            // Where more shows the farther in it is, something else hides it.
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

/// Outward at every vertex: normals of the triangles around its place, weighted by their angles there. Vertices at
/// one place go one way and equally far, so that seams stay closed.
struct Directions {
    /// Place of every vertex.
    places: Vec<usize>,
    outward: Vec<Vec3>,
    /// Materials that meet at each place.
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

    /// The mesh with every material moved by its distance; where several meet, by their mean.
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
