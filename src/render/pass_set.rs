//! Sets of passes.

use crate::render::Pass;

/// Set of passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassSet(u32);

const _: () = assert!(Pass::ALL.len() <= u32::BITS as usize);

impl PassSet {
    /// Set of the passes listed.
    #[must_use]
    pub const fn of(passes: &[Pass]) -> Self {
        let (mut bits, mut number) = (0, 0);
        while number < passes.len() {
            bits |= 1 << passes[number] as u32;
            number += 1;
        }
        Self(bits)
    }

    /// True if a pass is in the set.
    #[must_use]
    pub const fn contains(self, pass: Pass) -> bool {
        self.0 >> pass as u32 & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_contain_the_passes_listed_and_no_other() {
        for &pass in Pass::ALL {
            let one = PassSet::of(&[pass]);
            assert!(Pass::ALL.iter().all(|&other| one.contains(other) == (other == pass)));
            assert!(!PassSet::default().contains(pass) && PassSet::of(Pass::ALL).contains(pass));
        }
    }
}
