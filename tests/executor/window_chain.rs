//! Operators with a window one after another in one arena: what reads a neighbour's word,
//! or leaves one of its own unwritten, changes the result.

use planner::Strategy;
use tests::onnx_builder::{AttributeProto, DataType, OnnxBuilder, int, ints};
use tests::random::Random;
use tests::runs::{Model, floats, gpu, words};

fn values(random: &mut Random, count: usize) -> Vec<f32> {
    let near = |n: u64| f32::from(u16::try_from(n).expect("below 2001")) / 1000.0 - 1.0;
    (0..count).map(|_| near(random.below(2001))).collect()
}

/// A network in the making, with its last tensor.
struct Chain {
    net: OnnxBuilder,
    random: Random,
    last: String,
}

impl Chain {
    /// Adds an operator without weights.
    fn op(&mut self, kind: &str, attributes: Vec<AttributeProto>) -> String {
        self.last = self
            .net
            .op(&kind.to_lowercase(), kind, &[&self.last], attributes);
        self.last.clone()
    }

    /// Adds a convolution with weights of `dims` and a bias.
    fn conv(&mut self, name: &str, dims: [i64; 4], attributes: Vec<AttributeProto>) {
        self.weighted("Conv", name, dims, dims[0], attributes);
    }

    fn weighted(
        &mut self,
        kind: &str,
        name: &str,
        dims: [i64; 4],
        outputs: i64,
        attributes: Vec<AttributeProto>,
    ) {
        let mut weights = |name: String, dims: &[i64]| {
            let count = usize::try_from(dims.iter().product::<i64>()).expect("a small number");
            let values = values(&mut self.random, count);
            self.net.floats(&name, dims, &values)
        };
        let w = weights(format!("{name}.w"), &dims);
        let b = weights(format!("{name}.b"), &[outputs]);
        self.last = self.net.op(name, kind, &[&self.last, &w, &b], attributes);
    }
}

/// A stem, a pool, an inverted bottleneck with a groupwise layer, and a transposed layer; odd
/// sides and channel counts throughout, so that every tile hangs over somewhere.
fn chain() -> Vec<u8> {
    let mut net = OnnxBuilder::new("chain", 17);
    let last = net.input("x", DataType::FLOAT, &[2, 3, 37, 29].map(Into::into));
    let random = Random::new(41);
    let mut chain = Chain { net, random, last };
    let twice = || ints("strides", &[2, 2]);
    let around = || ints("pads", &[1; 4]);
    let kernel = |side| ints("kernel_shape", &[side, side]);
    chain.conv("stem", [13, 3, 3, 3], vec![twice(), around()]);
    chain.op("MaxPool", vec![twice(), kernel(3), int("ceil_mode", 1)]);
    chain.conv("wide", [34, 13, 1, 1], vec![]);
    chain.conv("deep", [34, 1, 3, 3], vec![int("group", 34), around()]);
    chain.op("LRN", vec![int("size", 5)]);
    let uneven = ints("pads", &[2, 0, 1, 1]);
    chain.conv("groups", [6, 17, 3, 2], vec![int("group", 2), uneven]);
    chain.weighted("ConvTranspose", "back", [6, 5, 3, 3], 5, vec![twice()]);
    let back = chain.last.clone();
    let y = chain.op("GlobalAveragePool", vec![]);
    chain.last = back;
    let z = chain.op("AveragePool", vec![kernel(5), twice()]);
    // 37 x 29 -> 19 x 15 -> 9 x 7 -> (groups) 10 x 7 -> 21 x 15 -> 9 x 6.
    let mut net = chain.net;
    net.output(&y, DataType::FLOAT, &[2, 5, 1, 1].map(Into::into));
    net.output(&z, DataType::FLOAT, &[2, 5, 9, 6].map(Into::into));
    net.finish()
}

#[test]
fn a_chain_is_the_same_in_every_arena_and_close_to_the_cpu() {
    let model = Model::open(&chain());
    let x = [words(&values(&mut Random::new(42), 2 * 3 * 37 * 29))];
    let naive = model.lowered(&model.plan(Strategy::Naive)).unwrap();
    let expected = model.on_cpu(&naive, &x);
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
        assert_eq!(model.on_cpu(&lowered, &x), expected, "{}", strategy.name());
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
