//! `arenascope requests`: what the key-value cache of a language model needs for requests that
//! arrive, grow and end, under each placement.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use planner::generate::presets::{NAMES, preset};
use planner::kv_cache::fit::{Fit, fits, whole};
use planner::kv_cache::{
    MOST_REQUESTS, Placement, Range, Replay, Request, Seeded, Workload, replay, seeded,
};
use planner::load::{Warning, requests};
use planner::{Bytes, size};
use serde_json::{Value, json};

use super::file::FileSource;
use super::report::lines;
use super::{Failure, warn};

#[derive(Args)]
pub(super) struct RequestsArgs {
    /// A table of requests with the columns id,arrival,prompt,output; a seeded workload unless it
    /// is given.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How many requests a seeded workload has.
    #[arg(long, value_name = "N", default_value = "100", value_parser = count)]
    count: usize,
    /// The seed: equal seeds give equal requests.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Steps from one arrival to the next, on average.
    #[arg(long, value_name = "STEPS", default_value_t = 4, value_parser = clap::value_parser!(u64).range(..=1 << 30))]
    every: u64,
    /// Tokens of prompts; each doubling is as likely as another.
    #[arg(long, value_name = "FROM..TO", default_value = "16..1024", value_parser = range)]
    prompt: Range,
    /// Tokens of outputs, likewise.
    #[arg(long, value_name = "FROM..TO", default_value = "16..512", value_parser = range)]
    output: Range,
    /// The model whose keys and values are kept, in 16 bits.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(NAMES))]
    preset: Option<String>,
    /// Bytes of keys and values of one token.
    #[arg(long, value_name = "BYTES", value_parser = some, conflicts_with = "preset")]
    bytes_per_token: Option<u64>,
    /// Tokens of a page.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    page: Option<u64>,
    /// Tokens that attention looks back.
    #[arg(long, value_name = "N")]
    window: Option<u64>,
    /// The most tokens of a request, for which one block each reserves.
    #[arg(long, value_name = "N")]
    longest: Option<u64>,
    /// Bytes of the cache; no limit unless it is given.
    #[arg(long, value_name = "BYTES", value_parser = size)]
    capacity: Option<u64>,
    /// How it is printed: a table, JSON, the requests as a table that the page opens, or how many
    /// of them run at once in caches of so many bytes.
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Table,
    Json,
    Csv,
    Fit,
}

fn count(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok();
    let number = number.filter(|it| (1..=MOST_REQUESTS).contains(it));
    number.ok_or_else(|| format!("write a number from 1 to {MOST_REQUESTS}"))
}

/// Bytes, at least one.
fn some(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err("a token has at least one byte".to_owned()),
        bytes => Ok(bytes),
    }
}

fn range(text: &str) -> Result<Range, String> {
    let wrong = || format!("\"{text}\": write such as 16..1024, from 1 on");
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<u64>().map_err(|_not| wrong());
    let range = Range {
        from: number(from)?,
        to: number(to)?,
    };
    match 1 <= range.from && range.from <= range.to && range.to <= 1 << 32 {
        true => Ok(range),
        false => Err(wrong()),
    }
}

impl RequestsArgs {
    fn workload(&self) -> Result<Workload, Failure> {
        let mut workload = match &self.file {
            Some(path) => {
                let name = path.display().to_string();
                let source = FileSource::open(path);
                let source = source.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
                let read = requests(&source);
                let (workload, warnings) =
                    read.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
                // What is given here need not stand in the file.
                let given = self.preset.is_some() || self.bytes_per_token.is_some();
                let needless = |it: &Warning| {
                    given
                        && it
                            .message
                            .to_string()
                            .starts_with("bytes_per_token is not said")
                };
                for warning in warnings.into_iter().filter(|it| !needless(it)) {
                    warn(&format!("{name}: {}: {}", warning.place, warning.message));
                }
                workload
            }
            None => {
                let requests = seeded(&Seeded {
                    seed: self.seed,
                    count: self.count,
                    every: self.every,
                    prompt: self.prompt,
                    output: self.output,
                });
                Workload::of(requests)
            }
        };
        if let Some(name) = &self.preset {
            let of = preset(name).ok_or_else(|| Failure::Usage(name.clone()))?;
            let made = workload.with_model(&of, 16);
            let (made, said) = made.map_err(|why| Failure::Input(format!("{name}: {why}")))?;
            if let Some(said) = said {
                warn(&format!("{name}: {said}"));
            }
            workload = made;
        }
        let longest = workload.requests.iter().map(Request::tokens).max();
        workload.token = self.bytes_per_token.map_or(workload.token, Bytes);
        workload.page = self.page.unwrap_or(workload.page);
        workload.window = self.window.or(workload.window);
        workload.longest = self
            .longest
            .unwrap_or(workload.longest)
            .max(longest.unwrap_or(1));
        workload.capacity = self.capacity.map(Bytes).or(workload.capacity);
        Ok(workload)
    }
}

/// The report.
pub(super) fn report(args: &RequestsArgs) -> Result<(String, ExitCode), Failure> {
    let workload = args.workload()?;
    let text = match args.format {
        Form::Csv => workload.text(),
        Form::Fit => fit(&workload),
        Form::Table => table(&played(&workload)),
        Form::Json => {
            let rows = played(&workload)
                .into_iter()
                .map(|(it, found)| json(it, &found));
            lines(&json!({
                "requests": workload.requests.len(),
                "bytes_per_token": workload.token.0,
                "page": workload.page,
                "capacity": workload.capacity.map(|it| it.0),
                "placements": rows.collect::<Value>(),
            }))
        }
    };
    Ok((text, ExitCode::SUCCESS))
}

/// What becomes of the workload, and why a placement is left out.
fn played(workload: &Workload) -> Vec<(Placement, Replay)> {
    let mut found = Vec::new();
    for placement in workload.placements() {
        match replay(workload, placement) {
            Ok(replay) => found.push((placement, replay)),
            Err(why) => warn(&format!("{}: {why}", placement.name())),
        }
    }
    found
}

/// A share in tenths of a percent.
fn share(found: &Replay, part: usize) -> f64 {
    let all: u128 = found.sums.iter().sum();
    let tenths = found.sums[part].saturating_mul(1000) / all.max(1);
    f64::from(u32::try_from(tenths).unwrap_or(1000)) / 10.0
}

fn table(rows: &[(Placement, Replay)]) -> String {
    let mut text = format!(
        "{:<14}{:>16}{:>9}{:>10}{:>11}{:>9}{:>9}{:>9}{:>9}\n",
        "placement",
        "bytes",
        "at once",
        "last end",
        "preempted",
        "tokens",
        "to come",
        "inside",
        "outside"
    );
    for (placement, found) in rows {
        let end = found.ends.iter().max().copied().unwrap_or(0);
        let [tokens, to_come, inside, outside] = [0, 1, 2, 3].map(|part| share(found, part));
        let _ = writeln!(
            text,
            "{:<14}{:>16}{:>9}{:>10}{:>11}{:>8.1}%{:>8.1}%{:>8.1}%{:>8.1}%",
            placement.name(),
            found.high_water().0,
            found.most_running,
            end,
            found.preemptions,
            tokens,
            to_come,
            inside,
            outside
        );
    }
    text
}

fn json(placement: Placement, found: &Replay) -> Value {
    json!({
        "placement": placement.name(),
        "bytes": found.high_water().0,
        "most_running": found.most_running,
        "last_end": found.ends.iter().max(),
        "preemptions": found.preemptions,
        "recomputed_tokens": found.recomputed,
        "swapped_bytes": found.swapped.0,
        "percent": {
            "tokens": share(found, 0),
            "to_come": share(found, 1),
            "internal": share(found, 2),
            "external": share(found, 3),
        },
    })
}

/// How many requests run at once in caches of a sixteenth, two sixteenths, … of what one block
/// each needs without a limit.
fn fit(workload: &Workload) -> String {
    let mut text = String::new();
    for Fit { capacity, running } in fits(workload, whole(workload)) {
        if text.is_empty() {
            text = format!("{:>16}", "capacity");
            for (placement, _) in &running {
                let _ = write!(text, "{:>14}", placement.name());
            }
            text.push('\n');
        }
        let _ = write!(text, "{:>16}", capacity.0);
        for (_, running) in running {
            let said = running.map_or_else(|| "-".to_owned(), |count| count.to_string());
            let _ = write!(text, "{said:>14}");
        }
        text.push('\n');
    }
    text
}
