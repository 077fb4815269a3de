//! Operators with a window behind each other in one arena: whoever reads a neighbour's word,
//! or leaves one of its own unwritten, changes the result.

use planner::strategies::Strategy;
use tests::onnx_builder::{DataType, OnnxBuilder, int, ints};
use tests::random::Random;
use tests::runs::{Model, floats, gpu, words};

fn values(random: &mut Random, count: usize) -> Vec<f32> {
    let near = |n: u64| f32::from(u16::try_from(n).expect("below 2001")) / 1000.0 - 1.0;
    (0..count).map(|_| near(random.below(2001))).collect()
}

/// A stem, a pool, an inverted bottleneck with a groupwise layer, and a transposed layer; odd
/// sides and channel counts throughout, so that every tile hangs over somewhere.
fn chain() -> Vec<u8> {
    let mut random = Random::new(41);
    let mut net = OnnxBuilder::new("chain", 17);
    let x = net.input("x", DataType::FLOAT, &[2, 3, 37, 29].map(Into::into));
    let mut conv = |net: &mut OnnxBuilder,
                    name: &str,
                    kind: &str,
                    x: &str,
                    dims: [i64; 4],
                    out: i64,
                    attributes| {
        let mut weights = |name: String, dims: &[i64]| {
            let count = usize::try_from(dims.iter().product::<i64>()).expect("a small number");
            net.floats(&name, dims, &values(&mut random, count))
        };
        let w = weights(format!("{name}.w"), &dims);
        let b = weights(format!("{name}.b"), &[out]);
        net.op(name, kind, &[x, &w, &b], attributes)
    };
    let twice = || ints("strides", &[2, 2]);
    let a = conv(
        &mut net,
        "stem",
        "Conv",
        &x,
        [13, 3, 3, 3],
        13,
        vec![twice(), ints("pads", &[1; 4])],
    );
    let a = net.op(
        "pool",
        "MaxPool",
        &[&a],
        vec![twice(), ints("kernel_shape", &[3, 3]), int("ceil_mode", 1)],
    );
    let a = conv(&mut net, "wide", "Conv", &a, [34, 13, 1, 1], 34, vec![]);
    let a = conv(
        &mut net,
        "deep",
        "Conv",
        &a,
        [34, 1, 3, 3],
        34,
        vec![int("group", 34), ints("pads", &[1; 4])],
    );
    let a = net.op("lrn", "LRN", &[&a], vec![int("size", 5)]);
    let a = conv(
        &mut net,
        "groups",
        "Conv",
        &a,
        [6, 17, 3, 2],
        6,
        vec![int("group", 2), ints("pads", &[2, 0, 1, 1])],
    );
    let a = conv(
        &mut net,
        "back",
        "ConvTranspose",
        &a,
        [6, 5, 3, 3],
        5,
        vec![twice()],
    );
    let y = net.op("mean", "GlobalAveragePool", &[&a], vec![]);
    let z = net.op(
        "average",
        "AveragePool",
        &[&a],
        vec![ints("kernel_shape", &[5, 5]), twice()],
    );
    // 37 x 29 -> 19 x 15 -> 9 x 7 -> (groups) 10 x 7 -> 21 x 15 -> 9 x 6.
    net.output(&y, DataType::FLOAT, &[2, 5, 1, 1].map(Into::into));
    net.output(&z, DataType::FLOAT, &[2, 5, 9, 6].map(Into::into));
    net.finish()
}

#[test]
fn a_chain_is_the_same_in_every_arena_and_close_to_the_twins() {
    let model = Model::open(&chain());
    let x = [words(&values(&mut Random::new(42), 2 * 3 * 37 * 29))];
    let naive = model.lowered(&model.plan(Strategy::Naive)).unwrap();
    let expected = model.on_twins(&naive, &x);
    assert_eq!(expected[1].len(), 2 * 5 * 9 * 6);
    let spread = floats(&expected[1])
        .iter()
        .fold(0.0_f32, |most, y| most.max(y.abs()));
    assert!(spread > 0.1, "a result of zeros would show nothing");
    let gpu = gpu();
    let mut first = None;
    for strategy in [
        Strategy::Naive,
        Strategy::OffsetsBySize,
        Strategy::GreedyBySize,
    ] {
        let lowered = model.lowered(&model.plan(strategy)).unwrap();
        assert_eq!(
            model.on_twins(&lowered, &x),
            expected,
            "{}",
            strategy.name()
        );
        let Some(gpu) = &gpu else { continue };
        for pattern in [0x7149_f2ca, 0xf149_f2ca] {
            let outputs = model.on_gpu(gpu, &lowered, &x, pattern).unwrap();
            let first = first.get_or_insert_with(|| outputs.clone());
            assert_eq!(&outputs, first, "{}", strategy.name());
        }
    }
    // Sums of up to 153 products, six layers deep: roundings of 2^-24 of the largest result.
    for (found, expected) in first.unwrap_or_default().iter().zip(&expected) {
        for (found, expected) in floats(found).iter().zip(floats(expected)) {
            let apart = (found - expected).abs();
            assert!(apart <= 1e-5 * spread.max(1.0), "{found}, not {expected}");
        }
    }
}
