//! The fill of each operator type: the same in every file, theme and setting.
//!
//! A colour is a family of operators, a pattern one of its members, so that a type can be told
//! from its relatives without colours. Types that are not listed have patterns that no listed
//! one has.

use crate::palette::{CATEGORIES, letters};
use crate::scene::Fill;
use planner::Sorting as _;

/// Families in the order of the palette's colours; in each the types in the order of the
/// patterns, in lower case and without what separates words. Types that mean the same share a
/// fill.
const FAMILIES: [[&[&str]; LISTED]; CATEGORIES as usize] = [
    // Convolutions.
    [
        &["conv", "conv2d", "convolution", "fusedconv", "aten::conv2d"],
        &["depthwiseconv2d", "depthwiseconv"],
        &["convtranspose", "transposeconv", "conv2dtranspose"],
        &["qlinearconv", "convinteger"],
        &["conv1d", "conv3d", "col2im"],
        &[
            "resize",
            "upsample",
            "resizebilinear",
            "resizenearestneighbor",
        ],
    ],
    // Activations.
    [
        &["relu"],
        &["clip", "relu6", "relun1to1"],
        &["sigmoid", "logistic", "hardsigmoid"],
        &["gelu", "erf", "tanh", "fastgelu", "biasgelu"],
        &["hardswish", "silu", "swish", "mish"],
        &[
            "prelu",
            "leakyrelu",
            "elu",
            "selu",
            "celu",
            "softplus",
            "exp",
            "log",
        ],
    ],
    // Sums.
    [
        &["add", "addn", "sum"],
        &["sub", "subtract"],
        &["mean", "min", "max", "minimum", "maximum"],
        &[
            "cast",
            "convert",
            "quantizelinear",
            "quantize",
            "dynamicquantizelinear",
        ],
        &["dequantizelinear", "dequantize"],
        &[
            "where", "select", "selectv2", "equal", "less", "greater", "and", "or", "not",
        ],
    ],
    // Products of matrices.
    [
        &["matmul", "batchmatmul", "dot", "vecmat", "matvec"],
        &["gemm", "fullyconnected", "linear"],
        &["attention", "multiheadattention", "groupqueryattention"],
        &["matmulinteger", "qlinearmatmul", "matmulnbits"],
        &["einsum"],
        &["lstm", "gru", "rnn", "unidirectionalsequencelstm", "svdf"],
    ],
    // Products of elements.
    [
        &["mul", "multiply"],
        &["div", "divide"],
        &["pow", "square", "squareddifference"],
        &["sqrt", "rsqrt", "reciprocal"],
        &["neg", "abs", "sin", "cos", "floor", "ceil", "round"],
        &["rotaryembedding", "cumsum", "mod"],
    ],
    // Movements of data.
    [
        &["transpose"],
        &[
            "concat",
            "concatenation",
            "concatenate",
            "pack",
            "tile",
            "expand",
            "broadcast",
        ],
        &[
            "reshape",
            "flatten",
            "squeeze",
            "unsqueeze",
            "identity",
            "copy",
            "bitcast",
        ],
        &[
            "slice",
            "stridedslice",
            "dynamicslice",
            "split",
            "splitv",
            "unpack",
        ],
        &[
            "gather",
            "gathernd",
            "gatherelements",
            "embeddinglookup",
            "scatternd",
        ],
        &["pad", "padv2", "mirrorpad", "spacetodepth", "depthtospace"],
    ],
    // Pools and reductions.
    [
        &["maxpool", "maxpool2d"],
        &["averagepool", "averagepool2d"],
        &["globalaveragepool", "globalmaxpool"],
        &["reducemean", "reducesum", "sumreduce"],
        &["reducemax", "reducemin", "reduceprod", "reducel2"],
        &["argmax", "argmin", "topk", "topkv2", "nonmaxsuppression"],
    ],
    // Normalisations.
    [
        &["batchnormalization"],
        &["layernormalization", "skiplayernormalization"],
        &["softmax", "logsoftmax", "qlinearsoftmax"],
        &[
            "instancenormalization",
            "groupnormalization",
            "lrn",
            "localresponsenormalization",
        ],
        &[
            "rmsnormalization",
            "simplifiedlayernormalization",
            "skipsimplifiedlayernormalization",
        ],
        &[
            "l2normalization",
            "lpnormalization",
            "meanvariancenormalization",
            "dropout",
        ],
    ],
];

/// Patterns of listed types: the others are of those that are not listed.
const LISTED: usize = 6;
const UNLISTED: usize = 2;

/// The fills of operator types, each different from any other's that does not mean the same.
/// Beyond as many unlisted types as there are patterns left for them, they come again.
#[must_use]
pub fn operator_fills(types: &[&str]) -> Vec<Fill> {
    let mut fills: Vec<Option<Fill>> = types.iter().map(|name| listed(name)).collect();
    let mut others: Vec<usize> = (0..types.len())
        .filter(|&index| fills[index].is_none())
        .collect();
    others.order_by_key(|&index| types[index]);
    let places = usize::from(CATEGORIES) * UNLISTED;
    let mut taken = vec![false; places];
    for index in others {
        let wish = letters(types[index], places);
        let next = (0..places).map(|more| (wish + more) % places);
        let free = next.into_iter().find(|&place| !taken[place]);
        let place = free.unwrap_or(wish);
        taken[place] = true;
        fills[index] = Some(fill(
            place % usize::from(CATEGORIES),
            LISTED + place / usize::from(CATEGORIES),
        ));
    }
    fills.into_iter().map(Option::unwrap_or_default).collect()
}

fn listed(name: &str) -> Option<Fill> {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric() || *letter == ':')
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let mut families = FAMILIES.iter().enumerate();
    families.find_map(|(color, family)| {
        let known = |types: &&[&str]| types.contains(&plain.as_str());
        let pattern = family.iter().position(known)?;
        Some(fill(color, pattern))
    })
}

fn fill(color: usize, pattern: usize) -> Fill {
    Fill {
        color: u8::try_from(color).unwrap_or_default(),
        pattern: u8::try_from(pattern).unwrap_or_default(),
    }
}
