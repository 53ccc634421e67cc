//! Masks in COCO's run-length encoding (RLE): runs in column-major order, starting outside, in the compressed text of
//! its `maskApi.c`.

/// Mask of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rle {
    /// Width and height (px).
    pub size: (u32, u32),
    /// Lengths of runs in column-major order, outside and inside alternately.
    pub runs: Vec<u32>,
}

impl Rle {
    /// Makes a mask from segments inside, in column-major order, ascending and not adjacent: (first, length).
    #[must_use]
    pub fn from_segments(size: (u32, u32), segments: &[(u32, u32)]) -> Self {
        let mut runs = Vec::with_capacity(segments.len() * 2 + 1);
        let mut end = 0;
        for &(first, length) in segments {
            runs.extend([first - end, length]);
            end = first + length;
        }
        let rest = size.0 * size.1 - end;
        if rest > 0 || runs.is_empty() {
            runs.push(rest);
        }
        Self { size, runs }
    }

    /// Returns the number of pixels inside.
    #[must_use]
    pub fn area(&self) -> u32 {
        self.runs.iter().skip(1).step_by(2).sum()
    }

    /// Returns for each pixel whether it is inside, rows top to bottom.
    #[must_use]
    pub fn pixels(&self) -> Vec<bool> {
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let mut pixels = vec![false; width * height];
        let mut place = 0;
        for (turn, &run) in self.runs.iter().enumerate() {
            for at in place..place + run as usize {
                pixels[(at % height) * width + at / height] = turn % 2 == 1;
            }
            place += run as usize;
        }
        pixels
    }

    /// Returns the compressed text. From the third run on, it stores differences to the run before the last, five bits
    /// per letter, lowest first.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (place, &run) in self.runs.iter().enumerate() {
            let before = if place > 2 { self.runs[place - 2] } else { 0 };
            let mut rest = i64::from(run) - i64::from(before);
            loop {
                let bits = rest & 0x1f;
                rest >>= 5;
                let done = if bits & 0x10 == 0 { rest == 0 } else { rest == -1 };
                let letter = if done { bits } else { bits | 0x20 };
                text.push(char::from(letter as u8 + 48));
                if done {
                    break;
                }
            }
        }
        text
    }

    /// Parses the text of [`Rle::text`]; `None` for anything else.
    #[must_use]
    pub fn parse(size: (u32, u32), text: &str) -> Option<Self> {
        let mut runs: Vec<u32> = Vec::new();
        let mut letters = text.bytes();
        while let Some(mut letter) = letters.next() {
            let (mut value, mut shift) = (0_i64, 0);
            loop {
                let bits = i64::from(letter.checked_sub(48)?);
                if bits > 0x3f || shift > 35 {
                    return None;
                }
                value |= (bits & 0x1f) << shift;
                shift += 5;
                if bits & 0x20 == 0 {
                    if bits & 0x10 != 0 {
                        value |= -1 << shift;
                    }
                    break;
                }
                letter = letters.next()?;
            }
            if runs.len() > 2 {
                value += i64::from(runs[runs.len() - 2]);
            }
            runs.push(u32::try_from(value).ok()?);
        }
        let whole = runs.iter().map(|&run| u64::from(run)).sum::<u64>();
        (whole == u64::from(size.0) * u64::from(size.1)).then_some(Self { size, runs })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn masks_come_back_from_their_text(runs in prop::collection::vec((0..5000_u32, 1..9000_u32), 0..40)) {
            let mut place = 0;
            let segments: Vec<(u32, u32)> = runs
                .iter()
                .map(|&(gap, length)| {
                    // Adjacent segments would be one.
                    let first = place + gap + u32::from(place > 0);
                    place = first + length;
                    (first, length)
                })
                .collect();
            let size = (place / 7 + 1, 7);
            let rle = Rle::from_segments(size, &segments);
            prop_assert_eq!(rle.area(), runs.iter().map(|run| run.1).sum::<u32>());
            prop_assert_eq!(Rle::parse(size, &rle.text()), Some(rle));
        }
    }

    #[test]
    fn text_matches_pycocotools() {
        // Reference: pycocotools `mask.encode` of a 4 x 3 picture (width 4) whose second column and last pixel are set.
        let rle = Rle::from_segments((4, 3), &[(3, 3), (11, 1)]);
        assert_eq!(rle.runs, [3, 3, 5, 1]);
        assert_eq!(rle.text(), "335N");
        let pixels = rle.pixels();
        let set: Vec<usize> = (0..12).filter(|&i| pixels[i]).collect();
        assert_eq!(set, [1, 5, 9, 11]);
        assert_eq!(Rle::from_segments((2, 2), &[]).runs, [4]);
        assert_eq!(Rle::parse((4, 3), "335"), None);
    }
}
