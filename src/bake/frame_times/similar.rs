//! Keeps optimized frames similarity transforms (a rotation and one scale) where the motion consists of them. A
//! least-squares fit shears a rotating part in the plane of its rotation. Formats with one scale cannot store that, and
//! it would tilt normals.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

use crate::model::{Skeleton, Vertex};

/// Iterations towards the nearest rotation, for matrices that are nearly rotations.
const STEPS: usize = 4;
/// Largest deviation of a matrix's axes from uniform scale and right angles (share of its size).
const UNEVEN: f32 = 1e-3;
/// Isotropic part that is added to a slot's covariance: it keeps thin parts from rotating freely.
const ISOTROPIC: f32 = 0.02;

/// Distribution of the points that a slot moves, for which its matrix has to be accurate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SlotShape {
    centre: Vec3A,
    /// Covariance; its trace is 1.
    spread: Mat3A,
    /// Inverse inertia tensor: inverse cost of a rotation about each axis.
    inverse_inertia: Mat3A,
}

impl Default for SlotShape {
    fn default() -> Self {
        Self::new(Vec3A::ZERO, Mat3A::ZERO)
    }
}

impl SlotShape {
    fn new(centre: Vec3A, covariance: Mat3A) -> Self {
        let trace = trace(covariance);
        let every_way = trace * ISOTROPIC + f32::MIN_POSITIVE;
        let spread = (covariance + Mat3A::IDENTITY * every_way) * (1.0 / (trace + 3.0 * every_way));
        Self {
            centre,
            spread,
            inverse_inertia: (Mat3A::IDENTITY - spread).inverse(),
        }
    }

    /// Similarity transform that moves these points most like `m`; `None` if `m` has no nearest rotation.
    pub(super) fn nearest(&self, m: Affine3A) -> Option<Affine3A> {
        let side = if m.matrix3.determinant() < 0.0 { -1.0 } else { 1.0 };
        let linear = m.matrix3 * side;
        let rotation = rotation(linear)?;
        // A small symmetric deformation remains in the frame of the nearest rotation. A small rotation and one scale
        // absorb as much of it as these points need.
        let segment = rotation.transpose() * linear;
        let size = trace(segment) / 3.0;
        let rest = segment * (1.0 / size) - Mat3A::IDENTITY;
        let moved = rest * self.spread;
        let torque = Vec3A::new(
            moved.y_axis.z - moved.z_axis.y,
            moved.z_axis.x - moved.x_axis.z,
            moved.x_axis.y - moved.y_axis.x,
        );
        let turn = Mat3A::from_quat(Quat::from_scaled_axis(Vec3::from(self.inverse_inertia * torque)));
        let matrix3 = rotation * turn * (side * size * (1.0 + trace(moved)));
        Some(Affine3A {
            matrix3,
            translation: m.transform_point3a(self.centre) - matrix3 * self.centre,
        })
    }
}

/// Point distributions of all slots.
pub(super) fn shapes(skeleton: &Skeleton, vertices: &[Vertex]) -> Vec<SlotShape> {
    let mut moments = vec![(0.0_f32, Vec3A::ZERO, Mat3A::ZERO); skeleton.slots.len()];
    for vertex in vertices {
        let p = Vec3A::from(vertex.position);
        for (&slot, &weight) in vertex.joints.iter().zip(&vertex.weights) {
            if weight > 0.0 {
                let (mass, first, second) = &mut moments[usize::from(slot)];
                *mass += weight;
                *first += p * weight;
                *second += outer(p) * weight;
            }
        }
    }
    let shape = |(mass, first, second): (f32, Vec3A, Mat3A)| {
        if mass > 0.0 {
            let centre = first / mass;
            SlotShape::new(centre, second * (1.0 / mass) - outer(centre))
        } else {
            SlotShape::default()
        }
    };
    moments.into_iter().map(shape).collect()
}

/// True if a matrix is a rotation with one scale, mirrored or not.
pub(super) fn is_similar(m: Affine3A) -> bool {
    let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let square = (x.length_squared() + y.length_squared() + z.length_squared()) / 3.0;
    let off = [
        x.length_squared() - square,
        y.length_squared() - square,
        z.length_squared() - square,
        x.dot(y),
        y.dot(z),
        z.dot(x),
    ];
    square > 0.0 && off.into_iter().all(|off| off.abs() <= UNEVEN * square)
}

/// Nearest rotation of a matrix that is nearly a rotation times a scale (Higham's iteration).
fn rotation(m: Mat3A) -> Option<Mat3A> {
    let size = (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt();
    let mut r = m * (3.0_f32.sqrt() / size);
    if !(size > 0.0 && r.determinant() > 0.2) {
        return None;
    }
    for _ in 0..STEPS {
        r = (r + r.inverse().transpose()) * 0.5;
    }
    Some(r)
}

fn outer(p: Vec3A) -> Mat3A {
    Mat3A::from_cols(p * p.x, p * p.y, p * p.z)
}

fn trace(m: Mat3A) -> f32 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
