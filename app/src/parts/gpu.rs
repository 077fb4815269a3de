//! Pictures by WebGPU, and the benchmark of pictures, which draws both ways.

use timeline::renderer::Renderer;
use timeline::wgpu_canvas::WgpuCanvas;
use wasm_split_helpers::wasm_split;

use crate::bench;
use crate::lazy::gpu::Functions;
use crate::lazy::{Table, Unfetched};

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
