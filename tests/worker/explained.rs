//! Why a plan is as large as it is, as the worker reports it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::cell::RefCell;

use planner::deployed::{Lane, LaneKind};
use planner::graph::Bindings;
use planner::load::{Columns, Source};
use planner::{Bytes, Effort, Judged, Plan, Settings, Step, Strategy};
use worker::{CaseId, PlanRef, Prepared, Reply, Request, Server, Surroundings, reserved_but_free};

/// A page that keeps the last thing it receives.
#[derive(Default)]
struct Page(RefCell<Option<Reply>>);

impl Surroundings for Page {
    fn now(&self) -> f64 {
        0.0
    }

    fn reply(&self, reply: &Reply) {
        let bytes = postcard::to_allocvec(reply).unwrap();
        self.0.replace(Some(postcard::from_bytes(&bytes).unwrap()));
    }
}

/// What a worker prepares of a file, and a way to ask it for its last reply.
fn prepared(name: &str, file: &dyn Source) -> (Prepared, impl FnMut(Request) -> Reply + use<>) {
    let (mut server, page) = (Server::default(), Page::default());
    let open = Request::Open {
        case: CaseId(0),
        id: 1,
        names: vec![name.into()],
        columns: Columns::default(),
        range: None,
        text: None,
    };
    server.answer(&open, &[file], &page).unwrap();
    let mut ask = move |request| {
        server.answer(&request, &[], &page).unwrap();
        page.0.take().unwrap()
    };
    let prepare = Request::Prepare {
        case: CaseId(0),
        id: 2,
        bindings: Bindings::new(),
        settings: Settings {
            alignment: Bytes(1),
            ..Settings::default()
        },
    };
    let Reply::Prepared { prepared, .. } = ask(prepare) else {
        panic!("not prepared");
    };
    (*prepared.unwrap(), ask)
}

/// A plan that the worker does not know.
fn reference(plan: Plan) -> PlanRef {
    PlanRef {
        number: 1,
        plan: Some(Box::new(plan)),
    }
}

/// 100 bytes under 80 meet at 180; 60 more at 180 make an arena of 240, and where they begin
/// the 100 below are gone: 60 bytes of fragmentation, one free range of 100 bytes.
#[test]
fn a_plan_is_explained() {
    let csv = "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\nd,3,5,90,0\n";
    let (prepared, mut ask) = prepared("plan.csv", &csv.as_bytes().to_vec());
    let plan = reference(prepared.subject.deployed.unwrap());
    let case = CaseId(0);
    let explained = match ask(Request::Explain { id: 3, case, plan }) {
        Reply::Explained { id: 3, explained } => *explained,
        other => panic!("{other:?}"),
    };
    let parts: Vec<i64> = explained.waste.parts.iter().map(|it| it.bytes).collect();
    assert_eq!(parts, [180, 0, 0, 0, 0, 60]);
    let [free_range] = explained.free_ranges[..] else {
        panic!("one hole")
    };
    assert_eq!((free_range.low.0, free_range.high.0), (0, 100));
    assert_eq!((free_range.span.start.0, free_range.span.end.0), (2, 3));
    // The step at which `d` is live beside `c` is fuller: 60 = 90 - 30.
    let loss = explained.loss.unwrap();
    assert_eq!((loss.step, loss.bytes.0, loss.top), (Step(3), 60, vec![2]));
    let holes = loss.holes.iter();
    let holes: Vec<_> = holes.map(|it| (it.low.0, it.high.0, it.above)).collect();
    assert_eq!(holes, [(90, 180, Some(2))]);
    let free: Vec<_> = explained
        .free
        .iter()
        .map(|it| (it.step.0, it.free.0))
        .collect();
    assert_eq!(free, [(0, 140), (1, 60), (2, 100), (3, 90), (4, 150)]);
    // Without `a` or `b` the peak is the 150 bytes of `c` and `d`, without `b` too.
    let reliefs = explained.reliefs.iter();
    let reliefs: Vec<_> = reliefs
        .map(|it| (it.buffer, it.saved.0, it.peak.0))
        .collect();
    assert_eq!(reliefs, [(0, 30, 150), (1, 30, 150)]);
}

/// Figures of the committed snapshot, which `snapshot.py` works out by hand: 22 MiB reserved at
/// the peak, blocks up to 5 MiB, 3 MiB + 1,536 bytes live at once. The caching allocator that
/// is replayed takes 2 MiB for the small blocks and 20 MiB for the large one.
#[test]
fn beside_a_trace_what_was_reserved_counts() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/data/plans/torch");
    let file = std::fs::read(format!("{here}/protocol4.pickle")).unwrap();
    let (_, mut ask) = prepared("protocol4.pickle", &file);
    let planned = |reply: Reply| match reply {
        Reply::Planned { planned, .. } => planned.unwrap().judged,
        other => panic!("{other:?}"),
    };
    let taken = |judged: &Judged| (judged.metrics.reserved, judged.metrics.taken());
    let deployed = planned(ask(Request::Judge {
        id: 3,
        case: CaseId(0),
    }));
    assert_eq!(taken(&deployed), (Some(Bytes(22 << 20)), Bytes(22 << 20)));
    let mut plan = |strategy| {
        let request = Request::Plan {
            case: CaseId(0),
            id: 4,
            strategy,
            pools: Vec::new(),
            effort: Effort::DEFAULT,
        };
        planned(ask(request))
    };
    let live = Bytes((3 << 20) + 1536);
    assert_eq!(taken(&plan(Strategy::Best)), (None, live));
    let replayed = plan(Strategy::PytorchCaching);
    assert_eq!(taken(&replayed), (Some(Bytes(22 << 20)), Bytes(22 << 20)));
    let plan = reference(deployed.plan);
    let case = CaseId(0);
    let explained = match ask(Request::Explain { id: 5, case, plan }) {
        Reply::Explained { explained, .. } => *explained,
        other => panic!("{other:?}"),
    };
    let sum: i64 = explained.waste.parts.iter().map(|it| it.bytes).sum();
    assert_eq!((explained.waste.arena, sum), (Bytes(22 << 20), 22 << 20));
    // Empty bytes of the arena do not add up to what was reserved.
    assert_eq!(explained.loss, None);
}

#[test]
fn what_is_reserved_and_free_needs_both_lanes() {
    let points = |list: &[(u64, u64)]| list.iter().map(|&(s, b)| (Step(s), Bytes(b))).collect();
    let lane = |kind, list: &[(u64, u64)]| Lane {
        kind,
        points: points(list),
    };
    let reserved = lane(LaneKind::Reserved, &[(0, 100), (4, 160), (9, 0)]);
    assert_eq!(reserved_but_free(std::slice::from_ref(&reserved)), None);
    let allocated = lane(LaneKind::Allocated, &[(1, 30), (4, 90), (6, 150), (8, 0)]);
    let free = reserved_but_free(&[reserved, allocated]);
    let expected = points(&[(0, 100), (1, 70), (6, 10), (8, 160), (9, 0)]);
    assert_eq!(free, Some(expected));
}
