//! Which words belong to the parts of a query.

use planner::query::{DEEPEST, Fault, Field, Flag, LONGEST, Measure};

use super::{Language, QueryWord, Spoken, filled};

/// What a field means.
pub(crate) fn field(field: Field) -> QueryWord {
    match field {
        Field::Size => QueryWord::FieldSize,
        Field::Payload => QueryWord::FieldPayload,
        Field::Padding => QueryWord::FieldPadding,
        Field::Alignment => QueryWord::FieldAlignment,
        Field::Offset => QueryWord::FieldOffset,
        Field::Top => QueryWord::FieldTop,
        Field::Fixed => QueryWord::FieldFixed,
        Field::Start => QueryWord::FieldStart,
        Field::Last => QueryWord::FieldLast,
        Field::End => QueryWord::FieldEnd,
        Field::Length => QueryWord::FieldLength,
        Field::Name => QueryWord::FieldName,
        Field::Alias => QueryWord::FieldAlias,
        Field::Role => QueryWord::FieldRole,
        Field::Op => QueryWord::FieldOp,
        Field::Source => QueryWord::FieldSource,
        Field::Computation => QueryWord::FieldComputation,
        Field::Dtype => QueryWord::FieldDtype,
        Field::Shape => QueryWord::FieldShape,
        Field::Producer => QueryWord::FieldProducer,
        Field::Consumer => QueryWord::FieldConsumer,
        Field::Caller => QueryWord::FieldCaller,
        Field::Module => QueryWord::FieldModule,
        Field::Phase => QueryWord::FieldPhase,
        Field::Stream => QueryWord::FieldStream,
        Field::Frame => QueryWord::FieldFrame,
        Field::Function => QueryWord::FieldFunction,
        Field::File => QueryWord::FieldFile,
        Field::Pool => QueryWord::FieldPool,
        Field::Held => QueryWord::FieldHeld,
        Field::Category => QueryWord::FieldCategory,
        Field::Waste => QueryWord::FieldWaste,
    }
}

/// Every flag, between commas.
pub(crate) fn flags() -> String {
    Flag::ALL.map(Flag::name).join(", ")
}

/// What is wrong with a query.
pub(crate) fn fault_of_query(language: Language, fault: Fault) -> String {
    let with = |word: QueryWord, values: &[&str]| filled(word.spoken(language), values);
    let plain = |word| with(word, &[]);
    match fault {
        Fault::TooLong => with(QueryWord::TooLong, &[&LONGEST.to_string()]),
        Fault::TooDeep => with(QueryWord::TooDeep, &[&DEEPEST.to_string()]),
        Fault::Quote => plain(QueryWord::Quote),
        Fault::Unclosed => plain(QueryWord::Unclosed),
        Fault::Unopened => plain(QueryWord::Unopened),
        Fault::Test => plain(QueryWord::Test),
        Fault::Joint => plain(QueryWord::Joint),
        Fault::Field(None) => plain(QueryWord::NoField),
        Fault::Field(Some(meant)) => with(QueryWord::NoFieldBut, &[meant.name()]),
        Fault::Comparison(field) => {
            let signs: Vec<&str> = field.comparisons().iter().map(|it| it.sign()).collect();
            with(QueryWord::Comparison, &[field.name(), &signs.join(" ")])
        }
        Fault::Text(field) => with(QueryWord::Text, &[field.name()]),
        Fault::Number(field) if field.measure() == Measure::Bytes => {
            with(QueryWord::BytesExpected, &[field.name()])
        }
        Fault::Number(field) => with(QueryWord::StepsExpected, &[field.name()]),
        Fault::TooLarge => plain(QueryWord::TooLarge),
        Fault::Unit(field) => with(QueryWord::NoUnit, &[field.name()]),
        Fault::Moment => plain(QueryWord::Moment),
        Fault::NoStep => plain(QueryWord::NoStep),
        Fault::LastStep(last) => with(QueryWord::LastStep, &[&last.to_string()]),
        Fault::Offset => plain(QueryWord::Offset),
        Fault::Flag => with(QueryWord::Flag, &[&flags()]),
    }
}
