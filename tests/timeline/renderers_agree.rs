//! The GPU's picture is the raster renderer's. Skipped where no adapter is.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use tests::scenes;
use tests::skipped::skip;
use timeline::camera::{Camera, Range};
use timeline::labelling::Labelling;
use timeline::palette::Theme;
use timeline::raster_renderer::RasterRenderer;
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::Scene;
use timeline::wgpu_offscreen::WgpuOffscreen;

/// The GPU calculates in f32, so an edge that falls half-way between two pixels may be
/// rounded the other way. On these pictures at most this share of pixels may differ.
const TOLERANCE: f64 = 0.0005;

struct Case {
    name: &'static str,
    scene: Arc<Scene>,
    camera: Camera,
    scale: f64,
    marks: Marks<'static>,
}

fn cases() -> Vec<Case> {
    let (width, height) = (640.0, 360.0);
    let whole = |scene: &Scene| Camera::fitted(scene.extents, width, height, Labelling::BARE);
    let small = Arc::new(scenes::arbitrary(200, 1));
    let many = Arc::new(scenes::arbitrary(20_000, 2));
    let huge = Arc::new(scenes::huge_arena());
    let pauses = Arc::new(scenes::paused(200, 3));
    let mut zoomed = whole(&many);
    zoomed.zoom_about(200.0, 150.0, 7.3, 3.1);
    let close = Camera {
        y: Range::new(scenes::HUGE - 70_000.25, scenes::HUGE + 70_000.5),
        ..whole(&huge)
    };
    let marks = Marks {
        hovered: Some(7),
        selected: Some(12),
        ..Marks::default()
    };
    let case = |name, scene: &Arc<Scene>, camera, scale, marks| Case {
        name,
        scene: Arc::clone(scene),
        camera,
        scale,
        marks,
    };
    vec![
        case("small", &small, whole(&small), 1.0, Marks::default()),
        case(
            "marked, two device pixels",
            &small,
            whole(&small),
            2.0,
            marks,
        ),
        case("many", &many, whole(&many), 1.0, Marks::default()),
        case("many, zoomed", &many, zoomed, 1.5, marks),
        case("60 GiB", &huge, close, 1.0, Marks::default()),
        case("pauses", &pauses, whole(&pauses), 1.0, Marks::default()),
        case("pauses, marked", &pauses, whole(&pauses), 2.0, marks),
    ]
}

#[test]
fn pictures_agree() {
    let mut gpu = match pollster::block_on(WgpuOffscreen::new()) {
        Ok(gpu) => gpu,
        Err(error) => {
            return skip(&format!(
                "{error}. Set VK_ICD_FILENAMES to a software Vulkan driver."
            ));
        }
    };
    let mut raster = RasterRenderer::new();
    let dim: Vec<bool> = (0..200).map(|index| index % 3 == 0).collect();
    for theme in [Theme::light(), Theme::dark()] {
        for case in cases() {
            for dim in [None, Some(dim.as_slice())] {
                let frame = Frame {
                    camera: case.camera,
                    scale: case.scale,
                    theme: &theme,
                    opaque: true,
                    marks: Marks { dim, ..case.marks },
                };
                agree(&mut gpu, &mut raster, &case, &frame);
            }
        }
    }
}

fn agree(gpu: &mut WgpuOffscreen, raster: &mut RasterRenderer, case: &Case, frame: &Frame<'_>) {
    gpu.upload(&case.scene).unwrap();
    gpu.draw(frame).unwrap();
    raster.upload(&case.scene).unwrap();
    raster.draw(frame).unwrap();
    let (theirs, ours) = (gpu.read_rgba().unwrap(), raster.rgba());
    assert_eq!(theirs.len(), ours.len(), "{}", case.name);
    let pairs = theirs.chunks(4).zip(ours.chunks(4));
    let differing = pairs.filter(|(a, b)| a != b).count();
    let share = differing as f64 / (ours.len() / 4) as f64;
    assert!(share <= TOLERANCE, "{}: {differing} differ", case.name);
    let background = frame.theme.background;
    let painted = ours.chunks(4).filter(|pixel| pixel[..3] != background);
    assert!(painted.count() > ours.len() / 400, "{}: blank", case.name);
}
