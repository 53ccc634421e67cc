//! Set-up of triangles, and the samples inside them.

use glam::{UVec4, Vec3, Vec4};

use crate::bake::lods::raster::{Canvas, PIXEL};

/// Position of a sample: jittered by a table of 8 x 8.
pub(in crate::bake::lods) fn sample_at(x: usize, y: usize) -> [f32; 2] {
    let [dx, dy] = JITTER[(y % PIXEL) * PIXEL + x % PIXEL];
    [x as f32 + dx, y as f32 + dy]
}

static JITTER: [[f32; 2]; PIXEL * PIXEL] = jitter();

/// Number of samples of a row that are computed at once; widths of pictures are multiples of it.
const LANES: usize = 4;

/// Largest width of triangles whose rows are computed in full (samples).
const NARROW: usize = 12;

/// [`JITTER`] of four neighbours of a row: to the right, and up.
static FOUR_JITTERS: [[Vec4; 2]; PIXEL * PIXEL / LANES] = four_jitters();

const fn four_jitters() -> [[Vec4; 2]; PIXEL * PIXEL / LANES] {
    let table = jitter();
    let mut four = [[Vec4::ZERO; 2]; PIXEL * PIXEL / LANES];
    let mut i = 0;
    while i < four.len() {
        let [a, b, c, d] = [
            table[LANES * i],
            table[LANES * i + 1],
            table[LANES * i + 2],
            table[LANES * i + 3],
        ];
        four[i] = [Vec4::new(a[0], b[0], c[0], d[0]), Vec4::new(a[1], b[1], c[1], d[1])];
        i += 1;
    }
    four
}

/// Jitter from a linear congruential generator, in 0..1.
const fn jitter() -> [[f32; 2]; PIXEL * PIXEL] {
    let mut table = [[0.0; 2]; PIXEL * PIXEL];
    let mut state = 0x2545_f491_u32;
    let mut i = 0;
    while i < 2 * PIXEL * PIXEL {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        table[i / 2][i % 2] = (state >> 8) as f32 / (1 << 24) as f32;
        i += 1;
    }
    table
}

/// Triangle setup: barycentric coordinates of a sample are `at_origin + x * dx + y * dy`.
#[derive(Default)]
pub(super) struct Setup {
    at_origin: Vec3,
    dx: Vec3,
    dy: Vec3,
    /// Reciprocals of `dx`.
    per_dx: Vec3,
    depth: Vec3,
    min: [f32; 2],
    max: [f32; 2],
}

impl Setup {
    /// Sets up a triangle. `None` for triangles without area, and for back faces unless both sides are visible.
    pub(super) fn new(corners: [Vec3; 3], is_two_sided: bool) -> Option<Self> {
        let [a, b, c] = corners;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if !area.is_finite() || area == 0.0 || (area < 0.0 && !is_two_sided) {
            return None;
        }
        let dx = Vec3::new(b.y - c.y, c.y - a.y, a.y - b.y) / area;
        let dy = Vec3::new(c.x - b.x, a.x - c.x, b.x - a.x) / area;
        // The first corner, where the coordinates are known, is the origin, so that large numbers do not cancel.
        let at_origin = Vec3::X - dx * a.x - dy * a.y;
        Some(Self {
            at_origin,
            dx,
            dy,
            per_dx: dx.recip(),
            depth: Vec3::new(a.z, b.z, c.z),
            min: [a.x.min(b.x).min(c.x), a.y.min(b.y).min(c.y)],
            max: [a.x.max(b.x).max(c.x), a.y.max(b.y).max(c.y)],
        })
    }

    pub(super) fn shares(&self, at: [f32; 2]) -> Vec3 {
        let [x, y] = at;
        self.at_origin + self.dx * x + self.dy * y
    }

    /// Stores the triangle at every sample inside at which it is nearest so far, if `is_solid` accepts its shares. Four
    /// samples are computed at once; each lane computes in the order of [`Self::shares`].
    pub(super) fn each_nearer(
        &self,
        size: [usize; 2],
        canvas: &mut Canvas,
        index: u32,
        is_solid: impl Fn(Vec3) -> bool,
    ) {
        let [width, height] = size;
        let first = |min: f32| (min - 1.0).max(0.0) as usize;
        let end = |max: f32, most: usize| ((max.max(-1.0) + 1.0) as usize).min(most);
        let (left, right) = (first(self.min[0]), end(self.max[0], width));
        if left >= right {
            return;
        }
        let lanes = |v: Vec3| v.to_array().map(Vec4::splat);
        let [at_origin, dx, dy, depth] = [self.at_origin, self.dx, self.dy, self.depth].map(lanes);
        for y in first(self.min[1])..end(self.max[1], height) {
            // Narrow triangles are not worth the bounds of their rows.
            let [left, right] = match right - left {
                0..=NARROW => [left, right],
                _ => self.reach(y as f32, [left, right]),
            };
            if left >= right {
                continue;
            }
            let row = y * width;
            for x in (left / LANES * LANES..right).step_by(LANES) {
                let jitter = &FOUR_JITTERS[(y % PIXEL) * (PIXEL / LANES) + x / LANES % (PIXEL / LANES)];
                let columns = UVec4::splat(x as u32) + UVec4::new(0, 1, 2, 3);
                let (at_x, at_y) = (columns.as_vec4() + jitter[0], Vec4::splat(y as f32) + jitter[1]);
                let [a, b, c]: [Vec4; 3] = std::array::from_fn(|k| at_origin[k] + dx[k] * at_x + dy[k] * at_y);
                let is_inside = a.cmpge(Vec4::ZERO) & b.cmpge(Vec4::ZERO) & c.cmpge(Vec4::ZERO);
                if !is_inside.any() {
                    continue;
                }
                let here = row + x..row + x + LANES;
                let before = Vec4::from_slice(&canvas.depth[here.clone()]);
                let depth = a * depth[0] + b * depth[1] + c * depth[2];
                let mut nearer = (is_inside & depth.cmpgt(before)).bitmask();
                while nearer != 0 {
                    let lane = nearer.trailing_zeros() as usize;
                    nearer &= nearer - 1;
                    if is_solid(Vec3::new(a[lane], b[lane], c[lane])) {
                        canvas.depth[here.start + lane] = depth[lane];
                        canvas.triangle[here.start + lane] = index;
                    }
                }
            }
        }
    }

    /// Range of a row in which samples may be inside, for any jitter.
    fn reach(&self, y: f32, columns: [usize; 2]) -> [usize; 2] {
        let [left, right] = columns;
        let mut reach = [left as f32, right as f32];
        for k in 0..3 {
            // Upper bound of the coordinate at the left end of this row, and its gain along the row.
            let (gain, at_start) = (self.dx[k], self.at_origin[k] + self.dy[k] * y + self.dy[k].max(0.0));
            // A margin of one sample more on either side prevents that rounding cuts off samples.
            let zero = -at_start * self.per_dx[k];
            if gain > 0.0 {
                reach[0] = reach[0].max(zero - 2.0);
            } else if gain < 0.0 {
                reach[1] = reach[1].min(zero + 2.0);
            }
        }
        let [first, end] = reach;
        [(first.max(0.0) as usize).max(left), (end.max(0.0) as usize).min(right)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Corner in, around and far from a picture of 24 x 16 samples.
    fn corner() -> impl Strategy<Value = Vec3> {
        let near = (-40.0_f32..60.0, -40.0_f32..60.0, -1.0_f32..1.0);
        let far = (-1e4_f32..1e4, -1e4_f32..1e4, -1.0_f32..1.0);
        prop_oneof![near, far].prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn four_samples_at_once_cover_what_single_ones_cover(corners in [corner(), corner(), corner()]) {
            const SIZE: [usize; 2] = [24, 16];
            let Some(setup) = Setup::new(corners, true) else {
                return Ok(());
            };
            let mut canvas = Canvas {
                depth: vec![f32::NEG_INFINITY; SIZE[0] * SIZE[1]],
                triangle: vec![u32::MAX; SIZE[0] * SIZE[1]],
            };
            setup.each_nearer(SIZE, &mut canvas, 7, |_| true);
            for (sample, &found) in canvas.triangle.iter().enumerate() {
                let shares = setup.shares(sample_at(sample % SIZE[0], sample / SIZE[0]));
                let is_inside = shares.min_element() >= 0.0;
                prop_assert_eq!(found, if is_inside { 7 } else { u32::MAX }, "sample {}", sample);
                if is_inside {
                    prop_assert_eq!(canvas.depth[sample], shares.dot(setup.depth));
                }
            }
        }
    }
}
