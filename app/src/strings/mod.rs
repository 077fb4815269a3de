//! Every string of the page, in both languages: one table, and others for strategies, films,
//! constraints and deployed plans.
//!
//! What names things of the user's (tensors, operators) stays as it is. What planner, executor and
//! workers say of faults is English as they say it, and Chinese by the crate `error_texts`.

mod advice;
mod advisor;
mod answer;
mod stages;
mod strategies;
mod sweep;
mod rows;
mod table;
mod training;
mod values;
mod why;
mod chinese;
mod cases;
mod constraints;
mod deployed;
mod difference;
mod estimate;
mod sharding;
mod film;
mod formats;
mod generate;
mod frame;
mod given;
mod learn;
mod glossary;
mod graph_text;
mod part;
mod passes;
mod hand;
mod help;
mod planning;
mod report;
mod share;
mod held;
mod segments;
mod insight;
mod queried;
mod query;

pub(crate) use advice::AdviceWord;
pub(crate) use advisor::AdvisorWord;
pub(crate) use answer::AnswerWord;
pub(crate) use cases::CaseWord;
use chinese::chinese;
pub(crate) use chinese::{CHINESE, Chinese, load};
pub(crate) use constraints::ConstraintWord;
pub(crate) use conversation::Language;
pub(crate) use deployed::DeployedWord;
pub(crate) use difference::DifferenceWord;
pub(crate) use estimate::EstimateWord;
pub(crate) use film::FilmWord;
pub(crate) use formats::FormatWord;
pub(crate) use frame::FrameWord;
pub(crate) use generate::GenerateWord;
pub(crate) use given::GivenWord;
pub(crate) use glossary::{ALIASES, TERMS, Term};
pub(crate) use graph_text::GraphWord;
pub(crate) use hand::HandWord;
pub(crate) use held::HeldWord;
pub(crate) use help::HelpWord;
pub(crate) use insight::InsightWord;
pub(crate) use learn::LearnWord;
pub(crate) use part::PartWord;
pub(crate) use passes::PassWord;
pub(crate) use planning::PlanningWord;
pub(crate) use queried::{fault_of_query, field, flags};
pub(crate) use query::QueryWord;
pub(crate) use report::ReportWord;
pub(crate) use rows::words;
pub(crate) use segments::SegmentWord;
pub(crate) use sharding::ShardingWord;
pub(crate) use share::ShareWord;
pub(crate) use stages::StageWord;
pub(crate) use strategies::{family, strategy};
pub(crate) use sweep::SweepWord;
pub(crate) use table::Word;
pub(crate) use training::TrainingWord;
pub(crate) use values::ValueWord;
pub(crate) use why::WhyWord;

use conversation::{Expected, Message};
use planner::graph::{Role, UnsizedReason};
use planner::load::{Fault, Format};
use planner::waste::WasteKind;

/// A string of one of the tables.
pub(crate) trait Spoken: Copy {
    /// The string in `language`.
    fn spoken(self, language: Language) -> &'static str;
}

/// Puts `values` in place of `{}` in turn, or in place of `{0}`, `{1}` by their number. In place
/// of `{tensor|tensors}` goes what fits the number before it: the first for 1, otherwise the
/// second.
pub(crate) fn filled(text: &str, values: &[&str]) -> String {
    let mut next = values.iter().copied();
    let mut last = "";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, after)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        out.push_str(match inside.split_once('|') {
            Some((one, _)) if last == "1" => one,
            Some((_, many)) => many,
            None => {
                let numbered = inside.parse().ok().map(|at: usize| values.get(at).copied());
                last = numbered.unwrap_or_else(|| next.next()).unwrap_or_default();
                last
            }
        });
        rest = after;
    }
    out + rest
}

/// What a message says.
pub(crate) fn message(message: Message, language: Language) -> &'static str {
    match message {
        Message::Copied => Word::Copied.spoken(language),
        Message::NotCopied => Word::NotCopied.spoken(language),
        Message::BindWhole => Word::BindWhole.spoken(language),
        Message::PoolBytes => Word::PoolBytes.spoken(language),
        Message::NoPicture => Word::NoPicture.spoken(language),
        Message::NoWebgpu => Word::NoWebgpu.spoken(language),
        Message::RunCancelled => Word::RunCancelled.spoken(language),
        Message::NothingToCorrupt => Word::NothingToCorrupt.spoken(language),
        Message::SamePlan => HandWord::SamePlan.spoken(language),
        Message::EditsDropped => Word::EditsDropped.spoken(language),
        Message::IsPinned => Word::IsPinned.spoken(language),
        Message::TooHigh => HandWord::TooHighSaid.spoken(language),
        Message::NoneAbove => HandWord::NoneAbove.spoken(language),
        Message::NoneBelow => HandWord::NoneBelow.spoken(language),
        Message::NothingToUndo => HandWord::NothingToUndo.spoken(language),
        Message::NothingToRedo => HandWord::NothingToRedo.spoken(language),
        Message::NothingMoved => HandWord::NothingMoved.spoken(language),
        Message::ChangedMeanwhile => HandWord::ChangedMeanwhile.spoken(language),
    }
}

/// What a part of a link could have said.
pub(crate) fn expected(expected: Expected) -> ConstraintWord {
    match expected {
        Expected::Select => ConstraintWord::KnownSelect,
        Expected::Plan => ConstraintWord::KnownPlan,
        Expected::Graph => ConstraintWord::KnownGraph,
        Expected::Bind => ConstraintWord::KnownBind,
        Expected::Arena => ConstraintWord::KnownArena,
        Expected::Training => ConstraintWord::KnownTraining,
        Expected::Align => ConstraintWord::KnownAlign,
        Expected::Largest => ConstraintWord::KnownLargest,
        Expected::Effort => ConstraintWord::KnownEffort,
        Expected::View => ConstraintWord::KnownView,
        Expected::Edit => ConstraintWord::KnownEdit,
        Expected::Step => ConstraintWord::KnownStep,
        Expected::Strategies => ConstraintWord::KnownStrategies,
        Expected::Pools => ConstraintWord::KnownPools,
        Expected::Columns => ConstraintWord::KnownColumns,
        Expected::NoPlan => ConstraintWord::KnownNoPlan,
    }
}

/// The word for a role.
pub(crate) fn role(role: Role) -> Word {
    match role {
        Role::Input => Word::RoleInput,
        Role::Output => Word::RoleOutput,
        Role::Constant => Word::RoleConstant,
        Role::Intermediate => Word::RoleIntermediate,
        Role::State => Word::RoleState,
        Role::Unsized => Word::RoleUnsized,
    }
}

/// The words for an optional pass, its name and what it does; `None` for one that has none
/// yet: its own summary serves then.
pub(crate) fn pass(name: &str) -> Option<(PassWord, PassWord)> {
    Some(match name {
        "quantised" => (PassWord::Quantised, PassWord::QuantisedHint),
        "decompose" => (PassWord::Decompose, PassWord::DecomposeHint),
        "batch_norm" => (PassWord::BatchNorm, PassWord::BatchNormHint),
        "fusion" => (PassWord::Fusion, PassWord::FusionHint),
        "views" => (PassWord::Views, PassWord::ViewsHint),
        "concat" => (PassWord::Concat, PassWord::ConcatHint),
        "in_place" => (PassWord::InPlace, PassWord::InPlaceHint),
        "order" => (PassWord::Order, PassWord::OrderHint),
        _ => return None,
    })
}

/// The word for a rule of an optional pass; `None` for one that has none yet.
pub(crate) fn rule(pass: &str, rule: &str) -> Option<PassWord> {
    Some(match (pass, rule) {
        ("fusion", "all") => PassWord::FusionAll,
        ("fusion", "activations") => PassWord::FusionActivations,
        ("views", "strided") => PassWord::ViewsStrided,
        ("views", "contiguous") => PassWord::ViewsContiguous,
        ("in_place", "litert") => PassWord::InPlaceLitert,
        ("in_place", "mxnet") => PassWord::InPlaceMxnet,
        ("in_place", "onnxruntime") => PassWord::InPlaceOnnxRuntime,
        ("views", "ggml") => PassWord::ViewsGgml,
        ("in_place", "ggml") => PassWord::InPlaceGgml,
        ("in_place", "aggressive") => PassWord::InPlaceAggressive,
        ("order", "exact") => PassWord::OrderExact,
        ("order", "search") => PassWord::OrderSearch,
        ("order", "greedy") => PassWord::OrderGreedy,
        ("order", "depth_first") => PassWord::OrderDepthFirst,
        _ => return None,
    })
}

/// The word for a file format.
pub(crate) fn format(format: Format) -> FormatWord {
    match format {
        Format::Onnx => FormatWord::Onnx,
        Format::Tflite => FormatWord::Tflite,
        Format::Csv => FormatWord::Csv,
        Format::PlanJson => FormatWord::PlanJson,
        Format::ProgramJson => FormatWord::ProgramJson,
        Format::LayersJson => FormatWord::LayersJson,
        Format::Transformer => FormatWord::Transformer,
        Format::Gguf => FormatWord::Gguf,
        Format::Safetensors => FormatWord::Safetensors,
        Format::LlamaCpp => FormatWord::LlamaCpp,
        Format::Requests => FormatWord::Requests,
        Format::LogJson => FormatWord::LogJson,
        Format::GraphText => FormatWord::GraphText,
        Format::Torch => FormatWord::Torch,
        Format::TorchTimeline => FormatWord::TorchTimeline,
        Format::Xla => FormatWord::Xla,
        Format::XlaOom => FormatWord::XlaOom,
        Format::Executorch => FormatWord::Executorch,
        Format::Vela => FormatWord::Vela,
        Format::Iree => FormatWord::Iree,
        Format::Tflm => FormatWord::Tflm,
        Format::Litert => FormatWord::Litert,
        Format::Megengine => FormatWord::Megengine,
        Format::Tvm => FormatWord::Tvm,
        Format::OrtProfile => FormatWord::OrtProfile,
        Format::Pprof => FormatWord::Pprof,
        Format::ChromeTrace => FormatWord::ChromeTrace,
    }
}

/// The sentence for a reason why a tensor has no size.
pub(crate) fn unsized_reason(reason: UnsizedReason) -> Word {
    match reason {
        UnsizedReason::UnknownOperator => Word::UnsizedUnknownOperator,
        UnsizedReason::DataDependent => Word::UnsizedDataDependent,
        UnsizedReason::UnsizedInput => Word::UnsizedInput,
        UnsizedReason::InvalidOperator => Word::UnsizedInvalidOperator,
        UnsizedReason::Undeclared => Word::UnsizedUndeclared,
        UnsizedReason::DType => Word::UnsizedDType,
        UnsizedReason::TooLarge => Word::UnsizedTooLarge,
        UnsizedReason::ControlFlow => Word::UnsizedControlFlow,
    }
}

/// What a part of an arena is called.
pub(crate) fn part_of_arena(kind: WasteKind) -> InsightWord {
    match kind {
        WasteKind::Needed => InsightWord::Needed,
        WasteKind::Padding => InsightWord::Padding,
        WasteKind::Pinned => InsightWord::Pinned,
        WasteKind::WholeLife => InsightWord::WholeLife,
        WasteKind::Pending => InsightWord::Pending,
        WasteKind::Alignment => InsightWord::Alignment,
        WasteKind::Fragmentation => InsightWord::Fragmentation,
        WasteKind::Tail => InsightWord::Tail,
        WasteKind::NotListed => InsightWord::NotListed,
        WasteKind::FreeSegments => InsightWord::FreeSegments,
        WasteKind::FreeInside => InsightWord::FreeInside,
    }
}

/// What a fault of a file is, and what to do about it.
pub(crate) fn fault(fault: Fault) -> (Word, Word) {
    match fault {
        Fault::Empty => (Word::FaultEmpty, Word::RemedyEmpty),
        Fault::UnknownFormat => (Word::FaultUnknownFormat, Word::RemedyUnknownFormat),
        Fault::Truncated => (Word::FaultTruncated, Word::RemedyTruncated),
        Fault::Malformed => (Word::FaultMalformed, Word::RemedyMalformed),
        Fault::Dangling => (Word::FaultDangling, Word::RemedyInconsistent),
        Fault::Duplicate => (Word::FaultDuplicate, Word::RemedyInconsistent),
        Fault::Cycle => (Word::FaultCycle, Word::RemedyInconsistent),
        Fault::Limit => (Word::FaultLimit, Word::RemedyLimit),
        Fault::Unsupported => (Word::FaultUnsupported, Word::RemedyUnsupported),
        Fault::Io => (Word::FaultIo, Word::RemedyIo),
        Fault::Apart => (Word::FaultApart, Word::RemedyApart),
        Fault::Dumps => (Word::FaultDumps, Word::RemedyDumps),
        Fault::Partner => (Word::FaultPartner, Word::RemedyPartner),
        Fault::Packed => (Word::FaultPacked, Word::RemedyPacked),
        Fault::Planless => (Word::FaultPlanless, Word::RemedyPlanless),
        Fault::Columns => (Word::FaultColumns, Word::RemedyColumns),
        Fault::Range(_) => (Word::FaultRange, Word::RemedyRange),
        Fault::Figures => (Word::FaultFigures, Word::RemedyFigures),
        Fault::Text => (Word::FaultText, Word::RemedyText),
    }
}
