//! Names inside rectangles: told apart, and there wherever they fit.

use std::collections::BTreeMap;

use timeline::axis::ByteStyle;
use timeline::camera::Camera;
use timeline::labelling::Labelling;
use timeline::overlay::{Ink, Item, Text, Words, overlay};
use timeline::palette::categorical;
use timeline::renderer::Marks;
use timeline::scene::{Lines, Rect, Scene};
use timeline::snap::Snap;

const USUAL: Labelling = Labelling::USUAL;

/// `columns` × `rows` rectangles of 4 steps and 64 bytes, row by row.
fn shelf(columns: usize, rows: usize) -> Scene {
    let rects = (0..columns * rows).map(|index| {
        let (x, y) = (
            (index % columns) as f64 * 4.0,
            (index / columns) as f64 * 64.0,
        );
        Rect {
            x0: x,
            x1: x + 4.0,
            y0: y,
            y1: y + 64.0,
        }
    });
    Scene::from_rects(&rects.collect::<Vec<_>>(), &categorical, Lines::default())
}

/// As an exporter writes them: what tells two apart is one or two letters in the middle.
fn name(index: usize) -> String {
    format!(
        "/down_blocks.{}/resnets.{}/conv1/Conv_output_0",
        index / 10,
        index % 10
    )
}

/// The labels that are names, by the rectangle that they lie in.
fn labels(scene: &Scene, camera: &Camera, name: &dyn Fn(usize) -> String) -> BTreeMap<usize, Text> {
    let words = Words {
        pool: &|_| String::new(),
        step: &|_| None,
        buffer: name,
        bound: "bound",
        arena: "arena",
        budget: "budget",
        live: "live",
        addresses: "address",
        steps: "steps",
        bytes: ByteStyle::Binary,
    };
    let mut found = BTreeMap::new();
    let snap = Snap::new(camera, 1.0);
    for item in overlay(scene, camera, &words, Marks::default()).items {
        let Item::Text(text) = item else { continue };
        if !matches!(text.ink, Ink::Label(_)) {
            continue;
        }
        let middle = f64::midpoint(text.area.top, text.area.bottom);
        let inside = |&index: &usize| {
            let cell = snap.cell(&scene.rect(index).expect("it is there"));
            let (left, right) = (f64::from(cell.left), f64::from(cell.right));
            let (top, bottom) = (f64::from(cell.top), f64::from(cell.bottom));
            left < text.area.left && text.area.right < right && top < middle && middle < bottom
        };
        let index = (0..scene.len()).find(inside).expect("it lies in one");
        // The size stands below the name.
        found.entry(index).or_insert(text);
    }
    found
}

/// Zoomed about the middle of a picture of this size.
fn camera(scene: &Scene, (width, height): (f64, f64), zoom: f64) -> Camera {
    let mut camera = Camera::fitted(scene.extents, width, height, USUAL);
    camera.zoom_about(width / 2.0, height / 2.0, zoom, zoom);
    camera
}

#[test]
fn two_tensors_never_have_the_same_label() {
    let scene = shelf(10, 10);
    let mut shortened = 0;
    for size in [
        (700.0, 500.0),
        (1000.0, 500.0),
        (1280.0, 720.0),
        (3000.0, 900.0),
    ] {
        for zoom in [1.0, 1.3, 1.7, 2.2, 3.0, 5.0] {
            let mut said: BTreeMap<String, usize> = BTreeMap::new();
            for (index, text) in labels(&scene, &camera(&scene, size, zoom), &name) {
                shortened += usize::from(text.text != name(index));
                if let Some(other) = said.insert(text.text.clone(), index) {
                    panic!("{} is {} and {}", text.text, name(index), name(other));
                }
            }
        }
    }
    assert!(shortened > 300, "only {shortened} were cut");
    // Sixteen letters have room for both places in which these names differ.
    let found = labels(&scene, &camera(&scene, (1280.0, 720.0), 1.0), &name);
    assert_eq!(found.len(), 100);
    let both = |text: &Text, index: usize| {
        let digits: String = text.text.chars().filter(char::is_ascii_digit).collect();
        digits.starts_with(&format!("{}{}", index / 10, index % 10))
    };
    assert!(found.iter().all(|(&index, text)| both(text, index)));
}

/// "stag…oin" twice says nothing.
#[test]
fn what_differs_is_what_is_kept() {
    let scene = shelf(2, 1);
    let stage = |index: usize| format!("stage{index}.join");
    // Each is 64 CSS pixels wide: nine letters of 6.71 beside margins of 4 on either side.
    let width = 64.0 * 2.0 + USUAL.insets().left + USUAL.insets().right;
    let camera = camera(&scene, (width, 200.0), 1.0);
    let found = labels(&scene, &camera, &stage);
    assert_eq!(found.len(), 2);
    for (index, text) in found {
        assert_ne!(text.text, stage(index), "it is cut");
        assert!(text.text.contains(&index.to_string()), "{}", text.text);
    }
    // One tensor in several places has one name everywhere.
    let same = labels(&scene, &camera, &|_| "stage.joined".to_owned());
    assert_eq!((same.len(), &same[&0].text), (2, &same[&1].text));
    assert!(same[&0].text.contains('…'));
}

/// At every zoom, each rectangle that is seen with room for its whole name has it: five hundred
/// at once, if there are so many.
#[test]
fn names_stand_wherever_they_fit() {
    let scene = shelf(20, 25);
    let short = |index: usize| format!("t{index}");
    let mut most = 0;
    for zoom in [1.0, 1.5, 2.0, 4.0, 9.0, 30.0] {
        let camera = camera(&scene, (1400.0, 900.0), zoom);
        let found = labels(&scene, &camera, &short);
        let snap = Snap::new(&camera, 1.0);
        let insets = USUAL.insets();
        for index in 0..scene.len() {
            let cell = snap.cell(&scene.rect(index).expect("it is there"));
            let left = f64::from(cell.left).max(insets.left) + 4.0;
            let right = f64::from(cell.right).min(camera.width) - 4.0;
            let top = f64::from(cell.top).max(0.0) + 2.0;
            let bottom = f64::from(cell.bottom).min(camera.height - insets.bottom) - 2.0;
            let fits = right - left >= 3.0 * USUAL.font && bottom - top >= 1.2 * USUAL.font;
            let label = found.get(&index).map(|text| text.text.as_str());
            assert_eq!(
                label,
                fits.then(|| short(index)).as_deref(),
                "{index} at {zoom}"
            );
        }
        most = most.max(found.len());
    }
    assert_eq!(most, 500, "all of them at first");
}

/// One rectangle of 4 steps and 64 bytes; the curve runs level through its upper part: the name
/// stands below it. Where it runs through both ends, the name stays where it is looked for first.
#[test]
fn the_curve_strikes_out_no_name_that_has_room_beside_it() {
    let mut scene = shelf(1, 1);
    let camera = camera(&scene, (400.0, 300.0), 1.0);
    let name = |_: usize| "tensor".to_owned();
    let top = |scene: &Scene| labels(scene, &camera, &name)[&0].area.top;
    let usual = top(&scene);
    let (_, low) = camera.screen_from_data(0.0, 32.0);
    assert!(usual < low, "without a curve it stands at the top");
    scene.curve = vec![(0.0, 60.0), (4.0, 0.0)];
    let (_, line) = camera.screen_from_data(0.0, 60.0);
    let beside = top(&scene);
    assert!(beside > line + 4.0, "{beside} {line}");
    scene.curve = vec![(0.0, 60.0), (0.2, 2.0), (4.0, 0.0)];
    assert!((top(&scene) - usual).abs() < 1e-9);
}
