//! The raster renderer on a canvas of the page. Browser only.

use std::sync::Arc;

use wasm_bindgen::{Clamped, JsCast as _, JsValue};
use web_sys::{CanvasRenderingContext2d, ContextAttributes2d, HtmlCanvasElement, ImageData};

use crate::raster_renderer::RasterRenderer;
use crate::renderer::{Frame, RenderError, Renderer};
use crate::scene::Scene;

/// Paints onto a canvas.
#[derive(Debug)]
pub struct RasterCanvas {
    renderer: RasterRenderer,
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
}

impl RasterCanvas {
    /// A renderer for `canvas`, which must not have another kind of context.
    ///
    /// # Errors
    /// [`RenderError::Unavailable`] when the canvas gives no 2D context.
    pub fn for_canvas(canvas: HtmlCanvasElement) -> Result<Self, RenderError> {
        let context = context(&canvas).ok().ok_or_else(|| {
            RenderError::Unavailable(String::from("the canvas has no 2D context"))
        })?;
        Ok(Self {
            renderer: RasterRenderer::new(),
            canvas,
            context,
        })
    }
}

/// The 2D context of a canvas that is painted anew with every frame: its pixels stay in memory,
/// where they come from. Where the browser's GPU is a program, a frame of text and pixels that it
/// draws takes half as much time again.
///
/// # Errors
/// A canvas that has another kind of context.
pub fn context(canvas: &HtmlCanvasElement) -> Result<CanvasRenderingContext2d, JsValue> {
    let wanted = ContextAttributes2d::new();
    wanted.set_will_read_frequently(true);
    let context = canvas.get_context_with_context_options("2d", &wanted)?;
    context
        .ok_or(JsValue::NULL)?
        .dyn_into()
        .map_err(JsValue::from)
}

impl Renderer for RasterCanvas {
    fn upload(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError> {
        self.renderer.upload(scene)
    }

    fn draw(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        self.renderer.draw(frame)?;
        let lost = |error: JsValue| RenderError::Lost(format!("{error:?}"));
        let (columns, rows) = self.renderer.size();
        let short = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (width, height) = (short(columns), short(rows));
        if (self.canvas.width(), self.canvas.height()) != (width, height) {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
        }
        let pixels = Clamped(self.renderer.rgba());
        let image = ImageData::new_with_u8_clamped_array_and_sh(pixels, width, height);
        let image = image.map_err(lost)?;
        self.context.put_image_data(&image, 0.0, 0.0).map_err(lost)
    }
}
