//! Curves over values: where they are, where they end, and what is said beside them.

use timeline::chart::{Chart, Curve, Plot, is_logarithmic};
use timeline::overlay::{Area, Ink, Item};

const SIZE: (f64, f64) = (600.0, 300.0);

fn curve(name: &str, ink: Ink, bytes: &[Option<u64>]) -> Curve {
    Curve {
        name: name.into(),
        ink,
        width: 2.0,
        dashed: ink == Ink::Bound,
        bytes: bytes.to_vec(),
    }
}

fn drawn(values: &[u64], curves: &[Curve], now: u64) -> (Plot, Vec<Item>) {
    let chart = Chart {
        values,
        curves,
        axis: "batch",
        now: Some((now, "now")),
        size: SIZE,
        font: 12.0,
    };
    chart.drawn()
}

/// The lines of a colour inside the plot.
fn lines(plot: &Plot, items: &[Item], of: Ink) -> Vec<Vec<(f64, f64)>> {
    let lines = items.iter().filter_map(|item| match item {
        Item::Line { points, ink, .. } if *ink == of && points[0].1 >= plot.area.top => {
            Some(points.clone())
        }
        _ => None,
    });
    lines.collect()
}

fn marks(items: &[Item], of: Ink) -> Vec<Area> {
    let marks = items.iter().filter_map(|item| match item {
        Item::Solid(area, ink) if *ink == of => Some(*area),
        _ => None,
    });
    marks.collect()
}

fn texts(items: &[Item]) -> Vec<(&str, Area)> {
    let texts = items.iter().filter_map(|item| match item {
        Item::Text(text) => Some((text.text.as_str(), text.area)),
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_curve_goes_through_its_points_and_a_gap_parts_it() {
    let bytes = [Some(100), Some(200), None, Some(400), None, Some(200)];
    let curves = [curve("best", Ink::Fill(0), &bytes)];
    let (plot, items) = drawn(&[1, 2, 3, 4, 5, 6], &curves, 4);
    let lines = lines(&plot, &items, Ink::Fill(0));
    let [line] = lines.as_slice() else {
        panic!("one line: {lines:?}");
    };
    let at = |value, bytes| (plot.x(value), plot.y(bytes));
    assert_eq!(line[..], [at(1, 100), at(2, 200)]);
    // Each point has its mark, those without a neighbour, too.
    let marked = marks(&items, Ink::Fill(0));
    let middles = marked
        .iter()
        .map(|it| f64::midpoint(it.left, it.right).round());
    let expected = [1, 2, 4, 6].map(|value| plot.x(value).round());
    assert_eq!(middles.collect::<Vec<_>>(), expected);
    // Twice the bytes are twice as high above the axis, and equal steps equally wide.
    let high = |bytes| plot.area.bottom - plot.y(bytes);
    assert!((high(400) - 4.0 * high(100)).abs() < 1e-9);
    assert!((plot.x(2) - plot.x(1) - (plot.x(6) - plot.x(5))).abs() < 1e-9);
    assert!((plot.x(1) - plot.area.left).abs() < 1e-9);
    assert!((plot.x(6) - plot.area.right).abs() < 1e-9);
}

#[test]
fn values_that_are_far_apart_have_a_logarithmic_scale() {
    for (values, expected) in [
        (&[1, 2, 4, 8][..], true),
        (&[1, 16, 64, 256, 4096], true),
        (&[1, 2, 3, 4], false),
        (&[1, 2, 4], false),
        (&[0, 1, 2, 4, 8], false),
    ] {
        assert_eq!(is_logarithmic(values), expected, "{values:?}");
    }
    let values = [1, 16, 256, 4096];
    let curves = [curve("best", Ink::Fill(0), &[Some(1); 4])];
    let plot = drawn(&values, &curves, 0).0;
    let places = values.map(|value| plot.x(value));
    let apart: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(apart.iter().all(|it| (it - apart[0]).abs() < 1e-9));
    for (index, place) in places.into_iter().enumerate() {
        assert_eq!(plot.nearest(&values, place + 3.0), Some(index));
    }
    assert_eq!(plot.nearest(&[], 0.0), None);
}

/// Nothing is written over something else or beyond the edge, however many curves or values.
#[test]
fn texts_find_room() {
    let names = [
        "without reuse",
        "offsets_by_size",
        "greedy_by_breadth",
        "best",
        "bound",
    ];
    let wide: Vec<u64> = (1..=200).map(|index| index * 1_000_003).collect();
    for values in [&[5][..], &[1, 2, 4, 8, 16, 32, 1 << 40], &wide] {
        let bytes: Vec<Option<u64>> = values.iter().map(|value| Some(value * 7)).collect();
        let curves = names.map(|name| curve(name, Ink::Curve, &bytes));
        let (_, items) = drawn(values, &curves, values[0]);
        let texts = texts(&items);
        assert!(
            names
                .iter()
                .all(|name| texts.iter().any(|it| it.0 == *name))
        );
        for (index, (text, area)) in texts.iter().enumerate() {
            assert!(area.left >= 0.0 && area.right <= SIZE.0, "{text}: {area:?}");
            assert!(area.top >= 0.0 && area.bottom <= SIZE.1, "{text}: {area:?}");
            for (other, place) in &texts[index + 1..] {
                assert!(
                    !area.overlaps(place),
                    "{text} over {other} of {}",
                    values.len()
                );
            }
        }
    }
}

#[test]
fn the_value_that_is_planned_is_marked_where_it_is_in_view() {
    let curves = [curve("bound", Ink::Bound, &[Some(0), Some(0)])];
    for (now, expected) in [(10, true), (15, true), (20, true), (9, false), (21, false)] {
        let (plot, items) = drawn(&[10, 20], &curves, now);
        let found = lines(&plot, &items, Ink::Selected);
        assert_eq!(found.len(), usize::from(expected), "{now}");
        if let Some(line) = found.first() {
            assert!(
                line.iter()
                    .all(|point| (point.0 - plot.x(now)).abs() < 1e-9)
            );
        }
    }
}
