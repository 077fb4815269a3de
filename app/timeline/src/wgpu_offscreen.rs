//! The GPU renderer without a screen: draws into a texture and reads it back. Native only.

use std::sync::Arc;
use std::sync::mpsc;

use crate::renderer::{Frame, RenderError, Renderer};
use crate::scene::Scene;
use crate::snap::device_size;
use crate::wgpu_renderer::WgpuRenderer;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Draws into a texture.
#[derive(Debug)]
pub struct WgpuOffscreen {
    renderer: WgpuRenderer,
    target: Option<wgpu::Texture>,
}

impl WgpuOffscreen {
    /// A renderer on the first adapter found.
    ///
    /// # Errors
    /// [`RenderError::Unavailable`] when there is none.
    pub async fn new() -> Result<Self, RenderError> {
        let unavailable = |why: String| RenderError::Unavailable(why);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions::default())
            .await
            .map_err(|error| unavailable(error.to_string()))?;
        let (device, queue) = adapter
            .request_device(&crate::wgpu_device::descriptor(&adapter))
            .await
            .map_err(|error| unavailable(error.to_string()))?;
        Ok(Self {
            renderer: WgpuRenderer::new(device, queue, FORMAT),
            target: None,
        })
    }

    /// Waits until everything submitted is drawn.
    ///
    /// # Errors
    /// [`RenderError::Lost`] when the device has gone.
    pub fn wait(&self) -> Result<(), RenderError> {
        let waited = self
            .renderer
            .device()
            .poll(wgpu::PollType::wait_indefinitely());
        waited
            .map(|_| ())
            .map_err(|error| RenderError::Lost(error.to_string()))
    }

    /// The picture: rows from the top, four bytes a pixel; empty before the first.
    ///
    /// # Errors
    /// [`RenderError::Lost`] when the device has gone.
    pub fn read_rgba(&self) -> Result<Vec<u8>, RenderError> {
        let Some(target) = &self.target else {
            return Ok(Vec::new());
        };
        let row = target.width() * 4;
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self
            .renderer
            .device()
            .create_buffer(&wgpu::BufferDescriptor {
                label: Some("picture"),
                size: u64::from(padded) * u64::from(target.height()),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
        let mut encoder = self
            .renderer
            .device()
            .create_command_encoder(&Default::default());
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(padded),
            rows_per_image: None,
        };
        encoder.copy_texture_to_buffer(
            target.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout,
            },
            target.size(),
        );
        self.renderer.queue().submit([encoder.finish()]);
        let (sender, receiver) = mpsc::channel();
        buffer
            .slice(..)
            .map_async(wgpu::MapMode::Read, move |result| {
                // The receiver is gone only if reading has been given up.
                let _ = sender.send(result);
            });
        self.wait()?;
        let lost = |why: String| RenderError::Lost(why);
        let mapped = receiver.recv().map_err(|error| lost(error.to_string()))?;
        mapped.map_err(|error| lost(error.to_string()))?;
        let bytes = buffer
            .slice(..)
            .get_mapped_range()
            .map_err(|error| lost(error.to_string()))?;
        let rows = bytes.chunks_exact(padded as usize);
        Ok(rows
            .flat_map(|padded| &padded[..row as usize])
            .copied()
            .collect())
    }

    fn target(&mut self, frame: &Frame<'_>) -> Result<wgpu::TextureView, RenderError> {
        let (columns, rows) = device_size(&frame.camera, frame.scale);
        let (width, height) = (columns.unsigned_abs(), rows.unsigned_abs());
        let limit = self.renderer.device().limits().max_texture_dimension_2d;
        if width.max(height) > limit {
            let limit = limit as usize * limit as usize;
            return Err(RenderError::TooLarge { limit });
        }
        let fits = |target: &wgpu::Texture| target.width() == width && target.height() == height;
        let target = match self.target.take().filter(fits) {
            Some(target) => target,
            None => texture(self.renderer.device(), width, height),
        };
        let view = target.create_view(&Default::default());
        self.target = Some(target);
        Ok(view)
    }
}

impl Renderer for WgpuOffscreen {
    fn upload(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError> {
        self.renderer.load(scene)
    }

    fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        let view = self.target(frame)?;
        self.renderer.draw_to(&view, frame);
        Ok(())
    }
}

fn texture(device: &wgpu::Device, width: u32, height: u32) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}
