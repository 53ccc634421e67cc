//! Tables of numbers, one row per sample, on which errors are measured and frames are optimized.

/// Points per block of a row: first their x, then y, then z, so that a loop over a block vectorises.
const BLOCK: usize = 8;

/// Rows of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    width: usize,
    data: Vec<f32>,
}

impl Rows {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            data: Vec::new(),
        }
    }

    pub(super) fn zeroed(width: usize, count: usize) -> Self {
        Self {
            width,
            data: vec![0.0; width * count],
        }
    }

    /// Table whose rows hold `points` points each.
    pub(super) fn of_points(points: usize) -> Self {
        Self::new(points.div_ceil(BLOCK) * BLOCK * 3)
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn row(&self, index: usize) -> &[f32] {
        &self.data[index * self.width..(index + 1) * self.width]
    }

    pub(super) fn row_mut(&mut self, index: usize) -> &mut [f32] {
        &mut self.data[index * self.width..(index + 1) * self.width]
    }

    /// Mutable access to two rows, `a < b`.
    pub(super) fn two_mut(&mut self, a: usize, b: usize) -> (&mut [f32], &mut [f32]) {
        let (head, tail) = self.data.split_at_mut(b * self.width);
        (&mut head[a * self.width..(a + 1) * self.width], &mut tail[..self.width])
    }

    pub(super) fn are_finite(&self) -> bool {
        self.data.iter().all(|number| number.is_finite())
    }

    pub(super) fn push(&mut self, row: &[f32]) {
        debug_assert_eq!(row.len(), self.width);
        self.data.extend_from_slice(row);
    }
}

/// Index of coordinate `axis` of a point in a row.
pub(super) fn place(point: usize, axis: usize) -> usize {
    (point / BLOCK * 3 + axis) * BLOCK + point % BLOCK
}

/// Squared largest distance between the points of a row and the blend of two others.
pub(super) fn worst_squared(exact: &[f32], a: &[f32], b: &[f32], fraction: f32) -> f32 {
    let mut worst = [0.0_f32; BLOCK];
    let blocks = exact.chunks_exact(3 * BLOCK).zip(a.chunks_exact(3 * BLOCK));
    for ((exact, a), b) in blocks.zip(b.chunks_exact(3 * BLOCK)) {
        let squares = squared_distances(exact, a, b, fraction);
        for (worst, square) in worst.iter_mut().zip(squares) {
            *worst = if square > *worst { square } else { *worst };
        }
    }
    worst.into_iter().fold(0.0, f32::max)
}

/// Point farthest from the blend of two rows, and its squared distance.
pub(super) fn farthest_point(exact: &[f32], a: &[f32], b: &[f32], fraction: f32) -> (usize, f32) {
    let mut worst = (0, 0.0);
    let blocks = exact.chunks_exact(3 * BLOCK).zip(a.chunks_exact(3 * BLOCK));
    for (block, ((exact, a), b)) in blocks.zip(b.chunks_exact(3 * BLOCK)).enumerate() {
        let squares = squared_distances(exact, a, b, fraction);
        // Most blocks hold none farther, which eight comparisons at once find out.
        if squares.iter().fold(false, |any, &square| any | (square > worst.1)) {
            for (point, square) in squares.into_iter().enumerate() {
                if square > worst.1 {
                    worst = (block * BLOCK + point, square);
                }
            }
        }
    }
    worst
}

#[inline]
fn squared_distances(exact: &[f32], a: &[f32], b: &[f32], fraction: f32) -> [f32; BLOCK] {
    let mut squares = [0.0_f32; BLOCK];
    for axis in 0..3 {
        let from = axis * BLOCK;
        let (e, a, b) = (
            &exact[from..from + BLOCK],
            &a[from..from + BLOCK],
            &b[from..from + BLOCK],
        );
        for (((square, e), a), b) in squares.iter_mut().zip(e).zip(a).zip(b) {
            let off = a + (b - a) * fraction - e;
            *square += off * off;
        }
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_point_is_found_wherever_it_stands() {
        for worst in [0, 7, 8, 18] {
            let mut rows = Rows::of_points(19);
            let zero = vec![0.0; rows.width()];
            rows.push(&zero);
            rows.push(&zero);
            let mut bent = zero.clone();
            for axis in 0..3 {
                bent[place(worst, axis)] = 2.0;
                bent[place(3, axis)] = 1.0;
            }
            rows.push(&bent);
            assert_eq!(worst_squared(rows.row(1), rows.row(0), rows.row(2), 0.5), 3.0);
        }
    }
}
