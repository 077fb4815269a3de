//! What is asked of a plan, over its picture, and the lanes below it.

use tests::scenes::{INSETS, near_camera as camera, outlines, two_rects as scene};
use timeline::overlay::{Area, Ink, Item};
use timeline::overlay_lanes::{LANE, Lane, lanes_overlay};
use timeline::overlay_spot::{SpotMarks, spot_overlay};
use timeline::scene::Rect;

fn area(left: f64, top: f64, right: f64, bottom: f64) -> Area {
    Area {
        left: INSETS.left + left,
        top,
        right: INSETS.left + right,
        bottom,
    }
}

fn lines(items: &[Item], wanted: Ink) -> Vec<Vec<(f64, f64)>> {
    let line = |item: &Item| match item {
        Item::Line { points, ink, .. } | Item::Fill { points, ink, .. } if *ink == wanted => {
            Some(points.clone())
        }
        _ => None,
    };
    items.iter().filter_map(line).collect()
}

#[test]
fn nothing_asked_is_nothing() {
    let over = spot_overlay(&scene(), &camera(), &SpotMarks::default());
    assert!(over.items.is_empty());
}

/// Steps 2 to 4 of bytes 0 to 100: 20 × 100 pixels on the ground, which is at 200.
#[test]
fn a_hole_is_outlined_and_hatched_inside_its_edges() {
    let free_range = Rect {
        x0: 2.0,
        x1: 4.0,
        y0: 0.0,
        y1: 100.0,
    };
    let marks = SpotMarks {
        free_range: Some(free_range),
        free_ranges: vec![free_range],
        lit: vec![1, 99],
        ..SpotMarks::default()
    };
    let over = spot_overlay(&scene(), &camera(), &marks);
    let there = area(20.0, 100.0, 40.0, 200.0);
    assert_eq!(outlines(&over.items, Ink::Selected), [there]);
    assert_eq!(outlines(&over.items, Ink::Fault), [there]);
    assert_eq!(
        outlines(&over.items, Ink::Bound),
        [area(10.0, 50.0, 40.0, 100.0)]
    );
    let strokes = lines(&over.items, Ink::Fault);
    // Diagonals over 20 + 100 pixels, one every 9.
    assert!((12..=14).contains(&strokes.len()), "{}", strokes.len());
    for (x, y) in strokes.into_iter().flatten() {
        assert!((there.left..=there.right).contains(&x), "{x}");
        assert!((there.top..=there.bottom).contains(&y), "{y}");
    }
}

#[test]
fn the_crosshair_meets_where_it_is_asked() {
    let marks = SpotMarks {
        cross: Some((3.5, 40.0)),
        ..SpotMarks::default()
    };
    let over = spot_overlay(&scene(), &camera(), &marks);
    let [down, across] = &lines(&over.items, Ink::Text)[..] else {
        panic!("two lines");
    };
    assert!((down[0].0 - (INSETS.left + 35.0)).abs() < 1e-9, "{down:?}");
    assert!((across[0].1 - 160.0).abs() < 1e-9, "{across:?}");
}

/// 8 from step 1, 4 from step 3: on the picture's own ten pixels a step, over the height that
/// a lane leaves below its name.
#[test]
fn a_lane_keeps_the_pictures_steps() {
    let lane = Lane {
        name: "Free".to_owned(),
        points: vec![(1.0, 8.0), (3.0, 4.0)],
        most: 8.0,
        top: "8 B".to_owned(),
    };
    let over = lanes_overlay([&lane, &lane], &camera());
    let curves = lines(&over.items, Ink::Curve);
    assert_eq!(curves.len(), 2);
    let (top, bottom) = (16.0, LANE - 3.0);
    let at = |step: f64, y: f64| (INSETS.left + 10.0 * step, y);
    let half = f64::midpoint(top, bottom);
    let expected = [
        at(0.0, bottom),
        at(1.0, bottom),
        at(1.0, top),
        at(3.0, top),
        at(3.0, half),
        at(10.0, half),
    ];
    // A rise may be drawn up and down within its column of pixels, but nowhere else.
    assert!(curves[0].iter().all(|point| expected.contains(point)));
    let mut drawn = curves[0].iter();
    assert!(
        expected
            .iter()
            .all(|point| drawn.any(|other| other == point))
    );
    assert_eq!(curves[1][0], (INSETS.left, bottom + LANE));
}

/// Zoomed in, the level at the left is that of the last point out of view; and a million
/// points stay a few for each pixel.
#[test]
fn a_lane_of_a_million_points_is_thinned() {
    let points = |count: u32| (0..count).map(|step| (f64::from(step), f64::from(step % 7)));
    let lane = Lane {
        points: points(1_000_000).collect(),
        most: 6.0,
        ..Lane::default()
    };
    let mut whole = camera();
    whole.x.end = 1_000_000.0;
    let drawn = |camera| lines(&lanes_overlay([&lane], camera).items, Ink::Curve);
    let curve = &drawn(&whole)[0];
    assert!(curve.len() < 4 * 200, "{}", curve.len());
    let mut near = camera();
    // The left edge is in the middle of step 51, where 51 % 7 = 2 of 6 are named.
    near.x.start += 51.5;
    near.x.end += 51.5;
    let curve = &drawn(&near)[0];
    let expected = LANE - 3.0 - (LANE - 3.0 - 16.0) / 3.0;
    assert!((curve[0].1 - expected).abs() < 1e-6, "{:?}", curve[0]);
}
