//! Smooth periodic curves through keys, from which the clips are built.

use glam::Vec3;
use std::f32::consts::TAU;

/// Returns the value at phase `t` (0..1) of the closed curve through `(phase, value)` keys.
///
/// The curve consists of cubic Hermite pieces whose tangents vanish at local extremes. A held key stays held, and
/// nothing overshoots; curve and velocity are continuous at the seam.
pub fn cyc(keys: &[(f32, f32)], t: f32) -> f32 {
    let n = keys.len();
    if n == 1 {
        return keys[0].1;
    }
    let t = t.rem_euclid(1.0);
    let i = keys.iter().rposition(|k| k.0 <= t).unwrap_or(n - 1);
    let key = |k: isize| {
        let j = k.rem_euclid(n as isize);
        let turns = (k - j) / n as isize;
        (keys[j as usize].0 + turns as f32, keys[j as usize].1)
    };
    let i = if keys[0].0 > t {
        i as isize - n as isize
    } else {
        i as isize
    };
    let (a, b) = (key(i), key(i + 1));
    let span = b.0 - a.0;
    let u = (t - a.0) / span;
    let (ma, mb) = (tangent(key(i - 1), a, b) * span, tangent(a, b, key(i + 2)) * span);
    let (u2, u3) = (u * u, u * u * u);
    a.1 * (2.0 * u3 - 3.0 * u2 + 1.0) + ma * (u3 - 2.0 * u2 + u) + b.1 * (3.0 * u2 - 2.0 * u3) + mb * (u3 - u2)
}

/// Returns the slope at `b`, limited so that the curve is monotone between keys.
fn tangent(a: (f32, f32), b: (f32, f32), c: (f32, f32)) -> f32 {
    let (s0, s1) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    if s0 * s1 <= 0.0 {
        return 0.0;
    }
    let limit = 3.0 * s0.abs().min(s1.abs());
    ((c.1 - a.1) / (c.0 - a.0)).clamp(-limit, limit)
}

/// Returns [`cyc`] for each component.
pub fn cyc3(keys: &[(f32, [f32; 3])], t: f32) -> Vec3 {
    let component = |c: usize| {
        let keys: Vec<(f32, f32)> = keys.iter().map(|k| (k.0, k.1[c])).collect();
        cyc(&keys, t)
    };
    Vec3::new(component(0), component(1), component(2))
}

/// Returns a sine of `turns` cycles that starts `lag` cycles late.
pub fn wave(t: f32, turns: f32, lag: f32) -> f32 {
    ((t * turns - lag) * TAU).sin()
}

/// Interpolates smoothly from 0 to 1 as `x` goes from `lo` to `hi` (smoothstep).
pub fn ease(lo: f32, hi: f32, x: f32) -> f32 {
    let t = ((x - lo) / (hi - lo)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [(f32, f32); 4] = [(0.0, 0.0), (0.3, 1.0), (0.5, 1.0), (0.8, -0.5)];

    #[test]
    fn curve_passes_its_keys_and_never_overshoots() {
        for (t, v) in KEYS {
            assert!((cyc(&KEYS, t) - v).abs() < 1e-5);
        }
        for i in 0..1000 {
            let v = cyc(&KEYS, i as f32 / 1000.0);
            assert!((-0.5001..=1.0001).contains(&v));
        }
    }

    #[test]
    fn seam_is_smooth() {
        let slope = |t: f32| (cyc(&KEYS, t + 1e-3) - cyc(&KEYS, t - 1e-3)) / 2e-3;
        assert!((cyc(&KEYS, 0.0) - cyc(&KEYS, 1.0)).abs() < 1e-6);
        assert!((slope(-0.002) - slope(0.002)).abs() < 0.2);
    }
}
