//! What a program is handed and what it hands back, which lies beside the packs: the tensors that
//! its functions import and export, where the text has the IR that still says so.

use std::collections::BTreeMap;

use super::text::{constant, operation, results, symbol};
use crate::deployed::{Total, TotalKind};
use crate::units::Bytes;

/// The sums over the public function that imports most; none where the texts do not say them, or
/// a size is known only to the running program. `temporary` is what the packs take.
pub(super) fn totals(texts: &[Vec<&str>], temporary: Bytes) -> Vec<Total> {
    let mut found: BTreeMap<&str, Option<(u64, u64)>> = BTreeMap::new();
    for lines in texts {
        for (name, said) in functions(lines) {
            // Each pass prints a function again: what the first says stays.
            found.entry(name).or_insert(said);
        }
    }
    let largest = found.into_values().max();
    let Some(Some((arguments, outputs))) = largest else {
        return Vec::new();
    };
    let all = temporary
        .0
        .saturating_add(arguments)
        .saturating_add(outputs);
    let sums = [
        (TotalKind::Arguments, arguments),
        (TotalKind::Outputs, outputs),
        (TotalKind::Temporary, temporary.0),
        (TotalKind::All, all),
    ];
    let total = |(kind, bytes)| Total {
        kind,
        bytes: Bytes(bytes),
    };
    sums.map(total).to_vec()
}

/// The functions of a text that import or export, with the bytes of each; `None` where a size is
/// not known.
fn functions<'t>(lines: &[&'t str]) -> Vec<(&'t str, Option<(u64, u64)>)> {
    let mut found = Vec::new();
    let mut constants: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut name, mut sums) = ("", None);
    for line in lines {
        if line.contains("util.func ") || line.contains("func.func ") {
            found.extend(sums.take().map(|sums| (name, sums)));
            name = symbol(line);
            constants.clear();
        }
        if let Some(value) = constant(line) {
            constants.extend(results(line).map(|name| (name, value)));
        }
        let does = operation(line);
        let (import, export) = (
            does.starts_with("stream.tensor.import"),
            does.starts_with("stream.tensor.export"),
        );
        if !import && !export {
            continue;
        }
        let size = size(line).and_then(|name| constants.get(name)).copied();
        let sums = sums.get_or_insert(Some((0_u64, 0_u64)));
        *sums = sums
            .zip(size)
            .map(|((arguments, outputs), size)| match import {
                true => (arguments.saturating_add(size), outputs),
                false => (arguments, outputs.saturating_add(size)),
            });
    }
    found.extend(sums.map(|sums| (name, sums)));
    found
}

/// The value that says the size of the external resource of a line.
fn size(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("!stream.resource<external>{")?;
    rest.split('}').next()
}
