//! Random numbers without state: a hash of (seed, index, stream), the same on CPU and GPU.
//!
//! Instance `i` draws its numbers from its own counter, so nothing about it depends on how many
//! others there are or on the order in which threads visit them. The functions use only `u32`
//! arithmetic and a final exact conversion to `f32`, so that a shader gives bit-equal results.

/// One step of the PCG-RXS-M-XS hash (Jarzynski and Olano, "Hash Functions for GPU Rendering").
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

/// A number in `0.0..1.0` from the top 24 bits: every value is exact in f32.
#[must_use]
pub const fn unit_fraction(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// A number in `-1.0..1.0`.
#[must_use]
pub const fn signed(bits: u32) -> f32 {
    unit_fraction(bits) * 2.0 - 1.0
}

/// The draws of one thing (a person, a cell, a seat) under one seed.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    seed: u32,
    index: u32,
}

impl Draws {
    /// Draws of thing `index`; give different kinds of things different `salt`s.
    #[must_use]
    pub const fn new(seed: u64, salt: u32, index: u32) -> Self {
        Self {
            seed: fold_seed(seed) ^ pcg(salt),
            index,
        }
    }

    /// Random bits of `stream`.
    #[must_use]
    pub const fn bits(self, stream: u32) -> u32 {
        hash(self.seed, self.index, stream)
    }

    /// `0.0..1.0`.
    #[must_use]
    pub const fn unit(self, stream: u32) -> f32 {
        unit_fraction(self.bits(stream))
    }

    /// `-1.0..1.0`.
    #[must_use]
    pub const fn signed(self, stream: u32) -> f32 {
        signed(self.bits(stream))
    }

    /// `0..count`, or 0 for a count of 0.
    #[must_use]
    pub const fn below(self, stream: u32, count: u32) -> u32 {
        ((self.bits(stream) as u64 * count as u64) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stay_below_one_and_spread_evenly() {
        let mut bins = [0u32; 16];
        for i in 0..160_000 {
            let u = unit_fraction(hash(7, i, 3));
            assert!((0.0..1.0).contains(&u));
            bins[(u * 16.0) as usize] += 1;
        }
        assert!(bins.iter().all(|&n| (9_500..10_500).contains(&n)), "{bins:?}");
        assert_eq!(unit_fraction(u32::MAX), 1.0 - 1.0 / 16_777_216.0);
    }

    #[test]
    fn streams_indices_and_both_halves_of_the_seed_matter() {
        let draws = Draws::new(1, 2, 3);
        assert_ne!(draws.bits(0), draws.bits(1));
        assert_ne!(draws.bits(0), Draws::new(1, 2, 4).bits(0));
        assert_ne!(draws.bits(0), Draws::new(1 | 1 << 40, 2, 3).bits(0));
        assert_eq!(fold_seed(12), 12);
    }
}
