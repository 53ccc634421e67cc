//! Limits below which nobody sees the lower detail of a picture. They are the gates for LODs of one character (`throng
//! verify --levels`), applied to whole scenes.

use serde::{Deserialize, Serialize};

use crate::bench::quality::sums::QualitySums;

/// First band that the gates on errors cover: people of 8 sample rows and more.
pub(super) const FIRST_EVALUATED: usize = 1;
/// Minimum number of pixels of people in a band; fewer say nothing about it.
pub(super) const LEAST_PIXELS: u64 = 64;
/// Stand-in for an infinite ratio.
pub(super) const ENDLESS: f64 = 1e9;

/// Limit that was stated before anything was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Mean error of display luminance against the reference, over that of full detail at the same samples.
    Luminance,
    /// Ratio of the mean errors of LDR-FLIP.
    Flip,
    /// Covered area over that of full detail, minus one.
    Coverage,
    /// Share of the tiles of people (16 x 16 px) whose mean display luminance is off by more than 1/255. Both pictures
    /// have 64 samples per pixel.
    Tiles,
    /// Difference from full detail over that of full detail moved by 1/8 px, all at 64 samples per pixel.
    Moved,
    /// Change from frame to frame while the camera moves, over that of full detail: 99th percentile.
    Popping,
    /// Number of pixels that differ with culling switched off.
    Culling,
}

impl Gate {
    /// Gates of single pictures.
    pub(super) const OF_PICTURES: [Self; 5] = [Self::Luminance, Self::Flip, Self::Coverage, Self::Tiles, Self::Moved];

    /// Returns the largest value that passes; for coverage, in either direction.
    #[must_use]
    pub const fn limit(self) -> f64 {
        match self {
            Self::Luminance | Self::Flip | Self::Popping => 1.05,
            Self::Coverage | Self::Tiles => 0.01,
            Self::Moved => 1.0,
            Self::Culling => 0.0,
        }
    }

    /// Returns the name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Luminance => "luminance error / full's",
            Self::Flip => "FLIP error / full's",
            Self::Coverage => "coverage bias",
            Self::Tiles => "tiles off",
            Self::Moved => "difference / 1/8 pixel's",
            Self::Popping => "popping p99",
            Self::Culling => "culled pixels differ",
        }
    }

    /// True if a value passes.
    #[must_use]
    pub fn passes(self, value: f64) -> bool {
        value.abs() <= self.limit()
    }

    /// Returns the value of the sums; `None` if there is nothing to evaluate.
    pub(super) fn value(self, sums: &QualitySums) -> Option<f64> {
        let ratio = |pair: [f64; 2]| match pair {
            [own, of] if of > 0.0 => Some(own / of),
            [own, _] => (own > 0.0).then_some(ENDLESS),
        };
        match self {
            Self::Luminance => ratio(sums.luminance),
            Self::Flip => ratio(sums.flip),
            Self::Coverage => ratio(sums.covered).map(|ratio| ratio - 1.0),
            Self::Tiles => (sums.tiles[0] > 0).then(|| sums.tiles[1] as f64 / sums.tiles[0] as f64),
            Self::Moved => ratio(sums.fine),
            Self::Popping | Self::Culling => None,
        }
    }

    /// True if the gate covers a band.
    pub(super) const fn evaluates_band(self, band: usize) -> bool {
        !matches!(self, Self::Luminance | Self::Flip) || band >= FIRST_EVALUATED
    }
}

/// Returns the gates of single pictures that the sums of one band fail.
pub(super) fn failed(sums: &QualitySums, band: usize) -> Vec<Gate> {
    let fails = |gate: &Gate| gate.evaluates_band(band) && gate.value(sums).is_some_and(|value| !gate.passes(value));
    Gate::OF_PICTURES.into_iter().filter(fails).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> QualitySums {
        QualitySums {
            pixels: 100,
            luminance: [1.04, 1.0],
            flip: [2.0, 2.0],
            covered: [100.5, 100.0],
            fine: [0.9, 1.0],
            tiles: [200, 2],
            ..QualitySums::default()
        }
    }

    #[test]
    fn every_gate_can_fail_alone() {
        assert_eq!(failed(&good(), 3), []);
        for (gate, worse) in [
            (
                Gate::Luminance,
                QualitySums {
                    luminance: [1.06, 1.0],
                    ..good()
                },
            ),
            (
                Gate::Flip,
                QualitySums {
                    flip: [2.2, 2.0],
                    ..good()
                },
            ),
            (
                Gate::Coverage,
                QualitySums {
                    covered: [98.0, 100.0],
                    ..good()
                },
            ),
            (
                Gate::Coverage,
                QualitySums {
                    covered: [102.0, 100.0],
                    ..good()
                },
            ),
            (
                Gate::Tiles,
                QualitySums {
                    tiles: [200, 3],
                    ..good()
                },
            ),
            (
                Gate::Moved,
                QualitySums {
                    fine: [1.01, 1.0],
                    ..good()
                },
            ),
        ] {
            assert_eq!(failed(&worse, 3), [gate]);
        }
        // Below 8 rows, errors are not evaluated, but coverage is.
        let tiny = QualitySums {
            luminance: [9.0, 1.0],
            flip: [9.0, 1.0],
            ..good()
        };
        assert_eq!(failed(&tiny, 0), []);
        assert_eq!(
            failed(
                &QualitySums {
                    covered: [0.0, 100.0],
                    ..good()
                },
                0
            ),
            [Gate::Coverage]
        );
    }

    #[test]
    fn no_pixels_give_no_gate_value() {
        assert_eq!(Gate::Luminance.value(&QualitySums::default()), None);
        assert_eq!(
            Gate::Tiles.value(&QualitySums {
                tiles: [4, 0],
                ..QualitySums::default()
            }),
            Some(0.0)
        );
        let endless = Gate::Moved.value(&QualitySums {
            fine: [1.0, 0.0],
            ..QualitySums::default()
        });
        assert!(endless.is_some_and(|value| !Gate::Moved.passes(value)));
        assert!(Gate::Culling.passes(0.0) && !Gate::Culling.passes(1.0));
        assert!(Gate::Popping.passes(1.05) && !Gate::Popping.passes(1.051));
    }
}
