//! Problems of a file that do not keep the rest of it from being read: counted, with the first place.

use super::TextPlace;

/// Problem of a sample that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Problem {
    /// A place or time that is missing, infinite or NaN.
    NotFinite,
    /// The last line ends in the middle.
    CutOff,
}

impl Problem {
    const ALL: [Self; 2] = [Self::NotFinite, Self::CutOff];

    const fn text(self) -> &'static str {
        match self {
            Self::NotFinite => "no finite number",
            Self::CutOff => "the last line ends too early",
        }
    }
}

/// Number of occurrences of each problem, with the first place.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems([Option<(u64, TextPlace)>; Problem::ALL.len()]);

impl Problems {
    pub(super) fn add(&mut self, problem: Problem, place: TextPlace) {
        self.count(problem, 1, place);
    }

    fn count(&mut self, problem: Problem, count: u64, place: TextPlace) {
        let known = self.0[problem as usize].get_or_insert((0, place));
        known.0 += count;
        known.1 = known.1.min(place);
    }

    /// Adds the problems of a later block whose first line is `lines` below the file's.
    pub(super) fn append(&mut self, later: &Self, lines: u64) {
        for problem in Problem::ALL {
            if let Some((count, place)) = later.0[problem as usize] {
                let line = place.line + lines;
                self.count(problem, count, TextPlace { line, ..place });
            }
        }
    }

    /// Sentences for the user.
    pub(super) fn notes(&self) -> Vec<String> {
        let some = Problem::ALL.into_iter().zip(&self.0);
        let told = some.filter_map(|(problem, found)| {
            let (count, place) = (*found)?;
            let (text, left_out) = (problem.text(), plural(count as usize, "sample"));
            Some(format!("{place}: {text}; {left_out} left out"))
        });
        told.collect()
    }
}

/// Count with its noun: "1 sample", "3 samples".
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
