//! Pictures by WebGPU, and the benchmark of pictures.

use std::future::Future;
use std::pin::Pin;

use timeline::renderer::Renderer;
use wasm_bindgen::JsValue;
use web_sys::HtmlCanvasElement;

/// A renderer that was asked for.
pub(crate) type Asking = Pin<Box<dyn Future<Output = Option<Box<dyn Renderer>>>>>;

/// Figures that were asked for.
pub(crate) type Measuring = Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>>;

/// The part's functions.
pub(crate) struct Functions {
    /// A renderer on this canvas, unless the browser gives no device.
    pub(crate) on: fn(HtmlCanvasElement) -> Asking,
    /// Measures what is asked.
    pub(crate) bench: fn(JsValue) -> Measuring,
}
