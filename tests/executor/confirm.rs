//! Confirmations end to end, on both machines: what is promised is allocated and touched, and
//! what is wrong with a plan is found and named.

use std::time::Instant;

use executor::verify::report::{Phase, Progress, Report, Stopwatch, Verdict};
use executor::verify::{Machine, Question, confirm, execute};
use planner::{Bytes, Strategy};
use tests::confirmations::{branching, machines, question, random_graph, report};
use tests::runs::{Model, REPRESENTATIVE, gpu};

#[test]
fn a_good_plan_is_confirmed() {
    let model = Model::open(&branching());
    for strategy in REPRESENTATIVE {
        let plan = model.plan(strategy);
        for machine in machines() {
            let report = report(&machine, &question(&model, &plan)).unwrap();
            assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
            // Six dispatches: two of one tensor in and one out, one of them with a weight of
            // 100 floats; 3 unary ones of one in and one out. 1200 B a tensor.
            let moved = 3 * 3 * 1200 - 1200 + 400 + 3 * 2 * 1200;
            assert_eq!(report.moved, Bytes(moved));
            assert_eq!((report.seeded_weights, report.weights), (1, 1));
        }
    }
}

#[test]
fn figures_of_a_plan_are_those_of_the_hand() {
    // a and b live from step 0 to the end nearly: at step 3, a, b, c and d are live, and the
    // output lies beside the arena. Lines of 64 B: 1200 B take 1216 B, 4 of them 4864 B; the
    // last tensor ends 16 B before.
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let report = report(&machine, &question(&model, &plan)).unwrap();
        assert_eq!(report.promised, Bytes(4 * 1216));
        assert_eq!(report.allocated, Bytes(4 * 1216));
        assert_eq!(report.reach, Bytes(4 * 1216 - 16));
        let audit = report.audit.unwrap();
        assert_eq!(audit.touched, Bytes(4 * 1216 - 16));
        // Without reuse: a, b, c, d and e.
        assert_eq!(report.naive.unwrap().arena, Bytes(5 * 1216));
    }
}

/// What both machines must agree on.
fn facts(report: Report) -> impl PartialEq + std::fmt::Debug {
    let differing: Vec<u64> = report.runs.iter().map(|run| run.differing).collect();
    let audit = report.audit.unwrap();
    let figures = [
        report.promised,
        report.allocated,
        report.reach,
        report.moved,
        audit.touched,
        report.naive.unwrap().arena,
    ];
    let findings = audit.findings;
    (
        report.verdict,
        figures,
        differing,
        audit.differing,
        findings,
    )
}

#[test]
fn both_machines_find_the_same() {
    let all = machines();
    for seed in 0..8 {
        let model = Model::open(&random_graph(seed, 24));
        let plan = model.plan(Strategy::OffsetsBySize);
        let reports = all.iter().map(|machine| {
            let report = report(machine, &question(&model, &plan)).unwrap();
            assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
            if let Some(reference) = report.reference {
                // Transcendental functions are a few units in the last place apart.
                assert!(reference.max_rel < 1e-4, "seed {seed}: {reference:?}");
            }
            facts(report)
        });
        let reports: Vec<_> = reports.collect();
        assert!(reports.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn a_plain_run_gives_the_outputs_by_name() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::Naive);
    for machine in machines() {
        let outputs = pollster::block_on(execute(&machine, &question(&model, &plan), 1))
            .unwrap()
            .outputs;
        let sizes: Vec<_> = outputs.iter().map(|(name, x)| (&**name, x.len())).collect();
        assert_eq!(sizes, [("y", 300)]);
    }
}

#[test]
fn without_the_run_without_reuse_the_verdict_is_incomplete() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let question = Question {
        naive: false,
        ..question(&model, &plan)
    };
    let report = report(&Machine::Cpu, &question).unwrap();
    assert!(
        matches!(report.verdict, Verdict::Incomplete(_)),
        "{report:#?}"
    );
}

#[test]
fn progress_is_heard_phase_by_phase() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let now = std::cell::Cell::new(0.0);
    let clock = || {
        now.set(now.get() + 100.0);
        now.get()
    };
    for machine in machines() {
        let question = Question {
            clock: &clock,
            ..question(&model, &plan)
        };
        let mut reports: Vec<Progress> = Vec::new();
        let mut on_progress = |progress| reports.push(progress);
        pollster::block_on(confirm(&machine, &question, &mut on_progress)).unwrap();
        let audited = reports.iter().filter(|x| x.phase == Phase::Audit);
        // Every step takes longer than the interval: each is reported by itself, but those that
        // a GPU has in one submission.
        let audited: Vec<(u32, u32)> = audited.map(|x| (x.done, x.total)).collect();
        match machine {
            Machine::Gpu(_) => assert_eq!(audited, [(0, 6), (6, 6)]),
            Machine::Cpu => {
                assert_eq!(audited, (0..=6).map(|done| (done, 6)).collect::<Vec<_>>());
            }
        }
        let phases = reports
            .chunk_by(|a, b| a.phase == b.phase)
            .map(|x| x[0].phase);
        let phases: Vec<Phase> = phases.collect();
        // A GPU says what it compiles, kernel by kernel.
        let kernels = reports.iter().filter(|x| x.phase == Phase::Compile);
        let kernels: Vec<(u32, u32)> = kernels.map(|x| (x.done, x.total)).collect();
        let all = [Phase::Load, Phase::Naive, Phase::Planned, Phase::Audit];
        match machine {
            Machine::Gpu(_) => {
                let total = u32::try_from(kernels.len()).unwrap() - 1;
                assert!(total > 1);
                assert_eq!(
                    kernels,
                    (0..=total).map(|done| (done, total)).collect::<Vec<_>>()
                );
                assert_eq!(phases[..2], [Phase::Load, Phase::Compile]);
                assert_eq!(phases[2..6], all);
            }
            Machine::Cpu => assert_eq!(phases[..4], all),
        }
    }
}

#[test]
fn the_strategies_that_are_run_are_of_every_family() {
    for strategy in Strategy::ALL {
        let family = strategy.description().family;
        let expected = REPRESENTATIVE
            .map(|it| it.description().family)
            .contains(&family);
        assert!(expected, "{strategy} is of a family that is never run");
    }
}

#[test]
fn steps_are_timed_with_and_without_timestamps() {
    let Some(gpu) = gpu() else { return };
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let begun = Instant::now();
    let clock = || begun.elapsed().as_secs_f64() * 1e3;
    let of = |timestamps| {
        let mut device = gpu.clone();
        device.timestamps = timestamps;
        let asked = Question {
            clock: &clock,
            ..question(&model, &plan)
        };
        report(&Machine::Gpu(device), &asked).unwrap()
    };
    let mut ways = vec![(false, Stopwatch::Submissions)];
    ways.extend(gpu.timestamps.then_some((true, Stopwatch::Timestamps)));
    for (timestamps, by) in ways {
        let found = of(timestamps);
        let times = found.step_times.expect("a clock that goes on");
        assert_eq!((times.by, times.milliseconds.len()), (by, 6));
        let limits = found.roofline.expect("a clock that goes on");
        // Between a byte and an operation a microsecond, and what no device can do.
        for rate in [limits.bandwidth, limits.flops] {
            assert!((1e6..1e17).contains(&rate), "{limits:?}");
        }
    }
    // Where the clock stands still nothing is claimed.
    let fresh = Machine::Gpu(tests::runs::gpu().unwrap());
    let still = report(&fresh, &question(&model, &plan)).unwrap();
    assert_eq!(still.roofline, None);
}
