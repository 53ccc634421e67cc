//! Capacity of a phase with triangle culling, from what earlier frames needed.

use crate::render::passes::raster::meshlets::MESHLET_TRIANGLES;

/// Words of a workgroup's mask.
pub const MASK_WORDS: u32 = MESHLET_TRIANGLES / u32::BITS;
/// Workgroups of a block of the prefix sum.
pub const TRIANGLE_CULL_BLOCK: u32 = 1024;
/// Indices of a triangle.
const CORNERS: u32 = 3;

shader_struct!(TriangleCullTotals);

/// Upper limits: 576 MiB of indices, 64 MiB of masks.
const MOST: TriangleCullTotals = TriangleCullTotals {
    triangles: 48 << 20,
    groups: 1 << 20,
};
/// Steps in which both grow.
const STEP: TriangleCullTotals = TriangleCullTotals {
    triangles: 1 << 18,
    groups: 2 * TRIANGLE_CULL_BLOCK,
};

impl TriangleCullTotals {
    /// Estimated need of a first frame with so many samples and people.
    #[must_use]
    pub fn expected(samples: u64, people: u64) -> Self {
        let half = |n: u64| u32::try_from(n / 2).unwrap_or(u32::MAX);
        Self {
            triangles: half(samples),
            groups: half(people),
        }
    }

    /// Larger of both, component by component.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            triangles: self.triangles.max(other.triangles),
            groups: self.groups.max(other.groups),
        }
    }

    /// Capacity that a device can give: no draw of compacted indices ever exceeds it.
    #[must_use]
    pub fn on(self, limits: &wgpu::Limits) -> Self {
        let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let words = u32::try_from(bytes / 4).unwrap_or(u32::MAX);
        let within = |needed: u32, step: u32, most: u32| needed.min(most / step * step);
        Self {
            triangles: within(self.triangles, STEP.triangles, MOST.triangles.min(words / CORNERS)),
            groups: within(self.groups, STEP.groups, MOST.groups.min(words / MASK_WORDS)),
        }
    }

    /// Capacity with headroom of a quarter, so that it seldom has to grow.
    #[must_use]
    pub fn with_headroom(self, limits: &wgpu::Limits) -> Self {
        let more = |needed: u32, step: u32| needed.saturating_add(needed / 4).max(1).next_multiple_of(step);
        let wanted = self.on(limits);
        Self {
            triangles: more(wanted.triangles, STEP.triangles),
            groups: more(wanted.groups, STEP.groups),
        }
        .on(limits)
    }

    /// True if the capacity covers a need.
    #[must_use]
    pub const fn covers(self, needed: Self) -> bool {
        self.triangles >= needed.triangles && self.groups >= needed.groups
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limits(words: u64) -> wgpu::Limits {
        wgpu::Limits {
            max_storage_buffer_binding_size: 4 * words,
            max_buffer_size: 8 * words,
            ..wgpu::Limits::default()
        }
    }

    proptest! {
        /// Capacity fits the limits of every device, whatever the need.
        #[test]
        fn capacity_covers_the_need_within_device_limits(triangles: u32, groups: u32, words in (1_u64 << 22)..(1 << 34)) {
            let (needed, limits) = (TriangleCullTotals { triangles, groups }, limits(words));
            let capacity = needed.with_headroom(&limits);
            prop_assert!(capacity.covers(needed.on(&limits)));
            prop_assert!(u64::from(capacity.triangles) * u64::from(CORNERS) <= words);
            prop_assert!(u64::from(capacity.groups) * u64::from(MASK_WORDS) <= words);
            prop_assert_eq!(capacity.groups % TRIANGLE_CULL_BLOCK, 0);
            prop_assert!(capacity.triangles > 0 && capacity.groups > 0);
        }
    }

    #[test]
    fn capacity_starts_small_and_has_a_quarter_of_headroom() {
        let limits = limits(1 << 30);
        let small = TriangleCullTotals::expected(160 * 90 * 4, 200).with_headroom(&limits);
        assert_eq!(
            small,
            TriangleCullTotals {
                triangles: 1 << 18,
                groups: 2048
            }
        );
        let large = TriangleCullTotals {
            triangles: 8_000_000,
            groups: 260_000,
        };
        let capacity = large.with_headroom(&limits);
        assert!(
            capacity.covers(TriangleCullTotals {
                triangles: 9_900_000,
                groups: 320_000
            }),
            "{capacity:?}"
        );
        assert!(capacity.triangles < 10_500_000, "{capacity:?}");
    }
}
