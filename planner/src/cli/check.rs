//! `arenascope check`: the plan of a file against the judge, and against the memories it is for.

use std::process::ExitCode;

use planner::deployed::Arena;
use planner::load::Document;
use planner::{Bytes, Options, Pool};

use super::args::CheckArgs;
use super::{Failure, basis, no_plan, overview, pools, read, report, warn_of_unaligned};

/// What is said of allocations that are laid end to end only to be seen.
const NO_OFFSETS: &str = "separate allocations, of which the file names no offsets: there is \
                          nothing to judge";

/// Judges the arena that is asked for, otherwise all of them.
pub(super) fn judge(args: &CheckArgs) -> Result<(String, ExitCode), Failure> {
    let (name, _, document) = read(&args.files, args.said.told())?;
    let arenas = match document {
        Document::Deployed(deployed) => deployed.arenas,
        model => match basis::own(&model) {
            Some(arena) => vec![arena],
            None => return Err(no_plan(&name)),
        },
    };
    let asked = match args.arena {
        Some(arena) => arenas.get(arena as usize..=arena as usize),
        None => Some(&arenas[..]),
    };
    let asked = asked.ok_or_else(|| overview::missing(&name, args.arena, arenas.len()))?;
    if asked.iter().all(|arena| arena.placed().is_none()) {
        return Err(no_plan(&name));
    }
    let placed = asked.iter().filter(|arena| arena.placed().is_some());
    let (separate, placed): (Vec<&Arena>, Vec<&Arena>) = placed.partition(|it| it.separate);
    if placed.is_empty() {
        return Err(Failure::Input(format!("{name}: {NO_OFFSETS}")));
    }
    for arena in separate {
        super::warn(&format!(
            "{name}: {}: {NO_OFFSETS}",
            report::shown(&arena.name.to_string())
        ));
    }
    let mut found = Vec::new();
    for arena in placed {
        let declared = arena.plan.pools.as_ref().map(|it| it.declared.as_slice());
        let memories = memories(&name, arena, asked, &args.pool)?;
        let options = Options {
            pools: pools(memories, declared.unwrap_or_default())?,
            ..Options::aligned(Bytes(args.align))
        };
        warn_of_unaligned(&name, &arena.lifetimes, options.alignment);
        let violations = planner::check(&arena.lifetimes, &arena.plan, &options);
        found.push((arena, options.pools, violations));
    }
    let valid = found.iter().all(|(_, _, violations)| violations.is_empty());
    let text = report::violations(&name, &found, args.format);
    Ok((text, ExitCode::from(u8::from(!valid))))
}

/// Which of the pools that are asked for `arena` is held against: of several arenas that say
/// nothing of pools, each against the one whose name its own begins with.
///
/// # Errors
/// [`Failure::Usage`] where no arena has the name of a pool.
fn memories<'p>(
    name: &str,
    arena: &Arena,
    all: &[Arena],
    asked: &'p [Pool],
) -> Result<&'p [Pool], Failure> {
    let is_of = |arena: &Arena, pool: &Pool| {
        let name = arena.name.to_string();
        let start = name.get(..pool.name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(&pool.name))
    };
    if all.len() < 2 || all.iter().any(|it| it.plan.pools.is_some()) {
        return Ok(asked);
    }
    if let Some(pool) = asked
        .iter()
        .find(|pool| !all.iter().any(|it| is_of(it, pool)))
    {
        let names: Vec<String> = all
            .iter()
            .map(|it| report::shown(&it.name.to_string()))
            .collect();
        return Err(Failure::Usage(format!(
            "--pool {}: {name} has several arenas and none of this name: choose one with \
             --arena N, or name the pool after one of {}",
            pool.name,
            names.join("; ")
        )));
    }
    let place = asked.iter().position(|pool| is_of(arena, pool));
    Ok(place.map_or(&[], |place| &asked[place..=place]))
}
