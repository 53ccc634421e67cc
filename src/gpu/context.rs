//! Opening a device, and detecting its loss.

use std::{
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::gpu::{
    GpuError, Uploads,
    adapter::{AdapterFacts, Backend},
    error_scope::LateError,
    open::choose_features,
    pipeline_cache::PipelineCache,
    shader::ShaderSources,
};

/// GPU device with its facts, features and limits. Throng opened it ([`Gpu::headless`], [`Gpu::open`]), or a host
/// program did ([`Gpu::from_device`]). Clones are handles of the same device.
#[derive(Clone)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its only queue.
    pub queue: wgpu::Queue,
    /// Facts about the adapter, for panels and reports.
    pub facts: AdapterFacts,
    /// Enabled features.
    pub features: wgpu::Features,
    /// Enabled limits.
    pub limits: wgpu::Limits,
    /// Bytes sent through this device, by purpose.
    pub uploads: Arc<Uploads>,
    pub(super) shaders: Arc<RwLock<Arc<ShaderSources>>>,
    /// Shared by every renderer of the device.
    pub(super) pipelines: Arc<PipelineCache>,
    /// First error of a scope that was answered after its call, which only browsers do.
    pub(super) late_error: LateError,
    /// `None` for a host's device, which the host watches.
    pub(super) opened: Option<OpenedDevice>,
}

/// Adapter and state of a device that throng opened itself.
#[derive(Clone)]
pub(super) struct OpenedDevice {
    pub(super) adapter: wgpu::Adapter,
    pub(super) lost: Arc<AtomicBool>,
    pub(super) error: Arc<Mutex<Option<String>>>,
}

/// Time (1/100 s) to wait for the report of a lost device after an error.
const PATIENCE: u32 = 50;

impl Gpu {
    /// Features of the software rasterizer in one step: 64-bit integers and their atomic maximum in memory. Without them
    /// it takes two steps.
    pub const WIDE_ATOMICS: wgpu::Features =
        wgpu::Features::SHADER_INT64.union(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX);

    /// Wraps the device and queue of a host program. Nothing is installed on them: lost devices and uncaptured errors
    /// stay with the host. Hence [`Gpu::is_lost`] is always false and [`Gpu::take_error`] always `None`. Every handle
    /// is a reference; the host keeps its own.
    ///
    /// The device must have been requested with at least [`Gpu::required_limits`]; none of
    /// [`Gpu::features`] is required.
    #[must_use]
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let (features, limits) = (device.features(), device.limits());
        let (_, switched_off) = choose_features(features);
        Self {
            facts: AdapterFacts::of(&device.adapter_info(), switched_off),
            device,
            queue,
            features,
            limits,
            uploads: Arc::default(),
            shaders: Arc::default(),
            pipelines: Arc::default(),
            late_error: LateError::default(),
            opened: None,
        }
    }

    /// Minimum limits of a host's device: WebGPU's defaults. Throng needs eight storage buffers per stage, four bind
    /// groups and bindings of 128 MiB. [`GpuError::TooLarge`] refuses an atlas or a crowd beyond a limit. For huge
    /// crowds request the adapter's own `max_storage_buffer_binding_size` and `max_buffer_size`.
    #[must_use]
    pub fn required_limits() -> wgpu::Limits {
        wgpu::Limits::default()
    }

    /// Features of an adapter that throng uses, for times and counts of its passes; pictures are the same without
    /// them.
    #[must_use]
    pub fn features(adapter: &wgpu::Adapter) -> wgpu::Features {
        choose_features(adapter.features()).0
    }

    /// Handle of the same device whose renderers use 32-bit atomics alone, as on devices that have no more.
    #[must_use]
    pub fn without_wide_atomics(&self) -> Self {
        let mut narrow = self.clone();
        narrow.features.remove(Self::WIDE_ATOMICS);
        narrow
    }

    /// Adapter, which surfaces are configured with; `None` for a host's device.
    #[must_use]
    pub fn adapter(&self) -> Option<&wgpu::Adapter> {
        self.opened.as_ref().map(|opened| &opened.adapter)
    }

    /// True if fragment shaders may write to buffers. WebGPU guarantees it for a host's device.
    #[must_use]
    pub fn fragments_write(&self) -> bool {
        let flags = self.adapter().map(|adapter| adapter.get_downlevel_capabilities().flags);
        flags.is_none_or(|flags| flags.contains(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE))
    }

    /// True if depth can be copied to buffers. WebGPU guarantees it for a host's device.
    #[must_use]
    pub fn copies_depth(&self) -> bool {
        let flags = self.adapter().map(|adapter| adapter.get_downlevel_capabilities().flags);
        flags.is_none_or(|flags| flags.contains(wgpu::DownlevelFlags::DEPTH_TEXTURE_AND_BUFFER_COPIES))
    }

    /// Uses of a format on this device: as the adapter says if that is known, else as WebGPU guarantees.
    #[must_use]
    pub fn format_features(&self, format: wgpu::TextureFormat) -> wgpu::TextureFormatFeatures {
        match &self.opened {
            Some(opened) => opened.adapter.get_texture_format_features(format),
            None => format.guaranteed_format_features(self.features),
        }
    }

    /// Drops the pipelines that the device keeps for renderers to come; those in use live on with their users.
    pub fn forget_pipelines(&self) {
        self.pipelines.clear();
    }

    /// The sources that pipelines are compiled from.
    #[must_use]
    pub fn shaders(&self) -> Arc<ShaderSources> {
        // Replacing an Arc cannot leave half of one behind.
        self.shaders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the sources of pipelines that are made from now on; returns those before. Existing pipelines stay until
    /// a renderer rebuilds them.
    pub fn replace_shaders(&self, sources: Arc<ShaderSources>) -> Arc<ShaderSources> {
        let mut own = self.shaders.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *own, sources)
    }

    /// True once a device that throng opened is lost. Everything must be made again then.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let opened = self.opened.as_ref();
        opened.is_some_and(|opened| opened.lost.load(Ordering::Acquire))
    }

    /// The first error that a device opened by throng reported since the last call.
    #[must_use]
    pub fn take_error(&self) -> Option<String> {
        self.opened.as_ref()?.error.lock().ok()?.take()
    }

    /// Returns an error if the device was lost, or if it rejected something since the last call. In a browser the
    /// errors of [`Gpu::checked`] and [`Gpu::ensure_memory`] arrive here, after their calls.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Rejected`].
    pub fn check(&self) -> Result<(), GpuError> {
        if let Some(error) = self.late_error.take().filter(|_| !self.is_lost()) {
            return Err(error);
        }
        let error = self.take_error();
        // A lost device first reports the call that it rejected. The loss itself reaches whichever thread polls it,
        // maybe another.
        for _ in 0..PATIENCE {
            // A browser reports nothing while it is waited for.
            if error.is_none() || self.is_lost() || cfg!(target_arch = "wasm32") {
                break;
            }
            let _ = self.device.poll(wgpu::PollType::Poll);
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.is_lost() {
            return Err(self.lost());
        }
        error.map_or(Ok(()), |reason| {
            let (name, reason) = (self.facts.name.clone(), innermost(&reason));
            Err(GpuError::Rejected { name, reason })
        })
    }

    pub(super) fn lost(&self) -> GpuError {
        GpuError::Lost {
            name: self.facts.name.clone(),
        }
    }

    /// Blocks until everything submitted is done.
    pub fn wait_idle(&self) {
        // A lost device reports through `is_lost`.
        let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
    }

    /// Blocks until a submission is done; later submissions may still run.
    ///
    /// # Errors
    /// [`GpuError::Lost`], [`GpuError::Readback`].
    pub fn wait_for(&self, submission: wgpu::SubmissionIndex) -> Result<(), GpuError> {
        let wait = wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        };
        let polled = self.device.poll(wait).map_err(|error| {
            // A rejected submission cannot be waited for. The idle device reports whether it was lost.
            self.wait_idle();
            GpuError::Readback(error.to_string())
        });
        if self.is_lost() {
            return Err(self.lost());
        }
        polled.map(|_| ())
    }

    /// Waits as [`Gpu::wait_idle`] does, but polls instead of sleeping. A core that slept for two seconds wakes slowly
    /// and with cold caches. Polling keeps the next frame's CPU time independent of how long this one kept the GPU
    /// busy. With CPU rasterizers it sleeps, since they need the cores.
    pub fn spin_idle(&self) {
        if self.facts.is_software() {
            return self.wait_idle();
        }
        while let Ok(status) = self.device.poll(wgpu::PollType::Poll) {
            if status.is_queue_empty() {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Number of layers to allocate for an array texture of `wanted` layers. Through wgpu, OpenGL takes one layer for
    /// no array, and 6, 12, … for cubes.
    #[must_use]
    pub fn array_layers(&self, wanted: u32) -> u32 {
        if self.facts.backend != Backend::Gl {
            return wanted.max(1);
        }
        let layers = wanted.max(2);
        if layers.is_multiple_of(6) { layers + 1 } else { layers }
    }

    /// Checks a storage buffer against the device's limits before it is made.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] with the hint given.
    pub fn check_storage(&self, what: &str, bytes: u64, hint: &str) -> Result<(), GpuError> {
        let limit = self
            .limits
            .max_storage_buffer_binding_size
            .min(self.limits.max_buffer_size);
        if bytes <= limit {
            return Ok(());
        }
        Err(GpuError::TooLarge {
            what: what.to_owned(),
            needed: bytes,
            name: self.facts.name.clone(),
            limit,
            limit_name: "max_storage_buffer_binding_size",
            hint: hint.to_owned(),
        })
    }
}

/// Innermost reason among the lines of a wgpu error.
pub(super) fn innermost(reasons: &str) -> String {
    let mut lines = reasons.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next_back().unwrap_or_default().trim_end_matches('.').to_owned()
}
