//! 128-bit content digest, equal on every machine. Not cryptographic: collisions can be constructed.

/// State of the digest.
#[derive(Clone, Debug)]
pub(crate) struct Digest {
    lanes: [u64; 2],
}

/// Odd multipliers with random-looking bits: fractions of the golden ratio and of the square root of two.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909];

impl Digest {
    pub(crate) const fn new() -> Self {
        Self { lanes: FACTORS }
    }

    /// Adds a number.
    pub(crate) fn word(&mut self, word: u64) {
        for (lane, factor) in self.lanes.iter_mut().zip(FACTORS) {
            let product = u128::from(lane.rotate_left(23) ^ word) * u128::from(factor);
            // Both halves are used: low product bits do not depend on high input bits. The word is added again, since a
            // product can be 0.
            *lane = (product as u64) ^ (product >> 64) as u64 ^ word.wrapping_add(factor);
        }
    }

    /// Adds numbers.
    pub(crate) fn floats(&mut self, numbers: &[f32]) {
        self.bytes(bytemuck::cast_slice(numbers));
    }

    /// Adds bytes and their number.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    /// Final mix, as 32 hexadecimal digits.
    pub(crate) fn hexadecimal(mut self) -> String {
        let [a, b] = self.lanes;
        self.word(b);
        self.word(a);
        self.lanes.iter().map(|lane| format!("{lane:016x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(parts: &[&[u8]]) -> String {
        let mut digest = Digest::new();
        parts.iter().for_each(|part| digest.bytes(part));
        digest.hexadecimal()
    }

    #[test]
    fn digests_are_stable_and_depend_on_part_boundaries() {
        assert_eq!(of(&[b"throng"]), "09f08b2b4f4b660986a9262faa1c3637");
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[&[0; 7]]), of(&[&[0; 8]]));
        assert_ne!(of(&[]), of(&[b""]));
    }

    proptest! {
        #[test]
        fn one_changed_bit_changes_about_half_of_the_digest(
            bytes in prop::collection::vec(any::<u8>(), 1..200),
            place in any::<prop::sample::Index>(),
            bit in 0..8_u32,
        ) {
            let mut changed = bytes.clone();
            changed[place.index(bytes.len())] ^= 1 << bit;
            let number = |text: String| u128::from_str_radix(&text, 16).expect("hexadecimal");
            let differs = (number(of(&[&bytes])) ^ number(of(&[&changed]))).count_ones();
            prop_assert!((24..=104).contains(&differs), "{} bits", differs);
        }
    }
}
