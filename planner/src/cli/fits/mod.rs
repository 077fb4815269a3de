//! `arenascope fits`: the cheapest way to make a training step fit into devices. Sizes are bytes.

mod largest;
mod opened;

use std::process::ExitCode;

use clap::Args;
use planner::training::advisor::{Advice, Case, Kind, Kinds, Wanted};
use planner::training::devices::Device;
use planner::training::{Recipe, Rule, choice};
use planner::{Bytes, passes};
use serde_json::{Map, Value, json};

use super::Failure;
use super::amount::in_bytes;
use super::args::{Input, Output};
use super::device::{self, OnDevice};
use super::estimate::{allocator, memory};
use super::recipe::{OptimizerName, PrecisionName};
use super::report::{columns_of, lines};
use largest::Max;
use opened::Opened;

#[derive(Args)]
pub(super) struct FitsArgs {
    #[command(flatten)]
    input: Input,
    /// What it is to run on, by name or by the bytes of its memory.
    #[arg(long, value_name = "NAME|BYTES", value_parser = device::parse)]
    device: OnDevice,
    /// How many such devices.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    devices: u32,
    /// Samples of a step, over all devices.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    batch: Option<u64>,
    /// What the optimizer keeps for each parameter.
    #[arg(long, value_enum, default_value = "adam")]
    optimizer: OptimizerName,
    /// What numbers take.
    #[arg(long, value_enum, default_value = "mixed")]
    precision: PrecisionName,
    /// So many of the first layers with parameters are not trained.
    #[arg(long, value_name = "N", default_value_t = 0)]
    frozen: u32,
    /// What the device's driver takes for a process.
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = memory)]
    context: u64,
    /// What each operator has beside its value while it runs; not counted unless said.
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    workspace: Option<u64>,
    /// What may be changed, separated by commas: settings, `set_to_none`, `in_place`, passes, arena,
    /// compile, recompute, swap, pack, micro, zero, divide, offload, and bits, which alone changes
    /// values; all but bits unless said.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kind)]
    change: Vec<Kind>,
    /// Tokens of a sequence, of the description of a transformer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    tokens: Option<u64>,
    /// Finds the largest batch that fits without micro-batches, in steps of the number of devices; or, of
    /// the description of a transformer, the most tokens of a sequence or the most layers.
    #[arg(long, value_enum, value_name = "WHAT")]
    max: Option<Max>,
    /// How the result is printed.
    #[arg(long, value_enum, default_value = "table")]
    format: Output,
}

fn kind(text: &str) -> Result<Kind, String> {
    let names = || {
        let names = Kind::ALL.iter().map(|it| it.name());
        names.collect::<Vec<_>>().join(", ")
    };
    Kind::named(text).ok_or_else(|| {
        format!(
            "nothing called \"{text}\" can be changed: write {}",
            names()
        )
    })
}

impl FitsArgs {
    /// What is asked; a device without a name has no rates.
    fn wanted(&self, batch: u64, rule: Rule) -> Result<Wanted, Failure> {
        let kinds = match self.change.is_empty() {
            true => Kinds::lossless(),
            false => self
                .change
                .iter()
                .fold(Kinds::NONE, |all, it| all.with(*it)),
        };
        let (device, kinds) = match self.device {
            OnDevice::Named(device) => (device, kinds),
            OnDevice::Memory(_) if self.devices > 1 => {
                let message = "--devices: give a --device by name, whose rates are known";
                return Err(Failure::Usage(message.to_owned()));
            }
            OnDevice::Memory(bytes) => (Device::of_memory(Bytes(bytes)), kinds.without(Kind::Swap)),
        };
        Ok(Wanted {
            device,
            devices: self.devices,
            batch,
            recipe: Recipe {
                rule,
                optimizer: self.optimizer.optimizer(),
                precision: self.precision.precision(),
                frozen: self.frozen,
                ..Recipe::default()
            },
            context: Bytes(self.context),
            workspace: self.workspace.map(Bytes),
            kinds,
        })
    }
}

/// The report; exit code 1 where nothing fits, which is not that of what cannot be opened.
pub(super) fn report(args: &FitsArgs) -> Result<(String, ExitCode), Failure> {
    found(args).map_err(|failure| match failure {
        Failure::Input(line) => Failure::Usage(line),
        other => other,
    })
}

fn found(args: &FitsArgs) -> Result<(String, ExitCode), Failure> {
    let opened = Opened::read(args)?;
    let batch = args.batch.unwrap_or(opened.batch);
    let wanted = args.wanted(batch, opened.rule)?;
    let Some(max) = args.max else {
        let graphs = opened.graphs(opened.described.as_ref())?;
        let found = opened.advice(&graphs, &wanted)?;
        return Ok(said(args.format, (&opened.name, &wanted), &found));
    };
    let largest = max.largest(&opened, &wanted)?;
    let Some((number, wanted, found)) = largest else {
        return Ok((max.nothing(&opened.name, args.format), ExitCode::from(1)));
    };
    let limit = max.limit(&opened, number, wanted.devices);
    let (text, code) = said(args.format, (&opened.name, &wanted), &found);
    let text = match args.format {
        Output::Json => {
            let whole = whole(&opened.name, &wanted, &found);
            let max = json!({"of": max.name(), "largest": number, "limit": limit});
            lines(&with(whole, "max", max))
        }
        Output::Csv => text,
        Output::Table => {
            let end = limit.map_or_else(String::new, |it| format!(", {it}"));
            format!("largest {}: {number}{end}\n{text}", max.name())
        }
    };
    Ok((text, code))
}

fn with(mut object: Value, key: &str, value: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.insert(key.to_owned(), value);
    }
    object
}

fn said(format: Output, (name, wanted): (&str, &Wanted), found: &Advice) -> (String, ExitCode) {
    let code = match found.fits() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    };
    let text = match format {
        Output::Json => lines(&whole(name, wanted, found)),
        Output::Csv => {
            let rows: Vec<Value> = found.cases.iter().map(|it| case(it, wanted)).collect();
            let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let line = |cells: &[String]| cells.iter().map(quoted).collect::<Vec<_>>().join(",");
            columns_of(&COLUMNS, &rows, line)
        }
        Output::Table => table(name, wanted, found),
    };
    (text, code)
}

/// The columns of a case, by their names in JSON.
const COLUMNS: [&str; 9] = [
    "training",
    "passes",
    "allocator",
    "changes",
    "seconds",
    "time",
    "peak",
    "reserved",
    "missing",
];

fn case(it: &Case, wanted: &Wanted) -> Value {
    let device = wanted.device.computing_in(wanted.recipe.precision);
    let seconds = (device.flops > 0).then(|| device.seconds(it.time.sum()));
    let changes: Vec<&str> = it.changes.each().map(Kind::name).collect();
    let mut row = Map::new();
    let cells = [
        json!(choice::text(it.training)),
        json!(passes::text(it.passes)),
        json!(allocator(it.by)),
        json!(changes.join(" ")),
        json!(seconds),
        json!(it.time.sum()),
        json!(it.needs.peak),
        json!(it.reserved),
        json!(it.missing),
    ];
    for (column, cell) in COLUMNS.into_iter().zip(cells) {
        row.insert(column.to_owned(), cell);
    }
    row.insert("parts".to_owned(), json!(it.time));
    Value::Object(row)
}

fn whole(name: &str, wanted: &Wanted, found: &Advice) -> Value {
    let all = |cases: &[Case]| -> Value { cases.iter().map(|it| case(it, wanted)).collect() };
    let policies = found.searched.policies.iter();
    let kinds = found.searched.kinds.each();
    json!({
        "file": name,
        "fits": found.fits(),
        "answer": found.answer.as_ref().map(|it| case(it, wanted)),
        "cheaper": all(&found.cheaper),
        "cases": all(&found.cases),
        "front": found.front,
        "searched": {
            "changes": kinds.map(Kind::name).collect::<Vec<_>>(),
            "policies": policies.map(|it| it.name()).collect::<Vec<_>>(),
            "allocators": found.searched.allocators.iter().map(|it| allocator(*it)).collect::<Vec<_>>(),
            "plans": found.searched.plans,
            "passed": found.searched.passed,
            "schedules": found.searched.schedules,
        },
    })
}

fn table(name: &str, wanted: &Wanted, found: &Advice) -> String {
    let memory = wanted.device.memory.0;
    let Some(answer) = &found.answer else {
        // One device has at least the step as it is.
        return format!(
            "{name}: {} samples cannot be shared evenly among {} devices, nor can the step be divided \
             otherwise: choose a multiple, or fewer devices\n",
            wanted.batch, wanted.devices
        );
    };
    let head = match (found.fits(), answer.changes == Kinds::NONE) {
        (true, true) => format!(
            "{name}: fits as it is: {} of {memory}\n",
            in_bytes(answer.reserved.0)
        ),
        (true, false) => format!(
            "{name}: fits: {} of {memory}; nothing cheaper was found under these rules\n",
            in_bytes(answer.reserved.0)
        ),
        (false, _) => format!(
            "{name}: does not fit: the closest way needs {} more than the {memory} of the device\n",
            in_bytes(answer.missing.0)
        ),
    };
    let line = |it: &Case| {
        let row = case(it, wanted);
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let seconds = row["seconds"].as_f64();
        let time = seconds.map_or_else(
            || format!("{} operations", row["time"]),
            |it| match it < 0.001 {
                true => format!("{:.3} µs", it * 1e6),
                false => format!("{it:.4} s"),
            },
        );
        let missing = match it.missing.0 {
            0 => String::new(),
            missing => format!(", {missing} missing"),
        };
        let changes = match it.changes == Kinds::NONE {
            true => "as it is".to_owned(),
            false => text("changes"),
        };
        format!(
            "  {changes}: {}; {}; {time}, {}{missing}\n",
            text("training"),
            text("allocator"),
            it.reserved.0
        )
    };
    let mut said = head + &line(answer);
    if !found.cheaper.is_empty() {
        said += "cheaper, but too large:\n";
        said.extend(found.cheaper.iter().map(line));
    }
    let of = &found.searched;
    let kinds: Vec<&str> = of.kinds.each().map(Kind::name).collect();
    let policies: Vec<&str> = of.policies.iter().map(|it| it.name()).collect();
    said += &format!(
        "{} ways to make a step, {} schedules; might be changed: {}; policies: {}\n",
        of.plans,
        of.schedules,
        kinds.join(", "),
        if policies.is_empty() {
            "none".to_owned()
        } else {
            policies.join(", ")
        },
    );
    said
}
