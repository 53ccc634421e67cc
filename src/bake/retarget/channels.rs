//! Conversion of one joint's keys by a change of basis.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::model::{Channel, Interpolation, Keys, Transform};

/// Angles (rad) and relative lengths below which a change of basis is the identity: keys then stay as they are, to the
/// bit.
const NONE: f64 = 2e-7;
/// Relative difference from the rest pose below which keys count as at rest.
const AT_REST: f32 = 1e-5;
/// Smallest angle (rad) that counts: single precision does not distinguish smaller ones.
const LEAST_TURN: f32 = 1e-3;

/// Map from keys of a library joint to keys of the character's joint.
pub(super) struct ChannelMap {
    /// Rotation `q′ = before q after`; `None` for the identity.
    turn: Option<(DQuat, DQuat)>,
    /// Translation `t′ = matrix t + offset`; `None` if translations are omitted.
    shift: Option<(DMat3, DVec3)>,
    /// Factor on scales; `None` if scales are omitted.
    scale: Option<ScaleChange>,
    rest: Transform,
}

/// Map of scales.
struct ScaleChange {
    factor: Vec3,
    /// True if the axes differ: then only uniform scales can be converted.
    uniform_only: bool,
}

impl ChannelMap {
    /// Creates the map. `shift` is as in the field; the rests are those of library and character, and `alike` says
    /// whether both have one shape.
    pub(super) fn new(
        before: DQuat,
        after: DQuat,
        shift: Option<(DMat3, DVec3)>,
        from: Transform,
        to: Transform,
        alike: bool,
    ) -> Self {
        // A quaternion and its negative are the same rotation.
        let none = |turn: DQuat| 1.0 - turn.w.abs() < NONE * NONE;
        let same_axes = none(before) && none(after);
        let factor = to.scale / from.scale;
        let scale = (alike && factor.is_finite()).then_some(ScaleChange {
            factor,
            uniform_only: !same_axes,
        });
        Self {
            turn: (!same_axes).then_some((before, after)),
            shift,
            scale,
            rest: from,
        }
    }

    /// Channel for the character's joint `own`; `None` if its keys are omitted.
    pub(super) fn channel(&self, own: u32, channel: &Channel) -> Option<Channel> {
        let spline = channel.interpolation == Interpolation::CubicSpline;
        let keys = match &channel.keys {
            Keys::Rotation(values) => Keys::Rotation(self.rotations(values)),
            Keys::Translation(values) => Keys::Translation(self.translations(values, spline)?),
            Keys::Scale(values) => Keys::Scale(self.scales(values, spline)?),
        };
        Some(Channel {
            joint: own,
            interpolation: channel.interpolation,
            times: channel.times.clone(),
            keys,
        })
    }

    /// True if a channel would move the joint away from rest.
    pub(super) fn moves(&self, channel: &Channel) -> bool {
        leaves(channel, self.rest)
    }

    /// Converts values and tangents alike, since the map is linear.
    fn rotations(&self, values: &[Quat]) -> Vec<Quat> {
        let Some((before, after)) = self.turn else {
            return values.to_vec();
        };
        let turned = |q: &Quat| product(product(before, q.as_dquat()), after).as_quat();
        values.iter().map(turned).collect()
    }

    fn translations(&self, values: &[Vec3], spline: bool) -> Option<Vec<Vec3>> {
        let (matrix, offset) = self.shift?;
        let size = f64::from(self.rest.translation.length());
        if matrix.abs_diff_eq(DMat3::IDENTITY, NONE) && offset.length() <= NONE * size {
            return Some(values.to_vec());
        }
        let moved = |(index, t): (usize, &Vec3)| {
            let moved = matrix * t.as_dvec3();
            // Tangents are differences.
            let whole = if is_value(index, spline) { moved + offset } else { moved };
            whole.as_vec3()
        };
        Some(values.iter().enumerate().map(moved).collect())
    }

    fn scales(&self, values: &[Vec3], spline: bool) -> Option<Vec<Vec3>> {
        let ScaleChange { factor, uniform_only } = self.scale.as_ref()?;
        let uniform = |v: &Vec3| (v.max_element() - v.min_element()).abs() <= AT_REST * v.abs().max_element();
        let takes = !uniform_only || (uniform(factor) && own(values, spline).all(uniform));
        takes.then(|| values.iter().map(|value| *value * *factor).collect())
    }
}

/// Quaternion product without normalising: tangents keep their length.
fn product(a: DQuat, b: DQuat) -> DQuat {
    let (u, v) = (a.xyz(), b.xyz());
    let xyz = v * a.w + u * b.w + u.cross(v);
    DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, a.w * b.w - u.dot(v))
}

fn is_value(index: usize, spline: bool) -> bool {
    !spline || index % 3 == 1
}

/// True if keys differ from a rest pose.
pub(super) fn leaves(channel: &Channel, rest: Transform) -> bool {
    let spline = channel.interpolation == Interpolation::CubicSpline;
    let far = |values: &[Vec3], rest: Vec3| {
        let near = AT_REST * rest.length().max(AT_REST);
        own(values, spline).any(|value| value.distance(rest) > near)
    };
    match &channel.keys {
        Keys::Translation(values) => far(values, rest.translation),
        Keys::Scale(values) => far(values, rest.scale),
        Keys::Rotation(values) => own(values, spline).any(|q| q.angle_between(rest.rotation) > LEAST_TURN),
    }
}

/// Key values without their tangents.
fn own<T>(values: &[T], spline: bool) -> impl Iterator<Item = &T> {
    let (first, step) = if spline { (1, 3) } else { (0, 1) };
    values.iter().skip(first).step_by(step)
}
