//! Heuristics on clip names: no format says which clip stands, walks or dies.

/// First words of clips that stand or move on the ground.
const GROUNDED: [&str; 5] = ["idle", "stand", "walk", "run", "jog"];

/// True for clips that stand, walk or run, by name: `Idle_01`, `Armature|walk`, `RunFast`.
#[must_use]
pub fn is_grounded(name: &str) -> bool {
    GROUNDED.iter().any(|word| has_word(name, word))
}

/// First words of clips that show a character in passing or at its end: the last choice.
const UNSUITABLE: [&str; 8] = ["death", "die", "dead", "dying", "hit", "hurt", "damage", "out_of_water"];

/// First words of clips that show a character best, the best first.
const SUITABLE: [&str; 6] = ["idle", "walk", "swim", "fly", "hover", "move"];

/// Index of the clip that shows a character best: idle, walk, swim, fly, hover or move, in this order; else the longest,
/// those in which it is hurt or dies last; 0 for none.
pub fn preferred<'a>(clips: impl Iterator<Item = (&'a str, f32)>) -> usize {
    let rank = |(index, (name, seconds)): (usize, (&str, f32))| {
        let has = |word: &&str| has_word(name, word);
        let kind = match SUITABLE.iter().position(&has) {
            _ if is_unsuitable(name) => SUITABLE.len() + 1,
            Some(kind) => kind,
            None => SUITABLE.len(),
        };
        // Ties: the first of a suitable kind, the longest of the others.
        let length = if kind < SUITABLE.len() { 0.0 } else { seconds };
        (kind, length, index)
    };
    let best = clips.enumerate().map(rank);
    let better =
        |a: &(usize, f32, usize), b: &(usize, f32, usize)| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2));
    best.min_by(better).map_or(0, |(_, _, index)| index)
}

/// True for clips in which a character is hurt or dies, which no crowd plays unless there is nothing else.
#[must_use]
pub fn is_unsuitable(name: &str) -> bool {
    UNSUITABLE.iter().any(|word| has_word(name, word))
}

/// True for clips that stand or move: idle, walk, run, swim, fly, hover, move.
#[must_use]
pub fn is_suitable(name: &str) -> bool {
    !is_unsuitable(name) && (is_grounded(name) || SUITABLE.iter().any(|word| has_word(name, word)))
}

/// True if some word of the name starts with `start`; words begin at capitals and after non-letters.
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
        assert_eq!(of(&[("Fish|Death", 9.0), ("Swimming_Normal", 1.0), ("Attack", 5.0)]), 1);
        assert_eq!(of(&[("Out_Of_Water", 9.0), ("Bite", 1.0)]), 1);
        assert_eq!(of(&[("IdleHit", 1.0), ("Fly", 1.0), ("Walk", 1.0)]), 2);
        assert_eq!(of(&[("Hit", 1.0), ("Death", 2.0)]), 1);
        assert_eq!(of(&[]), 0);
    }
}
