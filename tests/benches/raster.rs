//! Milliseconds a frame at 1280×720, and of one hover, by number of rectangles.
//!
//! `cargo bench -p tests --bench raster`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and may fail loudly"
)]

use std::sync::Arc;
use std::time::Instant;

use tests::random::Random;
use tests::scenes::{arbitrary, arbitrary_rects};
use timeline::camera::Camera;
use timeline::hit::hit_screen;
use timeline::labelling::Labelling;
use timeline::palette::{Theme, categorical};
use timeline::raster_renderer::RasterRenderer;
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::{Lines, Scene};
use timeline::wgpu_offscreen::WgpuOffscreen;

const RUNS: u32 = 9;

fn main() {
    println!("{:>9} {:>18} {:>9}", "rects", "what", "ms");
    for count in [10_000, 100_000, 1_000_000] {
        let scene = Arc::new(arbitrary(count, 7));
        let camera = Camera::fitted(scene.extents, 1280.0, 720.0, Labelling::BARE);
        let mut zoomed = camera;
        zoomed.zoom_about(640.0, 360.0, 50.0, 2.0);
        let mut raster = RasterRenderer::new();
        raster.upload(&scene).unwrap();
        report(count, "raster", || frame(&mut raster, camera));
        report(count, "raster, zoomed", || frame(&mut raster, zoomed));
        hover(count, &scene, &camera);
        gpu(count, &scene, camera);
    }
}

fn hover(count: usize, scene: &Scene, camera: &Camera) {
    report(count, "hover", || {
        std::hint::black_box(hit_screen(scene, camera, 1.0, 3.0, 5.0));
    });
    // The worst case: the order says nothing about time, so that no block can be skipped, and
    // the pointer is in a pause that every block spans.
    let (low, high) = (4e8, 6e8);
    let mut random = Random::new(1);
    let mut rects = arbitrary_rects(count, 7);
    for index in (1..count).rev() {
        let other = random.below(index as u64 + 1);
        rects.swap(index, usize::try_from(other).unwrap());
    }
    for rect in &mut rects {
        if rect.y0 < low {
            rect.y1 = rect.y1.min(low);
        } else if rect.y0 < high {
            (rect.y0, rect.y1) = (high, high + rect.y1 - rect.y0);
        }
    }
    let shuffled = Scene::from_rects(&rects, &categorical, Lines::default());
    let (x, y) = camera.screen_from_data(count as f64 / 2.0, 5e8);
    assert_eq!(hit_screen(&shuffled, camera, 1.0, x, y), None);
    report(count, "hover, worst case", || {
        std::hint::black_box(hit_screen(&shuffled, camera, 1.0, x, y));
    });
}

fn frame(renderer: &mut dyn Renderer, camera: Camera) {
    let theme = Theme::dark();
    let frame = Frame {
        camera,
        scale: 1.0,
        theme: &theme,
        opaque: true,
        marks: Marks::default(),
    };
    renderer.draw(&frame).unwrap();
}

fn gpu(count: usize, scene: &Arc<Scene>, camera: Camera) {
    let mut gpu = match pollster::block_on(WgpuOffscreen::new()) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("{count:>9} wgpu SKIPPED: {error}");
            return;
        }
    };
    report(count, "wgpu upload", || gpu.upload(scene).unwrap());
    report(count, "wgpu", || {
        frame(&mut gpu, camera);
        gpu.wait().unwrap();
    });
}

/// Prints the median of some runs.
fn report(count: usize, what: &str, mut run: impl FnMut()) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!("{count:>9} {what:>18} {median:>9.2}");
}
