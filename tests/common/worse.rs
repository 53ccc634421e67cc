//! Folds errors to their maximum without losing NaN.

/// Greater of two errors, or NaN if either is NaN: `f32::max` would drop it, and a result that is always NaN would
/// pass.
pub fn worse(a: f32, b: f32) -> f32 {
    if a >= b || a.is_nan() { a } else { b }
}
