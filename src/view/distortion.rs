//! Radial distortion of a lens (Brown 1966, Conrady 1919), with the first coefficient alone.

use glam::Vec2;

/// Distortion of a lens: a point at radius r from the axis appears at r (1 + k1 r²), in units of the focal length.
/// Negative: barrel; positive: pincushion. OpenCV's `k1`, without the other coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distortion {
    /// First radial coefficient.
    pub k1: f32,
}

/// Steps of Newton's method; four reach the precision of a float.
const STEPS: u32 = 8;

impl Distortion {
    /// Largest share of barrel distortion with which no point outside a picture appears in it.
    pub const LEAST_SHARE: f32 = -0.12;

    /// Returns the distortion that moves a point at `radius` (focal lengths) by a share of that radius.
    #[must_use]
    pub fn of_corner(share: f32, radius: f32) -> Self {
        Self {
            k1: share / (radius * radius).max(1e-12),
        }
    }

    /// Returns where a point of a pinhole camera appears, in focal lengths from the axis.
    #[must_use]
    pub fn distorted(self, point: Vec2) -> Vec2 {
        let radius = point.length();
        if radius == 0.0 {
            return point;
        }
        point * (self.distorted_radius(radius) / radius)
    }

    /// Returns the point of a pinhole camera that appears at a place; the inverse of [`Distortion::distorted`].
    #[must_use]
    pub fn undistorted(self, place: Vec2) -> Vec2 {
        let wanted = place.length();
        if wanted == 0.0 {
            return place;
        }
        let fold = self.fold();
        if wanted >= self.distorted_radius(fold) {
            return place * ((wanted - self.distorted_radius(fold) + fold) / wanted);
        }
        let mut radius = wanted.min(fold);
        for _ in 0..STEPS {
            let slope = 1.0 + 3.0 * self.k1 * radius * radius;
            let error = radius * (1.0 + self.k1 * radius * radius) - wanted;
            radius = (radius - error / slope.max(1e-3)).clamp(0.0, fold);
        }
        place * (radius / wanted)
    }

    /// Radius where barrel distortion would begin to fold; infinite for others.
    fn fold(self) -> f32 {
        if self.k1 < 0.0 {
            (-1.0 / (3.0 * self.k1)).sqrt()
        } else {
            f32::INFINITY
        }
    }

    /// Beyond the fold, which is outside every picture, radii go on without distortion: nothing folds back.
    fn distorted_radius(self, radius: f32) -> f32 {
        let inside = radius.min(self.fold());
        let beyond = if radius > inside { radius - inside } else { 0.0 };
        if inside.is_infinite() {
            return inside;
        }
        inside * (1.0 + self.k1 * inside * inside) + beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Property: points come back from where they appear, and farther ones appear farther away.
        #[test]
        fn points_come_back(share in -0.12..0.3_f32, corner in 0.2..1.6_f32, x in -2.0..2.0_f32, y in -2.0..2.0_f32) {
            let lens = Distortion::of_corner(share, corner);
            let place = Vec2::new(x, y) * corner;
            // Newton's method loses precision near the fold, which lies outside every picture.
            if place.length() < 1.2 * corner {
                let back = lens.undistorted(lens.distorted(place));
                proptest::prop_assert!(back.distance(place) < 1e-3 * corner, "{place} {back}");
            }
            let farther = lens.distorted(place * 1.1).length();
            proptest::prop_assert!(farther >= lens.distorted(place).length());
        }

        /// Property: nothing from outside the undistorted view of a picture appears in it.
        #[test]
        fn nothing_folds_back_into_a_picture(share in -0.12..0.0_f32, corner in 0.2..1.6_f32, radius in 1.7..9.0_f32) {
            let lens = Distortion::of_corner(share, corner);
            let place = lens.distorted(Vec2::X * radius * corner);
            proptest::prop_assert!(place.length() > corner, "{place}");
        }
    }

    #[test]
    fn corners_move_by_their_share() {
        let lens = Distortion::of_corner(-0.1, 0.8);
        assert!((lens.distorted(Vec2::new(0.8, 0.0)).x - 0.72).abs() < 1e-6);
        assert_eq!(lens.distorted(Vec2::ZERO), Vec2::ZERO);
        assert_eq!(lens.undistorted(Vec2::ZERO), Vec2::ZERO);
    }
}
