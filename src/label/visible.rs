//! What is seen of everyone: from the id pass.

use std::collections::BTreeMap;

use crate::render::passes::{ID_ATTACHMENT, ID_SCENERY};

/// A box of whole pixels: first column and row, and the first outside. May lie beyond the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Box2 {
    /// First column.
    pub left: i64,
    /// First row.
    pub top: i64,
    /// First column to the right of it.
    pub right: i64,
    /// First row below it.
    pub bottom: i64,
}

impl Box2 {
    /// Corner, width and height, as COCO writes boxes.
    #[must_use]
    pub const fn coco(self) -> [i64; 4] {
        [self.left, self.top, self.right - self.left, self.bottom - self.top]
    }

    /// The smallest box around both.
    #[must_use]
    pub fn around(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// What is seen of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// Around the pixels seen.
    pub bounds: Box2,
    /// Pixels seen.
    pub pixels: u32,
    /// Stretches of them down the columns: (first, length).
    pub stretches: Vec<(u32, u32)>,
}

/// What is seen of everyone who is, by number (their id less one), of the ids of a picture, rows top to
/// bottom.
#[must_use]
pub fn visible(ids: &[u32], (width, height): (u32, u32)) -> BTreeMap<u32, Visible> {
    let mut all: BTreeMap<u32, Visible> = BTreeMap::new();
    let at = |x: u32, y: u32| ids.get((y * width + x) as usize).copied().unwrap_or(0);
    for x in 0..width {
        let mut y = 0;
        while y < height {
            let id = at(x, y);
            let end = (y..height).find(|&below| at(x, below) != id).unwrap_or(height);
            if id != 0 && id & (ID_ATTACHMENT | ID_SCENERY) == 0 {
                add(&mut all, id - 1, (x, y, end), height);
            }
            y = end;
        }
    }
    all
}

/// Adds the pixels of a column from `top` to before `end`.
fn add(all: &mut BTreeMap<u32, Visible>, person: u32, (x, top, end): (u32, u32, u32), height: u32) {
    let column = Box2 {
        left: x.into(),
        top: top.into(),
        right: i64::from(x) + 1,
        bottom: end.into(),
    };
    let (first, length) = (x * height + top, end - top);
    let seen = all.entry(person).or_insert_with(|| Visible {
        bounds: column,
        pixels: 0,
        stretches: Vec::new(),
    });
    seen.bounds = seen.bounds.around(column);
    seen.pixels += length;
    match seen.stretches.last_mut() {
        // Down to the end of one column and on from the top of the next.
        Some((before, so_far)) if *before + *so_far == first => *so_far += length,
        _ => seen.stretches.push((first, length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_pixels_and_stretches_are_those_of_a_drawing() {
        let ids = [
            0, 2, 2, 0, //
            1, 2, ID_SCENERY, 0, //
            1, 2, 2, 1,
        ];
        let all = visible(&ids, (4, 3));
        assert_eq!(all.len(), 2);
        let second = &all[&1];
        assert_eq!(second.bounds.coco(), [1, 0, 2, 3]);
        assert_eq!(second.pixels, 5);
        // The whole second column goes on into the third.
        assert_eq!(second.stretches, [(3, 4), (8, 1)]);
        let first = &all[&0];
        assert_eq!((first.bounds.coco(), first.pixels), ([0, 1, 4, 2], 3));
        assert_eq!(first.stretches, [(1, 2), (11, 1)]);
    }
}
