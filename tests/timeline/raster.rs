//! Pixels of scenes made by hand, at places worked out by hand.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use tests::scenes::arbitrary;
use timeline::camera::{Camera, Range};
use timeline::labelling::Labelling;
use timeline::palette::{Rgb, Theme};
use timeline::raster_renderer::RasterRenderer;
use timeline::renderer::{Frame, Marks, RenderError, Renderer};
use timeline::scene::{Fill, Lines, Rect, Scene};

/// Ten pixels a step, one pixel a byte; byte 0 is in the bottom row.
const CAMERA: Camera = Camera {
    x: Range {
        start: 0.0,
        end: 10.0,
    },
    y: Range {
        start: 0.0,
        end: 50.0,
    },
    width: 100.0,
    height: 50.0,
    labelling: Labelling::USUAL,
};

fn scene() -> Arc<Scene> {
    let rect = |x0, x1, y0, y1| Rect { x0, x1, y0, y1 };
    let rects = [
        rect(1.0, 3.0, 10.0, 30.0),  // columns 10..30, rows 20..40
        rect(5.0, 7.0, 0.0, 2.0),    // columns 50..70, rows 48..50: too thin for an edge
        rect(8.0, 8.0, 20.0, 30.0),  // no length: column 80, rows 20..30
        rect(9.0, 10.0, 40.0, 40.0), // no size: row 9, columns 90..100
        rect(4.0, 5.0, 10.0, 30.0),  // columns 40..50, rows 20..40, with vertical lines
    ];
    let coloring = |index: usize| Fill {
        color: u8::try_from(index).unwrap(),
        pattern: if index == 4 { 5 } else { 0 },
    };
    Arc::new(Scene::from_rects(&rects, &coloring, Lines::default()))
}

struct Picture {
    rgba: Vec<u8>,
    columns: usize,
}

impl Picture {
    fn draw(camera: Camera, scale: f64, marks: Marks<'_>) -> Self {
        let theme = Theme::light();
        let mut renderer = RasterRenderer::new();
        renderer.upload(&scene()).unwrap();
        let frame = Frame {
            camera,
            scale,
            theme: &theme,
            opaque: true,
            marks,
        };
        renderer.draw(&frame).unwrap();
        Self {
            rgba: renderer.rgba().to_vec(),
            columns: renderer.size().0,
        }
    }

    fn at(&self, column: usize, row: usize) -> Rgb {
        let start = (row * self.columns + column) * 4;
        assert_eq!(self.rgba[start + 3], 255, "opaque");
        [self.rgba[start], self.rgba[start + 1], self.rgba[start + 2]]
    }

    fn count(&self, color: Rgb) -> usize {
        self.rgba
            .chunks(4)
            .filter(|pixel| pixel[..3] == color)
            .count()
    }
}

#[test]
fn fill_edge_and_background() {
    let theme = Theme::light();
    let picture = Picture::draw(CAMERA, 1.0, Marks::default());
    assert_eq!(picture.rgba.len(), 100 * 50 * 4);
    for (column, row) in [(9, 30), (30, 30), (20, 19), (20, 40), (0, 0), (99, 49)] {
        assert_eq!(picture.at(column, row), theme.background, "{column} {row}");
    }
    for (column, row) in [(10, 20), (29, 20), (10, 39), (29, 39), (20, 20), (10, 30)] {
        assert_eq!(picture.at(column, row), theme.ink(0), "edge {column} {row}");
    }
    for (column, row) in [(11, 21), (28, 38), (20, 30)] {
        assert_eq!(
            picture.at(column, row),
            theme.fill(0),
            "inside {column} {row}"
        );
    }
    assert_eq!(picture.count(theme.fill(0)), 18 * 18);
    assert_eq!(picture.count(theme.ink(0)), 20 * 20 - 18 * 18);
}

#[test]
fn the_thin_the_short_and_the_empty_are_seen() {
    let theme = Theme::light();
    let picture = Picture::draw(CAMERA, 1.0, Marks::default());
    assert_eq!(picture.count(theme.fill(1)), 20 * 2, "thin: no edge");
    assert_eq!(picture.at(50, 48), theme.fill(1));
    assert_eq!(picture.count(theme.fill(2)), 10, "no length");
    assert_eq!(picture.at(80, 20), theme.fill(2));
    assert_eq!(picture.at(80, 29), theme.fill(2));
    assert_eq!(picture.count(theme.fill(3)), 10, "no size");
    assert_eq!(picture.at(90, 9), theme.fill(3));
}

#[test]
fn patterns_start_at_the_corner() {
    let theme = Theme::light();
    let picture = Picture::draw(CAMERA, 1.0, Marks::default());
    // Vertical lines: the third and the seventh of every eight columns.
    let row: Vec<bool> = (40..50)
        .map(|column| picture.at(column, 30) == theme.ink(4))
        .collect();
    let edge_and_lines = [
        true, false, true, false, false, false, true, false, false, true,
    ];
    assert_eq!(row, edge_and_lines);
}

#[test]
fn two_device_pixels_make_lines_twice_as_thick() {
    let theme = Theme::light();
    let picture = Picture::draw(CAMERA, 2.0, Marks::default());
    assert_eq!(picture.columns, 200);
    assert_eq!(picture.at(21, 41), theme.ink(0));
    assert_eq!(picture.at(22, 42), theme.fill(0));
    assert_eq!(picture.count(theme.fill(0)), 36 * 36);
}

#[test]
fn marks_ring_and_fade() {
    let theme = Theme::light();
    let dim = [true, false];
    let marks = Marks {
        hovered: Some(1),
        selected: Some(2),
        dim: Some(&dim),
        ..Marks::default()
    };
    let picture = Picture::draw(CAMERA, 1.0, marks);
    assert_eq!(picture.at(20, 30), theme.dimmed(theme.fill(0)));
    assert_eq!(picture.at(55, 49), theme.fill(1));
    assert_eq!(picture.at(48, 47), theme.hovered);
    // Around column 80, rows 20..30: a ring two pixels wide.
    assert_eq!(picture.count(theme.selected), 5 * 14 - 10);
    assert_eq!(picture.at(78, 18), theme.selected);
    let beyond = Marks {
        selected: Some(99),
        ..Marks::default()
    };
    let plain = Picture::draw(CAMERA, 1.0, Marks::default());
    assert_eq!(Picture::draw(CAMERA, 1.0, beyond).rgba, plain.rgba);
}

#[test]
fn any_camera_paints_or_refuses() {
    let theme = Theme::dark();
    let mut renderer = RasterRenderer::new();
    let scene = Arc::new(arbitrary(500, 3));
    renderer.upload(&scene).unwrap();
    let odd = [
        0.0,
        -1.0,
        1e-9,
        1e19,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    for start in odd {
        for end in odd {
            for size in [0.0, f64::NAN, 33.3] {
                let camera = Camera {
                    x: Range::new(start, end),
                    y: Range::new(end, start),
                    width: size,
                    height: size,
                    labelling: Labelling::USUAL,
                };
                let frame = Frame {
                    camera,
                    scale: 1.0,
                    theme: &theme,
                    opaque: true,
                    marks: Marks::default(),
                };
                renderer.draw(&frame).unwrap();
            }
        }
    }
    let camera = Camera {
        width: 1e9,
        height: 1e9,
        ..CAMERA
    };
    let frame = Frame {
        camera,
        scale: 1.0,
        theme: &theme,
        opaque: true,
        marks: Marks::default(),
    };
    assert!(matches!(
        renderer.draw(&frame),
        Err(RenderError::TooLarge { .. })
    ));
}
