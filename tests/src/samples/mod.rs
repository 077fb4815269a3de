//! The samples that the page offers: models and placement problems, made here and kept under
//! `public/samples`.

mod deployed;
mod models;
mod problems;
mod training;

use std::collections::BTreeMap;

use serde::Serialize;

pub use deployed::torch_training;
pub use problems::{above_the_peak, jigsaw, leading_free_range, one_pass_misses, search_stops};
pub use training::TRAINED;

/// One sample: a file and how the page presents it.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// What links call it.
    pub id: &'static str,
    /// Where the menu lists it.
    pub group: Group,
    /// Name of the file, beside the index.
    pub file: &'static str,
    /// A few words.
    pub title: Text,
    /// One sentence: what there is to see.
    pub about: Text,
    /// Values that show it best, for symbols whose default is too small to show anything.
    pub bind: BTreeMap<&'static str, u64>,
    /// The columns that it opens with; none for those that any such file opens with.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub show: &'static [&'static str],
    /// The file itself.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A network: the page finds its lifetimes and plans them.
    Model,
    /// A plan that a toolchain made, as it dumps it.
    Deployed,
    /// A run of a training step.
    Training,
    /// Lifetimes alone.
    Problem,
}

/// A text in every language of the page.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

/// Every sample, in the order in which the page lists them.
#[must_use]
pub fn samples() -> Vec<Sample> {
    let mut all = models::models();
    all.extend(deployed::deployed());
    all.extend(training::training());
    all.extend(problems::problems());
    all
}

/// The index that the page reads: a JSON list of the samples without their bytes.
///
/// # Panics
/// Never: texts become JSON without fail.
#[must_use]
pub fn index() -> String {
    let json = serde_json::to_string_pretty(&samples());
    json.expect("texts become JSON without fail") + "\n"
}

const fn text(en: &'static str, zh: &'static str) -> Text {
    Text { en, zh }
}
