//! Surface of the window: size, format, vsync, and recovery when it provides no frame.

use std::sync::Arc;

use winit::window::Window;

use crate::gpu::Gpu;

/// Surface and its configuration.
pub(crate) struct WindowSurface {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    modes: Vec<wgpu::PresentMode>,
    stale: bool,
    /// A loss is being simulated.
    gone: bool,
}

/// Outcome of requesting a frame.
pub(crate) enum AcquiredFrame {
    /// Frame to draw into and present.
    Frame(wgpu::SurfaceTexture),
    /// No frame available now; try again later.
    NotNow,
    /// The surface is lost and must be recreated.
    Lost,
}

impl WindowSurface {
    /// Surface of `window`; `None` if the adapter offers no format for it.
    #[must_use]
    pub(crate) fn new(gpu: &Gpu, surface: wgpu::Surface<'static>, window: &Arc<Window>, vsync: bool) -> Option<Self> {
        let adapter = gpu.adapter()?;
        let capabilities = surface.get_capabilities(adapter);
        let size = window.inner_size();
        let mut config = surface.get_default_config(adapter, size.width.max(1), size.height.max(1))?;
        config.format = preferred_format(&capabilities.formats)?;
        let mut screen = Self {
            surface,
            config,
            modes: capabilities.present_modes,
            stale: true,
            gone: false,
        };
        screen.set_vsync(vsync);
        Some(screen)
    }

    /// Format of the frames.
    #[must_use]
    pub(crate) fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Size (px).
    #[must_use]
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.config.width, self.config.height)
    }

    /// Applies a new window size; false while minimised.
    #[must_use]
    pub(crate) fn resize(&mut self, gpu: &Gpu, size: winit::dpi::PhysicalSize<u32>) -> bool {
        let limit = gpu.limits.max_texture_dimension_2d;
        let size = (size.width.min(limit), size.height.min(limit));
        if size.0 == 0 || size.1 == 0 {
            return false;
        }
        if size != self.size() {
            (self.config.width, self.config.height) = size;
            self.stale = true;
        }
        true
    }

    /// Switches vsync; a display that supports only vsync keeps it.
    pub(crate) fn set_vsync(&mut self, vsync: bool) {
        let mode = match self.free_running() {
            Some(mode) if !vsync => mode,
            _ => wgpu::PresentMode::Fifo,
        };
        self.stale |= mode != self.config.present_mode;
        self.config.present_mode = mode;
    }

    /// Present mode without vsync, if supported.
    #[must_use]
    pub(crate) fn free_running(&self) -> Option<wgpu::PresentMode> {
        let wanted = [wgpu::PresentMode::Immediate, wgpu::PresentMode::Mailbox];
        wanted.into_iter().find(|m| self.modes.contains(m))
    }

    /// Simulates a loss, which the next frame detects.
    pub(crate) fn lose(&mut self) {
        self.gone = true;
    }

    /// Acquires the next frame to draw into.
    pub(crate) fn acquire(&mut self, gpu: &Gpu) -> AcquiredFrame {
        if self.gone {
            return AcquiredFrame::Lost;
        }
        if self.stale {
            self.surface.configure(&gpu.device, &self.config);
            self.stale = false;
        }
        use wgpu::CurrentSurfaceTexture as Current;
        match self.surface.get_current_texture() {
            Current::Success(frame) => AcquiredFrame::Frame(frame),
            Current::Suboptimal(frame) => {
                self.stale = true;
                AcquiredFrame::Frame(frame)
            }
            Current::Outdated | Current::Validation => {
                self.stale = true;
                AcquiredFrame::NotNow
            }
            Current::Timeout | Current::Occluded => AcquiredFrame::NotNow,
            Current::Lost => AcquiredFrame::Lost,
        }
    }
}

/// Format with 8 bits per channel without sRGB conversion, in which egui blends as designed; else the first format.
fn preferred_format(formats: &[wgpu::TextureFormat]) -> Option<wgpu::TextureFormat> {
    let plain = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
    let found = formats.iter().find(|f| plain.contains(f));
    found.or(formats.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::TextureFormat as F;

    #[test]
    fn formats_without_srgb_conversion_are_preferred() {
        assert_eq!(
            preferred_format(&[F::Bgra8UnormSrgb, F::Rgba8Unorm]),
            Some(F::Rgba8Unorm)
        );
        assert_eq!(preferred_format(&[F::Bgra8UnormSrgb]), Some(F::Bgra8UnormSrgb));
        assert_eq!(preferred_format(&[]), None);
    }
}
