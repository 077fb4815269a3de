//! Prints the plan JSON of a file under every strategy, one a line after the strategy's name
//! and a tab: what the page must export to the byte.
//!
//! `cargo run -p tests --bin plans -- FILE [NAME=N…]` binds symbolic dimensions.

use std::error::Error;
use std::io::Write;

use planner::graph::Bindings;
use planner::liveness::Settings;
use planner::load::{Document, load};
use planner::pipeline::prepare;
use planner::plan::Options;
use planner::save::plan_json;
use planner::strategies::{Silent, Strategy, plan};
use planner::units::Bytes;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let binding = |text: String| {
        let (name, size) = text.rsplit_once('=')?;
        Some((name.to_owned(), size.parse().ok()?))
    };
    let bindings: Option<Bindings> = arguments.map(binding).collect();
    let (_, document, _) = load(&std::fs::read(&file)?)?;
    let model = matches!(document, Document::Model(_));
    let alignment = Bytes(if model { 64 } else { 1 });
    let settings = Settings {
        alignment,
        ..Settings::default()
    };
    let subject = prepare(&document, &bindings.ok_or("write NAME=N")?, &settings)
        .map_err(|error| error.to_string())?;
    let lifetimes = &subject.lifetimes;
    let graph = subject.graph.iter();
    let steps: Vec<&str> = graph
        .flat_map(|graph| lifetimes.schedule.iter().map(|&op| &*graph.op(op).name))
        .collect();
    let options = Options::aligned(alignment);
    let mut out = std::io::stdout().lock();
    for strategy in Strategy::ALL {
        let plan = plan(strategy, lifetimes, &options, &mut Silent)?;
        let json = plan_json(lifetimes, &plan, &options, &steps);
        writeln!(out, "{strategy}\t{json}")?;
    }
    Ok(())
}
