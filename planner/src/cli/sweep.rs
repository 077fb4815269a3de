//! `arenascope sweep`: the same file planned for one value after another. Sizes are bytes.

use std::process::ExitCode;

use planner::sweep::{Chosen, Over, Point, columns, csv, sweep};
use planner::{Effort, Options, Strategy, message};
use serde_json::{Value, json};

use super::args::{self, Output, SweepArgs};
use super::report::{lines, shown};
use super::{Failure, chosen, overview, pools, read, unknown_symbols};

/// Plans at every value and reports.
pub(super) fn report(args: &SweepArgs) -> Result<(String, ExitCode), Failure> {
    let (over, values) = &args.over;
    let mut strategies = Vec::new();
    for strategy in &args.strategy {
        match strategy {
            args::Chosen::One(strategy) => strategies.push(*strategy),
            args::Chosen::All => strategies.extend(Strategy::ALL),
            args::Chosen::Deployed => {
                let message = "--strategy deployed: the plan in the file is for one value alone";
                return Err(Failure::Usage(message.into()));
            }
        }
    }
    let (name, _, document) = read(&args.input.files, args.input.said.told())?;
    let (bindings, mut settings) = chosen(&args.input, &document, false)?;
    settings.arena = overview::choose(&name, &document, args.input.arena)?.chosen;
    let arena = document.deployed().and_then(|it| it.arena(settings.arena));
    let declared = arena.and_then(|it| it.plan.pools.as_ref());
    let declared = declared.map_or(&[][..], |it| it.declared.as_slice());
    let over = &over.clone().in_document(&document);
    if let Over::Dimension(dimension) = over {
        unknown_symbols("--over", &document, [dimension])?;
    }
    let options = Options {
        pools: pools(&args.input.pool, declared)?,
        effort: Effort::DEFAULT,
        largest_allocation: settings.largest_allocation,
        ..Options::aligned(settings.alignment)
    };
    let base = Chosen {
        bindings: &bindings,
        settings: &settings,
        options: &options,
    };
    let over = (over, values.as_slice());
    let points = sweep(&document, base, over, &strategies, &mut |_, _| true);
    let swept = over.0.name();
    let text = match args.format {
        Output::Json => {
            let points = points.iter().map(|it| point_json(it, &strategies));
            let points: Vec<Value> = points.collect();
            lines(&json!({"file": name, "over": swept, "points": points}))
        }
        Output::Csv => csv(over.0, &points, &strategies),
        Output::Table => {
            let count = message!("value" | "values", points.len());
            let head = format!("{name}: {count} of {}; bytes\n", shown(swept));
            head + &table(swept, &points, &strategies)
        }
    };
    Ok((text, ExitCode::SUCCESS))
}

fn point_json(point: &Point, strategies: &[Strategy]) -> Value {
    let figures = match &point.found {
        Ok(figures) => figures,
        Err(error) => return json!({"value": point.value, "error": error}),
    };
    let plans = strategies.iter().zip(&figures.arenas);
    let plans = plans.map(|(strategy, arena)| match arena {
        Ok(arena) => json!({"strategy": strategy.name(), "arena": arena.0}),
        Err(error) => json!({"strategy": strategy.name(), "error": error}),
    });
    json!({
        "value": point.value,
        "naive": figures.naive.0,
        "bound": figures.bound.0,
        "unsized": figures.unsized_tensors,
        "plans": plans.collect::<Value>(),
    })
}

fn table(swept: &str, points: &[Point], strategies: &[Strategy]) -> String {
    let head = columns(&shown(swept), strategies);
    let widths: Vec<usize> = head.iter().map(|it| it.chars().count().max(12)).collect();
    let line = |cells: &[String], error: &str| {
        let cells = cells.iter().zip(&widths);
        let cells = cells.map(|(cell, &width)| format!("{cell:>width$}"));
        let cells = cells.collect::<Vec<_>>().join("  ");
        format!("{cells}  {error}").trim_end().to_owned() + "\n"
    };
    let mut text = line(&head, "");
    for point in points {
        let (cells, error) = point.cells(strategies);
        text += &line(&cells, &shown(&error));
    }
    text
}
