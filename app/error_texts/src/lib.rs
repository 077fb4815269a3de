//! What planner, executor and workers say, in Chinese.
//!
//! They say it as messages: a template in English, and what stands in its holes. Here every
//! template stands beside its Chinese one; names and numbers go over as they are. What comes as a
//! text, from a library or out of a saved file, is taken apart by the templates.

mod library;
mod rows;
mod spacing;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use planner::message::{Argument, HOLE, Message};

use spacing::spaced;

pub use rows::{foreign, rows, texts};

/// A message in Chinese: its template's row, and what stands in its holes. What has no row stays.
#[must_use]
pub fn in_chinese(message: &Message) -> String {
    spaced(&translated(message))
}

fn translated(message: &Message) -> String {
    let arguments = message.arguments();
    if let (HOLE, [Argument::Verbatim(text)]) = (message.template(), arguments) {
        return library::translated(text).unwrap_or_else(|| text.clone());
    }
    let before = message.template().split(HOLE);
    let values = arguments.iter().zip(before).map(|it| match it {
        (Argument::Message(message), _) => translated(message),
        // What a file says, in quotation marks.
        (Argument::Verbatim(text), before) if before.ends_with(['"', '`']) => text.clone(),
        (Argument::Verbatim(text), _) => library::numbered(text).unwrap_or_else(|| text.clone()),
    });
    let values: Vec<String> = values.collect();
    match row(message.template()) {
        Some(chinese) => filled(chinese, &values),
        // A list, which has its signs between its items.
        None => {
            let list = message.template().replace("; ", "；").replace(", ", "，");
            filled(&list, &values)
        }
    }
}

/// The Chinese template of an English one.
fn row(english: &str) -> Option<&'static str> {
    static ROWS: OnceLock<BTreeMap<&'static str, &'static str>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| rows().collect());
    rows.get(english).copied()
}

/// Puts `values` into the holes of a template: `{}` for the next, `{1}` where Chinese has another
/// order.
fn filled(template: &str, values: &[String]) -> String {
    let mut out = String::new();
    let mut next = 0;
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let number = after.split_once('}');
        let hole = number.filter(|(inside, _)| inside.chars().all(|it| it.is_ascii_digit()));
        out.push_str(before);
        let Some((inside, behind)) = hole else {
            out.push('{');
            rest = after;
            continue;
        };
        let place = inside.parse().unwrap_or_else(|_| {
            next += 1;
            next - 1
        });
        out.push_str(values.get(place).map_or("", String::as_str));
        rest = behind;
    }
    out + rest
}
