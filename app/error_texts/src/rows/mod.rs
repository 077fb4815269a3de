//! The templates: the English one as the source has it, with `{}` for every hole, and the Chinese
//! one. What names a format, a tool, a field or an option stays as it is.

mod dumps;
mod foreign;
mod lessons;
mod models;
mod passes;
mod plans;
mod runs;
mod shapes;
mod snapshots;
mod texts;
mod training;
mod transformers;

/// Writes rows `"English": "Chinese";` as lines of one text.
macro_rules! table {
    ($($english:literal: $chinese:literal;)*) => {
        /// Lines of English and Chinese in turn.
        pub(super) const LINES: &str = concat!($($english, "\n", $chinese, "\n",)*);
    };
}
use table;

/// A template in English and in Chinese.
type Row = (&'static str, &'static str);

/// Every template.
pub fn rows() -> impl Iterator<Item = Row> {
    let tables = [
        models::LINES,
        dumps::LINES,
        snapshots::LINES,
        shapes::LINES,
        passes::LINES,
        plans::LINES,
        runs::LINES,
        training::LINES,
        transformers::LINES,
        lessons::LINES,
    ];
    tables
        .into_iter()
        .flat_map(pairs)
        .chain(texts())
        .chain(foreign())
}

/// Those of them that no source of ours has.
pub fn foreign() -> impl Iterator<Item = Row> {
    pairs(foreign::LINES)
}

/// Those of them that are no templates of messages, for they come as texts.
pub fn texts() -> impl Iterator<Item = Row> {
    pairs(texts::LINES)
}

fn pairs(lines: &'static str) -> impl Iterator<Item = Row> {
    let mut lines = lines.lines();
    std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
}
