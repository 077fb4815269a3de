//! What the page asks and what the worker answers, without a browser. Every message goes
//! through postcard on its way, as between the two threads.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod files;
mod offline;
mod progress;
mod sweep;
mod talk;
mod writing;

use planner::bounds::bounds;
use planner::graph::{Bindings, Role};
use planner::load::{Columns, Fault, Format, load};
use planner::save::plan_json;
use planner::what_if::Kept;
use planner::{
    Bytes, Effort, Offset, Parallel, PlanError, Pool, Settings, Silent, Strategy, judged, message,
    prepare,
};
use talk::{Talk, answer, asking, options, plan_with, sent, trace_with};
use tests::lifetimes::scattered;
use tests::networks::{blazeface, transformer};
use tests::onnx_builder::{DataType, OnnxBuilder};
use worker::{CaseId, ComparisonQuestion, PlanRef, Prepared, Reply, Request};

#[test]
fn a_model_is_opened_prepared_and_planned() {
    let mut talk = Talk::new(1.0);
    let Reply::Opened { id: 7, opened } = talk.open(7, &blazeface()) else {
        panic!("not opened");
    };
    assert_eq!((opened.format, opened.alignment), (Format::Onnx, 64));
    assert!(!opened.deployed && opened.warnings.is_empty());
    let prepared = talk.prepared(8, Bindings::new());
    let (_, document, _) = load(&blazeface()).unwrap();
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).unwrap();
    assert_eq!(prepared.subject, subject);
    assert_eq!(prepared.bounds, bounds(&subject.lifetimes));
    for (id, strategy) in (9..).zip(Strategy::ALL) {
        let planned = talk.planned(id, strategy);
        let known = judged(
            strategy,
            &subject.lifetimes,
            &prepared.bounds,
            &options(),
            &mut Silent,
        );
        assert_eq!(planned.judged, known.unwrap(), "{strategy}");
        assert_eq!(planned.judged.violations, [], "{strategy}");
        assert!(planned.ms > 0.0, "{strategy}");
    }
}

/// Buffers that need memory are decided once each, whatever a strategy tries before.
#[test]
fn every_buffer_has_its_place_in_the_order_of_decisions() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let count = talk.prepared(2, Bindings::new()).subject.lifetimes.buffers;
    let count = u32::try_from(count.len()).unwrap();
    for strategy in Strategy::ALL {
        let mut order = talk.planned(3, strategy).order;
        if matches!(strategy, Strategy::Naive | Strategy::OffsetsInOrder) {
            assert!(order.is_sorted(), "{strategy}: {order:?}");
        }
        order.sort_unstable();
        assert!(order.into_iter().eq(0..count), "{strategy}");
    }
}

/// What is kept stays, the rest is planned around it, and the judge looks at all of it.
#[test]
fn a_strategy_plans_around_what_is_kept() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let buffers = talk
        .prepared(2, Bindings::new())
        .subject
        .lifetimes
        .buffers
        .len();
    let far = Offset(1 << 30);
    let mut finish = |strategy, pools: &[Pool]| {
        let request = Request::Finish {
            case: CaseId(0),
            id: 3,
            strategy,
            kept: vec![Kept {
                buffer: 4,
                at: far,
                pool: (!pools.is_empty()).then_some(0),
            }],
            pools: pools.to_vec(),
            effort: Effort::DEFAULT,
        };
        match talk.asked(&request, &[]) {
            Reply::Planned { id: 3, planned } => planned,
            other => panic!("{other:?}"),
        }
    };
    let planned = finish(Strategy::OffsetsBySize, &[]).unwrap();
    assert_eq!(planned.judged.plan.offsets.len(), buffers);
    assert_eq!(planned.judged.plan.offsets[4], far);
    assert_eq!(planned.judged.violations, []);
    assert!(planned.judged.metrics.arena.0 > far.0);
    // Objects cannot keep an address, and say so.
    let refused = finish(Strategy::Equality, &[]).unwrap_err();
    assert!(
        matches!(refused, PlanError::Unsupported { .. }),
        "{refused}"
    );
    // Pools hold for the rest too: what is kept fits into the first, or finds no room there.
    let pool = |bytes| Pool {
        name: "SRAM".into(),
        capacity: Some(Bytes(bytes)),
    };
    let planned = finish(Strategy::OffsetsBySize, &[pool(1 << 40)]).unwrap();
    assert_eq!(planned.judged.plan.offsets[4], far);
    assert!(planned.judged.plan.pools.is_some());
    assert_eq!(planned.judged.violations, []);
    let refused = finish(Strategy::OffsetsBySize, &[pool(1 << 30)]).unwrap_err();
    assert!(matches!(refused, PlanError::NoRoom { .. }), "{refused}");
}

#[test]
fn symbols_are_told_and_bound() {
    let mut talk = Talk::new(1.0);
    let Reply::Opened { opened, .. } = talk.open(1, &transformer()) else {
        panic!("not opened");
    };
    let names: Vec<_> = opened.symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["batch", "sequence_length"]);
    let bytes = |prepared: &Prepared| prepared.subject.split.unwrap().inputs.0;
    let one = talk.prepared(2, Bindings::new());
    let bindings = Bindings::from([("batch".into(), 3), ("sequence_length".into(), 5)]);
    let bound = talk.prepared(3, bindings);
    assert_eq!(bytes(&bound), 15 * bytes(&one));
    let unsized_tensors = |prepared: Prepared| prepared.subject.split.unwrap().unsized_tensors;
    assert_eq!(unsized_tensors(bound), 0);
}

#[test]
fn what_was_open_stays_when_a_file_or_a_size_is_refused() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &transformer());
    let before = talk.prepared(2, Bindings::new());
    let plan = talk.planned(3, Strategy::OffsetsBySize).judged;
    for (id, file, fault) in [
        (4, Vec::new(), Fault::Empty),
        (5, b"no model".to_vec(), Fault::UnknownFormat),
        (6, blazeface()[..2000].to_vec(), Fault::Truncated),
        (
            7,
            b"id,lower,upper,size\na,1,x,3\n".to_vec(),
            Fault::Malformed,
        ),
    ] {
        match talk.open(id, &file) {
            Reply::Refused {
                id: answered,
                error,
                table: None,
                figures: None,
            } => assert_eq!((answered, error.kind), (id, fault), "{error}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(talk.planned(8, Strategy::OffsetsBySize).judged, plan);
        assert_eq!(talk.prepared(9, Bindings::new()), before);
    }
    let endless = Request::Prepare {
        case: CaseId(0),
        id: 10,
        bindings: Bindings::new(),
        settings: Settings {
            alignment: Bytes(u64::MAX),
            ..Settings::default()
        },
    };
    let reply = talk.asked(&endless, &[]);
    let refused = matches!(
        &reply,
        Reply::Prepared {
            id: 10,
            prepared: Err(_)
        }
    );
    assert!(refused, "{reply:?}");
    assert_eq!(talk.planned(11, Strategy::OffsetsBySize).judged, plan);
}

#[test]
fn a_plan_in_a_file_is_judged() {
    let lifetimes = scattered(5, 40, 30, 900);
    let made = judged(
        Strategy::StripBestFit,
        &lifetimes,
        &bounds(&lifetimes),
        &options(),
        &mut Silent,
    );
    let made = made.unwrap().plan;
    let file = plan_json(&lifetimes, &made, &options(), &["first", "second"]);
    let mut talk = Talk::new(1.0);
    let Reply::Opened { opened, .. } = talk.open(1, &file.into_bytes()) else {
        panic!("not opened");
    };
    assert_eq!((opened.format, opened.alignment), (Format::PlanJson, 1));
    assert!(opened.deployed);
    let prepared = talk.prepared(2, Bindings::new());
    assert_eq!(prepared.subject.lifetimes.step_names, ["first", "second"]);
    match talk.asked(
        &Request::Judge {
            id: 3,
            case: CaseId(0),
        },
        &[],
    ) {
        Reply::Planned { id: 3, planned } => {
            let judged = planned.unwrap().judged;
            assert_eq!((judged.plan, judged.violations), (made, Vec::new()));
        }
        other => panic!("{other:?}"),
    }
}

/// Two dumps, each a case of its own, are compared as they were prepared last; a case that is no
/// dump differs in nothing.
#[test]
fn two_dumps_are_compared() {
    let mut talk = Talk::new(1.0);
    let files = [
        "id,lower,upper,size,offset\na,0,2,100,0\n",
        "id,lower,upper,size,offset\na,0,2,130,0\nb,1,2,5,130\n",
        "id,lower,upper,size\na,0,2,130\n",
    ];
    for (number, file) in (0..).zip(files) {
        let case = CaseId(number);
        let names = vec![format!("{number}.csv")];
        let file = file.as_bytes().to_vec();
        talk.ask(
            &Request::Open {
                id: 1,
                case,
                names,
                columns: Columns::default(),
                range: None,
                text: None,
            },
            &[&file],
        );
        let settings = Settings::default();
        let prepare = Request::Prepare {
            id: 2,
            case,
            bindings: Bindings::new(),
            settings,
        };
        talk.ask(&prepare, &[]);
    }
    let mut ask = |before, after| {
        let (before, after) = (CaseId(before), CaseId(after));
        let differ = asking(7, &ComparisonQuestion { before, after });
        match talk.asked(&differ, &[]) {
            Reply::Found { id: 7, found } => answer::<ComparisonQuestion>(found),
            other => panic!("{other:?}"),
        }
    };
    let found = ask(0, 1).unwrap();
    assert_eq!(found.changed[0].growth(), 30);
    assert_eq!(found.only.len(), 1);
    assert_eq!(found.waste.1.arena, Bytes(135));
    assert_eq!(ask(1, 0).unwrap().changed[0].growth(), -30);
    assert_eq!(ask(0, 2), None);
}

/// A plan is known by the number of the question that it answers, as long as nothing is prepared
/// anew; one that is not known has to be sent along, and is known from then on.
#[test]
fn plans_are_known_by_number() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    talk.prepared(2, Bindings::new());
    let made = talk.planned(3, Strategy::OffsetsBySize);
    assert_eq!(made.number, 3);
    let explain = |id, plan: Option<&planner::Plan>| Request::Explain {
        id,
        case: CaseId(0),
        plan: PlanRef {
            number: 3,
            plan: plan.cloned().map(Box::new),
        },
    };
    let explained = match talk.asked(&explain(4, None), &[]) {
        Reply::Explained { id: 4, explained } => *explained,
        other => panic!("{other:?}"),
    };
    // Of few buffers the reasons come with the plan.
    assert_eq!(made.explained.as_deref(), Some(&explained));
    talk.prepared(5, Bindings::new());
    assert_eq!(talk.asked(&explain(6, None), &[]), Reply::Unknown { id: 6 });
    let plan = &made.judged.plan;
    for request in [explain(7, Some(plan)), explain(8, None)] {
        match talk.asked(&request, &[]) {
            Reply::Explained {
                explained: again, ..
            } => assert_eq!(*again, explained),
            other => panic!("{other:?}"),
        }
    }
}

/// Another case takes the same document, and is prepared in its own way.
#[test]
fn two_cases_have_one_document() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &blazeface());
    let first = talk.prepared(2, Bindings::new());
    let (case, other) = (CaseId(1), CaseId(0));
    let like = talk.asked(&Request::Like { id: 3, case, other }, &[]);
    assert!(matches!(like, Reply::Opened { id: 3, .. }), "{like:?}");
    let prepare = Request::Prepare {
        id: 4,
        case,
        bindings: Bindings::new(),
        settings: Settings {
            parallel: Parallel::Free,
            ..Settings::default()
        },
    };
    let Reply::Prepared { prepared, .. } = talk.asked(&prepare, &[]) else {
        panic!("not prepared");
    };
    assert!(prepared.unwrap().bounds.offsets > first.bounds.offsets);
    assert_eq!(talk.ask(&Request::Close { case: other }, &[]), []);
    // Of a case that is closed nothing is known.
    assert_eq!(talk.ask(&plan_with(5, Strategy::Naive), &[]), []);
}

#[test]
fn without_a_document_there_is_nothing_to_say() {
    let mut talk = Talk::new(1.0);
    let strategy = Strategy::Naive;
    assert_eq!(
        talk.ask(
            &Request::Open {
                case: CaseId(0),
                id: 1,
                names: vec!["file".into()],
                columns: Columns::default(),
                range: None,
                text: None,
            },
            &[]
        ),
        []
    );
    assert_eq!(talk.ask(&plan_with(2, strategy), &[]), []);
    assert_eq!(
        talk.ask(
            &Request::Judge {
                id: 3,
                case: CaseId(0)
            },
            &[]
        ),
        []
    );
    assert_eq!(talk.ask(&trace_with(3, strategy), &[]), []);
    // A model has no plan of its own.
    talk.open(4, &blazeface());
    talk.prepared(5, Bindings::new());
    assert_eq!(
        talk.ask(
            &Request::Judge {
                id: 6,
                case: CaseId(0)
            },
            &[]
        ),
        []
    );
}

/// Faults and errors that no conversation above brings about.
#[test]
fn every_refusal_arrives() {
    for kind in [
        Fault::Empty,
        Fault::UnknownFormat,
        Fault::Truncated,
        Fault::Malformed,
        Fault::Dangling,
        Fault::Duplicate,
        Fault::Cycle,
        Fault::Limit,
        Fault::Unsupported,
        Fault::Io,
        Fault::Columns,
    ] {
        let error = kind.at(message!("byte 5"), message!("\u{1f9e9} 拼图"));
        let reply = Reply::Refused {
            id: 1,
            error,
            table: None,
            figures: None,
        };
        assert_eq!(sent(&reply), reply);
    }
    for error in [
        PlanError::Cancelled,
        PlanError::Overflow { buffer: "b".into() },
        PlanError::Unsupported {
            what: message!("w"),
        },
        PlanError::NoRoom {
            buffer: "b".into(),
            pool: "p".into(),
            needed: Bytes(2),
            capacity: Bytes(1),
        },
    ] {
        let reply = Reply::Planned {
            id: u32::MAX,
            planned: Err(error),
        };
        assert_eq!(sent(&reply), reply);
    }
}

/// A chain of 20,000 operators: a graph of some megabytes on its way.
#[test]
fn a_large_graph_arrives_whole() {
    let mut net = OnnxBuilder::new("chain", 17);
    let mut last = net.input("x", DataType::FLOAT, &["batch".into(), 64.into()]);
    for index in 0..20_000 {
        last = net.op(&format!("op{index}"), "Relu", &[&last], Vec::new());
    }
    net.output(&last, DataType::FLOAT, &["batch".into(), 64.into()]);
    let mut talk = Talk::new(1.0);
    let Reply::Opened { .. } = talk.open(1, &net.finish()) else {
        panic!("not opened");
    };
    let prepared = talk.prepared(2, Bindings::new());
    let graph = prepared.subject.program.unwrap().graph;
    assert_eq!(graph.ops.len(), 20_000);
    let sized = graph.tensors.iter().filter(|it| it.role != Role::Unsized);
    assert_eq!(sized.count(), 20_001);
    // Two neighbours live at a time, 256 bytes each.
    assert_eq!(prepared.bounds.offsets, Bytes(512));
    let planned = talk.planned(3, Strategy::OffsetsBySize);
    assert_eq!(planned.judged.plan.arena, Bytes(512));
}
