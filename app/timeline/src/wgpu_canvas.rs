//! The GPU renderer on a canvas of the page. Browser only.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use web_sys::HtmlCanvasElement;

use crate::renderer::{Frame, RenderError, Renderer};
use crate::scene::Scene;
use crate::snap::device_size;
use crate::wgpu_device::descriptor;
use crate::wgpu_renderer::WgpuRenderer;

/// Draws onto a canvas. After [`RenderError::Lost`] the canvas cannot be used for anything
/// else: the page puts a fresh one in its place and falls back to the raster renderer.
#[derive(Debug)]
pub struct WgpuCanvas {
    renderer: WgpuRenderer,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    canvas: HtmlCanvasElement,
    lost: Arc<Mutex<Option<String>>>,
}

impl WgpuCanvas {
    /// A renderer for `canvas`, which must not have another context.
    ///
    /// # Errors
    /// [`RenderError::Unavailable`] when the browser grants no WebGPU device.
    pub async fn for_canvas(canvas: HtmlCanvasElement) -> Result<Self, RenderError> {
        let unavailable = |why: String| RenderError::Unavailable(why);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let surface = instance
            .create_surface(wgpu::SurfaceTarget::Canvas(canvas.clone()))
            .map_err(|error| unavailable(error.to_string()))?;
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                compatible_surface: Some(&surface),
                ..Default::default()
            })
            .await
            .map_err(|error| unavailable(error.to_string()))?;
        let (device, queue) = adapter
            .request_device(&descriptor(&adapter))
            .await
            .map_err(|error| unavailable(error.to_string()))?;
        let mut configuration = surface
            .get_default_config(&adapter, canvas.width().max(1), canvas.height().max(1))
            .ok_or_else(|| unavailable(String::from("the canvas has no format")))?;
        // Colours are passed as they are, so an sRGB view would brighten them.
        configuration.format = configuration.format.remove_srgb_suffix();
        // What lies under the canvas is seen where no rectangle is.
        configuration.alpha_mode = wgpu::CompositeAlphaMode::PreMultiplied;
        surface.configure(&device, &configuration);
        let lost = Arc::new(Mutex::new(None));
        watch(&device, &lost);
        Ok(Self {
            renderer: WgpuRenderer::new(device, queue, configuration.format),
            surface,
            configuration,
            canvas,
            lost,
        })
    }

    /// Why the device was lost, if it was: asked between frames, so that a page that draws
    /// nothing learns of it too.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.clone()
    }

    /// Waits until the device has done everything that was drawn so far. Drawing never waits;
    /// only a clock has to.
    pub async fn finished(&self) {
        let state = Arc::new(Mutex::new((false, None::<Waker>)));
        let lost = Arc::clone(&state);
        self.renderer.queue().on_submitted_work_done(move || {
            let mut lost = lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.0 = true;
            if let Some(waker) = lost.1.take() {
                waker.wake();
            }
        });
        poll_fn(move |context| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.0 {
                return Poll::Ready(());
            }
            state.1 = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn check(&self) -> Result<(), RenderError> {
        self.lost()
            .map_or(Ok(()), |why| Err(RenderError::Lost(why)))
    }

    /// Gives canvas and surface the frame's size in device pixels.
    fn resize(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        let (columns, rows) = device_size(&frame.camera, frame.scale);
        let (width, height) = (columns.unsigned_abs(), rows.unsigned_abs());
        let limit = self.renderer.device().limits().max_texture_dimension_2d;
        if width.max(height) > limit {
            let limit = (limit as usize).saturating_mul(limit as usize);
            return Err(RenderError::TooLarge { limit });
        }
        if (self.configuration.width, self.configuration.height) != (width, height) {
            (self.configuration.width, self.configuration.height) = (width, height);
            self.canvas.set_width(width);
            self.canvas.set_height(height);
            self.surface
                .configure(self.renderer.device(), &self.configuration);
        }
        Ok(())
    }
}

impl Renderer for WgpuCanvas {
    fn upload(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError> {
        self.check()?;
        self.renderer.load(scene)
    }

    fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        self.check()?;
        self.resize(frame)?;
        let picture = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(picture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(picture) => picture,
            // Nothing to draw on just now; the next frame will do.
            wgpu::CurrentSurfaceTexture::Timeout | wgpu::CurrentSurfaceTexture::Occluded => {
                return Ok(());
            }
            wgpu::CurrentSurfaceTexture::Outdated => {
                self.surface
                    .configure(self.renderer.device(), &self.configuration);
                return Ok(());
            }
            wgpu::CurrentSurfaceTexture::Lost | wgpu::CurrentSurfaceTexture::Validation => {
                return Err(RenderError::Lost(String::from(
                    "the canvas gives no picture",
                )));
            }
        };
        let view = picture.texture.create_view(&Default::default());
        self.renderer.draw_to(&view, frame);
        self.renderer.queue().present(picture);
        self.check()
    }
}

/// Notes the first reason why the device can no longer be trusted.
fn watch(device: &wgpu::Device, lost: &Arc<Mutex<Option<String>>>) {
    let note = |lost: &Mutex<Option<String>>, why: String| {
        let mut lost = lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert(why);
    };
    let by_loss = Arc::clone(lost);
    device.set_device_lost_callback(move |reason, text| {
        note(&by_loss, format!("{reason:?}: {text}"));
    });
    let by_error = Arc::clone(lost);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        note(&by_error, error.to_string());
    }));
}
