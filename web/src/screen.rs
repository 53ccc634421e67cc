//! The canvas that frames are presented on.

use throng::gpu::{Gpu, GpuError};
use web_sys::HtmlCanvasElement;
use wgpu::{CurrentSurfaceTexture, Surface, SurfaceConfiguration, SurfaceTexture, TextureFormat, TextureView};

/// Canvas with its device.
pub(crate) struct Screen {
    surface: Surface<'static>,
    configuration: SurfaceConfiguration,
    /// Format that is drawn: the canvas's, with the display's transfer function applied on writing.
    pub(crate) format: TextureFormat,
}

impl Screen {
    /// Opens the device that draws on a canvas.
    ///
    /// # Errors
    /// The browser has no WebGPU, or no device for it.
    pub(crate) async fn open(canvas: HtmlCanvasElement) -> Result<(Gpu, Self), GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::BROWSER_WEBGPU;
        let instance = wgpu::Instance::new(descriptor);
        let refuse = |reason: String| GpuError::Device {
            name: "canvas".into(),
            reason,
        };
        let size = (canvas.width().max(1), canvas.height().max(1));
        let surface = instance.create_surface(wgpu::SurfaceTarget::Canvas(canvas));
        let surface = surface.map_err(|error| refuse(error.to_string()))?;
        let gpu = Gpu::open_async(&instance, Some(&surface)).await?;
        let configuration = gpu
            .adapter()
            .and_then(|adapter| surface.get_default_config(adapter, size.0, size.1));
        let mut configuration = configuration.ok_or_else(|| refuse("the adapter offers it no format".into()))?;
        let format = configuration.format.add_srgb_suffix();
        configuration.view_formats = vec![format];
        surface.configure(&gpu.device, &configuration);
        let screen = Self {
            surface,
            configuration,
            format,
        };
        Ok((gpu, screen))
    }

    /// Size (px).
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.configuration.width, self.configuration.height)
    }

    /// Width over height.
    pub(crate) fn aspect(&self) -> f32 {
        self.configuration.width as f32 / self.configuration.height as f32
    }

    /// Follows the size (px) of the canvas; true if it changed.
    pub(crate) fn resize(&mut self, gpu: &Gpu, width: u32, height: u32) -> bool {
        let largest = gpu.limits.max_texture_dimension_2d;
        let size = (width.clamp(1, largest), height.clamp(1, largest));
        if size == self.size() {
            return false;
        }
        (self.configuration.width, self.configuration.height) = size;
        self.surface.configure(&gpu.device, &self.configuration);
        true
    }

    /// Texture of the next frame, and the view to draw into; `None` if the browser gives none now.
    pub(crate) fn acquire(&self) -> Option<(SurfaceTexture, TextureView)> {
        let frame = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(frame) | CurrentSurfaceTexture::Suboptimal(frame) => frame,
            _ => return None,
        };
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.format),
            ..Default::default()
        });
        Some((frame, view))
    }
}
