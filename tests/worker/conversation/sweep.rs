//! The worker plans a document at another value than the one that it was prepared with.

use planner::graph::Bindings;
use planner::sweep::{Beside, Figures, Over, Point};
use planner::{Bytes, Effort, Settings, Strategy};
use worker::{CaseId, CodeSet, Reply, Request, SweepQuestion};

use super::talk::{Talk, answer, asking};

/// Two dimensions, and copies that are views where views are chosen.
const GRAPH: &str = "let N = 2\nlet M = 1\ninput x: f32[N, M]\na = Relu(x)\nb = Identity(a)\n\
                     c = Exp(b)\nd = Relu(c)\noutput d\n";

const STRATEGIES: [Strategy; 2] = [Strategy::Best, Strategy::GreedyInOrder];

fn prepare(bindings: &Bindings, settings: Settings) -> Request {
    Request::Prepare {
        id: 2,
        case: CaseId(0),
        bindings: bindings.clone(),
        settings,
    }
}

fn sweep(bindings: &Bindings, settings: Settings, over: Over, value: u64) -> Request {
    let question = SweepQuestion {
        bindings: bindings.clone(),
        settings,
        over,
        value,
        strategies: STRATEGIES.to_vec(),
        pools: Vec::new(),
        effort: Effort::DEFAULT,
    };
    asking(3, &question)
}

/// The point, and the reports before it.
fn swept(talk: &mut Talk, request: &Request) -> (Point, Vec<(u64, u64)>) {
    let mut replies = talk.ask(request, &[]);
    let Some(Reply::Found { id: 3, found }) = replies.pop() else {
        panic!("no point");
    };
    let told = replies.into_iter().map(|reply| match reply {
        Reply::Progress {
            id: 3, done, total, ..
        } => (done, total),
        other => panic!("{other:?}"),
    });
    (answer::<SweepQuestion>(found), told.collect())
}

/// The same by preparing and planning.
fn alone(bindings: &Bindings, settings: Settings) -> Figures {
    let mut talk = Talk::new(0.0);
    talk.open(1, &GRAPH.as_bytes().to_vec());
    let replies = talk.asked(&prepare(bindings, settings), &[]);
    let Reply::Prepared {
        prepared: Ok(prepared),
        ..
    } = replies
    else {
        panic!("not prepared");
    };
    let sizes = prepared
        .subject
        .lifetimes
        .buffers
        .iter()
        .map(|it| it.size.0);
    let arenas = STRATEGIES.map(|it| Ok(talk.planned(4, it).judged.metrics.taken()));
    Figures {
        naive: Bytes(sizes.sum()),
        bound: prepared.bounds.offsets,
        unsized_tensors: 0,
        arenas: arenas.to_vec(),
        beside: {
            let split = prepared.subject.split.expect("a model");
            Beside {
                weights: split.constants,
                cache: split.state,
                callers: Bytes(split.inputs.0 + split.outputs.0),
                ..Beside::default()
            }
        },
    }
}

#[test]
fn a_point_is_what_preparing_and_planning_give() {
    let views = planner::passes::optional().find(|it| it.1.name == "views");
    let views = views.expect("a pass").0;
    let plain = Settings::default();
    let passed = Settings {
        passes: plain.passes.with(views, Some(0)),
        ..plain
    };
    let mut bounds = Vec::new();
    for settings in [plain, passed] {
        let mut talk = Talk::new(0.0);
        talk.open(1, &GRAPH.as_bytes().to_vec());
        let mut bindings = Bindings::from([("M".to_owned(), 40), ("N".to_owned(), 3)]);
        talk.ask(&prepare(&bindings, settings), &[]);
        for value in [1, 9] {
            let (point, told) = swept(
                &mut talk,
                &sweep(&bindings, settings, Over::Dimension("N".into()), value),
            );
            bindings.insert("N".into(), value);
            assert_eq!(told, [(1, 2), (2, 2)]);
            assert_eq!(point.value, value);
            assert_eq!(point.found, Ok(alone(&bindings, settings)));
            bounds.extend(point.found.map(|it| it.naive.0));
        }
        bindings.insert("N".into(), 3);
        let (point, _) = swept(&mut talk, &sweep(&bindings, settings, Over::Alignment, 256));
        let settings = Settings {
            alignment: Bytes(256),
            ..settings
        };
        assert_eq!(point.found, Ok(alone(&bindings, settings)));
    }
    // 160 and 1440 bytes each, rounded up to 64: three of them, and without the copy two.
    let expected = [3 * 192, 3 * 1472, 2 * 192, 2 * 1472];
    assert_eq!(bounds, expected);
}

/// Two buffers of nearly 2^61 bytes fit into 2^62 until each is given room to be aligned.
#[test]
fn sizes_beyond_all_limits_are_an_error_of_their_value() {
    let size = (1_u64 << 61) - (1 << 31);
    let rows = format!("id,lower,upper,size\na,0,3,{size}\nb,1,4,{size}\n");
    let mut talk = Talk::new(0.0);
    talk.open(1, &rows.into_bytes());
    let settings = Settings {
        alignment: Bytes(1),
        ..Settings::default()
    };
    talk.ask(&prepare(&Bindings::new(), settings), &[]);
    let (point, told) = swept(
        &mut talk,
        &sweep(&Bindings::new(), settings, Over::Alignment, 1 << 32),
    );
    let error = "with b all sizes together reach 2^62 bytes";
    assert_eq!(point.value, 1 << 32);
    assert_eq!(point.found.expect_err("it is too large"), error);
    assert_eq!(told, [(2, 2)]);
}

#[test]
fn the_first_code_lacks_it_and_before_anything_is_open_there_is_nothing() {
    let settings = Settings::default();
    let request = sweep(&Bindings::new(), settings, Over::Alignment, 1);
    let mut talk = Talk::new(0.0);
    assert_eq!(talk.ask(&request, &[]), []);
    talk.open(1, &GRAPH.as_bytes().to_vec());
    assert_eq!(swept(&mut talk, &request).0.value, 1);
    talk.server.set_code(CodeSet::FIRST);
    assert!(talk.tried(&request, &[]).is_err());
}
