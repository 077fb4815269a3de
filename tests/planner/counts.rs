//! Operators of which only a run finds how much they give: what they are sized by.

use planner::counts::{Misfit, found, to_find};
use planner::graph::{Bindings, Count, Counts, Limit, Tensor};
use planner::load::load;
use planner::{Bytes, PassSet, Program, Settings, passes, prepare, save};
use tests::chinese::assert_told;
use tests::confirmations::summed;

fn bindings(bound: &[(&str, u64)]) -> Bindings {
    bound
        .iter()
        .map(|&(name, n)| (name.to_owned(), n))
        .collect()
}

fn prepared(text: &str, bound: &[(&str, u64)], passes: &str) -> (Program, Vec<(String, u64)>) {
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let settings = Settings {
        alignment: Bytes(1),
        passes: passes::parse(passes).unwrap_or(PassSet::NONE),
        ..Settings::default()
    };
    let subject = prepare(&document, &bindings(bound), &settings).expect("it fits");
    let buffers = subject.lifetimes.buffers.iter();
    let sizes = buffers.map(|it| (it.name.clone(), it.payload.0)).collect();
    (subject.program.expect("a graph"), sizes)
}

fn tensor<'a>(program: &'a Program, name: &str) -> &'a Tensor {
    let mut tensors = program.graph.tensors.iter();
    tensors.find(|it| it.name == name).expect("it is there")
}

fn dims(program: &Program, name: &str) -> Option<Vec<u64>> {
    tensor(program, name).dims.clone()
}

fn only(program: &Program) -> &Count {
    match program.graph.counts.as_slice() {
        [count] => count,
        counts => panic!("{counts:?}"),
    }
}

/// A tensor of 12 elements has at most 12 that are not zero: 2 × 12 places of 8 bytes, 12 of them
/// taken out, and 12 rows of 5 floats.
#[test]
fn shapes_bound_what_is_counted() {
    let (program, sizes) = prepared(&summed(5), &[], "");
    let expected = [
        ("places", 2 * 12 * 8),
        ("columns", 12 * 8),
        ("picked", 12 * 5 * 4),
        ("moved", 12 * 5 * 4),
    ];
    assert_eq!(
        sizes,
        expected.map(|(name, bytes)| (name.to_owned(), bytes))
    );
    let count = only(&program);
    assert_eq!((count.most, count.limit), (12, Limit::Shapes));
    // The sum has 5 elements whatever is counted.
    for (name, at_most) in [
        ("places", true),
        ("moved", true),
        ("y", false),
        ("x", false),
    ] {
        assert_eq!(tensor(&program, name).at_most, at_most, "{name}");
    }
}

/// By its own name, and for all of them; what shapes allow is never exceeded.
#[test]
fn a_smaller_number_is_set() {
    for (bound, expected) in [
        (&[("places", 7)][..], (7, Limit::Set)),
        (&[("at_most", 5)], (5, Limit::Set)),
        (&[("at_most", 5), ("places", 7)], (7, Limit::Set)),
        (&[("places", 13)], (12, Limit::Shapes)),
    ] {
        let (program, sizes) = prepared(&summed(5), bound, "");
        let count = only(&program);
        assert_eq!((count.most, count.limit), expected, "{bound:?}");
        assert_eq!(sizes[2].1, expected.0 * 5 * 4, "{bound:?}");
    }
}

/// Each is the definition of ONNX: no more boxes of a class of a batch than there are, or than are
/// asked for; no more different elements than elements; no more of an axis than it has.
#[test]
fn every_counted_operator_has_its_own_bound() {
    let boxes = "input boxes: f32[2,6,4]\ninput scores: f32[2,3,6]\n";
    let rows = [
        (
            format!("{boxes}const k: i64[] = 4\nn = NonMaxSuppression(boxes, scores, k)\n"),
            vec![24, 3],
        ),
        (
            format!("{boxes}const k: i64[] = 40\nn = NonMaxSuppression(boxes, scores, k)\n"),
            vec![36, 3],
        ),
        (
            format!("{boxes}n = NonMaxSuppression(boxes, scores)\n"),
            vec![0, 3],
        ),
        ("input x: i32[3,4]\nn = Unique(x)\n".into(), vec![12]),
        (
            "input x: i32[3,4]\nn = Unique(x) axis=1\n".into(),
            vec![3, 4],
        ),
        (
            "input x: f32[3,4]\ninput k: i64[1]\nn, i = TopK(x, k) axis=0\n".into(),
            vec![3, 4],
        ),
        (
            "input x: f32[3,4]\ninput c: bool[2]\nn = Compress(x, c) axis=1\n".into(),
            vec![3, 2],
        ),
    ];
    for (text, expected) in rows {
        let text = format!("graph one onnx 17\n{text}y = Identity(n)\noutput y\n");
        let (program, _) = prepared(&text, &[], "");
        assert_eq!(dims(&program, "n"), Some(expected), "{text}");
        assert_eq!(only(&program).tensor, "n", "{text}");
        assert_eq!(to_find(&program, None).len(), 1, "{text}");
    }
}

/// 2^38 elements may have as many places, in two rows of 8 bytes: 4 TiB, where 1 TiB is the most
/// that is planned. The input itself takes that.
#[test]
fn a_bound_that_is_too_large_says_what_to_set() {
    let text = "input x: f32[1048576, 262144]\nplaces = NonZero(x)\noutput places\n";
    let (program, _) = prepared(text, &[], "");
    let missing = tensor(&program, "places").missing.clone().expect("no size");
    assert_eq!(
        missing.detail,
        "NonZero gives at most 274877906944: set fewer for \"places\""
    );
    assert_told(&missing.detail);
    let (program, _) = prepared(text, &[("places", 9)], "");
    assert_eq!(dims(&program, "places"), Some(vec![2, 9]));
}

/// A count can be set where data decides; where only shapes do, it is known.
#[test]
fn what_can_be_set_is_a_dimension_of_the_file() {
    let text = "graph shapes onnx 17\ninput x: f32[3,4]\nshape = Shape(x)\n\
                places = NonZero(shape)\nhere = NonZero(x)\noutput here, places\n";
    let (_, document, _) = load(&text.as_bytes().to_vec()).expect("a graph");
    let graph = document.graph().expect("a graph");
    let names = graph.symbols.iter().map(|it| (&*it.name, it.at_most));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [("here", true), ("at_most", true)]
    );
    // They are no dimensions that a text says.
    assert!(!save::graph_text(graph).contains("let "));
    let (program, _) = prepared(text, &[], "");
    assert_eq!(dims(&program, "places"), Some(vec![1, 2]));
    assert_eq!(only(&program).tensor, "here");
}

/// Everything behind the count is as long as it is; what was planned stays planned.
#[test]
fn a_count_takes_the_place_of_its_bound() {
    for passes in ["", "fusion,in_place,order", "views"] {
        let (program, _) = prepared(&summed(5), &[("places", 10)], passes);
        let counts = Counts::from([("places".to_owned(), 2)]);
        let (now, _) = found(&program, &bindings(&[("places", 10)]), &counts).expect("it fits");
        assert_eq!(dims(&now, "places"), Some(vec![2, 2]), "{passes}");
        assert_eq!(dims(&now, "moved"), Some(vec![2, 5]), "{passes}");
        assert_eq!(dims(&now, "y"), Some(vec![5]), "{passes}");
        assert_eq!(
            (&now.storages, &now.schedule),
            (&program.storages, &program.schedule)
        );
    }
}

/// Of eight rows those that are not taken: six where two are, none where eight may be.
#[test]
fn what_grows_where_a_count_is_less_is_refused() {
    let text = "\
graph rest onnx 17
input x: f32[8]
const zero: i64[] = 0
const all: i64[1] = [8]
const one: i64[1] = [1]
places = NonZero(x)
shape = Shape(places)
count = Gather(shape, one) axis=0
rest = Slice(x, count, all)
y = Sqrt(rest)
output y
";
    let (program, _) = prepared(text, &[], "");
    let counts = Counts::from([("places".to_owned(), 2)]);
    let misfit = found(&program, &Bindings::new(), &counts).expect_err("it grows");
    assert_eq!(
        misfit,
        Misfit::Larger {
            tensor: "rest".into(),
            bytes: Bytes(24),
            planned: Bytes(0)
        }
    );
    assert_told(&misfit);
    // A part of another tensor, from an address that hangs on the count.
    let (program, _) = prepared(text, &[("places", 4)], "views");
    let moved = found(&program, &Bindings::new(), &counts).expect_err("it moves");
    assert!(
        matches!(moved, Misfit::Moved { .. } | Misfit::Larger { .. }),
        "{moved}"
    );
    assert_told(&moved);
}

/// Arithmetic on shapes follows what the run counts.
#[test]
fn shapes_are_known_with_the_count() {
    let text = "\
graph most onnx 17
input x: f32[8]
places = NonZero(x)
count = Size(places)
output count
";
    let (program, _) = prepared(text, &[], "");
    let counts = Counts::from([("places".to_owned(), 3)]);
    let (now, known) = found(&program, &Bindings::new(), &counts).expect("it fits");
    let id = now.graph.outputs[0];
    // One row of three places.
    assert_eq!(
        known.get(&id).and_then(planner::graph::Value::single),
        Some(3)
    );
}

/// LiteRT's own rules: a row of two indices for each of twelve elements; a vector has no more
/// different elements than elements; of an axis no more than it has.
#[test]
fn every_counted_operator_of_tflite_has_its_own_bound() {
    let boxes = "input boxes: f32[6,4]\ninput scores: f32[6]\ninput k: i32[]\n\
                 const half: f32[] = 0.5\n";
    let selected = |outputs: &str, kind: &str, inputs: &str| {
        let operands = format!("boxes, scores, k, half, half{inputs}");
        format!("{boxes}n: i32[?]{outputs} = {kind}({operands})\n")
    };
    let rows = [
        (
            "input x: bool[3,4]\nn: i64[?,2] = WHERE(x)\n".into(),
            12,
            vec![12, 2],
        ),
        (
            "input x: i32[7]\nn, i: i32[7] = UNIQUE(x)\n".into(),
            7,
            vec![7],
        ),
        (
            "input x: f32[5,2]\ninput i: i32[5]\nn: f32[?,2] = SEGMENT_SUM(x, i)\n".into(),
            5,
            vec![5, 2],
        ),
        (
            "input x: f32[3,4]\ninput k: i32[]\nn, i: i32[3,?] = TOPK_V2(x, k)\n".into(),
            4,
            vec![3, 4],
        ),
        // More may be asked for than there are boxes: how many at most is to be set.
        (
            selected(", m: i32[]", "NON_MAX_SUPPRESSION_V4", ""),
            9,
            vec![9],
        ),
        (
            selected(", s, m: i32[]", "NON_MAX_SUPPRESSION_V5", ", half"),
            9,
            vec![9],
        ),
    ];
    for (text, most, expected) in rows {
        let text = format!("graph one tflite\n{text}y = ABS(n)\noutput y\n");
        // No other operator here is bound by 9.
        let bound = [("n", 9)];
        let bound = &bound[usize::from(most != 9)..];
        let (program, _) = prepared(&text, bound, "");
        assert_eq!(dims(&program, "n"), Some(expected.clone()), "{text}");
        assert_eq!(dims(&program, "y"), Some(expected), "{text}");
        let count = only(&program);
        assert_eq!((&*count.tensor, count.most), ("n", most), "{text}");
        assert!(tensor(&program, "n").at_most, "{text}");
        assert_eq!(to_find(&program, None).len(), 1, "{text}");
        if most == 9 {
            let (program, _) = prepared(&text, &[], "");
            let missing = tensor(&program, "n").missing.clone().expect("no size");
            assert!(
                missing
                    .detail
                    .to_string()
                    .ends_with("\"k\": set how many at most"),
                "{missing:?}"
            );
            assert_told(&missing.detail);
        }
    }
}

/// A list of selected boxes is as long as the file asks for, however many of them are selected: it
/// is no bound, and only the run fills it.
#[test]
fn a_list_of_fixed_length_is_filled_by_the_run() {
    let text = "graph one tflite\ninput boxes: f32[6,4]\ninput scores: f32[6]\n\
                const k: i32[] = 8\nconst half: f32[] = 0.5\n\
                n: i32[8], m: i32[] = NON_MAX_SUPPRESSION_V4(boxes, scores, k, half, half)\n\
                output n, m\n";
    let (program, _) = prepared(text, &[("at_most", 2)], "");
    assert_eq!(dims(&program, "n"), Some(vec![8]));
    assert!(program.graph.counts.is_empty() && program.graph.symbols.is_empty());
    let to_find = to_find(&program, None);
    assert_eq!((to_find.len(), to_find[0].2.most), (1, 8));
}
