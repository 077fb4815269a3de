//! Prints the plan JSON of a file under every strategy, one a line after the strategy's name
//! and a tab: what the page must export to the byte. A strategy that refuses the file has an
//! empty line.
//!
//! `cargo run -p tests --bin plans -- FILE [NAME=N…] [pools=NAME:BYTES,NAME]` binds symbolic
//! dimensions and plans for pools. `-- make gaps|handovers|fixed` prints a problem with such
//! constraints, and alignments, as plan JSON instead.

use std::error::Error;
use std::io::Write;

use planner::graph::Bindings;
use planner::load::{Document, load};
use planner::save::plan_json;
use planner::{
    Bytes, Lifetimes, Offset, Options, PlanError, Pool, Settings, Silent, Step, Strategy, plan,
    prepare,
};
use tests::arbitrary::{Shape, lifetimes};
use tests::random::Random;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    if file == "make" {
        return make(&arguments.next().ok_or("which constraint?")?);
    }
    let (mut bindings, mut pools) = (Bindings::new(), Vec::new());
    for word in arguments {
        match word.strip_prefix("pools=") {
            Some(named) => pools = named.split(',').map(pool).collect::<Result<_, _>>()?,
            None => {
                let (name, size) = word.rsplit_once('=').ok_or("write NAME=N")?;
                bindings.insert(name.to_owned(), size.parse()?);
            }
        }
    }
    let (_, document, _) = load(&std::fs::read(&file)?)?;
    let model = matches!(document, Document::Model(_));
    let alignment = Bytes(if model { 64 } else { 1 });
    let settings = Settings {
        alignment,
        ..Settings::default()
    };
    let subject = prepare(&document, &bindings, &settings).map_err(|error| error.to_string())?;
    let lifetimes = &subject.lifetimes;
    let program = subject.program.iter();
    let steps: Vec<&str> = program
        .flat_map(|program| program.operators().map(|op| &*op.name))
        .collect();
    let options = Options {
        pools,
        ..Options::aligned(alignment)
    };
    let mut out = std::io::stdout().lock();
    for strategy in Strategy::ALL {
        match plan(strategy, lifetimes, &options, &mut Silent) {
            Ok(plan) => {
                let json = plan_json(lifetimes, &plan, &options, &steps);
                writeln!(out, "{strategy}\t{json}")?;
            }
            Err(PlanError::Unsupported { .. }) => writeln!(out, "{strategy}\t")?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn pool(text: &str) -> Result<Pool, Box<dyn Error>> {
    let (name, capacity) = match text.split_once(':') {
        Some((name, bytes)) => (name, Some(Bytes(bytes.parse()?))),
        None => (text, None),
    };
    let name = name.to_owned();
    Ok(Pool { name, capacity })
}

/// Forty buffers with alignments and one kind of constraint.
fn make(kind: &str) -> Result<(), Box<dyn Error>> {
    let chance = |known| if kind == known { 40 } else { 0 };
    let shape = Shape {
        buffers: 40,
        steps: 25,
        size: 500,
        alignments: 5,
        pauses: chance("gaps"),
        handovers: chance("handovers"),
        ..Shape::default()
    };
    let mut lifetimes: Lifetimes = lifetimes(&mut Random::new(12), shape);
    for buffer in &mut lifetimes.buffers {
        // A file says of no buffer that it lives at no time.
        buffer.span.end = buffer.span.end.max(Step(buffer.span.start.0 + 1));
    }
    if kind == "fixed" {
        // Far enough apart never to collide.
        for (buffer, place) in lifetimes.buffers.iter_mut().step_by(8).zip(0_u64..) {
            buffer.fixed = Some(Offset(place * 1024));
        }
    }
    let options = Options::aligned(Bytes(1));
    let plan = plan(Strategy::Skyline, &lifetimes, &options, &mut Silent)?;
    let mut out = std::io::stdout().lock();
    write!(out, "{}", plan_json(&lifetimes, &plan, &options, &[]))?;
    Ok(())
}
