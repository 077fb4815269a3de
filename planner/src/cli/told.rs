//! What a person tells of files that do not say it themselves.

use std::fmt;

use clap::Args;
use planner::graph::Bindings;
use planner::load::{Document, Meaning};
use planner::{AllocatorSettings, Io, Parallel, Settings, Span, Subject, prepare_owned, size};

use super::Failure;

/// The arguments that tell it.
#[derive(Args)]
pub(super) struct Said {
    /// Which column of a table means what, where its header does not say it, such as
    /// "lower=first,end=last,size=nbytes": "end" is the last step, "upper" the one after it; a
    /// meaning without a column, such as "offset=", has none.
    #[arg(long, value_name = "MEANING=COLUMN", value_delimiter = ',', value_parser = column)]
    columns: Vec<(Meaning, String)>,
    /// Of a memory snapshot only these events, as in 1000000..2000000, counted from 0; the last one
    /// is left out. What is in use where they begin stays, and what lies outside is counted.
    #[arg(long, value_name = "FIRST..END", value_parser = range, conflicts_with = "columns")]
    range: Option<Span>,
    /// Plans these steps as one turn of a loop that repeats without an end, such as the second step
    /// of a training: what is live over their end is live at their beginning, too. The last one is
    /// left out.
    #[arg(long, value_name = "FIRST..END", value_parser = range)]
    turn: Option<Span>,
}

impl Said {
    /// The subject of the loop that is told of, which has no model and no plan; else as it is.
    pub(super) fn turned(
        &self,
        name: &str,
        subject: Subject,
        settings: &Settings,
    ) -> Result<Subject, Failure> {
        let Some(turn) = self.turn else {
            return Ok(subject);
        };
        let wrong = |why: &dyn fmt::Display| Failure::Usage(format!("--turn: {name}: {why}"));
        let horizon = subject.lifetimes.horizon;
        if turn.end > horizon {
            let last = horizon.0.saturating_sub(1);
            return Err(wrong(&format_args!("the last step is {last}")));
        }
        let turned = subject.lifetimes.turned(turn);
        let document = Document::Problem(turned.map_err(|why| wrong(&why))?);
        let settings = Settings {
            arena: 0,
            training: None,
            ..*settings
        };
        prepare_owned(document, &Bindings::new(), &settings).map_err(|why| wrong(&why))
    }

    /// What is told of the files.
    pub(super) fn told(&self) -> Told<'_> {
        self.range.map_or(Told::Columns(&self.columns), Told::Range)
    }
}

/// What a person tells of files that do not say it themselves.
#[derive(Clone, Copy)]
pub(super) enum Told<'a> {
    /// As a table whose columns mean this, or by what they are where none is named.
    Columns(&'a [(Meaning, String)]),
    /// As a recording, of which only these events are read.
    Range(Span),
    /// The same of a recording; anything else is read whole.
    RangeOfRecording(Span),
}

/// The events from the first up to and without the last.
pub(super) fn range(text: &str) -> Result<Span, String> {
    let ends = text.split_once("..");
    let ends = ends.and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    match ends {
        Some((first, end)) if first < end => Ok(Span::new(first, end)),
        _ => Err("write FIRST..END, two numbers of events with FIRST below END".into()),
    }
}

/// How an allocator was configured.
pub(super) fn conf(text: &str) -> Result<AllocatorSettings, String> {
    let (settings, others) = AllocatorSettings::said(text).map_err(|error| error.to_string())?;
    match others.as_slice() {
        [] => Ok(settings),
        others => Err(format!("not modelled: {}", others.join(", "))),
    }
}

/// Gives the segments of `document` these settings; whether it has any.
pub(super) fn configure(document: &mut Document, settings: AllocatorSettings) -> bool {
    let Document::Deployed(deployed) = document else {
        return false;
    };
    let plans = deployed.arenas.iter_mut().map(|arena| &mut arena.plan);
    let segments = plans.filter_map(|plan| plan.segments.as_mut());
    segments.map(|it| it.settings = settings).count() > 0
}

/// The size of a symbolic dimension.
pub(super) fn binding(text: &str) -> Result<(String, u64), String> {
    // Symbols may contain "=", sizes may not.
    let (name, size) = text.rsplit_once('=').ok_or("write NAME=N")?;
    let size = size
        .parse()
        .map_err(|error| format!("\"{size}\": {error}"))?;
    Ok((name.to_owned(), size))
}

/// What a column of a table means.
pub(super) fn column(text: &str) -> Result<(Meaning, String), String> {
    let (name, column) = text.split_once('=').ok_or("write MEANING=COLUMN")?;
    let meaning = Meaning::all().find(|meaning| meaning.name() == name);
    let meaning = meaning.ok_or_else(|| {
        let names: Vec<&str> = Meaning::all().map(Meaning::name).collect();
        format!("the meaning is one of {}", names.join(", "))
    })?;
    Ok((meaning, column.to_owned()))
}

/// The most bytes of one allocation.
pub(super) fn largest(text: &str) -> Result<u64, String> {
    match size(text) {
        Ok(bytes @ 1..) => Ok(bytes),
        _ => Err("the largest allocation is a whole number of bytes from 1 on".into()),
    }
}

/// Where inputs and outputs live.
pub(super) fn io(text: &str) -> Result<Io, String> {
    Ok(match text {
        "beside" => Io::Beside,
        "whole-run" => Io::WholeRun,
        "litert" => Io::Litert,
        "tflm" => Io::Tflm,
        "ggml" => Io::Ggml,
        _ => return Err("write beside, whole-run, litert, tflm or ggml".into()),
    })
}

/// Which operators may run at the same time.
pub(super) fn parallel(text: &str) -> Result<Parallel, String> {
    Ok(match text {
        "serial" => Parallel::Serial,
        "streams" => Parallel::Streams,
        "free" => Parallel::Free,
        _ => return Err("write serial, streams or free".into()),
    })
}
