//! A plan as a C header: the arena's size and every offset, for firmware that links it in; and
//! what a document is called in it.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::liveness::Lifetimes;
use crate::message;
use crate::plan::{Options, Plan};

/// What the names of files end in that hold models, plans and dumps.
const ENDINGS: [&str; 13] = [
    ".onnx", ".tflite", ".csv", ".json", ".pickle", ".pkl", ".pte", ".txt", ".log", ".pb", ".hlo",
    ".ir", ".graph",
];

/// What lies between the names of files that are one document.
const JOINT: &str = " + ";

/// What a document is called in the names of files made from it, and in their constants: the
/// name of its first file without folders and without its endings, "chain" for
/// "dumps/chain.ir.txt". `name` may join several files by " + ".
#[must_use]
pub fn stem(name: &str) -> &str {
    let first = name.split(JOINT).next().unwrap_or_default();
    let mut stem = first.rsplit(['/', '\\']).next().unwrap_or_default();
    while let Some(shorter) = ENDINGS.iter().find_map(|end| stem.strip_suffix(end)) {
        if shorter.is_empty() {
            break;
        }
        stem = shorter;
    }
    stem
}

/// The longest part of a buffer's name that its constants keep.
const MAX_NAME: usize = 64;

/// A header that C99 and C++ read, with constants that begin with `prefix` (in capitals, made
/// an identifier where it is none): `PREFIX_ARENA_SIZE` and `PREFIX_ARENA_ALIGNMENT`, the
/// latter the largest that any buffer asks for, both in bytes; for every buffer
/// `PREFIX_<NAME>_OFFSET` and `PREFIX_<NAME>_SIZE` in bytes; and `PREFIX_OFFSETS`, an
/// initialiser of all offsets in the buffers' order.
///
/// Names become capitals, digits and underscores; those that are then equal, or longer than
/// 64 characters, are distinguished by their index.
#[must_use]
pub fn c_header(lifetimes: &Lifetimes, plan: &Plan, options: &Options, prefix: &str) -> String {
    let prefix = identifier(prefix);
    let prefix = match prefix.starts_with(|sign: char| sign.is_ascii_alphabetic()) {
        true => prefix,
        false => format!("ARENA_{prefix}"),
    };
    let own = lifetimes.buffers.iter().map(|buffer| buffer.alignment.0);
    let alignment = own.fold(options.alignment.0.max(1), u64::max);
    let mut text = format!(
        "/* Written by Arenascope: {count} in an arena of {arena} bytes, planned by {origin}.\n   \
         Sizes and offsets are bytes; lives are steps, the last one included. */\n\
         #ifndef {prefix}_PLAN_H\n#define {prefix}_PLAN_H\n\n\
         #define {prefix}_ARENA_SIZE {arena}ULL\n\
         #define {prefix}_ARENA_ALIGNMENT {alignment}ULL\n\
         #define {prefix}_BUFFER_COUNT {number}\n",
        count = message!("buffer" | "buffers", plan.offsets.len()),
        arena = plan.arena.0,
        origin = comment(&plan.origin.to_string()),
        number = plan.offsets.len(),
    );
    // A buffer of this name would define the arena's own size anew.
    let mut taken = BTreeSet::from(["ARENA".to_owned()]);
    let mut offsets = Vec::with_capacity(plan.offsets.len());
    for (index, (buffer, offset)) in lifetimes.buffers.iter().zip(&plan.offsets).enumerate() {
        let mut name = identifier(&buffer.name);
        name.truncate(MAX_NAME);
        while name.is_empty() || !taken.insert(name.clone()) {
            name = format!("{name}_{index}");
        }
        let (size, offset) = (buffer.size.0, offset.0);
        let last = buffer.span.end.0.saturating_sub(1);
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n/* {}: steps {} to {last} */\n\
             #define {prefix}_{name}_OFFSET {offset}ULL\n\
             #define {prefix}_{name}_SIZE {size}ULL\n",
            comment(&buffer.name),
            buffer.span.start.0,
        );
        offsets.push(format!("{prefix}_{name}_OFFSET"));
    }
    let _ = write!(
        text,
        "\n/* const unsigned long long offsets[] = {prefix}_OFFSETS; */\n\
         #define {prefix}_OFFSETS {{ \\\n  {} }}\n\n#endif /* {prefix}_PLAN_H */\n",
        offsets.join(", \\\n  "),
    );
    text
}

/// Capitals, digits and single underscores, none at an end.
fn identifier(name: &str) -> String {
    let mut identifier = String::new();
    for sign in name.chars() {
        if sign.is_ascii_alphanumeric() {
            identifier.push(sign.to_ascii_uppercase());
        } else if !identifier.is_empty() && !identifier.ends_with('_') {
            identifier.push('_');
        }
    }
    identifier.trim_end_matches('_').to_owned()
}

/// Text that does not end a comment or a line, nor begins a trigraph or another comment.
fn comment(text: &str) -> String {
    let safe = |sign: char| match sign {
        '*' | '?' | '\\' => '_',
        sign if sign.is_control() => '_',
        sign => sign,
    };
    text.chars().map(safe).collect()
}
