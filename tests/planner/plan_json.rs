//! Plan JSON: round trips and faults.

#![expect(clippy::panic_in_result_fn, reason = "a panic is how a test fails")]

mod provenance;

use planner::graph::Bindings;
use planner::load::{Fault, Format, LoadError};
use planner::save::plan_json;
use planner::{
    Buffer, Bytes, Handover, Lifetimes, Objects, Offset, Options, Origin, Pause, Plan, Pool, Pools,
    Settings, Silent, Span, Step, Strategy, plan, prepare,
};
use tests::chinese::load;
use tests::deployed::only_plan;
use tests::networks::blazeface;

fn read(text: &str) -> Result<(Lifetimes, Plan), LoadError> {
    match load(&text.as_bytes().to_vec())? {
        (Format::PlanJson, document, _) => Ok(only_plan(document)),
        other => panic!("{other:?}"),
    }
}

/// The plan's last three steps have no name.
const STEPS: [&str; 2] = ["CONV_2D 0", "ADD 1"];

/// Two objects; the second holds the first and the last buffer.
fn sample() -> (Lifetimes, Plan) {
    let mut buffers = vec![
        Buffer::new("a \"quoted\", name", 64, Span::new(0, 2)),
        Buffer::new("b", 128, Span::new(1, 3)),
        Buffer::new("c", 32, Span::new(2, 4)),
    ];
    buffers[0].payload = Bytes(61);
    buffers[1].alignment = Bytes(128);
    buffers[2].fixed = Some(Offset(128));
    let lifetimes = Lifetimes {
        buffers,
        horizon: Step(5),
        step_names: STEPS.map(String::from).to_vec(),
        ..Lifetimes::default()
    };
    let plan = Plan {
        origin: "greedy_by_size".into(),
        offsets: vec![Offset(128), Offset(0), Offset(128)],
        arena: Bytes(192),
        objects: Some(Objects {
            sizes: vec![Bytes(128), Bytes(64)],
            offsets: vec![Offset(0), Offset(128)],
            of_buffer: vec![1, 0, 1],
        }),
        ..Plan::default()
    };
    (lifetimes, plan)
}

fn written() -> String {
    let (lifetimes, plan) = sample();
    let options = Options::aligned(Bytes(64));
    plan_json(&lifetimes, &plan, &options, &STEPS)
}

#[test]
fn what_is_written_reads_back() {
    let text = written();
    assert!(text.starts_with("{\"arenascope_plan\":1,"));
    assert!(text.contains("\"steps\":[\"CONV_2D 0\",\"ADD 1\"]"));
    assert_eq!(read(&text).unwrap(), sample());
    assert_eq!(read(&format!("\u{feff}\n {text}\n")).unwrap(), sample());
}

#[test]
fn a_plan_changed_by_hand_says_so_in_its_file() {
    let made = Origin::Maker("greedy_by_size".into());
    let once = made.edited();
    let twice = Origin::Edited(Box::new(once.clone()));
    assert_eq!(
        once.edited(),
        once,
        "said once, however often it is changed"
    );
    for (origin, said) in [
        (made, "greedy_by_size"),
        (once, "greedy_by_size (edited)"),
        (twice, "greedy_by_size (edited) (edited)"),
    ] {
        let (lifetimes, mut plan) = sample();
        plan.origin = origin;
        let text = plan_json(&lifetimes, &plan, &Options::aligned(Bytes(64)), &STEPS);
        assert!(text.contains(&format!("\"origin\":\"{said}\",")), "{said}");
        assert_eq!(read(&text).unwrap().1, plan, "{said}");
        assert_eq!(plan.origin.maker(), "greedy_by_size");
    }
}

#[test]
fn a_reopened_plan_names_its_steps() {
    let (_, document, _) = load(&written().into_bytes()).unwrap();
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).unwrap();
    let names: Vec<_> = (0..5).map(|step| subject.step_name(Step(step))).collect();
    assert_eq!(names, [Some(STEPS[0]), Some(STEPS[1]), None, None, None]);
}

#[test]
fn names_behind_the_last_step_are_left_out_aloud() {
    let text = written().replace("\"ADD 1\"", "\"1\",\"2\",\"3\",\"4\",\"5\"");
    let (_, document, warnings) = load(&text.into_bytes()).unwrap();
    let (lifetimes, _) = only_plan(document);
    assert_eq!(lifetimes.step_names, ["CONV_2D 0", "1", "2", "3", "4"]);
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].place, "steps");
}

/// The names of a model's operators outlive the model.
#[test]
fn a_models_operators_keep_their_names() {
    let (_, document, _) = load(&blazeface()).unwrap();
    let settings = Settings::default();
    let subject = prepare(&document, &Bindings::new(), &settings).unwrap();
    let options = Options::aligned(settings.alignment);
    let lifetimes = &subject.lifetimes;
    let made = plan(Strategy::OffsetsBySize, lifetimes, &options, &mut Silent).unwrap();
    let steps = 0..lifetimes.horizon.0;
    let names: Vec<&str> = steps
        .map(|step| subject.step_name(Step(step)).unwrap())
        .collect();
    let (reopened, replanned) = read(&plan_json(lifetimes, &made, &options, &names)).unwrap();
    assert!(names.len() > 1);
    assert_eq!(reopened.step_names, names);
    assert_eq!(replanned, made);
}

/// What is replaced, by what, and the fault and the place that this brings.
type Break = (&'static str, &'static str, Fault, &'static str);

/// Replaces each in `text`, the first only, and looks at the fault that it brings.
fn assert_broken(text: &str, breaks: &[Break]) {
    for &(from, to, fault, place) in breaks {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let error = read(&broken).expect_err(to);
        let found = (error.kind, error.place.to_string().starts_with(place));
        assert_eq!(found, (fault, true), "{to}: {error}");
    }
}

/// Faults of a plan without constraints.
const BROKEN: [Break; 10] = [
    (
        "_plan\":1",
        "_plan\":2",
        Fault::Unsupported,
        "arenascope_plan",
    ),
    ("arenascope_plan", "other", Fault::UnknownFormat, "file"),
    ("\"arena\":192", "\"arena\":-1", Fault::Malformed, "line 1"),
    ("\"name\":\"c\"", "\"name\":\"b\"", Fault::Duplicate, "b"),
    ("\"lower\":2", "\"lower\":4", Fault::Malformed, "c"),
    ("[1,0,1]", "[1,0,2]", Fault::Dangling, "objects"),
    ("[1,0,1]", "[1,0]", Fault::Malformed, "objects"),
    (
        "\"size\":32",
        "\"size\":4611686018427387904",
        Fault::Limit,
        "c",
    ),
    (
        "\"offset\":0",
        "\"offset\":18446744073709551615",
        Fault::Limit,
        "b",
    ),
    (
        "[128,64]",
        "[18446744073709551615,64]",
        Fault::Limit,
        "objects",
    ),
];

#[test]
fn faults_name_their_place() {
    assert_broken(&written(), &BROKEN);
}

/// A pause, a handover and two pools, of which the second has no limit.
fn constrained() -> (Lifetimes, Plan) {
    let (mut lifetimes, mut plan) = sample();
    plan.objects = None;
    lifetimes.buffers[1].pauses = vec![Pause {
        span: Span::new(1, 2),
        window: Some((Bytes(4), Bytes(40))),
    }];
    lifetimes.buffers[2].pauses = vec![Pause {
        span: Span::new(3, 4),
        window: None,
    }];
    lifetimes.buffers[0].pools = vec![1, 0];
    lifetimes.handovers = vec![Handover {
        before: 0,
        after: 1,
        shift: Bytes(16),
    }];
    let pool = |name: &str, capacity| Pool {
        name: name.into(),
        capacity,
    };
    plan.pools = Some(Pools {
        declared: vec![pool("fast", Some(Bytes(128))), pool("slow", None)],
        bases: vec![Offset(0), Offset(128)],
        sizes: vec![Bytes(128), Bytes(64)],
        of_buffer: vec![1, 0, 1],
    });
    (lifetimes, plan)
}

fn written_constrained() -> String {
    let (lifetimes, plan) = constrained();
    plan_json(&lifetimes, &plan, &Options::aligned(Bytes(64)), &STEPS)
}

#[test]
fn constraints_that_are_written_read_back() {
    assert_eq!(read(&written_constrained()).unwrap(), constrained());
    // What a strategy has proved is not for a file to say.
    let boast = written_constrained().replace("\"arena\":192", "\"proved\":192,\"arena\":192");
    assert_eq!(read(&boast).unwrap().1.proved, None);
}

/// Faults of the constraints.
const BROKEN_CONSTRAINTS: [Break; 16] = [
    (
        "\"window\":[4,40]",
        "\"window\":[40,40]",
        Fault::Malformed,
        "b",
    ),
    (
        "\"window\":[4,40]",
        "\"window\":[4,129]",
        Fault::Malformed,
        "b",
    ),
    (
        "\"window\":[4,40]",
        "\"window\":[4]",
        Fault::Malformed,
        "line 1",
    ),
    (
        "{\"lower\":1,\"upper\":2",
        "{\"lower\":0,\"upper\":2",
        Fault::Malformed,
        "b",
    ),
    (
        "{\"lower\":1,\"upper\":2",
        "{\"lower\":1,\"upper\":1",
        Fault::Malformed,
        "b",
    ),
    (
        "{\"lower\":3,\"upper\":4",
        "{\"lower\":3,\"upper\":5",
        Fault::Malformed,
        "c",
    ),
    ("\"after\":1", "\"after\":3", Fault::Dangling, "handovers"),
    ("\"after\":1", "\"after\":0", Fault::Malformed, "handovers"),
    ("\"after\":1", "\"after\":-1", Fault::Malformed, "line 1"),
    (
        "\"pools\":[1,0]",
        "\"pools\":[1,2]",
        Fault::Dangling,
        "a \"quoted\"",
    ),
    (
        "\"pools\":[1,0]",
        "\"pools\":[1,1]",
        Fault::Duplicate,
        "a \"quoted\"",
    ),
    ("[1,0,1]", "[1,0,2]", Fault::Dangling, "pools"),
    ("[1,0,1]", "[1,0]", Fault::Malformed, "pools"),
    (
        "\"bases\":[0,128]",
        "\"bases\":[0]",
        Fault::Malformed,
        "pools",
    ),
    (
        "\"sizes\":[128,64]",
        "\"sizes\":[128,18446744073709551615]",
        Fault::Limit,
        "pools",
    ),
    (
        "\"capacity\":128",
        "\"capacity\":-1",
        Fault::Malformed,
        "line 1",
    ),
];

#[test]
fn faults_of_constraints_name_their_place() {
    assert_broken(&written_constrained(), &BROKEN_CONSTRAINTS);
}

#[test]
fn too_many_constraints_are_refused() {
    let text = written_constrained();
    let pause = "{\"lower\":1,\"upper\":2,\"window\":[4,40]}";
    let many = text.replace(pause, &vec![pause; 1025].join(","));
    assert_eq!(read(&many).unwrap_err().kind, Fault::Limit);
    let pool = "{\"name\":\"slow\",\"capacity\":null}";
    let many = text.replace(pool, &vec![pool; 65].join(","));
    assert_ne!(many, text);
    assert_eq!(read(&many).unwrap_err().kind, Fault::Limit);
    // A handover between buffers that do not meet is harmless, and worth a warning.
    let idle = text.replace("\"before\":0,\"after\":1", "\"before\":1,\"after\":0");
    let (_, _, warnings) = load(&idle.into_bytes()).unwrap();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].place, "handovers");
}

#[test]
fn a_newer_version_is_named() {
    let error = read("{\"arenascope_plan\":7,\"layers\":[]}").unwrap_err();
    assert!(error.to_string().contains("version 7"), "{error}");
}

#[test]
fn every_prefix_is_truncated() {
    for text in [written(), written_constrained()] {
        for end in 1..text.len() {
            let error = read(&text[..end]).unwrap_err();
            assert_eq!(error.kind, Fault::Truncated, "{end}: {error}");
        }
    }
}
