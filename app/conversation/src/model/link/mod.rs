//! The address bar: the state of every case as text, so that a lesson or a bug is a link.

mod fragment;
mod handiwork;
mod numbers;
mod reader;
mod replay;
mod uri;

use crate::model::appearance::Tab;

pub(crate) use fragment::LEFT_OUT;
pub use fragment::{Fragment, MOST_POOLS};
pub use handiwork::{CARRIED, Handiwork, Put};
pub use reader::{Expected, Ignored, Known};

/// What stands between the cases of a link.
const BESIDE: &str = "&beside&";

/// The fragments of several cases as one.
pub(crate) fn write(cases: &[Fragment]) -> String {
    let texts: Vec<String> = cases.iter().map(Fragment::write).collect();
    join_cases(&texts)
}

/// The same of fragments that are written.
#[must_use]
pub fn join_cases(cases: &[String]) -> String {
    cases.join(BESIDE)
}

/// The fragments of the cases of a link, at least one and at most `most`, with what could not be
/// read. Of the page's tabs there are `tabs`.
pub(crate) fn read(text: &str, most: usize, tabs: &[Tab]) -> (Vec<Fragment>, Vec<Ignored>) {
    let mut ignored = Vec::new();
    let parts = text.trim_start_matches('#').split(BESIDE).take(most.max(1));
    let read = parts.map(|part| {
        let (fragment, left_out) = Fragment::read(part, tabs);
        ignored.extend(left_out);
        fragment
    });
    (read.collect(), ignored)
}
