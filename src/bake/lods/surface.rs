//! Nearest points on a posed mesh: a bounding volume hierarchy over its triangles, built once and refitted to every
//! pose.

use glam::{Vec3, Vec3A};

/// Largest number of triangles of a leaf.
const LEAF: usize = 4;

/// Point of a surface nearest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    /// Triangle, by its position in the index list.
    pub triangle: u32,
    /// Squared distance (m²).
    pub squared: f32,
    /// Barycentric coordinates.
    pub shares: Vec3,
}

/// Node of the hierarchy. A leaf holds triangles `first..first + count` of the order. If `count` is 0, the children are
/// the next node and the node at `first`.
#[derive(Clone, Copy)]
struct Node {
    min: Vec3A,
    max: Vec3A,
    first: u32,
    count: u32,
}

/// Bounding volume hierarchy of triangles.
#[derive(Clone)]
pub(super) struct Surface {
    nodes: Vec<Node>,
    order: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    corners: Vec<[Vec3A; 3]>,
}

impl Surface {
    /// Builds the hierarchy for vertices at `positions`.
    pub(super) fn new(indices: &[u32], positions: &[Vec3]) -> Self {
        let (triangles, _) = indices.as_chunks::<3>();
        let at = |i: u32| Vec3A::from(positions[i as usize]);
        let corners: Vec<[Vec3A; 3]> = triangles.iter().map(|t| t.map(at)).collect();
        let centres: Vec<Vec3A> = corners.iter().map(|[a, b, c]| *a + *b + *c).collect();
        let mut surface = Self {
            nodes: Vec::with_capacity(triangles.len()),
            order: (0..triangles.len() as u32).collect(),
            triangles: triangles.to_vec(),
            corners,
        };
        if !surface.order.is_empty() {
            let mut order = std::mem::take(&mut surface.order);
            surface.split(&mut order, 0, &centres);
            surface.order = order;
            surface.fit(positions);
        }
        surface
    }

    /// Appends the node over a part of the order that begins at `first`, and all nodes below it.
    fn split(&mut self, part: &mut [u32], first: usize, centres: &[Vec3A]) {
        let index = self.nodes.len();
        self.nodes.push(Node {
            min: Vec3A::INFINITY,
            max: Vec3A::NEG_INFINITY,
            first: first as u32,
            count: part.len() as u32,
        });
        if part.len() <= LEAF {
            return;
        }
        let centre = |t: &u32| centres[*t as usize];
        let min = part.iter().map(centre).fold(Vec3A::INFINITY, Vec3A::min);
        let max = part.iter().map(centre).fold(Vec3A::NEG_INFINITY, Vec3A::max);
        let axis = (max - min).max_position();
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |a, b| {
            let by_place = centre(a)[axis].total_cmp(&centre(b)[axis]);
            by_place.then(a.cmp(b))
        });
        let (left, right) = part.split_at_mut(half);
        self.split(left, first, centres);
        self.nodes[index].first = self.nodes.len() as u32;
        self.nodes[index].count = 0;
        self.split(right, first + half, centres);
    }

    /// Refits all boxes to new positions.
    pub(super) fn fit(&mut self, positions: &[Vec3]) {
        for (corners, triangle) in self.corners.iter_mut().zip(&self.triangles) {
            *corners = triangle.map(|i| positions[i as usize].into());
        }
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            let (min, max) = if node.count > 0 {
                let range = node.first as usize..(node.first + node.count) as usize;
                let corners = self.order[range].iter().flat_map(|&t| self.corners[t as usize]);
                corners.fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(min, max), p| {
                    (min.min(p), max.max(p))
                })
            } else {
                let (left, right) = (self.nodes[index + 1], self.nodes[node.first as usize]);
                (left.min.min(right.min), left.max.max(right.max))
            };
            (self.nodes[index].min, self.nodes[index].max) = (min, max);
        }
    }

    /// Finds the point nearest to `point`; tests triangle `guess` first, so that a good guess prunes most nodes. `None`
    /// for a surface without triangles, or none at a finite distance.
    pub(super) fn nearest(&self, point: Vec3, guess: Option<u32>) -> Option<Nearest> {
        let point = Vec3A::from(point);
        let mut best = Nearest {
            triangle: u32::MAX,
            squared: f32::INFINITY,
            shares: Vec3::ZERO,
        };
        if let Some(guess) = guess.filter(|&g| (g as usize) < self.corners.len()) {
            self.look(guess, point, &mut best);
        }
        let mut open = [0_u32; 64];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let index = open[depth] as usize;
            let node = self.nodes[index];
            if node.distance(point) >= best.squared {
                continue;
            }
            if node.count > 0 {
                let range = node.first as usize..(node.first + node.count) as usize;
                self.order[range].iter().for_each(|&t| self.look(t, point, &mut best));
                continue;
            }
            let (left, right) = (index as u32 + 1, node.first);
            let [a, b] = [left, right].map(|n| self.nodes[n as usize].distance(point));
            // The nearer child is on top of the stack, and visited first.
            (open[depth], open[depth + 1]) = if a < b { (right, left) } else { (left, right) };
            depth += 2;
        }
        (best.triangle != u32::MAX).then_some(best)
    }

    /// Distance of a point from one triangle (m).
    pub(super) fn distance(&self, point: Vec3, triangle: u32) -> Option<f32> {
        let corners = self.corners.get(triangle as usize)?;
        let point = Vec3A::from(point);
        Some(at(corners, nearest_shares(corners, point)).distance(point))
    }

    /// Side of a triangle on which a point lies: 1 in front, -1 at the back.
    pub(super) fn side(&self, point: Vec3, triangle: u32) -> f32 {
        let [a, b, c] = self.corners[triangle as usize];
        if (b - a).cross(c - a).dot(Vec3A::from(point) - a) < 0.0 {
            -1.0
        } else {
            1.0
        }
    }

    fn look(&self, triangle: u32, point: Vec3A, best: &mut Nearest) {
        let corners = &self.corners[triangle as usize];
        let shares = nearest_shares(corners, point);
        let squared = at(corners, shares).distance_squared(point);
        // The first of equals wins, so that the result is independent of the guess.
        if squared < best.squared || (squared == best.squared && triangle < best.triangle) {
            *best = Nearest {
                triangle,
                squared,
                shares,
            };
        }
    }
}

fn at(corners: &[Vec3A; 3], shares: Vec3) -> Vec3A {
    let [a, b, c] = corners;
    *a * shares.x + *b * shares.y + *c * shares.z
}

impl Node {
    /// Squared distance of a point from the box (m²).
    fn distance(&self, point: Vec3A) -> f32 {
        let outside = (self.min - point).max(point - self.max).max(Vec3A::ZERO);
        outside.length_squared()
    }
}

/// Barycentric coordinates of the point of a triangle nearest to another point (Ericson, Real-Time Collision Detection,
/// 5.1.5).
fn nearest_shares(corners: &[Vec3A; 3], p: Vec3A) -> Vec3 {
    let [a, b, c] = corners;
    let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Vec3::X;
    }
    let bp = p - *b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return Vec3::Y;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return Vec3::new(1.0 - v, v, 0.0);
    }
    let cp = p - *c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return Vec3::Z;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return Vec3::new(1.0 - w, 0.0, w);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return Vec3::new(0.0, 1.0 - w, w);
    }
    let sum = va + vb + vc;
    let shares = Vec3::new(va, vb, vc) / sum;
    // The corners of a triangle without area are collinear: one of them is close enough.
    if shares.is_finite() { shares } else { Vec3::X }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0].prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn finds_what_looking_at_every_triangle_finds(
            rest in prop::collection::vec(point(), 60),
            posed in prop::collection::vec(point(), 60),
            asked in prop::collection::vec(point(), 8),
        ) {
            let indices: Vec<u32> = (0..60).collect();
            let mut surface = Surface::new(&indices, &rest);
            surface.fit(&posed);
            for (index, point) in asked.into_iter().enumerate() {
                let by_tree = surface.nearest(point, Some(index as u32)).expect("there are triangles");
                let mut by_looking = Nearest { triangle: u32::MAX, squared: f32::INFINITY, shares: Vec3::ZERO };
                (0..20).for_each(|t| surface.look(t, point.into(), &mut by_looking));
                prop_assert_eq!(by_tree, by_looking);
            }
        }
    }

    #[test]
    fn a_triangle_without_area_has_a_nearest_point_and_an_empty_surface_none() {
        let surface = Surface::new(&[0, 1, 2], &[Vec3::ZERO, Vec3::X, Vec3::X * 2.0]);
        let nearest = surface.nearest(Vec3::new(1.0, 1.0, 0.0), None).expect("a triangle");
        assert!((nearest.squared - 1.0).abs() < 1e-6, "{nearest:?}");
        assert_eq!(Surface::new(&[], &[]).nearest(Vec3::ZERO, None), None);
    }
}
