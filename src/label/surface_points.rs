//! Fixed points on the surface of people, as TAP-Vid (Doersch et al. 2022) tracks them: vertices spread over a mesh.

use glam::{Vec2, Vec3};

use crate::{
    aov::{AovImages, FrameParameters},
    bake::skinning,
    character::Character,
    model::Mesh,
    scene::PosedPerson,
    view::Ray,
};

/// Depth (m) by which a surface must be nearer than a point to hide it: LODs leave the whole mesh by less.
const SKIN: f32 = 0.015;
/// Addition to that depth, in pixels at the distance of the point: depth is known at the centres of pixels.
const PIXELS: f32 = 3.0;
/// Smallest cosine between a normal and the way to the camera of a point that faces it.
const FACING: f32 = 0.05;

/// Distance (m) before a vertex from which on, and up to which, a part of the mesh covers it.
const START: f32 = 1e-3;
const COVER: f32 = 0.06;

/// Vertices of one character that point tracks follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfacePoints {
    /// Numbers of the vertices in the mesh of full detail.
    pub vertices: Vec<u32>,
}

/// Tracked point in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Position (px), in the picture or not; `None` where the camera faces away from it.
    pub pixel: Option<Vec2>,
    /// Position in the world (m).
    pub world: Vec3,
    /// True if the point is in the picture and nothing hides it, the person's own body included.
    pub is_visible: bool,
}

/// Tracked points of one person.
#[derive(Clone, Debug)]
pub struct PersonSurface {
    /// Value in the id AOV.
    pub id: u32,
    /// Number of the trajectory that the person follows, if any.
    pub track: Option<u32>,
    /// Points in the order of the character's [`SurfacePoints`].
    pub points: Vec<SurfacePoint>,
}

impl PersonSurface {
    /// Returns the identity of the person in a film: that of the trajectory, else the value in the id AOV.
    #[must_use]
    pub fn identity(&self) -> u32 {
        self.track.unwrap_or(self.id)
    }
}

impl SurfacePoints {
    /// Chooses at most `count` vertices of a character, each as far from those before as possible in the rest pose
    /// (farthest point sampling, Eldar et al. 1997). The first is the one farthest from the origin. Vertices that
    /// another part of the mesh covers, such as skin under clothes, are left out.
    #[must_use]
    pub fn spread_over(character: &Character, count: u32) -> Self {
        let vertices = &character.model.mesh.vertices;
        let mut distances: Vec<f32> = vec![f32::INFINITY; vertices.len()];
        let mut chosen = Vec::new();
        let mut next = farthest(vertices.iter().map(|vertex| vertex.position.length()));
        while let Some(vertex) = next.filter(|_| chosen.len() < count as usize) {
            if is_covered(&character.model.mesh, vertex) {
                distances[vertex] = 0.0;
                next = farthest(distances.iter().copied()).filter(|&other| distances[other] > 0.0);
                continue;
            }
            chosen.push(vertex as u32);
            let place = vertices[vertex].position;
            for (distance, vertex) in distances.iter_mut().zip(vertices) {
                *distance = distance.min(vertex.position.distance(place));
            }
            next = farthest(distances.iter().copied()).filter(|&other| distances[other] > 0.0);
        }
        Self { vertices: chosen }
    }

    /// True without points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Returns the points of the person with an id in a picture that has the ids and the depth.
    #[must_use]
    pub fn seen(
        &self,
        person: &PosedPerson<'_>,
        id: u32,
        moment: &FrameParameters,
        numbers: &AovImages,
    ) -> Vec<SurfacePoint> {
        let mesh = &person.character.model.mesh;
        let world = person.world_from_model();
        let focal = moment.focal_length(numbers.size.1);
        let seen = |&vertex: &u32| {
            let vertex = mesh.vertices.get(vertex as usize)?;
            let matrix = world * skinning::blend(vertex, &person.palette);
            let place = matrix.transform_point3(vertex.position);
            let normal = skinning::transform_normal(matrix.matrix3, vertex.normal);
            let faces = normal.dot((moment.camera.eye - place).normalize_or_zero()) > FACING;
            let pixel = moment.pixel_of(place, numbers.size);
            let shows = |pixel: Vec2| {
                let [width, height] = [numbers.size.0, numbers.size.1].map(|edge| edge as f32);
                if !(0.0..width).contains(&pixel.x) || !(0.0..height).contains(&pixel.y) {
                    return false;
                }
                let (x, y) = (pixel.x as u32, pixel.y as u32);
                let depth = moment.depth_of(place);
                let is_own = numbers.id_at(x, y) == id;
                is_own && numbers.depth_at(x, y) > depth - SKIN - PIXELS * depth / focal
            };
            Some(SurfacePoint {
                pixel,
                world: place,
                is_visible: faces && pixel.is_some_and(shows),
            })
        };
        self.vertices.iter().filter_map(seen).collect()
    }
}

/// True if a part of the mesh lies before a vertex, along its normal.
fn is_covered(mesh: &Mesh, vertex: usize) -> bool {
    let own = &mesh.vertices[vertex];
    let ray = Ray {
        origin: own.position + own.normal * START,
        direction: own.normal,
    };
    let corner = |index: u32| mesh.vertices.get(index as usize).map(|vertex| vertex.position);
    mesh.indices.chunks_exact(3).any(|triangle| {
        let corners = [corner(triangle[0]), corner(triangle[1]), corner(triangle[2])];
        match corners {
            [Some(a), Some(b), Some(c)] => ray.distance_to_triangle([a, b, c]).is_some_and(|at| at < COVER),
            _ => false,
        }
    })
}

fn farthest(distances: impl Iterator<Item = f32>) -> Option<usize> {
    let finite = distances.enumerate().filter(|(_, distance)| distance.is_finite());
    finite.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_spread_over_the_whole_body() {
        let opened = crate::scene::open_model("man").expect("opens");
        let characters =
            crate::character::from_all_opened(vec![opened], crate::atlas::FramePlacement::Even { rate: 2.0 });
        let character = &characters.expect("bakes")[0];
        let points = SurfacePoints::spread_over(character, 32);
        assert_eq!(points, SurfacePoints::spread_over(character, 32));
        let place = |&vertex: &u32| character.model.mesh.vertices[vertex as usize].position;
        let places: Vec<Vec3> = points.vertices.iter().map(place).collect();
        assert_eq!(places.len(), 32);
        let nearest = |number: usize| {
            let others = places.iter().enumerate().filter(|(other, _)| *other != number);
            others
                .map(|(_, other)| other.distance(places[number]))
                .fold(f32::MAX, f32::min)
        };
        let gaps: Vec<f32> = (0..32).map(nearest).collect();
        assert!(gaps.iter().all(|gap| *gap > 0.08), "{gaps:?}");
        let reach = |axis: usize| places.iter().map(|place| place[axis]).fold(f32::MIN, f32::max);
        assert!(reach(1) > 1.4, "{}", reach(1));
        assert!(SurfacePoints::spread_over(character, 0).is_empty());
        let all = character.model.mesh.vertices.len() as u32;
        assert!(SurfacePoints::spread_over(character, all + 9).vertices.len() <= all as usize);
    }
}
