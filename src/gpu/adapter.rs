//! Which adapter draws: Vulkan (or DX12, Metal) GPU, then a CPU rasteriser, then GL.

use std::{fmt, str::FromStr};

/// What the user requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// Best available: GPU, then CPU rasteriser, then GL.
    #[default]
    Auto,
    /// A real GPU or an error.
    Gpu,
    /// A software rasteriser (lavapipe, WARP).
    Cpu,
    /// The OpenGL backend.
    Gl,
    /// Case-insensitive part of the adapter's name.
    Named(String),
}

impl FromStr for AdapterChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "auto" => Self::Auto,
            "gpu" => Self::Gpu,
            "cpu" => Self::Cpu,
            "gl" => Self::Gl,
            name => Self::Named(name.to_owned()),
        })
    }
}

/// As on the command line.
impl fmt::Display for AdapterChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
            Self::Gl => "gl",
            Self::Named(part) => part,
        })
    }
}

/// What an adapter is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdapterKind {
    /// A card of its own.
    DiscreteGpu,
    /// Beside the CPU, sharing its memory.
    IntegratedGpu,
    /// Of a virtual machine.
    VirtualGpu,
    /// A software rasteriser.
    Cpu,
    /// Its driver does not say.
    #[default]
    #[serde(other)]
    Other,
}

impl AdapterKind {
    /// GL reports llvmpipe as "other": its name tells.
    fn of(info: &wgpu::AdapterInfo) -> Self {
        match info.device_type {
            _ if is_cpu(info) => Self::Cpu,
            wgpu::DeviceType::DiscreteGpu => Self::DiscreteGpu,
            wgpu::DeviceType::IntegratedGpu => Self::IntegratedGpu,
            wgpu::DeviceType::VirtualGpu => Self::VirtualGpu,
            wgpu::DeviceType::Cpu => Self::Cpu,
            wgpu::DeviceType::Other => Self::Other,
        }
    }

    /// As in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiscreteGpu => "discrete-gpu",
            Self::IntegratedGpu => "integrated-gpu",
            Self::VirtualGpu => "virtual-gpu",
            Self::Cpu => "cpu",
            Self::Other => "other",
        }
    }
}

/// A graphics interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Direct3D 12.
    Dx12,
    /// Metal.
    Metal,
    /// OpenGL or OpenGL ES.
    Gl,
    /// WebGPU of a browser.
    WebGpu,
    /// Draws nothing.
    #[default]
    #[serde(other)]
    Noop,
}

impl Backend {
    /// As in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Dx12 => "dx12",
            Self::Metal => "metal",
            Self::Gl => "gl",
            Self::WebGpu => "webgpu",
            Self::Noop => "noop",
        }
    }
}

impl From<wgpu::Backend> for Backend {
    fn from(backend: wgpu::Backend) -> Self {
        match backend {
            wgpu::Backend::Noop => Self::Noop,
            wgpu::Backend::Vulkan => Self::Vulkan,
            wgpu::Backend::Metal => Self::Metal,
            wgpu::Backend::Dx12 => Self::Dx12,
            wgpu::Backend::Gl => Self::Gl,
            wgpu::Backend::BrowserWebGpu => Self::WebGpu,
        }
    }
}

/// What is printed beside every figure.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AdapterFacts {
    /// As the driver names it.
    pub name: String,
    /// Graphics interface.
    pub backend: Backend,
    /// Driver name and version.
    pub driver: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
    /// Features that this adapter lacks and that are therefore switched off.
    pub switched_off: Vec<String>,
}

impl AdapterFacts {
    pub(crate) fn of(info: &wgpu::AdapterInfo, switched_off: Vec<String>) -> Self {
        Self {
            name: info.name.clone(),
            backend: info.backend.into(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            kind: AdapterKind::of(info),
            switched_off,
        }
    }

    /// True for software rasterisers, whose speed is never quoted except as ratios.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.kind == AdapterKind::Cpu
    }

    /// One line: name, backend, driver.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "{} ({}, {}, {})",
            self.name,
            self.kind.name(),
            self.backend.name(),
            self.driver
        )
    }
}

fn is_cpu(info: &wgpu::AdapterInfo) -> bool {
    let name = info.name.to_ascii_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || ["llvmpipe", "softpipe", "swiftshader", "basic render"]
            .iter()
            .any(|software| name.contains(software))
}

/// Smaller is better; within one set of backends.
fn rank(info: &wgpu::AdapterInfo) -> u32 {
    match info.device_type {
        _ if is_cpu(info) => 50,
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        _ => 10,
    }
}

fn matches(choice: &AdapterChoice, info: &wgpu::AdapterInfo) -> bool {
    match choice {
        AdapterChoice::Auto => true,
        AdapterChoice::Gpu => !is_cpu(info),
        AdapterChoice::Cpu => is_cpu(info) && info.backend != wgpu::Backend::Gl,
        AdapterChoice::Gl => info.backend == wgpu::Backend::Gl,
        AdapterChoice::Named(part) => info.name.to_ascii_lowercase().contains(part),
    }
}

/// GL is only looked at where nothing better fits and opens: opening it is slow and noisy.
pub(crate) const BACKENDS: [wgpu::Backends; 2] = [wgpu::Backends::PRIMARY, wgpu::Backends::GL];

/// Adapters of some backends: those that satisfy `choice` (and can present to `surface`), best first.
/// The names of all go to `present`, each once.
pub(crate) fn candidates(
    (instance, backends): (&wgpu::Instance, wgpu::Backends),
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
    present: &mut Vec<String>,
) -> Vec<wgpu::Adapter> {
    let all = pollster::block_on(instance.enumerate_adapters(backends));
    for adapter in &all {
        let info = adapter.get_info();
        let name = format!("{} ({})", info.name, info.backend.to_str());
        if !present.contains(&name) {
            present.push(name);
        }
    }
    let mut fitting: Vec<wgpu::Adapter> = all
        .into_iter()
        .filter(|a| matches(choice, &a.get_info()))
        .filter(|a| surface.is_none_or(|s| a.is_surface_supported(s)))
        .collect();
    fitting.sort_by_key(|a| rank(&a.get_info()));
    fitting
}
