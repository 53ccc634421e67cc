//! Edge functions (Pineda 1988): which samples a triangle covers, in integers as the hardware rasterizer decides it.
//! CPU twin of shaders/shared/edges.wgsl. Positions are in 1/256 px, right and down. A triangle that winds clockwise
//! covers a position if no edge function is negative there, after [`outside_edge`] is added.

/// Subpixels per pixel along an axis, as a power of two.
pub const SUBPIXEL_BITS: u32 = 8;
/// Subpixels per pixel along an axis.
pub const SUBPIXELS: u32 = 1 << SUBPIXEL_BITS;
/// Largest distance of a position from the corner of the picture (px).
pub const FARTHEST_PIXEL: u32 = 1 << 21;

/// Snaps a position (px) to the grid of subpixels (1/256 px), clamped to [`FARTHEST_PIXEL`].
#[must_use]
pub fn snapped(pixel: [f32; 2]) -> [i32; 2] {
    let most = FARTHEST_PIXEL as f32;
    pixel.map(|x| (x.clamp(-most, most) * SUBPIXELS as f32 + 0.5).floor() as i32)
}

/// Position of a sample in its pixel (1/256 px): the middle, or one of four in the standard pattern. Each of the four
/// has a row of its own, in their order, and a column of its own.
#[must_use]
pub fn sample_place(number: u32, samples: u32) -> [i32; 2] {
    [sample_column(number, samples), row_place(number as i32, samples)]
}

/// Distance of a sample from the left of its pixel (1/256 px).
#[must_use]
pub fn sample_column(number: u32, samples: u32) -> i32 {
    if samples == 1 {
        return 128;
    }
    ((0xa2e6_u32 >> (4 * number)) & 15) as i32 * 16
}

/// Distance of sample rows (1/256 px), as a power of two. A pixel has as many sample rows as samples.
#[must_use]
pub fn row_bits(samples: u32) -> u32 {
    if samples == 1 { SUBPIXEL_BITS } else { SUBPIXEL_BITS - 2 }
}

/// Position of a sample row, from the top (1/256 px).
#[must_use]
pub fn row_place(row: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    (row << bits) + (1 << (bits - 1))
}

/// First sample row at a position (1/256 px) or below it.
#[must_use]
pub fn first_row(low: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    (low + (1 << (bits - 1)) - 1) >> bits
}

/// Last sample row at a position (1/256 px) or above it.
#[must_use]
pub fn last_row(high: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    (high - (1 << (bits - 1))) >> bits
}

/// First pixel whose sample in `column` is at a position (1/256 px) or right of it.
#[must_use]
pub fn first_pixel(low: i32, column: i32) -> i32 {
    (low - column + 255) >> SUBPIXEL_BITS
}

/// Last pixel whose sample in `column` is at a position (1/256 px) or left of it.
#[must_use]
pub fn last_pixel(high: i32, column: i32) -> i32 {
    (high - column) >> SUBPIXEL_BITS
}

/// Edge function in 64 bits, for triangles of any size: twice the area of `a`, `b`, `p`, positive if they wind
/// clockwise.
#[must_use]
pub fn wide_edge(a: [i32; 2], b: [i32; 2], p: [i32; 2]) -> i64 {
    let wide = |x: i32, from: i32| i64::from(x) - i64::from(from);
    wide(b[0], a[0]) * wide(p[1], a[1]) - wide(b[1], a[1]) * wide(p[0], a[0])
}

/// Edge function in 32 bits, for triangles whose edges are shorter than 64 px.
#[must_use]
pub fn edge(a: [i32; 2], b: [i32; 2], p: [i32; 2]) -> i32 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

/// Top-left rule: bias that excludes positions exactly on an edge, unless it is a top or a left edge.
#[must_use]
pub fn outside_edge(a: [i32; 2], b: [i32; 2]) -> i32 {
    let top = a[1] == b[1] && b[0] > a[0];
    let left = b[1] < a[1];
    if top || left { 0 } else { -1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// True if a triangle covers a position, whichever way it winds.
    fn holds(triangle: [[i32; 2]; 3], p: [i32; 2]) -> bool {
        let [a, b, c] = triangle;
        let area = wide_edge(a, b, c);
        let [b, c] = if area < 0 { [c, b] } else { [b, c] };
        let inside = |from, to| wide_edge(from, to, p) + i64::from(outside_edge(from, to)) >= 0;
        area != 0 && inside(b, c) && inside(c, a) && inside(a, b)
    }

    /// Samples of a square of pixels.
    fn places(pixels: i32, samples: u32) -> impl Iterator<Item = [i32; 2]> {
        let pixels = (0..pixels).flat_map(move |y| (0..pixels).map(move |x| [x, y]));
        pixels.flat_map(move |pixel| {
            (0..samples).map(move |number| {
                let place = sample_place(number, samples);
                [0, 1].map(|axis| pixel[axis] * 256 + place[axis])
            })
        })
    }

    fn point() -> impl Strategy<Value = [i32; 2]> {
        // Coarse steps put many samples exactly on edges and corners.
        let coarse = [0..=16_i32, 0..=16].prop_map(|p| p.map(|x| x * 128));
        prop_oneof![coarse, [0..=2048_i32, 0..=2048]]
    }

    proptest! {
        /// A fan of four triangles around any point fills its square: each sample once, whichever way they wind.
        #[test]
        fn neighbours_leave_no_gap_and_share_no_sample(middle in point(), samples in prop_oneof![Just(1_u32), Just(4)]) {
            let corners = [[0, 0], [2048, 0], [2048, 2048], [0, 2048]];
            for p in places(8, samples) {
                let fan = (0..4).map(|i| [corners[i], corners[(i + 1) % 4], middle]);
                prop_assert_eq!(fan.filter(|t| holds(*t, p)).count(), 1, "{:?}", p);
            }
        }

        /// Both parts of a split triangle cover the same samples as the triangle.
        #[test]
        fn split_triangle_covers_the_same_samples(t in [point(), point(), point()], turned in any::<bool>()) {
            // Even coordinates, so that the middle of an edge lies exactly on it.
            let [a, b, c] = t.map(|p| p.map(|x| x & !1));
            let cut = [(b[0] + c[0]) / 2, (b[1] + c[1]) / 2];
            let parts = if turned { [[a, cut, b], [a, c, cut]] } else { [[a, b, cut], [a, cut, c]] };
            for p in places(8, 4).chain(places(8, 1)) {
                let count = parts.iter().filter(|t| holds(**t, p)).count();
                prop_assert_eq!(count, usize::from(holds([a, b, c], p)), "{:?}", p);
            }
        }

        /// Ranges of rows and of pixels between two positions contain exactly the samples there.
        #[test]
        fn row_and_pixel_ranges_hold_exactly_the_samples_in_between(low in -600..3000_i32, size in 0..900_i32, number in 0..4_u32) {
            let high = low + size;
            for samples in [1_u32, 4] {
                let number = number % samples;
                let [column, line] = sample_place(number, samples);
                let within = |place: i32| low <= place && place <= high;
                let pixels = first_pixel(low, column)..=last_pixel(high, column);
                let rows = first_row(low, samples)..=last_row(high, samples);
                for pixel in -4..16 {
                    prop_assert_eq!(pixels.contains(&pixel), within(pixel * 256 + column));
                    let row = pixel * samples as i32 + number as i32;
                    prop_assert_eq!(row_place(row, samples), pixel * 256 + line);
                    prop_assert_eq!(rows.contains(&row), within(pixel * 256 + line));
                }
            }
        }

        /// Both edge functions agree where 32 bits suffice, and the largest distances fit 64 bits.
        #[test]
        fn edge_functions_in_32_and_64_bits_agree(a in point(), b in point(), p in point(), far in any::<[[f32; 2]; 3]>()) {
            prop_assert_eq!(wide_edge(a, b, p), i64::from(edge(a, b, p)));
            let [a, b, p] = far.map(snapped);
            let reversed = i128::from(wide_edge(b, a, p));
            prop_assert_eq!(i128::from(wide_edge(a, b, p)), -reversed);
        }
    }

    #[test]
    fn top_left_rule_decides_points_on_edges() {
        let square = [[0, 0], [256, 0], [256, 256], [0, 256]];
        let halves = |p| {
            let [a, b, c, d] = square;
            [[a, b, c], [a, c, d]].map(|t| holds(t, p))
        };
        // The diagonal is the left edge of the upper right half, which owns the positions on it.
        assert_eq!(halves([128, 128]), [true, false]);
        assert_eq!(halves([0, 0]), [true, false]);
        assert_eq!(halves([128, 0]), [true, false]);
        assert_eq!(halves([0, 128]), [false, true]);
        for outside in [[256, 128], [128, 256], [256, 256], [256, 0], [0, 256]] {
            assert_eq!(halves(outside), [false, false], "{outside:?}");
        }
    }

    #[test]
    fn positions_are_rounded_and_clamped() {
        assert_eq!(snapped([1.5, -0.25]), [384, -64]);
        assert_eq!(snapped([0.002, 0.001]), [1, 0]);
        let most = (FARTHEST_PIXEL * SUBPIXELS) as i32;
        assert_eq!(snapped([f32::INFINITY, -1e30]), [most, -most]);
    }
}
