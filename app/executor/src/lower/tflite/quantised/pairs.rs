//! Functions of two quantised elements.

use planner::graph::DType;

use super::{Steps, activated, range, steps};
use crate::fixed_point::Factor;
use crate::kernels::{QuantisedFacts, QuantisedOp};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::elementwise::quantised_pair;
use crate::lower::table::table;

/// The function of the builtin, if it has one.
pub(super) fn op(kind: &str) -> Option<QuantisedOp> {
    Some(match kind {
        "ADD" => QuantisedOp::Add,
        "SUB" => QuantisedOp::Sub,
        "MUL" => QuantisedOp::Mul,
        "PRELU" => QuantisedOp::PRelu,
        "SQUARED_DIFFERENCE" => QuantisedOp::SquaredDifference,
        "EQUAL" => QuantisedOp::Equal,
        "NOT_EQUAL" => QuantisedOp::NotEqual,
        "LESS" => QuantisedOp::Less,
        "LESS_EQUAL" => QuantisedOp::LessEqual,
        "GREATER" => QuantisedOp::Greater,
        "GREATER_EQUAL" => QuantisedOp::GreaterEqual,
        _ => return None,
    })
}

/// With the factors that LiteRT's `kernels/add.cc`, `sub.cc`, `mul.cc`, `activations.cc`,
/// `squared_difference.cc` and `comparisons.cc` prepare.
pub(super) fn pair(call: &Call<'_>, op: QuantisedOp) -> Dispatches {
    let (a, b, y) = (call.input(0)?, call.input(1)?, call.output(0)?);
    let (of_a, of_b) = (steps(call, a)?, steps(call, b)?);
    // A comparison gives no quantised elements.
    let of_y = match y.dtype {
        DType::Bool => Steps {
            scale: 1.0,
            zero: 0,
        },
        _ => steps(call, y)?,
    };
    let [a_scale, b_scale, y_scale] = [of_a, of_b, of_y].map(|it| f64::from(it.scale));
    let none = Factor::default();
    let twice = f64::from(2.0 * of_a.scale.max(of_b.scale));
    let places = op.places();
    let unit = 2_f64.powi(i32::try_from(places).unwrap_or_default());
    let factors = match op {
        QuantisedOp::Mul => [none, none, Factor::of(a_scale * b_scale / y_scale)],
        QuantisedOp::Add | QuantisedOp::Sub => {
            [a_scale / twice, b_scale / twice, twice / (unit * y_scale)].map(Factor::of)
        }
        QuantisedOp::PRelu => {
            let of = [a_scale / y_scale, a_scale * b_scale / y_scale].map(Factor::of);
            [of[0], of[1], none]
        }
        QuantisedOp::SquaredDifference => {
            let squared = twice * twice / (unit * unit * y_scale);
            [a_scale / twice, b_scale / twice, squared].map(Factor::of)
        }
        _ => [Factor::of(a_scale), Factor::of(b_scale), none],
    };
    let range = match y.dtype {
        DType::Bool => [0, 1],
        _ if matches!(op, QuantisedOp::PRelu | QuantisedOp::SquaredDifference) => range(y),
        _ => activated(call, y, of_y)?,
    };
    let facts = QuantisedFacts {
        zeros: [of_a.zero, of_b.zero, of_y.zero],
        range,
        factors,
        places,
        ..QuantisedFacts::default()
    };
    let table = table(y, DType::I32, facts.words());
    Ok(vec![quantised_pair(op, [a, b], &table, y)?])
}
