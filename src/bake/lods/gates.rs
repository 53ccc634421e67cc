//! What a level must keep to at a height, and which heights that leaves.

/// Largest bias of coverage, of the covered area.
const BIAS: f64 = 0.01;
/// Share of the tiles of 16 x 16 pixels whose mean display luminance may be off by more than 1/255.
const TILES: f64 = 0.01;

/// Limit of the luminance error of crowds in ranks, under all suns and in all variants: that of picture tiles. In one
/// light crowds are off by less: benches/README.md has the army's tiles.
pub(super) const CROWD: f64 = 1.0 / 255.0;

/// Measurements at one height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Height {
    /// Height of the character in pixels; its largest edge in the rest pose.
    pub rows: f32,
    /// Covered area against full detail's, less one.
    pub coverage_bias: f64,
    /// Share of the tiles of 16 x 16 pixels, of those that show something of the character, whose mean display
    /// luminance is off by more than 1/255 before an even grey ground.
    pub tiles: f64,
    /// Difference of coverage, of the covered area.
    pub coverage: f64,
    /// Difference of full detail from itself, moved by an eighth of a pixel.
    pub coverage_allowed: f64,
    /// Difference of linear colour, of all colour.
    pub color: f64,
    /// Colour difference of full detail from itself, moved.
    pub color_allowed: f64,
    /// Difference of coverage against what is allowed, in the pose in which it is worst.
    pub worst_pose: f64,
    /// Display luminance that 95 % of the tiles that are full of people in ranks, many of them in one pose, are within.
    pub crowd: f64,
    /// Limit for crowds in ranks; infinite for others.
    pub crowd_allowed: f64,
}

impl Height {
    /// Gates that fail, by name.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        let gates = [
            ("coverage bias", self.coverage_bias.abs() <= BIAS),
            ("tiles", self.tiles <= TILES),
            ("coverage", self.coverage <= self.coverage_allowed),
            ("color", self.color <= self.color_allowed),
            ("worst pose", self.worst_pose <= 1.0),
            ("crowd", self.crowd <= self.crowd_allowed),
        ];
        gates.into_iter().filter(|(_, passes)| !passes).map(|(name, _)| name)
    }

    /// Whether every gate holds.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.failed().next().is_none()
    }
}

/// The largest height up to which a level keeps every gate, of those heights where the gates reject every control.
/// `None` where it fails at the smallest of them.
pub(super) fn largest_passed<'a>(lod: &[Height], controls: impl Iterator<Item = &'a [Height]> + Clone) -> Option<f32> {
    let evaluated = lod.iter().rev().filter(|h| is_evaluated(h, controls.clone()));
    let passed = evaluated.take_while(|height| height.passes());
    passed.last().map(|height| height.rows)
}

/// Whether a level is held to a height: where the gates let a control pass, they say nothing.
pub(super) fn is_evaluated<'a>(height: &Height, mut controls: impl Iterator<Item = &'a [Height]>) -> bool {
    controls.all(|control| is_rejected(control, height.rows))
}

/// Whether the gates reject a control at a height: at the largest one not above it that was looked at.
fn is_rejected(control: &[Height], rows: f32) -> bool {
    let near = control.iter().find(|h| h.rows <= 1.001 * rows);
    near.is_some_and(|h| !h.passes())
}
