//! What differs between two plans, over their pictures.

use tests::scenes::{near_camera as camera, outlines, two_rects as scene};
use timeline::overlay::{Ink, Item};
use timeline::overlay_difference::{DifferenceMarks, difference_overlay};
use timeline::scene::Rect;

#[test]
fn nothing_differs_is_nothing() {
    let over = difference_overlay(&scene(), &camera(), &DifferenceMarks::default());
    assert!(over.items.is_empty());
}

/// Index 7 is beyond the scene.
#[test]
fn what_moved_is_outlined_and_where_it_was_is_washed() {
    let preview = Rect {
        x0: 0.0,
        x1: 4.0,
        y0: 0.0,
        y1: 40.0,
    };
    let marks = DifferenceMarks {
        moved: vec![1, 7],
        preview: Some(preview),
        ..DifferenceMarks::default()
    };
    let over = difference_overlay(&scene(), &camera(), &marks);
    assert_eq!(outlines(&over.items, Ink::Written).len(), 1);
    assert_eq!(outlines(&over.items, Ink::Read).len(), 1);
    let washed = |item: &&Item| matches!(item, Item::Wash(_, Ink::Read));
    assert_eq!(over.items.iter().filter(washed).count(), 1);
}

/// The plan that needs the memory shows its rectangles under a wash, the other one a hatching
/// that says how much it is.
#[test]
fn what_only_one_plan_needs_is_hatched_in_the_other() {
    let texts = |larger| {
        let marks = DifferenceMarks {
            freed: Some((20.0, 90.0, "70 B".into())),
            larger,
            ..DifferenceMarks::default()
        };
        let items = difference_overlay(&scene(), &camera(), &marks).items;
        let lines = items.iter().filter(|it| matches!(it, Item::Line { .. }));
        let said = items.iter().find_map(|item| match item {
            Item::Text(text) => Some(text.text.clone()),
            _ => None,
        });
        let washes = items.iter().filter(|it| matches!(it, Item::Wash(..)));
        (lines.count() > 3, said, washes.count())
    };
    assert_eq!(texts(false), (true, Some("70 B".into()), 0));
    assert_eq!(texts(true), (false, None, 1));
}
