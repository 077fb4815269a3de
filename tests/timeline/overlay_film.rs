//! What a film shows over the rectangles.

use tests::scenes::{INSETS, near_camera as camera, outlines, two_rects as scene};
use timeline::overlay::{Area, Ink, Item};
use timeline::overlay_film::{FilmMarks, FilmRange, film_overlay};
use timeline::scene::Rect;

fn rect(x0: f64, x1: f64, y0: f64, y1: f64) -> Rect {
    Rect { x0, x1, y0, y1 }
}

fn area(left: f64, top: f64, right: f64, bottom: f64) -> Area {
    Area {
        left: INSETS.left + left,
        top,
        right: INSETS.left + right,
        bottom,
    }
}

fn texts(items: &[Item]) -> Vec<&str> {
    let mut found = Vec::new();
    for item in items {
        if let Item::Text(text) = item {
            found.push(text.text.as_str());
        }
    }
    found
}

#[test]
fn nothing_to_show_is_nothing() {
    let over = film_overlay(&scene(), &camera(), &FilmMarks::default());
    assert!(over.items.is_empty());
}

#[test]
fn the_buffer_that_is_decided_and_what_it_stands_on_are_outlined() {
    let marks = FilmMarks {
        current: Some(1),
        stack: vec![0, 99],
        ..FilmMarks::default()
    };
    let items = film_overlay(&scene(), &camera(), &marks).items;
    // The picture is 200 bytes high: byte 150 is a quarter from its top.
    let current = area(10.0, 50.0, 40.0, 100.0);
    assert_eq!(outlines(&items, Ink::Written), [current]);
    assert_eq!(
        outlines(&items, Ink::Fault),
        [area(0.0, 100.0, 20.0, 200.0)]
    );
    assert!(items.contains(&Item::Wash(current, Ink::Written)));
}

#[test]
fn gaps_are_hatched_within_their_own_box() {
    let range = |y0, y1, fits, label: &str| FilmRange {
        rect: rect(2.0, 8.0, y0, y1),
        fits,
        label: label.into(),
    };
    let marks = FilmMarks {
        ranges: vec![
            range(0.0, 100.0, true, "100 B"),
            range(150.0, 155.0, false, "5 B"),
        ],
        ..FilmMarks::default()
    };
    let items = film_overlay(&scene(), &camera(), &marks).items;
    let (large, small) = (area(20.0, 100.0, 80.0, 200.0), area(20.0, 45.0, 80.0, 50.0));
    assert_eq!(outlines(&items, Ink::Fault), [large]);
    assert_eq!(outlines(&items, Ink::Text), [small]);
    // Five bytes are too low for letters.
    assert_eq!(texts(&items), ["100 B"]);
    for (wanted, ink) in [(large, Ink::Fault), (small, Ink::Text)] {
        let mut lines = 0;
        for item in &items {
            let Item::Line {
                points, ink: own, ..
            } = item
            else {
                continue;
            };
            if *own != ink {
                continue;
            }
            lines += 1;
            for &(x, y) in points {
                assert!((wanted.left..=wanted.right).contains(&x), "{x}");
                assert!((wanted.top..=wanted.bottom).contains(&y), "{y}");
            }
            let [(x0, y0), (x1, y1)] = points[..] else {
                panic!("a line has two ends");
            };
            assert!(((x1 - x0) - (y0 - y1)).abs() < 1e-9, "at 45 degrees");
        }
        assert!(lines > 3, "{ink:?}: {lines} lines");
    }
}

#[test]
fn objects_have_an_edge_and_a_name_where_there_is_room() {
    let object = |from, to, name: &str| (from, to, name.to_owned());
    let marks = FilmMarks {
        objects: vec![
            object(0.0, 100.0, "object 0"),
            object(100.0, 110.0, "object 1"),
            object(110.0, 112.0, "object 2"),
            object(112.0, 900.0, "object 3"),
        ],
        ..FilmMarks::default()
    };
    let items = film_overlay(&scene(), &camera(), &marks).items;
    let edges: Vec<f64> = items
        .iter()
        .filter_map(|item| match item {
            Item::Line {
                points,
                dashed: true,
                ..
            } => Some(points[0].1),
            _ => None,
        })
        .collect();
    // The third is too near to the second, the fourth ends above the picture.
    assert_eq!(edges, [100.0, 90.0]);
    assert_eq!(texts(&items), ["object 0"]);
}
