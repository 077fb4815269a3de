//! Lifetimes with their plan as MiniMalloc CSV.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::liveness::Lifetimes;
use crate::plan::Plan;

/// The rows `id,lower,upper,size,alignment,offset` of `lifetimes` under `plan`; `upper` is
/// exclusive, sizes and offsets are bytes.
///
/// The format has no quoting, so commas, quotes and line ends in names become `_`, and names
/// that are then equal are told apart by their row.
#[must_use]
pub fn csv(lifetimes: &Lifetimes, plan: &Plan) -> String {
    let mut text = String::from("id,lower,upper,size,alignment,offset\n");
    let mut ids = BTreeSet::new();
    for (index, (buffer, offset)) in lifetimes.buffers.iter().zip(&plan.offsets).enumerate() {
        let mut id = plain(&buffer.name);
        while id.is_empty() || !ids.insert(id.clone()) {
            id = format!("{id}_{index}");
        }
        let (lower, upper) = (buffer.span.start.0, buffer.span.end.0);
        let (size, alignment) = (buffer.size.0, buffer.alignment.0);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{id},{lower},{upper},{size},{alignment},{}", offset.0);
    }
    text
}

fn plain(name: &str) -> String {
    let name = name.trim();
    let plain = name.chars().map(|sign| match sign {
        ',' | '"' => '_',
        sign if sign.is_control() => '_',
        sign => sign,
    });
    let plain: String = plain.collect();
    match plain.strip_prefix('#') {
        Some(rest) => format!("_{rest}"),
        None => plain,
    }
}
