//! Draws a memory plan: lifetimes + plan → scene → camera + renderer → pixels.
//!
//! A [`Scene`](scene::Scene) is columns of rectangles, one per buffer: time runs to the right
//! in steps, offsets run up in bytes. A [`Camera`](camera::Camera) says which part is seen.
//! [`snap`] turns both into whole device pixels; every
//! [`Renderer`](renderer::Renderer) paints those same pixels, so the pictures agree. Text,
//! rulers and lines are data too ([`overlay`]), drawn over the rectangles by a canvas or
//! written as SVG. Nothing here knows the page, its state or the worker.

// In reading order.
pub mod scene;
mod shown_until;
pub mod motion;
pub mod labelling;
pub mod camera;
pub mod snap;
pub mod palette;
pub mod operator_fills;
pub mod classes;
pub mod renderer;
pub mod raster_renderer;
pub mod record_renderer;
pub mod hit;
pub mod axis;
pub mod overlay;
mod overlay_captions;
mod overlay_curve;
mod overlay_labels;
mod overlay_rulers;
pub mod overlay_run;
pub mod overlay_film;
pub mod overlay_difference;
pub mod overlay_spot;
pub mod overlay_lanes;
pub mod graph_strip;
pub mod overlay_graph;
mod overlay_graph_density;
mod overlay_graph_window;
pub mod minimap;
pub mod chart;
pub mod slide;
pub mod svg;
#[cfg(target_arch = "wasm32")]
pub mod raster_canvas;
#[cfg(target_arch = "wasm32")]
pub mod overlay_canvas;
#[cfg(any(target_arch = "wasm32", feature = "wgpu-native"))]
pub mod wgpu_renderer;
#[cfg(any(target_arch = "wasm32", feature = "wgpu-native"))]
mod wgpu_device;
#[cfg(target_arch = "wasm32")]
pub mod wgpu_canvas;
#[cfg(all(not(target_arch = "wasm32"), feature = "wgpu-native"))]
pub mod wgpu_offscreen;
