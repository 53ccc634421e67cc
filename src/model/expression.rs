//! Facial expressions: named mixtures of morph targets.

/// An expression of a file (VRM).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// Name: of VRM 1.0 for its presets (`happy`, `aa`), whatever version the file has; else as in the file.
    pub name: String,
    /// Morph targets that it moves; empty unless a clip moves the expression.
    pub targets: Vec<ExpressionTarget>,
    /// True if weights are 0 or 1 and nothing between.
    pub is_binary: bool,
}

/// A morph target that an expression moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpressionTarget {
    /// Index into `Model::morphs`.
    pub morph: u32,
    /// Weight of the target at full expression, usually 0..=1.
    pub weight: f32,
}
