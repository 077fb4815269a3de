//! The page's part of the benchmark: `arenascope_bench({ rectangles, renderer })` on the
//! window draws generated rectangles as the page draws a plan, and answers in milliseconds.
//!
//! It is part of the release page, because only there the figures are those of the page; it
//! costs nothing until it is called.

use std::sync::Arc;

use conversation::Drawing;
use js_sys::{Array, Object, Promise, Reflect};
use timeline::camera::Camera;
use timeline::hit::hit_screen;
use timeline::labelling::Labelling;
use timeline::palette::{Theme, categorical};
use timeline::raster_canvas::RasterCanvas;
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::{Lines, Rect, Scene};
use timeline::wgpu_canvas::WgpuCanvas;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlCanvasElement, Performance, Window};

use crate::lazy::GPU;
use crate::state::session::to_f64;

/// Size of the picture in pixels.
const SIZE: (u32, u32) = (1280, 720);

/// Frames that are drawn; the first ones are not counted, because they prepare the device.
const FRAMES: u32 = 13;

const WARM_UP: usize = 2;

/// Places that are pointed at, spread over the picture.
const HOVERS: u32 = 200;

/// More rectangles than this are not drawn: they would fill the memory.
const MOST: f64 = 4e6;

/// Puts the benchmark on the window.
pub(crate) fn offer() {
    let run = Closure::<dyn Fn(JsValue) -> Promise>::new(|asked: JsValue| {
        Promise::new(&mut |resolve, reject| {
            let asked = asked.clone();
            GPU.then(move |gpu| {
                wasm_bindgen_futures::spawn_local(async move {
                    // A promise can always be kept.
                    let _ = match (gpu.bench)(asked).await {
                        Ok(figures) => resolve.call1(&JsValue::NULL, &figures),
                        Err(error) => reject.call1(&JsValue::NULL, &error),
                    };
                });
            });
        })
    });
    if let Some(window) = web_sys::window() {
        // A window takes any property.
        let _ = Reflect::set(&window, &"arenascope_bench".into(), run.as_ref());
    }
    run.forget();
}

/// What everything here needs from the browser.
struct Bench {
    window: Window,
    clock: Performance,
    canvas: HtmlCanvasElement,
}

pub(crate) async fn measured(asked: &JsValue) -> Result<JsValue, JsValue> {
    let window = web_sys::window().ok_or("no window")?;
    let document = window.document().ok_or("no document")?;
    let bench = Bench {
        clock: window.performance().ok_or("no clock")?,
        canvas: document.create_element("canvas")?.unchecked_into(),
        window,
    };
    let rectangles = Reflect::get(asked, &"rectangles".into())?.as_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to what fits"
    )]
    let count = rectangles.unwrap_or_default().clamp(1.0, MOST) as u32;
    let renderer = Reflect::get(asked, &"renderer".into())?.as_string();
    let scene = scene(count, 1);
    let gpu = renderer.as_deref().and_then(Drawing::named) == Some(Drawing::Wgpu);
    let frames = bench.frames(&scene, gpu).await?;
    // The same rectangles in an order that says nothing about time.
    let scattered = bench.hovers(&self::scene(count, 514_229));
    let answer = Object::new();
    let figures = [
        ("frame_ms", frames),
        ("hover_ms", bench.hovers(&scene)),
        ("scattered_hover_ms", scattered),
    ];
    for (name, figures) in figures {
        let figures: Array = figures.into_iter().map(JsValue::from).collect();
        Reflect::set(&answer, &name.into(), &figures)?;
    }
    Ok(answer.into())
}

/// The renderer.
enum Drawn {
    Raster(RasterCanvas),
    Gpu(Box<WgpuCanvas>),
}

impl Drawn {
    fn renderer(&mut self) -> &mut dyn Renderer {
        match self {
            Self::Raster(raster) => raster,
            Self::Gpu(gpu) => gpu.as_mut(),
        }
    }
}

impl Bench {
    /// Milliseconds of each frame. The figure of a GPU's frame ends when the GPU has drawn it;
    /// the raster renderer is done when it returns.
    async fn frames(&self, scene: &Arc<Scene>, gpu: bool) -> Result<Vec<f64>, JsValue> {
        let mut drawn = if gpu {
            Drawn::Gpu(Box::new(
                WgpuCanvas::for_canvas(self.canvas.clone())
                    .await
                    .map_err(said)?,
            ))
        } else {
            Drawn::Raster(RasterCanvas::for_canvas(self.canvas.clone()).map_err(said)?)
        };
        drawn.renderer().upload(scene).map_err(said)?;
        let mut times = Vec::new();
        for number in 0..FRAMES {
            self.pause().await?;
            let start = self.clock.now();
            draw(drawn.renderer(), scene, number)?;
            if let Drawn::Gpu(gpu) = &drawn {
                gpu.finished().await;
            }
            times.push(self.clock.now() - start);
        }
        Ok(times.split_off(WARM_UP))
    }

    /// How long each answer to "what is here?" takes.
    fn hovers(&self, scene: &Scene) -> Vec<f64> {
        let camera = camera(scene);
        let hover = |number: u32| {
            // Steps of the golden ratio leave no part of the picture out.
            let x = f64::from(number) * 0.618_034 % 1.0 * camera.width;
            let y = f64::from(number) / f64::from(HOVERS) * camera.height;
            let start = self.clock.now();
            std::hint::black_box(hit_screen(scene, &camera, 1.0, x, y));
            self.clock.now() - start
        };
        (0..HOVERS).map(hover).collect()
    }

    /// Lets the browser do what it has to between two frames.
    async fn pause(&self) -> Result<(), JsValue> {
        let later = Promise::new(&mut |resolve, _| {
            let _ = self.window.set_timeout_with_callback(&resolve);
        });
        JsFuture::from(later).await.map(drop)
    }
}

/// Frame `number`: a little further on, so that no picture is the one before.
fn draw(renderer: &mut dyn Renderer, scene: &Scene, number: u32) -> Result<(), JsValue> {
    let mut camera = camera(scene);
    camera.pan_by(-f64::from(number), 0.0);
    let frame = Frame {
        camera,
        scale: 1.0,
        theme: &Theme::dark(),
        opaque: true,
        marks: Marks::default(),
    };
    renderer.draw(&frame).map_err(said)
}

fn camera(scene: &Scene) -> Camera {
    let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
    Camera::fitted(scene.extents, width, height, Labelling::BARE)
}

/// `count` rectangles like those of a plan: one begins at every step, most are short and
/// small, one in fifty is long, sizes go over six orders of magnitude. The begin of the next
/// one is `stride` steps on, around the end: 1 for the order of first use.
fn scene(count: u32, stride: u64) -> Arc<Scene> {
    let mut state = 1;
    // The minimal standard generator.
    let mut below = |limit: u32| {
        state = state * 48_271 % 2_147_483_647_u64;
        to_f64(state % u64::from(limit))
    };
    let rect = |number: u32| {
        let x0 = to_f64(u64::from(number) * stride % u64::from(count));
        let longest = if number.is_multiple_of(50) {
            count / 4
        } else {
            24
        };
        let y0 = below(1 << 24) * 64.0;
        Rect {
            x0,
            x1: x0 + below(longest + 1),
            y0,
            y1: y0 + below(1 << (2 + number % 20)) * 64.0,
        }
    };
    let rects: Vec<Rect> = (0..count).map(rect).collect();
    Arc::new(Scene::from_rects(&rects, &categorical, Lines::default()))
}

fn said(error: impl std::fmt::Display) -> JsValue {
    JsValue::from_str(&error.to_string())
}
