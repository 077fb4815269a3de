//! The examples of the articles on memory reuse, stage by stage.
//!
//! The figures are those of an independent simulation, which counts tensors and sums what is
//! live: six tensors with the input, then one less by fusion, two less by views and one less in
//! place.

use planner::graph::{Bindings, Graph};
use planner::load::load;
use planner::passes::{Given, Reason};
use planner::{
    Bytes, Io, Options, Settings, Silent, Stage, Strategy, passes, plan, stage_figures, stages,
};

/// An input, a convolution to `channels`, a window of it, and what becomes of that.
fn example(channels: u64, height: u64, width: u64) -> String {
    format!(
        "graph article onnx 17
input x1: f32[1, 1, {height}, {width}]
const w: f32[{channels}, 1, 3, 3]
x2 = Conv(x1, w) pads=[1, 1, 1, 1]
x3 = Slice(x2, [1, 2], [10, 20], [2, 3])
x4 = Transpose(x3) perm=[0, 1, 3, 2]
x5 = Relu(x4)
x6 = Exp(x5)
output x6
"
    )
}

/// The stages after the names of which `passes` says which; inputs end with their last reader.
fn stages_of(text: &str, names: &str) -> Vec<Stage> {
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a text graph");
    let settings = Settings {
        alignment: Bytes(1),
        io: Io::Tflm,
        passes: passes::parse(names).expect("passes"),
        ..Settings::default()
    };
    let known = (&Bindings::new(), &Given::new());
    stages(&document, known, &settings).expect("small")
}

/// Allocations, all bytes, the peak and the bytes copied after shapes are known and constants
/// folded, and after every pass from there on.
fn figures(stages: &[Stage]) -> Vec<(u64, u64, u64, u64)> {
    let row = |stage: &Stage| {
        let figures = stage_figures(stage, Bytes(1));
        let (naive, peak) = (figures.naive.0, figures.peak.0);
        (figures.allocations, naive, peak, figures.copied.0)
    };
    stages[2..].iter().map(row).collect()
}

const PASSES: &str = "fusion,views,in_place=aggressive";

/// The convolution sets the peak, and no pass touches it: only copies and allocations go.
#[test]
fn a_window_of_one_channel_saves_copies_and_no_peak() {
    let stages = stages_of(&example(1, 32, 32), PASSES);
    let expected = [
        (6, 10_784, 8192, 2592),
        (5, 10_136, 8192, 2592),
        (3, 8840, 8192, 0),
        (2, 8192, 8192, 0),
    ];
    assert_eq!(figures(&stages), expected);
}

/// With sixteen channels the window is nearly all of the convolution: the peak falls when the
/// last two share its bytes, and neither by fusion nor by views alone.
#[test]
fn a_window_of_sixteen_channels_lowers_the_peak_only_in_place() {
    let stages = stages_of(&example(16, 10, 20), PASSES);
    let expected = [
        (6, 55_072, 23_168, 41_472),
        (5, 44_704, 23_168, 41_472),
        (3, 23_968, 23_168, 0),
        (2, 13_600, 13_600, 0),
    ];
    assert_eq!(figures(&stages), expected);
}

/// B is read by C and by F, so C may not be written over it; B is free after F, and E takes its
/// memory; G is written over E.
const TAGS: &str = "graph tags onnx 17
input A: f32[1, 1, 4, 4]
B = MaxPool(A) kernel_shape=[1, 1]
C = Relu(B)
F = MaxPool(B) kernel_shape=[1, 1]
E = MaxPool(C) kernel_shape=[1, 1]
G = Add(E, F)
y = MaxPool(G) kernel_shape=[1, 1]
output y
";

fn name(graph: &Graph, tensor: usize) -> &str {
    &graph.tensors[tensor].name
}

#[test]
fn tags_are_given_in_place_first_and_then_by_sharing() {
    let (_, document, _) = load(&TAGS.as_bytes().to_vec()).expect("a text graph");
    let settings = Settings {
        alignment: Bytes(64),
        passes: passes::parse("in_place=mxnet").expect("a pass"),
        ..Settings::default()
    };
    let known = (&Bindings::new(), &Given::new());
    let stages = stages(&document, known, &settings).expect("small");
    let last = stages.last().expect("the pass");
    let graph = &last.program.graph;
    let said = |refused: Option<Reason>| match refused {
        None => "made".to_owned(),
        Some(Reason::ReadBy { op }) => {
            let written = graph.op(op).written().next().expect("a result");
            format!("read for {}", name(graph, written.index()))
        }
        Some(other) => other.name().to_owned(),
    };
    let found = last.report.found.iter().map(|finding| {
        let [over, written] = finding.tensors[..] else {
            panic!("{finding:?}");
        };
        let names = (name(graph, over.index()), name(graph, written.index()));
        (names.0, names.1, said(finding.refused))
    });
    let found: Vec<(&str, &str, String)> = found.collect();
    let expected = [
        ("B", "C", "read for F".to_owned()),
        ("E", "G", "made".to_owned()),
    ];
    assert_eq!(found, expected);
    // The tags, by the tokens that MXNet's planner gives: B 1, C 2, F 3, E 1, and G is E.
    let options = Options::aligned(Bytes(64));
    let plan = plan(Strategy::NnvmTokens, &last.lifetimes, &options, &mut Silent);
    let objects = plan.expect("a plan").objects.expect("tokens are objects");
    let buffers = last.lifetimes.buffers.iter().zip(&objects.of_buffer);
    let tags: Vec<(&str, u32)> = buffers.map(|(it, tag)| (&*it.name, tag + 1)).collect();
    assert_eq!(tags, [("B", 1), ("C", 2), ("F", 3), ("E", 1)]);
}
