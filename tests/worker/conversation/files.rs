//! Files that are opened, alone and together.

use planner::graph::Bindings;
use planner::load::{Columns, Fault, Source};
use planner::{Strategy, Violation};
use tests::networks::blazeface;
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use worker::{
    CaseId, Change, CodeSet, ComparisonQuestion, MissingCode, PlanRef, Reply, Request, Server,
    Unchanged,
};

use super::talk::{Talk, answer, asking, plan_with, trace_with};

/// Two problems that have nothing to do with each other are no document: the error names both,
/// and the model that was open stays.
#[test]
fn files_that_do_not_belong_together_are_refused() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let csv = b"id,lower,upper,size\na,0,2,4\n".to_vec();
    let files: [(&str, &dyn Source); 2] = [("first.csv", &csv), ("second.csv", &csv)];
    match talk.open_all(2, &files) {
        Reply::Refused { id: 2, error, .. } => {
            assert_eq!(error.kind, Fault::Apart, "{error}");
            assert!(error.to_string().contains("first.csv"), "{error}");
            assert!(error.to_string().contains("second.csv"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    assert!(talk.prepared(3, Bindings::new()).subject.program.is_some());
}

/// A message that memory ran out has no plan: its figures come with the refusal, and the model that
/// was open stays.
#[test]
fn figures_of_a_text_come_with_its_refusal() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let text = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 \
        has a total capacity of 15.75 GiB of which 100.00 MiB is free. Including non-PyTorch memory, \
        this process has 15.50 GiB memory in use. Of the allocated memory 14.00 GiB is allocated by \
        PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.";
    match talk.open(2, &text.to_vec()) {
        Reply::Refused {
            id: 2,
            error,
            figures: Some(figures),
            table: None,
        } => {
            assert_eq!(error.kind, Fault::Figures, "{error}");
            assert_eq!(figures.figures[0].bytes.0, 512 << 20);
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
        Reply::Refused { id: 1, error, .. } => {
            assert_eq!(error.kind, Fault::Empty, "{error}");
            assert_eq!(error.place, "nothing.txt");
        }
        other => panic!("{other:?}"),
    }
    // A file without a name, and a name without a file, are no question.
    let names = vec!["full.csv".to_owned()];
    let request = Request::Open {
        id: 2,
        case: CaseId(0),
        names,
        columns: Columns::default(),
        range: None,
        text: None,
    };
    assert_eq!(talk.ask(&request, &[&csv, &csv]), []);
}

/// Memory 1 has 32 bytes for two tensors of 16, memory 2 as much for one of them.
#[test]
fn a_deployed_program_reports_its_arenas() {
    let mut talk = Talk::new(1.0);
    let program = include_bytes!("../../data/plans/executorch/kinds.pte").to_vec();
    let Reply::Opened { opened, .. } = talk.open(1, &program) else {
        panic!("not opened");
    };
    assert!(opened.deployed);
    let arenas: Vec<_> = opened
        .arenas
        .iter()
        .map(|arena| {
            (
                arena.name.to_string(),
                arena.bytes.0,
                arena.bound.0,
                arena.buffers,
            )
        })
        .collect();
    let named = [("memory 1", 32, 32, 2), ("memory 2", 32, 16, 1)];
    assert_eq!(
        arenas,
        named.map(|(name, bytes, bound, buffers)| (name.to_owned(), bytes, bound, buffers))
    );
    assert_eq!(opened.arena, 1);
    // Of one arena there is nothing to choose.
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\nb,0,1,4,8\nc,1,2,4,12\n".to_vec();
    let Reply::Opened { opened, .. } = talk.open(1, &csv) else {
        panic!("not opened");
    };
    assert!(opened.deployed && opened.arenas.is_empty() && opened.frames == 0);
    // A problem has none.
    let problem = b"id,lower,upper,size\na,0,2,8\n".to_vec();
    let Reply::Opened { opened, .. } = talk.open(2, &problem) else {
        panic!("not opened");
    };
    assert!(opened.arenas.is_empty() && opened.toolchain.is_empty());
}

/// Every committed sample of a dump is left to the code that reads dumps, and what was open
/// stays; what is no dump is answered without them, as with them.
#[test]
fn usual_code_leaves_dumps_alone() {
    let mut talk = Talk::new(1.0);
    talk.server = Server::with(CodeSet::USUAL);
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
        assert_eq!(talk.tried(&open(2), &[&bytes]), Err(MissingCode), "{path}");
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
/// there, the same server does.
#[test]
fn dumps_are_compared_once_that_is_learned() {
    let mut talk = Talk::new(1.0);
    talk.server = Server::with(CodeSet::USUAL);
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\n".to_vec();
    talk.open(1, &csv);
    talk.prepared(2, Bindings::new());
    let (before, after) = (CaseId(0), CaseId(0));
    let differ = asking(3, &ComparisonQuestion { before, after });
    assert_eq!(talk.tried(&differ, &[]), Err(MissingCode));
    let export = Request::Export {
        id: 4,
        case: CaseId(0),
        plan: known(1),
    };
    assert_eq!(talk.tried(&export, &[&csv]), Err(MissingCode));
    talk.server.set_code(CodeSet::ALL);
    match talk.asked(&differ, &[]) {
        Reply::Found { id: 3, found } => {
            let dumps = answer::<ComparisonQuestion>(found).expect("both are dumps");
            assert_eq!((dumps.unchanged, dumps.changed.len()), (1, 0));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(talk.asked(&export, &[&csv]), Reply::Unknown { id: 4 });
}

/// What the page asks before its first picture of the sample that it begins with needs only the
/// first code, and is answered by it as by all, but for reasons that it does not know; what
/// they lack changes nothing.
#[test]
fn the_first_picture_needs_only_the_first_code() {
    let mut all = Talk::new(1.0);
    let mut first = Talk::new(1.0);
    first.server = Server::with(CodeSet::FIRST);
    let model = blazeface();
    assert_eq!(first.open(1, &model), all.open(1, &model));
    assert_eq!(
        first.prepared(2, Bindings::new()),
        all.prepared(2, Bindings::new())
    );
    for strategy in [Strategy::Best, Strategy::Naive] {
        let plans = [&mut first, &mut all].map(|talk| talk.planned(3, strategy));
        assert_eq!(plans[0].judged, plans[1].judged, "{strategy}");
        assert!(plans[0].explained.is_none() && plans[1].explained.is_some());
    }
    let csv = b"id,lower,upper,size\na,0,2,8\n".to_vec();
    assert_eq!(first.tried(&open(4), &[&csv]), Err(MissingCode));
    for request in [plan_with(5, Strategy::Exact), trace_with(6, Strategy::Best)] {
        assert_eq!(first.tried(&request, &[]), Err(MissingCode));
    }
    first.server.set_code(CodeSet::USUAL);
    first.planned(7, Strategy::Exact);
}

/// A question about one file.
fn open(id: u32) -> Request {
    Request::Open {
        id,
        case: CaseId(0),
        names: vec!["file".into()],
        columns: Columns::default(),
        range: None,
        text: None,
    }
}

/// A plan that the worker knows by its number.
fn known(number: u32) -> PlanRef {
    PlanRef { number, plan: None }
}

/// A plan in a file is laid over one that was made, buffer by buffer by name: `b` goes from 8 to
/// 32 B, which is judged. What has no such buffer, or no plan, changes nothing.
#[test]
fn a_plan_is_laid_over_another() {
    let mut talk = Talk::new(1.0);
    let problem = "id,lower,upper,size\na,0,2,8\nb,0,1,4\n";
    talk.open(1, &problem.as_bytes().to_vec());
    talk.prepared(2, Bindings::new());
    talk.planned(3, Strategy::Naive);
    let mut import = |file: &str| {
        let request = Request::Change {
            id: 4,
            case: CaseId(0),
            plan: known(3),
            change: Change::Import,
            pools: Vec::new(),
        };
        match talk.asked(&request, &[&file.as_bytes().to_vec()]) {
            Reply::Changed { id: 4, changed } => changed,
            other => panic!("{other:?}"),
        }
    };
    let other = "id,lower,upper,size,offset\na,0,2,8,0\nb,0,1,4,32\n";
    let planned = import(other).expect("both are there").judged;
    let offsets: Vec<u64> = planned.plan.offsets.iter().map(|it| it.0).collect();
    assert_eq!((offsets, planned.plan.arena.0), (vec![0, 32], 36));
    assert!(!planned.violations.is_empty(), "32 is no multiple of 64");
    // The file's own figure is judged: 60 B end at 64 B, and of 640 B most is a reserved tail.
    for (arena, judged) in [(60, false), (64, true), (640, true)] {
        let other = format!(
            r#"{{"arenascope_plan":1,"origin":"theirs","alignment":4,"horizon":2,"arena":{arena},
            "buffers":[{{"name":"a","size":8,"lower":0,"upper":2,"offset":0}},
            {{"name":"b","size":4,"lower":0,"upper":1,"offset":60}}]}}"#
        );
        let planned = import(&other).expect("both are there").judged;
        assert_eq!(planned.plan.arena.0, arena);
        let mut violations = planned.violations.iter();
        let about_the_arena = violations.any(|it| matches!(it, Violation::BehindArena { .. }));
        assert_eq!(about_the_arena, !judged, "{:?}", planned.violations);
    }
    let less = "id,lower,upper,size,offset\na,0,2,8,0\nb,0,1,3,32\n";
    assert_eq!(import(less), Err(Unchanged::Misses("b".into())));
    match import(problem) {
        Err(Unchanged::Unreadable(error)) => assert_eq!(error.kind, Fault::Unsupported),
        other => panic!("{other:?}"),
    }
}

/// LiteRT writes the result of an element-wise operator over an input that nobody else reads: a
/// plan in a file may do so though no pass was chosen. Another place that they share, and an
/// input that is read again, are faults as ever.
#[test]
fn a_plan_of_litert_may_write_over_what_ends() {
    let mut builder = OnnxBuilder::new("in place", 17);
    let shape = [Axis::Fixed(4), Axis::Fixed(16)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let a = builder.op("a", "MatMul", &[&x, "w"], vec![]);
    builder.weight("w", &[16, 16]);
    let b = builder.op("b", "Relu", &[&a], vec![]);
    let c = builder.op("c", "Sigmoid", &[&b], vec![]);
    let d = builder.op("d", "Mul", &[&b, &c], vec![]);
    let y = builder.op("y", "MatMul", &[&d, "w"], vec![]);
    builder.output(&y, DataType::FLOAT, &shape);
    let mut talk = Talk::new(1.0);
    talk.open(1, &builder.finish());
    talk.prepared(2, Bindings::new());
    talk.planned(3, Strategy::Naive);
    // Each holds 256 B, and is live at the step that writes it and at the next one; b at one more.
    let mut faults = |offsets: [u64; 4]| {
        let mut file = "id,lower,upper,size,offset\n".to_owned();
        let steps = [(0, 2), (1, 4), (2, 4), (3, 5)];
        for ((name, steps), offset) in ["a", "b", "c", "d"].iter().zip(steps).zip(offsets) {
            file.push_str(&format!("{name},{},{},256,{offset}\n", steps.0, steps.1));
        }
        let request = Request::Change {
            id: 4,
            case: CaseId(0),
            plan: known(3),
            change: Change::Import,
            pools: Vec::new(),
        };
        match talk.asked(&request, &[&file.into_bytes()]) {
            Reply::Changed { changed, .. } => {
                changed.expect("all are there").judged.violations.len()
            }
            other => panic!("{other:?}"),
        }
    };
    // b over a, d over c; d over b as well as c would be.
    assert_eq!(faults([0, 0, 256, 256]), 0);
    // c over b, which is read again by d.
    assert_eq!(faults([0, 0, 0, 256]), 1);
    // b in the middle of a.
    assert_eq!(faults([0, 128, 512, 512]), 1);
}

/// Two buffers that are live together can be put onto each other, two that are not cannot.
#[test]
fn a_plan_is_corrupted() {
    let mut talk = Talk::new(1.0);
    let mut corrupt = |file: &str| {
        talk.open(1, &file.as_bytes().to_vec());
        talk.prepared(2, Bindings::new());
        talk.planned(3, Strategy::Naive);
        let request = Request::Change {
            id: 4,
            case: CaseId(0),
            plan: known(3),
            change: Change::Corrupt(1),
            pools: Vec::new(),
        };
        match talk.asked(&request, &[]) {
            Reply::Changed { changed, .. } => changed,
            other => panic!("{other:?}"),
        }
    };
    let together = corrupt("id,lower,upper,size\na,0,3,64\nb,1,2,64\n").expect("they meet");
    assert!(!together.judged.violations.is_empty());
    let apart = corrupt("id,lower,upper,size\na,0,1,64\nb,1,2,64\n");
    assert_eq!(apart, Err(Unchanged::NothingToCorrupt));
}
