//! Steps as long as they took: everything that is drawn over a step is where its time is.

use std::sync::Arc;

use planner::deployed::Clock;
use tests::random::Random;
use tests::scenes::{INSETS, arbitrary, near_camera as camera, outlines, two_rects};
use timeline::axis::{ByteStyle, MAX_TICKS, time_text, time_ticks};
use timeline::camera::{Camera, Range};
use timeline::hit::hit_screen;
use timeline::labelling::Labelling;
use timeline::overlay::{Area, Ink, Item, Overlay, Words, overlay};
use timeline::overlay_difference::{DifferenceMarks, difference_overlay};
use timeline::overlay_film::{FilmMarks, FilmRange, film_overlay};
use timeline::overlay_run::{RunMarks, run_overlay};
use timeline::overlay_spot::{SpotMarks, spot_overlay};
use timeline::palette::Theme;
use timeline::record_renderer::RecordRenderer;
use timeline::renderer::{Frame, Marks, Renderer};
use timeline::scene::{Rect, Scene};

/// Steps 0 to 3 begin after 0, 1, 1 and 6 microseconds; the last ends when it begins.
fn clock() -> Arc<Clock> {
    Arc::new(Clock::new(vec![0, 1, 1, 6]).expect("they ascend"))
}

/// Steps 0 to 2 of bytes 0 to 100, and 1 to 4 of 100 to 150: 0 to 1 and 1 to 6 microseconds.
fn scene() -> Scene {
    let mut scene = two_rects();
    scene.curve = vec![(0.0, 100.0), (1.0, 150.0), (2.0, 50.0), (4.0, 0.0)];
    scene.segments = vec![rect(0.0, 3.0, 0.0, 150.0)];
    scene.timed(Some(&clock()))
}

fn rect(x0: f64, x1: f64, y0: f64, y1: f64) -> Rect {
    Rect { x0, x1, y0, y1 }
}

/// Ten pixels a microsecond: see [`camera`].
fn area(left: f64, right: f64, (bottom, top): (f64, f64)) -> Area {
    Area {
        left: INSETS.left + 10.0 * left,
        right: INSETS.left + 10.0 * right,
        top: 200.0 - top,
        bottom: 200.0 - bottom,
    }
}

#[test]
fn what_is_drawn_lies_at_its_times() {
    let scene = scene();
    assert_eq!(scene.rect(0), Some(rect(0.0, 1.0, 0.0, 100.0)));
    assert_eq!(scene.rect(1), Some(rect(1.0, 6.0, 100.0, 150.0)));
    let curve = [(0.0, 100.0), (1.0, 150.0), (1.0, 50.0), (6.0, 0.0)];
    assert_eq!(scene.curve, curve);
    assert_eq!(scene.segments, [rect(0.0, 6.0, 0.0, 150.0)]);
    assert!((scene.extents.horizon - 6.0).abs() < 1e-12);
    // Nothing changes without a clock.
    let none = Arc::new(Clock::default());
    assert_eq!(two_rects().timed(Some(&none)), two_rects());
    assert_eq!(two_rects().timed(None), two_rects());
}

/// Lines straight down, by where they are from the left edge of the plot.
fn upright(over: &Overlay, wanted: Ink) -> Vec<f64> {
    let line = |item: &Item| match item {
        Item::Line { points, ink, .. } if *ink == wanted => {
            let [(x, _), (other, _)] = points[..] else {
                return None;
            };
            ((x - other).abs() < 1e-9).then_some(x - INSETS.left)
        }
        _ => None,
    };
    over.items.iter().filter_map(line).collect()
}

/// Step 2 lasts from 1 to 6, step 0 from 0 to 1.
#[test]
fn marks_of_steps_lie_at_their_times() {
    let (scene, camera) = (scene(), camera());
    let range = rect(0.0, 3.0, 0.0, 50.0);
    let there = area(0.0, 6.0, (0.0, 50.0));
    let marks = SpotMarks {
        step: Some(2.0),
        cross: Some((0.5, 40.0)),
        free_range: Some(range),
        free_ranges: vec![range],
        ..SpotMarks::default()
    };
    let over = spot_overlay(&scene, &camera, &marks);
    assert_eq!(upright(&over, Ink::Written), [35.0]);
    assert_eq!(upright(&over, Ink::Text), [5.0]);
    assert_eq!(outlines(&over.items, Ink::Selected), [there]);
    assert_eq!(outlines(&over.items, Ink::Fault), [there]);
    let marks = RunMarks {
        playhead: Some(2.0),
        overwriter: Some(2.0),
        previews: vec![range],
        overlaps: vec![range],
        held: Some((0, range)),
        ..RunMarks::default()
    };
    let over = run_overlay(&scene, &camera, &marks);
    assert_eq!(upright(&over, Ink::Written), [35.0]);
    assert_eq!(outlines(&over.items, Ink::Text), [there]);
    assert_eq!(outlines(&over.items, Ink::Selected), [there]);
    let faults = outlines(&over.items, Ink::Fault);
    assert_eq!((faults[0], faults.len()), (there, 2));
    let [left, right] = [faults[1].left, faults[1].right].map(|x| x - INSETS.left);
    assert_eq!((left, right), (10.0, 60.0), "{faults:?}");
    let marks = DifferenceMarks {
        preview: Some(range),
        ..DifferenceMarks::default()
    };
    let over = difference_overlay(&scene, &camera, &marks);
    assert_eq!(outlines(&over.items, Ink::Read), [there]);
    let marks = FilmMarks {
        ranges: vec![FilmRange {
            rect: range,
            fits: true,
            label: String::new(),
        }],
        ..FilmMarks::default()
    };
    let over = film_overlay(&scene, &camera, &marks);
    assert_eq!(outlines(&over.items, Ink::Fault), [there]);
}

#[test]
fn the_ruler_counts_times_and_holes_lie_at_theirs() {
    let words = Words {
        pool: &|_| String::new(),
        step: &|step| Some(format!("op {step}")),
        buffer: &|_| String::new(),
        bound: "bound",
        arena: "arena",
        budget: "budget",
        live: "live",
        addresses: "address",
        steps: "time",
        bytes: ByteStyle::Binary,
    };
    let marks = Marks {
        holes: &[rect(0.0, 3.0, 0.0, 50.0)],
        ..Marks::default()
    };
    let texts = |scene: &Scene| {
        let over = overlay(scene, &camera(), &words, marks);
        let texts = over.items.iter().filter_map(|item| match item {
            Item::Text(text) => Some(text.text.clone()),
            _ => None,
        });
        (texts.collect::<Vec<_>>(), outlines(&over.items, Ink::Fault))
    };
    let (timed, holes) = texts(&scene());
    assert!(timed.contains(&"0 µs".to_owned()), "{timed:?}");
    // What runs at a step is not what runs at a time.
    assert!(
        !timed.iter().any(|text| text.starts_with("op")),
        "{timed:?}"
    );
    assert_eq!(holes, [area(0.0, 6.0, (0.0, 50.0))]);
    let (stepped, holes) = texts(&two_rects());
    assert!(stepped.contains(&"0".to_owned()), "{stepped:?}");
    assert_eq!(holes, [area(0.0, 3.0, (0.0, 50.0))]);
}

/// Some steps take no time at all: what lives only then is still a pixel wide, and is hit there.
#[test]
fn the_pixel_under_the_pointer_belongs_to_what_is_hit() {
    let random = &mut Random::new(6);
    for (count, seed) in [(30, 1), (3000, 2)] {
        let mut now = 0;
        let times = (0..2 * count).map(|_| {
            now += random.below(4) * random.below(3) * random.below(400);
            now
        });
        let clock = Arc::new(Clock::new(times.collect()).expect("they ascend"));
        let scene = Arc::new(arbitrary(count, seed).timed(Some(&clock)));
        let mut record = RecordRenderer::default();
        record.upload(&scene).expect("it is recorded");
        for zoom in [1.0, 41.0] {
            let mut camera = Camera::fitted(scene.extents, 300.0, 200.0, Labelling::BARE);
            camera.zoom_about(120.0, 140.0, zoom, zoom);
            let frame = Frame {
                camera,
                scale: 1.0,
                theme: &Theme::light(),
                opaque: true,
                marks: Marks::default(),
            };
            record.draw(&frame).expect("it is recorded");
            for _ in 0..300 {
                let (column, row) = (random.below(300), random.below(200));
                let place = (i32::try_from(column), i32::try_from(row));
                let place = (place.0.expect("few"), place.1.expect("few"));
                let mut drawn = record.drawn.iter().rev();
                let expected = drawn.find(|drawn| drawn.cell.contains(place.0, place.1));
                let expected = expected.map(|drawn| drawn.index);
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                assert_eq!(hit_screen(&scene, &camera, 1.0, x, y), expected);
            }
        }
    }
}

#[test]
fn ticks_and_times_by_hand() {
    let labels = |start: f64, end: f64| -> Vec<String> {
        let ticks = time_ticks(Range::new(start, end), 400.0, 100.0);
        ticks.into_iter().map(|tick| tick.label).collect()
    };
    assert_eq!(
        labels(0.0, 400.0),
        ["0 µs", "100 µs", "200 µs", "300 µs", "400 µs"]
    );
    assert_eq!(
        labels(0.0, 1_500.0),
        ["0 µs", "500 µs", "1000 µs", "1500 µs"]
    );
    assert_eq!(labels(1_000.0, 9_000.0), ["2 ms", "4 ms", "6 ms", "8 ms"]);
    assert_eq!(labels(0.0, 3e6), ["0 s", "1 s", "2 s", "3 s"]);
    assert_eq!(
        labels(1e9, 1e9 + 4e5),
        [
            "1000000 ms",
            "1000100 ms",
            "1000200 ms",
            "1000300 ms",
            "1000400 ms"
        ]
    );
    for end in [1.0, 1e18, f64::INFINITY, f64::NAN] {
        assert!(time_ticks(Range::new(0.0, end), 600.0, 50.0).len() <= MAX_TICKS);
    }
    let cases = [
        (0, "0 µs"),
        (999, "999 µs"),
        (1_500, "1.50 ms"),
        (23_456, "23.5 ms"),
        (999_999, "1000 ms"),
        (1_000_000, "1.00 s"),
        (754_321_000, "754 s"),
    ];
    for (time, text) in cases {
        assert_eq!(time_text(time), text);
    }
}
