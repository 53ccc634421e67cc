//! Facts about a character's body that labels of every picture need: key points, head, surface.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use crate::{
    aov::FrameParameters,
    character::Character,
    label::{
        Box2, JointSet, KeyPoints, LabelFormat, LabelOptions, Mapping, PointSource, SurfacePoints, key_points::slot_of,
    },
    scene::{PosedPerson, Scene},
};

/// Weight of the head's joint from which a vertex belongs to the head.
const HEAD_WEIGHT: f32 = 0.5;
/// Number of directions in which the outermost vertices of a head are kept: a box around those is within a fraction of
/// a pixel of the box around all.
const DIRECTIONS: u32 = 200;

/// Body of one character, in its rest pose.
#[derive(Clone, Debug)]
pub struct Body {
    /// Key points of the requested set.
    pub key_points: KeyPoints,
    /// Slot of the head's joint, and outermost vertices of the head in mesh space; empty without a head.
    head: Option<(usize, Vec<Vec3>)>,
    /// Surface of the body at each vertex, as a share of the whole: a third of the triangles around it.
    surface: Vec<f32>,
    /// Points on the surface that point tracks follow; none unless those are requested.
    pub surface_points: SurfacePoints,
}

impl Body {
    /// Measures a character.
    #[must_use]
    pub fn of(character: &Character, mapping: &Mapping, set: JointSet) -> Self {
        Self {
            key_points: KeyPoints::of(character, mapping, set),
            head: head_of(character, mapping),
            surface: surface_of(character),
            surface_points: SurfacePoints::default(),
        }
    }

    /// Measures all characters of a scene, in their order.
    #[must_use]
    pub fn of_all(scene: &Scene, options: &LabelOptions) -> Vec<Self> {
        let tracks_points = options.formats.has(LabelFormat::PointTracks);
        let count = if tracks_points { options.surface_points } else { 0 };
        let measure = |character: &Arc<Character>| Self {
            surface_points: SurfacePoints::spread_over(character, count),
            ..Self::of(character, &options.mapping, options.joints)
        };
        scene.characters.iter().map(measure).collect()
    }

    /// Returns the box around a person's head, clipped to the picture; `None` without a head, and where it is outside
    /// or partly behind the camera.
    #[must_use]
    pub fn head_box(&self, person: &PosedPerson<'_>, moment: &FrameParameters, size: (u32, u32)) -> Option<Box2> {
        let (slot, outermost) = self.head.as_ref()?;
        let model = person.palette.get(*slot).copied().unwrap_or(Affine3A::IDENTITY);
        let world = person.world_from_model() * model;
        let points = outermost.iter().map(|&point| world.transform_point3(point));
        Box2::around_points(points, moment, size)?.clipped(size)
    }

    /// Returns the share of a person's surface that lies outside the picture, 0..=1. `vertices` are those of the person
    /// in the world (m).
    #[must_use]
    pub fn truncation(&self, vertices: &[Vec3], moment: &FrameParameters, size: (u32, u32)) -> f32 {
        let outside = |vertex: Vec3| match moment.pixel_of(vertex, size) {
            Some(pixel) => {
                let inside = pixel.x >= 0.0 && pixel.y >= 0.0;
                !(inside && pixel.x < size.0 as f32 && pixel.y < size.1 as f32)
            }
            None => true,
        };
        let shares = self.surface.iter().zip(vertices);
        let sum: f32 = shares
            .filter(|(_, vertex)| outside(**vertex))
            .map(|(share, _)| share)
            .sum();
        sum.clamp(0.0, 1.0)
    }
}

/// Points of a mapping that a character lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPoints {
    /// Name of the character.
    pub character: String,
    /// Points without a joint, each with the joint that the mapping names; empty names: the mapping leaves it out.
    pub points: Vec<(&'static str, String)>,
    /// Number of points that the character has.
    pub found: usize,
}

impl MissingPoints {
    /// Finds the points of a set that the mapping names, but whose joints a character lacks. Characters that have all
    /// of them are left out.
    #[must_use]
    pub fn of_all(scene: &Scene, mapping: &Mapping, set: JointSet) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for character in scene.people_characters() {
            let name = &character.model.name;
            if all.iter().any(|own| own.character == *name) {
                continue;
            }
            let mut points = Vec::new();
            for point in set.points() {
                let named = match point.at {
                    PointSource::Named(own) => vec![own],
                    PointSource::NamedOr(own, _) => vec![own],
                    PointSource::Middle(pair) => pair.to_vec(),
                };
                for own in named {
                    let joint = mapping.point(name, own).map(|at| at.joint.clone());
                    let is_found = joint.as_ref().is_some_and(|joint| slot_of(character, joint).is_some());
                    let known = points.iter().any(|(other, _)| *other == own);
                    if let Some(joint) = joint.filter(|_| !is_found && !known) {
                        points.push((own, joint));
                    }
                }
            }
            let found = KeyPoints::of(character, mapping, set).count();
            if !points.is_empty() || found == 0 {
                all.push(Self {
                    character: name.clone(),
                    points,
                    found,
                });
            }
        }
        all.sort_by(|a, b| a.character.cmp(&b.character));
        all
    }
}

/// Finds the head: the joint that the mapping names for the head or the nose, and the vertices that it moves.
fn head_of(character: &Character, mapping: &Mapping) -> Option<(usize, Vec<Vec3>)> {
    let name = &character.model.name;
    let joint = ["head", "nose", "left_eye", "right_eye"]
        .into_iter()
        .find_map(|point| slot_of(character, &mapping.point(name, point)?.joint));
    let slot = joint?;
    let weight = |influences: &mut dyn Iterator<Item = (usize, f32)>| -> f32 {
        let own = influences.filter(|(own, _)| *own == slot);
        own.map(|(_, weight)| weight).sum()
    };
    let vertices = character.model.mesh.vertices.iter();
    let own = vertices.filter(|vertex| weight(&mut vertex.influences()) >= HEAD_WEIGHT);
    let own: Vec<Vec3> = own.map(|vertex| vertex.position).collect();
    let outermost = outermost(&own);
    (!outermost.is_empty()).then_some((slot, outermost))
}

/// Returns the outermost of some points in directions all around.
fn outermost(points: &[Vec3]) -> Vec<Vec3> {
    let mut kept: Vec<Vec3> = Vec::new();
    for number in 0..DIRECTIONS {
        // A Fibonacci sphere.
        let y = 1.0 - 2.0 * (number as f32 + 0.5) / DIRECTIONS as f32;
        let turn = number as f32 * 2.399_963_2;
        let ring = (1.0 - y * y).sqrt();
        let direction = Vec3::new(ring * turn.cos(), y, ring * turn.sin());
        let farthest = points
            .iter()
            .max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)));
        kept.extend(farthest.filter(|point| !kept.contains(point)));
    }
    kept
}

/// Returns the share of the surface at each vertex.
fn surface_of(character: &Character) -> Vec<f32> {
    let mesh = &character.model.mesh;
    let mut surface = vec![0.0; mesh.vertices.len()];
    let corner = |index: u32| mesh.vertices.get(index as usize).map(|vertex| vertex.position);
    let mut whole = 0.0_f64;
    for triangle in mesh.indices.chunks_exact(3) {
        let [Some(a), Some(b), Some(c)] = [corner(triangle[0]), corner(triangle[1]), corner(triangle[2])] else {
            continue;
        };
        let area = 0.5 * (b - a).cross(c - a).length();
        whole += f64::from(area);
        for &index in triangle {
            surface[index as usize] += area / 3.0;
        }
    }
    if whole > 0.0 {
        surface
            .iter_mut()
            .for_each(|area| *area = (f64::from(*area) / whole) as f32);
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::embedded::NAMES;

    #[test]
    fn heads_and_surfaces_of_our_own_characters_are_those_of_their_meshes() {
        let mapping = Mapping::built_in();
        for name in NAMES {
            let opened = crate::scene::open_model(name).expect("opens");
            let characters =
                crate::character::from_all_opened(vec![opened], crate::atlas::FramePlacement::Even { rate: 2.0 });
            let character = &characters.expect("bakes")[0];
            let body = Body::of(character, &mapping, JointSet::Coco17);
            let (_, head) = body.head.as_ref().expect("a head");
            let (low, high) = (
                head.iter().copied().reduce(Vec3::min),
                head.iter().copied().reduce(Vec3::max),
            );
            let size = high.expect("points") - low.expect("points");
            assert!(
                (0.15..0.5).contains(&size.y) && (0.15..0.45).contains(&size.x),
                "{name}: {size}"
            );
            let sum: f32 = body.surface.iter().sum();
            assert!((sum - 1.0).abs() < 1e-3, "{name}: {sum}");
            assert_eq!(body.key_points.count(), 17, "{name}");
        }
    }
}
