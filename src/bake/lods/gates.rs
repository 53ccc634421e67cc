//! Acceptance gates of an LOD at a height, and the largest height that passes.

use crate::bake::lods::effort::EvaluationEffort;

/// Largest bias of coverage (share of the covered area).
const BIAS: f64 = 0.01;
/// Largest share of tiles of 16 x 16 pixels whose mean display luminance is off by more than 1/255.
const TILES: f64 = 0.01;

/// Limit of the luminance error of crowds in formation, under all suns and in all variants; as strict as for picture
/// tiles. Under a single light crowds are off by less: benches/README.md lists the army's tiles.
pub(super) const CROWD: f64 = 1.0 / 255.0;

/// Measurements of an LOD at one height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Height {
    /// Height of the character (sample rows): its largest edge in the rest pose.
    pub rows: f32,
    /// Covered area relative to full detail's, minus one.
    pub coverage_bias: f64,
    /// Share of tiles whose mean display luminance over an even grey ground is off by more than 1/255. Tiles have 16 x
    /// 16 pixels; only those that show some of the character count.
    pub tiles: f64,
    /// Difference of coverage (share of the covered area).
    pub coverage: f64,
    /// Coverage difference of full detail from itself, moved by an eighth of a pixel.
    pub coverage_allowed: f64,
    /// Difference of linear colour (share of all colour).
    pub color: f64,
    /// Colour difference of full detail from itself, moved by an eighth of a pixel.
    pub color_allowed: f64,
    /// Ratio of the coverage difference to the allowed one, in the worst pose.
    pub worst_pose: f64,
    /// Luminance error (display) that 95 % of tiles full of people in formation keep within; many people of a tile
    /// share a pose.
    pub crowd: f64,
    /// Limit of `crowd` for characters in formation; infinite for others.
    pub crowd_allowed: f64,
}

impl Height {
    /// Names of the gates that fail.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.failed_within(1.0)
    }

    /// Names of the gates that fail if only a share of every limit may be used.
    fn failed_within(&self, share: f64) -> impl Iterator<Item = &'static str> {
        let gates = [
            ("coverage bias", self.coverage_bias.abs(), BIAS),
            ("tiles", self.tiles, TILES),
            ("coverage", self.coverage, self.coverage_allowed),
            ("color", self.color, self.color_allowed),
            ("worst pose", self.worst_pose, 1.0),
            ("crowd", self.crowd, self.crowd_allowed),
        ];
        // Not-a-number holds no limit.
        let holds = move |(_, found, limit): &(&str, f64, f64)| *found <= share * *limit;
        gates
            .into_iter()
            .filter(move |gate| !holds(gate))
            .map(|(name, _, _)| name)
    }

    /// True if every gate passes with a share of its limit.
    pub(super) fn passes_within(&self, share: f64) -> bool {
        self.failed_within(share).next().is_none()
    }

    /// True if every gate passes.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.failed().next().is_none()
    }
}

/// Largest height up to which an LOD passes every gate, among the heights at which the gates reject every control.
/// `None` if it fails at the smallest of them.
pub(super) fn largest_passed<'a>(
    lod: &[Height],
    controls: impl Iterator<Item = &'a [Height]> + Clone,
    effort: EvaluationEffort,
) -> Option<f32> {
    let evaluated = lod.iter().rev().filter(|h| counts_for_lods(h, controls.clone()));
    let passed = evaluated.take_while(|height| height.passes_within(effort.share));
    let passed: Vec<f32> = passed.map(|height| height.rows).collect();
    let largest = *passed.last()?;
    let before = || passed.iter().rev().copied().find(|&rows| rows < largest);
    if largest > effort.sure { before() } else { Some(largest) }
}

/// True if a height counts for an LOD: gates that let a control pass there prove nothing.
pub(super) fn counts_for_lods<'a>(height: &Height, mut controls: impl Iterator<Item = &'a [Height]>) -> bool {
    controls.all(|control| is_rejected(control, height.rows))
}

/// True if the gates reject a control at a height; the largest measured height that does not exceed it decides.
fn is_rejected(control: &[Height], rows: f32) -> bool {
    let near = control.iter().find(|h| h.rows <= 1.001 * rows);
    near.is_some_and(|h| !h.passes())
}
