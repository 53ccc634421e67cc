//! Picks the person under the pointer: tests a ray against everyone's box, then against the triangles of the nearest
//! people.
//! The box test has a GPU twin (shaders/pick.wgsl); both yield candidates for the triangle test.

use glam::{Affine3A, Quat, Vec3};
use rayon::prelude::*;

use crate::{
    bake::skinning,
    character::Character,
    crowd::{
        CrowdCharacter, Instance, MotionPlan, PersonRef, PickCandidate, all_clips_bounds, clock::Clock, heroes::Hero,
    },
    model::Bounds,
    scene::Scene,
    view::Ray,
};

/// Maximum number of candidates whose triangles are tested.
const MAX_TESTED: usize = 256;
/// Maximum number of candidates without a hit whose distance from the ray is measured.
const MAX_NEAR_MISSES: usize = 16;

impl Scene {
    /// The nearest person whose triangles a ray hits at a moment. If it hits no triangle but enters boxes, the person
    /// whom it misses by least.
    #[must_use]
    pub fn pick(&self, ray: Ray, clock: Clock) -> Option<PersonRef> {
        self.pick_among(self.pick_candidates(ray, clock), ray, clock, &[])
    }

    /// Everyone whose box a ray enters, in no particular order.
    #[must_use]
    pub fn pick_candidates(&self, ray: Ray, clock: Clock) -> Vec<PickCandidate> {
        (0..self.characters.len())
            .flat_map(|character| self.box_hits(character, ray, clock))
            .collect()
    }

    /// Chooses from candidates whose boxes a ray enters; `heroes` are posed as seen from the ray's origin.
    #[must_use]
    pub fn pick_among(
        &self,
        mut candidates: Vec<PickCandidate>,
        ray: Ray,
        clock: Clock,
        heroes: &[Hero],
    ) -> Option<PersonRef> {
        candidates.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.who.cmp(&b.who)));
        candidates.truncate(MAX_TESTED);
        let mut nearest_hit: Option<(f32, PersonRef)> = None;
        for candidate in &candidates {
            // Candidates are sorted by the distance of their boxes, so nobody further on can be nearer.
            if nearest_hit.is_some_and(|(nearest, _)| candidate.distance > nearest) {
                break;
            }
            let distance = self
                .figure(candidate.who, ray, clock, heroes)
                .and_then(|figure| figure.hit_distance());
            if let Some(distance) = distance.filter(|d| nearest_hit.is_none_or(|(nearest, _)| *d < nearest)) {
                nearest_hit = Some((distance, candidate.who));
            }
        }
        if let Some((_, who)) = nearest_hit {
            return Some(who);
        }
        let missed = candidates.iter().take(MAX_NEAR_MISSES).filter_map(|candidate| {
            let by = self.figure(candidate.who, ray, clock, heroes)?.miss_distance();
            Some((by, candidate.who))
        });
        missed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, who)| who)
    }

    fn box_hits(&self, character: usize, ray: Ray, clock: Clock) -> Vec<PickCandidate> {
        let (Some(target), Some(instances)) = (
            CharacterBounds::new(self, character),
            self.crowd.per_character.get(character),
        ) else {
            return Vec::new();
        };
        let hit = |(index, instance): (usize, &Instance)| {
            let index = index as u32;
            Some(PickCandidate {
                distance: target.hit(index, instance, ray, clock)?,
                who: PersonRef { character, index },
            })
        };
        instances.par_iter().enumerate().filter_map(hit).collect()
    }

    /// Posed triangles of a person, and the ray in their space.
    fn figure(&self, who: PersonRef, ray: Ray, clock: Clock, heroes: &[Hero]) -> Option<Figure<'_>> {
        let posed = self.posed(who, clock, ray.origin, heroes)?;
        let skinned = skinning::skin(&posed.character.model.mesh, &posed.palette);
        Some(Figure {
            character: posed.character,
            vertices: skinned.into_iter().map(|v| v.position).collect(),
            ray: within(ray, posed.world_from_model()),
        })
    }
}

/// A posed person and a ray, both in the character's model space.
struct Figure<'a> {
    character: &'a Character,
    vertices: Vec<Vec3>,
    ray: Ray,
}

impl Figure<'_> {
    /// Distance along the ray to the nearest triangle (m), hit from either side.
    fn hit_distance(&self) -> Option<f32> {
        let triangles = self.character.model.mesh.indices.chunks_exact(3);
        let hits = triangles.filter_map(|t| {
            self.ray
                .distance_to_triangle([0, 1, 2].map(|i| self.vertices[t[i] as usize]))
        });
        hits.min_by(f32::total_cmp)
    }

    /// Distance of the nearest vertex from the ray, as a share of the character's height.
    fn miss_distance(&self) -> f32 {
        let unit = self.ray.direction.normalize_or_zero();
        let by = self.vertices.iter().map(|&vertex| {
            let along = (vertex - self.ray.origin).dot(unit).max(0.0);
            (self.ray.origin + unit * along).distance(vertex)
        });
        by.fold(f32::MAX, f32::min) / self.character.rest_bounds.size().max_element().max(f32::MIN_POSITIVE)
    }
}

/// Transforms a ray into the space of an instance. Its direction is scaled so that distances along it stay those of
/// the world.
fn within(ray: Ray, world: Affine3A) -> Ray {
    let local = world.inverse();
    Ray {
        origin: local.transform_point3(ray.origin),
        direction: local.transform_vector3(ray.direction),
    }
}

struct CharacterBounds<'a> {
    plan: &'a MotionPlan,
    cast: &'a CrowdCharacter,
    all_clips_bounds: Bounds,
    /// Largest distance of any vertex from the ground point, in model units.
    reach: f32,
}

impl<'a> CharacterBounds<'a> {
    fn new(scene: &'a Scene, index: usize) -> Option<Self> {
        let (character, plan) = (scene.characters.get(index)?, scene.plans.get(index)?);
        let all_clips_bounds = all_clips_bounds(character);
        Some(Self {
            reach: all_clips_bounds.min.abs().max(all_clips_bounds.max.abs()).length(),
            cast: scene.casts.get(index)?,
            all_clips_bounds,
            plan,
        })
    }

    /// Distance along the ray to the box of an instance.
    fn hit(&self, index: u32, instance: &Instance, ray: Ray, clock: Clock) -> Option<f32> {
        let shape = instance.shape();
        let reach = self.reach * shape.max_element();
        if !self.plan.moves(instance) && !near(ray, Vec3::from(instance.position), reach) {
            return None;
        }
        let pose = self.plan.pose(index, instance, &self.cast.clips, clock);
        let back = Quat::from_rotation_y(-pose.yaw);
        let local = Ray {
            origin: back * (ray.origin - pose.position) / shape,
            direction: back * ray.direction / shape,
        };
        enter(local, self.all_clips_bounds)
    }
}

/// Whether the ray passes within `reach` of a point.
fn near(ray: Ray, point: Vec3, reach: f32) -> bool {
    let along = (point - ray.origin).dot(ray.direction).max(0.0);
    (ray.origin + ray.direction * along).distance_squared(point) <= reach * reach
}

/// Distance along a ray at which it enters a box (slab test).
fn enter(ray: Ray, bounds: Bounds) -> Option<f32> {
    let inverse = ray.direction.recip();
    let (a, b) = ((bounds.min - ray.origin) * inverse, (bounds.max - ray.origin) * inverse);
    let (enter, leave) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
    (enter <= leave).then_some(enter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_entered_from_outside_and_inside() {
        let unit = Bounds {
            min: -Vec3::ONE,
            max: Vec3::ONE,
        };
        let ray = |origin, direction| Ray { origin, direction };
        assert_eq!(enter(ray(Vec3::Z * 3.0, Vec3::NEG_Z), unit), Some(2.0));
        assert_eq!(enter(ray(Vec3::ZERO, Vec3::X), unit), Some(0.0));
        assert_eq!(enter(ray(Vec3::Z * 3.0, Vec3::Z), unit), None);
    }

    #[test]
    fn rays_hit_triangles_from_both_sides() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let ray = |z: f32, x: f32| Ray {
            origin: Vec3::new(x, 0.2, z),
            direction: Vec3::NEG_Z * z.signum(),
        };
        assert_eq!(ray(2.0, 0.2).distance_to_triangle(triangle), Some(2.0));
        assert_eq!(ray(-2.0, 0.2).distance_to_triangle(triangle), Some(2.0));
        assert_eq!(ray(2.0, 0.9).distance_to_triangle(triangle), None);
        let flat = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert_eq!(ray(2.0, 0.2).distance_to_triangle(flat), None);
    }
}
