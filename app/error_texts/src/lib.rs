//! What planner, executor and workers say of faults, in Chinese.
//!
//! They say it in English, which the command line prints as it is: sentences made of a template
//! and of what the file, the plan or the device gives. Here every template stands beside its
//! Chinese one, and a sentence is taken apart by the templates that leave least of it unknown.
//! What stands in their holes goes over unchanged where it is quoted, a name or a number, and is
//! itself put into Chinese where it was made of a template.

mod reading;
mod rows;
mod spacing;
mod template;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use planner::message::{Argument, HOLE, Message};

use spacing::spaced;
use template::filled;

pub use rows::{foreign, rows};

/// A message in Chinese: its template's row, and what stands in its holes. What has no row stays.
#[must_use]
pub fn in_chinese(message: &Message) -> String {
    spaced(&translated(message))
}

/// A message that was put together to a text.
#[must_use]
pub fn text_in_chinese(text: &str) -> String {
    in_chinese(&Message::verbatim(text))
}

fn translated(message: &Message) -> String {
    let arguments = message.arguments();
    if let (HOLE, [Argument::Verbatim(text)]) = (message.template(), arguments) {
        // What a library says, which has no parts.
        return reading::told(text).map_or_else(|| text.clone(), |told| told.chinese);
    }
    let values = arguments.iter().map(|argument| match argument {
        Argument::Verbatim(text) => text.clone(),
        Argument::Message(message) => translated(message),
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

/// The English template that `text` is taken for.
#[must_use]
pub fn template_of(text: &str) -> Option<&'static str> {
    Some(reading::told(text)?.template)
}
