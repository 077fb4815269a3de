//! What lies over the picture: texts never overlap; SVG parses and holds what is seen.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use tests::random::Random;
use tests::scenes::arbitrary;
use timeline::axis::ByteStyle;
use timeline::camera::Camera;
use timeline::labelling::{Labelling, Rulers};
use timeline::overlay::{Area, Ink, Item, Overlay, Text, Words, overlay};
use timeline::palette::{Theme, categorical, contrast};
use timeline::renderer::Marks;
use timeline::scene::{Lines, Rect, Scene};
use timeline::snap::Snap;

const USUAL: Labelling = Labelling::USUAL;

fn scene(count: usize, seed: u64) -> Scene {
    let mut scene = arbitrary(count, seed);
    scene.arena = scene.extents.top;
    scene.bound = scene.extents.top * 0.98;
    let random = &mut Random::new(seed);
    let point = |step| (step as f64, random.below(1 << 30) as f64);
    scene.curve = (0..count).map(point).collect();
    scene.curve.push((count as f64, 0.0));
    scene
}

fn over(scene: &Scene, camera: &Camera) -> Overlay {
    let selected = Some(3);
    marked(
        scene,
        camera,
        Marks {
            selected,
            ..Marks::default()
        },
    )
}

fn marked(scene: &Scene, camera: &Camera, marks: Marks<'_>) -> Overlay {
    let step = |step: u64| (step % 7 != 3).then(|| format!("层/conv_{step}<&\"'>"));
    let buffer = |index: usize| format!("block.{}/é张量_{index}&", index % 13);
    let words = Words {
        pool: &|index| format!("pool{index}"),
        step: &step,
        buffer: &buffer,
        bound: "bound",
        arena: "内存",
        budget: "budget",
        live: "live",
        addresses: "address",
        steps: "steps",
        bytes: ByteStyle::Binary,
    };
    overlay(scene, camera, &words, marks)
}

fn cameras(scene: &Scene) -> Vec<Camera> {
    let mut cameras = Vec::new();
    for (width, height) in [(1280.0, 720.0), (320.0, 240.0), (40.0, 30.0), (0.0, 0.0)] {
        for zoom in [1.0, 2.9, 17.0, 400.0] {
            let mut camera = Camera::fitted(scene.extents, width, height, Labelling::USUAL);
            camera.zoom_about(width * 0.4, height * 0.7, zoom, zoom * 0.7);
            camera.clamp(scene.extents);
            cameras.push(camera);
        }
    }
    cameras
}

fn texts(overlay: &Overlay) -> Vec<&Text> {
    let mut texts = Vec::new();
    for item in &overlay.items {
        if let Item::Text(text) = item {
            texts.push(text);
        }
    }
    texts
}

#[test]
fn no_two_texts_overlap() {
    let mut most = 0;
    for (count, seed) in [(0, 1), (20, 2), (400, 3), (8000, 4)] {
        let scene = scene(count, seed);
        for camera in cameras(&scene) {
            let overlay = over(&scene, &camera);
            let texts = texts(&overlay);
            most = most.max(texts.len());
            for (index, text) in texts.iter().enumerate() {
                assert!(text.area.right <= camera.width.max(80.0) + 0.01, "{text:?}");
                for other in &texts[..index] {
                    assert!(!text.area.overlaps(&other.area), "{text:?} {other:?}");
                }
            }
            assert!(overlay.items.len() < 2000, "a frame's worth");
            for item in &overlay.items {
                if let Item::Line { points, .. } = item {
                    assert!(points.len() >= 2 && points.len() <= 4 * 1280 + 8);
                }
            }
        }
    }
    assert!(most > 30, "something was labelled: {most}");
}

/// The texts of an overlay that stand in the plot and are no name of a rectangle.
fn captions<'o>(overlay: &'o Overlay, camera: &Camera) -> Vec<&'o Text> {
    let plot = plot(camera);
    let caption = |text: &&Text| {
        let words = ["bound", "内存", "live"];
        words.iter().any(|word| text.text.starts_with(word)) && text.area.overlaps(&plot)
    };
    texts(overlay).into_iter().filter(caption).collect()
}

fn plot(camera: &Camera) -> Area {
    let insets = camera.labelling.insets();
    Area {
        left: insets.left,
        top: 0.0,
        right: camera.width,
        bottom: camera.height - insets.bottom,
    }
}

/// What a line is called never hides data: no pixel of a rectangle lies under it.
#[test]
fn captions_never_lie_on_rectangles() {
    let (mut seen, mut curves) = (0, 0);
    for (count, seed) in [(3, 1), (20, 2), (400, 3)] {
        let mut scene = scene(count, seed);
        for bound in [0.98, 0.93, 0.88, 0.5, 1.0] {
            scene.bound = scene.extents.top * bound;
            for camera in cameras(&scene) {
                let over = over(&scene, &camera);
                let lines = [scene.bound, scene.arena].map(|at| camera.screen_from_data(0.0, at).1);
                for text in captions(&over, &camera) {
                    seen += 1;
                    let strikes = |y: &&f64| text.area.top < **y && **y < text.area.bottom;
                    curves += usize::from(text.ink == Ink::Curve);
                    assert_eq!(lines.iter().find(strikes), None, "through {text:?}");
                    Snap::new(&camera, 1.0).for_each_cell(&scene, |index, cell| {
                        let cell = Area {
                            left: f64::from(cell.left),
                            top: f64::from(cell.top),
                            right: f64::from(cell.right),
                            bottom: f64::from(cell.bottom),
                        };
                        assert!(!cell.overlaps(&text.area), "{text:?} lies on {index}");
                    });
                }
            }
        }
    }
    assert!(
        seen >= 20 && curves > 0,
        "there are captions: {seen}, {curves}"
    );
}

/// Where rectangles leave no room, the size of the line stands on the ruler, in its colour.
#[test]
fn a_line_without_room_is_named_on_the_ruler() {
    let full = Rect {
        x0: 0.0,
        x1: 10.0,
        y0: 0.0,
        y1: 4096.0,
    };
    let mut scene = Scene::from_rects(&[full], &categorical, Lines::default());
    scene.arena = 4096.0;
    scene.bound = 2048.0;
    let camera = Camera::fitted(scene.extents, 600.0, 400.0, USUAL);
    let over = over(&scene, &camera);
    let named = texts(&over);
    let bound: Vec<_> = named.iter().filter(|it| it.ink == Ink::Bound).collect();
    let [bound] = bound[..] else {
        panic!("{bound:?}")
    };
    assert_eq!(bound.text, "2.00 KiB");
    assert!(bound.area.right <= USUAL.insets().left);
    let (_, y) = camera.screen_from_data(0.0, 2048.0);
    assert!((f64::midpoint(bound.area.top, bound.area.bottom) - y).abs() < 1e-9);
    // Above the arena nothing lies.
    assert!(
        named.iter().any(|it| it.text == "内存 4.00 KiB"),
        "{named:?}"
    );
    // Where both are the same, they are one.
    scene.bound = 4096.0;
    let over = self::over(&scene, &camera);
    assert!(
        texts(&over)
            .iter()
            .any(|it| it.text == "内存 = bound 4.00 KiB")
    );
}

#[test]
fn axes_say_what_they_count() {
    let scene = scene(20, 2);
    let said = |width: f64, height: f64| {
        let labelling = Labelling::of((width, height), 11.0);
        let camera = Camera::fitted(scene.extents, width, height, labelling);
        let over = over(&scene, &camera);
        let texts: Vec<String> = texts(&over).into_iter().map(|it| it.text.clone()).collect();
        ["↑ address", "steps →"].map(|title| texts.iter().any(|text| text == title))
    };
    assert_eq!(said(600.0, 400.0), [true, true]);
    // A low picture has its rulers, and a small one has none: it is a thumbnail.
    assert_eq!(said(600.0, 150.0), [false, false]);
    assert_eq!(Labelling::of((600.0, 150.0), 11.0).rulers, Rulers::Plain);
    assert_eq!(Labelling::of((200.0, 400.0), 11.0).rulers, Rulers::None);
    let bare = Camera::fitted(
        scene.extents,
        200.0,
        90.0,
        Labelling::of((200.0, 90.0), 11.0),
    );
    let over = over(&scene, &bare);
    assert!(over.under.is_empty(), "a thumbnail has no grid");
}

/// The curve is seen on a rectangle of any colour: a line of the background's lies under it.
#[test]
fn the_curve_has_a_halo() {
    let scene = scene(20, 2);
    let camera = Camera::fitted(scene.extents, 600.0, 400.0, USUAL);
    let items = over(&scene, &camera).items;
    let at = items
        .iter()
        .position(|item| {
            matches!(
                item,
                Item::Line {
                    ink: Ink::Curve,
                    ..
                }
            )
        })
        .unwrap();
    let (
        Item::Line { points, width, .. },
        Item::Line {
            points: under,
            width: wide,
            ink,
            ..
        },
    ) = (&items[at], &items[at - 1])
    else {
        panic!("{:?}", items[at - 1]);
    };
    assert_eq!((*ink, points), (Ink::Background, under));
    assert!(wide - width >= 2.0);
}

/// "down…conv1" four times says nothing: what differs is what is kept.
#[test]
fn names_that_differ_have_labels_that_differ() {
    let names: Vec<String> = (0..6)
        .map(|index| format!("/down_blocks.{index}/resnets.0/conv1/Conv"))
        .collect();
    let labels = USUAL.distinct(&names, |_| 90.0);
    for (index, label) in labels.iter().enumerate() {
        let label = label.as_ref().unwrap();
        assert!(label.contains(&index.to_string()), "{label}");
        assert!(USUAL.width(label) <= 90.0);
        assert!(!labels[..index].contains(&Some(label.clone())));
    }
    // The same name twice has the same label, and short ones stay as they are.
    let same = ["conv".to_owned(), "conv".to_owned(), "relu".to_owned()];
    let labels = USUAL.distinct(&same, |_| 60.0);
    assert_eq!(labels, same.map(Some));
    // What can't be told apart has none.
    let long = "x".repeat(40);
    let alike = [format!("{long}a{long}"), format!("{long}b{long}")];
    for label in USUAL.distinct(&alike, |_| 20.0).into_iter().flatten() {
        assert!(label.contains('a') || label.contains('b'), "{label}");
    }
}

/// Letters that are read on a full colour are not on a dimmed one: WCAG 2.2, 1.4.3 asks for 4.5 to
/// 1 on either.
#[test]
fn labels_can_be_read_whatever_is_dimmed() {
    let scene = scene(40, 7);
    let camera = Camera::fitted(scene.extents, 1280.0, 720.0, Labelling::USUAL);
    let dim: Vec<bool> = (0..scene.len()).map(|index| index % 2 == 0).collect();
    let dim = Some(dim.as_slice());
    let items = marked(
        &scene,
        &camera,
        Marks {
            dim,
            ..Marks::default()
        },
    )
    .items;
    let (mut dimmed, mut full) = (0, 0);
    for theme in [Theme::light(), Theme::dark()] {
        for item in &items {
            let Item::Text(text) = item else { continue };
            match text.ink {
                Ink::Label(color) => {
                    assert!(contrast(theme.rgb(text.ink), theme.fill(color)) >= 4.5);
                    full += 1;
                }
                Ink::Dimmed => dimmed += 1,
                _ => {}
            }
        }
        for fill in theme.fills {
            let ratio = contrast(theme.rgb(Ink::Dimmed), theme.dimmed(fill));
            assert!(ratio >= 4.5, "{fill:?} {ratio}");
        }
    }
    assert!(dimmed > 0 && full > 0, "{dimmed} {full}");
}

/// An SRAM of 600 bytes below a DRAM: a line at the base of each, with its name.
#[test]
fn pools_are_named_where_they_begin() {
    let mut scene = Scene::from_rects(&[], &categorical, Lines::default());
    scene.pools = vec![0.0, 600.0];
    scene.extents.top = 1000.0;
    let camera = Camera::fitted(scene.extents, 1280.0, 720.0, Labelling::USUAL);
    let overlay = over(&scene, &camera);
    for (index, base) in [0.0, 600.0].into_iter().enumerate() {
        let (_, y) = camera.screen_from_data(0.0, base);
        let line = |item: &&Item| matches!(item, Item::Line { points, ink: Ink::Arena, .. } if points.iter().all(|p| (p.1 - y).abs() < 1e-9));
        assert_eq!(overlay.items.iter().filter(line).count(), 1, "pool {index}");
        let name = format!("pool{index}");
        let named = texts(&overlay).into_iter().find(|text| text.text == name);
        let middle = named.map(|text| (text.area.top + text.area.bottom) / 2.0);
        assert!(middle.is_some_and(|middle| middle < y), "{name} {middle:?}");
    }
    scene.pools.clear();
    let overlay = over(&scene, &camera);
    let mut names = texts(&overlay).into_iter();
    assert!(names.all(|text| !text.text.starts_with("pool")));
}

#[test]
fn names_are_shortened_in_the_middle() {
    assert_eq!(USUAL.shortened("conv", 100.0).as_deref(), Some("conv"));
    let short = USUAL.shortened("model/block_3/conv_7", 60.0).unwrap();
    assert!(short.starts_with("mod") && short.ends_with("v_7") && USUAL.width(&short) <= 60.0);
    assert_eq!(USUAL.shortened("model/block_3/conv_7", 40.0), None);
    assert_eq!(USUAL.shortened("", 12.0), None);
}

#[test]
fn svg_parses_and_holds_every_visible_rectangle() {
    for (count, seed) in [(0, 1), (60, 5), (900, 6)] {
        let scene = scene(count, seed);
        for camera in cameras(&scene) {
            let theme = Theme::dark();
            let title = "a <b> & \"c\"\u{0} 计划";
            let text = crate::svg_of(&scene, &camera, &theme, &over(&scene, &camera), title);
            let document = roxmltree::Document::parse(&text).unwrap();
            let nodes = document.descendants();
            let rects = nodes.filter_map(|node| node.attribute("data-buffer"));
            let written: Vec<usize> = rects.map(|index| index.parse().unwrap()).collect();
            assert!(written.is_sorted());
            for index in 0..count {
                if let Some(seen) = seen(&scene, &camera, index) {
                    let found = written.binary_search(&index).is_ok();
                    assert_eq!(found, seen, "{index} {camera:?}");
                }
            }
            let mut nodes = document.descendants();
            let found = nodes.find(|node| node.tag_name().name() == "title");
            assert_eq!(found.unwrap().text(), Some("a <b> & \"c\" 计划"));
            assert!(!text.contains("href"), "self-contained");
        }
    }
}

/// Whether a rectangle is in the picture by the definition in data space, if it is so by more
/// than the pixel that snapping may add or take.
fn seen(scene: &Scene, camera: &Camera, index: usize) -> Option<bool> {
    let rect = scene.rect(index).unwrap();
    let (left, bottom) = camera.screen_from_data(rect.x0, rect.y0);
    let (right, top) = camera.screen_from_data(rect.x1, rect.y1);
    let within = |slack: f64| {
        right > slack
            && left < camera.width - slack
            && bottom > slack
            && top < camera.height - slack
    };
    match (within(1.5), within(-1.5)) {
        (true, _) => Some(true),
        (_, false) => Some(false),
        _ => None,
    }
}

/// Holes are hatched, and nothing is written over them.
#[test]
fn holes_are_hatched() {
    let scene = scene(3, 1);
    let camera = Camera::fitted(scene.extents, 600.0, 400.0, USUAL);
    let hole = Rect {
        x0: 0.0,
        x1: scene.extents.horizon,
        y0: scene.extents.top * 0.9,
        y1: scene.extents.top,
    };
    let marks = Marks {
        holes: &[hole],
        ..Marks::default()
    };
    let plain = over(&scene, &camera);
    let hatched = marked(&scene, &camera, marks);
    let strokes = |overlay: &Overlay| {
        let items = overlay.items.iter();
        let strokes = items.filter(|item| {
            matches!(
                item,
                Item::Line {
                    ink: Ink::Fault,
                    ..
                }
            )
        });
        strokes.count()
    };
    assert_eq!(strokes(&plain), 0);
    assert!(strokes(&hatched) > 5);
    let (_, low) = camera.screen_from_data(0.0, hole.y0);
    let (_, high) = camera.screen_from_data(0.0, hole.y1);
    for text in captions(&hatched, &camera) {
        let inside = text.area.top < low && text.area.bottom > high;
        assert!(!inside, "{text:?} lies on the hole");
    }
}

/// A hundred thousand events that go from nothing to everything and back: as many strokes as there
/// are columns would leave nothing of the picture. The line goes up and down a few times at most,
/// and still shows the peak.
#[test]
fn a_line_of_many_events_leaves_the_picture_seen() {
    let count = 100_000;
    let mut scene = arbitrary(10, 1);
    let top = scene.extents.top;
    let end = scene.extents.horizon;
    let value = |at: usize| match at {
        // One moment is higher than all others.
        33_333 => top,
        _ if at.is_multiple_of(2) => top * 0.8,
        _ => 0.0,
    };
    let step = |at: usize| at as f64 * end / count as f64;
    scene.curve = (0..count).map(|at| (step(at), value(at))).collect();
    let camera = Camera::fitted(scene.extents, 1280.0, 720.0, Labelling::USUAL);
    let found = over(&scene, &camera);
    let lines = found.items.iter().filter_map(|item| match item {
        Item::Line {
            points,
            ink: Ink::Curve,
            ..
        } => Some(points),
        _ => None,
    });
    let points = lines.max_by_key(|points| points.len()).unwrap();
    let height = |up: &[(f64, f64)]| (up[0].1 - up[1].1).abs();
    let travelled: f64 = points.windows(2).map(height).sum();
    let (low, high) = points
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), point| {
            (low.min(point.1), high.max(point.1))
        });
    assert!(points.len() > 100, "{}", points.len());
    // Up, down from the peak, and down at the end.
    assert!(
        travelled <= 5.0 * (high - low),
        "{travelled} of {}",
        high - low
    );
    let peak = camera.screen_from_data(0.0, top).1;
    assert!((low - peak).abs() < 1.0, "{low} of {peak}");
}
