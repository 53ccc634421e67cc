//! Cached resources of one size, such as the visibility buffer of a picture or of a shadow map.

use crate::gpu::GpuError;

/// Resource that is made on first use. A failure is remembered, so that the same size is not tried again and again.
pub(crate) struct SizedResource<T> {
    made: Option<T>,
    /// Size (px) that did not fit, and the reason.
    refused: Option<((u32, u32), String)>,
}

impl<T> Default for SizedResource<T> {
    fn default() -> Self {
        Self {
            made: None,
            refused: None,
        }
    }
}

impl<T> SizedResource<T> {
    /// Resource that was made last.
    pub(crate) fn get(&self) -> Option<&T> {
        self.made.as_ref()
    }

    /// Resource that was made last, mutable.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.made.as_mut()
    }

    /// Reason why there is no resource.
    pub(crate) fn unsupported_reason(&self) -> Option<&str> {
        self.refused.as_ref().map(|(_, why)| why.as_str())
    }

    /// Makes the resource for `size` pixels, unless the present one still fits or the size failed before. True if the
    /// present one stays.
    pub(crate) fn ensure(
        &mut self,
        size: (u32, u32),
        still_fits: impl FnOnce(&T) -> bool,
        make: impl FnOnce() -> Result<T, GpuError>,
    ) -> bool {
        let is_refused = self.refused.as_ref().is_some_and(|(refused, _)| *refused == size);
        if is_refused || self.made.as_ref().is_some_and(still_fits) {
            return self.made.is_some();
        }
        let made = make();
        self.refused = made.as_ref().err().map(|why| (size, why.to_string()));
        self.made = made.ok();
        false
    }

    /// Drops a resource that the present mode does not use, so that its memory is free. A failure is remembered.
    pub(crate) fn release(&mut self) {
        self.made = None;
    }

    /// Forgets a failure. With other contents the size may fit.
    pub(crate) fn retry(&mut self) {
        self.refused = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection() -> GpuError {
        GpuError::Memory {
            what: "a map".into(),
            name: "a card".into(),
            reason: "full".into(),
            hint: "use less".into(),
        }
    }

    #[test]
    fn rejected_size_is_not_retried_until_contents_change() {
        let mut sized = SizedResource::<u32>::default();
        let mut tries = 0;
        let mut prepare = |sized: &mut SizedResource<u32>, size, made: Result<u32, GpuError>| {
            sized.ensure(
                size,
                |&made| made == size.0,
                || {
                    tries += 1;
                    made
                },
            );
            tries
        };
        assert_eq!(prepare(&mut sized, (9, 9), Err(rejection())), 1);
        assert_eq!(prepare(&mut sized, (9, 9), Ok(9)), 1);
        assert!(sized.get().is_none());
        assert!(sized.unsupported_reason().is_some_and(|why| why.contains("a map")));
        sized.retry();
        assert_eq!(prepare(&mut sized, (9, 9), Ok(9)), 2);
        assert_eq!((sized.get(), sized.unsupported_reason()), (Some(&9), None));
        assert_eq!(prepare(&mut sized, (9, 9), Ok(7)), 2);
        // A resource that no longer fits is dropped, even if its replacement fails.
        assert_eq!(prepare(&mut sized, (8, 8), Err(rejection())), 3);
        assert!(sized.get().is_none() && sized.unsupported_reason().is_some());
    }

    #[test]
    fn release_frees_the_resource_and_remembers_a_failure() {
        let mut sized = SizedResource::<u32>::default();
        assert!(!sized.ensure((4, 4), |_| true, || Ok(4)));
        assert!(sized.ensure((4, 4), |_| true, || Ok(5)));
        sized.release();
        assert!(sized.get().is_none());
        sized.ensure((4, 4), |_| true, || Err(rejection()));
        sized.release();
        sized.ensure((4, 4), |_| true, || Ok(6));
        assert!(sized.get().is_none() && sized.unsupported_reason().is_some());
    }
}
