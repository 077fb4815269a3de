//! `arenascope export`: one plan as another tool wants it.

use std::fs;
use std::process::ExitCode;

use planner::load::Document;
use planner::save::{
    c_header, csv, graph_text, memory_viz, not_in_csv, perfetto, program_json, schedule_json, stem,
};
use planner::{Effort, Plan, Strategy, message, profile};

use super::args::{Chosen, Export, ExportArgs};
use super::{Failure, Opened, no_plan, open, plans, put, read, warn};

/// Plans, if it must, and writes.
pub(super) fn export(args: &ExportArgs) -> Result<(String, ExitCode), Failure> {
    let bytes = match written(args)? {
        Written::Bytes(bytes) => bytes,
        Written::Text(text) if args.out.is_none() => return Ok((text, ExitCode::SUCCESS)),
        Written::Text(text) => text.into_bytes(),
    };
    match &args.out {
        None => put(&bytes)?,
        Some(out) => fs::write(out, bytes)
            .map_err(|error| Failure::Input(format!("{}: {error}", out.display())))?,
    }
    Ok((String::new(), ExitCode::SUCCESS))
}

/// What is written: a text, or what no terminal can show.
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

fn written(args: &ExportArgs) -> Result<Written, Failure> {
    if args.kind == Export::Graph {
        return graph(args).map(Written::Text);
    }
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    if args.kind == Export::Program {
        let program = opened.subject.program.as_ref().and_then(program_json);
        let program = program.ok_or_else(|| {
            let message = "there is no schedule in this file that the format can say";
            Failure::Input(format!("{}: {message}", opened.name))
        })?;
        return Ok(Written::Text(program));
    }
    let usual = match opened.subject.is_trace() {
        true => Chosen::Deployed,
        false => Chosen::One(Strategy::Best),
    };
    let timed = match args.strategy.unwrap_or(usual) {
        Chosen::One(strategy) => plans::timed(strategy, &opened)
            .map_err(|error| Failure::Input(format!("{}: {error}", opened.name)))?,
        Chosen::Deployed => plans::deployed(&opened).ok_or_else(|| no_plan(&opened.name))?,
        Chosen::All => {
            let message = "export writes one plan: choose one --strategy";
            return Err(Failure::Usage(message.into()));
        }
    };
    let (lifetimes, plan) = (&opened.subject.lifetimes, &timed.judged.plan);
    warn_of_refused(args.kind, &opened, plan);
    let text = match args.kind {
        Export::Csv => {
            if let count @ 1.. = not_in_csv(lifetimes, plan) {
                let pairs = message!("pair shares" | "pairs share", count);
                warn(&format!(
                    "{}: {pairs} bytes in a way that this format cannot say: --as json can",
                    opened.name
                ));
            }
            csv(lifetimes, plan)
        }
        Export::Json => opened.subject.plan_json(plan, &opened.options, ""),
        Export::C => c_header(lifetimes, plan, &opened.options, stem(&opened.name)),
        Export::Schedule => schedule_json(
            lifetimes,
            &opened.subject.step_names(),
            &profile(lifetimes).points,
        ),
        Export::MemoryViz | Export::Perfetto => return Ok(recorded(args, &opened, plan)),
        Export::Graph | Export::Program => String::new(),
    };
    Ok(Written::Text(text))
}

/// Says that requests failed of which the export tells nothing.
fn warn_of_refused(kind: Export, opened: &Opened, plan: &Plan) {
    let tells = matches!(kind, Export::Json | Export::MemoryViz | Export::Perfetto);
    let subject = &opened.subject;
    let lost = match tells {
        true => subject.refused.len() - subject.refused_under(plan).len(),
        false => subject.refused.len(),
    };
    if lost > 0 {
        let requests = message!("request that failed is" | "requests that failed are", lost);
        let remedy = match tells {
            true => "--strategy deployed keeps the addresses that they are about",
            false => "--as json, memory-viz and perfetto have them",
        };
        warn(&format!("{}: {requests} left out: {remedy}", opened.name));
    }
}

/// A plan as what an allocator would have recorded.
fn recorded(args: &ExportArgs, opened: &Opened, plan: &Plan) -> Written {
    let subject = &opened.subject;
    subject.recorded(&opened.arenas.name, plan, |recorded| {
        if let count @ 1.. = recorded.not_in_recording() {
            let buffers = message!(
                "buffer ends early or is" | "buffers end early or are",
                count
            );
            warn(&format!(
                "{}: {buffers} left out, for a recording cannot say that buffers share bytes at \
                 one time or have none",
                opened.name
            ));
        }
        match args.kind {
            Export::Perfetto => Written::Text(perfetto(recorded, &subject.lanes)),
            _ => Written::Bytes(memory_viz(recorded)),
        }
    })
}

/// The graph of a model as the file has it.
fn graph(args: &ExportArgs) -> Result<String, Failure> {
    let (name, _, document) = read(&args.input.files, args.input.said.told())?;
    let Some(graph) = document.graph() else {
        let message = "there is no graph in this file (give a model)";
        return Err(Failure::Input(format!("{name}: {message}")));
    };
    if matches!(document, Document::Program(_)) {
        let lost = "its schedule and its views are no part of a text graph";
        warn(&format!("{name}: {lost}"));
    }
    Ok(graph_text(graph))
}
