//! The graph over a picture: how much is drawn of it, what is marked, and that no texts overlap.

use planner::graph::TensorId;
use tests::random::Random;
use tests::scenes::INSETS;
use timeline::camera::{Camera, Range};
use timeline::graph_strip::{Edge, Node, Strip};
use timeline::labelling::Labelling;
use timeline::overlay::{Ink, Item, Text};
use timeline::overlay_graph::{Detail, GraphMarks, GraphView, graph_overlay, strip_height};

/// A chain in which each fourth operator is read by the one ten steps later, too. Operator i
/// writes buffer i.
fn chain(count: u64) -> Strip {
    let index = |step: u64| usize::try_from(step).expect("small");
    let node = |step: u64| {
        let skips = step.checked_sub(10).filter(|from| from.is_multiple_of(4));
        let reads = step.checked_sub(1).into_iter().chain(skips);
        Node {
            step,
            name: format!("block{step}.conv"),
            fed: step == 0,
            reads: reads.map(index).collect(),
            writes: vec![index(step)],
            ..Node::default()
        }
    };
    let nodes: Vec<Node> = (0..count).map(node).collect();
    let edges = nodes.iter().flat_map(|node| {
        let edge = |from: &usize| Edge {
            to: node.step,
            from: *from as u64,
            tensor: TensorId::at(*from),
            buffer: Some(*from),
        };
        node.reads.iter().map(edge).collect::<Vec<Edge>>()
    });
    let edges: Vec<Edge> = edges.collect();
    let strip = Strip {
        edges,
        nodes,
        ..Strip::default()
    };
    strip.measured()
}

/// Sees the steps from `from` to `to` in a plot of 900 CSS pixels.
fn camera(from: f64, to: f64, height: f64) -> Camera {
    let per_step = 900.0 / (to - from);
    Camera {
        x: Range::new(from - INSETS.left / per_step, to),
        y: Range::new(0.0, 1.0),
        width: INSETS.left + 900.0,
        height,
        labelling: Labelling::USUAL,
    }
}

fn drawn(strip: &Strip, camera: &Camera, marks: GraphMarks) -> (Detail, Vec<Item>) {
    let view = GraphView {
        strip,
        camera,
        across: &|step| step,
        word: "Graph",
    };
    let over = graph_overlay(&view, marks);
    assert!(over.font >= 12.0);
    (view.detail(), over.items)
}

fn texts(items: &[Item]) -> Vec<&Text> {
    let mut texts = Vec::new();
    for item in items {
        if let Item::Text(text) = item {
            texts.push(text);
        }
    }
    texts
}

/// The middles of the marks in an ink.
fn dots(items: &[Item], wanted: Ink) -> Vec<f64> {
    let dot = |item: &Item| match item {
        Item::Solid(area, ink) if *ink == wanted => Some(f64::midpoint(area.left, area.right)),
        _ => None,
    };
    items.iter().filter_map(dot).collect()
}

#[test]
fn details_follow_the_room() {
    let nothing = GraphMarks::default();
    // 900 pixels: of 9 operators each has 100, of 40 each 22, of 200 4, of 400 2.
    let cases = [
        (9, Detail::Named),
        (40, Detail::Nodes),
        (400, Detail::Dense),
    ];
    for (count, expected) in cases {
        let strip = chain(count);
        let (detail, items) = drawn(&strip, &camera(0.0, count as f64, 72.0), nothing);
        assert_eq!(detail, expected, "{count}");
        let named = texts(&items).len() - 1;
        assert_eq!(named, if expected == Detail::Named { 9 } else { 0 });
        let dots = dots(&items, Ink::Text).len();
        assert_eq!(dots as u64, if count > 100 { 0 } else { count });
        let fills = items
            .iter()
            .filter(|item| matches!(item, Item::Fill { .. }));
        assert_eq!(fills.count(), usize::from(expected == Detail::Dense));
    }
    // Zoomed in, a large graph is drawn as a small one is.
    let (detail, items) = drawn(&chain(400), &camera(100.0, 109.0, 42.0), nothing);
    assert_eq!(detail, Detail::Named);
    assert_eq!(dots(&items, Ink::Text).len(), 9);
}

#[test]
fn an_operator_stands_in_the_middle_of_its_step() {
    let (_, items) = drawn(&chain(9), &camera(0.0, 9.0, 72.0), GraphMarks::default());
    let expected: Vec<f64> = (0..9)
        .map(|it| INSETS.left + 50.0 + 100.0 * f64::from(it))
        .collect();
    let found = dots(&items, Ink::Text);
    let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-6;
    assert!(found.iter().zip(&expected).all(near), "{found:?}");
}

#[test]
fn a_tensor_marks_who_writes_and_reads_it() {
    let strip = chain(40);
    let marks = GraphMarks {
        buffer: Some(8),
        ..GraphMarks::default()
    };
    let (_, items) = drawn(&strip, &camera(0.0, 40.0, 72.0), marks);
    let x = |step: f64| INSETS.left + (step + 0.5) * 900.0 / 40.0;
    let close = |found: Vec<f64>, expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(it, at)| (it - at).abs() < 1e-6)
        );
    };
    close(dots(&items, Ink::Written), &[x(8.0)]);
    close(dots(&items, Ink::Read), &[x(9.0), x(18.0)]);
    let names: Vec<&str> = texts(&items)
        .iter()
        .map(|text| text.text.as_str())
        .collect();
    assert!(
        names.contains(&"block8.conv") && names.contains(&"block18.conv"),
        "{names:?}"
    );
}

#[test]
fn an_operator_marks_what_it_reads_and_who_reads_it() {
    let marks = GraphMarks {
        step: Some(18),
        ..GraphMarks::default()
    };
    let (_, items) = drawn(&chain(40), &camera(0.0, 40.0, 72.0), marks);
    // It reads those of 17 and 8; 19 reads it.
    let counts = [Ink::Selected, Ink::Read, Ink::Written].map(|ink| dots(&items, ink).len());
    assert_eq!(counts, [1, 2, 1]);
}

/// Whatever in the window is pointed at is looked at, and the window stays as it is.
#[test]
fn what_a_window_shows_can_be_pointed_at() {
    let strip = chain(1000);
    let camera = camera(0.0, 1000.0, 42.0);
    let view = GraphView {
        strip: &strip,
        camera: &camera,
        across: &|step| step,
        word: "",
    };
    let shown = |marks| {
        let overlay = graph_overlay(&view, marks);
        // It has no title.
        let texts = texts(&overlay.items).into_iter();
        let texts = texts.filter(|it| !it.text.is_empty());
        let places = texts.map(|it| (it.text.clone(), it.area.left, it.area.right));
        places.collect::<Vec<_>>()
    };
    let at = |step| GraphMarks {
        step: Some(step),
        ..GraphMarks::default()
    };
    let window = shown(at(500));
    assert!(window.len() >= 4, "{window:?}");
    for (name, left, right) in &window {
        let found = view.step_in_window(500, (f64::midpoint(*left, *right), 20.0));
        let step = found.expect("an operator");
        assert!(
            strip.nodes[strip.at(step).expect("a node")]
                .name
                .contains(name.trim_matches('…')),
            "{name} {step}"
        );
        let looked = GraphMarks {
            around: Some(500),
            ..at(step)
        };
        assert_eq!(shown(looked), window);
    }
    // Beside it, and where nothing unfolds, there is nothing to point at.
    assert_eq!(view.step_in_window(500, (INSETS.left + 1.0, 20.0)), None);
    let few = chain(9);
    let few = GraphView {
        strip: &few,
        ..view
    };
    assert_eq!(few.step_in_window(4, (INSETS.left + 450.0, 20.0)), None);
}

#[test]
fn a_large_graph_unfolds_around_the_step_that_is_looked_at() {
    let strip = chain(1000);
    for step in [0, 1, 500, 998, 999, 2000] {
        let marks = GraphMarks {
            step: Some(step),
            ..GraphMarks::default()
        };
        let (detail, items) = drawn(&strip, &camera(0.0, 1000.0, 42.0), marks);
        assert_eq!(detail, Detail::Dense);
        let looked = step.min(999);
        let names: Vec<&str> = texts(&items)
            .iter()
            .map(|text| text.text.as_str())
            .collect();
        let digits = looked.to_string();
        let near = names.iter().filter(|name| name.contains(&digits)).count();
        assert!(near >= 1 && names.len() >= 4, "{step}: {names:?}");
    }
    // Of a tensor exactly those that have to do with it, however far they are from each other.
    let marks = GraphMarks {
        step: Some(900),
        buffer: Some(8),
        ..GraphMarks::default()
    };
    let (_, items) = drawn(&strip, &camera(0.0, 1000.0, 42.0), marks);
    let names: Vec<&str> = texts(&items)
        .iter()
        .map(|text| text.text.as_str())
        .collect();
    assert_eq!(
        names,
        ["Graph", "block8.conv", "block9.conv", "block18.conv"]
    );
}

/// Whatever is in view and marked, no text lies over another or outside the strip, and no line
/// goes beyond the plot.
#[test]
fn no_texts_overlap() {
    let mut random = Random::new(12);
    for _ in 0..500 {
        let count = random.within(1, 600);
        let strip = chain(count);
        let from = random.below(count) as f64;
        let shown = random.within(1, count + 2) as f64;
        let height = strip_height(strip.nodes.len(), random.below(2) == 0, 11.0);
        let camera = camera(from - 1.0, from + shown, height);
        let chance = |random: &mut Random| Some(random.below(count)).filter(|it| it % 3 > 0);
        let marks = GraphMarks {
            step: chance(&mut random),
            buffer: chance(&mut random).and_then(|it| usize::try_from(it).ok()),
            around: chance(&mut random),
        };
        let (_, items) = drawn(&strip, &camera, marks);
        let texts = texts(&items);
        for (index, text) in texts.iter().enumerate() {
            let other = texts[..index]
                .iter()
                .find(|other| other.area.overlaps(&text.area));
            assert!(other.is_none(), "{text:?} over {other:?}");
            let area = text.area;
            assert!(
                area.left >= 0.0 && area.right <= camera.width + 1e-6,
                "{text:?}"
            );
            assert!(area.top >= 0.0 && area.bottom <= height, "{text:?}");
        }
        for item in &items {
            let points: &[(f64, f64)] = match item {
                Item::Line { points, .. } | Item::Fill { points, .. } => points,
                _ => &[],
            };
            let inside = |(x, y): &(f64, f64)| {
                *x >= INSETS.left - 10.0 && *x <= camera.width + 1.0 && *y >= 0.0 && *y <= height
            };
            assert!(points.iter().all(inside), "{points:?}");
        }
    }
}

#[test]
fn small_graphs_have_more_room() {
    assert!(strip_height(40, true, 11.0) >= 64.0);
    for (operators, roomy) in [(40, false), (41, true), (41, false)] {
        let height = strip_height(operators, roomy, 11.0);
        assert!((28.0..=44.0).contains(&height), "{height}");
    }
}
