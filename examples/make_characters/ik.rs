//! Analytic two-joint inverse kinematics, and frames built from directions.

use glam::{Mat3, Quat, Vec3};

/// Returns the rotation whose -Y axis is `down` and whose Z axis is as close to `front` as possible.
pub fn frame(down: Vec3, front: Vec3) -> Quat {
    let y = -down.normalize_or(Vec3::NEG_Y);
    let x = y.cross(front).normalize_or(Vec3::X);
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
}

/// Bent chain root → middle → end.
#[derive(Clone, Copy, Debug)]
pub struct Bend {
    pub mid: Vec3,
    pub end: Vec3,
    /// Unit vector from the root-end line towards the middle joint.
    pub side: Vec3,
}

/// Places the middle joint towards `pole`; the end stops just short of a straight limb.
pub fn two_bone(root: Vec3, target: Vec3, l1: f32, l2: f32, pole: Vec3) -> Bend {
    let to = target - root;
    let dir = to.normalize_or(Vec3::NEG_Y);
    let reach = to.length().clamp((l1 - l2).abs() + 1e-3, (l1 + l2) * 0.9995);
    let side = (pole - dir * pole.dot(dir)).normalize_or(dir.any_orthonormal_vector());
    let along = (l1 * l1 - l2 * l2 + reach * reach) / (2.0 * reach);
    let height = (l1 * l1 - along * along).max(0.0).sqrt();
    Bend {
        mid: root + dir * along + side * height,
        end: root + dir * reach,
        side,
    }
}

/// Mirrors a rotation across the plane x = 0.
pub fn mirror(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

pub fn mirror_point(p: Vec3) -> Vec3 {
    p.with_x(-p.x)
}

/// Returns the rotation about Y that `q` contains (swing-twist decomposition): the twist of a limb that hangs along -Y.
pub fn twist_y(q: Quat) -> f32 {
    let q = if q.w < 0.0 { -q } else { q };
    2.0 * q.y.atan2(q.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::vec3;

    #[test]
    fn end_reaches_the_target_and_bones_keep_their_length() {
        let target = vec3(0.1, -0.6, 0.2);
        let bend = two_bone(Vec3::ZERO, target, 0.4, 0.4, Vec3::Z);
        assert!(bend.end.distance(target) < 1e-5);
        assert!((bend.mid.length() - 0.4).abs() < 1e-5);
        assert!((bend.mid.distance(bend.end) - 0.4).abs() < 1e-5);
        assert!(bend.side.z > 0.0);
    }

    #[test]
    fn far_targets_leave_the_limb_just_short_of_straight() {
        let bend = two_bone(Vec3::ZERO, Vec3::NEG_Y * 2.0, 0.4, 0.3, Vec3::Z);
        assert!(bend.end.length() < 0.7);
        assert!(bend.mid.z > 0.0);
    }
}
