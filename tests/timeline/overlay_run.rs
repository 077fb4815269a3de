//! What a run shows over the rectangles.

use tests::scenes::INSETS;
use tests::scenes::{near_camera as camera, outlines, two_rects as scene};
use timeline::camera::{Camera, Range};
use timeline::labelling::Labelling;
use timeline::overlay::{Area, Ink, Item};
use timeline::overlay_run::{RunMarks, run_overlay};
use timeline::palette::categorical;
use timeline::scene::Rect;

#[test]
fn nothing_to_show_is_nothing() {
    let over = run_overlay(&scene(), &camera(), &RunMarks::default());
    assert!(over.items.is_empty());
}

#[test]
fn what_is_read_and_written_lights_up_where_it_lies() {
    let marks = RunMarks {
        playhead: Some(1.0),
        read: vec![0],
        written: vec![1, 99],
        ..RunMarks::default()
    };
    let over = run_overlay(&scene(), &camera(), &marks);
    let area = |left, top, right, bottom| Area {
        left: INSETS.left + left,
        top,
        right: INSETS.left + right,
        bottom,
    };
    // The picture is 200 bytes high: byte 100 is in its middle.
    assert_eq!(
        outlines(&over.items, Ink::Read),
        [area(0.0, 100.0, 20.0, 200.0)]
    );
    assert_eq!(
        outlines(&over.items, Ink::Written),
        [area(10.0, 50.0, 40.0, 100.0)]
    );
    let playhead = over.items.iter().find_map(|item| match item {
        Item::Line { points, .. } => points.first().copied(),
        _ => None,
    });
    // In the middle of step 1.
    assert_eq!(playhead.map(|(x, _)| x), Some(INSETS.left + 15.0));
}

#[test]
fn victim_culprit_and_address_are_marked() {
    let marks = RunMarks {
        victim: Some(0),
        overwriter: Some(3.0),
        address: Some((40.0, "0x28".to_owned())),
        ..RunMarks::default()
    };
    let over = run_overlay(&scene(), &camera(), &marks);
    let faults = outlines(&over.items, Ink::Fault);
    assert_eq!(faults.len(), 2);
    // The whole column of step 3, down to the ruler.
    assert_eq!(
        (faults[1].left, faults[1].right),
        (INSETS.left + 30.0, INSETS.left + 40.0)
    );
    assert_eq!((faults[1].top, faults[1].bottom), (0.0, 200.0));
    let at = over.items.iter().find_map(|item| match item {
        Item::Line { points, ink, .. } if *ink == Ink::Fault => points.first().copied(),
        _ => None,
    });
    assert_eq!(at, Some((INSETS.left, 160.0)));
    assert!(
        over.items
            .iter()
            .any(|item| matches!(item, Item::Text(text) if text.text == "0x28"))
    );
}

#[test]
fn the_witness_of_a_bound_is_outlined_with_its_step() {
    let marks = RunMarks {
        witness: vec![1, 0, 99],
        witness_step: Some(1.0),
        ..RunMarks::default()
    };
    let over = run_overlay(&scene(), &camera(), &marks);
    let outlined = outlines(&over.items, Ink::Bound);
    assert_eq!(outlined.len(), 3, "two rectangles and a step: {outlined:?}");
    // Bytes 100 to 150 from step 1 to 4, and all of step 1.
    assert_eq!((outlined[0].top, outlined[0].bottom), (50.0, 100.0));
    assert_eq!(
        (outlined[2].left, outlined[2].right),
        (INSETS.left + 10.0, INSETS.left + 20.0)
    );
}

#[test]
fn what_is_out_of_sight_is_left_out() {
    let scene = scene();
    let mut camera = camera();
    camera.x = Range::new(50.0, 60.0);
    let marks = RunMarks {
        playhead: Some(1.0),
        read: vec![0],
        written: vec![1],
        victim: Some(0),
        overwriter: Some(3.0),
        address: Some((1e9, "far".to_owned())),
        pinned: vec![0],
        in_the_way: vec![1],
        witness: vec![0, 1],
        witness_step: Some(1.0),
        previews: scene.rect(0).into_iter().collect(),
        held: scene.rect(0).map(|rect| (0, rect)),
        overlaps: scene.rect(0).into_iter().collect(),
    };
    assert!(run_overlay(&scene, &camera, &marks).items.is_empty());
    // A picture of no size holds nothing, and nothing panics.
    let none = Camera::fitted(scene.extents, 0.0, 0.0, Labelling::BARE);
    let _ = run_overlay(&scene, &none, &marks);
}

#[test]
fn pins_and_those_in_the_way_are_marked() {
    let marks = RunMarks {
        pinned: vec![0],
        in_the_way: vec![1],
        ..RunMarks::default()
    };
    let over = run_overlay(&scene(), &camera(), &marks);
    let washed = |item: &&Item| matches!(item, Item::Wash(_, Ink::Fault));
    assert_eq!(over.items.iter().filter(washed).count(), 1);
    let outlined = |item: &&Item| matches!(item, Item::Outline(_, Ink::Text));
    assert_eq!(over.items.iter().filter(outlined).count(), 1);
    // The pin is a stroke inside the rectangle's upper left corner.
    let area = over.items.iter().find_map(|item| match item {
        Item::Outline(area, Ink::Text) => Some(*area),
        _ => None,
    });
    let area = area.expect("an outline");
    let inside = over.items.iter().any(|item| match item {
        Item::Line { points, .. } => points
            .iter()
            .all(|&(x, y)| area.left <= x && x <= area.right && area.top <= y && y <= area.bottom),
        _ => false,
    });
    assert!(inside, "{:?}", over.items);
}

/// The rectangle itself moves, in its own colour, and where it was is empty; what it lies over is
/// hatched.
#[test]
fn what_is_held_moves_and_its_overlaps_are_hatched() {
    let scene = scene();
    let camera = camera();
    let before = scene.rect(0).unwrap();
    let up = |by: f64| Rect {
        y0: before.y0 + by,
        y1: before.y1 + by,
        ..before
    };
    let marks = RunMarks {
        held: Some((0, up(20.0))),
        overlaps: vec![up(20.0)],
        ..RunMarks::default()
    };
    let items = run_overlay(&scene, &camera, &marks).items;
    let solid: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Solid(area, ink) => Some((*area, *ink)),
            _ => None,
        })
        .collect();
    let [(area, ink)] = solid[..] else {
        panic!("{solid:?}");
    };
    assert_eq!(ink, Ink::Fill(categorical(0).color));
    let covered = items.iter().find_map(|item| match item {
        Item::Band(area) => Some(*area),
        _ => None,
    });
    // 20 bytes up are 20 pixels up: one pixel a byte.
    let was = covered.expect("where it was is empty");
    assert!((was.top - area.top - 20.0).abs() <= 1.0, "{was:?} {area:?}");
    let strokes = items.iter().filter(|item| {
        matches!(
            item,
            Item::Line {
                ink: Ink::Fault,
                ..
            }
        )
    });
    assert!(strokes.count() >= 3, "it is hatched");
}
