//! The page in Chinese: fetched when somebody reads it, so that nobody else waits for it.

use std::sync::OnceLock;

use super::strategies;
use super::{
    CaseWord, ConstraintWord, DeployedWord, DifferenceWord, FilmWord, GivenWord, HandWord,
    HelpWord, InsightWord, PlanningWord, QueryWord, ReportWord, ShareWord, Word,
};

/// Rows `field: Words;`.
macro_rules! tables {
    ($($field:ident: $words:ident;)*) => {
        /// The strings in Chinese, in the order of each table.
        pub(crate) struct Chinese {
            $(pub(super) $field: &'static [&'static str],)*
            /// What strategies do.
            pub(super) strategies: &'static [&'static str],
        }

        /// All of them. Only what is fetched for Chinese may name it: see [`crate::parts`].
        pub(crate) static CHINESE: Chinese = Chinese {
            $($field: $words::CHINESE,)*
            strategies: strategies::CHINESE,
        };
    };
}

tables! {
    cases: CaseWord;
    constraints: ConstraintWord;
    deployed: DeployedWord;
    difference: DifferenceWord;
    film: FilmWord;
    given: GivenWord;
    hand: HandWord;
    help: HelpWord;
    insight: InsightWord;
    planning: PlanningWord;
    query: QueryWord;
    report: ReportWord;
    share: ShareWord;
    table: Word;
}

static LEARNED: OnceLock<&'static Chinese> = OnceLock::new();

/// They are there from now on.
pub(crate) fn learn(chinese: &'static Chinese) {
    // A compiler that sees that this is the only value reads the strings without asking, and
    // they are in the page's first file again. They can be learned again, and are the same.
    let _ = LEARNED.set(std::hint::black_box(chinese));
}

/// The strings in Chinese, once they are there.
pub(super) fn chinese() -> Option<&'static Chinese> {
    LEARNED.get().copied()
}
