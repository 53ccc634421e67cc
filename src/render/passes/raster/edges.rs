//! Which samples of a picture a triangle covers, decided in whole numbers as the hardware rasterizer does: the CPU's
//! twin of shaders/shared/edges.wgsl. Places are in 1/256 pixel, right and down; a triangle that winds clockwise
//! holds a place where none of its three edges, less what [`outside_edge`] takes off, is negative there.

/// Parts of a pixel, as a power of two.
pub const SUBPIXEL_BITS: u32 = 8;
/// Parts of a pixel.
pub const SUBPIXELS: u32 = 1 << SUBPIXEL_BITS;
/// Pixels from the corner of the picture that a place can be, at most.
pub const FARTHEST_PIXEL: u32 = 1 << 21;

/// Pixels to places.
#[must_use]
pub fn snapped(pixel: [f32; 2]) -> [i32; 2] {
    let most = FARTHEST_PIXEL as f32;
    pixel.map(|x| (x.clamp(-most, most) * SUBPIXELS as f32 + 0.5).floor() as i32)
}

/// Where samples are in a pixel: in its middle, or at the four places of the standard pattern, of which each has a
/// row of its own, in their order, and a column of its own.
#[must_use]
pub fn sample_place(number: u32, samples: u32) -> [i32; 2] {
    [sample_column(number, samples), row_place(number as i32, samples)]
}

/// Where a sample is along its row, from the pixel's left.
#[must_use]
pub fn sample_column(number: u32, samples: u32) -> i32 {
    if samples == 1 {
        return 128;
    }
    ((0xa2e6_u32 >> (4 * number)) & 15) as i32 * 16
}

/// Samples of a picture stand in rows, so many to a pixel as it has samples: how far apart, as a power of two.
#[must_use]
pub fn row_bits(samples: u32) -> u32 {
    if samples == 1 { SUBPIXEL_BITS } else { SUBPIXEL_BITS - 2 }
}

/// Where a row of samples is, from the top.
#[must_use]
pub fn row_place(row: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    (row << bits) + (1 << (bits - 1))
}

/// The first row of samples at a place or behind it.
#[must_use]
pub fn first_row(low: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    (low + (1 << (bits - 1)) - 1) >> bits
}

/// The last row of samples at a place or before it.
#[must_use]
pub fn last_row(high: i32, samples: u32) -> i32 {
    let bits = row_bits(samples);
    (high - (1 << (bits - 1))) >> bits
}

/// The first pixel whose sample at a column lies at a place or behind it.
#[must_use]
pub fn first_pixel(low: i32, column: i32) -> i32 {
    (low - column + 255) >> SUBPIXEL_BITS
}

/// The last pixel whose sample at a column lies at a place or before it.
#[must_use]
pub fn last_pixel(high: i32, column: i32) -> i32 {
    (high - column) >> SUBPIXEL_BITS
}

/// Twice the area of a triangle of any size; positive where it winds clockwise.
#[must_use]
pub fn wide_edge(a: [i32; 2], b: [i32; 2], p: [i32; 2]) -> i64 {
    let wide = |x: i32, from: i32| i64::from(x) - i64::from(from);
    wide(b[0], a[0]) * wide(p[1], a[1]) - wide(b[1], a[1]) * wide(p[0], a[0])
}

/// Edge function of a triangle whose edges are shorter than 64 pixels, in 32 bits.
#[must_use]
pub fn edge(a: [i32; 2], b: [i32; 2], p: [i32; 2]) -> i32 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

/// Top-left rule: a point exactly on an edge belongs to the triangle on whose left or top the edge is.
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

    /// Whether a triangle holds a place, whichever way it winds.
    fn holds([a, b, c]: [[i32; 2]; 3], p: [i32; 2]) -> bool {
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

        /// Any split of any triangle covers what it covers.
        #[test]
        fn split_triangle_covers_the_same_samples(t in [point(), point(), point()], turned in any::<bool>()) {
            // A corner cut along an edge in even steps: the place of the cut lies exactly on it.
            let [a, b, c] = t.map(|p| p.map(|x| x & !1));
            let cut = [(b[0] + c[0]) / 2, (b[1] + c[1]) / 2];
            let parts = if turned { [[a, cut, b], [a, c, cut]] } else { [[a, b, cut], [a, cut, c]] };
            for p in places(8, 4).chain(places(8, 1)) {
                let count = parts.iter().filter(|t| holds(**t, p)).count();
                prop_assert_eq!(count, usize::from(holds([a, b, c], p)), "{:?}", p);
            }
        }

        /// The rows and pixels between two places hold every sample there, and no other.
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

        /// Where both can tell they agree, and places that far apart still fit.
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
        // The diagonal runs down: what lies on it is on the left of the upper right half.
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
