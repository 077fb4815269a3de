//! What lies over the picture: texts never overlap; SVG parses and holds what is seen.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use tests::random::Random;
use tests::scenes::arbitrary;
use timeline::axis::ByteStyle;
use timeline::camera::Camera;
use timeline::overlay::{INSETS, Ink, Item, Overlay, Text, Words, overlay, shortened, text_width};
use timeline::palette::{Theme, categorical, contrast};
use timeline::renderer::Marks;
use timeline::scene::{Lines, Scene};
use timeline::svg;

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
        bytes: ByteStyle::Binary,
    };
    overlay(scene, camera, &words, marks)
}

fn cameras(scene: &Scene) -> Vec<Camera> {
    let mut cameras = Vec::new();
    for (width, height) in [(1280.0, 720.0), (320.0, 240.0), (40.0, 30.0), (0.0, 0.0)] {
        for zoom in [1.0, 2.9, 17.0, 400.0] {
            let mut camera = Camera::fitted(scene.extents, width, height, INSETS);
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

/// Whatever lies under the caption of a line is covered, and nothing is where there is no caption.
#[test]
fn captions_of_lines_have_a_background() {
    let mut seen = 0;
    for (count, seed) in [(20, 2), (400, 3)] {
        let scene = scene(count, seed);
        for camera in cameras(&scene) {
            let items = over(&scene, &camera).items;
            for (index, item) in items.iter().enumerate() {
                let Item::Text(text) = item else { continue };
                if !text.text.starts_with("bound ") && !text.text.starts_with("内存 ") {
                    continue;
                }
                let Some(Item::Band(area)) = index.checked_sub(1).map(|before| &items[before])
                else {
                    panic!("{text:?} lies on the rectangles");
                };
                assert_eq!(text.area.within(area), text.area);
                seen += 1;
            }
            // One behind each caption, and one behind each ruler.
            let bands = items.iter().filter(|item| matches!(item, Item::Band(_)));
            let of_lines =
                |text: &&&Text| text.text.starts_with("bound ") || text.text.starts_with("内存 ");
            let overlay = Overlay {
                items: items.clone(),
            };
            assert_eq!(
                bands.count(),
                2 + texts(&overlay).iter().filter(of_lines).count()
            );
        }
    }
    assert!(seen >= 4, "both lines in more than one picture: {seen}");
}

/// Letters that are read on a full colour are not on a dimmed one: WCAG 2.2, 1.4.3 asks for 4.5 to
/// 1 on either.
#[test]
fn labels_can_be_read_whatever_is_dimmed() {
    let scene = scene(40, 7);
    let camera = Camera::fitted(scene.extents, 1280.0, 720.0, INSETS);
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
    let camera = Camera::fitted(scene.extents, 1280.0, 720.0, INSETS);
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
    assert_eq!(shortened("conv", 100.0).as_deref(), Some("conv"));
    let short = shortened("model/block_3/conv_7", 60.0).unwrap();
    assert!(short.starts_with("mod") && short.ends_with("v_7") && text_width(&short) <= 60.0);
    assert_eq!(shortened("model/block_3/conv_7", 40.0), None);
    assert_eq!(shortened("", 12.0), None);
}

#[test]
fn svg_parses_and_holds_every_visible_rectangle() {
    for (count, seed) in [(0, 1), (60, 5), (900, 6)] {
        let scene = scene(count, seed);
        for camera in cameras(&scene) {
            let theme = Theme::dark();
            let title = "a <b> & \"c\"\u{0} 计划";
            let text = svg::write(&scene, &camera, &theme, &over(&scene, &camera), title);
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
