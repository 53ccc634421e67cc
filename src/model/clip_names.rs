//! What names of clips say about them: no format says which clip stands, walks or dies.

/// Words that clips of standing and moving on the ground begin with.
const GROUNDED: [&str; 5] = ["idle", "stand", "walk", "run", "jog"];

/// True for clips of somebody who stands, walks or runs, by name: `Idle_01`, `Armature|walk`, `RunFast`.
#[must_use]
pub fn is_grounded(name: &str) -> bool {
    GROUNDED.iter().any(|word| has_word(name, word))
}

/// The clip that shows a character at its best: one that idles, else walks, else the longest; 0 for none.
pub fn preferred<'a>(clips: impl Iterator<Item = (&'a str, f32)>) -> usize {
    let rank = |(index, (name, seconds)): (usize, (&str, f32))| {
        let kind = ["idle", "walk"]
            .iter()
            .position(|word| has_word(name, word))
            .unwrap_or(2);
        // Of several that idle or walk the first of the file, of others the longest.
        let length = if kind == 2 { seconds } else { 0.0 };
        (kind, length, index)
    };
    let best = clips.enumerate().map(rank);
    let better =
        |a: &(usize, f32, usize), b: &(usize, f32, usize)| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2));
    best.min_by(better).map_or(0, |(_, _, index)| index)
}

/// True where some word of the name begins so; words end at capitals and at what is no letter.
fn has_word(name: &str, start: &str) -> bool {
    let mut before = ' ';
    let mut begins = Vec::new();
    for (at, c) in name.char_indices() {
        let word = c.is_alphabetic() && (!before.is_alphabetic() || (c.is_uppercase() && before.is_lowercase()));
        if word {
            begins.push(at);
        }
        before = c;
    }
    begins.into_iter().any(|at| {
        name[at..]
            .get(..start.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_begin() {
        for name in [
            "Idle_01",
            "Armature|walk",
            "RunFast",
            "fastRun",
            "STANDING",
            "CharacterArmature|Idle",
        ] {
            assert!(is_grounded(name), "{name}");
        }
        for name in ["Death", "Sidle", "trunk_sway", "Grunt", "Jump", ""] {
            assert!(!is_grounded(name), "{name}");
        }
    }

    #[test]
    fn idle_comes_before_walk_and_walk_before_the_longest() {
        let of = |clips: &[(&'static str, f32)]| preferred(clips.iter().copied());
        assert_eq!(
            of(&[("Death", 9.0), ("Walk", 1.0), ("Idle_B", 1.0), ("Idle_A", 3.0)]),
            2
        );
        assert_eq!(of(&[("Death", 9.0), ("Walking", 1.0)]), 1);
        assert_eq!(of(&[("Death", 1.0), ("Dance", 9.0), ("Wave", 9.0)]), 1);
        assert_eq!(of(&[]), 0);
    }
}
