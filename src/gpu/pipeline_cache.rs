//! Pipelines and bind group layouts of a device: each is made once, when it is first needed, and shared by every
//! renderer.
//!
//! A driver compiles the same shader again for each pipeline object, which takes up to seconds. Renderers of one device
//! ask for the same pipelines: two techniques side by side, a renderer that is made anew, a hundred tests.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use crate::gpu::{Binding, GpuError};

/// Rows of a bind group layout: binding number, stages, kind.
pub(super) type LayoutRow = (u32, wgpu::ShaderStages, Binding);

/// Shader of a pipeline and the groups that it binds.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ShaderKey {
    /// Name of the pass, which is the pipeline's label.
    pub(crate) pass: String,
    /// Plain WGSL.
    pub(crate) text: Arc<str>,
    /// True if the pass is trusted to end its loops, so that no bounds are added to them.
    pub(crate) trusts_loops: bool,
    /// Layouts by group number.
    pub(crate) groups: Vec<wgpu::BindGroupLayout>,
}

/// Everything that a render pipeline depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct RenderKey {
    pub(super) shader: ShaderKey,
    /// Stride (bytes), step mode and attributes of each vertex buffer.
    pub(super) buffers: Vec<Option<(u64, wgpu::VertexStepMode, Vec<wgpu::VertexAttribute>)>>,
    pub(super) primitive: wgpu::PrimitiveState,
    pub(super) depth: Option<wgpu::DepthStencilState>,
    pub(super) samples: u32,
    pub(super) target: Option<wgpu::TextureFormat>,
    pub(super) blend: Option<wgpu::BlendState>,
    pub(super) discards: bool,
}

/// Pipelines and layouts that exist on a device.
#[derive(Default)]
pub(super) struct PipelineCache {
    pub(super) layouts: OnceMap<(String, Vec<LayoutRow>), wgpu::BindGroupLayout>,
    pub(super) compute: OnceMap<ShaderKey, wgpu::ComputePipeline>,
    pub(super) render: OnceMap<RenderKey, wgpu::RenderPipeline>,
}

impl PipelineCache {
    /// Drops every pipeline; those in use live on with their users.
    pub(super) fn clear(&self) {
        self.compute.clear();
        self.render.clear();
    }
}

/// Place of a value that one thread makes while others that need it wait.
type Slot<V> = Arc<Mutex<Option<V>>>;

/// Map whose values are made once each. Values of different keys are made at the same time.
pub(super) struct OnceMap<K, V>(Mutex<HashMap<K, Slot<V>>>);

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> OnceMap<K, V> {
    /// Value of a key, made if it does not exist. A failure is not kept: the next caller tries again.
    ///
    /// # Errors
    /// Errors of `make`.
    pub(super) fn get_or_make(&self, key: K, make: impl FnOnce() -> Result<V, GpuError>) -> Result<V, GpuError> {
        let slot = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(key)
            .or_default()
            .clone();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*slot {
            return Ok(made.clone());
        }
        let made = make()?;
        *slot = Some(made.clone());
        Ok(made)
    }

    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Number of keys that were asked for.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn each_value_is_made_once_however_many_threads_need_it() {
        let map = OnceMap::default();
        let calls = AtomicU32::new(0);
        let make = |key: u32| {
            map.get_or_make(key, || {
                calls.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
                Ok(10 * key)
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|key| assert_eq!(make(key).ok(), Some(10 * key))));
            }
        });
        assert_eq!((calls.into_inner(), map.len()), (50, 50));
    }

    #[test]
    fn failures_are_not_kept() {
        let map = OnceMap::default();
        assert!(map.get_or_make(1, || Err::<u32, _>(GpuError::NoAdapter)).is_err());
        assert_eq!(map.get_or_make(1, || Ok(5)).ok(), Some(5));
        map.clear();
        assert_eq!(map.get_or_make(1, || Ok(6)).ok(), Some(6));
    }
}
