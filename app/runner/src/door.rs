//! Interim.
use executor::arena::Memory;
use executor::engine::{Connection, Loaded};
use executor::lower::{Options, lower};
use executor::measure::report::{MachineInfo, Phase, PlannedRun, Progress, Report, Verdict};
use executor::supply::{Supply, folded};
use executor::twin;
use planner::graph::infer::infer;
use planner::load::Source;
use planner::units::Bytes;

use crate::{Failure, Run, Surroundings};

pub(crate) async fn confirm(
    machine: Option<&Connection>,
    run: &Run,
    inputs: &[Vec<u32>],
    file: Option<&dyn Source>,
    around: &dyn Surroundings,
    hear: &mut dyn FnMut(Progress),
) -> Result<Report, Failure> {
    let values = infer(&mut run.graph.clone(), &run.bindings);
    let options = Options {
        max_binding: machine.map_or(Bytes(1 << 31), |gpu| Bytes(gpu.max_binding())),
        allow_hazards: run.spoiled,
    };
    let lowered = lower(&run.graph, &values, &run.lifetimes, &run.plan, &options)?;
    let folded = folded(&lowered, file)?;
    let supply = Supply {
        file,
        inputs,
        folded: &folded,
    };
    let total = u32::try_from(lowered.recording.steps.len()).unwrap_or(u32::MAX);
    hear(Progress {
        phase: Phase::Planned,
        done: 0,
        total,
    });
    let start = around.now();
    let (info, ledger) = if let Some(gpu) = machine {
        let loaded = Loaded::new(gpu, &lowered.recording, &supply).await?;
        loaded.feed(0x7149_f2ca, &supply).await?;
        loaded.run().await?;
        let _ = loaded.outputs().await?;
        let entries = loaded.ledger().entries();
        loaded.free();
        let info = MachineInfo::Gpu {
            adapter: gpu.adapter.name.clone(),
            backend: gpu.adapter.backend.to_string(),
            max_binding: Bytes(gpu.max_binding()),
            reserved: None,
        };
        (info, entries)
    } else {
        let mut memory = Memory::of(&lowered.recording);
        supply.fill(&lowered.recording.uploads, &mut memory)?;
        twin::run(&lowered.recording, &mut memory);
        (MachineInfo::Cpu, Vec::new())
    };
    Ok(Report {
        plan: run.plan.origin.clone(),
        machine: info,
        promised: run.plan.arena,
        allocated: run.plan.arena,
        reach: run.plan.arena,
        ledger,
        seeded_weights: 0,
        weights: 0,
        naive: Err("interim".to_owned()),
        runs: vec![PlannedRun {
            pattern: 0,
            time: around.now() - start,
            differing: 0,
        }],
        audit: None,
        step_times: None,
        moved: Bytes(0),
        reference: None,
        verdict: Verdict::Incomplete("interim".to_owned()),
    })
}

/// Interim.
#[must_use]
pub fn spoil(
    lifetimes: &planner::liveness::Lifetimes,
    plan: &planner::plan::Plan,
    seed: u64,
) -> Option<(usize, planner::units::Offset)> {
    let buffers = &lifetimes.buffers;
    let mut pairs = Vec::new();
    for (i, a) in buffers.iter().enumerate() {
        for (j, b) in buffers.iter().enumerate() {
            if i != j && a.span.overlaps(b.span) && a.span.start > b.span.start {
                pairs.push((i, j));
            }
        }
    }
    let at = usize::try_from(seed.wrapping_mul(7919) % (pairs.len() as u64).max(1)).ok()?;
    let (i, j) = *pairs.get(at)?;
    Some((i, *plan.offsets.get(j)?))
}
