//! A transformer encoder (Vaswani et al. 2017, in the form of Devlin et al. 2018) of four
//! layers, with the width of BERT-mini: 256 features, 4 heads.
//!
//! Exported raw, with free `batch` and `sequence_length`: shapes are computed in the graph
//! (Shape, Gather, Unsqueeze, Concat, Reshape), constants are operators, and layer
//! normalisation and GELU are spelled out.

use super::layers::concat_on;
use crate::onnx_builder::{Axis, DataType, OnnxBuilder, int, ints};

const LAYERS: usize = 4;
const WIDTH: i64 = 256;
const HEADS: i64 = 4;
const HIDDEN: i64 = 1024;
const VOCABULARY: i64 = 30522;
const POSITIONS: i64 = 512;

/// The bytes of the model.
#[must_use]
pub fn transformer() -> Vec<u8> {
    let mut net = OnnxBuilder::new("transformer", 14);
    let tokens = [Axis::from("batch"), Axis::from("sequence_length")];
    let ids = net.input("input_ids", DataType::INT64, &tokens);
    let mask = net.input("attention_mask", DataType::INT64, &tokens);
    let mask = attention_bias(&mut net, &mask);
    let mut x = embed(&mut net, &ids);
    for layer in 0..LAYERS {
        let name = format!("layer{layer}");
        let attended = attention(&mut net, &format!("{name}.attention"), &x, &mask);
        x = residual_norm(&mut net, &format!("{name}.attention"), &x, &attended);
        let fed = feed_forward(&mut net, &format!("{name}.mlp"), &x);
        let block = format!("{name}.mlp");
        x = residual_norm(&mut net, &block, &x, &fed);
    }
    let [batch, length] = tokens;
    net.output(&x, DataType::FLOAT, &[batch, length, WIDTH.into()]);
    net.finish()
}

/// 0 where a token may be seen and a large negative number where not, for every head.
fn attention_bias(net: &mut OnnxBuilder, mask: &str) -> String {
    let axes = net.constant_ints("mask.axes", &[2], &[1, 2]);
    let wide = net.op("mask.unsqueeze", "Unsqueeze", &[mask, &axes], Vec::new());
    let kind = i64::from(DataType::FLOAT.0);
    let seen = net.op("mask.cast", "Cast", &[&wide], vec![int("to", kind)]);
    let one = net.constant_float("mask.one", 1.0);
    let hidden = net.op("mask.sub", "Sub", &[&one, &seen], Vec::new());
    let least = net.constant_float("mask.least", f32::MIN);
    net.op("mask.bias", "Mul", &[&hidden, &least], Vec::new())
}

/// Word and position embeddings, normalised. As many positions are cut out of the table as
/// there are tokens.
fn embed(net: &mut OnnxBuilder, ids: &str) -> String {
    let words = net.weight("embed.words", &[VOCABULARY, WIDTH]);
    let words = net.op("embed.word", "Gather", &[&words, ids], Vec::new());
    let length = dimension(net, "embed.length", ids, 1);
    let all: Vec<i64> = (0..POSITIONS).collect();
    let all = net.ints("embed.position_ids", &[1, POSITIONS], &all);
    let start = net.constant_ints("embed.start", &[1], &[0]);
    let axis = net.constant_ints("embed.axis", &[1], &[1]);
    let inputs = [all.as_str(), &start, &length, &axis];
    let positions = net.op("embed.slice", "Slice", &inputs, Vec::new());
    let table = net.weight("embed.positions", &[POSITIONS, WIDTH]);
    let positions = net.op(
        "embed.position",
        "Gather",
        &[&table, &positions],
        Vec::new(),
    );
    residual_norm(net, "embed", &words, &positions)
}

/// One dimension of `x`, read at run time, as a list of one number.
fn dimension(net: &mut OnnxBuilder, name: &str, x: &str, axis: i64) -> String {
    let shape = net.op(&format!("{name}.shape"), "Shape", &[x], Vec::new());
    let index = net.constant_ints(&format!("{name}.index"), &[], &[axis]);
    let size = net.op(
        &format!("{name}.gather"),
        "Gather",
        &[&shape, &index],
        Vec::new(),
    );
    let front = net.constant_ints(&format!("{name}.axes"), &[1], &[0]);
    net.op(
        &format!("{name}.unsqueeze"),
        "Unsqueeze",
        &[&size, &front],
        Vec::new(),
    )
}

/// `x` in the shape `[batch, sequence_length, tail...]`, the first two read from `x`.
fn reshape(net: &mut OnnxBuilder, name: &str, x: &str, tail: &[i64]) -> String {
    let mut parts = Vec::new();
    for axis in 0..2 {
        parts.push(dimension(net, &format!("{name}.dim{axis}"), x, axis));
    }
    for (index, &size) in tail.iter().enumerate() {
        parts.push(net.constant_ints(&format!("{name}.tail{index}"), &[1], &[size]));
    }
    let shape = concat_on(net, &format!("{name}.shape"), &parts, 0);
    net.op(
        &format!("{name}.reshape"),
        "Reshape",
        &[x, &shape],
        Vec::new(),
    )
}

fn dense(net: &mut OnnxBuilder, name: &str, x: &str, [from, to]: [i64; 2]) -> String {
    let weight = net.weight(&format!("{name}.weight"), &[from, to]);
    let bias = net.weight(&format!("{name}.bias"), &[to]);
    let product = net.op(
        &format!("{name}.matmul"),
        "MatMul",
        &[x, &weight],
        Vec::new(),
    );
    net.op(
        &format!("{name}.add"),
        "Add",
        &[&bias, &product],
        Vec::new(),
    )
}

fn attention(net: &mut OnnxBuilder, name: &str, x: &str, mask: &str) -> String {
    let size = WIDTH / HEADS;
    let mut heads = Vec::new();
    // The keys come transposed, ready for the product.
    for (part, perm) in [
        ("query", [0, 2, 1, 3]),
        ("key", [0, 2, 3, 1]),
        ("value", [0, 2, 1, 3]),
    ] {
        let part = format!("{name}.{part}");
        let projected = dense(net, &part, x, [WIDTH, WIDTH]);
        let split = reshape(net, &part, &projected, &[HEADS, size]);
        let attributes = vec![ints("perm", &perm)];
        heads.push(net.op(&format!("{part}.heads"), "Transpose", &[&split], attributes));
    }
    let scores = net.op(
        &format!("{name}.scores"),
        "MatMul",
        &[&heads[0], &heads[1]],
        Vec::new(),
    );
    let scale = net.constant_float(&format!("{name}.scale"), 8.0);
    let scaled = net.op(
        &format!("{name}.div"),
        "Div",
        &[&scores, &scale],
        Vec::new(),
    );
    let masked = net.op(
        &format!("{name}.masked"),
        "Add",
        &[&scaled, mask],
        Vec::new(),
    );
    let attributes = vec![int("axis", -1)];
    let weights = net.op(
        &format!("{name}.softmax"),
        "Softmax",
        &[&masked],
        attributes,
    );
    let mixed = net.op(
        &format!("{name}.mixed"),
        "MatMul",
        &[&weights, &heads[2]],
        Vec::new(),
    );
    let attributes = vec![ints("perm", &[0, 2, 1, 3])];
    let moved = net.op(
        &format!("{name}.transpose"),
        "Transpose",
        &[&mixed],
        attributes,
    );
    let joined = reshape(net, &format!("{name}.join"), &moved, &[WIDTH]);
    dense(net, &format!("{name}.output"), &joined, [WIDTH, WIDTH])
}

/// Two dense layers with GELU, by its error function, between them.
fn feed_forward(net: &mut OnnxBuilder, name: &str, x: &str) -> String {
    let h = dense(net, &format!("{name}.in"), x, [WIDTH, HIDDEN]);
    let root = net.constant_float(&format!("{name}.root"), std::f32::consts::SQRT_2);
    let y = net.op(&format!("{name}.div"), "Div", &[&h, &root], Vec::new());
    let y = net.op(&format!("{name}.erf"), "Erf", &[&y], Vec::new());
    let one = net.constant_float(&format!("{name}.one"), 1.0);
    let y = net.op(&format!("{name}.plus"), "Add", &[&y, &one], Vec::new());
    let y = net.op(&format!("{name}.gate"), "Mul", &[&h, &y], Vec::new());
    let half = net.constant_float(&format!("{name}.half"), 0.5);
    let y = net.op(&format!("{name}.gelu"), "Mul", &[&y, &half], Vec::new());
    dense(net, &format!("{name}.out"), &y, [HIDDEN, WIDTH])
}

/// The sum of both, brought to mean 0 and variance 1, scaled and shifted.
fn residual_norm(net: &mut OnnxBuilder, name: &str, x: &str, y: &str) -> String {
    let name = format!("{name}.norm");
    let last = || vec![ints("axes", &[-1])];
    let sum = net.op(&format!("{name}.residual"), "Add", &[y, x], Vec::new());
    let mean = net.op(&format!("{name}.mean"), "ReduceMean", &[&sum], last());
    let centred = net.op(&format!("{name}.sub"), "Sub", &[&sum, &mean], Vec::new());
    let two = net.constant_float(&format!("{name}.two"), 2.0);
    let squared = net.op(&format!("{name}.pow"), "Pow", &[&centred, &two], Vec::new());
    let variance = net.op(
        &format!("{name}.variance"),
        "ReduceMean",
        &[&squared],
        last(),
    );
    let epsilon = net.constant_float(&format!("{name}.epsilon"), 1e-12);
    let above = net.op(
        &format!("{name}.above"),
        "Add",
        &[&variance, &epsilon],
        Vec::new(),
    );
    let deviation = net.op(&format!("{name}.sqrt"), "Sqrt", &[&above], Vec::new());
    let unit = net.op(
        &format!("{name}.div"),
        "Div",
        &[&centred, &deviation],
        Vec::new(),
    );
    let scale = net.weight(&format!("{name}.scale"), &[WIDTH]);
    let shift = net.weight(&format!("{name}.shift"), &[WIDTH]);
    let scaled = net.op(&format!("{name}.mul"), "Mul", &[&unit, &scale], Vec::new());
    net.op(
        &format!("{name}.add"),
        "Add",
        &[&scaled, &shift],
        Vec::new(),
    )
}
