//! Error scopes around calls that a device may reject. Natively the answer is there at once; a browser gives it later.

use std::sync::{Arc, Mutex, PoisonError};

use crate::gpu::{Gpu, GpuError, context::innermost};

/// First error that arrived after its call, until somebody takes it.
#[derive(Clone, Default)]
pub(super) struct LateError(Arc<Mutex<Option<GpuError>>>);

impl LateError {
    /// Takes the error, if there is one.
    pub(super) fn take(&self) -> Option<GpuError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps the error, unless an earlier one waits to be taken.
    #[cfg(target_arch = "wasm32")]
    fn put(&self, error: GpuError) {
        tracing::error!("{error}");
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(error);
    }
}

/// Two nested error scopes: filters from the outside in, and the choice between their errors (outer, inner).
struct ErrorScopes {
    filters: [wgpu::ErrorFilter; 2],
    choose: fn(Option<wgpu::Error>, Option<wgpu::Error>) -> Option<wgpu::Error>,
}

/// Scopes of resources that break a rule, or that the driver fails to make.
const MAKING: ErrorScopes = ErrorScopes {
    filters: [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation],
    choose: |failed, broken| broken.or(failed),
};

/// Scopes of resources that exceed the memory, or that break a rule.
const MEMORY: ErrorScopes = ErrorScopes {
    filters: [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation],
    choose: |full, broken| full.or(broken),
};

impl Gpu {
    /// Runs `make` and returns an error if the device rejects one of its resources. Without it [`Gpu::take_error`]
    /// would report that later. In a browser only the errors of `make` are known at once, and [`Gpu::check`] reports
    /// the device's.
    ///
    /// # Errors
    /// The error of `make`, or [`GpuError::Shader`] with the device's words.
    pub fn checked<T>(&self, pass: &str, make: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
        let pass = pass.to_owned();
        let (made, refused) = self.in_scopes(&MAKING, make, |reason| GpuError::Shader { pass, reason });
        match refused {
            Some(refused) => made.and(Err(refused)),
            None => made,
        }
    }

    /// Runs `make` and returns an error if its textures and buffers do not fit the device. Without it everything that
    /// uses them would fail. In a browser [`Gpu::check`] reports the error later.
    ///
    /// # Errors
    /// [`GpuError::Memory`] with the hint given.
    pub fn ensure_memory<T>(&self, what: &str, hint: &str, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        let (what, hint, name) = (what.to_owned(), hint.to_owned(), self.facts.name.clone());
        let (made, refused) = self.in_scopes(&MEMORY, make, |reason| GpuError::Memory {
            what,
            name,
            reason: innermost(&reason),
            hint,
        });
        refused.map_or(Ok(made), Err)
    }

    /// Runs `make` in error scopes; `describe` makes an error of the device's words.
    fn in_scopes<T>(
        &self,
        scopes: &ErrorScopes,
        make: impl FnOnce() -> T,
        describe: impl FnOnce(String) -> GpuError + 'static,
    ) -> (T, Option<GpuError>) {
        let outer = self.device.push_error_scope(scopes.filters[0]);
        let inner = self.device.push_error_scope(scopes.filters[1]);
        let made = make();
        let (inner, outer, choose) = (inner.pop(), outer.pop(), scopes.choose);
        let refused = self.answer_of(async move {
            let inner = inner.await;
            choose(outer.await, inner).map(|refused| describe(refused.to_string()))
        });
        (made, refused)
    }

    /// Error of popped scopes.
    #[cfg(not(target_arch = "wasm32"))]
    fn answer_of(&self, refused: impl Future<Output = Option<GpuError>>) -> Option<GpuError> {
        pollster::block_on(refused)
    }

    /// `None`: a browser answers after the call, and must not be waited for. [`Gpu::check`] reports the error.
    #[cfg(target_arch = "wasm32")]
    fn answer_of(&self, refused: impl Future<Output = Option<GpuError>> + 'static) -> Option<GpuError> {
        let late = self.late_error.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(error) = refused.await {
                late.put(error);
            }
        });
        None
    }
}
