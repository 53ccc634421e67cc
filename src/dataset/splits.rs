//! Splits of a set: which pictures are for training, and which for validation.

use crate::{
    crowd::hash::{Draws, fold_seed, hash},
    dataset::sample::{SALT, stream},
    label::LabelRules,
};

/// Salt of the ranks of pictures.
const RANK: u32 = 0x5b_11;

/// Splits of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Splits {
    seed: u64,
    rule: SplitRule,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SplitRule {
    /// Each picture draws for itself: the share is kept on average.
    Draw { validation: f64 },
    /// The pictures of the lowest ranks: exactly so many.
    Rank { below: u64 },
}

impl Splits {
    /// Splits a set with a share for validation, 0..=1. The number of pictures for validation is that share, rounded;
    /// under the first rules it is that share on average.
    #[must_use]
    pub fn new(seed: u64, pictures: u64, validation: f64, rules: LabelRules) -> Self {
        let rule = match rules {
            LabelRules::First => SplitRule::Draw { validation },
            LabelRules::Second => {
                let count = (pictures as f64 * validation).round() as u64;
                let below = if count >= pictures {
                    u64::MAX
                } else {
                    let mut ranks: Vec<u64> = (0..pictures).map(|number| rank(seed, number)).collect();
                    *ranks.select_nth_unstable(count as usize).1
                };
                SplitRule::Rank { below }
            }
        };
        Self { seed, rule }
    }

    /// Returns the split of a picture: `train` or `val`.
    #[must_use]
    pub fn of(&self, number: u64) -> &'static str {
        let is_validation = match self.rule {
            SplitRule::Draw { validation } => {
                let draws = Draws::new(self.seed, SALT, number as u32);
                f64::from(draws.unit(stream::SPLIT)) < validation
            }
            SplitRule::Rank { below } => rank(self.seed, number) < below,
        };
        if is_validation { "val" } else { "train" }
    }
}

/// Returns the rank of a picture: a hash, and the number where two hashes are equal.
fn rank(seed: u64, number: u64) -> u64 {
    let number = number as u32;
    u64::from(hash(fold_seed(seed), number, RANK)) << 32 | u64::from(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_has_exactly_its_share() {
        for (pictures, validation, count) in [
            (50, 0.1, 5),
            (7, 0.5, 4),
            (10, 0.0, 0),
            (10, 1.0, 10),
            (3, 0.1, 0),
            (1000, 0.25, 250),
        ] {
            for seed in [0, 7, u64::MAX] {
                let splits = Splits::new(seed, pictures, validation, LabelRules::Second);
                let own = (0..pictures).filter(|&number| splits.of(number) == "val").count();
                assert_eq!(own, count, "{pictures} {validation} {seed}");
            }
        }
        let of = |seed| {
            let splits = Splits::new(seed, 50, 0.2, LabelRules::Second);
            (0..50).map(|number| splits.of(number)).collect::<Vec<_>>()
        };
        assert_ne!(of(1), of(2));
    }

    /// Pictures for validation of a set of throng 0.1 with seed 7 and a share of 0.1.
    #[test]
    fn sets_of_the_first_rules_keep_their_splits() {
        let splits = Splits::new(7, 50, 0.1, LabelRules::First);
        let own: Vec<u64> = (0..50).filter(|&number| splits.of(number) == "val").collect();
        let drawn = |number: &u64| Draws::new(7, SALT, *number as u32).unit(0) < 0.1;
        assert_eq!(own, (0..50).filter(drawn).collect::<Vec<_>>());
        assert!(own.len() != 5, "the first rules were not exact");
    }
}
