//! Pictures by WebGPU, and the benchmark of pictures, which draws both ways.

use std::future::Future;
use std::pin::Pin;

use timeline::renderer::Renderer;
use timeline::wgpu_canvas::WgpuCanvas;
use wasm_bindgen::JsValue;
use wasm_split_helpers::wasm_split;
use web_sys::HtmlCanvasElement;

use super::{Table, Unfetched};
use crate::bench;

/// A renderer that was asked for.
type Asking = Pin<Box<dyn Future<Output = Option<Box<dyn Renderer>>>>>;

/// Figures that were asked for.
type Measuring = Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>>;

/// The part's functions.
pub(crate) struct Functions {
    /// A renderer on this canvas, unless the browser gives no device.
    pub(crate) on: fn(HtmlCanvasElement) -> Asking,
    /// Measures what is asked.
    pub(crate) bench: fn(JsValue) -> Measuring,
}

static FUNCTIONS: Functions = Functions {
    on: |canvas| {
        Box::pin(async {
            let canvas = WgpuCanvas::for_canvas(canvas).await.ok()?;
            Some(Box::new(canvas) as Box<dyn Renderer>)
        })
    },
    bench: |asked| Box::pin(async move { bench::measured(&asked).await }),
};

#[wasm_split(gpu, fallible)]
pub(super) fn fetch() -> Result<Table, Unfetched> {
    Ok(&FUNCTIONS)
}
