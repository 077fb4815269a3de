//! Confirmations end to end, on both machines: what is promised is allocated and touched, and
//! what is wrong with a plan is found and named.

use executor::measure::report::{Phase, Progress, Report, Verdict};
use executor::measure::{Failure, Inputs, Machine, Question, confirm};
use planner::plan::Plan;
use planner::strategies::Strategy;
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::runs::{Model, gpu};

/// A chain with a branch: tensors of 300 floats, so that buffers end inside a 64-byte line.
pub(crate) fn branching() -> Vec<u8> {
    let mut builder = OnnxBuilder::new("branching", 17);
    let x = builder.input("x", DataType::FLOAT, &[3.into(), 100.into()]);
    let w = builder.weight("w", &[100]);
    let a = builder.op("a", "Mul", &[&x, &w], vec![]);
    let b = builder.op("b", "Relu", &[&a], vec![]);
    let c = builder.op("c", "Sigmoid", &[&b], vec![]);
    let d = builder.op("d", "Add", &[&c, &a], vec![]);
    let e = builder.op("e", "Tanh", &[&d], vec![]);
    let y = builder.op("y", "Mul", &[&e, &b], vec![]);
    builder.output(&y, DataType::FLOAT, &[3.into(), 100.into()]);
    builder.finish()
}

/// Both machines, or the CPU alone where there is no GPU.
pub(crate) fn machines() -> Vec<Machine> {
    let mut machines = vec![Machine::Twins];
    machines.extend(gpu().map(Machine::Gpu));
    machines
}

pub(crate) fn question<'a>(model: &'a Model, plan: &'a Plan) -> Question<'a> {
    Question {
        graph: &model.graph,
        values: &model.values,
        lifetimes: &model.lifetimes,
        plan,
        file: Some(&model.bytes),
        inputs: Inputs::Seeded(7),
        clock: &|| 0.0,
        pause: None,
        spoiled: false,
        naive: true,
        reference: true,
    }
}

pub(crate) fn report(machine: &Machine, question: &Question<'_>) -> Result<Report, Failure> {
    pollster::block_on(confirm(machine, question, &mut |_| {}))
}

#[test]
fn a_good_plan_is_confirmed() {
    let model = Model::open(&branching());
    for strategy in Strategy::ALL {
        let plan = model.plan(strategy);
        for machine in machines() {
            let report = report(&machine, &question(&model, &plan)).unwrap();
            assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
        }
    }
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
        let mut heard: Vec<Progress> = Vec::new();
        let mut hear = |progress| heard.push(progress);
        pollster::block_on(confirm(&machine, &question, &mut hear)).unwrap();
        let audited = heard.iter().filter(|x| x.phase == Phase::Audit);
        // Every step takes longer than the interval: each is told by itself.
        let audited: Vec<(u32, u32)> = audited.map(|x| (x.done, x.total)).collect();
        assert_eq!(audited, (0..=6).map(|done| (done, 6)).collect::<Vec<_>>());
        let phases = heard
            .chunk_by(|a, b| a.phase == b.phase)
            .map(|x| x[0].phase);
        let phases: Vec<Phase> = phases.collect();
        let all = [Phase::Load, Phase::Naive, Phase::Planned, Phase::Audit];
        assert_eq!(phases[..4], all);
    }
}
