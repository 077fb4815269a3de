//! Tensors that are views of a buffer are drawn inside it, over it and only while they are
//! used; pointing at them means the buffer. Places are worked out by hand.

use planner::bounds::bounds;
use planner::graph::TensorId;
use planner::profile;
use planner::{Buffer, BufferView, Bytes, Lifetimes, Offset, Plan, Span, Step};
use timeline::axis::ByteStyle;
use timeline::camera::{Camera, Range};
use timeline::hit::hit;
use timeline::labelling::Labelling;
use timeline::overlay::{Item, Overlay, Words, overlay};
use timeline::palette::{Theme, categorical};
use timeline::renderer::Marks;
use timeline::scene::{Rect, Scene, VIEW};

/// Ten pixels a step, one pixel a byte; byte 0 is in the bottom row.
const CAMERA: Camera = Camera {
    x: Range {
        start: 0.0,
        end: 8.0,
    },
    y: Range {
        start: 0.0,
        end: 60.0,
    },
    width: 80.0,
    height: 60.0,
    labelling: Labelling::USUAL,
};

/// `base`, 40 bytes from step 1 to 7 at offset 10, read whole from 1 to 3; `slice` is its bytes
/// 8 to 24, read from step 2 to 7. `other` comes before it in the file.
fn scene() -> Scene {
    let view = |name: &str, tensor, window: (u64, u64), span| BufferView {
        buffer: 1,
        tensor: TensorId(tensor),
        name: name.into(),
        window: (Bytes(window.0), Bytes(window.1)),
        span,
    };
    let lifetimes = Lifetimes {
        buffers: vec![
            Buffer::new("other", 10, Span::new(0, 4)),
            Buffer::new("base", 40, Span::new(1, 7)),
        ],
        views: vec![
            view("base", 1, (0, 40), Span::new(1, 3)),
            view("slice", 2, (8, 24), Span::new(2, 7)),
        ],
        horizon: Step(8),
        ..Lifetimes::default()
    };
    let plan = Plan {
        offsets: vec![Offset(0), Offset(10)],
        arena: Bytes(50),
        ..Plan::default()
    };
    Scene::new(
        &lifetimes,
        &plan,
        (&bounds(&lifetimes), &profile(&lifetimes)),
        &categorical,
    )
}

#[test]
fn views_lie_inside_their_base() {
    let scene = scene();
    assert_eq!((scene.buffers(), scene.len()), (2, 4));
    let base = scene.rect(1).unwrap();
    let rect = |x0, x1, y0, y1| Rect { x0, x1, y0, y1 };
    assert_eq!(base, rect(1.0, 7.0, 10.0, 50.0));
    assert_eq!(scene.rect(0), Some(rect(0.0, 4.0, 0.0, 10.0)));
    // The slice is hit as its base, and so is what lies beside it.
    for (x, y) in [(6.5, 20.0), (6.5, 45.0), (1.5, 12.0)] {
        assert_eq!(hit(&scene, x, y), Some(1), "({x}, {y})");
    }
    assert_eq!(scene.pieces(1), 1..4);
    assert_eq!(scene.owner(3), 1);
}

#[test]
fn a_view_is_labelled_with_its_own_name() {
    let scene = scene();
    assert_eq!(
        (1..4).map(|at| scene.view(at)).collect::<Vec<_>>(),
        [None, Some("base"), Some("slice")]
    );
    let words = Words {
        budget: "budget",
        live: "live",
        addresses: "address",
        steps: "steps",
        pool: &|_| String::new(),
        step: &|_| None,
        buffer: &|index| ["other", "base"][index].to_owned(),
        bound: "bound",
        arena: "arena",
        bytes: ByteStyle::Binary,
    };
    let camera = Camera {
        width: 800.0,
        height: 600.0,
        ..CAMERA
    };
    let over = overlay(&scene, &camera, &words, Marks::default());
    let texts = over.items.iter().filter_map(|item| match item {
        Item::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    assert!(texts.clone().any(|text| text == "slice"));
    assert_eq!(texts.filter(|text| *text == "other").count(), 1);
}

#[test]
fn the_svg_has_them_in_drawing_order() {
    let text = crate::svg_of(
        &scene(),
        &CAMERA,
        &Theme::light(),
        &Overlay::default(),
        "views",
    );
    let own: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("data-buffer=\"1\""))
        .collect();
    assert_eq!(own.len(), 3, "{text}");
    // An edge lies half a pixel inside. The slice: steps 2 to 7, bytes 18 to 34 from below.
    let slice = "x=\"20.5\" y=\"26.5\" width=\"49\" height=\"15\"";
    assert!(own[2].contains(slice), "{}", own[2]);
    assert!(
        own[2].contains(&format!("-{VIEW})")),
        "its pattern: {}",
        own[2]
    );
    let base = "x=\"10.5\" y=\"10.5\" width=\"59\" height=\"39\"";
    assert!(own[0].contains(base), "{}", own[0]);
}
