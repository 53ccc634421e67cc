//! Stateless random numbers: a hash of (seed, index, stream), equal on CPU and GPU.
//!
//! Instance `i` draws numbers from a counter of its own. Nothing about it depends on the number of other instances or
//! on the order of threads. The functions use only `u32` arithmetic and a final exact conversion to `f32`, so that
//! shaders give bit-equal results.

use rand::{RngExt, SeedableRng, rngs::Xoshiro128PlusPlus};

/// PCG-RXS-M-XS hash (Jarzynski and Olano 2020, "Hash Functions for GPU Rendering").
#[must_use]
pub const fn pcg(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// Random bits of `index` in `stream`, under `seed`.
#[must_use]
pub const fn hash(seed: u32, index: u32, stream: u32) -> u32 {
    pcg(pcg(pcg(seed).wrapping_add(index)).wrapping_add(stream))
}

/// Folds a 64-bit seed into the 32 bits that [`hash`] takes.
#[must_use]
pub const fn fold_seed(seed: u64) -> u32 {
    (seed as u32) ^ pcg((seed >> 32) as u32).wrapping_sub(pcg(0))
}

/// Fraction in `0.0..1.0` from the top 24 bits: every value is exact in f32.
#[must_use]
pub const fn unit_fraction(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Random draws of one thing (a person, a cell, a seat) under one seed. Each thing has generators of its own, so that
/// its draws do not depend on the number of others. For CPU-only values; values that shaders compute, too, come from
/// [`hash()`].
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    seed: u32,
    index: u32,
}

impl Draws {
    /// Draws of thing `index`; each kind of thing needs a `salt` of its own.
    #[must_use]
    pub const fn new(seed: u64, salt: u32, index: u32) -> Self {
        Self {
            seed: fold_seed(seed) ^ pcg(salt),
            index,
        }
    }

    /// Generator of `stream`, with equal numbers on every machine and in every version.
    fn generator(self, stream: u32) -> Xoshiro128PlusPlus {
        let thing = u64::from(self.seed) << 32 | u64::from(self.index);
        Xoshiro128PlusPlus::seed_from_u64(thing ^ u64::from(pcg(stream)) << 16)
    }

    /// Uniform number in `0.0..1.0`.
    #[must_use]
    pub fn unit(self, stream: u32) -> f32 {
        self.generator(stream).random()
    }

    /// Uniform number in `-1.0..1.0`.
    #[must_use]
    pub fn signed(self, stream: u32) -> f32 {
        self.generator(stream).random_range(-1.0..1.0)
    }

    /// Uniform integer in `0..count`; 0 for a count of 0.
    #[must_use]
    pub fn below(self, stream: u32, count: u32) -> u32 {
        self.generator(stream).random_range(0..count.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stay_below_one_and_spread_evenly() {
        let mut buckets = [0u32; 16];
        for i in 0..160_000 {
            let u = unit_fraction(hash(7, i, 3));
            assert!((0.0..1.0).contains(&u));
            buckets[(u * 16.0) as usize] += 1;
        }
        assert!(buckets.iter().all(|&n| (9_500..10_500).contains(&n)), "{buckets:?}");
        assert_eq!(unit_fraction(u32::MAX), 1.0 - 1.0 / 16_777_216.0);
    }

    #[test]
    fn draws_of_neighbours_are_even_and_independent() {
        let mut buckets = [[0u32; 8]; 8];
        for index in 0..64_000 {
            let draws = Draws::new(7, 1, index);
            let (here, next) = (draws.unit(3), Draws::new(7, 1, index + 1).unit(4));
            assert!((0.0..1.0).contains(&here) && (-1.0..1.0).contains(&draws.signed(3)));
            buckets[(here * 8.0) as usize][draws.below(5, 8) as usize] += 1;
            buckets[(here * 8.0) as usize][(next * 8.0) as usize] += 1;
        }
        assert!(
            buckets.iter().flatten().all(|&n| (1_800..2_200).contains(&n)),
            "{buckets:?}"
        );
    }

    /// Crowds are equal on every machine and in every version.
    #[test]
    fn draws_never_change() {
        let draws = Draws::new(1, 2, 3);
        let found = [draws.unit(0), draws.signed(1), draws.below(2, 1000) as f32];
        assert_eq!(found, [0.157_922_74, -0.761_827_47, 663.0]);
    }

    #[test]
    fn streams_indices_and_both_halves_of_the_seed_matter() {
        let draws = Draws::new(1, 2, 3);
        assert_ne!(draws.unit(0), draws.unit(1));
        assert_ne!(draws.unit(0), Draws::new(1, 2, 4).unit(0));
        assert_ne!(draws.unit(0), Draws::new(1 | 1 << 40, 2, 3).unit(0));
        assert_eq!((draws.unit(7), draws.below(5, 0)), (draws.unit(7), 0));
        assert_eq!(fold_seed(12), 12);
    }
}
