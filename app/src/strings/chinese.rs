//! The page in Chinese: fetched when somebody reads it, so that nobody else waits for it.

use std::sync::OnceLock;

use super::strategies;
use super::{
    AdviceWord, AdvisorWord, AnswerWord, CaseWord, ConstraintWord, DeployedWord, DifferenceWord,
    EstimateWord, FilmWord, FormatWord, FrameWord, GenerateWord, GivenWord, GraphWord, HandWord,
    HeldWord, HelpWord, InsightWord, LearnWord, PassWord, PlanningWord, QueryWord, ReportWord,
    SegmentWord, ShardingWord, ShareWord, StageWord, SweepWord, TrainingWord, ValueWord, WhyWord,
    Word,
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
    advice: AdviceWord;
    advisor: AdvisorWord;
    answer: AnswerWord;
    cases: CaseWord;
    formats: FormatWord;
    constraints: ConstraintWord;
    deployed: DeployedWord;
    difference: DifferenceWord;
    estimate: EstimateWord;
    film: FilmWord;
    frame: FrameWord;
    generate: GenerateWord;
    given: GivenWord;
    graph: GraphWord;
    hand: HandWord;
    help: HelpWord;
    held: HeldWord;
    insight: InsightWord;
    learn: LearnWord;
    passes: PassWord;
    planning: PlanningWord;
    query: QueryWord;
    report: ReportWord;
    segments: SegmentWord;
    share: ShareWord;
    sharding: ShardingWord;
    stages: StageWord;
    training: TrainingWord;
    values: ValueWord;
    sweep: SweepWord;
    table: Word;
    why: WhyWord;
}

static LOADED: OnceLock<&'static Chinese> = OnceLock::new();

/// The strings are there from now on.
pub(crate) fn load(chinese: &'static Chinese) {
    // Without this the compiler sees that no other value is ever stored, reads the strings
    // directly, and puts them into the page's first file. Stored again, they are the same.
    let _ = LOADED.set(std::hint::black_box(chinese));
}

/// The strings in Chinese, once they are there.
pub(super) fn chinese() -> Option<&'static Chinese> {
    LOADED.get().copied()
}
