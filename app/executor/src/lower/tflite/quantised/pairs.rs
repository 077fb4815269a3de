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
    let sum = matches!(op, QuantisedOp::Add | QuantisedOp::Sub);
    let wide = a.dtype == DType::I16;
    // Elements of 16 bits are compared as they are.
    let raw = wide && y.dtype == DType::Bool;
    let places = match wide {
        true if sum => 15,
        true => 0,
        false => op.places(),
    };
    let product = Factor::of((of_a.scale * of_b.scale / of_y.scale).into());
    let powers = [of_a, of_b, of_y]
        .iter()
        .all(|it| it.scale.to_bits() << 9 == 0);
    if wide && sum && powers {
        return Err("its scales are powers of two: LiteRT shifts such elements of 16 bits".into());
    }
    if wide && matches!(op, QuantisedOp::PRelu | QuantisedOp::SquaredDifference) {
        return Err("there is no kernel for it on quantised elements".into());
    }
    let unit = 2_f64.powi(i32::try_from(places).unwrap_or_default());
    let factors = match op {
        QuantisedOp::Mul => [none, none, product],
        QuantisedOp::Add | QuantisedOp::Sub => {
            [a_scale / twice, b_scale / twice, twice / (unit * y_scale)].map(Factor::of)
        }
        QuantisedOp::PRelu => [Factor::of((of_a.scale / of_y.scale).into()), product, none],
        QuantisedOp::SquaredDifference => {
            let squared = twice * twice / (unit * unit * y_scale);
            [a_scale / twice, b_scale / twice, squared].map(Factor::of)
        }
        _ if raw => [Factor::of(1.0), Factor::of(1.0), none],
        _ => [Factor::of(a_scale), Factor::of(b_scale), none],
    };
    let range = match y.dtype {
        DType::Bool => [0, 1],
        _ if matches!(op, QuantisedOp::PRelu | QuantisedOp::SquaredDifference) => range(y),
        _ => activated(call, y, of_y)?,
    };
    let facts = QuantisedFacts {
        zeros: match raw {
            true => [0; 3],
            false => [of_a.zero, of_b.zero, of_y.zero],
        },
        range,
        factors,
        places,
        ..QuantisedFacts::default()
    };
    let table = table(y, DType::I32, facts.words());
    Ok(vec![quantised_pair(op, [a, b], &table, y)?])
}
