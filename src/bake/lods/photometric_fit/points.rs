//! Luminance of the surface points of a picture, and its gradient, for four points at once. Every lane computes in the
//! order of a single point, and points are added up one after the other: results do not depend on the number of lanes.

use glam::{BVec4A, Mat4, Vec3, Vec3A, Vec4};

use crate::bake::lods::{
    highlight::Highlights,
    photometric_fit::{FitVariables, NormalSide, Slopes},
    surface_color::{skylight, slopes_of_light, sunlight},
};

/// Number of points that are computed at once.
const LANES: usize = 4;

/// Surface point of an LOD in a crowd.
pub(super) struct FitPoint {
    pub corners: [u32; 3],
    pub shares: [f32; 3],
    /// Weight of the vertex normals in the normal.
    pub bend: f32,
    pub rest: Vec3A,
    /// Reflected linear luminance, as a share of the picture's.
    pub base: f32,
    /// Visible share of the sky, and whether it changes with the colour.
    pub open: f32,
    pub occludes: bool,
    pub roughness: Option<f32>,
}

/// Up to four surface points, one in each lane.
struct FourPoints {
    count: usize,
    corners: [[u32; 3]; LANES],
    shares: [[f32; 3]; LANES],
    bend: [f32; LANES],
    rest: [Vec3A; LANES],
    base: Vec4,
    open: Vec4,
    occludes: BVec4A,
    roughness: Vec4,
    /// Lanes of materials with highlights.
    shines: BVec4A,
}

/// Surface points of a picture.
pub(super) struct FitPoints(Vec<FourPoints>);

/// One sun in one picture, and how the pose transforms normals.
pub(super) struct FitView<'a> {
    pub highlights: Highlights,
    pub sun: Vec3,
    pub towards: Vec3A,
    /// Share of the picture that a point covers.
    pub point_share: f32,
    /// Normals of the vertices in the pose.
    pub posed: &'a [Vec3A],
    pub side: NormalSide,
}

/// Mixed normals of four points, and whether they face away from the viewer.
struct MixedNormals {
    mixed: [Vec3A; LANES],
    is_away: [bool; LANES],
    factor: Vec4,
}

impl FitPoints {
    pub(super) fn new(points: &[FitPoint]) -> Self {
        Self(points.chunks(LANES).map(FourPoints::new).collect())
    }

    /// Adds the luminance of every point, and its gradient by the posed normals.
    pub(super) fn add(&self, look: &FitVariables, view: &FitView<'_>, slopes: &mut Slopes) {
        self.0.iter().for_each(|points| points.add(look, view, slopes));
    }
}

impl FourPoints {
    fn new(points: &[FitPoint]) -> Self {
        let of = |lane: usize| points.get(lane);
        let number = |value: fn(&FitPoint) -> f32| Vec4::from_array(std::array::from_fn(|i| of(i).map_or(0.0, value)));
        let flag = |value: fn(&FitPoint) -> bool| {
            let [a, b, c, d] = std::array::from_fn(|lane| of(lane).is_some_and(value));
            BVec4A::new(a, b, c, d)
        };
        Self {
            count: points.len(),
            corners: std::array::from_fn(|lane| of(lane).map_or([0; 3], |point| point.corners)),
            shares: std::array::from_fn(|lane| of(lane).map_or([0.0; 3], |point| point.shares)),
            bend: number(|point| point.bend).to_array(),
            rest: std::array::from_fn(|lane| of(lane).map_or(Vec3A::ZERO, |point| point.rest)),
            base: number(|point| point.base),
            open: number(|point| point.open),
            occludes: flag(|point| point.occludes),
            roughness: number(|point| point.roughness.unwrap_or(0.0)),
            shines: flag(|point| point.roughness.is_some()),
        }
    }

    fn add(&self, look: &FitVariables, view: &FitView<'_>, slopes: &mut Slopes) {
        let MixedNormals { mixed, is_away, factor } = self.mixed(look, view);
        let [x, y, z] = lanes(mixed);
        let length = (x * x + y * y + z * z).sqrt();
        let normal = [x / length, y / length, z / length];
        let open = Vec4::select(self.occludes, self.open * factor, self.open);
        let sky = skylight(normal[1]) * open;
        let light = sky + sunlight(&normal, view.sun);
        let (mirrored, along) = view.highlights.on_four(&normal, self.roughness, self.shines);
        let base = self.base * factor;
        let brighter = base * light + view.point_share * mirrored;
        let slope = slopes_of_light(&normal, open, view.sun);
        let scale = Vec4::from_array(self.bend) / length;
        let turned: [Vec4; 3] =
            std::array::from_fn(|axis| (slope[axis] * base + along[axis] * view.point_share) * scale);
        let turned = points(turned);
        let of_factor = self.base * (light + Vec4::select(self.occludes, sky, Vec4::ZERO));
        let [length, brighter, of_factor] = [length, brighter, of_factor].map(|lanes| lanes.to_array());
        for lane in 0..self.count {
            if length[lane] <= 0.0 {
                continue;
            }
            let (corners, shares) = (&self.corners[lane], &self.shares[lane]);
            slopes.brighter[look.materials[corners[0] as usize]] += brighter[lane];
            let turned = match is_away[lane] {
                true => view.side.of(turned[lane], view.towards),
                false => turned[lane],
            };
            // Iterators over arrays by value are copied to the stack and read back too soon: indices are twice as fast.
            for k in 0..3 {
                let (corner, share) = (corners[k] as usize, shares[k]);
                slopes.normals[corner] += turned * share;
                slopes.factors[corner] += of_factor[lane] * share;
            }
        }
    }

    fn mixed(&self, look: &FitVariables, view: &FitView<'_>) -> MixedNormals {
        let mut mixed = [Vec3A::ZERO; LANES];
        let mut is_away = [false; LANES];
        let mut factor = [0.0; LANES];
        for lane in 0..LANES {
            let ([a, b, c], [x, y, z]) = (&self.corners[lane], &self.shares[lane]);
            let [a, b, c] = [*a as usize, *b as usize, *c as usize];
            let shown = view.posed[a] * *x + view.posed[b] * *y + view.posed[c] * *z;
            is_away[lane] = shown.dot(view.towards) < 0.0;
            let facing = match is_away[lane] {
                true => view.side.of(shown, view.towards),
                false => shown,
            };
            mixed[lane] = facing * self.bend[lane] + self.rest[lane];
            factor[lane] = look.factors[a] * x + look.factors[b] * y + look.factors[c] * z;
        }
        MixedNormals {
            mixed,
            is_away,
            factor: Vec4::from_array(factor),
        }
    }
}

/// Coordinates of four vectors: all x, all y, all z.
fn lanes(vectors: [Vec3A; LANES]) -> [Vec4; 3] {
    let [a, b, c, d] = vectors.map(|v| v.extend(0.0));
    let by_axis = Mat4::from_cols(a, b, c, d).transpose();
    [by_axis.x_axis, by_axis.y_axis, by_axis.z_axis]
}

/// Four vectors from their coordinates: inverse of [`lanes`].
fn points(lanes: [Vec4; 3]) -> [Vec3A; LANES] {
    let [x, y, z] = lanes;
    let by_point = Mat4::from_cols(x, y, z, Vec4::ZERO).transpose();
    [by_point.x_axis, by_point.y_axis, by_point.z_axis, by_point.w_axis].map(Vec3A::from_vec4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::lods::{
        highlight::highlight,
        surface_color::{light, slope, suns},
    };

    /// Adds the luminance of one point, and its gradient, by the formulas for single points.
    fn add_one(point: &FitPoint, look: &FitVariables, view: &FitView<'_>, slopes: &mut Slopes) {
        let parts = || {
            point
                .corners
                .into_iter()
                .map(|corner| corner as usize)
                .zip(point.shares)
        };
        let shown: Vec3A = parts().map(|(corner, share)| view.posed[corner] * share).sum();
        let is_away = shown.dot(view.towards) < 0.0;
        let facing = |along: Vec3A| {
            if is_away {
                view.side.of(along, view.towards)
            } else {
                along
            }
        };
        let mixed = facing(shown) * point.bend + point.rest;
        let length = mixed.length();
        let normal = Vec3::from(mixed / length);
        let factor: f32 = parts().map(|(corner, share)| look.factors[corner] * share).sum();
        let open = if point.occludes {
            point.open * factor
        } else {
            point.open
        };
        let light = light(normal, open, view.sun);
        let (mirrored, along) = highlight(normal, view.towards.into(), point.roughness, view.sun);
        slopes.brighter[look.materials[point.corners[0] as usize]] +=
            point.base * factor * light + view.point_share * mirrored;
        let turned = slope(normal, open, view.sun) * (point.base * factor) + along * view.point_share;
        let turned = facing(Vec3A::from(turned) * (point.bend / length));
        let also = if point.occludes { skylight(normal.y) * open } else { 0.0 };
        for (corner, share) in parts() {
            slopes.normals[corner] += turned * share;
            slopes.factors[corner] += point.base * (light + also) * share;
        }
    }

    #[test]
    fn four_points_at_once_give_the_bytes_of_one_after_the_other() {
        let normals: Vec<Vec3A> = (0..9)
            .map(|i| Vec3A::new((i as f32).sin(), (2.3 * i as f32).cos(), 0.4 - 0.1 * i as f32).normalize())
            .collect();
        let look = FitVariables {
            normals: normals.clone(),
            factors: (0..9).map(|i| 0.9 + 0.02 * i as f32).collect(),
            brightest: vec![1.25; 9],
            materials: (0..9).map(|i| i / 5).collect(),
        };
        let point = |i: u32| FitPoint {
            corners: [i % 9, (i + 4) % 9, (2 * i + 1) % 9],
            shares: [0.2, 0.5, 0.3],
            bend: if i.is_multiple_of(3) { 0.3 } else { 1.0 },
            rest: Vec3A::new(0.1, 0.02 * i as f32, 0.3),
            base: 0.01 * (i % 7) as f32,
            open: 0.7,
            occludes: i.is_multiple_of(2),
            roughness: [None, Some(0.1), Some(0.8)][(i % 3) as usize],
        };
        let towards = Vec3A::new(0.3, 0.4, 0.8).normalize();
        // The last sun stands opposite the viewer, where no direction is half-way.
        for sun in suns(0.4, Some(1)).into_iter().chain([-Vec3::from(towards)]) {
            for side in [NormalSide::Own, NormalSide::Turned, NormalSide::Mirrored] {
                for count in 1..23 {
                    let points: Vec<FitPoint> = (0..count).map(point).collect();
                    let view = FitView {
                        highlights: Highlights::new(towards.into(), sun),
                        sun,
                        towards,
                        point_share: 1.0 / 4096.0,
                        posed: &normals,
                        side,
                    };
                    let [mut at_once, mut in_turn] = [(); 2].map(|()| Slopes::new(9, 2));
                    FitPoints::new(&points).add(&look, &view, &mut at_once);
                    points
                        .iter()
                        .for_each(|point| add_one(point, &look, &view, &mut in_turn));
                    assert_eq!(at_once.brighter, in_turn.brighter, "{sun} {side:?}");
                    assert_eq!(at_once.normals, in_turn.normals, "{sun} {side:?}");
                    assert_eq!(at_once.factors, in_turn.factors, "{sun} {side:?}");
                }
            }
        }
    }
}
