//! Folds errors to the worst of them.

/// The greater of two errors, or NaN if either is: `f32::max` would drop it, and a result that is
/// NaN throughout would pass.
pub fn worse(a: f32, b: f32) -> f32 {
    if a >= b || a.is_nan() { a } else { b }
}
