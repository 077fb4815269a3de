//! What a training step takes before it runs, as `arenascope train --estimate` prints it. Sizes are
//! bytes.

use std::path::{Path, PathBuf};

use clap::Args;
use planner::graph::Graph;
use planner::load::Document;
use planner::training::devices::DEVICES;
use planner::training::estimate::measured::{Compared, compare, of_snapshot};
use planner::training::estimate::{
    Allocator, Answer, Asked, Estimate, Fit, MAX_STEPS, NoEstimate, Point, Purpose, Remedy,
    Verdict, answer,
};
use planner::training::stage;
use planner::training::table::Row;
use planner::training::{Policy, Recipe, choice};
use planner::{AllocatorSettings, Bytes, Strategy, UnknownStrategy, size};
use serde_json::{Map, Value, json};

use super::args::Output;
use super::device::OnDevice;
use super::report::{columns_of, lines};
use super::train::{Opened, TrainArgs, budget, no_schedule, no_step};
use super::{Failure, read, told};

#[derive(Args)]
pub(super) struct EstimateArgs {
    /// What the step takes on a device, by what it is for, and which devices it fits into; of
    /// --device only that one.
    #[arg(long, conflicts_with_all = ["placements", "partitions", "decisions", "saved", "switches"])]
    pub(super) estimate: bool,
    /// Steps that are estimated one after the other: the first asks for what the optimizer keeps.
    #[arg(long, value_name = "N", default_value_t = 2, requires = "estimate",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_STEPS)))]
    steps: u32,
    /// What the device's driver takes for a process; not counted unless said.
    #[arg(long, value_name = "BYTES", requires = "estimate", value_parser = memory)]
    context: Option<u64>,
    /// What each operator has beside its value while it runs; not counted unless said.
    #[arg(long, value_name = "BYTES", requires = "estimate", value_parser = memory)]
    workspace: Option<u64>,
    /// How PyTorch's caching allocator is configured, as PYTORCH_ALLOC_CONF has it.
    #[arg(long, value_name = "KEY:VALUE,…", requires = "estimate", value_parser = told::conf)]
    allocator: Option<AllocatorSettings>,
    /// A strategy that plans the values' memory in advance, in place of an allocator.
    #[arg(long, value_name = "STRATEGY", requires = "estimate", conflicts_with = "allocator",
          value_parser = strategy)]
    planned: Option<Strategy>,
    /// A memory snapshot of PyTorch that is set beside the estimate.
    #[arg(long, value_name = "FILE", requires = "estimate")]
    measured: Option<PathBuf>,
}

/// Bytes that a device may have: up to 2^50.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let bytes = size(text).map_err(|why| why.to_string())?;
    match bytes {
        ..=0x4_0000_0000_0000 => Ok(bytes),
        _ => Err("no device has more than 1 PiB".to_owned()),
    }
}

fn strategy(text: &str) -> Result<Strategy, UnknownStrategy> {
    text.parse()
}

/// What is opened as a model, with its name; a log is none.
fn as_graph(opened: &Opened) -> Result<(String, Graph), Failure> {
    match opened {
        Opened::Log(name, _) => Ok((name.clone(), Graph::default())),
        Opened::Model(name, graph) => Ok((name.clone(), graph.clone())),
        Opened::Layers(name, layers) => {
            let graph = layers.graph();
            let graph = graph.map_err(|it| Failure::Input(format!("{name}: {}", it.message)))?;
            Ok((name.clone(), graph))
        }
    }
}

/// The report of a training step of `batch` samples of what is opened.
pub(super) fn report(
    args: &TrainArgs,
    opened: &Opened,
    (batch, recipe): (u64, Recipe),
) -> Result<String, Failure> {
    let own = &args.estimate;
    let (name, graph) = &as_graph(opened)?;
    let policy = match args.policy.contains(&None) {
        true => Policy::KeepAll,
        false => args.one_policy()?,
    };
    let by = match own.planned {
        Some(strategy) => Allocator::Planned(strategy),
        None => Allocator::Caching(own.allocator.unwrap_or_default()),
    };
    // What keeps everything needs no budget: whether it fits is what is asked.
    let step = (policy != Policy::KeepAll).then(|| stage::step(graph, batch, recipe));
    let limit = match step {
        Some(Ok(step)) => budget(args, name, &step.problem)?,
        _ => args.budget.map(Bytes),
    };
    let asked = Asked {
        training: choice::of(policy, batch, limit, recipe),
        steps: own.steps,
        workspace: own.workspace.map(Bytes),
        context: own.context.map(Bytes),
        by,
    };
    let failed = |why: NoEstimate| no_estimate(name, &why);
    let devices = devices(args.device);
    let answer = answer(graph, &asked, &devices, &mut |_, _| true).map_err(failed)?;
    let Answer {
        estimate: found,
        fits,
    } = answer;
    let errors = match &own.measured {
        Some(path) => errors(path, &found)?,
        None => Vec::new(),
    };
    Ok(match args.format {
        Output::Json => lines(&json!({
            "file": name,
            "training": choice::text(asked.training),
            "allocator": allocator(by),
            "peak": point(&found.peak),
            "holds": found.holds,
            "steps": found.steps,
            "reserved": found.reserved.0,
            "segments": found.segments,
            "context": found.context,
            "workspace": found.workspace,
            "total": found.total().0,
            "devices": fits.iter().map(fit).collect::<Vec<_>>(),
            "errors": errors,
            "points": found.points.iter().map(point).collect::<Vec<_>>(),
        })),
        Output::Csv => {
            let points: Vec<Value> = found.points.iter().map(point).collect();
            let columns = COLUMNS.iter().copied();
            let purposes = Purpose::ALL.iter().map(|it| it.name());
            let columns: Vec<&str> = columns.chain(purposes).collect();
            columns_of(&columns, &points, |cells| cells.join(","))
        }
        Output::Table => {
            let training = choice::text(asked.training);
            let head = format!("{name}: {training}; {}\n", allocator(by));
            head + &table(&found) + &fits_table(&fits) + &errors_table(&errors)
        }
    })
}

/// So many remedies are named in a line.
const NAMED: usize = 3;

/// The columns of what is there after an event, before those of the purposes.
const COLUMNS: [&str; 6] = [
    "event",
    "step",
    "phase",
    "requested",
    "allocated",
    "reserved",
];

fn point(point: &Point) -> Value {
    let mut row = Map::new();
    for (purpose, bytes) in Purpose::ALL.iter().zip(&point.bytes) {
        row.insert(purpose.name().to_owned(), json!(bytes));
    }
    let others = [
        json!(point.event),
        json!(point.step),
        json!(point.phase),
        json!(point.requested),
        json!(point.allocated),
        json!(point.reserved),
    ];
    for (column, value) in COLUMNS.iter().zip(others) {
        row.insert((*column).to_owned(), value);
    }
    Value::Object(row)
}

pub(super) fn allocator(by: Allocator) -> String {
    match by {
        Allocator::Caching(settings) => format!("caching allocator, {settings}"),
        Allocator::Planned(strategy) => format!("planned by {}", strategy.name()),
    }
}

/// The device that is asked for, or all with names.
fn devices(asked: Option<OnDevice>) -> Vec<(String, Bytes)> {
    let named = |wanted| DEVICES.iter().find(|it| Some(it.device) == wanted);
    match asked {
        Some(device @ OnDevice::Memory(bytes)) => {
            vec![(bytes.to_string(), Bytes(device.memory()))]
        }
        Some(OnDevice::Named(device)) => {
            let name = named(Some(device)).map_or("", |it| it.name);
            vec![(name.to_owned(), device.memory)]
        }
        None => {
            let all = DEVICES.iter();
            all.map(|it| (it.name.to_owned(), it.device.memory))
                .collect()
        }
    }
}

/// The table of errors beside a snapshot.
fn errors(path: &Path, found: &Estimate) -> Result<Vec<Value>, Failure> {
    let (name, _, document) = read(&[path.to_owned()], told::Told::Columns(&[]))?;
    let Document::Deployed(deployed) = document else {
        let message = format!("{name}: it measures nothing (give a memory snapshot of PyTorch)");
        return Err(Failure::Input(message));
    };
    let arenas = deployed.arenas.first();
    let measured = arenas.map(|arena| of_snapshot(arena, &deployed.stacks));
    let table = compare(found, &measured.unwrap_or_default());
    let row = |it: &Compared| {
        json!({
            "part": it.part.name(),
            "estimated": it.estimated,
            "measured": it.measured,
            "error": it.error(),
            "percent": it.percent().map(|it| (it * 10.0).round() / 10.0),
        })
    };
    Ok(table.iter().map(row).collect())
}

fn remedy(remedy: &Remedy) -> String {
    let settings = remedy.settings.map(|it| it.to_string());
    let set_to_none = remedy.set_to_none.then(|| "set_to_none".to_owned());
    let said: Vec<String> = settings.into_iter().chain(set_to_none).collect();
    said.join(" and ")
}

fn fit(fit: &Fit) -> Value {
    let (verdict, with, missing) = match &fit.verdict {
        Verdict::Fits => ("fits", Vec::new(), None),
        Verdict::FitsWith(all) => ("fits_with", all.iter().map(remedy).collect(), None),
        Verdict::TooSmall { missing, with } => {
            let with = with.iter().map(remedy).collect();
            ("too_small", with, Some(missing.0))
        }
    };
    json!({
        "device": fit.device,
        "memory": fit.memory.0,
        "verdict": verdict,
        "with": with,
        "missing": missing,
    })
}

/// What is there at the peak, by what it is for, and what is taken from the device.
fn table(found: &Estimate) -> String {
    let row = |part: &str, bytes: Option<Bytes>| json!({ "part": part, "bytes": bytes });
    let of_peak = Purpose::ALL
        .iter()
        .map(|it| row(it.name(), Some(found.peak.of(*it))));
    let sums = [
        row("allocated", Some(found.peak.allocated)),
        row("reserved", Some(found.reserved)),
        row("context", found.context),
        row("total", Some(found.total())),
    ];
    let rows: Vec<Value> = of_peak.chain(sums).collect();
    let mut text = columns_of(&["part", "bytes"], &rows, |cells| {
        let bytes = cells[1].replace("null", "not known");
        format!("{:<20}{bytes:>20}", cells[0])
    });
    if found.workspace.is_none() {
        text += "workspace is not known: it counts as nothing (give --workspace)\n";
    }
    for step in found.steps.iter().filter(|it| it.step > 0) {
        text += &format!(
            "step {}: {} allocated, {} reserved\n",
            step.step, step.allocated.0, step.reserved.0
        );
    }
    text
}

fn fits_table(fits: &[Fit]) -> String {
    let rows: Vec<Value> = fits.iter().map(fit).collect();
    let line = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let with = row["with"].as_array().into_iter().flatten();
        let with: Vec<&str> = with.filter_map(Value::as_str).collect();
        // Those that change least come first; JSON has all.
        let others = with.len().saturating_sub(NAMED);
        let with = with[..with.len() - others].join(" or ");
        let with = match others {
            0 => with,
            others => format!("{with} ({others} more in JSON)"),
        };
        let verdict = match (text("verdict").as_str(), &row["missing"]) {
            ("fits", _) => "fits".to_owned(),
            ("fits_with", _) => format!("fits only with {with}"),
            (_, missing) if with.is_empty() => format!("{missing} missing"),
            (_, missing) => format!("{missing} missing, with {with}"),
        };
        let memory = row["memory"].to_string();
        format!("{:<20}{memory:>20}  {verdict}\n", text("device"))
    };
    rows.iter().map(line).collect()
}

fn errors_table(errors: &[Value]) -> String {
    if errors.is_empty() {
        return String::new();
    }
    let columns = ["part", "estimated", "measured", "error", "percent"];
    columns_of(&columns, errors, |cells| {
        let known = |cell: &String| cell.replace("null", "-");
        let right: Vec<String> = cells[1..].iter().map(known).collect();
        format!(
            "{:<20}{:>20}{:>20}{:>20}{:>10}",
            cells[0], right[0], right[1], right[2], right[3]
        )
    })
}

pub(super) fn no_estimate(name: &str, why: &NoEstimate) -> Failure {
    match why {
        NoEstimate::NoStep(why) => no_step(name, why),
        NoEstimate::NoSchedule(row) => {
            let row: &Row = row;
            no_schedule(name, row)
        }
        NoEstimate::TooLarge(why) => super::too_large(name, why),
        NoEstimate::NoPlan(why) => Failure::Input(format!("{name}: {why}")),
    }
}
