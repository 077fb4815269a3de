//! What `arenascope waste` says of a text that holds figures and no lifetimes.

use std::fmt::Write;

use planner::load::Figures;
use serde_json::json;

use super::args::Output;
use super::report::lines;

/// The report on the figures of a text that is called `name`.
pub(super) fn report(name: &str, found: &Figures, format: Output) -> String {
    match format {
        Output::Json => lines(&json!({
            "file": name,
            "of": found.of,
            "figures": found.figures,
            "says": found.says,
            "record": found.record,
        })),
        Output::Csv => csv(found),
        Output::Table => table(name, found),
    }
}

fn csv(found: &Figures) -> String {
    let mut text = String::from("what,bytes,depth\n");
    for it in &found.figures {
        let what = it
            .what
            .to_string()
            .trim_end_matches(':')
            .replace('"', "\"\"");
        let _ = writeln!(text, "\"{what}\",{},{}", it.bytes.0, it.depth);
    }
    text
}

fn table(name: &str, found: &Figures) -> String {
    let mut text = format!("{name}: {}\n", found.of);
    for it in &found.figures {
        let indent = usize::from(it.depth) * 2;
        let what = it.what.to_string();
        let what = what.trim_end_matches(':');
        let _ = writeln!(text, "{:>15}  {:indent$}{what}", it.bytes.0, "");
    }
    for sentence in &found.says {
        let _ = writeln!(text, "{sentence}");
    }
    if !found.record.is_empty() {
        text.push_str("To see what lives when, record:\n");
    }
    for line in &found.record {
        let _ = writeln!(text, "  {line}");
    }
    text
}
