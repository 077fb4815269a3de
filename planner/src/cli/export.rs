//! `arenascope export`: one plan as another tool wants it.

use std::path::Path;
use std::process::ExitCode;

use planner::liveness::profile::profile;
use planner::plan::Effort;
use planner::save::{Provenance, c_header, csv, plan_json_from, schedule_json, untold};
use planner::units::{Step, counted};

use super::args::{Chosen, Export, ExportArgs};
use super::{Failure, Opened, no_plan, open, plans, warn};

/// Plans, if it must, and writes.
pub(super) fn export(args: &ExportArgs) -> Result<(String, ExitCode), Failure> {
    let opened = open(&args.input, Effort::DEFAULT, false)?;
    let timed = match args.strategy {
        Chosen::One(strategy) => plans::timed(strategy, &opened)
            .map_err(|error| Failure::Input(format!("{}: {error}", opened.name)))?,
        Chosen::Deployed => plans::deployed(&opened).ok_or_else(|| no_plan(&opened.name))?,
        Chosen::All => {
            let message = "export writes one plan: choose one --strategy";
            return Err(Failure::Usage(message.into()));
        }
    };
    let (lifetimes, plan) = (&opened.subject.lifetimes, &timed.judged.plan);
    let names = step_names(&opened);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = match args.kind {
        Export::Csv => {
            if let count @ 1.. = untold(lifetimes, plan) {
                let pairs = counted(count, "pair shares", "pairs share");
                warn(&format!(
                    "{}: {pairs} bytes in a way that this format cannot say: --as json can",
                    opened.name
                ));
            }
            csv(lifetimes, plan)
        }
        Export::Json => {
            let from = Provenance {
                notes: &opened.subject.notes,
                frames: &opened.subject.frames,
                ..Provenance::default()
            };
            plan_json_from(from, lifetimes, plan, &opened.options, &names)
        }
        Export::C => c_header(lifetimes, plan, &opened.options, &stem(args)),
        Export::Schedule => schedule_json(lifetimes, &names, &profile(lifetimes).points),
    };
    Ok((text, ExitCode::SUCCESS))
}

/// What runs at each step, empty where nothing has a name.
fn step_names(opened: &Opened) -> Vec<String> {
    let subject = &opened.subject;
    let lifetimes = &subject.lifetimes;
    let named = lifetimes.schedule.len().max(lifetimes.step_names.len()) as u64;
    let name = |step| subject.step_name(Step(step)).unwrap_or_default().to_owned();
    (0..named).map(name).collect()
}

/// The first file's name without its folder and what follows the first dot.
fn stem(args: &ExportArgs) -> String {
    let name = args.input.files.first().and_then(|path| path.file_name());
    let name = name.map(|name| Path::new(name).display().to_string());
    let name = name.unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_owned()
}
