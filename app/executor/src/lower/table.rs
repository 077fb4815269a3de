//! Constants that lowering works out itself.

use std::sync::Arc;

use planner::graph::DType;
use planner::{Message, message, narrow};

use crate::elements;
use crate::kernels::{Kernel, QuantisedTableParams, typed_grid};
use crate::recording::{Dispatch, Operand, Region, Space};

/// A constant that is no tensor of the graph, beside the output that it belongs to.
pub(crate) fn table(y: &Operand, dtype: DType, words: Vec<u32>) -> Operand {
    let count = narrow(words.len());
    let width = dtype.bits().unwrap_or(32);
    let elements = u32::try_from(u64::from(count) * 32 / width).expect("tables are short");
    Operand {
        tensor: y.tensor,
        name: format!("{}.table", y.name),
        region: Region {
            space: Space::Weights(0),
            word: 0,
            words: count,
        },
        buffer: None,
        dims: vec![elements],
        strides: Vec::new(),
        dtype,
        held: Some(Arc::new(words)),
    }
}

/// What `function` makes of every element of 8 or 16 bits, by the bits of the element as an
/// unsigned number.
fn results(dtype: DType, function: &dyn Fn(i32) -> i32) -> Vec<i32> {
    let count = if dtype == DType::I16 { 1 << 16 } else { 1 << 8 };
    let is_signed = matches!(dtype, DType::I8 | DType::I16);
    let element = |bits: i32| match is_signed && bits >= count / 2 {
        true => bits - count,
        false => bits,
    };
    (0..count).map(|bits| function(element(bits))).collect()
}

/// The results, a word each.
pub(crate) fn entries(dtype: DType, function: &dyn Fn(i32) -> i32) -> Vec<u32> {
    let made = results(dtype, function).into_iter();
    made.map(i32::cast_unsigned).collect()
}

/// y = function(x), looked up in a table of all its results.
///
/// # Errors
/// When x and y have not equally many elements.
pub(crate) fn lookup(
    x: &Operand,
    y: &Operand,
    function: &dyn Fn(i32) -> i32,
) -> Result<Dispatch, Message> {
    if x.len() != y.len() {
        return Err(message!(
            "{} has not as many elements as {}",
            x.name,
            y.name
        ));
    }
    let params = QuantisedTableParams {
        count: y.len(),
        ..QuantisedTableParams::default()
    };
    let made = results(x.dtype, function);
    let made: Vec<i64> = made.into_iter().map(i64::from).collect();
    let words = elements::words_of_ints(y.dtype, &made);
    let dispatch = Dispatch::new(Kernel::QuantisedTable, &params, typed_grid(y));
    Ok(dispatch
        .reads([x, &table(y, y.dtype, words)])
        .writes(y)
        .constant("X", elements::code(x.dtype))
        .constant("KIND", elements::code(y.dtype)))
}

/// Parts of rows of y, each of which ends where `ends` says, by a table each, in place; `tables`
/// are those of [`entries`] of all elements of 8 bits.
pub(crate) fn by_parts(y: &Operand, ends: Vec<u32>, tables: &[u32]) -> Dispatch {
    let params = QuantisedTableParams {
        count: y.len(),
        row: ends.last().copied().unwrap_or_default().max(1),
        parts: narrow(ends.len()),
    };
    let mut words = ends;
    words.extend(tables);
    Dispatch::new(Kernel::QuantisedTable, &params, typed_grid(y))
        .reads([y, &table(y, DType::I32, words)])
        .writes(y)
        .constant("KIND", elements::code(y.dtype))
}
