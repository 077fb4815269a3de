//! What the page asks and what the runner answers, without a browser, on the CPU reference. Every
//! message goes through postcard on its way, as between the two threads.

use std::cell::{Cell, RefCell};

use executor::lower::Refused;
use executor::verify::report::{Finding, MachineInfo, Phase, Verdict};
use planner::graph::{Bindings, DType};
use planner::load::Source;
use planner::{Offset, Plan, Settings, Strategy};
use runner::{Execution, Failure, Feed, MachineKind, Reply, Request, Run, Server, Surroundings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tests::onnx_builder::{DataType, OnnxBuilder, ints};
use tests::runs::Model;

/// What arrives of a message on the other thread.
fn sent<M: Serialize + DeserializeOwned>(message: &M) -> M {
    let bytes = postcard::to_allocvec(message).unwrap();
    postcard::from_bytes(&bytes).unwrap()
}

/// A page that keeps what it receives; its clock goes on by 60 ms whenever it is read.
#[derive(Default)]
struct Page {
    received: RefCell<Vec<Reply>>,
    clock: Cell<f64>,
}

impl Surroundings for Page {
    fn now(&self) -> f64 {
        self.clock.set(self.clock.get() + 60.0);
        self.clock.get()
    }

    fn reply(&self, reply: &Reply) {
        let arrived = sent(reply);
        assert_eq!(&arrived, reply);
        self.received.borrow_mut().push(arrived);
    }
}

/// The replies to a request.
pub(super) fn ask(request: &Request, file: Option<&dyn Source>) -> Vec<Reply> {
    let page = Page::default();
    let arrived = sent(request);
    assert_eq!(&arrived, request);
    pollster::block_on(Server::default().answer(arrived, file, &page));
    page.received.take()
}

/// `y = relu(x + x) - relu(x + x)`: the relu is needed until the last step.
fn model() -> Vec<u8> {
    let mut builder = OnnxBuilder::new("three", 17);
    let x = builder.input("x", DataType::FLOAT, &[1.into(), 4.into()]);
    let sum = builder.op("sum", "Add", &[&x, &x], vec![]);
    let relu = builder.op("relu", "Relu", &[&sum], vec![]);
    let late = builder.op("late", "Neg", &[&relu], vec![]);
    let y = builder.op("y", "Add", &[&late, &relu], vec![]);
    builder.output(&y, DataType::FLOAT, &[1.into(), 4.into()]);
    builder.finish()
}

pub(super) fn run(model: &Model, plan: Plan) -> Run {
    Run {
        program: model.program.clone(),
        bindings: Bindings::new(),
        lifetimes: model.lifetimes.clone(),
        plan,
        settings: Settings::default(),
        machine: MachineKind::Cpu,
        inputs: vec![Feed::Seeded],
        seed: 3,
        corrupted: false,
        reference: false,
        naive: true,
        until: None,
    }
}

fn confirmed(model: &Model, run: Run) -> Vec<Reply> {
    let run = Box::new(run);
    ask(&Request::Confirm { id: 7, run }, Some(&model.bytes))
}

#[test]
fn a_plan_is_confirmed_and_progress_is_reported() {
    let model = Model::open(&model());
    let plan = model.plan(Strategy::OffsetsBySize);
    let arena = plan.arena;
    let mut replies = confirmed(&model, run(&model, plan));
    let Some(Reply::Confirmed {
        id,
        report,
        adapter,
    }) = replies.pop()
    else {
        panic!("{replies:?}");
    };
    assert_eq!((id, adapter), (7, None));
    assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
    assert_eq!(report.machine, MachineInfo::Cpu);
    assert_eq!((report.promised, report.allocated), (arena, arena));
    assert_eq!(report.audit.unwrap().touched, report.reach);
    let phases = replies.iter().map(|reply| match reply {
        Reply::Progress { id: 7, progress } => progress.phase,
        other => panic!("{other:?}"),
    });
    let phases: Vec<Phase> = phases.collect();
    for phase in [Phase::Load, Phase::Naive, Phase::Planned, Phase::Audit] {
        assert!(phases.contains(&phase), "{phase:?} in {phases:?}");
    }
}

#[test]
fn a_corrupted_plan_names_victim_and_culprit() {
    let model = Model::open(&model());
    let mut plan = model.plan(Strategy::Naive);
    let index = |name: &str| {
        let mut buffers = model.lifetimes.buffers.iter();
        buffers.position(|buffer| buffer.name == name).unwrap()
    };
    // `late` is written at step 2 onto the first word of `relu`, which step 3 still reads.
    let (victim, moved) = (index("relu"), index("late"));
    let at = plan.offsets[victim];
    plan.offsets[moved] = Offset(at.0 + 4);
    let corrupted = Run {
        corrupted: true,
        ..run(&model, plan)
    };
    let mut replies = confirmed(&model, corrupted);
    let Some(Reply::Confirmed { report, .. }) = replies.pop() else {
        panic!("{replies:?}");
    };
    assert_eq!(report.verdict, Verdict::Refuted);
    let audit = report.audit.unwrap();
    let named = audit.findings.iter().any(|finding| {
        matches!(finding, Finding::Clobbered { victim: named, overwriter, at: address, .. }
            if *named == victim && overwriter.0 == 2 && address.0 == at.0 + 4)
    });
    assert!(named, "{:?}", audit.findings);
}

#[test]
fn what_cannot_be_run_is_listed_whole() {
    let mut builder = OnnxBuilder::new("odd", 17);
    let x = builder.input("x", DataType::FLOAT, &[1.into(), 4.into()]);
    let a = builder.op("a", "NoSuchOperator", &[&x], vec![]);
    let b = builder.op("b", "NoSuchOperator", &[&a], vec![]);
    for name in [&a, &b] {
        builder.value_info(name, DataType::FLOAT, &[1.into(), 4.into()]);
    }
    builder.output(&b, DataType::FLOAT, &[1.into(), 4.into()]);
    let model = Model::open(&builder.finish());
    let replies = confirmed(&model, run(&model, model.plan(Strategy::Naive)));
    match replies.last() {
        Some(Reply::Failed {
            failure: Failure::Refused(Refused::Unsupported(operators)),
            ..
        }) => assert_eq!(operators.len(), 2, "{operators:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_input_of_the_wrong_size_is_named() {
    let model = Model::open(&model());
    let wrong = Run {
        inputs: vec![Feed::Elements(vec![0; 12])],
        ..run(&model, model.plan(Strategy::Naive))
    };
    let replies = confirmed(&model, wrong);
    match &replies[..] {
        [
            Reply::Failed {
                id: 7,
                failure: Failure::Input { name, message },
            },
        ] => {
            assert_eq!(name, "x");
            let message = message.to_string();
            assert!(
                message.contains("12 B") && message.contains("16 B"),
                "{message}"
            );
        }
        other => panic!("{other:?}"),
    }
}

fn execution(inputs: Vec<Feed>, runs: u32) -> Request {
    let execution = Execution {
        machine: MachineKind::Cpu,
        bindings: Bindings::new(),
        settings: Settings::default(),
        strategy: Strategy::OffsetsBySize,
        inputs,
        seed: 1,
        runs,
    };
    Request::Execute { id: 9, execution }
}

#[expect(
    clippy::panic_in_result_fn,
    reason = "another reply fails the test, a failure may be what it asks for"
)]
fn execute(file: &[u8], inputs: Vec<Feed>) -> Result<Vec<runner::Output>, Failure> {
    match ask(&execution(inputs, 1), Some(&file.to_vec())).remove(0) {
        Reply::Outputs { id: 9, outputs, .. } => Ok(outputs),
        Reply::Failed { id: 9, failure } => Err(failure),
        other => panic!("{other:?}"),
    }
}

fn floats(values: &[f32]) -> Feed {
    Feed::Elements(
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    )
}

#[test]
fn a_model_is_run_from_its_file() {
    let outputs = execute(&model(), vec![floats(&[1.0, -2.0, 0.5, 0.0])]).unwrap();
    let [output] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!((output.dtype, &output.dims[..]), (DType::F32, &[1, 4][..]));
    // relu(2 x) - relu(2 x) is nothing at all.
    let values: Vec<f32> = output
        .words
        .iter()
        .map(|&word| f32::from_bits(word))
        .collect();
    assert!(
        values.iter().all(|value| value.abs() < f32::MIN_POSITIVE),
        "{values:?}"
    );
    assert_eq!(output.bytes(), 16);
}

#[test]
// The clock goes on by 60 ms whenever it is read.
fn runs_are_repeated_with_the_same_buffers_and_timed() {
    let ran = |runs| match ask(&execution(Vec::new(), runs), Some(&model())).remove(0) {
        Reply::Outputs {
            outputs,
            times,
            ledger,
            ..
        } => (outputs, times, ledger),
        other => panic!("{other:?}"),
    };
    let (outputs, times, ledger) = ran(3);
    assert_eq!(times.len(), 3);
    assert!(times.iter().all(|&time| time >= 60.0), "{times:?}");
    let (once, time, buffers) = ran(0);
    assert_eq!(time.len(), 1);
    assert_eq!((outputs, ledger), (once, buffers));
}

#[test]
fn what_is_fed_into_a_parameter_is_known_before_the_run() {
    let mut builder = OnnxBuilder::new("reshaped", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 3.into()]);
    let shape = builder.input("shape", DataType::INT64, &[1.into()]);
    let y = builder.op("y", "Reshape", &[&x, &shape], vec![]);
    let z = builder.op("z", "Transpose", &[&y], vec![ints("perm", &[0])]);
    builder.output(&z, DataType::FLOAT, &[6.into()]);
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let shape = Feed::Elements(6_i64.to_le_bytes().to_vec());
    let outputs = execute(&builder.finish(), vec![floats(&values), shape]).unwrap();
    assert_eq!(outputs[0].dims, [6]);
    let found: Vec<f32> = outputs[0]
        .words
        .iter()
        .map(|&word| f32::from_bits(word))
        .collect();
    assert_eq!(found, values);
}

/// Two of four are not zero: their places are one row of two.
#[test]
fn what_is_counted_has_the_size_of_its_count() {
    let mut builder = OnnxBuilder::new("counted", 17);
    let x = builder.input("x", DataType::FLOAT, &[4.into()]);
    let places = builder.op("places", "NonZero", &[&x], vec![]);
    builder.output(&places, DataType::INT64, &[]);
    let outputs = execute(&builder.finish(), vec![floats(&[0.0, 2.0, 0.0, -1.0])]).unwrap();
    assert_eq!(
        (outputs[0].dtype, &*outputs[0].dims),
        (DType::I64, &[1, 2][..])
    );
    assert_eq!(outputs[0].words, [1, 0, 3, 0]);
}

#[test]
fn a_file_that_is_no_model_is_refused() {
    let refused = execute(b"id,lower,upper,size\na,0,1,4\n", Vec::new());
    assert!(matches!(refused, Err(Failure::Load(_))), "{refused:?}");
    let refused = execute(b"nothing", Vec::new());
    assert!(matches!(refused, Err(Failure::Load(_))), "{refused:?}");
}

#[test]
fn the_reported_wgpu_is_the_one_that_is_linked() {
    let lock = include_str!("../../Cargo.lock");
    let (_, after) = lock.split_once("name = \"wgpu\"\nversion = \"").unwrap();
    let version = after.split('"').next().unwrap();
    assert_eq!(runner::WGPU, version);
}
