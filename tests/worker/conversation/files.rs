//! Files that are opened, alone and together.

use planner::Strategy;
use planner::graph::Bindings;
use planner::load::{Fault, Source};
use tests::networks::blazeface;
use worker::{Desk, Lacking, Reply, Request, Skills};

use super::talk::{Talk, plan_with, trace_with};

/// Two problems that have nothing to do with each other are no document: the error names both,
/// and the model that was open stays.
#[test]
fn files_that_do_not_belong_together_are_refused() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let csv = b"id,lower,upper,size\na,0,2,4\n".to_vec();
    let files: [(&str, &dyn Source); 2] = [("first.csv", &csv), ("second.csv", &csv)];
    match talk.open_all(2, &files) {
        Reply::Refused { id: 2, error } => {
            assert_eq!(error.kind, Fault::Apart, "{error}");
            assert!(error.place.contains("first.csv"), "{error}");
            assert!(error.place.contains("second.csv"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    assert!(talk.prepared(3, Bindings::new()).subject.program.is_some());
}

#[test]
fn an_error_among_several_files_names_its_file() {
    let mut talk = Talk::new(1.0);
    let (csv, empty) = (b"id,lower,upper,size\na,0,2,4\n".to_vec(), Vec::new());
    let files: [(&str, &dyn Source); 2] = [("full.csv", &csv), ("nothing.txt", &empty)];
    match talk.open_all(1, &files) {
        Reply::Refused { id: 1, error } => {
            assert_eq!(error.kind, Fault::Empty, "{error}");
            assert_eq!(error.place, "nothing.txt");
        }
        other => panic!("{other:?}"),
    }
    // A file without a name, and a name without a file, are no question.
    let names = vec!["full.csv".to_owned()];
    let request = Request::Open { id: 2, names };
    assert_eq!(talk.ask(&request, &[&csv, &csv]), []);
}

/// Offsets 0, 8 and 12, sizes 8, 4 and 4: an arena of 16 bytes.
#[test]
fn a_deployed_plan_reports_its_arena() {
    let mut talk = Talk::new(1.0);
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\nb,0,1,4,8\nc,1,2,4,12\n".to_vec();
    let Reply::Opened { opened, .. } = talk.open(1, &csv) else {
        panic!("not opened");
    };
    assert!(opened.deployed);
    let arenas: Vec<_> = opened
        .arenas
        .iter()
        .map(|arena| (arena.name.as_str(), arena.size.0, arena.buffers))
        .collect();
    assert_eq!((arenas, opened.frames), (vec![("", 16, 3)], 0));
    // A problem has none.
    let problem = b"id,lower,upper,size\na,0,2,8\n".to_vec();
    let Reply::Opened { opened, .. } = talk.open(2, &problem) else {
        panic!("not opened");
    };
    assert!(opened.arenas.is_empty() && opened.toolchain.is_empty());
}

/// Every committed sample of a dump is left to the skills that read dumps, and what was open
/// stays; what is no dump is answered without them, as with them.
#[test]
fn usual_skills_leave_dumps_alone() {
    let mut talk = Talk::new(1.0);
    talk.desk = Desk::skilled(Skills::USUAL);
    talk.open(1, &blazeface());
    let folder = |path: &str| format!("{}/data/plans/{path}", env!("CARGO_MANIFEST_DIR"));
    for path in [
        "chrome_trace/leading_gap.executorch.json",
        "executorch/add_model.pte",
        "iree/chain.ir.txt",
        "litert/small_net.csv",
        "megengine/StaticMemoryInfo.json",
        "megengine/mgb-interval-0.txt",
        "tflm/person_detect.log",
        "torch/protocol4.pickle",
        "vela/small_net.HillClimb.log",
        "xla/loop-live-range.txt",
        "xla/loop.hlo.pb",
        "../recomputed.json",
    ] {
        let bytes = std::fs::read(folder(path)).expect("a committed sample");
        assert_eq!(talk.lacks(&open(2), &[&bytes]), Err(Lacking), "{path}");
        assert!(talk.page.received.take().is_empty(), "{path}");
    }
    assert!(talk.prepared(3, Bindings::new()).subject.program.is_some());
    let mut complete = Talk::new(1.0);
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\n".to_vec();
    let model = std::fs::read(folder("offline/documented.planned.tflite")).expect("a sample");
    for bytes in [csv, model, b"nothing that is known".to_vec()] {
        assert_eq!(talk.open(4, &bytes), complete.open(4, &bytes));
    }
}

/// Nor do they compare dumps, or write into a model: both need the readers. Once those are
/// there, the same desk does.
#[test]
fn dumps_are_compared_once_that_is_learned() {
    let mut talk = Talk::new(1.0);
    talk.desk = Desk::skilled(Skills::USUAL);
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\n".to_vec();
    let differ = Request::Differ {
        id: 1,
        names: vec!["before.csv".into(), "after.csv".into()],
        count: 1,
        arena: 0,
        opened_is_after: true,
    };
    assert_eq!(talk.lacks(&differ, &[&csv, &csv]), Err(Lacking));
    let home = Request::TakeHome {
        id: 2,
        lifetimes: Box::default(),
        plan: Box::default(),
    };
    assert_eq!(talk.lacks(&home, &[&csv]), Err(Lacking));
    talk.desk.learn(Skills::ALL);
    let differed = talk.asked(&differ, &[&csv, &csv]);
    assert!(matches!(
        differed,
        Reply::Differed {
            id: 1,
            differed: Ok(_)
        }
    ));
}

/// What the page asks before its first picture of the sample that it begins with needs only the
/// first skills, and is answered by them as by all; what they lack changes nothing.
#[test]
fn the_first_picture_needs_only_the_first_skills() {
    let mut all = Talk::new(1.0);
    let mut first = Talk::new(1.0);
    first.desk = Desk::skilled(Skills::FIRST);
    let model = blazeface();
    assert_eq!(first.open(1, &model), all.open(1, &model));
    assert_eq!(
        first.prepared(2, Bindings::new()),
        all.prepared(2, Bindings::new())
    );
    for strategy in [Strategy::Best, Strategy::GreedyInOrder] {
        let plans = [&mut first, &mut all].map(|talk| talk.planned(3, strategy).judged);
        assert_eq!(plans[0], plans[1], "{strategy}");
    }
    let csv = b"id,lower,upper,size\na,0,2,8\n".to_vec();
    assert_eq!(first.lacks(&open(4), &[&csv]), Err(Lacking));
    for request in [plan_with(5, Strategy::Exact), trace_with(6, Strategy::Best)] {
        assert_eq!(first.lacks(&request, &[]), Err(Lacking));
    }
    first.desk.learn(Skills::USUAL);
    first.planned(7, Strategy::Exact);
}

/// A question about one file.
fn open(id: u32) -> Request {
    let names = vec!["file".into()];
    Request::Open { id, names }
}

/// A plan alone is read beside what is open: offsets 0 and 8, so 12 bytes; a problem has none.
#[test]
fn a_plan_alone_is_read_beside_what_is_open() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\nb,0,1,4,8\n".to_vec();
    let Reply::PlanRead { id: 2, read } = talk.asked(&Request::ReadPlan { id: 2 }, &[&csv]) else {
        panic!("not read");
    };
    let (lifetimes, plan) = *read.expect("it holds a plan");
    assert_eq!(lifetimes.buffers.len(), 2);
    assert_eq!((plan.offsets[1].0, plan.arena.0), (8, 12));
    let problem = b"id,lower,upper,size\na,0,2,8\n".to_vec();
    match talk.asked(&Request::ReadPlan { id: 3 }, &[&problem]) {
        Reply::PlanRead { id: 3, read } => {
            assert_eq!(read.expect_err("no offsets").kind, Fault::Unsupported);
        }
        other => panic!("{other:?}"),
    }
    assert!(talk.prepared(4, Bindings::new()).subject.program.is_some());
}
