//! Plans that come with a model: read, completed, judged, or left out with the reason.

use planner::{Bytes, Offset, Options, Silent, Strategy, bounds, judge, judged};
use tests::random::Random;

use super::{NAME, model, plan, planned, read, subject, words};
use crate::tflite::builder::{Model, Operator, Tensor};

/// Name, bytes, first step, end, and offset of every buffer of the plan that
/// the model brings, and the arena.
type Shown = (Vec<(String, u64, u64, u64, u64)>, u64);

fn shown(model: &Model) -> Shown {
    let subject = subject(read(&model.bytes()).expect("a model").0);
    let plan = subject.deployed.expect("the model brings a plan");
    let rows = subject.lifetimes.buffers.iter().zip(&plan.offsets);
    let rows = rows.map(|(it, offset)| {
        let (start, end) = (it.span.start.0, it.span.end.0);
        (it.name.clone(), it.size.0, start, end, offset.0)
    });
    (rows.collect(), plan.arena.0)
}

fn row(name: &str, size: u64, start: u64, end: u64, offset: u64) -> (String, u64, u64, u64, u64) {
    (name.to_owned(), size, start, end, offset)
}

#[test]
fn a_whole_plan_is_shown_as_it_is() {
    let model = planned(&[0, -1, -1, 768, 0]);
    let (graph, warnings) = read(&model.bytes()).expect("a model");
    assert_eq!(warnings, []);
    assert_eq!(graph.offline[3], Some(Offset(768)));
    // x is read by the first operator alone and y written by the second.
    let rows = vec![
        row("x", 768, 0, 1, 0),
        row("c", 256, 0, 2, 768),
        row("y", 256, 1, 2, 0),
    ];
    assert_eq!(shown(&model), (rows, 1024));
    let subject = subject(graph);
    let options = Options::aligned(Bytes(16));
    let bounds = bounds::aligned(&subject.lifetimes, Bytes(16));
    let plan = subject.deployed.expect("the model brings a plan");
    let judged = judge(&subject.lifetimes, &bounds, &options, plan);
    assert_eq!(judged.violations, []);
    assert!(judged.metrics.optimal);
}

#[test]
fn under_other_lifetimes_there_is_no_plan() {
    let (graph, _) = read(&planned(&[0, -1, -1, 768, 0]).bytes()).expect("a model");
    let document = planner::load::Document::Model(graph);
    let settings = planner::Settings::default();
    let subject = planner::prepare(&document, &Default::default(), &settings);
    assert_eq!(subject.expect("small sizes").deployed, None);
}

#[test]
fn what_is_left_to_the_runtime_lies_where_it_puts_it() {
    let model = planned(&[-1, -1, -1, 0, -1]);
    let (_, warnings) = read(&model.bytes()).expect("a model");
    assert_eq!(warnings.len(), 1);
    let said = &warnings[0].message;
    assert!(
        said.to_string()
            .starts_with("it leaves 2 tensors to the runtime, x first"),
        "{said}"
    );
    // c lies at 0 for both steps; x and y share no step and go after it.
    let rows = vec![
        row("x", 768, 0, 1, 256),
        row("c", 256, 0, 2, 0),
        row("y", 256, 1, 2, 256),
    ];
    assert_eq!(shown(&model), (rows, 1024));
    // With a free range of exactly 256 bytes below c, y fits there and x does not.
    let (rows, arena) = shown(&planned(&[-1, -1, -1, 256, -1]));
    let offsets: Vec<u64> = rows.iter().map(|row| row.4).collect();
    assert_eq!((offsets, arena), (vec![512, 256, 0], 1280));
}

#[test]
fn inputs_begin_with_the_run_and_outputs_end_with_it() {
    let mut model = planned(&[0, -1, -1, 768, 1024, 2048, 4096]);
    // A second input that only the second operator reads, and one that no operator reads; the
    // first operator's result is an output.
    model.tensors.push(model.tensors[4].clone());
    model.tensors[5].name = "late";
    model.tensors.push(model.tensors[4].clone());
    model.tensors[6].name = "unread";
    model.inputs = vec![0, 5, 6];
    model.operators[1].inputs = vec![3, 5];
    model.operators.push(Operator {
        code: 1,
        inputs: vec![4],
        outputs: vec![7],
        options: None,
    });
    model.tensors.push(Tensor {
        name: "z",
        ..model.tensors[4].clone()
    });
    model.outputs = vec![3, 7];
    model.metadata = vec![(NAME, plan(&[0, -1, -1, 768, 1024, 2048, 4096, 0]))];
    let (rows, _) = shown(&model);
    let spans: Vec<_> = rows
        .iter()
        .map(|row| (row.0.as_str(), row.2, row.3))
        .collect();
    let expected = [
        ("x", 0, 1),
        ("c", 0, 3),
        ("late", 0, 2),
        ("unread", 0, 1),
        ("y", 1, 3),
        ("z", 2, 3),
    ];
    assert_eq!(spans, expected);
}

#[test]
fn overlaps_and_crooked_offsets_are_shown_and_judged() {
    for offsets in [[0, -1, -1, 512, 0], [0, -1, -1, 776, 0]] {
        let subject = subject(read(&planned(&offsets).bytes()).expect("a model").0);
        let bounds = bounds::aligned(&subject.lifetimes, Bytes(16));
        let plan = subject.deployed.expect("the model brings a plan");
        let options = Options::aligned(Bytes(16));
        let judged = judge(&subject.lifetimes, &bounds, &options, plan);
        assert_eq!(judged.violations.len(), 1, "{offsets:?}");
    }
}

#[test]
fn working_memory_of_an_operator_counts_when_it_has_an_offset() {
    // As in Vela's files: "b" has no elements and no operator writes it.
    let mut model = planned(&[0, -1, 768, 784, 0]);
    model.tensors[2].buffer = 0;
    let (rows, arena) = shown(&model);
    assert_eq!(rows[1], row("b", 16, 0, 1, 768));
    assert_eq!(arena, 1040);
    // Without an offset it is a constant whose elements were taken out.
    model.metadata = vec![(NAME, plan(&[0, -1, -1, 768, 0]))];
    assert_eq!(shown(&model).0.len(), 3);
}

#[test]
fn every_subgraph_has_its_offsets_one_after_the_other() {
    let mut model = planned(&[0, -1, -1, 768, 0, 64]);
    model.beside = vec![Tensor {
        name: "q",
        shape: vec![4],
        ..Tensor::default()
    }];
    let (rows, arena) = shown(&model);
    assert_eq!((rows.len(), arena), (3, 1024));
    // Five offsets are too few for six tensors.
    model.metadata = vec![(NAME, plan(&[0, -1, -1, 768, 0]))];
    let (graph, warnings) = read(&model.bytes()).expect("a model");
    assert!(graph.offline.is_empty());
    let said = &warnings.last().expect("a warning").message;
    assert!(
        said.to_string()
            .starts_with("it has 5 offsets, but the model has 6 tensors"),
        "{said}"
    );
}

#[test]
fn a_plan_that_contradicts_itself_is_left_out_with_the_reason() {
    let broken: [(Vec<u8>, &str); 8] = [
        (Vec::new(), "0 bytes are too few"),
        (vec![0; 11], "11 bytes are too few"),
        (
            words(&[0, 1, 5, 0, -1, -1, 768]),
            "5 offsets should follow, but there are only 4",
        ),
        (
            words(&[0, 1, 4, 0, -1, -1, 768]),
            "it has 4 offsets, but the model has 5 tensors",
        ),
        (words(&[0, 1, -1, 0]), "it has 4294967295 offsets"),
        (plan(&[0, -1, -1, -2, 0]), "tensor 3 has the offset -2"),
        (
            plan(&[i32::MIN, -1, -1, 0, 0]),
            "tensor 0 has the offset -2147483648",
        ),
        (plan(&[-1; 5]), "it leaves every tensor to the runtime"),
    ];
    for (data, expected) in broken {
        let model = Model {
            metadata: vec![(NAME, data)],
            ..model()
        };
        let (graph, warnings) = read(&model.bytes()).expect("the model opens all the same");
        let said: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
        assert!(graph.offline.is_empty(), "{expected}");
        let [said] = &said[..] else {
            panic!("{said:?}")
        };
        assert!(
            said.contains(expected) && said.ends_with("left out"),
            "{said}"
        );
    }
}

#[test]
fn what_tflite_micro_ignores_is_said_and_ignored() {
    let good = [0, -1, -1, 768, 0];
    let odd = [
        (words(&[&[7, 1, 5][..], &good].concat()), "version 7"),
        (words(&[&[0, 3, 5][..], &good].concat()), "3 subgraphs"),
        (
            words(&[&[0, 1, 5][..], &good, &[9]].concat()),
            "4 bytes behind",
        ),
        ([plan(&good), vec![1, 2]].concat(), "2 bytes behind"),
    ];
    for (data, expected) in odd {
        let model = Model {
            metadata: vec![(NAME, data)],
            ..model()
        };
        let (graph, warnings) = read(&model.bytes()).expect("a model");
        assert_eq!(graph.offline.len(), 5, "{expected}");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].message.to_string().contains(expected),
            "{warnings:?}"
        );
    }
    // Of two plans the last one counts, as in the interpreter.
    let mut model = planned(&good);
    model.metadata.push((NAME, plan(&[256, -1, -1, 0, 256])));
    assert_eq!(shown(&model).0[1].4, 0);
    // Another name is no plan.
    let mut model = planned(&good);
    model.metadata[0].0 = "OfflineMemoryAllocations";
    let (graph, warnings) = read(&model.bytes()).expect("a model");
    assert!(graph.offline.is_empty() && warnings.is_empty());
}

#[test]
fn no_cut_and_no_damage_makes_it_panic() {
    let bytes = planned(&[0, -1, -1, 768, -1]).bytes();
    for end in 0..bytes.len() {
        if let Ok((graph, _)) = read(&bytes[..end]) {
            subject(graph);
        }
    }
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.index(3) {
            let at = random.index(damaged.len());
            damaged[at] = [0, 1, 0x7f, 0x80, 0xff][random.index(5)];
        }
        if let Ok((graph, _)) = read(&damaged) {
            let document = planner::load::Document::Model(graph);
            let settings = planner::Settings {
                io: planner::Io::Tflm,
                ..Default::default()
            };
            let _ = planner::prepare(&document, &Default::default(), &settings);
        }
    }
}

#[test]
fn many_tensors_left_to_the_runtime_end_the_plan_and_not_the_page() {
    // A chain of 40,000 operators of which one tensor has an offset.
    let count = 40_000;
    let mut model = model();
    let last = model.tensors[4].clone();
    for index in 0..count {
        model.tensors.push(last.clone());
        model.operators.push(Operator {
            code: 1,
            inputs: vec![4 + index],
            outputs: vec![5 + index],
            options: None,
        });
    }
    let mut offsets = vec![-1; model.tensors.len()];
    offsets[0] = 0;
    model.metadata = vec![(NAME, plan(&offsets))];
    let (graph, warnings) = read(&model.bytes()).expect("a model");
    assert!(graph.offline.is_empty());
    let said = &warnings.last().expect("a warning").message;
    assert!(
        said.to_string()
            .contains("more than we place around the others"),
        "{said}"
    );
}

/// Two convolutions that Vela gave to Ethos-U, then DEQUANTIZE and EXP (conv.py beside it).
const VELA: &[u8] = include_bytes!("../../../data/plans/offline/conv.vela.tflite");

#[test]
fn what_vela_lays_into_its_working_memory_is_no_overlap() {
    let (graph, warnings) = read(VELA).expect("a model");
    assert_eq!(warnings, []);
    let subject = subject(graph);
    let names = subject.lifetimes.buffers.iter().map(|it| it.name.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(names, ["scratch", "x", "b", "d", "e"]);
    let options = Options::aligned(Bytes(16));
    let bounds = bounds::aligned(&subject.lifetimes, Bytes(16));
    let plan = subject.deployed.expect("the model brings a plan");
    // As Vela's own reader of the file has them: x and b lie inside the 16,384 bytes at 0.
    let offsets = [0, 4096, 8192, 0, 8192].map(Offset);
    assert_eq!(
        (plan.offsets.as_slice(), plan.arena),
        (&offsets[..], Bytes(16_384))
    );
    let judged = judge(&subject.lifetimes, &bounds, &options, plan);
    assert_eq!(judged.violations, []);
    assert!(judged.metrics.optimal);
    // The commands of Ethos-U say where the three lie: no other plan may move them.
    let fixed = subject
        .lifetimes
        .buffers
        .iter()
        .map(|it| it.fixed.is_some());
    assert_eq!(fixed.collect::<Vec<_>>(), [true, true, true, false, false]);
}

/// The heads that TFLite Micro's interpreter prints for this model: 1,024 bytes of tensors that
/// operators use, and two that none does, of 1,000 and 601 floats (4,000 and 2,416 bytes in 16s).
/// Alone they lie one after the other; where the file has offsets they are kept, and the rest finds
/// a place around them and nothing else.
#[test]
fn tensors_without_a_use_take_a_place() {
    let with = |given: Option<[i32; 2]>| {
        let mut model = given.map_or_else(model, |[one, other]| {
            planned(&[0, -1, -1, 768, 0, one, other])
        });
        for (name, count) in [("one", 1000), ("other", 601)] {
            model.tensors.push(Tensor {
                name,
                shape: vec![1, count],
                ..Tensor::default()
            });
        }
        subject(read(&model.bytes()).expect("a model").0)
    };
    let printed = [
        ([0, 0], 4000),
        ([-1, -1], 6416),
        ([1024, -1], 7440),
        ([4000, -1], 8000),
        ([-1, 800], 7216),
    ];
    for (given, head) in printed {
        let plan = with(Some(given)).deployed.expect("the model brings a plan");
        assert_eq!(plan.arena, Bytes(head), "{given:?}");
    }
    let subject = with(None);
    let options = Options::aligned(Bytes(16));
    let bounds = bounds::aligned(&subject.lifetimes, Bytes(16));
    let arena = |strategy| {
        let made = judged(strategy, &subject.lifetimes, &bounds, &options, &mut Silent);
        let made = subject.counted(made.expect("a plan"));
        assert_eq!(made.violations, []);
        assert_eq!(made.plan.arena, made.metrics.arena);
        (made.metrics.arena, made.metrics.optimal)
    };
    assert_eq!(arena(Strategy::TflmGreedy), (Bytes(6416), false));
    // Another plan is exported with both at the start; nothing is smaller than the larger one.
    assert_eq!(arena(Strategy::OffsetsBySize), (Bytes(4000), true));
}
