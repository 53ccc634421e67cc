//! Choice of an adapter: a real GPU (Vulkan, DX12, Metal), then a CPU rasterizer, then OpenGL.

use std::{fmt, str::FromStr};

/// Adapter that the user requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// Best one available: GPU, then CPU rasterizer, then OpenGL.
    #[default]
    Auto,
    /// GPU; an error if there is none.
    Gpu,
    /// CPU rasterizer (lavapipe, WARP).
    Cpu,
    /// OpenGL backend.
    Gl,
    /// Number of a [`ListedAdapter`]: distinguishes cards of the same name.
    Number(usize),
    /// PCI address such as `0000:3b:00.0`; the domain may be left out.
    Pci(String),
    /// Part of the adapter's name; case does not matter.
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
            // Longer numbers are parts of names: RTX 4090.
            number if number.len() <= 2 && number.parse::<usize>().is_ok() => {
                Self::Number(number.parse().unwrap_or_default())
            }
            place if is_pci(place) => Self::Pci(place.to_owned()),
            name => Self::Named(name.to_owned()),
        })
    }
}

/// True for a PCI address: `0000:3b:00.0`, or the same without its domain.
fn is_pci(text: &str) -> bool {
    let hex = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split([':', '.']).collect();
    text.contains(':') && text.contains('.') && (3..=4).contains(&parts.len()) && parts.into_iter().all(hex)
}

/// Text of the choice, as on the command line.
impl fmt::Display for AdapterChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Number(number) => return write!(out, "{number}"),
            Self::Pci(place) => place,
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Cpu => "cpu",
            Self::Gl => "gl",
            Self::Named(part) => part,
        })
    }
}

/// Kind of an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdapterKind {
    /// Dedicated card.
    DiscreteGpu,
    /// GPU beside the CPU that shares its memory.
    IntegratedGpu,
    /// GPU of a virtual machine.
    VirtualGpu,
    /// CPU rasterizer.
    Cpu,
    /// Kind unknown: the driver does not report it.
    #[default]
    #[serde(other)]
    Other,
}

impl AdapterKind {
    /// Kind from the driver's report, or from the name: OpenGL reports llvmpipe as "other".
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

    /// True if multisampled depth can be bound as a texture. On OpenGL wgpu 30 makes it a texture with one sample,
    /// which cannot be drawn into then.
    #[must_use]
    pub const fn reads_depth_samples(self) -> bool {
        !matches!(self, Self::Gl)
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

/// Facts about an adapter, printed beside every figure.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AdapterFacts {
    /// As the driver names it.
    pub name: String,
    /// Graphics interface.
    pub backend: Backend,
    /// Driver name and version.
    pub driver: String,
    /// Kind of the adapter.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
    /// Features that this adapter lacks and that are therefore switched off.
    pub switched_off: Vec<String>,
}

impl AdapterFacts {
    pub(crate) fn of(info: &wgpu::AdapterInfo, mut switched_off: Vec<String>) -> Self {
        let backend = Backend::from(info.backend);
        if !backend.reads_depth_samples() {
            switched_off.push("occlusion culling at several samples per pixel (OpenGL)".into());
        }
        Self {
            name: info.name.clone(),
            backend,
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

pub(super) fn is_cpu(info: &wgpu::AdapterInfo) -> bool {
    let name = info.name.to_ascii_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || ["llvmpipe", "softpipe", "swiftshader", "basic render"]
            .iter()
            .any(|software| name.contains(software))
}

/// An adapter of this machine.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ListedAdapter {
    /// Number for [`AdapterChoice::Number`].
    pub number: usize,
    /// PCI address as the driver reports it, such as `0000:3b:00.0`; `None` if it does not.
    pub pci: Option<String>,
    /// As the driver names it.
    pub name: String,
    /// Graphics interface: a card may be there once for each.
    pub backend: Backend,
    /// Driver name and version.
    pub driver: String,
    /// Kind of the adapter.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_parse_as_number_pci_address_or_name() {
        let choice = |text: &str| text.parse::<AdapterChoice>().unwrap_or_default();
        assert_eq!(choice("1"), AdapterChoice::Number(1));
        assert_eq!(choice("0000:3B:00.0"), AdapterChoice::Pci("0000:3b:00.0".into()));
        assert_eq!(choice("3b:00.0"), AdapterChoice::Pci("3b:00.0".into()));
        for name in ["4090", "llvm: 20.1", "a:b", "RTX 40"] {
            assert_eq!(choice(name), AdapterChoice::Named(name.to_lowercase()), "{name}");
        }
        for text in ["auto", "gpu", "7", "3b:00.0", "h200"] {
            assert_eq!(choice(text).to_string(), text);
        }
    }
}
