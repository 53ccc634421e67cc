//! SHA-256 (FIPS 180-4), for checksums that `sha256sum -c` reads.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Round constants: fractions of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// Initial state: fractions of the square roots of the first eight primes.
const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// Returns the checksum of bytes in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let mut sum = Sum::new();
    sum.add(bytes);
    sum.finish()
}

/// Returns the SHA-256 of a file of any size in hexadecimal.
///
/// # Errors
/// A file that cannot be read.
pub fn sha256_of(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let (mut sum, mut part) = (Sum::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(sum.finish()),
            Ok(read) => sum.add(&part[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Checksum of data that arrives in parts.
struct Sum {
    state: [u32; 8],
    /// Remaining bytes, fewer than a block.
    rest: Vec<u8>,
    bytes: u64,
}

impl Sum {
    fn new() -> Self {
        Self {
            state: START,
            rest: Vec::new(),
            bytes: 0,
        }
    }

    fn add(&mut self, mut part: &[u8]) {
        self.bytes += part.len() as u64;
        if !self.rest.is_empty() {
            let (filled, left) = part.split_at(part.len().min(64 - self.rest.len()));
            self.rest.extend_from_slice(filled);
            part = left;
            if self.rest.len() < 64 {
                return;
            }
            mix(&mut self.state, &self.rest);
            self.rest.clear();
        }
        let blocks = part.chunks_exact(64);
        self.rest.extend_from_slice(blocks.remainder());
        blocks.for_each(|block| mix(&mut self.state, block));
    }

    fn finish(mut self) -> String {
        let mut tail = std::mem::take(&mut self.rest);
        tail.push(0x80);
        // Space for the length in bits.
        tail.resize((tail.len() + 8).next_multiple_of(64) - 8, 0);
        tail.extend((self.bytes * 8).to_be_bytes());
        tail.chunks_exact(64).for_each(|block| mix(&mut self.state, block));
        self.state.iter().map(|word| format!("{word:08x}")).collect()
    }
}

fn mix(state: &mut [u32; 8], block: &[u8]) {
    let mut w = [0_u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for i in 16..64 {
        let small = |x: u32, a: u32, b: u32, shift: u32| x.rotate_right(a) ^ x.rotate_right(b) ^ (x >> shift);
        w[i] = w[i - 16]
            .wrapping_add(small(w[i - 15], 7, 18, 3))
            .wrapping_add(w[i - 7])
            .wrapping_add(small(w[i - 2], 17, 19, 10));
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in ROUNDS.iter().zip(w) {
        let large = |x: u32, [p, q, r]: [u32; 3]| x.rotate_right(p) ^ x.rotate_right(q) ^ x.rotate_right(r);
        let first = h
            .wrapping_add(large(e, [6, 11, 25]))
            .wrapping_add((e & f) ^ (!e & g))
            .wrapping_add(*round)
            .wrapping_add(word);
        let second = large(a, [2, 13, 22]).wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (sum, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = sum.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        for (text, sum) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), sum, "{text}");
        }
        let million = "a".repeat(1_000_000);
        let sum = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(sha256(million.as_bytes()), sum);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let bytes: Vec<u8> = (0..1000_u32).map(|i| (i * 7 % 251) as u8).collect();
        for step in [1, 3, 63, 64, 65, 127, 500] {
            let mut sum = Sum::new();
            bytes.chunks(step).for_each(|part| sum.add(part));
            assert_eq!(sum.finish(), sha256(&bytes), "{step}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, &bytes).expect("written");
        assert_eq!(sha256_of(&path).ok(), Some(sha256(&bytes)));
        assert!(sha256_of(&folder.path().join("b")).is_err());
    }
}
