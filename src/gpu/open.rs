//! Opening a device: its features, and the watch for its loss.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use crate::gpu::{
    Gpu, GpuError, adapter::AdapterFacts, context::OpenedDevice, error_scope::LateError,
    pipeline::least_compute_pipeline,
};

/// Optional features; the text names the loss if the adapter lacks one.
const WANTED: [(wgpu::Features, &str); 5] = [
    (
        wgpu::Features::TIMESTAMP_QUERY,
        "GPU time per pass (no timestamp queries)",
    ),
    (
        wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS,
        "GPU time of uploads (no timestamps between passes)",
    ),
    (
        wgpu::Features::PIPELINE_STATISTICS_QUERY,
        "vertex invocations and overdraw (no pipeline statistics)",
    ),
    (
        wgpu::Features::INDIRECT_FIRST_INSTANCE,
        "one draw list for all levels of detail (each takes a list as long as the crowd)",
    ),
    (
        Gpu::WIDE_ATOMICS,
        "software rasterizer in one step (no 64-bit atomics: two steps of 32 bits)",
    ),
];

/// Variable that, with value `32`, leaves 64-bit atomics unused: for comparison of the software rasterizer's steps.
const ATOMICS_VARIABLE: &str = "THRONG_ATOMICS";

impl Gpu {
    /// Opens the adapter that the platform prefers, if it can present to `surface`, without blocking. In a browser this
    /// is the only way to open a device; elsewhere it takes whichever adapter wgpu takes.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::Device`].
    pub async fn open_async(instance: &wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self, GpuError> {
        let request = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&request).await;
        Self::from_adapter(adapter.map_err(|_| GpuError::NoAdapter)?).await
    }

    pub(super) async fn from_adapter(adapter: wgpu::Adapter) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let refuse = |reason: String| GpuError::Device {
            name: info.name.clone(),
            reason,
        };
        if limits.max_storage_buffers_per_shader_stage < 8 {
            return Err(refuse("no storage buffers in vertex shaders".into()));
        }
        let downlevel = adapter.get_downlevel_capabilities().flags;
        if !downlevel.contains(wgpu::DownlevelFlags::SHADER_F16_IN_F32 | wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return Err(refuse("no compute shaders or half-float unpacking".into()));
        }
        let mut present = adapter.features();
        if std::env::var_os(ATOMICS_VARIABLE).is_some_and(|bits| bits == "32") {
            present.remove(Self::WIDE_ATOMICS);
        }
        let (features, switched_off) = choose_features(present);
        let opened = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("throng"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        });
        let (device, queue) = opened.await.map_err(|e| refuse(e.to_string()))?;
        let (lost, error) = watch(&device);
        let gpu = Self {
            facts: AdapterFacts::of(&info, switched_off),
            device,
            queue,
            features,
            limits,
            uploads: Arc::default(),
            shaders: Arc::default(),
            pipelines: Arc::default(),
            late_error: LateError::default(),
            opened: Some(OpenedDevice { adapter, lost, error }),
        };
        // OpenGL 3.3 may report compute by an extension that its shader language lacks (NVIDIA without a display).
        if info.backend == wgpu::Backend::Gl {
            let computes = gpu.checked("least", || Ok(least_compute_pipeline(&gpu.device)));
            computes.map_err(|_| refuse(format!("no compute shaders in {}; use Vulkan", gpu.facts.driver)))?;
        }
        Ok(gpu)
    }
}

/// Features of `present` that throng uses, and what is lost by those that are absent.
pub(super) fn choose_features(present: wgpu::Features) -> (wgpu::Features, Vec<String>) {
    let mut features = wgpu::Features::empty();
    let mut switched_off = Vec::new();
    for (feature, loss) in WANTED {
        if present.contains(feature) {
            features |= feature;
        } else {
            switched_off.push(loss.to_owned());
        }
    }
    (features, switched_off)
}

type Watch = (Arc<AtomicBool>, Arc<Mutex<Option<String>>>);

fn watch(device: &wgpu::Device) -> Watch {
    let lost = Arc::new(AtomicBool::new(false));
    let error = Arc::new(Mutex::new(None));
    let flag = lost.clone();
    device.set_device_lost_callback(move |reason, message| {
        if reason != wgpu::DeviceLostReason::Destroyed {
            tracing::error!("device lost: {message}");
        }
        flag.store(true, Ordering::Release);
    });
    let slot = error.clone();
    device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| {
        tracing::error!("{e}");
        if let Ok(mut slot) = slot.lock() {
            slot.get_or_insert_with(|| e.to_string());
        }
    }));
    (lost, error)
}
