//! A buffer with pauses is drawn where it is needed, and dimmed where it is not; another inside
//! a pause is seen and hit there. Places are worked out by hand.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::sync::Arc;

use planner::bounds::bounds;
use planner::storage::StorageId;
use planner::{Buffer, Bytes, Lifetimes, Offset, Pause, Plan, Span, Step, profile};
use timeline::camera::{Camera, Range};
use timeline::hit::{hit, hit_screen, nearest};
use timeline::labelling::Labelling;
use timeline::overlay::Overlay;
use timeline::palette::{PATTERNS, Theme, categorical};
use timeline::raster_renderer::RasterRenderer;
use timeline::record_renderer::{Drawn, RecordRenderer};
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::{AGAIN, Fill, HATCH, Rect, Scene};

/// Ten pixels a step, one pixel a byte; byte 0 is in the bottom row.
const CAMERA: Camera = Camera {
    x: Range {
        start: 0.0,
        end: 12.0,
    },
    y: Range {
        start: 0.0,
        end: 50.0,
    },
    width: 120.0,
    height: 50.0,
    labelling: Labelling::USUAL,
};

fn rect(x0: f64, x1: f64, y0: f64, y1: f64) -> Rect {
    Rect { x0, x1, y0, y1 }
}

/// `b`, of 40 bytes from step 0 to 12 at offset 0, needs nothing from 4 to 6 and only its bytes
/// 10 to 30 from 6 to 9. `a`, before it in the file, lies in the first pause at byte 20.
fn lifetimes() -> Lifetimes {
    let pause = |start, end, window| Pause {
        span: Span::new(start, end),
        window,
    };
    Lifetimes {
        buffers: vec![
            Buffer::new("a", 20, Span::new(4, 6)),
            Buffer {
                pauses: vec![pause(4, 6, None), pause(6, 9, Some((Bytes(10), Bytes(30))))],
                ..Buffer::new("b", 40, Span::new(0, 12))
            },
        ],
        horizon: Step(12),
        ..Lifetimes::default()
    }
}

fn scene_of(lifetimes: &Lifetimes, offsets: &[u64]) -> Arc<Scene> {
    let plan = Plan {
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(40),
        ..Plan::default()
    };
    let plain = |index: usize| Fill {
        color: u8::try_from(index).unwrap(),
        pattern: 0,
    };
    Arc::new(Scene::new(
        lifetimes,
        &plan,
        (&bounds(lifetimes), &profile(lifetimes)),
        &plain,
    ))
}

fn scene() -> Arc<Scene> {
    scene_of(&lifetimes(), &[20, 0])
}

fn frame<'a>(theme: &'a Theme, marks: Marks<'a>) -> Frame<'a> {
    Frame {
        camera: CAMERA,
        scale: 1.0,
        theme,
        opaque: true,
        marks,
    }
}

fn recorded(scene: &Arc<Scene>, marks: Marks<'_>) -> RecordRenderer {
    let mut record = RecordRenderer::default();
    record.upload(scene).unwrap();
    record.draw(&frame(&Theme::light(), marks)).unwrap();
    record
}

#[test]
fn what_is_needed_lies_over_the_whole_span() {
    let scene = scene();
    assert_eq!((scene.buffers(), scene.len()), (2, 5));
    assert_eq!(scene.rect(0), Some(rect(4.0, 6.0, 20.0, 40.0)));
    assert_eq!(scene.rect(1), Some(rect(0.0, 12.0, 0.0, 40.0)));
    assert_eq!(scene.rect(2), None);
    let drawn = recorded(&scene, Marks::default()).drawn;
    let summary = |it: &Drawn| {
        let cell = it.cell;
        (
            it.index,
            it.outline,
            it.dim,
            [cell.left, cell.right, cell.top, cell.bottom],
        )
    };
    let summaries: Vec<_> = drawn.iter().map(summary).collect();
    // Byte y is row 49 - y.
    let expected = [
        (1, true, false, [0, 120, 10, 50]),
        (0, false, false, [40, 60, 10, 30]),
        (1, false, false, [0, 40, 10, 50]),
        (1, false, false, [60, 90, 20, 40]),
        (1, false, false, [90, 120, 10, 50]),
    ];
    assert_eq!(summaries, expected);
    assert_eq!(drawn[0].fill.pattern, HATCH);
    assert!(PATTERNS[usize::from(HATCH)] != [0; 8]);
}

/// The picture says the same as the line of live bytes above it.
#[test]
fn picture_and_live_line_agree() {
    let lifetimes = lifetimes();
    let drawn = recorded(&scene(), Marks::default()).drawn;
    let live = profile(&lifetimes).points;
    for step in 0..12 {
        let column = i32::try_from(step).unwrap() * 10 + 5;
        let seen = drawn.iter().filter(|it| !it.outline);
        let seen = seen.filter(|it| it.cell.left <= column && column < it.cell.right);
        let seen: i32 = seen.map(|it| it.cell.bottom - it.cell.top).sum();
        let now = live.iter().rfind(|(from, _)| from.0 <= step).unwrap();
        assert_eq!(u64::try_from(seen).unwrap(), now.1.0, "step {step}");
    }
}

#[test]
fn a_buffer_is_hit_in_its_pause_unless_another_lies_there() {
    let scene = scene();
    let cases = [
        (2.0, 5.0, Some(1)),   // needed
        (5.0, 5.0, Some(1)),   // in the pause
        (5.0, 25.0, Some(0)),  // another in the pause
        (7.0, 5.0, Some(1)),   // below the window
        (7.0, 35.0, Some(1)),  // above the window
        (11.0, 39.0, Some(1)), // needed again
        (11.0, 41.0, None),
    ];
    for (x, y, expected) in cases {
        assert_eq!(hit(&scene, x, y), expected, "{x}, {y}");
        let (left, top) = CAMERA.screen_from_data(x, y);
        assert_eq!(
            hit_screen(&scene, &CAMERA, 1.0, left, top),
            expected,
            "{x}, {y}"
        );
        assert_eq!(
            nearest(&scene, &CAMERA, left, top, 0.5),
            expected,
            "{x}, {y}"
        );
    }
}

#[test]
fn marks_follow_the_buffer_and_hide_nobody_in_its_pause() {
    let scene = scene();
    let marks = Marks {
        selected: Some(1),
        dim: Some(&[false, true]),
        ..Marks::default()
    };
    let record = recorded(&scene, marks);
    let dim: Vec<bool> = record.drawn.iter().map(|it| it.dim).collect();
    assert_eq!(dim, [true, false, true, true, true]);
    let rings: Vec<_> = record
        .rings
        .iter()
        .map(|ring| (ring.0, ring.1.left))
        .collect();
    assert_eq!(rings, [(1, 0), (1, 60), (1, 90)]);
    let mut raster = RasterRenderer::new();
    raster.upload(&scene).unwrap();
    let theme = Theme::light();
    raster.draw(&frame(&theme, marks)).unwrap();
    let pixel = |column: usize, row: usize| {
        let at = (row * 120 + column) * 4;
        [0, 1, 2].map(|channel| raster.rgba()[at + channel])
    };
    // `a` in the pause, with the selected one's rings beside it.
    assert_eq!(pixel(50, 20), theme.fill(0));
    assert_eq!(pixel(40, 35), theme.selected);
    assert_eq!(pixel(20, 20), theme.fill(1));
}

/// The pause is hatched: the buffer's colour on that colour dimmed. What is needed is plain.
#[test]
fn a_pause_is_hatched_in_the_colour_of_its_buffer() {
    for theme in [Theme::light(), Theme::dark()] {
        let mut raster = RasterRenderer::new();
        raster.upload(&scene()).unwrap();
        raster.draw(&frame(&theme, Marks::default())).unwrap();
        // Columns of step 5 inside `a`'s, rows of bytes 2 to 17: below `a`, in the pause.
        let (mut plain, mut hatch) = (0, 0);
        for (column, row) in (43..57).flat_map(|column| (32..47).map(move |row| (column, row))) {
            let at = (row * 120 + column) * 4;
            match [0, 1, 2].map(|channel| raster.rgba()[at + channel]) {
                color if color == theme.fill(1) => hatch += 1,
                color if color == theme.dimmed(theme.fill(1)) => plain += 1,
                other => panic!("{column}, {row}: {other:?}"),
            }
        }
        // Two of eight pixels in each row.
        assert!(hatch > 0 && plain > 2 * hatch, "{hatch} of {plain}");
    }
}

#[test]
fn svg_draws_the_same_rectangles() {
    let theme = Theme::light();
    let text = crate::svg_of(&scene(), &CAMERA, &theme, &Overlay::default(), "gaps");
    let document = roxmltree::Document::parse(&text).unwrap();
    let rects = document.descendants().filter(|it| it.has_tag_name("rect"));
    let owners: Vec<&str> = rects.filter_map(|it| it.attribute("data-buffer")).collect();
    assert_eq!(owners, ["1", "0", "1", "1", "1"]);
    assert!(text.contains(&format!("url(#p1-{HATCH}g)")));
}

/// A buffer whose pause is its whole span is drawn as a pause alone, and found there; without
/// pauses rectangles are the buffers.
#[test]
fn nothing_needed_and_nothing_apart() {
    let mut lifetimes = lifetimes();
    lifetimes.buffers[1].pauses = vec![Pause {
        span: Span::new(0, 12),
        window: None,
    }];
    let scene = scene_of(&lifetimes, &[20, 0]);
    assert_eq!((scene.buffers(), scene.len()), (2, 2));
    assert_eq!(scene.pieces(1), 0..1);
    assert_eq!(hit(&scene, 1.0, 1.0), Some(1));
    assert_eq!(
        recorded(
            &scene,
            Marks {
                hovered: Some(1),
                ..Marks::default()
            }
        )
        .rings
        .len(),
        1
    );
    lifetimes.buffers[1].pauses.clear();
    let scene = scene_of(&lifetimes, &[20, 0]);
    assert_eq!((scene.buffers(), scene.len(), scene.owner(1)), (2, 2, 1));
    assert!(!scene.is_outline(0));
    // A film shows buffers that have no place yet nowhere: they stay whole.
    let nowhere = rect(-1e12, -1e12, -1e12, -1e12);
    let rects = [rect(4.0, 6.0, 20.0, 40.0), nowhere];
    let scene = Scene::from_rects(&rects, &categorical, Default::default());
    let scene = scene.with_parts(&self::lifetimes());
    assert_eq!((scene.len(), scene.rect(1)), (2, Some(nowhere)));
}

/// Storage 0 stays in `b` from step 0 to 3 at byte 10 and again in `c` from 8 to 12 at byte 30:
/// its absence lies under everything where it was, and the second stay has a pattern of its own.
/// `a` stays twice too, without an absence between.
#[test]
fn an_absence_lies_where_its_storage_was() {
    let stay = |name: &str, storage: usize, span| Buffer {
        storage: Some(StorageId::at(storage)),
        ..Buffer::new(name, 20, span)
    };
    let lifetimes = Lifetimes {
        buffers: vec![
            stay("a", 1, Span::new(4, 6)),
            stay("b", 0, Span::new(0, 3)),
            stay("c", 0, Span::new(8, 12)),
            stay("a again", 1, Span::new(6, 7)),
        ],
        horizon: Step(12),
        ..Lifetimes::default()
    };
    let scene = scene_of(&lifetimes, &[0, 10, 30, 0]);
    let drawn = recorded(&scene, Marks::default()).drawn;
    let summary = |it: &Drawn| {
        (
            it.index,
            it.outline,
            it.cell.left,
            it.cell.right,
            it.cell.top,
        )
    };
    let summaries: Vec<_> = drawn.iter().map(summary).collect();
    let expected = [
        (1, true, 30, 80, 20),
        (0, false, 40, 60, 30),
        (1, false, 0, 30, 20),
        (2, false, 80, 120, 0),
        (3, false, 60, 70, 30),
    ];
    assert_eq!(summaries, expected);
    let patterns: Vec<u8> = drawn.iter().map(|it| it.fill.pattern).collect();
    assert_eq!(patterns, [HATCH, 0, 0, AGAIN, AGAIN]);
    assert_eq!(scene.rect(1), Some(rect(0.0, 3.0, 10.0, 30.0)));
    // A press on the absence means what is away.
    assert_eq!(hit(&scene, 5.0, 25.0), Some(1));
    assert_eq!(hit(&scene, 5.0, 15.0), Some(0));
}
