//! Matrix products.

use std::collections::BTreeMap;

use crate::graph::DType;
use crate::graph::infer::call::broadcast;
use crate::graph::infer::{Call, InferredOutput, Outputs, Unsized};
use crate::message;

pub(super) fn one(dtype: impl Into<Option<DType>>, dims: impl Into<Vec<u64>>) -> Outputs {
    Ok(vec![InferredOutput::new(dtype, dims)])
}

/// The product of the inputs at `a` and `b`, batches broadcast.
pub(super) fn product(call: &Call<'_>, a: usize, b: usize) -> Result<Vec<u64>, Unsized> {
    matrix_product(call, call.dims(a)?, call.dims(b)?)
}

/// The dimensions of a matrix product: a vector on the left counts as a row and one on the
/// right as a column, and the dimension so added disappears again.
pub(super) fn matrix_product(call: &Call<'_>, a: &[u64], b: &[u64]) -> Result<Vec<u64>, Unsized> {
    let mismatch = || {
        call.invalid(message!(
            "{} times {}",
            format_args!("{a:?}"),
            format_args!("{b:?}")
        ))
    };
    let (batch_a, rows, inner_a) = match *a {
        [inner] => (&a[..0], None, inner),
        [ref batch @ .., rows, inner] => (batch, Some(rows), inner),
        [] => return Err(mismatch()),
    };
    let (batch_b, inner_b, columns) = match *b {
        [inner] => (&b[..0], inner, None),
        [ref batch @ .., inner, columns] => (batch, inner, Some(columns)),
        [] => return Err(mismatch()),
    };
    if inner_a != inner_b {
        return Err(mismatch());
    }
    let mut dims = broadcast(batch_a, batch_b).ok_or_else(mismatch)?;
    dims.extend(rows);
    dims.extend(columns);
    Ok(dims)
}

pub(super) fn gemm(call: &Call<'_>) -> Outputs {
    let (&[mut m, mut k], &[mut l, mut n]) = (call.dims(0)?, call.dims(1)?) else {
        return Err(call.invalid(message!("not two matrices")));
    };
    if call.flag("transA") {
        (m, k) = (k, m);
    }
    if call.flag("transB") {
        (l, n) = (n, l);
    }
    if k != l {
        return Err(call.invalid(message!("inner dimensions {} and {}", k, l)));
    }
    one(call.need(0)?.dtype, [m, n])
}

/// The equation is a list of terms, one letter per dimension, "..." for those broadcast; what
/// stands after the arrow is the output, or, without an arrow, the letters that appear once,
/// in alphabetical order.
/// One number for each matrix.
pub(super) fn determinant(call: &Call<'_>) -> Outputs {
    match call.dims(0)? {
        [batch @ .., _, _] => one(call.inputs[0].map(|x| x.dtype), batch),
        _ => Err(call.invalid(message!("fewer than two dimensions"))),
    }
}

pub(super) fn einsum(call: &Call<'_>) -> Outputs {
    let equation = call.op.text("equation");
    let equation = equation.ok_or_else(|| call.invalid(message!("no equation")))?;
    let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (equation.as_str(), None),
    };
    let mut letters: BTreeMap<char, (u64, usize)> = BTreeMap::new();
    let mut rest: Vec<u64> = Vec::new();
    for (index, term) in left.split(',').enumerate() {
        let dims = call.dims(index)?;
        einsum_term(call, term, dims, &mut letters, &mut rest)?;
    }
    let output = match right {
        Some(right) => right.to_owned(),
        None => {
            let once = letters.iter().filter(|(_, (_, times))| *times == 1);
            "..."
                .chars()
                .chain(once.map(|(letter, _)| *letter))
                .collect()
        }
    };
    let mut dims = Vec::new();
    for (index, part) in output.split("...").enumerate() {
        if index == 1 {
            dims.extend_from_slice(&rest);
        }
        for letter in part.chars() {
            let found = letters.get(&letter);
            let unknown = || call.invalid(message!("'{}' appears in no input", letter));
            dims.push(found.ok_or_else(unknown)?.0);
        }
    }
    one(call.need(0)?.dtype, dims)
}

fn einsum_term(
    call: &Call<'_>,
    term: &str,
    dims: &[u64],
    letters: &mut BTreeMap<char, (u64, usize)>,
    rest: &mut Vec<u64>,
) -> Result<(), Unsized> {
    let mismatch = || {
        call.invalid(message!(
            "term \"{}\" for {}",
            term,
            format_args!("{dims:?}")
        ))
    };
    let (front, back) = term.split_once("...").unwrap_or((term, ""));
    let named = front.len() + back.len();
    let free = dims.len().checked_sub(named).ok_or_else(mismatch)?;
    if free > 0 && !term.contains("...") {
        return Err(mismatch());
    }
    let (first, others) = dims.split_at(front.len());
    let (middle, last) = others.split_at(free);
    *rest = broadcast(rest, middle).ok_or_else(mismatch)?;
    for (letter, &dim) in front
        .chars()
        .chain(back.chars())
        .zip(first.iter().chain(last))
    {
        let entry = letters.entry(letter).or_insert((dim, 0));
        entry.1 += 1;
        match entry.0 {
            known if known == dim || dim == 1 => {}
            1 => entry.0 = dim,
            _ => return Err(mismatch()),
        }
    }
    Ok(())
}
