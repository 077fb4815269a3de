//! Paints one picture: the rectangles on one canvas, rulers and labels on another above it.
//!
//! The raster renderer is the base. WebGPU has a canvas of its own, because a canvas keeps
//! the first kind of context that it was asked for; when its device is lost, the raster
//! canvas simply shows again.

use conversation::Drawing;
use std::sync::Arc;

use leptos::html::Canvas;
use leptos::prelude::*;
use timeline::camera::Camera;
use timeline::palette;
use timeline::raster_canvas::RasterCanvas;
pub(crate) use timeline::raster_canvas::context;
use timeline::renderer::{Frame, Marks, RenderError, Renderer};
use timeline::scene::{Rect, Scene};
use worker::Prepared;

/// From this many rectangles on, WebGPU is chosen by itself where there is one: below it,
/// pixels are there sooner than a device is.
const GPU_FROM: usize = 200_000;

/// Everything that one picture depends on.
#[derive(Clone)]
pub(crate) struct Picture {
    /// What the scene is a plan of; `None` while a film is shown.
    pub(crate) of: Option<Arc<Prepared>>,
    pub(crate) scene: Arc<Scene>,
    pub(crate) camera: Camera,
    pub(crate) dark: bool,
    pub(crate) hovered: Option<usize>,
    pub(crate) selected: Option<usize>,
    pub(crate) dim: Option<Arc<Vec<bool>>>,
    /// Empty parts, hatched.
    pub(crate) holes: Arc<Vec<Rect>>,
    pub(crate) drawing: Drawing,
}

/// The canvases of one pane and the renderers that draw on them.
pub(crate) struct Painter {
    pub(crate) raster_canvas: NodeRef<Canvas>,
    pub(crate) gpu_canvas: NodeRef<Canvas>,
    /// Made with the first picture: the canvas is not there before.
    raster: Option<RasterCanvas>,
    /// The scene that the raster renderer holds.
    raster_scene: Option<Arc<Scene>>,
    gpu: Gpu,
}

enum Gpu {
    /// Not asked for yet.
    Unasked,
    /// Asked for, not answered.
    Asked,
    /// There, with the scene that it holds.
    Ready(Box<dyn Renderer>, Option<Arc<Scene>>),
    /// Refused or lost.
    Gone,
}

/// What became of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Painted {
    /// Drawn.
    Yes,
    /// Drawn by the raster renderer, and a device should be asked for.
    WantsGpu,
    /// Drawn by the raster renderer, because the device is gone.
    LostGpu,
}

impl Painter {
    pub(crate) fn new(raster_canvas: NodeRef<Canvas>, gpu_canvas: NodeRef<Canvas>) -> Self {
        Self {
            raster_canvas,
            gpu_canvas,
            raster: None,
            raster_scene: None,
            gpu: Gpu::Unasked,
        }
    }

    /// Takes note that a device was asked for.
    pub(crate) fn asked(&mut self) {
        self.gpu = Gpu::Asked;
    }

    /// Takes the device that was asked for, or the refusal.
    pub(crate) fn answered(&mut self, gpu: Option<Box<dyn Renderer>>) {
        self.gpu = gpu.map_or(Gpu::Gone, |gpu| Gpu::Ready(gpu, None));
    }

    /// Paints `picture`.
    pub(crate) fn paint(&mut self, picture: &Picture) -> Painted {
        let wanted = match picture.drawing {
            Drawing::Raster => false,
            Drawing::Wgpu => true,
            Drawing::Automatic => picture.scene.len() >= GPU_FROM,
        };
        let theme = theme(picture.dark);
        let frame = frame(picture, &theme);
        let mut painted = Painted::Yes;
        if wanted {
            match self.paint_gpu(&picture.scene, &frame) {
                Some(Ok(())) => {
                    self.show(true);
                    return Painted::Yes;
                }
                Some(Err(_)) => {
                    self.gpu = Gpu::Gone;
                    painted = Painted::LostGpu;
                }
                None if matches!(self.gpu, Gpu::Unasked) => painted = Painted::WantsGpu,
                None => {}
            }
        }
        self.show(false);
        self.paint_raster(&picture.scene, &frame);
        painted
    }

    fn paint_gpu(
        &mut self,
        scene: &Arc<Scene>,
        frame: &Frame<'_>,
    ) -> Option<Result<(), RenderError>> {
        let Gpu::Ready(gpu, held) = &mut self.gpu else {
            return None;
        };
        if !held.as_ref().is_some_and(|held| Arc::ptr_eq(held, scene)) {
            if let Err(error) = gpu.upload(scene) {
                return Some(Err(error));
            }
            *held = Some(Arc::clone(scene));
        }
        Some(gpu.draw(frame))
    }

    fn paint_raster(&mut self, scene: &Arc<Scene>, frame: &Frame<'_>) {
        if self.raster.is_none() {
            let canvas = self.raster_canvas.get_untracked();
            self.raster = canvas.and_then(|canvas| RasterCanvas::for_canvas(canvas).ok());
        }
        let Some(raster) = &mut self.raster else {
            return;
        };
        let held = self.raster_scene.as_ref();
        if !held.is_some_and(|held| Arc::ptr_eq(held, scene)) {
            if raster.upload(scene).is_err() {
                return;
            }
            self.raster_scene = Some(Arc::clone(scene));
        }
        // Fails only for a picture of no pixels, and then there is nothing to show.
        let _ = raster.draw(frame);
    }

    fn show(&self, gpu: bool) {
        for (canvas, shown) in [(self.gpu_canvas, gpu), (self.raster_canvas, !gpu)] {
            if let Some(canvas) = canvas.get_untracked() {
                canvas.set_hidden(!shown);
            }
        }
    }
}

/// The colours of the dark or the light page.
pub(crate) fn theme(dark: bool) -> palette::Theme {
    if dark {
        palette::Theme::dark()
    } else {
        palette::Theme::light()
    }
}

/// Device pixels per CSS pixel.
pub(crate) fn scale() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}

fn frame<'a>(picture: &'a Picture, theme: &'a palette::Theme) -> Frame<'a> {
    Frame {
        camera: picture.camera,
        scale: scale(),
        theme,
        opaque: false,
        marks: Marks {
            hovered: picture.hovered,
            selected: picture.selected,
            dim: picture.dim.as_ref().map(|dim| dim.as_slice()),
            holes: &picture.holes,
        },
    }
}
