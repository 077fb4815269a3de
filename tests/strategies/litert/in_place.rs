//! Which tensors are handed over in place, and where LiteRT's inputs and outputs live.

use planner::graph::Bindings;
use planner::load::load;
use planner::{Bytes, Io, Lifetimes, Settings, Span, passes, prepare};
use tests::onnx_builder::{DataType, OnnxBuilder};

fn prepared(bytes: &[u8], settings: &Settings) -> Lifetimes {
    let (_, document, _) = load(&bytes.to_vec()).expect("a model");
    let subject = prepare(&document, &Bindings::new(), settings);
    subject.expect("a small model").lifetimes
}

/// Pairs of names, the one that is written first.
fn handed_over(bytes: &[u8]) -> Vec<(String, String)> {
    let settings = Settings {
        passes: passes::parse("in_place").expect("a pass"),
        ..Settings::default()
    };
    let lifetimes = prepared(bytes, &settings);
    let name = |index: usize| lifetimes.buffers[index].name.clone();
    let pairs = lifetimes.handovers.iter().map(|handover| {
        assert_eq!(handover.shift, Bytes::ZERO);
        (name(handover.after), name(handover.before))
    });
    pairs.collect()
}

fn owned((after, before): (&str, &str)) -> (String, String) {
    (after.to_owned(), before.to_owned())
}

/// An input, a tensor that is read twice and an output are left alone; broadcasting makes
/// sizes unequal, and Softmax looks at more than one element.
#[test]
fn an_operator_writes_over_what_nobody_else_reads() {
    let mut builder = OnnxBuilder::new("in place", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 8.into()]);
    let bias = builder.weight("bias", &[8]);
    let a = builder.op("a", "Relu", &[&x], vec![]);
    let b = builder.op("b", "Add", &[&bias, &a], vec![]);
    let twice = builder.op("twice", "Mul", &[&b, &b], vec![]);
    let e = builder.op("e", "Exp", &[&twice], vec![]);
    let s = builder.op("s", "Softmax", &[&e], vec![]);
    let both = builder.op("both", "Sub", &[&s, &b], vec![]);
    let shape = builder.ints("shape", &[1], &[16]);
    let view = builder.op("view", "Reshape", &[&both, &shape], vec![]);
    let y = builder.op("y", "Neg", &[&view], vec![]);
    builder.output(&y, DataType::FLOAT, &[16.into()]);
    // The bias is a constant, so `b` goes over `a`; `b` has three readers, but `both` finds
    // `s`; `y` is an output.
    let bytes = builder.finish();
    let expected = [("b", "a"), ("e", "twice"), ("both", "s"), ("view", "both")];
    assert_eq!(handed_over(&bytes), expected.map(owned));
    assert_eq!(prepared(&bytes, &Settings::default()).handovers, []);
}

/// Four bytes may stand for a shape that is not known yet; what changes no byte may share
/// them all the same. A float32 is not written over the int32 that was its exponent.
#[test]
fn scalars_are_only_viewed_and_types_must_agree() {
    let mut builder = OnnxBuilder::new("scalars", 17);
    let x = builder.input("x", DataType::FLOAT, &[1.into()]);
    let z = builder.input("z", DataType::INT32, &[8.into()]);
    let base = builder.weight("base", &[8]);
    let a = builder.op("a", "Relu", &[&x], vec![]);
    let b = builder.op("b", "Neg", &[&a], vec![]);
    let shape = builder.ints("shape", &[2], &[1, 1]);
    let c = builder.op("c", "Reshape", &[&b, &shape], vec![]);
    let y = builder.op("y", "Abs", &[&c], vec![]);
    let n = builder.op("n", "Neg", &[&z], vec![]);
    let power = builder.op("power", "Pow", &[&base, &n], vec![]);
    let w = builder.op("w", "Abs", &[&power], vec![]);
    builder.output(&y, DataType::FLOAT, &[1.into(), 1.into()]);
    builder.output(&w, DataType::FLOAT, &[8.into()]);
    assert_eq!(handed_over(&builder.finish()), [owned(("c", "b"))]);
}

/// One output is written by the first of four operators and read again, the other by the
/// last: LiteRT frees neither, nor the input, nor what no operator reads.
#[test]
fn litert_keeps_inputs_and_outputs_in_the_arena() {
    let mut builder = OnnxBuilder::new("ends", 17);
    let x = builder.input("x", DataType::FLOAT, &[8.into()]);
    let early = builder.op("early", "Relu", &[&x], vec![]);
    let between = builder.op("between", "Neg", &[&early], vec![]);
    let _unread = builder.op("unread", "Abs", &[&between], vec![]);
    let late = builder.op("late", "Exp", &[&between], vec![]);
    builder.output(&early, DataType::FLOAT, &[8.into()]);
    builder.output(&late, DataType::FLOAT, &[8.into()]);
    let bytes = builder.finish();
    let spans = |io| {
        let settings = Settings {
            io,
            ..Settings::default()
        };
        let lifetimes = prepared(&bytes, &settings);
        let named = lifetimes.buffers.into_iter().map(|b| (b.name, b.span));
        named.collect::<Vec<_>>()
    };
    let named = |name: &str, start, end| (name.to_owned(), Span::new(start, end));
    let litert = [
        named("x", 0, 4),
        named("early", 0, 4),
        named("between", 1, 4),
        named("unread", 2, 4),
        named("late", 3, 4),
    ];
    assert_eq!(spans(Io::Litert), litert);
    assert_eq!(
        spans(Io::Beside),
        [named("between", 1, 4), named("unread", 2, 3)]
    );
    let whole = [
        named("x", 0, 4),
        named("early", 0, 4),
        named("late", 0, 4),
        named("between", 1, 4),
        named("unread", 2, 3),
    ];
    assert_eq!(spans(Io::WholeRun), whole);
}
