//! From stage to stage each rectangle keeps its identity. Places are worked out by hand.

use planner::bounds::bounds;
use planner::graph::{Graph, TensorId};
use planner::{Buffer, BufferView, Bytes, Handover, Lifetimes, Offset, Plan, Span, Step, profile};
use timeline::motion::{Motion, Shown};
use timeline::palette::categorical;
use timeline::scene::{Rect, Scene};

fn scene(lifetimes: &Lifetimes, offsets: &[u64], arena: u64) -> Scene {
    let plan = Plan {
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(arena),
        ..Plan::default()
    };
    let figures = (&bounds(lifetimes), &profile(lifetimes));
    Scene::new(lifetimes, &plan, figures, &|index| categorical(index))
}

fn shown<'a>(lifetimes: &'a Lifetimes, graph: Option<&'a Graph>, scene: &'a Scene) -> Shown<'a> {
    Shown {
        lifetimes,
        graph,
        scene,
    }
}

fn rects(scene: &Scene) -> Vec<[f64; 4]> {
    let rect = |index| {
        let Rect { x0, x1, y0, y1 } = scene.rect(index).expect("a rectangle");
        [x0, x1, y0, y1]
    };
    (0..scene.len()).map(rect).collect()
}

/// Two pieces and the whole that a concatenation copies them into.
fn before() -> Lifetimes {
    Lifetimes::of([
        Buffer::new("a", 40, Span::new(0, 3)),
        Buffer::new("b", 20, Span::new(1, 3)),
        Buffer::new("whole", 60, Span::new(2, 4)),
    ])
}

/// The pieces lie in the whole.
fn after() -> Lifetimes {
    let piece = |name: &str, tensor, window: (u64, u64), span| BufferView {
        buffer: 0,
        tensor: TensorId(tensor),
        name: name.into(),
        window: (Bytes(window.0), Bytes(window.1)),
        span,
    };
    Lifetimes {
        views: vec![
            piece("a", 0, (0, 40), Span::new(0, 3)),
            piece("b", 1, (40, 60), Span::new(1, 3)),
        ],
        ..Lifetimes::of([Buffer::new("whole", 60, Span::new(0, 4))])
    }
}

#[test]
fn pieces_move_into_the_whole_and_out_again() {
    let model = Graph::default();
    let (old, new) = (before(), after());
    let (from, to) = (scene(&old, &[60, 100, 0], 120), scene(&new, &[0], 60));
    let there = Motion::new(
        shown(&old, Some(&model), &from),
        shown(&new, Some(&model), &to),
    )
    .expect("moves");
    // The whole first, then what has no rectangle of its own any longer.
    let whole = [2.0, 4.0, 0.0, 60.0];
    let (a, b) = ([0.0, 3.0, 60.0, 100.0], [1.0, 3.0, 100.0, 120.0]);
    assert_eq!(rects(&there.at(0.0)), [whole, a, b]);
    let within = [
        [0.0, 4.0, 0.0, 60.0],
        [0.0, 3.0, 0.0, 40.0],
        [1.0, 3.0, 40.0, 60.0],
    ];
    assert_eq!(rects(&there.at(1.0)), within);
    let half = there.at(0.5);
    let middle = [
        [1.0, 4.0, 0.0, 60.0],
        [0.0, 3.0, 30.0, 70.0],
        [1.0, 3.0, 70.0, 90.0],
    ];
    assert_eq!(rects(&half), middle);
    assert_eq!((half.arena, to.arena), (90.0, 60.0));
    // The way back begins where the way there ends.
    let back = Motion::new(
        shown(&new, Some(&model), &to),
        shown(&old, Some(&model), &from),
    )
    .expect("moves");
    let order = |mut rects: Vec<[f64; 4]>| {
        rects.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
        rects
    };
    assert_eq!(order(rects(&back.at(0.0))), order(within.to_vec()));
    assert_eq!(order(rects(&back.at(1.0))), order(vec![whole, a, b]));
}

#[test]
fn what_is_gone_shrinks_and_what_stays_does_not_move() {
    let model = Graph::default();
    let old = before();
    let new = Lifetimes::of([Buffer::new("whole", 60, Span::new(2, 4))]);
    let (from, to) = (scene(&old, &[60, 100, 0], 120), scene(&new, &[0], 60));
    let way = Motion::new(
        shown(&old, Some(&model), &from),
        shown(&new, Some(&model), &to),
    )
    .expect("moves");
    let whole = [2.0, 4.0, 0.0, 60.0];
    let shrunk = [[0.0, 3.0, 60.0, 60.0], [1.0, 3.0, 100.0, 100.0]];
    assert_eq!(rects(&way.at(1.0)), [whole, shrunk[0], shrunk[1]]);
    assert!(
        Motion::new(
            shown(&old, Some(&model), &from),
            shown(&old, Some(&model), &from)
        )
        .is_none()
    );
}

/// Two arenas of a dump are no stages of one model.
#[test]
fn without_a_model_nothing_moves() {
    let (old, new) = (before(), after());
    let (from, to) = (scene(&old, &[60, 100, 0], 120), scene(&new, &[0], 60));
    assert!(Motion::new(shown(&old, None, &from), shown(&new, None, &to)).is_none());
}

/// Two plans of one dump are of the same tensors, whatever those are called.
#[test]
fn two_plans_of_one_dump_move() {
    let dump = before();
    let (from, to) = (
        scene(&dump, &[60, 100, 0], 120),
        scene(&dump, &[0, 100, 60], 120),
    );
    let way = Motion::new(shown(&dump, None, &from), shown(&dump, None, &to)).expect("moves");
    let half = |index: usize| {
        let [from, to] = [&from, &to].map(|scene| scene.rect(index).expect("there"));
        [
            from.x0,
            from.x1,
            f64::midpoint(from.y0, to.y0),
            f64::midpoint(from.y1, to.y1),
        ]
    };
    let mut expected = [0, 1, 2].map(half);
    let mut middle = rects(&way.at(0.5));
    for all in [&mut expected[..], &mut middle[..]] {
        all.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    }
    assert_eq!(middle, expected);
}

/// Of tensors of one name, as of one that is recomputed, each goes where its like is.
#[test]
fn the_second_stay_of_a_tensor_is_not_its_first() {
    let model = Graph::default();
    let twice = Lifetimes::of([
        Buffer::new("a", 10, Span::new(0, 1)),
        Buffer::new("a", 10, Span::new(3, 4)),
    ]);
    let (from, to) = (scene(&twice, &[0, 0], 10), scene(&twice, &[0, 30], 40));
    let way = Motion::new(
        shown(&twice, Some(&model), &from),
        shown(&twice, Some(&model), &to),
    )
    .expect("moves");
    let middle = [[0.0, 1.0, 0.0, 10.0], [3.0, 4.0, 15.0, 25.0]];
    assert_eq!(rects(&way.at(0.5)), middle);
}

/// A buffer that is written over another is one bar with a seam, where the plan puts it there.
#[test]
fn a_seam_is_where_the_later_one_begins() {
    let chain = Lifetimes {
        handovers: vec![Handover {
            before: 0,
            after: 1,
            shift: Bytes(8),
        }],
        horizon: Step(6),
        ..Lifetimes::of([
            Buffer::new("a", 40, Span::new(0, 3)),
            Buffer::new("b", 20, Span::new(2, 6)),
        ])
    };
    let seam = Rect {
        x0: 2.0,
        x1: 3.0,
        y0: 18.0,
        y1: 38.0,
    };
    assert_eq!(scene(&chain, &[10, 18], 50).seams, [seam]);
    assert_eq!(scene(&chain, &[10, 50], 70).seams, []);
}
