//! Visible part of every person, from the id AOV.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

use crate::{
    aov::FrameParameters,
    render::passes::{ID_ATTACHMENT, ID_SCENERY},
};

/// Box of whole pixels, right and bottom exclusive. May extend beyond the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Box2 {
    /// First column.
    pub left: i64,
    /// First row.
    pub top: i64,
    /// First column to the right of the box.
    pub right: i64,
    /// First row below the box.
    pub bottom: i64,
}

impl Box2 {
    /// Returns corner, width and height, as COCO writes boxes.
    #[must_use]
    pub const fn coco(self) -> [i64; 4] {
        [self.left, self.top, self.right - self.left, self.bottom - self.top]
    }

    /// Returns the smallest box around both.
    #[must_use]
    pub fn around(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Returns the box of all pixels whose centres lie between the outermost of some points of the world (m); `None` if
    /// a point is behind the camera, or if there is none.
    #[must_use]
    pub fn around_points(
        points: impl IntoIterator<Item = Vec3>,
        moment: &FrameParameters,
        size: (u32, u32),
    ) -> Option<Self> {
        let (mut least, mut most) = (Vec2::MAX, Vec2::MIN);
        for point in points {
            let pixel = moment.pixel_of(point, size)?;
            (least, most) = (least.min(pixel), most.max(pixel));
        }
        let (first, last) = ((least - 0.5).ceil(), (most - 0.5).floor());
        least.cmple(most).all().then_some(Self {
            left: first.x as i64,
            top: first.y as i64,
            right: last.x as i64 + 1,
            bottom: last.y as i64 + 1,
        })
    }

    /// Returns the part within a picture; `None` if there is none.
    #[must_use]
    pub fn clipped(self, size: (u32, u32)) -> Option<Self> {
        let part = Self {
            left: self.left.max(0),
            top: self.top.max(0),
            right: self.right.min(size.0.into()),
            bottom: self.bottom.min(size.1.into()),
        };
        (part.left < part.right && part.top < part.bottom).then_some(part)
    }
}

/// Visible part of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// Box of the visible pixels.
    pub bounds: Box2,
    /// Number of visible pixels.
    pub pixels: u32,
    /// Runs of visible pixels in column-major order: (first, length).
    pub runs: Vec<(u32, u32)>,
}

/// Returns the visible parts of people by number (id minus one), from the ids of a picture, rows top to bottom.
#[must_use]
pub fn visible(ids: &[u32], size: (u32, u32)) -> BTreeMap<u32, Visible> {
    let (width, height) = size;
    let mut all = People::default();
    let mut columns: [Column; COLUMNS] = std::array::from_fn(|_| Column::default());
    for left in (0..width).step_by(COLUMNS) {
        let count = (width - left).min(COLUMNS as u32) as usize;
        for (y, row) in (0..).zip(ids.chunks_exact(width as usize)) {
            for (column, &id) in columns.iter_mut().zip(&row[left as usize..][..count]) {
                column.go_on(y, id);
            }
        }
        for (x, column) in (left..).zip(&mut columns[..count]) {
            column.go_on(height, 0);
            for (person, top, end) in column.seen.drain(..) {
                all.add(person, x, top, end, height);
            }
        }
    }
    all.seen.into_iter().collect()
}

/// Number of columns that are scanned at a time: 64 bytes, one cache line.
const COLUMNS: usize = 16;

/// State of the scan of a column.
#[derive(Default)]
struct Column {
    /// Current id, and the row where its run begins.
    now: (u32, u32),
    /// Finished runs of people: person, first row, first row below.
    seen: Vec<(u32, u32, u32)>,
}

impl Column {
    fn go_on(&mut self, y: u32, id: u32) {
        let (before, since) = self.now;
        if id == before && y > 0 {
            return;
        }
        if before != 0 && before & (ID_ATTACHMENT | ID_SCENERY) == 0 && since < y {
            self.seen.push((before - 1, since, y));
        }
        self.now = (id, y);
    }
}

/// People found so far, in the order of discovery.
#[derive(Default)]
struct People {
    /// Index into `seen` by number, counted from 1; 0 before discovery. A list suffices: there are no more numbers than
    /// people.
    places: Vec<u32>,
    seen: Vec<(u32, Visible)>,
}

impl People {
    /// Adds the pixels of a column from `top` to before `end`.
    fn add(&mut self, person: u32, x: u32, top: u32, end: u32, height: u32) {
        let column = Box2 {
            left: x.into(),
            top: top.into(),
            right: i64::from(x) + 1,
            bottom: end.into(),
        };
        let (first, length) = (x * height + top, end - top);
        let number = person as usize;
        if number >= self.places.len() {
            self.places.resize((number + 1).next_power_of_two(), 0);
        }
        if self.places[number] == 0 {
            let nothing = Visible {
                bounds: column,
                pixels: 0,
                runs: Vec::new(),
            };
            self.seen.push((person, nothing));
            self.places[number] = self.seen.len() as u32;
        }
        let (_, seen) = &mut self.seen[self.places[number] as usize - 1];
        seen.bounds = seen.bounds.around(column);
        seen.pixels += length;
        match seen.runs.last_mut() {
            // The run continues from the end of one column at the top of the next.
            Some((before, so_far)) if *before + *so_far == first => *so_far += length,
            _ => seen.runs.push((first, length)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Property: runs of a person are their pixels in column-major order, for any ids.
        #[test]
        fn runs_are_the_pixels_of_a_person(
            ids in proptest::collection::vec(proptest::prop_oneof![0..4_u32, proptest::strategy::Just(ID_SCENERY | 1)], 37 * 5),
        ) {
            let (width, height) = (37, 5);
            let all = visible(&ids, (width, height));
            for person in 0..4 {
                let is_own = |place: u32| ids[(place % height * width + place / height) as usize] == person + 1;
                let own: Vec<u32> = (0..width * height).filter(|&place| is_own(place)).collect();
                let found = all.get(&person);
                let runs = found.map_or(&[][..], |seen| &seen.runs);
                let told: Vec<u32> = runs.iter().flat_map(|&(first, length)| first..first + length).collect();
                proptest::prop_assert_eq!(&told, &own);
                proptest::prop_assert_eq!(found.map_or(0, |seen| seen.pixels as usize), own.len());
                proptest::prop_assert!(runs.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0));
                let Some(seen) = found else { continue };
                let columns = own.iter().map(|place| i64::from(place / height));
                let rows = own.iter().map(|place| i64::from(place % height));
                let [left, right] = [columns.clone().min(), columns.max().map(|x| x + 1)];
                let [top, bottom] = [rows.clone().min(), rows.max().map(|y| y + 1)];
                let bounds = seen.bounds;
                let found = [bounds.left, bounds.right, bounds.top, bounds.bottom].map(Some);
                proptest::prop_assert_eq!(found, [left, right, top, bottom]);
            }
        }
    }

    #[test]
    fn boxes_pixels_and_runs_match_a_drawing() {
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
        // The second column continues in the third.
        assert_eq!(second.runs, [(3, 4), (8, 1)]);
        let first = &all[&0];
        assert_eq!((first.bounds.coco(), first.pixels), ([0, 1, 4, 2], 3));
        assert_eq!(first.runs, [(1, 2), (11, 1)]);
    }
}
